//! Rounds of few seeds, several in one launch.

use super::claim::ClaimShared;
use super::collect::{COLLECT_WORDS, CollectTables};
use super::fill::Holes;
use super::resolve::ResolveTables;
use super::round::{Counter, RANK_WORDS};
use super::{
    CLAIM_ITEMS, Claim, ClaimTables, Collect, FillIn, Operator, RankChunks, RankWords, Resolve,
    Round, RoundEnd,
};
use crate::exec::Block;
use crate::kernel::{BlockKernel, GridKernel, Next};
use crate::mem::{GlobalMut, Plan};

/// Increment of the salt of hashes from round to round.
pub const SALT: u32 = 0x9e37_79b9;

crate::args! {
    /// Rounds of an operator, each in the steps that otherwise are launches: [`Claim`], [`Resolve`], [`RankWords`] and
    /// [`RankChunks`] for operators that need slots, [`FillIn`], [`Collect`]. If few seeds are left a launch takes
    /// longer than its work, and rounds that the host has asked for in vain cost as much as others.
    ///
    /// Operators that need no slots list the seeds of the next round as they enter them, and the last block to fill in
    /// ends the round. Such rounds leave their seeds as bits too, for listing after this launch. If few are left, one
    /// block continues by itself.
    pub struct Rounds<O> {
        /// Last step but one, and with it the first round, without its list. In each round that follows the epoch is
        /// one less and the salt [`SALT`] more, of which filling in knows nothing.
        pub fill: FillIn<O>,
        /// Tables of claims.
        pub claims: ClaimTables,
        /// Seeds of the first round, unless all elements are, and then of the others.
        pub list: GlobalMut<u32>,
        /// Seeds of every other round, where rounds list them by themselves.
        pub other: GlobalMut<u32>,
        /// Most seeds of a round with which one block continues by itself.
        pub few: u32,
    }
}

/// Returns `true` if such rounds list their seeds by themselves.
pub const fn lists_seeds<O: Operator>() -> bool {
    O::GROWTH.is_none()
}

/// Returns the number of steps of a round.
pub const fn steps_of_round<O: Operator>() -> u32 {
    if lists_seeds::<O>() { 3 } else { 6 }
}

/// Shared memory of [`Rounds`].
#[derive(Clone, Copy)]
pub struct RoundsTables {
    claim: ClaimShared,
    resolve: ResolveTables,
    fill: Holes,
    collect: CollectTables,
    rank_words: Option<<RankWords as BlockKernel>::Tables>,
    rank_chunks: Option<<RankChunks as BlockKernel>::Tables>,
}

// SAFETY: each step is a separate kernel, whose contracts hold; the last block of one tells the others by counters that
// they read in the next step (contracts U1 to U4).
unsafe impl<O: Operator> GridKernel for Rounds<O> {
    // As many as fill a hole's corners together in `FillIn`.
    const THREADS: u32 = <FillIn<O> as BlockKernel>::THREADS;
    type Tables = RoundsTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> RoundsTables {
        let round = self.round(0);
        let grows = !O::GROWTH.is_none();
        RoundsTables {
            claim: self.claim(round, 1).carve(plan),
            resolve: self.resolve(round, 1).carve(plan),
            fill: self.fill.carve(plan),
            collect: self.collect().carve(plan),
            rank_words: grows.then(|| self.rank_words().carve(plan)),
            rank_chunks: grows.then(|| self.rank_chunks().carve(plan)),
        }
    }

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, t: &RoundsTables) -> Next {
        if !O::TOGETHER {
            return Next::End;
        }
        let steps = steps_of_round::<O>();
        let round = self.round(step / steps);
        let alone = self.is_alone(step / steps);
        if alone && block != 0 {
            return Next::End;
        }
        let blocks = if alone { 1 } else { self.fill.blocks };
        match (step % steps, t.rank_words, t.rank_chunks) {
            (0, _, _) => {
                // As the round before has left it.
                if round.counter(Counter::Stopped) != 0 {
                    return Next::End;
                }
                let claim = self.claim(round, blocks);
                claim.run_as::<B, true>(b, block, &t.claim);
            }
            (1, _, _) => self.resolve(round, blocks).run(b, block, &t.resolve),
            (2, Some(tables), _) => {
                let words = self.rank_words();
                self.each_part(b, block, words.won.len().div_ceil(RANK_WORDS), |part| {
                    words.run(b, part, &tables);
                });
            }
            (3, _, Some(tables)) => {
                if block == 0 {
                    self.rank_chunks().run(b, 0, &tables);
                }
            }
            (step, _, _) if lists_seeds::<O>() || step + 2 == steps => {
                let fill = FillIn {
                    round,
                    blocks,
                    ..self.fill
                };
                fill.run(b, block, &t.fill);
                if lists_seeds::<O>() {
                    self.end(b, round, blocks, t);
                }
            }
            _ => {
                let collect = self.collect();
                let parts = collect.queue.len().div_ceil(COLLECT_WORDS);
                self.each_part(b, block, parts, |part| collect.run(b, part, &t.collect));
            }
        }
        if alone { Next::Alone } else { Next::Together }
    }
}

impl<O: Operator> Rounds<O> {
    /// Runs a block's share of `parts` blocks of another kernel, one after the other.
    #[inline(always)]
    fn each_part<B: Block>(&self, b: B, block: u32, parts: u32, run: impl Fn(u32)) {
        let mut part = block;
        while part < parts {
            run(part);
            // The next one uses the same shared memory.
            b.each(0, |_| {});
            part += self.fill.blocks;
        }
    }

    /// Returns `true` if one block continues by itself in round `k`. All see the same: that block does not write the
    /// word any more.
    #[inline(always)]
    fn is_alone(&self, k: u32) -> bool {
        lists_seeds::<O>()
            && (self.fill.blocks == 1 || k > 0 && self.fill.round.counter(Counter::Alone) != 0)
    }

    /// Ends a round that has listed the seeds of the next one; a round that is to be repeated puts its own back in
    /// their place, as bits.
    #[inline(always)]
    fn end<B: Block>(&self, b: B, round: Round, blocks: u32, t: &RoundsTables) {
        let (end, counters) = (self.collect().end, round.counters);
        let repeats = end.repeats();
        if !b.arrive(end.arrived(), blocks, t.collect.scratch, || ()) {
            return;
        }
        if repeats {
            // Other blocks have written them in this step.
            b.each(counters.load(Counter::List as u32), |i| {
                round.leave(round.next.load(i));
            });
            if round.all == 0 {
                b.each(round.seeds(), |i| {
                    let seed = round.seed(i);
                    round.queue.fetch_or(seed / 32, 1 << (seed % 32));
                });
            }
        }
        b.last_phase(|p| {
            p.lead(|| {
                end.finish(repeats);
                if blocks > 1 {
                    let few = round.counter(Counter::Seeds) <= self.few;
                    counters.set(Counter::Alone as u32, u32::from(few));
                }
            });
        });
    }

    #[inline(always)]
    fn round(&self, k: u32) -> Round {
        let (list, next) = match k % 2 {
            _ if !lists_seeds::<O>() => (self.list, GlobalMut::empty()),
            0 => (self.list, self.other),
            _ => (self.other, self.list),
        };
        Round {
            list: list.read(),
            next,
            epoch: self.fill.round.epoch - k,
            salt: self.fill.round.salt.wrapping_add(SALT.wrapping_mul(k)),
            all: if k == 0 { self.fill.round.all } else { 0 },
            ..self.fill.round
        }
    }

    #[inline(always)]
    fn claim(&self, round: Round, blocks: u32) -> Claim<O> {
        Claim {
            op: self.fill.op,
            mesh: self.fill.mesh,
            claims: self.claims,
            round,
            items: CLAIM_ITEMS[1],
            blocks,
            sieved: 0,
        }
    }

    #[inline(always)]
    fn resolve(&self, round: Round, blocks: u32) -> Resolve<O> {
        Resolve {
            op: self.fill.op,
            mesh: self.fill.mesh,
            claims: self.claims,
            round,
            blocks,
        }
    }

    #[inline(always)]
    fn rank_words(&self) -> RankWords {
        RankWords {
            won: self.fill.round.won.read(),
            ranks: self.fill.ranks,
            totals: self.fill.chunks,
        }
    }

    #[inline(always)]
    fn rank_chunks(&self) -> RankChunks {
        RankChunks {
            totals: self.fill.chunks,
            counters: self.fill.round.counters,
            records: self.fill.round.records.len(),
            vertices: self.fill.vertices,
            edges: self.fill.edges,
            faces: self.fill.faces,
            grow_vertices: 0,
            grow_edges: 0,
            grow_faces: 0,
        }
        .growth(O::GROWTH)
    }

    #[inline(always)]
    fn collect(&self) -> Collect {
        Collect {
            queue: self.fill.round.queue,
            won: self.fill.round.won,
            end: RoundEnd {
                list: self.list,
                counters: self.fill.round.counters,
                tasks: self.fill.round.tasks,
                records: self.fill.round.records.len(),
                rounds: 1,
                adapts: u32::from(O::SHARE < 1.0),
            },
        }
    }
}
