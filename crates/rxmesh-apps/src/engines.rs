//! Engines of a run: they start on a thread while the mesh is read.

use crate::record::EngineRecord;
use crate::run::{Run, milliseconds};
use anyhow::{Context, Result};
use rxmesh_host::engine::{Engine, EngineChoice, EngineError};
use std::thread::JoinHandle;
use std::time::Instant;

/// An engine that is starting, and the milliseconds that this took. It is always waited for: a program that ends while
/// a driver starts may crash.
#[derive(Debug)]
pub(crate) struct Starting(Option<JoinHandle<(Result<Started>, f64)>>);

/// Engines, and the reason why they are not GPUs if that was preferred.
type Started = (Vec<Engine>, Option<EngineError>);

impl Starting {
    fn wait(mut self) -> Option<(Result<Started>, f64)> {
        self.0.take()?.join().ok()
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        if let Some(thread) = self.0.take() {
            let _ = thread.join();
        }
    }
}

/// Starts the engine that was requested, or every one that the choice names.
fn start(choice: EngineChoice, all: bool) -> Result<Started> {
    let started = match all {
        true => choice.start_all(),
        false => choice.start().map(|(engine, why)| (vec![engine], why)),
    };
    started.with_context(|| format!("there is no {} for --engine {choice}", choice.title()))
}

impl Run {
    /// Starts an engine on a thread, or every one that the choice names; [`Run::engine`] or [`Run::engines`] waits for
    /// it.
    pub(crate) fn start_engine(&mut self, choice: EngineChoice, all: bool) {
        let work = move || {
            let begin = Instant::now();
            (start(choice, all), milliseconds(begin))
        };
        // If no thread can be started, the engine starts when it is needed.
        let thread = std::thread::Builder::new().name("engine".into());
        self.starting = thread.spawn(work).ok().map(|t| Starting(Some(t)));
    }

    /// Returns the requested engine: starts it, or waits for its start.
    pub(crate) fn engine(&mut self, choice: EngineChoice) -> Result<Engine> {
        if let Some(engine) = &self.given {
            return Ok(engine.clone());
        }
        let (engines, why_not) = self.started(choice, false)?;
        self.record.engine = EngineRecord::of(&engines[..1], why_not);
        Ok(engines[0].clone())
    }

    /// Returns every engine that the choice names, as [`Run::engine`].
    pub(crate) fn engines(&mut self, choice: EngineChoice) -> Result<Vec<Engine>> {
        let (engines, why_not) = self.started(choice, true)?;
        self.record.engine = EngineRecord::of(&engines, why_not);
        Ok(engines)
    }

    /// Waits for the start of engines, at least one. The first one's progress is shown.
    fn started(&mut self, choice: EngineChoice, all: bool) -> Result<Started> {
        let starting = self.starting.take();
        let ((started, took), waited) = self.stage("starting the engine", || {
            match starting.and_then(Starting::wait) {
                Some((started, ms)) => Ok((started?, Some(ms))),
                None => Ok((start(choice, all)?, None)),
            }
        })?;
        self.record.timings_ms.engine = took.or(waited);
        self.progress.watch(&started.0[0]);
        Ok(started)
    }
}
