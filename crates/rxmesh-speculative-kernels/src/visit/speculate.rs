//! The kernel that takes patches from the queue, and the shared memory of its visits.

use super::{LOCK_TRIES, Visit, VisitTables};
use crate::expand::{Expansion, Host};
use crate::local::{LocalPatch, Misses, PatchMesh};
use crate::lock::pause;
use crate::queue::PatchQueue;
use crate::resolve::Choice;
use crate::stash::{STASH_SLOTS, Stash};
use crate::store::{ColumnList, PatchCapacity, PatchStore};
use crate::tally::Tally;
use rxmesh_kernels::cavity::{Operator, Template};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::{BlockKernel, Entry, EntryOf};
use rxmesh_kernels::mem::{GlobalMut, Plan};
use rxmesh_kernels::topo::{Element, Kind};

/// Number of patches that a block puts back in succession because of their neighbours, and the pause after each.
const SKIPS: u32 = 16;
const SKIP_NANOS: u32 = 500;

rxmesh_kernels::args! {
    /// Takes patches from the queue until it is empty, and carries out the operator's cavities on each. Launched with
    /// as many blocks as run concurrently.
    pub struct Speculate<O> {
        /// Operator.
        pub op: O,
        /// Patches.
        pub store: PatchStore,
        /// Attributes.
        pub columns: ColumnList,
        /// Patches that wait.
        pub queue: PatchQueue,
        /// Counters, see [`Tally`].
        pub tally: GlobalMut<u32>,
        /// Number of visits of each patch in this launch.
        pub visits: GlobalMut<u32>,
        /// Maximum number of visits of a patch in a launch.
        pub most_visits: u32,
        /// Salt of the keys.
        pub salt: u32,
        /// 1 if a visit locks all neighbours first, needed or not: the worst case of the paper's Figure 6.
        pub lock_all: u32,
        /// Minimum distance of concurrently edited patches when a block chooses one: 1, no neighbour; 2, no neighbour's
        /// neighbour.
        pub rings: u32,
    }
}

// SAFETY: the name is the promise of `EntryOf`.
unsafe impl<O: Operator + EntryOf<Speculate<O>>> Entry for Speculate<O> {
    const NAME: &'static str = <O as EntryOf<Speculate<O>>>::NAME;
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl<O: Operator> BlockKernel for Speculate<O> {
    const REGISTERS: Option<u32> = Some(128);
    type Tables = VisitTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> VisitTables {
        carve(self.store.shape, seed_kind::<O>(), plan)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, _: u32, t: &VisitTables) {
        // Every patch comes up a bounded number of times.
        let mut left = self.store.patches.saturating_mul(self.most_visits);
        let mut skipped = 0;
        while left > 0 {
            let id = b.tell(t.told, || self.queue.pop().unwrap_or(u32::MAX));
            if id == u32::MAX {
                return;
            }
            // A neighbour is being edited: try another patch, a few times.
            if skipped < SKIPS && self.is_busy(b, t, id) {
                skipped += 1;
                b.lead(|| {
                    self.count(Tally::Skipped, 1);
                    self.queue.push(id);
                    pause(SKIP_NANOS);
                });
                continue;
            }
            skipped = 0;
            self.serve(b, t, id);
            left -= 1;
        }
    }
}

/// Reserves the shared memory of a visit.
#[inline(always)]
fn carve(s: PatchCapacity, seeds: Kind, plan: &mut Plan) -> VisitTables {
    let seeds = s.room(seeds);
    let told = plan.take(8);
    let local = LocalPatch::take(s, plan);
    let misses = Misses {
        seeds: plan.take(seeds / 32),
        wanted: plan.take(s.vertices / 32),
    };
    let blocked = plan.take(seeds / 32);
    let list = plan.take(seeds + 1);
    let scratch = plan.take(SCRATCH_WORDS);
    let state = plan.take(seeds);
    let flags = plan.take(seeds.max(s.vertices));
    let neighbours = Stash(plan.take(STASH_SLOTS));
    // An expansion and a choice never run at the same time, so they share memory.
    let mark = plan.mark();
    let expansion = Expansion::take(s, plan);
    plan.rewind(mark);
    let choice = Choice::take(s, seeds, plan);
    VisitTables {
        local,
        misses,
        blocked,
        list,
        state,
        flags,
        neighbours,
        told,
        scratch,
        expansion,
        choice,
    }
}

/// Returns the number of bytes of shared memory of a visit of patches of a shape, for the operators that need most:
/// those whose seeds are edges.
pub fn shared_bytes(shape: PatchCapacity) -> u32 {
    // SAFETY: `carve` only takes pieces (contract U2).
    let mut plan = unsafe { Plan::measure() };
    carve(shape, Kind::Edge, &mut plan);
    plan.peak()
}

/// Returns the kind of an operator's seeds.
#[inline(always)]
pub const fn seed_kind<O: Operator>() -> Kind {
    <<O::Template as Template>::Seed as Element>::KIND
}

impl<O: Operator> Speculate<O> {
    #[inline(always)]
    fn count(&self, what: Tally, n: u32) {
        self.tally.fetch_add(what as u32, n);
    }

    /// Returns `true` if a patch or one near it is locked. Only a hint.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn is_busy<B: Block>(&self, b: B, t: &VisitTables, id: u32) -> bool {
        let (stash, locks) = (self.store.patch(id).stash(), self.store.locks);
        let busy = |patch: u32| patch < self.store.patches && locks.owner(patch).is_some();
        // The patch itself, and its neighbours.
        let first = |i: u32| busy(if i == STASH_SLOTS { id } else { stash.get(i) });
        // Their neighbours.
        let second = |i: u32| {
            let patch = stash.get(i / STASH_SLOTS);
            patch < self.store.patches && busy(self.store.patch(patch).stash().get(i % STASH_SLOTS))
        };
        b.any(STASH_SLOTS + 1, t.scratch, first)
            || self.rings > 1 && b.any(STASH_SLOTS * STASH_SLOTS, t.scratch, second)
    }

    /// Visits one patch from the queue.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn serve<B: Block>(&self, b: B, t: &VisitTables, id: u32) {
        let locked = b.tell(t.told, || {
            self.count(Tally::Visits, 1);
            u32::from(self.store.locks.try_lock(id, id, LOCK_TRIES))
        });
        if locked == 0 {
            b.lead(|| {
                self.count(Tally::Turned, 1);
                self.put_back(id);
            });
            return;
        }
        let host = Host {
            store: &self.store,
            columns: &self.columns,
            id,
            local: t.local,
            seeds: seed_kind::<O>(),
            tally: self.tally,
        };
        let visit = Visit {
            op: &self.op,
            host,
            mesh: PatchMesh::new(t.local, id, t.misses),
            base: self.store.base(id, seed_kind::<O>()),
        };
        let again = visit.run(b, t, self.salt, self.lock_all != 0);
        b.lead(|| {
            self.store.locks.unlock(id, id);
            if again {
                self.put_back(id);
            }
        });
    }

    /// Puts a patch back into the queue, unless it has been out too often. One thread.
    #[inline(always)]
    fn put_back(&self, id: u32) {
        let visits = self.visits.fetch_add(id, 1) + 1;
        if visits >= self.most_visits || !self.queue.push(id) {
            self.count(Tally::Left, 1);
        }
    }
}
