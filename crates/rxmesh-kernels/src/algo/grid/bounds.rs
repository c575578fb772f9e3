//! The box of triangles.

use crate::algo::tree::{IndexedTriangles, write_bounds};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};
use glam::Vec3;

kernel_list! {
    block grid_bounds: CornerBounds;
}

/// Triangles that one block of [`CornerBounds`] looks at.
pub const CORNER_CHUNK: u32 = 4096;

kernel! {
    /// Finds the box of triangles, a chunk of them a block.
    pub struct CornerBounds: Block {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// Seven numbers a block: the least x, y, z, then the greatest, then the first triangle with a coordinate that
        /// is not finite, infinity if there is none.
        pub bounds: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for CornerBounds {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * CORNER_CHUNK;
        let n = (self.triangles.count() - first).min(CORNER_CHUNK);
        let corners = |i: u32| self.triangles.corners(first + i);
        let to = self.bounds.from(7 * block);
        write_bounds(b, n, scratch, to, |i| {
            let [a, b, c] = corners(i);
            (a.min(b).min(c), a.max(b).max(c))
        });
        let wrong = b.min(n, scratch, |i| {
            let [a, b, c] = corners(i);
            // Zero times a number that is not finite is not a number.
            let sum = a * 0.0 + b * 0.0 + c * 0.0;
            if sum == Vec3::ZERO {
                f64::INFINITY
            } else {
                f64::from(first + i)
            }
        });
        b.lead(|| to.set(6, wrong));
    }
}
