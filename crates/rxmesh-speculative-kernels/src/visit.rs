//! Main kernel of speculative edits: blocks take patches from a queue and edit them in shared memory (Mahmoud et al.
//! 2024, sections 4.2, 4.3, 5.2, 5.3).
//!
//! A visit of a patch: try its lock; copy it; ask the operator about its seeds; where cavities need vertices of other
//! patches, expand ([`super::expand`]), or postpone these cavities if a neighbour is locked; choose an independent set,
//! cut and fill ([`super::resolve`]); repeat while there is work; write the patch back at once and unlock it.

use super::expand::{ExpandResult, Expansion, Host};
use super::local::{LocalPatch, Misses, PatchMesh};
use super::lock::pause;
use super::queue::PatchQueue;
use super::resolve::Choice;
use super::stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
use super::store::{ColumnList, NEEDS_SLICE, PatchCapacity, PatchStore};
use super::tally::Tally;
use rxmesh_kernels::cavity::parts::{each_corner, face_of, faces, lives};
use rxmesh_kernels::cavity::{Operator, Seed, Template};
use rxmesh_kernels::edit::{HalfEdgeMesh, NO_FACE};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::{BlockKernel, Entry, EntryOf};
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::{Element, Kind};

/// States of a candidate below this are priorities.
pub const LIMIT: u32 = 1 << 20;

/// State of a seed without a change, or whose change is not allowed.
const NO: u32 = u32::MAX;

/// State of a cavity that needs vertices of other patches.
const WAITS: u32 = u32::MAX - 1;

/// Maximum number of turns of a visit, after which the patch is released.
const TURNS: u32 = 64;

/// Maximum number of expansions of a visit.
const EXPANSIONS: u32 = 6;

/// Factor by which the number of examined seeds is reduced when their demands do not fit.
const FEWER: u32 = 8;

/// Number of attempts at the patch's own lock.
const LOCK_TRIES: u32 = 4;

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

/// Seeds of a turn, with their states.
#[derive(Clone, Copy, Debug)]
pub struct Candidates {
    /// Local seeds.
    pub list: Shared<u32>,
    /// States of the seeds.
    pub state: Shared<u32>,
    /// Number of seeds.
    pub n: u32,
}

/// Shared memory of a visit.
#[derive(Clone, Copy, Debug)]
pub struct VisitTables {
    local: LocalPatch,
    misses: Misses,
    /// Seeds that this visit has given up, one bit each.
    blocked: Shared<u32>,
    list: Shared<u32>,
    state: Shared<u32>,
    flags: Shared<u32>,
    /// Neighbours that are locked for the whole visit.
    neighbours: Stash<Shared<u32>>,
    told: Shared<u32>,
    scratch: Shared<u32>,
    expansion: Expansion,
    choice: Choice,
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

/// Patch that a block edits.
#[derive(Debug)]
pub struct Visit<'a, O> {
    /// Operator.
    pub op: &'a O,
    /// Patch.
    pub host: Host<'a>,
    /// Mesh that operators see of it.
    pub mesh: PatchMesh,
    /// Id of the seed with local id 0.
    pub base: u32,
}

impl<O: Operator> Visit<'_, O> {
    #[inline(always)]
    fn count(&self, what: Tally, n: u32) {
        self.host.tally.fetch_add(what as u32, n);
    }

    /// Edits the patch, whose lock is held; returns `true` if it must be visited again.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, t: &VisitTables, salt: u32, lock_all: bool) -> bool {
        let host = &self.host;
        t.local.load(b, host.store, host.id);
        if lock_all && b.tell(t.told, || self.lock_neighbours(t)) == 0 {
            b.lead(|| {
                self.unlock_neighbours(t);
                self.count(Tally::Dropped, 1);
                self.count(Tally::Wasted, 1);
            });
            return true;
        }
        t.local.derive(b);
        t.local.fetch_ghosts(b, host.id, host.columns);
        b.each(t.blocked.len(), |i| t.blocked.set(i, 0));
        let (again, changed) = self.turns(b, t, salt);
        if changed {
            t.local.sweep_stash(b, t.told.part(2, 2));
        }
        t.local.commit(b, host.store, host.id);
        if lock_all {
            b.lead(|| self.unlock_neighbours(t));
        }
        again
    }

    /// Locks all patches in the stash; returns 1 if all could be locked. One thread.
    #[inline(always)]
    fn lock_neighbours(&self, t: &VisitTables) -> u32 {
        let (host, stash) = (&self.host, self.host.local.parts.stash());
        let mut free = true;
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let patch = stash.get(slot);
            free = free
                && (patch == EMPTY_SLOT || host.store.locks.try_lock(patch, host.id, LOCK_TRIES));
            t.neighbours
                .0
                .set(slot, if free { patch } else { EMPTY_SLOT });
            slot += 1;
        }
        u32::from(free)
    }

    /// Unlocks the neighbours. One thread.
    #[inline(always)]
    fn unlock_neighbours(&self, t: &VisitTables) {
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let patch = t.neighbours.get(slot);
            if patch != EMPTY_SLOT {
                self.host.store.locks.unlock(patch, self.host.id);
            }
            slot += 1;
        }
    }

    /// Runs turns until no seed is left that can be decided; returns `true` if some are left for lack of locks, and
    /// `true` if the patch has changed its neighbours.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn turns<B: Block>(&self, b: B, t: &VisitTables, salt: u32) -> (bool, bool) {
        let host = &self.host;
        let (parts, kind) = (&host.local.parts, host.seeds);
        let seeds = parts.shape.room(kind);
        let (mut turn, mut expansions, mut done) = (0, 0, 0);
        // Number of seeds of a turn: reduced when their demands do not fit.
        let mut most = seeds;
        let (mut again, mut expanded) = (false, false);
        while turn < TURNS {
            turn += 1;
            let n = b.compact(seeds, t.list, t.flags, t.scratch, |i| {
                parts.is_seed(i) && t.blocked.load(i / 32) >> (i % 32) & 1 == 0
            });
            if n == 0 {
                break;
            }
            let n = n.min(most);
            let c = Candidates {
                list: t.list,
                state: t.state,
                n,
            };
            self.ask(b, t, &c);
            let wanted = b.compact(
                parts.shape.vertices,
                t.expansion.wanted,
                t.flags,
                t.scratch,
                |v| {
                    t.misses.wanted.load(v / 32) >> (v % 32) & 1 != 0
                        && !parts.is_owned(Kind::Vertex, v)
                },
            );
            if wanted > 0 {
                let outcome = if expansions < EXPANSIONS {
                    self.expand(b, t, wanted)
                } else {
                    ExpandResult::Locked
                };
                // An expansion that did not fit cost no other patch anything.
                expansions += u32::from(outcome != ExpandResult::NoRoom);
                if outcome == ExpandResult::Done {
                    expanded = true;
                    most = seeds;
                    t.local.derive(b);
                    t.local.fetch_ghosts(b, host.id, host.columns);
                    continue;
                }
                // Waiting cavities are postponed, or fewer seeds are examined at a time; the rest continues.
                again |= outcome == ExpandResult::Locked;
                if outcome == ExpandResult::NoRoom && n > 1 {
                    most = n.div_ceil(FEWER);
                    if n == most {
                        most = 1;
                    }
                } else {
                    if outcome == ExpandResult::NoRoom {
                        self.full(b);
                    }
                    most = seeds;
                    b.each(t.blocked.len(), |i| {
                        t.blocked.set(i, t.blocked.get(i) | t.misses.seeds.get(i));
                    });
                }
            }
            let ready = b.count(n, t.scratch, |i| t.state.get(i) < LIMIT);
            if ready == 0 {
                continue;
            }
            let won = self.resolve(b, &c, &t.choice, salt ^ turn);
            done += won;
            b.lead(|| {
                self.count(Tally::Candidates, ready);
                self.count(Tally::Conflicts, ready - won);
            });
            if won == 0 {
                break;
            }
        }
        if again && done == 0 {
            b.lead(|| self.count(Tally::Wasted, 1));
        }
        (again, expanded)
    }

    /// Asks the operator about the seeds.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn ask<B: Block>(&self, b: B, t: &VisitTables, c: &Candidates) {
        b.phase(|p| {
            p.each(t.misses.seeds.len(), |i| t.misses.seeds.set(i, 0));
            p.each(t.misses.wanted.len(), |i| t.misses.wanted.set(i, 0));
            p.lead(|| self.count(Tally::Seeds, c.n));
        });
        b.each(c.n, |i| c.state.set(i, self.judge(t, c.list.get(i))));
    }

    /// Classifies a seed: a candidate with its priority, waiting for vertices, or finished.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn judge(&self, t: &VisitTables, i: u32) -> u32 {
        let parts = &self.host.local.parts;
        let (mesh, seed) = (self.mesh.of(i), self.base + i);
        let state = if parts.is_owned(self.host.seeds, i) && lives::<O>(&mesh, seed) {
            self.consider(&mesh, seed)
        } else {
            NO
        };
        if t.misses.has(i) {
            return WAITS;
        }
        if state == NO {
            parts.leave(parts.shape.seeds(), i);
        }
        state
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn consider(&self, mesh: &PatchMesh, seed: u32) -> u32 {
        let (op, parts) = (self.op, &self.host.local.parts);
        let id = Seed::<O>::new(seed);
        let frozen = |f: u32| parts.is_frozen(mesh.local_face(f));
        let face = face_of::<<O::Template as Template>::Seed>(mesh, seed);
        if face == NO_FACE || frozen(face) {
            return NO;
        }
        let Some(priority) = op.candidate(mesh, id) else {
            return NO;
        };
        let template = op.template();
        let may = op.joins(mesh, id, &mut |a, b| a != b && !mesh.joined(a, b))
            && faces(&template, mesh, seed, |f| !frozen(f));
        if !may {
            if !self.mesh_missed(mesh) {
                self.count(Tally::Refused, 1);
                parts.enter(parts.shape.refused(), mesh.seed);
            }
            return NO;
        }
        // The owner of all vertices of a cavity, and of all that decide about it, can rely on them.
        faces(&template, mesh, seed, |f| {
            each_corner(mesh, f, |v| {
                mesh.wants(v);
                true
            })
        });
        op.joins(mesh, id, &mut |a, b| {
            mesh.wants(a);
            mesh.wants(b);
            true
        });
        op.guards(mesh, id, &mut |v| {
            mesh.wants(v);
            true
        });
        priority.bits()
    }

    #[inline(always)]
    fn mesh_missed(&self, mesh: &PatchMesh) -> bool {
        mesh.misses.has(mesh.seed)
    }

    /// Takes over the first `n` listed vertices, given by local ids, which become handles.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn expand<B: Block>(&self, b: B, t: &VisitTables, n: u32) -> ExpandResult {
        let (host, wanted) = (&self.host, t.expansion.wanted);
        b.each(n, |i| {
            let v = wanted.get(i);
            wanted.set(i, host.local.parts.handle(host.id, Kind::Vertex, v));
        });
        let outcome = t.expansion.run(b, host, n);
        b.lead(|| match outcome {
            ExpandResult::Done => {
                self.count(Tally::Expanded, 1);
                self.count(Tally::Moved, n);
            }
            ExpandResult::Locked => self.count(Tally::Dropped, 1),
            ExpandResult::NoRoom => t.expansion.blame(host),
        });
        outcome
    }

    /// Marks the patch as full.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn full<B: Block>(&self, b: B) {
        b.lead(|| {
            let needs = self.host.store.needs;
            if needs.fetch_or(1 + self.host.id, NEEDS_SLICE) & NEEDS_SLICE == 0 {
                self.count(Tally::Full, 1);
            }
        });
    }
}
