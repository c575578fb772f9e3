//! Edges with more than two faces: EF does not hold them all, so they are collected in linked lists.
//!
//! All faces of such an edge share it, so each is told to the patches of all others: once for each patch, not for each
//! face.

use super::{RepackArrays, RepackMesh, Stat};
use crate::kernel::FlatKernel;
use crate::mem::GlobalMut;
use crate::{args, kernel};

kernel_list! {
    flat repack_extra_find: RepackExtraFind;
    flat repack_extra_count: RepackExtraCount;
    flat repack_extra_list: RepackExtraList;
    flat repack_extra_stand: RepackExtraStand;
    flat repack_extra_tell: RepackExtraTell;
}

args! {
    /// Lists of the sides of edges with more than two faces.
    pub struct Extra {
        /// Nonzero for each edge that has a list.
        pub listed: GlobalMut<u32>,
        /// First record of each edge's list plus one, 0 at its end.
        pub head: GlobalMut<u32>,
        /// Record: a side, `3 * linear face + k`.
        pub side: GlobalMut<u32>,
        /// Record: the next of the list plus one, 0 at its end.
        pub next: GlobalMut<u32>,
        /// Record: not 0 if it stands for the faces of its patch at the edge.
        pub stands: GlobalMut<u32>,
    }
}

/// Calls `f(k, edge)` for the sides of a linear face.
#[inline(always)]
fn each_side(flat: &RepackMesh, work: &RepackArrays, linear: u32, f: impl Fn(u32, u32)) {
    let session = work.face_session.get(linear);
    f(0, flat.fe.get(3 * session) >> 1);
    f(1, flat.fe.get(3 * session + 1) >> 1);
    f(2, flat.fe.get(3 * session + 2) >> 1);
}

kernel! {
    /// Finds the edges, by their faces that EF does not hold.
    pub struct RepackExtraFind: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Lists of sides.
        pub extra: Extra,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackExtraFind {
    #[inline(always)]
    fn run(&self, linear: u32) {
        let f = self.work.face_session.get(linear);
        each_side(&self.flat, &self.work, linear, |_, edge| {
            if self.flat.across(edge, f).is_none() {
                self.extra.listed.store(edge, 1);
            }
        });
    }
}

kernel! {
    /// Counts the sides at these edges: the number of records.
    pub struct RepackExtraCount: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Lists of sides.
        pub extra: Extra,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackExtraCount {
    #[inline(always)]
    fn run(&self, linear: u32) {
        each_side(&self.flat, &self.work, linear, |_, edge| {
            if self.extra.listed.get(edge) != 0 {
                self.work.stats.fetch_add(Stat::Records as u32, 1);
            }
        });
    }
}

kernel! {
    /// Makes the lists. Their order is of no consequence.
    pub struct RepackExtraList: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Lists of sides.
        pub extra: Extra,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackExtraList {
    #[inline(always)]
    fn run(&self, linear: u32) {
        let x = self.extra;
        each_side(&self.flat, &self.work, linear, |k, edge| {
            if x.listed.get(edge) != 0 {
                let record = self.work.stats.fetch_add(Stat::Records as u32, u32::MAX) - 1;
                x.side.set(record, 3 * linear + k);
                x.next.set(record, x.head.swap(edge, record + 1));
            }
        });
    }
}

/// Returns the edge of a record.
#[inline(always)]
fn edge_of(flat: &RepackMesh, work: &RepackArrays, side: u32) -> u32 {
    flat.fe.get(3 * work.face_session.get(side / 3) + side % 3) >> 1
}

kernel! {
    /// Chooses, among the records of one patch at one edge, the one with the lowest side to stand for them.
    pub struct RepackExtraStand: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Lists of sides.
        pub extra: Extra,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackExtraStand {
    #[inline(always)]
    fn run(&self, record: u32) {
        let (flat, w, x) = (&self.flat, &self.work, self.extra);
        let side = x.side.get(record);
        let patch = w.patch_of(flat, side / 3);
        let mut stands = 1;
        let mut at = x.head.get(edge_of(flat, w, side));
        while at != 0 {
            let other = x.side.get(at - 1);
            if other < side && w.patch_of(flat, other / 3) == patch {
                stands = 0;
            }
            at = x.next.get(at - 1);
        }
        x.stands.set(record, stands);
    }
}

kernel! {
    /// Tells the face of each record to the patches of the others at its edge: counts, or lists it.
    pub struct RepackExtraTell: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Lists of sides.
        pub extra: Extra,
        /// Told faces; empty when they are only counted.
        pub told: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackExtraTell {
    #[inline(always)]
    fn run(&self, record: u32) {
        let (flat, w, x) = (&self.flat, &self.work, self.extra);
        let side = x.side.get(record);
        let patch = w.patch_of(flat, side / 3);
        let mut at = x.head.get(edge_of(flat, w, side));
        while at != 0 {
            let i = at - 1;
            if x.stands.get(i) != 0 {
                let other = w.patch_of(flat, x.side.get(i) / 3);
                if other != patch && self.told.is_empty() {
                    w.told_count.fetch_add(other, 1);
                } else if other != patch {
                    w.tell(self.told, other, side / 3);
                }
            }
            at = x.next.get(i);
        }
    }
}
