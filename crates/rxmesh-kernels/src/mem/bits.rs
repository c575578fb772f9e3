//! Sets of local elements as bits in shared memory.

use super::{Plan, Shared};
use crate::exec::Block;
use crate::exec::Phase;

/// A set of `0..n` in shared memory, one bit a member.
#[derive(Clone, Copy, Debug)]
pub struct Bits {
    words: Shared<u32>,
    n: u32,
}

impl Bits {
    /// Carves space for a set of `0..n`; clear it before use.
    #[inline(always)]
    pub fn take(plan: &mut Plan, n: u32) -> Bits {
        Bits {
            words: plan.take(n.div_ceil(32)),
            n,
        }
    }

    /// Empties the set.
    #[inline(always)]
    pub fn clear<B: Block>(self, p: Phase<B>) {
        p.each(self.words.len(), |w| self.words.set(w, 0));
    }

    /// Returns the number of possible members.
    #[inline(always)]
    pub fn capacity(self) -> u32 {
        self.n
    }

    /// Returns `true` if `i` is a member.
    #[inline(always)]
    pub fn contains(self, i: u32) -> bool {
        debug_assert!(i < self.n);
        self.words.get(i / 32) >> (i % 32) & 1 != 0
    }

    /// Adds `i`, atomically; returns whether it is new.
    #[inline(always)]
    pub fn insert(self, i: u32) -> bool {
        debug_assert!(i < self.n);
        let bit = 1 << (i % 32);
        self.words.fetch_or(i / 32, bit) & bit == 0
    }
}
