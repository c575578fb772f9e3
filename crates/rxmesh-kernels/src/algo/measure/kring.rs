//! k-rings across patches: all vertices within `k` edges, from the one-rings in linear ids.
//!
//! The ring of `k` is the union of the one-rings of the ring of `k - 1`. Each vertex gathers it into its own piece of a
//! scratch array, sorted and without repetition; then the pieces are moved together.

use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

kernel_list! {
    flat ring_bound: RingBound;
    flat ring_gather: RingGather;
    flat ring_pack: RingPack;
}

kernel! {
    /// Computes a bound of the number of vertices in the next ring.
    pub struct RingBound: Flat {
        /// Start of each one-ring.
        pub starts: Global<u32>,
        /// Start of each ring so far.
        pub ring_starts: Global<u32>,
        /// Rings so far.
        pub ring: Global<u32>,
        /// Bound, one a vertex.
        pub bound: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RingBound {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (mut k, end) = (self.ring_starts.get(v), self.ring_starts.get(v + 1));
        let mut bound = end - k;
        while k < end {
            let w = self.ring.get(k);
            bound += self.starts.get(w + 1) - self.starts.get(w);
            k += 1;
        }
        self.bound.set(v, bound);
    }
}

kernel! {
    /// Gathers the next ring of each vertex into its piece of the scratch buffer.
    pub struct RingGather: Flat {
        /// Start of each one-ring.
        pub starts: Global<u32>,
        /// One-rings.
        pub ones: Global<u32>,
        /// Start of each ring so far.
        pub ring_starts: Global<u32>,
        /// Rings so far.
        pub ring: Global<u32>,
        /// Start of each piece.
        pub pieces: Global<u32>,
        /// Scratch buffer.
        pub scratch: GlobalMut<u32>,
        /// Size of the next ring, one a vertex.
        pub sizes: GlobalMut<u32>,
    }
}

impl RingGather {
    /// Inserts `w` into the sorted piece of `n` vertices; returns the new size.
    #[inline(always)]
    fn insert(&self, piece: GlobalMut<u32>, n: u32, w: u32) -> u32 {
        let (mut lo, mut hi) = (0, n);
        while lo < hi {
            let mid = (lo + hi) / 2;
            if piece.get(mid) < w {
                lo = mid + 1;
            } else {
                hi = mid;
            }
        }
        if lo < n && piece.get(lo) == w {
            return n;
        }
        let mut k = n;
        while k > lo {
            piece.set(k, piece.get(k - 1));
            k -= 1;
        }
        piece.set(lo, w);
        n + 1
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RingGather {
    const THREADS: u32 = 128;

    #[inline(always)]
    fn run(&self, v: u32) {
        let piece = self.scratch.from(self.pieces.get(v));
        let mut n = 0;
        let (mut k, end) = (self.ring_starts.get(v), self.ring_starts.get(v + 1));
        while k < end {
            let w = self.ring.get(k);
            n = self.insert(piece, n, w);
            let (mut j, stop) = (self.starts.get(w), self.starts.get(w + 1));
            while j < stop {
                let u = self.ones.get(j);
                if u != v {
                    n = self.insert(piece, n, u);
                }
                j += 1;
            }
            k += 1;
        }
        self.sizes.set(v, n);
    }
}

kernel! {
    /// Moves the pieces together.
    pub struct RingPack: Flat {
        /// Start of each piece.
        pub pieces: Global<u32>,
        /// Scratch buffer.
        pub scratch: Global<u32>,
        /// Start of each ring.
        pub ring_starts: Global<u32>,
        /// Vertices of the rings.
        pub ring: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RingPack {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, from) = (self.ring_starts.get(v), self.pieces.get(v));
        let n = self.ring_starts.get(v + 1) - first;
        let mut k = 0;
        while k < n {
            self.ring.set(first + k, self.scratch.get(from + k));
            k += 1;
        }
    }
}
