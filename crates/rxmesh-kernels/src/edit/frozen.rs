//! Vertices that no operator touches.

use super::{FlatMesh, HalfEdgeMesh};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

kernel! {
    /// Marks the vertices at frozen faces. One index per face slot.
    pub struct MarkFrozen: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Claims on faces, which tell the frozen ones.
        pub claims: GlobalMut<u64>,
        /// Marks of the vertices.
        pub marks: GlobalMut<u32>,
        /// Mark of a vertex at a frozen face; those of others are left as they are.
        pub mark: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MarkFrozen {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.mesh.face_lives(f) && self.claims.get(f) == crate::cavity::FROZEN {
            let [a, b, c] = self.mesh.sides(f);
            self.marks.store(self.mesh.origin(a), self.mark);
            self.marks.store(self.mesh.origin(b), self.mark);
            self.marks.store(self.mesh.origin(c), self.mark);
        }
    }
}

/// Returns `true` if [`MarkFrozen`] marked a vertex; there are no marks if no face is frozen.
#[inline(always)]
pub(crate) fn is_held(held: Global<u32>, v: u32) -> bool {
    !held.is_empty() && held.get(v) != 0
}
