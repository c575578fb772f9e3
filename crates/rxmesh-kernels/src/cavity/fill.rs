//! Last launch of a round that changes the mesh: cuts the winners' cavities and fills them.

use super::hole::{Hole, Star};
use super::record::Cavity;
use super::round::{Counter, RANK_WORDS, Round, Slots, is_at_hand};
use super::site::{FlatSite, Reserved};
use super::{BIRTH_WORDS, Operator};
use crate::edit::{FlatMesh, HalfEdgeMeshMut, NONE};
use crate::exec::Block;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};

/// Most blocks of [`FillIn`]: the number that a large GPU runs at a time.
pub const FILL_BLOCKS: u32 = 2112;

/// Threads of a block of [`FillIn`].
const THREADS: u32 = 128;

/// Threads that fill a hole together, with a star ([`Operator::STAR`]): about the number of corners of its boundary
/// loop.
const LANES: u32 = 8;

/// Number of winners ahead for which a block of one thread prefetches the elements that are cut and filled.
const AHEAD: u32 = 4;

/// Holes that a block fills together.
const HOLES: u32 = THREADS / LANES;

crate::args! {
    /// Cuts and fills the cavities of the winners. Each block takes some of them one after the other, because the host
    /// does not know their number.
    ///
    /// A star is filled by several threads: the accesses that a hole waits for, one after the other, are those of its
    /// boundary loop.
    pub struct FillIn<O> {
        /// Operator to run.
        pub op: O,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// State of the round.
        pub round: Round,
        /// Winners before each word of their bit set, in its chunk. Read here; the steps of [`Rounds`](super::Rounds)
        /// before this one write them.
        pub ranks: GlobalMut<u32>,
        /// Winners before each chunk, likewise.
        pub chunks: GlobalMut<u32>,
        /// Free vertices.
        pub vertices: Slots,
        /// Free edges.
        pub edges: Slots,
        /// Free faces.
        pub faces: Slots,
        /// Blocks of the launch.
        pub blocks: u32,
    }
}

/// Data of each hole in shared memory.
#[derive(Clone, Copy)]
pub struct Holes {
    /// Seed of the hole, or [`NONE`] if nothing is left to do.
    seed: Shared<u32>,
    centre: Shared<u32>,
    patch: Shared<u32>,
    /// See [`Operator::centre`].
    told: Shared<u32>,
}

// SAFETY: winners own the elements that they delete and the inner side of the boundary loop; of one hole each thread
// writes the words that belong to its corners, separate faces among them ([`Operator::STAR`]), in phases that barriers
// part; indices are the launch's (contracts U1 to U4).
unsafe impl<O: Operator> BlockKernel for FillIn<O> {
    const THREADS: u32 = THREADS;
    type Tables = Holes;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Holes {
        let n = if O::STAR { HOLES } else { 0 };
        Holes {
            seed: plan.take(n),
            centre: plan.take(n),
            patch: plan.take(n),
            told: plan.take(n),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &Holes) {
        let round = &self.round;
        if round.stopped() {
            return;
        }
        if B::SOLO {
            return self.fill_alone(block);
        }
        let all = round.counter(Counter::Winners);
        let most = if O::STAR { HOLES } else { THREADS };
        let mut first = block * most;
        while first < all {
            let n = (all - first).min(most);
            if O::STAR {
                self.share(b, first, n, t);
            } else {
                b.each(n, |k| {
                    self.whole(first + k);
                });
            }
            first += self.blocks * most;
        }
    }
}

impl<O: Operator> FillIn<O> {
    /// Fills the holes of a task: one thread alone cannot share one.
    #[inline(always)]
    fn fill_alone(&self, task: u32) {
        let (round, tasks) = (&self.round, &self.round.tasks);
        let n = tasks.winners(task);
        let [first, _] = tasks.range(task, round.seeds());
        let winner = |k: u32| round.pending.get(2 * (first + k));
        let asks = !is_at_hand(&self.mesh);
        let mut k = 0;
        while k < n {
            if asks && k + AHEAD < n {
                self.ask(winner(k + AHEAD));
            }
            if let Some(cavity) = self.whole(winner(k)) {
                self.op.settle(&cavity);
            }
            k += 1;
        }
    }

    /// Returns the number of blocks for `winners` winners at most.
    pub fn blocks(winners: u32) -> u32 {
        let each = if O::STAR { HOLES } else { THREADS };
        winners.div_ceil(each).min(FILL_BLOCKS)
    }

    /// Fills the holes of `n` winners from `first` on, with several threads for each.
    #[inline(always)]
    fn share<B: Block>(&self, b: B, first: u32, n: u32, t: &Holes) {
        b.each(n, |k| {
            t.seed.set(k, NONE);
            let Some(cavity) = self.cavity(first + k) else {
                return;
            };
            let plan = self.op.plan(&cavity);
            if self.is_abandoned(&cavity, &plan) {
                return;
            }
            let mut hole = Hole::uncut(cavity, O::GROWTH.births());
            let (centre, told) = self.op.centre(plan, &mut hole);
            if !hole.is_sound() || !Star::fits(&cavity) {
                self.round.count(Counter::Broken, 1);
                return;
            }
            t.seed.set(k, cavity.seed());
            t.centre.set(k, centre.id());
            t.told.set(k, told);
            t.patch.set(k, cavity.mesh().label(cavity.face(0)));
        });
        let star = |i: u32| {
            let k = i / LANES;
            let seed = t.seed.get(k);
            (seed != NONE).then(|| Star {
                cavity: Cavity::new(self.site(first + k, seed), seed),
                centre: t.centre.get(k),
                patch: t.patch.get(k),
            })
        };
        b.each(LANES * n, |i| {
            if let Some(star) = star(i) {
                star.cut(i % LANES, LANES);
            }
        });
        b.each(LANES * n, |i| {
            if let Some(star) = star(i) {
                star.fill(&self.op, t.told.get(i / LANES), i % LANES, LANES);
            }
        });
    }

    /// Cuts and fills the cavity of winner `i`, if it has one.
    #[inline(always)]
    fn whole(&self, i: u32) -> Option<Cavity<FlatSite<'_>>> {
        let cavity = self.cavity(i)?;
        let plan = self.op.plan(&cavity);
        if self.is_abandoned(&cavity, &plan) {
            return None;
        }
        let mut hole = Hole::cut(cavity, O::GROWTH.births());
        self.op.fill(plan, &mut hole);
        if O::LEAVES_HOLE {
            hole.close::<true>();
        } else {
            hole.close::<false>();
        }
        Some(cavity)
    }

    /// Returns `true` if the operator gives a cavity up, and counts it. Its reserved slots stay free until they are
    /// listed again.
    #[inline(always)]
    fn is_abandoned(&self, cavity: &Cavity<FlatSite<'_>>, plan: &O::Plan) -> bool {
        let abandoned = O::ABANDONS && self.op.abandons(cavity, plan);
        if abandoned {
            self.round.count(Counter::Abandoned, 1);
        }
        abandoned
    }

    /// Returns the cavity of winner `i`, unless it was refused. It has no births yet.
    #[inline(always)]
    fn cavity(&self, i: u32) -> Option<Cavity<FlatSite<'_>>> {
        let round = &self.round;
        if !round.births.is_empty() {
            let each = O::GROWTH.births();
            let mut k = 0;
            while k < each {
                round.births.set(BIRTH_WORDS * (each * i + k), NONE);
                k += 1;
            }
        }
        let seed = round.winners.get(2 * i);
        (seed != NONE).then(|| Cavity::new(self.site(i, seed), seed))
    }

    /// Prefetches the elements that the cavity of winner `i` deletes and its boundary loop: see [`Cavity::ask`] and
    /// [`Operator::ask_corner`].
    #[inline(always)]
    fn ask(&self, i: u32) {
        let seed = self.round.winners.get(2 * i);
        if seed == NONE {
            return;
        }
        let cavity = Cavity::new(self.site(i, seed), seed);
        cavity.ask();
        let mut k = 0;
        while k < cavity.corners() {
            self.op.ask_corner(cavity.corner(k));
            k += 1;
        }
    }

    /// Returns the site at which the cavity of winner `i` is cut.
    #[inline(always)]
    fn site(&self, i: u32, seed: u32) -> FlatSite<'_> {
        let round = &self.round;
        FlatSite {
            mesh: &self.mesh,
            round,
            record: round.records.from(round.winners.get(2 * i + 1)),
            reserved: (!O::GROWTH.is_none()).then(|| self.reserved(seed)),
            births: O::GROWTH.births() * i,
        }
    }

    /// Returns the slots that are reserved for a winner.
    #[inline(always)]
    fn reserved(&self, seed: u32) -> Reserved<'_> {
        let rank = self.rank(seed);
        let room = O::GROWTH.by_kind();
        let base =
            |k: u32| self.round.counters.get(Counter::Base as u32 + k) + rank * room[k as usize];
        Reserved {
            slots: [&self.vertices, &self.edges, &self.faces],
            base: [base(0), base(1), base(2)],
            room,
        }
    }

    /// Returns the number of winners with smaller seeds.
    #[inline(always)]
    fn rank(&self, seed: u32) -> u32 {
        let word = seed / 32;
        let below = self.round.won.get(word) & ((1 << (seed % 32)) - 1);
        self.chunks.get(word / RANK_WORDS) + self.ranks.get(word) + below.count_ones()
    }
}
