//! Time steps that are chosen on the engine: the host launches many steps between two read-backs. A launch after the
//! end of the time, or after a fault, does nothing.

use glam::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::length;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_mpm_fastest: Fastest;
    flat sim_mpm_tick: Tick;
}

/// Number of words of a clock. The first is not used: the device compiler takes the very address of an argument for one
/// that could be anywhere.
pub const WORDS: usize = 9;
/// Index of the stop flag: launches do nothing after the end.
pub const STOPPED: u32 = 1;
/// Index of the worst [`StepFault`] of the step.
pub const FAULT: u32 = 2;
/// Index of the first particle that has a fault.
pub const WHO: u32 = 3;
/// Index of the number of blocks that the step needs, if there are too few.
pub const NEEDED: u32 = 4;
/// Index of the largest speed in metres per second, as bits.
pub const SPEED: u32 = 5;
/// Index of the time step in seconds, as bits.
pub const STEP: u32 = 6;
/// Index of the number of steps done.
pub const DONE: u32 = 7;
/// Index of the smallest time step, as bits.
pub const LEAST: u32 = 8;

/// Number of double-precision words of a clock, of which the second is used: the simulated seconds.
pub const TIMES: usize = 2;

/// Reason why a step could not be done. Of several the largest is reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum StepFault {
    /// None.
    None = 0,
    /// More blocks are active than there is memory for.
    Blocks = 1,
    /// A grid cell has too many particles.
    Crowded = 2,
    /// A particle is outside the grid.
    Outside = 3,
    /// A number is not finite.
    NotFinite = 4,
    /// The step would be too small.
    Step = 5,
}

rxmesh_kernels::args! {
    /// Clock that all kernels of a step read.
    pub struct Clock {
        /// [`WORDS`] words.
        pub words: GlobalMut<u32>,
    }
}

impl Clock {
    /// Returns `true` if there is nothing to do.
    #[inline(always)]
    pub fn stopped(&self) -> bool {
        self.words.load(STOPPED) != 0 || self.words.load(FAULT) != 0
    }

    /// Returns the time step in seconds.
    #[inline(always)]
    pub fn step(&self) -> f32 {
        f32::from_bits(self.words.load(STEP))
    }

    /// Records a fault of a particle.
    #[inline(always)]
    pub fn fail(&self, fault: StepFault, particle: u32) {
        self.words.raise(FAULT, fault as u32);
        self.words.fetch_min(WHO, particle);
    }

    /// Records a speed.
    #[inline(always)]
    pub fn run_at(&self, v: Vec3) {
        let speed = length(v);
        // Bits of non-negative numbers ascend with them; those of NaN are above all.
        self.words.raise(SPEED, speed.to_bits() & 0x7fff_ffff);
    }
}

kernel! {
    /// Records the speeds of all vertices.
    pub struct Fastest: Flat {
        /// Velocities.
        pub v: Global<Vec3>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: indices read their own element and update the clock atomically; launches are as long as the array (contracts
// U3, U4).
unsafe impl FlatKernel for Fastest {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.clock.run_at(self.v.get(i));
    }
}

kernel! {
    /// Ends a step, if one was begun, and chooses the next one. One index.
    pub struct Tick: Flat {
        /// The clock.
        pub clock: Clock,
        /// [`TIMES`] of the clock.
        pub times: GlobalMut<f64>,
        /// Total seconds of all steps.
        pub span: f64,
        /// Maximum seconds of a step, by the speed of elastic waves.
        pub elastic: f32,
        /// Maximum metres that a particle moves in a step.
        pub reach: f32,
        /// Minimum seconds of a step: less is a fault, except for the last step.
        pub least: f32,
    }
}

// SAFETY: the only index of the launch (contract U3); indices are those of a clock (U4).
unsafe impl FlatKernel for Tick {
    #[inline(always)]
    fn run(&self, _: u32) {
        let words = self.clock.words;
        if self.clock.stopped() {
            return;
        }
        let done = self.clock.step();
        if done > 0.0 {
            self.times.set(1, self.times.get(1) + f64::from(done));
            words.set(DONE, words.get(DONE) + 1);
            if done < f32::from_bits(words.get(LEAST)) {
                words.set(LEAST, done.to_bits());
            }
        }
        let left = (self.span - self.times.get(1)) as f32;
        if left <= 1e-6 * self.span as f32 {
            words.set(STOPPED, 1);
            return;
        }
        let speed = f32::from_bits(words.get(SPEED));
        words.set(SPEED, 0);
        if !speed.is_finite() {
            words.set(FAULT, StepFault::NotFinite as u32);
            return;
        }
        let ways = self.reach / speed;
        let most = if ways < self.elastic {
            ways
        } else {
            self.elastic
        };
        // The last two steps share the rest equally, so that none of them is tiny.
        let step = if left <= most {
            left
        } else if 0.5 * left < most {
            0.5 * left
        } else {
            most
        };
        if step < self.least && step < left {
            words.set(FAULT, StepFault::Step as u32);
            return;
        }
        words.set(STEP, step.to_bits());
    }
}
