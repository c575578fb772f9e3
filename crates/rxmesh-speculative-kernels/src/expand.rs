//! Expansion of a patch: it takes over vertices of its neighbours, with all their elements (Mahmoud et al. 2024,
//! sections 4.1 and 5.2).
//!
//! Only the owner of all vertices of a cavity has its faces, so that cutting and filling it affects no other patch
//! ("trading global memory writes for reads"). Two kinds of patches take part: the *donors*, which own the vertices,
//! lose them, and with them the faces of which they then own no corner; *witnesses*, which own neighbours of these
//! vertices, have them in their ribbons and must record the new owner. Both are locked from the first read to the last
//! write, and released before the cavities are filled.
//!
//! Everything that can fail (locks, capacity) is checked before anything is written to global memory: until then only
//! the patch's copy in shared memory has changed, and dropping it is the roll-back.

use super::inverse::Inverse;
use super::local::{LocalParts, LocalPatch};
use super::stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
use super::store::{ColumnList, MAY_NEED_SLICE, PatchCapacity, PatchStore, each_kind};
use super::table::OVERFLOW;
use super::tally::Tally;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// Outcome of an expansion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpandResult {
    /// The patch owns the wanted vertices.
    Done,
    /// A neighbour is locked by another block.
    Locked,
    /// The patch, its tables or those of a neighbour are full.
    NoRoom,
}

const DONE: u32 = 0;
const LOCKED: u32 = 1;
const NO_ROOM: u32 = 2;

/// Attempts at a neighbour's lock: some tens of microseconds, about as long as an expansion holds it.
const LOCK_TRIES: u32 = 16;

/// Shared memory of an expansion.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    pub(super) shape: PatchCapacity,
    /// Handles of the vertices to take over.
    pub wanted: Shared<u32>,
    /// Patches that take part.
    pub(super) parties: Stash<Shared<u32>>,
    /// Sets of parties, by their slot, two words each: donors, locked here, donors that a witness's stash must name.
    pub(super) sets: Shared<u32>,
    /// Local ids of other patches' elements, by handle.
    pub(super) inverse: Inverse,
    /// For a donor: the patch's local ids of nearby elements, in the sections of `moved`.
    pub(super) names: Shared<u16>,
    /// For a donor: vertices that it loses.
    pub(super) taken: Shared<u32>,
    /// For a donor: elements at those vertices, in the layout of the masks of owned elements.
    pub(super) near: Shared<u32>,
    /// For a donor: elements that stay.
    pub(super) stays: Shared<u32>,
    /// Number of free local ids before each word of a mask.
    pub(super) free: Shared<u32>,
    pub(super) counts: Shared<u32>,
    pub(super) told: Shared<u32>,
    pub(super) scratch: Shared<u32>,
}

/// Offset of each set.
pub(super) const DONORS: u32 = 0;
const HELD: u32 = 2;
pub(super) const GIVERS: u32 = 4;

/// Indices of [`Expansion::counts`].
const OVERFLOWS: u32 = 0;
const TICKETS: u32 = 1;
const COUNTS: u32 = 8;

/// Returns the number of entries of a table that may be in use.
#[inline(always)]
fn table_limit(words: u32) -> u32 {
    (words - OVERFLOW) / 5 * 4
}

/// Patch that expands, which a block has locked and copied.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// All patches.
    pub store: &'a PatchStore,
    /// Attributes.
    pub columns: &'a ColumnList,
    /// Id of the patch.
    pub id: u32,
    /// Local copy of the patch.
    pub local: LocalPatch,
    /// Kind of the seeds.
    pub seeds: Kind,
    /// Counters, see [`Tally`].
    pub tally: GlobalMut<u32>,
}

impl Host<'_> {
    /// Counts violations of invariants, for the host to report.
    #[inline(always)]
    pub fn check(&self, holds: bool) {
        if !holds {
            self.tally.fetch_add(Tally::Corrupt as u32, 1);
        }
    }
}

/// Copies a mark.
#[inline(always)]
pub(super) fn pass_on(marked: bool, to: LocalParts, section: u32, i: u32) {
    if marked {
        to.enter(section, i);
    } else {
        to.leave(section, i);
    }
}

/// Returns free local id `k`, given the number of free ids before each word of a mask.
#[inline(always)]
fn nth_free(active: Shared<u32>, before: Shared<u32>, words: u32, k: u32) -> u32 {
    // The last word with at most `k` free ids before it.
    let (mut low, mut high) = (0, words);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if before.get(middle) <= k {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut bits = !active.get(low);
    let mut left = k - before.get(low);
    while left > 0 {
        bits &= bits - 1;
        left -= 1;
    }
    32 * low + bits.trailing_zeros()
}

impl Expansion {
    /// Reserves the shared memory.
    #[inline(always)]
    pub fn take(shape: PatchCapacity, plan: &mut Plan) -> Expansion {
        let masks = (shape.vertices + shape.edges + shape.faces) / 32;
        Expansion {
            shape,
            counts: plan.take(COUNTS),
            wanted: plan.take(shape.vertices + 1),
            parties: Stash(plan.take(STASH_SLOTS)),
            sets: plan.take(6),
            inverse: Inverse::take(shape.vertices + shape.edges + shape.faces, plan),
            names: plan.take(shape.moved()),
            taken: plan.take(shape.vertices / 32),
            near: plan.take(masks),
            stays: plan.take(masks),
            free: plan.take(shape.set_words() + 1),
            told: plan.take(4),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    /// Takes over the first `n` vertices of [`Expansion::wanted`], all of which other patches own.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn run<B: Block>(&self, b: B, host: &Host<'_>, n: u32) -> ExpandResult {
        self.begin(b, host, n);
        let outcome = self.passes(b, host, n);
        if outcome == ExpandResult::Done {
            self.tell_witnesses(b, host);
            self.settle(b, host);
        }
        self.release(b, host);
        outcome
    }

    /// Makes two passes over the donors: a survey of the incoming elements, then, if nothing fails, the transfer.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn passes<B: Block>(&self, b: B, host: &Host<'_>, n: u32) -> ExpandResult {
        if b.tell(self.told, || self.lock(host)) != DONE {
            return ExpandResult::Locked;
        }
        let mut pass = 0;
        while pass < 2 {
            if pass == 1 {
                let outcome = self.admit(b, host);
                if outcome != ExpandResult::Done {
                    return outcome;
                }
            }
            let mut slot = 0;
            while slot < STASH_SLOTS {
                if self.is_in(DONORS, slot) {
                    let donor = self.parties.get(slot);
                    self.look(b, host, n, donor);
                    if pass == 0 {
                        self.survey(b, host, donor);
                    } else {
                        self.transfer(b, host, donor);
                    }
                }
                slot += 1;
            }
            pass += 1;
        }
        ExpandResult::Done
    }

    /// Marks all parties because one of them had no capacity. One thread.
    #[inline(always)]
    pub(super) fn blame(&self, host: &Host<'_>) {
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let patch = self.parties.get(slot);
            if patch != EMPTY_SLOT {
                host.store.needs.fetch_or(1 + patch, MAY_NEED_SLICE);
            }
            slot += 1;
        }
    }

    /// Checks that the transfer is possible: all parties can be locked, and there is capacity everywhere.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn admit<B: Block>(&self, b: B, host: &Host<'_>) -> ExpandResult {
        let lock = || {
            if self.counts.load(OVERFLOWS) != 0 {
                return NO_ROOM;
            }
            self.lock(host)
        };
        match b.tell(self.told, lock) {
            DONE => {}
            LOCKED => return ExpandResult::Locked,
            _ => return ExpandResult::NoRoom,
        }
        self.check_stashes(b, host);
        each_kind(|kind| self.number(b, host, kind));
        if b.tell(self.told, || self.counts.load(OVERFLOWS)) != 0 {
            return ExpandResult::NoRoom;
        }
        ExpandResult::Done
    }

    /// Returns the local ids of other patches' elements of a kind.
    #[inline(always)]
    pub(super) fn inverse(&self, kind: Kind) -> Inverse {
        self.inverse
            .part(self.shape.moved_at(kind), self.shape.room(kind))
    }

    /// Finds the donors, and the elements of others that the patch has already.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn begin<B: Block>(&self, b: B, host: &Host<'_>, n: u32) {
        b.phase(|p| {
            p.each(STASH_SLOTS, |i| self.parties.0.set(i, EMPTY_SLOT));
            p.each(6, |i| self.sets.set(i, 0));
            p.each(COUNTS, |i| self.counts.set(i, 0));
            self.inverse.clear(p);
        });
        let parts = &host.local.parts;
        b.phase(|p| {
            p.each(n, |i| {
                match self
                    .parties
                    .insert(self.wanted.get(i) / self.shape.vertices)
                {
                    Some(slot) => {
                        self.sets.fetch_or(DONORS + slot / 32, 1 << (slot % 32));
                    }
                    None => self.overflow(),
                }
            });
            each_kind(|kind| {
                let (table, inverse) = (parts.table(kind), self.inverse(kind));
                p.each(table.len(), |i| {
                    if let Some(entry) = table.entry(i) {
                        let handle = parts.handle_of(kind, entry);
                        if inverse.insert(handle).is_some() {
                            inverse.set(handle, entry.local);
                        }
                    }
                });
            });
        });
    }

    #[inline(always)]
    fn overflow(&self) {
        self.counts.fetch_or(OVERFLOWS, 1);
    }

    #[inline(always)]
    pub(super) fn is_in(&self, set: u32, slot: u32) -> bool {
        self.sets.load(set + slot / 32) >> (slot % 32) & 1 != 0
    }

    /// Locks the parties that are not locked yet. One thread.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn lock(&self, host: &Host<'_>) -> u32 {
        let locks = host.store.locks;
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let patch = self.parties.get(slot);
            if patch != EMPTY_SLOT && !self.is_in(HELD, slot) && locks.owner(patch) != Some(host.id)
            {
                if !locks.try_lock(patch, host.id, LOCK_TRIES) {
                    return LOCKED;
                }
                self.sets.fetch_or(HELD + slot / 32, 1 << (slot % 32));
            }
            slot += 1;
        }
        DONE
    }

    /// Releases the parties.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn release<B: Block>(&self, b: B, host: &Host<'_>) {
        b.lead(|| {
            let mut slot = 0;
            while slot < STASH_SLOTS {
                if self.is_in(HELD, slot) {
                    host.store.locks.unlock(self.parties.get(slot), host.id);
                }
                slot += 1;
            }
        });
    }

    /// Marks the elements of a donor at the vertices that it will lose.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn look<B: Block>(&self, b: B, host: &Host<'_>, n: u32, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            p.each(self.taken.len(), |i| self.taken.set(i, 0));
            p.each(self.near.len(), |i| {
                self.near.set(i, 0);
                self.stays.set(i, 0);
            });
        });
        b.each(n, |i| {
            let v = self.wanted.get(i);
            if v / s.vertices == donor {
                let v = v % s.vertices;
                self.taken.fetch_or(v / 32, 1 << (v % 32));
                // Even if it has no face.
                self.near.fetch_or(v / 32, 1 << (v % 32));
            }
        });
        b.each(s.faces, |f| {
            if !from.is_active(Kind::Face, f) {
                return;
            }
            let [u, v, w] = from.corners(f);
            let keeps = |v: u32| from.is_owned(Kind::Vertex, v) && !self.is_taken(v);
            if self.is_taken(u) || self.is_taken(v) || self.is_taken(w) {
                self.mark(self.near, f, &from);
            }
            if keeps(u) || keeps(v) || keeps(w) {
                self.mark(self.stays, f, &from);
            }
        });
    }

    #[inline(always)]
    pub(super) fn is_taken(&self, v: u32) -> bool {
        self.taken.load(v / 32) >> (v % 32) & 1 != 0
    }

    /// Marks a face of a donor with its edges and corners.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mark(
        &self,
        set: Shared<u32>,
        f: u32,
        from: &super::store::PatchArrays<GlobalMut<u16>, GlobalMut<u32>>,
    ) {
        let s = self.shape;
        let enter = |kind: Kind, i: u32| {
            set.fetch_or(s.owned(kind) + i / 32, 1 << (i % 32));
        };
        enter(Kind::Face, f);
        let mut k = 0;
        while k < 3 {
            let h = from.side(f, k);
            enter(Kind::Edge, h >> 1);
            enter(Kind::Vertex, from.origin(h));
            k += 1;
        }
    }

    #[inline(always)]
    pub(super) fn is_marked(&self, set: Shared<u32>, kind: Kind, i: u32) -> bool {
        set.load(self.shape.owned(kind) + i / 32) >> (i % 32) & 1 != 0
    }

    /// Records the incoming elements of a donor, and the other parties.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn survey<B: Block>(&self, b: B, host: &Host<'_>, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(s.room(kind), |i| {
                    if !self.is_marked(self.near, kind, i) {
                        return;
                    }
                    let handle = from.handle(donor, kind, i);
                    let owner = handle / s.room(kind);
                    if owner == host.id {
                        return;
                    }
                    if inverse.insert(handle).is_none() {
                        self.overflow();
                    }
                    if kind as u32 == Kind::Vertex as u32 && self.parties.insert(owner).is_none() {
                        self.overflow();
                    }
                });
            });
        });
        // The elements that the donor keeps in its ribbon must fit its tables. Unneeded ones are removed before these
        // are inserted, so they are not counted: otherwise a patch whose tables are nearly full could not be cut.
        let vertices = b.count(s.vertices, self.scratch, |v| {
            self.is_marked(self.stays, Kind::Vertex, v)
                && (!from.is_owned(Kind::Vertex, v) || self.is_taken(v))
        });
        let edges = b.count(s.edges, self.scratch, |e| {
            self.is_marked(self.stays, Kind::Edge, e)
                && (!from.is_owned(Kind::Edge, e) || self.is_given_edge(&from, e))
        });
        if vertices > table_limit(s.vertex_table) || edges > table_limit(s.edge_table) {
            b.lead(|| self.overflow());
        }
    }

    /// Returns `true` if a donor keeps neither end of an edge.
    #[inline(always)]
    pub(super) fn is_given_edge(
        &self,
        from: &super::store::PatchArrays<GlobalMut<u16>, GlobalMut<u32>>,
        e: u32,
    ) -> bool {
        let loses = |v: u32| self.is_taken(v) || !from.is_owned(Kind::Vertex, v);
        loses(from.origin(2 * e)) && loses(from.origin(2 * e + 1))
    }

    /// Checks that the stash of every party has a slot for the patch, and the patch's stash one for every owner.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn check_stashes<B: Block>(&self, b: B, host: &Host<'_>) {
        let (stash, s) = (host.local.parts.stash(), self.shape);
        b.phase(|p| {
            p.each(STASH_SLOTS, |slot| {
                let party = self.parties.get(slot);
                if party != EMPTY_SLOT && party != host.id {
                    let theirs = host.store.patch(party).stash();
                    if theirs.find(host.id).is_none() && theirs.count() >= STASH_SLOTS {
                        self.overflow();
                    }
                }
            });
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some(handle) = inverse.pending(i)
                        && stash.insert(handle / s.room(kind)).is_none()
                    {
                        self.overflow();
                    }
                });
            });
        });
    }

    /// Assigns local ids to the new elements of a kind.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn number<B: Block>(&self, b: B, host: &Host<'_>, kind: Kind) {
        let (parts, inverse) = (host.local.parts, self.inverse(kind));
        let words = self.shape.room(kind) / 32;
        let masks = parts.masks.part(self.shape.active(kind), words);
        b.phase(|p| {
            p.each(words, |w| self.free.set(w, (!masks.get(w)).count_ones()));
            p.lead(|| self.counts.set(TICKETS, 0));
        });
        let room = b.scan(self.free, words, self.scratch);
        let table = parts.table(kind);
        let used = b.count(table.len(), self.scratch, |i| table.entry(i).is_some());
        let new = b.count(inverse.len(), self.scratch, |i| {
            inverse.pending(i).is_some()
        });
        if new > room || used + new > table_limit(table.len()) {
            b.lead(|| self.overflow());
            return;
        }
        b.each(inverse.len(), |i| {
            if inverse.pending(i).is_some() {
                let k = self.counts.fetch_add(TICKETS, 1);
                inverse.number(i, nth_free(masks, self.free, words, k));
            }
        });
    }

    /// Returns the local id of a handle.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn local_of(&self, host: &Host<'_>, kind: Kind, handle: u32) -> u32 {
        let base = host.store.base(host.id, kind);
        if handle / self.shape.room(kind) == host.id {
            return handle - base;
        }
        let found = self.inverse(kind).find(handle);
        host.check(found.is_some());
        found.unwrap_or(0)
    }
}
