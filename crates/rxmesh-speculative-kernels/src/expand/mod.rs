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

mod admit;
mod inverse;
mod survey;
mod transfer;

use super::local::{LocalParts, LocalPatch};
use super::stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
use super::store::{ColumnList, MAY_NEED_SLICE, PatchCapacity, PatchStore, each_kind};
use super::table::OVERFLOW;
use super::tally::Tally;
use inverse::Inverse;
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
    shape: PatchCapacity,
    /// Handles of the vertices to take over.
    pub wanted: Shared<u32>,
    /// Patches that take part.
    parties: Stash<Shared<u32>>,
    /// Sets of parties, by their slot, two words each: donors, locked here, donors that a witness's stash must name.
    sets: Shared<u32>,
    /// Local ids of other patches' elements, by handle.
    inverse: Inverse,
    /// For a donor: the patch's local ids of nearby elements, in the sections of `moved`.
    names: Shared<u16>,
    /// For a donor: vertices that it loses.
    taken: Shared<u32>,
    /// For a donor: elements at those vertices, in the layout of the masks of owned elements.
    near: Shared<u32>,
    /// For a donor: elements that stay.
    stays: Shared<u32>,
    /// Number of free local ids before each word of a mask.
    free: Shared<u32>,
    counts: Shared<u32>,
    told: Shared<u32>,
    scratch: Shared<u32>,
}

/// Offset of each set.
const DONORS: u32 = 0;
const HELD: u32 = 2;
const GIVERS: u32 = 4;

/// Indices of [`Expansion::counts`].
const OVERFLOWS: u32 = 0;
const TICKETS: u32 = 1;
/// Per kind: new elements that the patch will own, which need no entry of a table.
const GIVEN: u32 = 2;
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
fn pass_on(marked: bool, to: LocalParts, section: u32, i: u32) {
    if marked {
        to.enter(section, i);
    } else {
        to.leave(section, i);
    }
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

    /// Returns the local ids of other patches' elements of a kind.
    #[inline(always)]
    fn inverse(&self, kind: Kind) -> Inverse {
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

    /// Returns the local id of a handle.
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
}
