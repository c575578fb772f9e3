//! Distances along the surface by parallel fronts over directed edges (Romero Calla, Fuentes Perez and Montenegro 2019,
//! "A minimalistic approach for fast computation of geodesic distances on triangular meshes"; RXMesh 2021, section
//! 8.2).

use crate::half_edges::HalfEdges;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::{length, sqrt};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{Vec3, args};

/// Relative change of a distance from which on it is not settled.
pub const TOLERANCE: f32 = 1e-3;

args! {
    /// Updates the distances of vertices of successive levels from those of their neighbours, one step, and counts
    /// vertices of the first of these levels that are not settled.
    pub struct FrontStep<M: HalfEdges> {
        /// Mesh.
        pub mesh: M,
        /// Positions.
        pub x: Global<Vec3>,
        /// Vertices of the levels, one level after the other.
        pub order: Global<u32>,
        /// Distances before the step.
        pub old: Global<f32>,
        /// Distances after it.
        pub new: GlobalMut<f32>,
        /// Count of this step at place `step`.
        pub unsettled: GlobalMut<u32>,
        /// Number of the step.
        pub step: u32,
        /// Number of vertices of the first level.
        pub first: u32,
    }
}

/// Returns the distance at the end of the edges `-a` and `-b` of a wave front that is at their other ends at the times
/// `s` and `t`: a plane wave through the triangle, or one along an edge (Kimmel and Sethian 1998).
#[inline(always)]
fn arrival(a: Vec3, b: Vec3, s: f32, t: f32) -> f32 {
    let (aa, ab, bb) = (a.dot(a), a.dot(b), b.dot(b));
    let along = (s + sqrt(aa)).min(t + sqrt(bb));
    let determinant = aa * bb - ab * ab;
    // Unknown distances and degenerate faces.
    if !(s < f32::INFINITY && t < f32::INFINITY && determinant > 0.0) {
        return along;
    }
    // Relative to the earlier one, so that far waves keep their digits.
    let from = s.min(t);
    let (s, t) = (s - from, t - from);
    // Inverse of the Gram matrix of the edges.
    let (q, r, w) = (bb / determinant, -ab / determinant, aa / determinant);
    let (qs, qt) = (q * s + r * t, r * s + w * t);
    let (sum, linear) = (q + 2.0 * r + w, qs + qt);
    let root = linear * linear - sum * (s * qs + t * qt - 1.0);
    if root < 0.0 || sum <= 0.0 {
        return along;
    }
    let p = (linear + sqrt(root)) / sum;
    // The wave comes through the triangle if both components of its direction point to its sides.
    let (left, right) = (q * (s - p) + r * (t - p), r * (s - p) + w * (t - p));
    if left < 0.0 && right < 0.0 {
        from + p
    } else {
        along
    }
}

// SAFETY: each index writes its own vertex, or atomically; the host makes the counts long enough (contracts U3, U4).
unsafe impl<M: HalfEdges> FlatKernel for FrontStep<M> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.order.get(i);
        let (x, old) = (self.x.get(v), self.old.get(v));
        let mut least = old;
        let (mut first, mut first_time) = (Vec3::ZERO, f32::INFINITY);
        let (mut before, mut time) = (Vec3::ZERO, f32::INFINITY);
        let mut begun = false;
        let closed = self.mesh.vertices(v, |w| {
            let (here, now) = (self.x.get(w) - x, self.old.get(w));
            if begun {
                least = least.min(arrival(before, here, time, now));
            } else {
                (first, first_time, begun) = (here, now, true);
                least = least.min(now + length(here));
            }
            (before, time) = (here, now);
        });
        if closed && begun {
            least = least.min(arrival(before, first, time, first_time));
        }
        self.new.set(v, least);
        // Not a number, for a vertex that nothing has reached, counts as not settled.
        let settled = old - least <= TOLERANCE * least;
        if i < self.first && !settled {
            self.unsettled.fetch_add(self.step, 1);
        }
    }
}

entries_by_layout! { FrontStep }
