//! Number of slender triangles.

use super::{Sizing, shape};
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

/// Triangles whose `shape` is below this are slender: a height is below an eighth of the longest side, or so.
pub const SLENDER: f32 = 0.25;

kernel! {
    /// Counts the slender faces that have an edge shorter than some length. One index per face slot.
    pub struct CountSlender: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Length with which others are compared.
        pub shortest: Sizing,
        /// Number of slender faces in word 1.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for CountSlender {
    #[inline(always)]
    fn run(&self, f: u32) {
        if !self.mesh.face_lives(f) {
            return;
        }
        let corners = self.mesh.sides(f).map(|h| self.mesh.origin(h));
        let [a, b, c] = corners.map(|v| self.x.get(v));
        let [l, m, n] = corners.map(|v| self.shortest.at(v));
        let (u, v, w) = (b - a, c - b, a - c);
        let least = u.dot(u).min(v.dot(v)).min(w.dot(w));
        let shortest = l.min(m).min(n);
        if least < shortest * shortest && shape(a, b, c) < SLENDER {
            self.counts.fetch_add(1, 1);
        }
    }
}
