//! Boxes of triangles, and checks of what comes from elsewhere.

use super::tree::IndexedTriangles;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::Vec3;

kernel_list! {
    flat check_corners: CheckCorners;
    flat check_points: CheckPoints;
    block triangle_bounds: TriangleBounds;
}

/// Triangles that one block of [`TriangleBounds`] looks at.
pub const CHUNK: u32 = 4096;

kernel! {
    /// Finds the first triangle with a corner that does not exist. One index per triangle.
    pub struct CheckCorners: Flat {
        /// Three vertices a triangle.
        pub faces: Global<u32>,
        /// Number of vertices.
        pub vertices: u32,
        /// Word 1: number of the first wrong triangle; [`NONE`](crate::edit::NONE) before.
        pub wrong: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl FlatKernel for CheckCorners {
    #[inline(always)]
    fn run(&self, i: u32) {
        let at = |k: u32| self.faces.get(3 * i + k);
        if at(0).max(at(1)).max(at(2)) >= self.vertices {
            self.wrong.fetch_min(1, i);
        }
    }
}

kernel! {
    /// Finds the first point that is not finite. One index per point.
    pub struct CheckPoints: Flat {
        /// Points.
        pub points: Global<Vec3>,
        /// Word 1: number of the first wrong point; [`NONE`](crate::edit::NONE) before.
        pub wrong: GlobalMut<u32>,
    }
}

// SAFETY: as for [`CheckCorners`].
unsafe impl FlatKernel for CheckPoints {
    #[inline(always)]
    fn run(&self, i: u32) {
        if !self.points.get(i).is_finite() {
            self.wrong.fetch_min(1, i);
        }
    }
}

kernel! {
    /// Finds the box of triangles, a chunk of them a block.
    pub struct TriangleBounds: Block {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// Seven numbers a block: the least x, y, z, then the greatest, then the first triangle with a coordinate that
        /// is not finite, infinity if there is none.
        pub bounds: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for TriangleBounds {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * CHUNK;
        let n = (self.triangles.count() - first).min(CHUNK);
        let corners = |i: u32| self.triangles.corners(first + i);
        let to = self.bounds.from(7 * block);
        let mut axis = 0;
        while axis < 3 {
            let along = |v: Vec3| f64::from(component(v, axis));
            let low = b.min(n, scratch, |i| {
                let [a, b, c] = corners(i);
                along(a.min(b).min(c))
            });
            let high = b.max(n, scratch, |i| {
                let [a, b, c] = corners(i);
                along(a.max(b).max(c))
            });
            b.lead(|| {
                to.set(axis, low);
                to.set(axis + 3, high);
            });
            axis += 1;
        }
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

/// Returns x, y or z for the axis 0, 1 or 2.
#[inline(always)]
pub(super) fn component(v: Vec3, axis: u32) -> f32 {
    if axis == 0 {
        v.x
    } else if axis == 1 {
        v.y
    } else {
        v.z
    }
}
