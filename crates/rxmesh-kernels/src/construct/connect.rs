//! Edges of faces. Side `k` of face `f` joins its corners `k` and `(k + 1) % 3`; its number is `3 f + k`. Sides with
//! the same two ends are one edge, which the lowest of them stands for.
//!
//! A hash table with open addressing finds that side: places are taken by exchange, and the lowest side wins by an
//! atomic maximum of complements. The place of an edge depends on the order of threads, its side does not. Edges are
//! numbered in the order of these sides.

use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::hash;
use crate::mem::{Global, GlobalMut};
use crate::repack::NONE;

kernel_list! {
    flat connect_insert: ConnectInsert;
    flat connect_first: ConnectFirst;
    flat connect_begin: ConnectBegin;
    flat connect_finish: ConnectFinish;
}

/// Returns the corners that a side runs between.
#[inline(always)]
fn ends(faces: Global<u32>, side: u32) -> (u32, u32) {
    let k = side % 3;
    let next = if k == 2 { side - 2 } else { side + 1 };
    (faces.get(side), faces.get(next))
}

/// Returns the lower and the higher end of a side.
#[inline(always)]
fn key(faces: Global<u32>, side: u32) -> (u32, u32) {
    let (a, b) = ends(faces, side);
    (a.min(b), a.max(b))
}

kernel! {
    /// Enters each side into the table. An index per side.
    pub struct ConnectInsert: Flat {
        /// Three corners per face.
        pub faces: Global<u32>,
        /// Complements of the lowest side of each edge, zeroes at first; more words than sides, so that some stay
        /// empty.
        pub table: GlobalMut<u32>,
        /// Place in the table of the edge of each side.
        pub place: GlobalMut<u32>,
        /// Complement of the lowest corner that names no vertex; 0 at first. (Word 1; word 0 is not used.)
        pub bad: GlobalMut<u32>,
        /// Number of vertices.
        pub vertices: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ConnectInsert {
    #[inline(always)]
    fn run(&self, side: u32) {
        let (table, len) = (self.table, self.table.len());
        if self.faces.get(side) >= self.vertices {
            self.bad.raise(1, !side);
        }
        let (low, high) = key(self.faces, side);
        let home = u64::from(hash(low ^ hash(high))) * u64::from(len);
        let mut at = (home >> 32) as u32;
        loop {
            let was = match table.load(at) {
                0 => table.compare_exchange(at, 0, !side),
                taken => taken,
            };
            if was == 0 {
                break;
            }
            if key(self.faces, !was) == (low, high) {
                table.raise(at, !side);
                break;
            }
            at = if at + 1 == len { 0 } else { at + 1 };
        }
        self.place.set(side, at);
    }
}

kernel! {
    /// Flags the sides that stand for an edge, as ones and zeroes. An index per side.
    pub struct ConnectFirst: Flat {
        /// As [`ConnectInsert`] left it.
        pub table: Global<u32>,
        /// As [`ConnectInsert`] left it.
        pub place: Global<u32>,
        /// A word per side.
        pub first: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ConnectFirst {
    #[inline(always)]
    fn run(&self, side: u32) {
        let stands = !self.table.get(self.place.get(side)) == side;
        self.first.set(side, u32::from(stands));
    }
}

kernel! {
    /// Writes the edge's data from the side that stands for it, and empties VE. An index per side, and at least one a
    /// vertex.
    pub struct ConnectBegin: Flat {
        /// Three corners per face.
        pub faces: Global<u32>,
        /// Edges before each side; their number at the end.
        pub number: Global<u32>,
        /// Lower and higher end of each edge.
        pub ev: GlobalMut<u32>,
        /// First face of each edge, and [`NONE`].
        pub ef: GlobalMut<u32>,
        /// [`NONE`] for each vertex.
        pub ve: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart: a side stands for one edge (contracts U3, U4).
unsafe impl FlatKernel for ConnectBegin {
    #[inline(always)]
    fn run(&self, i: u32) {
        if i < self.ve.len() {
            self.ve.set(i, NONE);
        }
        if i >= self.faces.len() {
            return;
        }
        let edge = self.number.get(i);
        if self.number.get(i + 1) != edge {
            let (low, high) = key(self.faces, i);
            self.ev.set(2 * edge, low);
            self.ev.set(2 * edge + 1, high);
            self.ef.set(2 * edge, i / 3);
            self.ef.set(2 * edge + 1, NONE);
        }
    }
}

kernel! {
    /// Writes the sides of faces, the second face of each edge (the lowest but one), and the lowest edge of each
    /// vertex. An index per side.
    pub struct ConnectFinish: Flat {
        /// Three corners per face.
        pub faces: Global<u32>,
        /// As [`ConnectInsert`] left it.
        pub table: Global<u32>,
        /// Edges before each side.
        pub number: Global<u32>,
        /// Places in the table, which become sides: `edge << 1 | d`, with `d = 1` where the side runs from the higher
        /// end to the lower.
        pub fe: GlobalMut<u32>,
        /// Two faces of each edge.
        pub ef: GlobalMut<u32>,
        /// An edge of each vertex.
        pub ve: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically (contracts U3, U4).
unsafe impl FlatKernel for ConnectFinish {
    #[inline(always)]
    fn run(&self, side: u32) {
        let first = !self.table.get(self.fe.get(side));
        let edge = self.number.get(first);
        let (from, to) = ends(self.faces, side);
        self.fe.set(side, edge << 1 | u32::from(from > to));
        if side / 3 != first / 3 {
            self.ef.fetch_min(2 * edge + 1, side / 3);
        }
        self.ve.fetch_min(from, edge);
        self.ve.fetch_min(to, edge);
    }
}
