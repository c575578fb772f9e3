//! Clock of a frame, on the host's side.

use crate::launch::LaunchSimulation;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_simulation_kernels::solve::mpm::clock::{self, StepFault};
use rxmesh_simulation_kernels::solve::mpm::grid::NONE;

/// Report of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize)]
pub struct HybridReport {
    /// Number of steps.
    pub steps: u32,
    /// Shortest step in seconds, 0 if there were none.
    pub least: f32,
    /// Number of blocks of 64 nodes for which there is memory.
    pub blocks: u32,
}

/// Clock words and times on the engine.
#[derive(Debug)]
pub(super) struct Clock {
    words: Buffer<u32>,
    times: Buffer<f64>,
}

/// Host read-back of the clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Look {
    pub(super) stopped: bool,
    pub(super) fault: u32,
    pub(super) who: u32,
    pub(super) needed: u32,
    pub(super) step: f32,
    pub(super) steps: u32,
    pub(super) least: f32,
}

impl Clock {
    pub(super) fn new(engine: &Engine) -> Result<Clock, Error> {
        Ok(Clock {
            words: engine.zeroed(clock::WORDS)?,
            times: engine.zeroed(clock::TIMES)?,
        })
    }

    pub(super) fn view(&self) -> clock::Clock {
        clock::Clock {
            words: self.words.global_mut(),
        }
    }

    /// Resets the clock at the beginning of a frame.
    pub(super) fn reset(&mut self) -> Result<(), Error> {
        let mut words = [0; clock::WORDS];
        words[clock::WHO as usize] = NONE;
        words[clock::LEAST as usize] = f32::INFINITY.to_bits();
        self.words.write(&words)?;
        Ok(self.times.clear()?)
    }

    /// Clears a fault so that the frame can continue.
    pub(super) fn forgive(&mut self) -> Result<(), Error> {
        let mut words = self.words.read()?;
        words[clock::FAULT as usize] = StepFault::None as u32;
        words[clock::WHO as usize] = NONE;
        Ok(self.words.write(&words)?)
    }

    /// Ends a step and chooses the length of the next one.
    pub(super) fn tick(&self, span: f32, elastic: f32, reach: f32) -> Result<(), Error> {
        let tick = clock::Tick {
            clock: self.view(),
            times: self.times.global_mut(),
            span: span.into(),
            elastic,
            reach,
            least: span * super::LEAST,
        };
        Ok(self.words.engine().launch_flat(1, tick)?)
    }

    /// Reads the clock back. Waits for the engine.
    pub(super) fn look(&self) -> Result<Look, Error> {
        let words = self.words.read()?;
        let word = |k: u32| words[k as usize];
        Ok(Look {
            stopped: word(clock::STOPPED) != 0,
            fault: word(clock::FAULT),
            who: word(clock::WHO),
            needed: word(clock::NEEDED),
            step: f32::from_bits(word(clock::STEP)),
            steps: word(clock::DONE),
            least: f32::from_bits(word(clock::LEAST)),
        })
    }
}
