//! Engines of the process: each is started when it is first needed, and stays.

use rxmesh::host::engine::{EngineChoice, KeptContext, Traffic};
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
    let choice = pretended(choice);
    let here = process::id();
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let gpu = match choice {
        CPU | EngineChoice::AllGpus => None,
        EngineChoice::Auto | EngineChoice::Kind(_) => Some(0),
        EngineChoice::Gpu(number) => Some(number),
    };
    // One engine for each GPU, by whichever name it is asked for.
    let serves = |s: &StartedEngine| s.choice == choice || gpu.is_some() && s.engine.gpu() == gpu;
    if let Some(there) = started.iter().find(|s| s.process == here && serves(s)) {
        return Ok(there.engine.clone());
    }
    let is_forked = |s: &StartedEngine| s.process != here && s.engine.is_cuda();
    if choice != CPU && started.iter().any(is_forked) {
        return Err(forked());
    }
    let context = KeptContext::new();
    let engine = choice.start()?.0;
    drop(context);
    started.push(StartedEngine {
        choice,
        process: here,
        engine: engine.clone(),
    });
    Ok(engine)
}

/// Returns the bytes that were copied between main memory and the engines of this process.
pub fn traffic() -> Traffic {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let here = started.iter().filter(|s| s.process == process::id());
    let none = Traffic {
        to_engine: 0,
        to_host: 0,
    };
    here.map(|s| s.engine.traffic())
        .fold(none, |all, one| Traffic {
            to_engine: all.to_engine + one.to_engine,
            to_host: all.to_host + one.to_host,
        })
}

/// Returns the choice. In builds for development with `RXMESH_PRETEND_GPU` the CPU stands for numbered GPUs: tests show
/// arrays in main memory as those of a GPU.
fn pretended(choice: EngineChoice) -> EngineChoice {
    let is_pretended =
        || cfg!(debug_assertions) && std::env::var_os("RXMESH_PRETEND_GPU").is_some();
    match choice {
        EngineChoice::Gpu(_) if is_pretended() => CPU,
        choice => choice,
    }
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
