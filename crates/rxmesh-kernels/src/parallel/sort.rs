//! Stable sorting of numbers by keys, four bits at a time from the lowest (Satish, Harris and Garland 2009, "Designing
//! efficient sorting algorithms for manycore GPUs"): count each digit in each tile, scan the counts, move.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block sort_count: SortCount;
    block sort_move: SortMove;
}

/// Elements that one block moves.
pub const TILE: u32 = 2048;

/// Values of a digit.
pub const DIGITS: u32 = 16;

/// Bits of a digit.
pub const DIGIT_BITS: u32 = 4;

/// Elements whose order one thread keeps. Their digits are counted in four bits each.
const RUN: u32 = 8;

/// Runs a tile.
const RUNS: u32 = TILE / RUN;

/// Returns the digit of a key.
#[inline(always)]
fn digit(key: u32, shift: u32) -> u32 {
    key >> shift & (DIGITS - 1)
}

/// Counts the digits of a run, four bits each.
#[inline(always)]
fn count_run(keys: Global<u32>, n: u32, run: u32, shift: u32) -> u64 {
    let (mut i, mut counts) = (run * RUN, 0u64);
    let end = (i + RUN).min(n);
    while i < end {
        counts += 1 << (4 * digit(keys.get(i), shift));
        i += 1;
    }
    counts
}

kernel! {
    /// Counts each digit in each tile of [`TILE`] keys. A block a tile.
    pub struct SortCount: Block {
        /// Keys.
        pub keys: Global<u32>,
        /// Position of the digit's lowest bit.
        pub shift: u32,
        /// Counts of the first digit in all tiles, then of the second, and so on.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SortCount {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(DIGITS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &bins: &Shared<u32>) {
        let keys = self.keys.from(block * TILE);
        let n = keys.len().min(TILE);
        b.each(DIGITS, |d| bins.set(d, 0));
        b.each(n.div_ceil(RUN), |run| {
            let counts = count_run(keys, n, run, self.shift);
            let mut d = 0;
            while d < DIGITS {
                let count = (counts >> (4 * d) & 15) as u32;
                if count > 0 {
                    bins.fetch_add(d, count);
                }
                d += 1;
            }
        });
        let tiles = self.counts.len() / DIGITS;
        let counts = self.counts;
        b.last_phase(|p| p.each(DIGITS, |d| counts.set(d * tiles + block, bins.get(d))));
    }
}

kernel! {
    /// Moves keys and values to their places by a digit; equal digits keep their order. A block a tile.
    pub struct SortMove: Block {
        /// Keys.
        pub keys: Global<u32>,
        /// A value a key.
        pub values: Global<u32>,
        /// Position of the digit's lowest bit.
        pub shift: u32,
        /// Exclusive prefix sums of [`SortCount::counts`].
        pub starts: Global<u32>,
        /// Keys in their new order.
        pub to_keys: GlobalMut<u32>,
        /// Values in their new order.
        pub to_values: GlobalMut<u32>,
    }
}

// SAFETY: the places of all elements differ, because the counts are of the same keys; blocks write in phases that
// barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for SortMove {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(DIGITS * RUNS), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(before, scratch): &Self::Tables) {
        let (keys, values) = (self.keys.from(block * TILE), self.values.from(block * TILE));
        let n = keys.len().min(TILE);
        let (tiles, shift) = (self.starts.len() / DIGITS, self.shift);
        // The first digit of all runs, then the second, and so on: their sums are places in the tile's order.
        b.each(RUNS, |run| {
            let counts = count_run(keys, n, run, shift);
            let mut d = 0;
            while d < DIGITS {
                before.set(d * RUNS + run, (counts >> (4 * d) & 15) as u32);
                d += 1;
            }
        });
        b.scan(before, DIGITS * RUNS, scratch);
        let (starts, to_keys, to_values) = (self.starts, self.to_keys, self.to_values);
        b.last_phase(|p| {
            p.each(n.div_ceil(RUN), |run| {
                let (mut i, mut met) = (run * RUN, 0u64);
                let end = (i + RUN).min(n);
                while i < end {
                    let key = keys.get(i);
                    let d = digit(key, shift);
                    let in_run = (met >> (4 * d) & 15) as u32;
                    let in_tile = before.get(d * RUNS + run) - before.get(d * RUNS) + in_run;
                    let to = starts.get(d * tiles + block) + in_tile;
                    to_keys.set(to, key);
                    to_values.set(to, values.get(i));
                    met += 1 << (4 * d);
                    i += 1;
                }
            });
        });
    }
}
