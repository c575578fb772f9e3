//! Kinetic energy, and sums over vertices.

use glam::Vec3;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block sim_kinetic: Kinetic;
}

/// Number of vertices per block of a sum over vertices.
pub const SUM_VERTICES: u32 = 2048;

kernel! {
    /// Computes `m v . v / 2` summed over all vertices, in a fixed order: a block takes [`SUM_VERTICES`]; the last one
    /// adds up.
    pub struct Kinetic: Block {
        /// Velocities, in metres per second.
        pub velocity: Global<Vec3>,
        /// Masses, in kilograms.
        pub mass: Global<f32>,
        /// One part per block.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The sum in joules, at index 1.
        pub sum: GlobalMut<f64>,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Kinetic {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let (first, n) = share::<SUM_VERTICES>(block, self.mass.len());
        let part = b.sum(n, scratch, |i| {
            let v = self.velocity.get(first + i);
            let square = |x: f32| f64::from(x) * f64::from(x);
            0.5 * f64::from(self.mass.get(first + i)) * (square(v.x) + square(v.y) + square(v.z))
        });
        finish(
            b,
            block,
            scratch,
            self.partials,
            self.arrived,
            part,
            |sum| {
                // Not at 0: the device compiler takes the very address of an argument for one that could be anywhere.
                self.sum.set(1, sum);
            },
        );
    }
}

/// Returns the first vertex and the number of vertices of a block, where each block takes `N`.
#[inline(always)]
pub(crate) fn share<const N: u32>(block: u32, all: u32) -> (u32, u32) {
    let first = block * N;
    let left = all - first;
    (first, if left < N { left } else { N })
}

/// Adds a block's part of a sum; the last block calls `then` with the sum, on one thread. `partials` has one element
/// per block of the launch.
#[inline(always)]
pub fn finish<B: Block>(
    b: B,
    block: u32,
    scratch: Shared<u32>,
    partials: GlobalMut<f64>,
    arrived: GlobalMut<u32>,
    part: f64,
    then: impl FnOnce(f64),
) {
    let blocks = partials.len();
    if !b.arrive(arrived, blocks, scratch, || partials.set(block, part)) {
        return;
    }
    let sum = b.sum(blocks, scratch, |i| partials.load(i));
    b.last_phase(|p| p.lead(|| then(sum)));
}
