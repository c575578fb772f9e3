//! Main kernel of speculative edits: blocks take patches from a queue and edit them in shared memory (Mahmoud et al.
//! 2024, sections 4.2, 4.3, 5.2, 5.3).
//!
//! A visit of a patch: try its lock; copy it; ask the operator about its seeds; where cavities need vertices of other
//! patches, expand ([`super::expand`]), or postpone these cavities if a neighbour is locked; choose an independent set,
//! cut and fill ([`super::resolve`]); repeat while there is work; write the patch back at once and unlock it.

mod seeds;
pub mod speculate;

use super::expand::{ExpandResult, Expansion, Host};
use super::local::{LocalPatch, Misses, PatchMesh};
use super::resolve::Choice;
use super::stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
use super::store::NEEDS_SLICE;
use super::tally::Tally;
use rxmesh_kernels::cavity::Operator;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::Shared;
use rxmesh_kernels::topo::Kind;

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
