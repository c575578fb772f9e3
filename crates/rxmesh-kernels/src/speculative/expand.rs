//! Expanding a patch: it takes over vertices of its neighbours, with everything at them (Mahmoud et al. 2024, sections 4.1 and 5.2).
//!
//! Who owns all vertices of a cavity is the only one who has its faces, so that cutting and filling it concerns nobody else ("trading global memory writes
//! for reads"). What moves, and who must know: the *donors*, which own the vertices, lose them, and with them the faces of which they own no
//! corner any more; *witnesses*, which own neighbours of these vertices, have them in their ribbons and learn of the new owner. Both are
//! locked from the first read to the last write, and released before the cavities are filled.
//!
//! Everything that can fail (locks, room) is asked before anything is written to global memory: until then the patch's copy in shared memory is
//! all that changed, and dropping it is the roll-back.

use super::inverse::Inverse;
use super::local::{Local, LocalParts};
use super::stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
use super::store::{Columns, Entries, MAY_NEED_SLICE, PatchStore, STAYS, Shape, each_kind};
use super::table::{OVERFLOW, RibbonEntry};
use super::tally::Tally;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::mem::{GlobalMut, Plan, Shared};
use crate::topo::Kind;

/// How an expansion went.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The patch owns what it wanted.
    Done,
    /// Somebody else works on a neighbour.
    Locked,
    /// The patch, its tables or a neighbour's have no room.
    NoRoom,
}

const DONE: u32 = 0;
const LOCKED: u32 = 1;
const NO_ROOM: u32 = 2;

/// Attempts at a neighbour's lock: some tens of microseconds, about as long as an expansion holds it.
const LOCK_TRIES: u32 = 16;

/// What an expansion keeps in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    shape: Shape,
    /// Handles of the vertices to take over.
    pub wanted: Shared<u32>,
    /// Patches that take part.
    parties: Stash<Shared<u32>>,
    /// Sets of parties, by their place, two words each: donors, locked here, donors as a witness's stash has them.
    sets: Shared<u32>,
    /// What the patch has of others, by handle.
    inverse: Inverse,
    /// Of a donor: the patch's local ids of what is near, as the sections of `moved` lie.
    names: Shared<u16>,
    /// Of a donor: vertices that it loses.
    taken: Shared<u32>,
    /// Of a donor: elements at those vertices, as the masks of owned elements lie.
    near: Shared<u32>,
    /// Of a donor: elements that stay.
    stays: Shared<u32>,
    /// Free local ids before each word of a mask.
    free: Shared<u32>,
    counts: Shared<u32>,
    told: Shared<u32>,
    scratch: Shared<u32>,
}

/// Where the sets begin.
const DONORS: u32 = 0;
const HELD: u32 = 2;
const GIVERS: u32 = 4;

/// Words of [`Expansion::counts`].
const OVERFLOWS: u32 = 0;
const TICKETS: u32 = 1;
const COUNTS: u32 = 8;

/// The part of a table that may be in use.
#[inline(always)]
fn table_limit(words: u32) -> u32 {
    (words - OVERFLOW) / 5 * 4
}

/// Whom an expansion serves: the patch that a block has locked and copied.
#[derive(Clone, Copy, Debug)]
pub struct Host<'a> {
    /// All patches.
    pub store: &'a PatchStore,
    /// The attributes.
    pub columns: &'a Columns,
    /// The patch.
    pub id: u32,
    /// Its copy.
    pub local: Local,
    /// The kind of the seeds.
    pub seeds: Kind,
    /// See [`Tally`].
    pub tally: GlobalMut<u32>,
}

impl Host<'_> {
    /// Counts what must not happen, for the host to report.
    #[inline(always)]
    pub fn check(&self, holds: bool) {
        if !holds {
            self.tally.fetch_add(Tally::Corrupt as u32, 1);
        }
    }
}

/// Passes a mark on.
#[inline(always)]
fn pass_on(marked: bool, to: LocalParts, section: u32, i: u32) {
    if marked {
        to.enter(section, i);
    } else {
        to.leave(section, i);
    }
}

/// Free local id `k`, by the free ids before each word of a mask.
#[inline(always)]
fn nth_free(active: Shared<u32>, before: Shared<u32>, words: u32, k: u32) -> u32 {
    // The last word with at most `k` before it.
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
    /// Takes the room.
    #[inline(always)]
    pub fn take(shape: Shape, plan: &mut Plan) -> Expansion {
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

    /// Takes over the first `n` vertices of [`Expansion::wanted`], all of which others own.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn run<B: Block>(&self, b: B, host: &Host<'_>, n: u32) -> Outcome {
        self.begin(b, host, n);
        let outcome = self.passes(b, host, n);
        if outcome == Outcome::Done {
            self.tell_witnesses(b, host);
            self.settle(b, host);
        }
        self.release(b, host);
        outcome
    }

    /// Two passes over the donors: what comes in from them, then, if all that can fail has not, its transfer.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn passes<B: Block>(&self, b: B, host: &Host<'_>, n: u32) -> Outcome {
        if b.tell(self.told, || self.lock(host)) != DONE {
            return Outcome::Locked;
        }
        let mut pass = 0;
        while pass < 2 {
            if pass == 1 {
                let outcome = self.admit(b, host);
                if outcome != Outcome::Done {
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
        Outcome::Done
    }

    /// Notes with all who took part that there was no room with one of them. One thread.
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

    /// Whether what comes in may: all parties can be locked, and there is room everywhere.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn admit<B: Block>(&self, b: B, host: &Host<'_>) -> Outcome {
        let lock = || {
            if self.counts.load(OVERFLOWS) != 0 {
                return NO_ROOM;
            }
            self.lock(host)
        };
        match b.tell(self.told, lock) {
            DONE => {}
            LOCKED => return Outcome::Locked,
            _ => return Outcome::NoRoom,
        }
        self.check_stashes(b, host);
        each_kind(|kind| self.number(b, host, kind));
        if b.tell(self.told, || self.counts.load(OVERFLOWS)) != 0 {
            return Outcome::NoRoom;
        }
        Outcome::Done
    }

    /// What the patch has of others' elements of a kind.
    #[inline(always)]
    fn inverse(&self, kind: Kind) -> Inverse {
        self.inverse
            .part(self.shape.moved_at(kind), self.shape.room(kind))
    }

    /// The donors, and what the patch has of others already.
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
    fn is_in(&self, set: u32, slot: u32) -> bool {
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

    /// Lets go of the parties.
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

    /// What a donor has at the vertices that it will lose.
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
                // Also when it has no face.
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
    fn is_taken(&self, v: u32) -> bool {
        self.taken.load(v / 32) >> (v % 32) & 1 != 0
    }

    /// Marks a face of a donor with its edges and corners.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mark(
        &self,
        set: Shared<u32>,
        f: u32,
        from: &super::store::Parts<GlobalMut<u16>, GlobalMut<u32>>,
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
    fn is_marked(&self, set: Shared<u32>, kind: Kind, i: u32) -> bool {
        set.load(self.shape.owned(kind) + i / 32) >> (i % 32) & 1 != 0
    }

    /// Enters what comes in from a donor, and who else takes part.
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
        // What the donor keeps as ribbon must fit its tables. What it has no use for goes before that enters: counted is what there is then, or a patch whose tables are
        // nearly full could not be cut.
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

    /// Whether a donor keeps neither end of an edge.
    #[inline(always)]
    fn is_given_edge(
        &self,
        from: &super::store::Parts<GlobalMut<u16>, GlobalMut<u32>>,
        e: u32,
    ) -> bool {
        let loses = |v: u32| self.is_taken(v) || !from.is_owned(Kind::Vertex, v);
        loses(from.origin(2 * e)) && loses(from.origin(2 * e + 1))
    }

    /// Whether every party can name the patch, and the patch every owner.
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

    /// Gives the new elements of a kind local ids.
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

    /// The local id of a handle.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn local_of(&self, host: &Host<'_>, kind: Kind, handle: u32) -> u32 {
        let base = host.store.base(host.id, kind);
        if handle / self.shape.room(kind) == host.id {
            return handle - base;
        }
        let found = self.inverse(kind).find(handle);
        host.check(found.is_some());
        found.unwrap_or(0)
    }

    /// Brings in what a donor has at the vertices that it loses, and takes from it what it has no use for.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn transfer<B: Block>(&self, b: B, host: &Host<'_>, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    if self.is_marked(self.near, kind, i) {
                        let at = self.local_of(host, kind, from.handle(donor, kind, i));
                        self.names.set(s.moved_at(kind) + i, at as u16);
                    }
                });
            });
            // The stash gets its slot before tables name it.
            p.lead(|| {
                from.stash().insert(host.id);
            });
        });
        self.bring_in(b, host, &from);
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    let given = match kind {
                        Kind::Vertex => self.is_taken(i),
                        Kind::Edge => self.is_given_edge(&from, i),
                        Kind::Face => !self.is_marked(self.stays, Kind::Face, i),
                    };
                    self.hand_over(host, donor, kind, i, given);
                });
            });
        });
        // What was given away and stays as ribbon.
        let slot = from.stash().find(host.id).unwrap_or(0);
        let moved = host.store.moved(donor);
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    let at = moved.get(s.moved_at(kind) + i);
                    if at != STAYS && self.is_marked(self.stays, kind, i) {
                        let entry = RibbonEntry {
                            local: i,
                            slot,
                            at: u32::from(at),
                        };
                        // There is room: the survey counted.
                        host.check(from.table(kind).insert(entry));
                    }
                });
            });
        });
    }

    /// The patch's name of a donor's element that is near.
    #[inline(always)]
    fn name(&self, kind: Kind, i: u32) -> u32 {
        u32::from(self.names.get(self.shape.moved_at(kind) + i))
    }

    /// Writes the edges and faces that come in.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn bring_in<B: Block>(
        &self,
        b: B,
        host: &Host<'_>,
        from: &super::store::Parts<GlobalMut<u16>, GlobalMut<u32>>,
    ) {
        let (s, to) = (self.shape, host.local.parts);
        b.phase(|p| {
            p.each(s.vertices, |v| {
                if self.is_marked(self.near, Kind::Vertex, v) {
                    to.enter(s.active(Kind::Vertex), self.name(Kind::Vertex, v));
                }
            });
            p.each(s.edges, |e| {
                if !self.is_marked(self.near, Kind::Edge, e) {
                    return;
                }
                let at = self.name(Kind::Edge, e);
                if to.enter(s.active(Kind::Edge), at) {
                    let end = |side: u32| self.name(Kind::Vertex, from.origin(2 * e + side));
                    to.topology.put(2 * at, end(0));
                    to.topology.put(2 * at + 1, end(1));
                }
            });
            p.each(s.faces, |f| {
                if !self.is_marked(self.near, Kind::Face, f) {
                    return;
                }
                let at = self.name(Kind::Face, f);
                if to.enter(s.active(Kind::Face), at) {
                    let mut k = 0;
                    while k < 3 {
                        let h = from.side(f, k);
                        let side = 2 * self.name(Kind::Edge, h >> 1) + (h & 1);
                        to.topology.put(s.fe() + 3 * at + k, side);
                        k += 1;
                    }
                    pass_on(from.is_frozen(f), to, s.frozen(), at);
                }
            });
        });
    }

    /// One element of a donor: gives it away if it is owned and `given`; drops it unless the donor has a face there still, or owns the vertex.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(&self, host: &Host<'_>, donor: u32, kind: Kind, i: u32, given: bool) {
        let (s, from) = (self.shape, host.store.patch(donor));
        if !from.is_active(kind, i) {
            return;
        }
        let owned = from.is_owned(kind, i);
        if owned && given {
            self.give(host, donor, kind, i);
        }
        let keeps = kind as u32 == Kind::Vertex as u32 && owned && !given;
        if !self.is_marked(self.stays, kind, i) && !keeps {
            from.leave(s.active(kind), i);
            if !owned {
                from.table(kind).remove(i);
            }
        }
    }

    /// Makes an element of a donor, with its attributes, the patch's own.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn give(&self, host: &Host<'_>, donor: u32, kind: Kind, i: u32) {
        let (s, from, to) = (self.shape, host.store.patch(donor), host.local.parts);
        let handle = host.store.base(donor, kind) + i;
        // What is given away is near.
        let at = self.name(kind, i);
        let moved = host.store.moved(donor);
        moved.set(s.moved_at(kind) + i, at as u16);
        from.leave(s.owned(kind), i);
        to.enter(s.owned(kind), at);
        host.columns
            .copy(kind, handle, host.store.base(host.id, kind) + at);
        if kind as u32 == host.seeds as u32 {
            pass_on(from.leave(s.seeds(), i), to, s.seeds(), at);
            pass_on(from.leave(s.refused(), i), to, s.refused(), at);
        }
    }

    /// Names the new owner in the tables of all parties.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell_witnesses<B: Block>(&self, b: B, host: &Host<'_>) {
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let party = self.parties.get(slot);
            if party != EMPTY_SLOT && party != host.id {
                self.tell_one(b, host, party);
            }
            slot += 1;
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell_one<B: Block>(&self, b: B, host: &Host<'_>, party: u32) {
        let (s, theirs) = (self.shape, host.store.patch(party));
        let stash = theirs.stash();
        b.phase(|p| p.each(2, |i| self.sets.set(GIVERS + i, 0)));
        b.each(STASH_SLOTS, |i| {
            let owner = stash.get(i);
            if owner != EMPTY_SLOT
                && let Some(slot) = self.parties.find(owner)
                && self.is_in(DONORS, slot)
            {
                self.sets.fetch_or(GIVERS + i / 32, 1 << (i % 32));
            }
        });
        b.lead(|| {
            stash.insert(host.id);
        });
        let slot = stash.find(host.id).unwrap_or(0);
        b.phase(|p| {
            each_kind(|kind| {
                let table = theirs.table(kind);
                p.each(table.len(), |i| {
                    let Some(entry) = table.entry(i) else {
                        return;
                    };
                    if !self.is_in(GIVERS, entry.slot) {
                        return;
                    }
                    let moved = host.store.moved(stash.get(entry.slot));
                    let at = moved.get(s.moved_at(kind) + entry.at);
                    if at != STAYS {
                        table.replace(RibbonEntry {
                            local: entry.local,
                            slot,
                            at: u32::from(at),
                        });
                    }
                });
            });
        });
    }

    /// Brings the patch's own tables up to date, and clears what was noted of the donors.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn settle<B: Block>(&self, b: B, host: &Host<'_>) {
        let (s, parts) = (self.shape, host.local.parts);
        let stash = parts.stash();
        // Out goes what is owned now.
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some((_, local, false)) = inverse.entry(i)
                        && parts.is_owned(kind, local)
                    {
                        parts.table(kind).remove(local);
                    }
                });
            });
        });
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some((handle, local, true)) = inverse.entry(i)
                        && !parts.is_owned(kind, local)
                    {
                        let entry = RibbonEntry {
                            local,
                            slot: stash.find(handle / s.room(kind)).unwrap_or(0),
                            at: handle % s.room(kind),
                        };
                        // There is room: the numbers were given by it.
                        host.check(parts.table(kind).insert(entry));
                    }
                });
            });
            // What was noted of the donors.
            let mut slot = 0;
            while slot < STASH_SLOTS {
                if self.is_in(DONORS, slot) {
                    let moved = host.store.moved(self.parties.get(slot));
                    p.each(s.moved(), |i| moved.set(i, STAYS));
                }
                slot += 1;
            }
        });
    }
}
