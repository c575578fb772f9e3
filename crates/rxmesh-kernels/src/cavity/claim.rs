//! First launches of a round: who wants a change, and claims all that it needs.

use super::round::{Counter, Round, each_corner, faces, lives};
use super::template::face_of;
use super::{ClaimTables, Key, Operator, Priority, Seed, Template};
use crate::edit::{FlatMesh, Mesh, NO_FACE, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};

/// The least and the most seeds that one block of [`Claim`] looks at at a time: a warp has what is left of them.
pub const CLAIM_ITEMS: [u32; 2] = [32, 128];

/// Seeds that one block of [`Want`] asks at a time.
pub const WANT_ITEMS: u32 = 128;

crate::args! {
    /// Lists the seeds that want a change, before [`Claim`], for operators of which few seeds do
    /// ([`Operator::SIEVES`]): with a question that is cheap and has as many threads as there are seeds, the launch
    /// behind it has full warps.
    pub struct Want<O> {
        /// The operator.
        pub op: O,
        /// The mesh.
        pub mesh: FlatMesh,
        /// The round.
        pub round: Round,
        /// The seeds that want a change.
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
        if !O::SIEVES {
            return;
        }
        let round = &self.round;
        let all = round.seeds();
        let mut first = block * WANT_ITEMS;
        while first < all {
            let n = (all - first).min(WANT_ITEMS);
            let wanting = b.compact(n, t.left, t.flags, t.scratch, |i| {
                is_wanting(&self.op, &self.mesh, round, round.seed(first + i))
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

/// What [`Want`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct WantShared {
    /// Items that want a change.
    left: Shared<u32>,
    flags: Shared<u32>,
    place: Shared<u32>,
    scratch: Shared<u32>,
}

/// Whether a seed may be a candidate of this round. Who is put off waits for the next one.
#[inline(always)]
fn is_wanting<O: Operator>(op: &O, mesh: &FlatMesh, round: &Round, seed: u32) -> bool {
    if !lives::<O>(mesh, seed) || !op.wants(mesh, Seed::<O>::new(seed)) {
        return false;
    }
    if O::SHARE < 1.0 && round.hash(seed) > round.counter(Counter::Share) {
        round.enqueue(seed);
        return false;
    }
    true
}

crate::args! {
    /// Asks the operator about each seed, or each that [`Want`] has listed, and claims what the cavities of the
    /// candidates delete.
    ///
    /// Few seeds are candidates: after each question those that are left move together, so that the threads of a warp
    /// have the same to do.
    pub struct Claim<O> {
        /// The operator.
        pub op: O,
        /// The mesh.
        pub mesh: FlatMesh,
        /// The claims.
        pub claims: ClaimTables,
        /// The round.
        pub round: Round,
        /// Seeds that one block looks at at a time.
        pub items: u32,
        /// Blocks of the launch.
        pub blocks: u32,
        /// Whether [`Want`] has listed the seeds: then the round's list is that of those.
        pub sieved: u32,
    }
}

/// What [`Claim`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct ClaimShared {
    /// Items that are left, by what they were among those before.
    left: Shared<u32>,
    seeds: Shared<u32>,
    /// Priorities of the seeds, [`NONE`] for those that are no candidates.
    priorities: Shared<u32>,
    flags: Shared<u32>,
    place: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<O: Operator> BlockKernel for Claim<O> {
    // With more of them, those without a candidate would wait for the others.
    const THREADS: u32 = 32;
    // A multiprocessor has room for 32 blocks of so many.
    const REGISTERS: Option<u32> = Some(64);
    type Tables = ClaimShared;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> ClaimShared {
        ClaimShared {
            left: plan.take(self.items + 1),
            seeds: plan.take(self.items),
            priorities: plan.take(self.items),
            flags: plan.take(self.items),
            place: plan.take(1),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &ClaimShared) {
        let all = if self.is_sieved() {
            self.round.counter(Counter::Wanting)
        } else {
            self.round.seeds()
        };
        let mut first = block * self.items;
        while first < all {
            self.look(b, first, (all - first).min(self.items), t);
            first += self.blocks * self.items;
        }
    }
}

impl<O: Operator> Claim<O> {
    #[inline(always)]
    fn is_sieved(&self) -> bool {
        O::SIEVES && self.sieved != 0
    }

    /// Looks at some seeds, from `first` on.
    #[inline(always)]
    fn look<B: Block>(&self, b: B, first: u32, n: u32, t: &ClaimShared) {
        let round = &self.round;
        let wanting = if self.is_sieved() {
            n
        } else {
            b.compact(n, t.left, t.flags, t.scratch, |i| {
                is_wanting(&self.op, &self.mesh, round, round.seed(first + i))
            })
        };
        b.each(wanting, |k| {
            let i = if self.is_sieved() { k } else { t.left.get(k) };
            let seed = round.seed(first + i);
            let priority = self.candidate(seed).map_or(NONE, |p| p.bits());
            t.seeds.set(k, seed);
            t.priorities.set(k, priority);
        });
        let candidates = b.compact(wanting, t.left, t.flags, t.scratch, |k| {
            t.priorities.get(k) != NONE
        });
        b.each(candidates, |c| {
            let k = t.left.get(c);
            let (seed, priority) = (t.seeds.get(k), t.priorities.get(k));
            if !self.claim(seed, round.key(priority, seed)) {
                t.priorities.set(k, NONE);
                round.count(Counter::Refused, 1);
                round.refused.fetch_or(seed / 32, 1 << (seed % 32));
            }
        });
        let claimed = b.compact(wanting, t.left, t.flags, t.scratch, |k| {
            t.priorities.get(k) != NONE
        });
        if claimed == 0 {
            return;
        }
        b.lead(|| {
            let place = round.counters.fetch_add(Counter::Claimed as u32, claimed);
            t.place.set(0, place);
        });
        b.each(claimed, |c| {
            let (k, at) = (t.left.get(c), 2 * (t.place.get(0) + c));
            round.pending.set(at, t.seeds.get(k));
            round.pending.set(at + 1, t.priorities.get(k));
        });
    }

    #[inline(always)]
    fn candidate(&self, seed: u32) -> Option<Priority> {
        let mesh = &self.mesh;
        let face = face_of::<<O::Template as Template>::Seed>(mesh, seed);
        if face == NO_FACE || self.round.frozen != 0 && self.claims.is_frozen(face) {
            return None;
        }
        self.op.candidate(mesh, Seed::<O>::new(seed))
    }

    /// Claims all that the cavity needs; false, and nothing is claimed, when it cannot have it.
    #[inline(always)]
    fn claim(&self, seed: u32, key: Key) -> bool {
        let (op, mesh, claims) = (&self.op, &self.mesh, &self.claims);
        let id = Seed::<O>::new(seed);
        let template = op.template();
        let may = op.joins(mesh, id, &mut |a, b| a != b && !mesh.joined(a, b))
            && (self.round.frozen == 0 || faces(&template, mesh, seed, |f| !claims.is_frozen(f)));
        if !may {
            return false;
        }
        op.joins(mesh, id, &mut |a, b| {
            claims.take_pair(a, b, key);
            true
        });
        op.guards(mesh, id, &mut |v| {
            claims.take_pair(v, v, key);
            true
        });
        faces(&template, mesh, seed, |f| {
            if O::LEAVES_HOLE {
                each_corner(mesh, f, |v| {
                    claims.take_pair(v, v, key);
                    true
                });
            }
            claims.take_face(f, key);
            true
        });
        true
    }
}
