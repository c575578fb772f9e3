//! First test of the seeds of a round, for operators with few candidates.

use super::is_wanting;
use crate::cavity::round::{Counter, Round};
use crate::cavity::template::face_of;
use crate::cavity::{Operator, Seed, Sieves, Template};
use crate::edit::{FlatMesh, NO_FACE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};

/// Seeds that one block of [`Want`] tests at a time.
pub const WANT_ITEMS: u32 = 128;

crate::args! {
    /// Lists the candidates among the seeds, before [`Claim`](super::Claim), for operators with few of them
    /// ([`Operator::SIEVES`]): with a question that is cheap and has as many threads as there are seeds, the launch
    /// after it has full warps.
    pub struct Want<O> {
        /// Operator to run.
        pub op: O,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// State of the round.
        pub round: Round,
        /// Candidates.
        pub wanting: GlobalMut<u32>,
        /// Blocks of the launch: each takes [`WANT_ITEMS`] seeds after the other.
        pub blocks: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<O: Operator> BlockKernel for Want<O> {
    const THREADS: u32 = WANT_ITEMS;
    type Tables = WantShared;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> WantShared {
        WantShared {
            left: plan.take(WANT_ITEMS + 1),
            flags: plan.take(WANT_ITEMS),
            place: plan.take(1),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &WantShared) {
        if O::SIEVES == Sieves::Never {
            return;
        }
        let round = &self.round;
        let all = round.seeds();
        let mut first = block * WANT_ITEMS;
        while first < all {
            let n = (all - first).min(WANT_ITEMS);
            let wanting = b.compact(n, t.left, t.flags, t.scratch, |i| {
                self.lets_pass(round.seed(first + i))
            });
            if wanting > 0 {
                b.lead(|| {
                    let place = round.counters.fetch_add(Counter::Wanting as u32, wanting);
                    t.place.set(0, place);
                });
                b.each(wanting, |k| {
                    let seed = round.seed(first + t.left.get(k));
                    self.wanting.set(t.place.get(0) + k, seed);
                });
            }
            first += self.blocks * WANT_ITEMS;
        }
    }
}

impl<O: Operator> Want<O> {
    /// Returns `true` if a seed may be a candidate.
    #[inline(always)]
    fn lets_pass(&self, seed: u32) -> bool {
        let mesh = &self.mesh;
        is_wanting(&self.op, mesh, &self.round, seed)
            && (O::SIEVES == Sieves::Every
                || face_of::<<O::Template as Template>::Seed>(mesh, seed) != NO_FACE
                    && self.op.candidate(mesh, Seed::<O>::new(seed)).is_some())
    }
}

/// Shared memory of [`Want`].
#[derive(Clone, Copy)]
pub struct WantShared {
    /// Items that are candidates.
    left: Shared<u32>,
    flags: Shared<u32>,
    place: Shared<u32>,
    scratch: Shared<u32>,
}
