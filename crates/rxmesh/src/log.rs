//! Progress and warnings of an operation.

use crate::{Error, Result};
use std::time::Instant;

/// Stage of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// Cutting the mesh into patches.
    Patches,
    /// Making a scene and its solvers.
    Prepare,
    /// Copying to the engine.
    Upload,
    /// The operation's own work, by name.
    Work(&'static str),
    /// Copying back.
    Download,
    /// Work beside the operation's own, by name.
    Aside(&'static str),
}

impl Stage {
    /// Returns the name of the stage for people.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Patches => "cutting into patches",
            Stage::Prepare => "preparing",
            Stage::Upload => "uploading",
            Stage::Work(name) | Stage::Aside(name) => name,
            Stage::Download => "downloading",
        }
    }
}

/// Receiver of an operation's progress: a console, a callback, or none ([`Silent`]).
pub trait Log {
    /// Called when a stage begins.
    fn begin(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// Called when a stage has ended, with its wall-clock time; not after an error.
    fn end(&mut self, stage: Stage, milliseconds: f64) {
        let _ = (stage, milliseconds);
    }

    /// Called when a stage has failed.
    fn failed(&mut self, stage: Stage) {
        let _ = stage;
    }

    /// Called with a line for people and records.
    fn warn(&mut self, warning: String);

    /// Returns `true` if the operation is to end before its next stage, with [`Error::Stopped`].
    fn is_stopped(&mut self) -> bool {
        false
    }

    /// Returns the name of the mesh, with which errors and warnings begin.
    fn mesh_name(&self) -> Option<String> {
        None
    }
}

/// Log that keeps the warnings and drops the rest.
#[derive(Clone, Debug, Default)]
pub struct Silent {
    /// Warnings so far.
    pub warnings: Vec<String>,
}

impl Log for Silent {
    fn warn(&mut self, warning: String) {
        self.warnings.push(warning);
    }
}

/// Runs a stage, timed. Errors begin with the mesh's name.
///
/// # Errors
///
/// Those of the work; [`Error::Stopped`] without work if the log ends the operation.
pub fn stage<T>(log: &mut dyn Log, stage: Stage, work: impl FnOnce() -> Result<T>) -> Result<T> {
    timed(log, stage, work).map_err(|e| match e {
        Error::Stopped => Error::Stopped,
        e => of_mesh(log, e),
    })
}

/// Works as [`stage`], with errors as they are: for work that is not on one mesh.
pub(crate) fn timed<T>(
    log: &mut dyn Log,
    stage: Stage,
    work: impl FnOnce() -> Result<T>,
) -> Result<T> {
    log.begin(stage);
    if log.is_stopped() {
        log.failed(stage);
        return Err(Error::Stopped);
    }
    let start = Instant::now();
    let result = work();
    match result {
        Ok(_) => log.end(stage, start.elapsed().as_micros() as f64 / 1e3),
        Err(_) => log.failed(stage),
    }
    result
}

/// Returns the error with the mesh's name before it, if the log knows one.
pub(crate) fn of_mesh(log: &dyn Log, error: Error) -> Error {
    match log.mesh_name() {
        Some(name) => error.within(name),
        None => error,
    }
}
