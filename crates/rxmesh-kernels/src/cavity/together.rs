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
use crate::kernel::{BlockKernel, GridKernel};
use crate::mem::{GlobalMut, Plan};

/// What comes to the salt of hashes from round to round.
pub const SALT: u32 = 0x9e37_79b9;

crate::args! {
    /// Rounds of an operator, each in the steps that otherwise are launches: [`Claim`], [`Resolve`], [`RankWords`] and
    /// [`RankChunks`] for operators that need slots, [`FillIn`], [`Collect`]. Where few seeds are left a launch takes
    /// longer than its work, and rounds that the host has asked for in vain cost as much as others.
    pub struct Rounds<O> {
        /// The last step but one, and with it the first round, without its list. In each round that follows the epoch
        /// is one less and the salt [`SALT`] more, of which filling in knows nothing.
        pub fill: FillIn<O>,
        /// The claims.
        pub claims: ClaimTables,
        /// The seeds of the first round, unless all elements are, and then of the others.
        pub list: GlobalMut<u32>,
    }
}

/// Steps of a round.
pub const fn steps_of_round<O: Operator>() -> u32 {
    if O::GROWTH.is_none() { 4 } else { 6 }
}

/// What [`Rounds`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct RoundsTables {
    claim: ClaimShared,
    resolve: ResolveTables,
    fill: Holes,
    collect: CollectTables,
    rank_words: Option<<RankWords as BlockKernel>::Tables>,
    rank_chunks: Option<<RankChunks as BlockKernel>::Tables>,
}

// SAFETY: each step is a kernel of its own, whose contracts hold; what the last block of one tells the others lies in
// counters that they read in the next step (contracts U1 to U4).
unsafe impl<O: Operator> GridKernel for Rounds<O> {
    // As many as fill a hole's corners together in `FillIn`.
    const THREADS: u32 = <FillIn<O> as BlockKernel>::THREADS;
    type Tables = RoundsTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> RoundsTables {
        let round = self.round(0);
        let grows = !O::GROWTH.is_none();
        RoundsTables {
            claim: self.claim(round).carve(plan),
            resolve: self.resolve(round).carve(plan),
            fill: self.fill.carve(plan),
            collect: self.collect().carve(plan),
            rank_words: grows.then(|| self.rank_words().carve(plan)),
            rank_chunks: grows.then(|| self.rank_chunks().carve(plan)),
        }
    }

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, t: &RoundsTables) -> bool {
        if !O::TOGETHER {
            return false;
        }
        let steps = steps_of_round::<O>();
        let round = self.round(step / steps);
        match (step % steps, t.rank_words, t.rank_chunks) {
            (0, _, _) => {
                // As the round before has left it.
                if round.counter(Counter::Stopped) != 0 {
                    return false;
                }
                self.claim(round).run_as::<B, true>(b, block, &t.claim);
            }
            (1, _, _) => self.resolve(round).run(b, block, &t.resolve),
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
            (step, _, _) if step + 2 == steps => self.fill.run(b, block, &t.fill),
            _ => {
                let collect = self.collect();
                let parts = collect.queue.len().div_ceil(COLLECT_WORDS);
                self.each_part(b, block, parts, |part| collect.run(b, part, &t.collect));
            }
        }
        true
    }
}

impl<O: Operator> Rounds<O> {
    /// Runs a block's share of so many blocks of another kernel, one after the other.
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

    #[inline(always)]
    fn round(&self, k: u32) -> Round {
        Round {
            list: self.list.read(),
            epoch: self.fill.round.epoch - k,
            salt: self.fill.round.salt.wrapping_add(SALT.wrapping_mul(k)),
            all: if k == 0 { self.fill.round.all } else { 0 },
            ..self.fill.round
        }
    }

    #[inline(always)]
    fn claim(&self, round: Round) -> Claim<O> {
        Claim {
            op: self.fill.op,
            mesh: self.fill.mesh,
            claims: self.claims,
            round,
            items: CLAIM_ITEMS[1],
            blocks: self.fill.blocks,
            sieved: 0,
        }
    }

    #[inline(always)]
    fn resolve(&self, round: Round) -> Resolve<O> {
        Resolve {
            op: self.fill.op,
            mesh: self.fill.mesh,
            claims: self.claims,
            round,
            blocks: self.fill.blocks,
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
