//! Sets as bits. Lists of free slots, ascending: a set of them as bits, ranked by the kernels that rank winners, then
//! written.

use super::flat::{DEAD, NONE};
use crate::cavity::RANK_WORDS;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

kernel! {
    /// Marks the dead ones among the first `slots` slots of a kind, a bit each. One index per word.
    pub struct MarkDead: Flat {
        /// FE, EV or VE.
        pub table: Global<u32>,
        /// Entries a slot: 3, 2 or 1.
        pub width: u32,
        /// Slots.
        pub slots: u32,
        /// Set of dead slots, a bit each.
        pub set: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MarkDead {
    #[inline(always)]
    fn run(&self, word: u32) {
        let dead = if self.width == 1 { DEAD } else { NONE };
        let first = 32 * word;
        let mut bits = 0;
        let mut i = 0;
        while i < 32 && first + i < self.slots {
            bits |= u32::from(self.table.get((first + i) * self.width) == dead) << i;
            i += 1;
        }
        self.set.set(word, bits);
    }
}

kernel! {
    /// Writes the members of a ranked set in ascending order. One index per word.
    pub struct ListFree: Flat {
        /// Set of dead slots, a bit each.
        pub set: Global<u32>,
        /// Members before each word, in its chunk.
        pub ranks: Global<u32>,
        /// Members before each chunk.
        pub chunks: Global<u32>,
        /// List of free slots.
        pub list: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ListFree {
    #[inline(always)]
    fn run(&self, word: u32) {
        let mut bits = self.set.get(word);
        let mut at = self.chunks.get(word / RANK_WORDS) + self.ranks.get(word);
        while bits != 0 {
            self.list.set(at, 32 * word + bits.trailing_zeros());
            bits &= bits - 1;
            at += 1;
        }
    }
}

kernel! {
    /// Puts a set in another one's place, and empties it. One index per word.
    pub struct MoveSet: Flat {
        /// Set that is moved.
        pub from: GlobalMut<u32>,
        /// Set that it is moved to.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MoveSet {
    #[inline(always)]
    fn run(&self, word: u32) {
        self.to.set(word, self.from.get(word));
        self.from.set(word, 0);
    }
}

kernel! {
    /// Gives slots the values of others. One index per slot.
    pub struct CopyRows: Flat {
        /// Values, as words.
        pub words: GlobalMut<u32>,
        /// Words a value.
        pub width: u32,
        /// Slots whose values are copied.
        pub from: Global<u32>,
        /// Slots that get them.
        pub to: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart, since no slot is named twice in `to` and none of both lists; the host
// launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for CopyRows {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (from, to) = (self.from.get(i) * self.width, self.to.get(i) * self.width);
        let mut k = 0;
        while k < self.width {
            self.words.set(to + k, self.words.get(from + k));
            k += 1;
        }
    }
}
