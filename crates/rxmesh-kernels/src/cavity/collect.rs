//! Between two rounds: the seeds of the next one, as a list.

use super::Counter;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};

/// Words of the queue that one block works on.
pub const COLLECT_WORDS: u32 = 256;

kernel! {
    /// Lists the seeds in the queue and empties it and the set of winners, unless the round was stopped. The order of
    /// the list depends on who comes first; nothing else does.
    pub struct Collect: Block {
        /// The seeds, a bit each.
        pub queue: GlobalMut<u32>,
        /// The winners, a bit each.
        pub won: GlobalMut<u32>,
        /// Where to list the seeds.
        pub list: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Room for records: when it ran out the round is repeated.
        pub records: u32,
    }
}

/// What [`Collect`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct CollectTables {
    before: Shared<u32>,
    place: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for Collect {
    type Tables = CollectTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CollectTables {
        CollectTables {
            before: plan.take(COLLECT_WORDS),
            place: plan.take(1),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &CollectTables) {
        let counters = self.counters;
        if counters.get(Counter::Records as u32) > self.records
            || counters.get(Counter::NoSlots as u32) != 0
        {
            return;
        }
        let first = block * COLLECT_WORDS;
        let n = (self.queue.len() - first).min(COLLECT_WORDS);
        let (queue, won, list) = (self.queue.from(first), self.won.from(first), self.list);
        b.each(n, |i| {
            t.before.set(i, queue.get(i).count_ones());
            won.set(i, 0);
        });
        let total = b.scan(t.before, n, t.scratch);
        if total == 0 {
            return;
        }
        b.lead(|| {
            t.place
                .set(0, counters.fetch_add(Counter::List as u32, total))
        });
        b.last_phase(|p| {
            p.each(n, |i| {
                let mut bits = queue.get(i);
                let mut at = t.place.get(0) + t.before.get(i);
                while bits != 0 {
                    list.set(at, 32 * (first + i) + bits.trailing_zeros());
                    bits &= bits - 1;
                    at += 1;
                }
                queue.set(i, 0);
            });
        });
    }
}
