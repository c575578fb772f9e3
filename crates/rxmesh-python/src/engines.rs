//! Engines of the process: each is started when it is first needed, and stays.

use rxmesh::host::engine::{EngineChoice, KeptContext, Traffic};
use rxmesh::{Engine, Error, Result};
use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};

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
        let what = "engine=\"cuda:all\" is for the command line: devices=\"all\" has all GPUs share a list of meshes";
        return Err(Error::Message(what.into()));
    }
    let choice = pretended(choice);
    let here = process::id();
    let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let gpu = gpu_of(choice);
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

/// Gives unused memory of the engine of a choice back to the system, or that of all engines of this process. Returns
/// the number of bytes. An engine that was not started has none.
///
/// # Errors
///
/// Errors of the driver.
pub fn trim(choice: Option<EngineChoice>) -> Result<u64> {
    let started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
    let here = started.iter().filter(|s| s.process == process::id());
    let is_wanted = |s: &&StartedEngine| match choice {
        None | Some(EngineChoice::AllGpus) => true,
        Some(choice) => {
            s.choice == choice || s.engine.gpu().is_some_and(|n| gpu_of(choice) == Some(n))
        }
    };
    let mut bytes = 0;
    for started in here.filter(is_wanted) {
        bytes += started.engine.trim().map_err(rxmesh::host::Error::from)?;
    }
    Ok(bytes)
}

/// Returns the number of the GPU of a choice; `None` of the CPU, and of several.
fn gpu_of(choice: EngineChoice) -> Option<u32> {
    match choice {
        CPU | EngineChoice::AllGpus => None,
        EngineChoice::Auto | EngineChoice::Kind(_) => Some(0),
        EngineChoice::Gpu(number) => Some(number),
    }
}

/// Returns the engines of all GPUs that can be used.
///
/// # Errors
///
/// There is none, or one was started before this process was forked.
pub fn all_gpus() -> Result<Vec<Engine>> {
    static NUMBERS: OnceLock<Vec<u32>> = OnceLock::new();
    if pretended(EngineChoice::Gpu(0)) == CPU {
        return [0, 1]
            .map(|n| engine(EngineChoice::Gpu(n)))
            .into_iter()
            .collect();
    }
    if NUMBERS.get().is_none() {
        // Refuses GPUs of another process before any is started.
        engine(EngineChoice::Gpu(0))?;
        let context = KeptContext::new();
        let gpus = EngineChoice::AllGpus.start_all()?.0;
        drop(context);
        let here = process::id();
        let mut started = STARTED.lock().unwrap_or_else(PoisonError::into_inner);
        let numbers: Vec<u32> = gpus.iter().filter_map(Engine::gpu).collect();
        for engine in gpus {
            let is_there = |s: &StartedEngine| s.process == here && s.engine.gpu() == engine.gpu();
            if !started.iter().any(is_there) {
                started.push(StartedEngine {
                    choice: engine.gpu().map_or(CPU, EngineChoice::Gpu),
                    process: here,
                    engine,
                });
            }
        }
        let _ = NUMBERS.set(numbers);
    }
    let numbers = NUMBERS.get().into_iter().flatten();
    numbers.map(|n| engine(EngineChoice::Gpu(*n))).collect()
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
