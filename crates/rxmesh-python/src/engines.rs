//! Engines of the process: each is started when it is first needed, and stays.

use rxmesh::host::engine::EngineChoice;
use rxmesh::{Engine, Error, Result};
use std::process;
use std::sync::{Mutex, PoisonError};

/// Engine that was started.
struct StartedEngine {
    choice: EngineChoice,
    /// Process that started it.
    process: u32,
    engine: Engine,
}

static STARTED: Mutex<Vec<StartedEngine>> = Mutex::new(Vec::new());

/// Returns the engine of a choice.
///
/// # Errors
///
/// There is none, the choice is of all GPUs, or the GPU was started before this process was forked.
pub fn engine(choice: EngineChoice) -> Result<Engine> {
    if choice == EngineChoice::AllGpus {
        let what = "engine=\"cuda:all\" is for the command line: a call runs on one GPU, such as engine=\"cuda:1\"";
        return Err(Error::Message(what.into()));
    }
    let here = process::id();
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(there) = started
        .iter()
        .find(|s| s.choice == choice && s.process == here)
    {
        return Ok(there.engine.clone());
    }
    let is_forked = |s: &StartedEngine| s.process != here && s.engine.is_cuda();
    if choice != CPU && started.iter().any(is_forked) {
        return Err(forked());
    }
    let engine = choice.start()?.0;
    started.push(StartedEngine {
        choice,
        process: here,
        engine: engine.clone(),
    });
    Ok(engine)
}

/// Choice of the CPU.
pub const CPU: EngineChoice = EngineChoice::Kind(rxmesh::host::engine::EngineKind::Cpu);

/// Refuses an engine on a GPU that another process started.
///
/// # Errors
///
/// Such an engine.
pub fn check(engine: &Engine, process: u32) -> Result<()> {
    match engine.is_cuda() && process != process::id() {
        true => Err(forked()),
        false => Ok(()),
    }
}

fn forked() -> Error {
    Error::Message(
        "the GPU was started before this process was forked, and cannot be used here: start processes with the method \
        'spawn', or pass engine=\"cpu\""
            .into(),
    )
}
