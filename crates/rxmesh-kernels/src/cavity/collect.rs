//! The end of a round: the seeds of the next one, as a list, and its share.

use super::Counter;
use super::round::{TAKEN_BACK, out_of_room};
use super::tasks::Tasks;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::{args, kernel};

/// Words of the queue that one block works on.
pub const COLLECT_WORDS: u32 = 256;

/// Number of seeds below which a round considers all of them: a few more hardly take longer.
pub const MANY_SEEDS: u32 = 1 << 14;

args! {
    /// End of a round: the seeds of the next one are listed, and the last block decides if there is one.
    pub struct RoundEnd {
        /// Destination of the listed seeds.
        pub list: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Shares of the round for blocks of one thread.
        pub tasks: Tasks,
        /// Capacity for records: if it was exceeded the round is repeated.
        pub records: u32,
        /// Rounds that end here: 1, or 0 if seeds are entered by themselves.
        pub rounds: u32,
        /// Nonzero if the share of the seeds follows the number of winners ([`Counter::Share`]).
        pub adapts: u32,
    }
}

kernel! {
    /// Lists the seeds in the queue and empties it and the set of winners, unless a capacity was exceeded. The order of
    /// the list depends on the order of threads; nothing else does. The last block ends the round: it is to be repeated
    /// if a capacity was exceeded, and the next one can begin if there are seeds.
    pub struct Collect: Block {
        /// Seeds, a bit each.
        pub queue: GlobalMut<u32>,
        /// Winners, a bit each.
        pub won: GlobalMut<u32>,
        /// End of the round.
        pub end: RoundEnd,
    }
}

/// Shared memory of listing.
#[derive(Clone, Copy)]
pub struct CollectTables {
    before: Shared<u32>,
    place: Shared<u32>,
    pub(crate) scratch: Shared<u32>,
}

impl CollectTables {
    /// Reserves space for `words` words.
    #[inline(always)]
    pub(crate) fn carve(plan: &mut Plan, words: u32) -> CollectTables {
        CollectTables {
            before: plan.take(words),
            place: plan.take(1),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for Collect {
    type Tables = CollectTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CollectTables {
        CollectTables::carve(plan, COLLECT_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &CollectTables) {
        let end = &self.end;
        if end.counters.get(Counter::Stopped as u32) != 0 {
            return;
        }
        let repeats = end.repeats();
        match (repeats, B::SOLO) {
            (true, _) => {}
            (_, true) => self.list_alone(block),
            _ => self.list(b, block, t),
        }
        let blocks = if B::SOLO {
            end.tasks.count()
        } else {
            self.queue.len().div_ceil(COLLECT_WORDS)
        };
        if b.arrive(end.arrived(), blocks, t.scratch, || ()) {
            b.last_phase(|p| p.lead(|| end.finish(repeats)));
        }
    }
}

impl Collect {
    /// Lists the seeds of a block's words.
    #[inline(always)]
    fn list<B: Block>(&self, b: B, block: u32, t: &CollectTables) {
        let first = block * COLLECT_WORDS;
        let n = (self.queue.len() - first).min(COLLECT_WORDS);
        let (queue, won) = (self.queue.from(first), self.won.from(first));
        self.end.list(b, first, n, t, |i| queue.get(i));
        b.each(n, |i| {
            queue.set(i, 0);
            won.set(i, 0);
        });
    }

    /// Lists the seeds of a task's words.
    #[inline(always)]
    fn list_alone(&self, task: u32) {
        let [first, end] = self.end.tasks.range(task, self.queue.len());
        let mut listed = 0;
        let mut i = first;
        while i < end {
            listed = self.end.list_word(i, self.queue.get(i), first, listed);
            self.queue.set(i, 0);
            self.won.set(i, 0);
            i += 1;
        }
        self.end.tell_listed(task, first, listed);
    }
}

impl RoundEnd {
    /// Returns `true` if the round is to be repeated.
    #[inline(always)]
    pub(crate) fn repeats(&self) -> bool {
        out_of_room(self.counters, self.records)
    }

    /// Returns the words in which blocks arrive.
    #[inline(always)]
    pub(crate) fn arrived(&self) -> GlobalMut<u32> {
        self.counters.from(Counter::Arrived as u32 - 1)
    }

    /// Lists the seeds of `n` words of a set from `first` on, of which `word` is the number among them.
    #[inline(always)]
    pub(crate) fn list<B: Block>(
        &self,
        b: B,
        first: u32,
        n: u32,
        t: &CollectTables,
        word: impl Fn(u32) -> u32,
    ) {
        b.each(n, |i| t.before.set(i, word(i).count_ones()));
        let total = b.scan(t.before, n, t.scratch);
        if total == 0 {
            return;
        }
        b.lead(|| {
            let place = self.counters.fetch_add(Counter::List as u32, total);
            t.place.set(0, place);
        });
        b.each(n, |i| {
            self.list_bits(first + i, word(i), t.place.get(0) + t.before.get(i));
        });
    }

    /// Lists the seeds of a word of a task, whose words begin with `first`, after those that it has listed. A task has
    /// space for all seeds of its words. Returns the number that it has listed then.
    #[inline(always)]
    pub(crate) fn list_word(&self, word: u32, bits: u32, first: u32, listed: u32) -> u32 {
        self.list_bits(word, bits, 32 * first + listed);
        listed + bits.count_ones()
    }

    /// Sets the number of seeds that a task has listed, whose words begin with `first`.
    #[inline(always)]
    pub(crate) fn tell_listed(&self, task: u32, first: u32, listed: u32) {
        self.tasks.set_listed(task, [32 * first, listed]);
        if listed > 0 {
            self.counters.fetch_add(Counter::List as u32, listed);
        }
    }

    /// Lists the seeds of a word from `at` on.
    #[inline(always)]
    fn list_bits(&self, word: u32, mut bits: u32, mut at: u32) {
        while bits != 0 {
            self.list.set(at, 32 * word + bits.trailing_zeros());
            bits &= bits - 1;
            at += 1;
        }
    }

    /// Ends the round, or stops before it is repeated.
    #[inline(always)]
    pub(crate) fn finish(&self, repeats: bool) {
        if repeats {
            self.take_back();
        } else {
            self.end();
        }
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

    /// Returns the part of the seeds that the next round should consider, of 2^32.
    ///
    /// One of `x` candidates that exclude each other wins, so that about `1 / x` of the candidates win if `x` is large.
    /// A round that considers 3 in `x` finds it in 95 of 100 cases (`1 - exp(-3)`).
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
