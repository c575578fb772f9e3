//! The end of a round: the seeds of the next one, as a list, and what the next one is to know.

use super::Counter;
use super::round::{TAKEN_BACK, out_of_room};
use super::tasks::Tasks;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};

/// Words of the queue that one block works on.
pub const COLLECT_WORDS: u32 = 256;

/// Below so many seeds a round looks at all of them: a few more hardly take longer.
pub const MANY_SEEDS: u32 = 1 << 14;

kernel! {
    /// Lists the seeds in the queue and empties it and the set of winners, unless room ran out. The order of the list
    /// depends on who comes first; nothing else does. The last block ends the round: it is to be repeated if room ran
    /// out, and the next one can begin if there are seeds.
    pub struct Collect: Block {
        /// The seeds, a bit each.
        pub queue: GlobalMut<u32>,
        /// The winners, a bit each.
        pub won: GlobalMut<u32>,
        /// Where to list the seeds.
        pub list: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// The blocks, where they are of one thread each.
        pub tasks: Tasks,
        /// Room for records: when it ran out the round is repeated.
        pub records: u32,
        /// Rounds that end here: 1, or 0 if seeds are entered by themselves.
        pub rounds: u32,
        /// Whether the share of the seeds follows what has won ([`Counter::Share`]).
        pub adapts: u32,
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
        if counters.get(Counter::Stopped as u32) != 0 {
            return;
        }
        let repeat = out_of_room(counters, self.records);
        match (repeat, B::SOLO) {
            (true, _) => {}
            (_, true) => self.list_alone(block),
            _ => self.list(b, block, t),
        }
        let blocks = if B::SOLO {
            self.tasks.count()
        } else {
            self.queue.len().div_ceil(COLLECT_WORDS)
        };
        let arrived = counters.from(Counter::Arrived as u32 - 1);
        if b.arrive(arrived, blocks, t.scratch, || ()) {
            b.last_phase(|p| {
                p.lead(|| {
                    if repeat {
                        self.take_back();
                    } else {
                        self.end();
                    }
                });
            });
        }
    }
}

impl Collect {
    /// Lists the seeds of a block's words.
    #[inline(always)]
    fn list<B: Block>(&self, b: B, block: u32, t: &CollectTables) {
        let counters = self.counters;
        let first = block * COLLECT_WORDS;
        let n = (self.queue.len() - first).min(COLLECT_WORDS);
        let (queue, won) = (self.queue.from(first), self.won.from(first));
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
        b.each(n, |i| {
            self.list_word(first + i, t.place.get(0) + t.before.get(i));
        });
    }

    /// Lists the seeds of a task's words.
    #[inline(always)]
    fn list_alone(&self, task: u32) {
        let [first, end] = self.tasks.range(task, self.queue.len());
        let mut total = 0;
        let mut i = first;
        while i < end {
            total += self.queue.get(i).count_ones();
            self.won.set(i, 0);
            i += 1;
        }
        if total == 0 {
            return self.tasks.set_listed(task, [0; 2]);
        }
        let mut at = self.counters.fetch_add(Counter::List as u32, total);
        self.tasks.set_listed(task, [at, total]);
        i = first;
        while i < end {
            at = self.list_word(i, at);
            i += 1;
        }
    }

    /// Lists the seeds of a word from `at` on, and empties it; where the list ends.
    #[inline(always)]
    fn list_word(&self, word: u32, mut at: u32) -> u32 {
        let mut bits = self.queue.get(word);
        while bits != 0 {
            self.list.set(at, 32 * word + bits.trailing_zeros());
            bits &= bits - 1;
            at += 1;
        }
        self.queue.set(word, 0);
        at
    }

    #[inline(always)]
    fn counter(&self, counter: Counter) -> u32 {
        self.counters.get(counter as u32)
    }

    #[inline(always)]
    fn set(&self, counter: Counter, to: u32) {
        self.counters.set(counter as u32, to);
    }

    /// Stops before the round is repeated, which counts what this one has counted.
    #[inline(always)]
    fn take_back(&self) {
        let mut k = 0;
        while k < TAKEN_BACK {
            let ended = self.counters.get(Counter::Ended as u32 + k);
            self.counters.set(Counter::Candidates as u32 + k, ended);
            k += 1;
        }
        self.set(Counter::Stopped, 1);
    }

    /// Ends the round.
    #[inline(always)]
    fn end(&self) {
        // Added to by blocks of this launch.
        let seeds = self.counters.load(Counter::List as u32);
        if self.adapts != 0 {
            self.set(Counter::Share, self.next_share(seeds));
        }
        let mut k = 0;
        while k < TAKEN_BACK {
            let count = self.counters.get(Counter::Candidates as u32 + k);
            self.counters.set(Counter::Ended as u32 + k, count);
            k += 1;
        }
        self.set(Counter::Seeds, seeds);
        self.set(Counter::List, 0);
        self.set(Counter::Winners, 0);
        self.set(Counter::Records, 0);
        self.set(Counter::Claimed, 0);
        self.set(Counter::Wanting, 0);
        let rounds = self.counter(Counter::Rounds).wrapping_add(self.rounds);
        self.set(Counter::Rounds, rounds);
        let pause = self.counter(Counter::Pause);
        self.set(Counter::Pause, 0);
        self.set(Counter::Stopped, u32::from(seeds == 0 || pause != 0));
    }

    /// The part of the seeds that the next round should look at, of 2^32.
    ///
    /// Of `x` candidates that exclude each other one wins, so that about `1 / x` of the candidates win when `x` is
    /// large. Looking at 3 of them finds it in 95 of 100 cases (`1 - exp(-3)`).
    #[inline(always)]
    fn next_share(&self, seeds: u32) -> u32 {
        let counted = |c: Counter| {
            let ended = Counter::Ended as u32 + (c as u32 - Counter::Candidates as u32);
            self.counter(c).wrapping_sub(self.counters.get(ended))
        };
        let candidates = counted(Counter::Candidates);
        if seeds < MANY_SEEDS || candidates == 0 {
            return u32::MAX;
        }
        let done = candidates - counted(Counter::Conflicts) - counted(Counter::NoDisk);
        let share =
            u64::from(self.counter(Counter::Share)) * u64::from(done) / u64::from(candidates);
        (share * 16 / 5).clamp(1 << 26, u64::from(u32::MAX)) as u32
    }
}
