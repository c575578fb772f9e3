//! Limits on the collapses of a round, for each of several meshes.

use super::{BATCH_BLOCKS, Batched, CHUNK, MeshCount, WINNERS, part_word};
use crate::algo::improve::simplify::Course;
use crate::cavity::{ClaimTables, Counter, LimitTables, Round, keep_first};
use crate::edit::NONE;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::{args, kernel};

args! {
    /// Winners of a round by mesh.
    pub struct Winning {
        /// Labels and counts of the meshes.
        pub batch: Batched,
        /// State of the round.
        pub round: Round,
        /// See [`Course`], of which [`Course::Excess`] is set.
        pub course: GlobalMut<u32>,
        /// Winners by mesh.
        pub list: GlobalMut<u32>,
    }
}

impl Winning {
    /// Returns the mesh of winner `i`, if that was not refused.
    #[inline(always)]
    fn part(&self, i: u32) -> Option<u32> {
        let seed = self.round.winners.get(2 * i);
        (seed != NONE).then(|| self.batch.labels.get(seed))
    }

    /// Returns the number of a mesh's winners that may stay.
    #[inline(always)]
    fn most(&self, part: u32) -> u32 {
        self.batch.left(part).div_ceil(2)
    }

    /// Calls `look` with each winner of a block and its mesh.
    #[inline(always)]
    pub(super) fn each<B: Block>(&self, b: B, block: u32, look: impl Fn(u32, u32)) {
        let n = self.round.counter(Counter::Winners);
        let mut first = block * WINNERS;
        while first < n {
            b.each((n - first).min(WINNERS), |i| {
                if let Some(part) = self.part(first + i) {
                    look(first + i, part);
                }
            });
            first += BATCH_BLOCKS * WINNERS;
        }
    }
}

kernel! {
    /// Counts the winners of each mesh between resolve and fill-in, in [`BATCH_BLOCKS`] blocks. The last block finds if
    /// a mesh has more of them than faces that may go, and then reserves their places in a list by mesh.
    pub struct BatchWinners: Block {
        /// Winners of the round.
        pub winning: Winning,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for BatchWinners {
    const THREADS: u32 = WINNERS;
    type Tables = (Shared<u32>, Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(CHUNK), plan.take(SCRATCH_WORDS), plan.take(2))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch, carry): &Self::Tables) {
        let (w, batch) = (&self.winning, &self.winning.batch);
        if w.round.stopped() {
            return;
        }
        w.each(b, block, |_, part| {
            batch
                .parts
                .fetch_add(part_word(part, MeshCount::Winners), 1);
        });
        let arrived = w.round.counters.from(Counter::Arrived as u32 - 1);
        if !b.arrive(arrived, BATCH_BLOCKS, scratch, || ()) {
            return;
        }
        let winners = |part| batch.parts.load(part_word(part, MeshCount::Winners));
        let excess = b.any(batch.count, scratch, |part| winners(part) > w.most(part));
        b.lead(|| {
            w.course.set(Course::Excess as u32, u32::from(excess));
            carry.set(1, 0);
        });
        let mut first = 0;
        while first < batch.count {
            let n = (batch.count - first).min(CHUNK);
            b.each(n, |i| here.set(i, winners(first + i)));
            let total = b.scan(here, n, scratch);
            let before = carry.get(1);
            b.each(n, |i| {
                batch.set(first + i, MeshCount::First, before + here.get(i));
                // The list counts them again; without a list they are dropped.
                batch.set(first + i, MeshCount::Winners, 0);
            });
            b.lead(|| carry.set(1, before + total));
            first += CHUNK;
        }
    }
}

kernel! {
    /// Lists the winners by mesh, after [`BatchWinners`] and in the same number of blocks, if one has too many.
    pub struct BatchList: Block {
        /// Winners of the round.
        pub winning: Winning,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for BatchList {
    const THREADS: u32 = WINNERS;
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &mut Plan) {}

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, (): &()) {
        let (w, batch) = (&self.winning, &self.winning.batch);
        if w.round.stopped() || w.course.get(Course::Excess as u32) == 0 {
            return;
        }
        w.each(b, block, |i, part| {
            let place = batch
                .parts
                .fetch_add(part_word(part, MeshCount::Winners), 1);
            w.list.set(batch.get(part, MeshCount::First) + place, i);
        });
    }
}

kernel! {
    /// Keeps, after [`BatchList`], one block per mesh, as many of its winners as may go, those with the smallest keys,
    /// and enters the others for the next round.
    pub struct BatchLimit: Block {
        /// Winners of the round.
        pub winning: Winning,
        /// Claims; their values on the elements that a winner holds are its key.
        pub claims: ClaimTables,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for BatchLimit {
    type Tables = LimitTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> LimitTables {
        LimitTables::carve(plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, part: u32, t: &LimitTables) {
        let w = &self.winning;
        if w.round.stopped() || w.course.get(Course::Excess as u32) == 0 {
            return;
        }
        let (n, most) = (w.batch.get(part, MeshCount::Winners), w.most(part));
        let list = w.list.from(w.batch.get(part, MeshCount::First));
        if n > most {
            keep_first(b, t, &w.round, &self.claims, [n, most], |i| list.get(i));
        }
        b.last_phase(|p| p.lead(|| w.batch.set(part, MeshCount::Winners, 0)));
    }
}
