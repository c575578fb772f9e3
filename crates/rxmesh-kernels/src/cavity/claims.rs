//! Rights of candidates to change elements in a round.

use super::record::{RECORD_HEADER, first_vertex};
use super::{CavityShape, Operator, Template};
use crate::kernel::FlatKernel;
use crate::math::hash;
use crate::mem::GlobalMut;
use crate::{args, kernel};

/// Claim of no candidate.
pub const FREE: u64 = u64::MAX;

/// Claim that no candidate may ever replace: smaller than every key.
pub const FROZEN: u64 = 0;

/// First epoch. Epochs count down, so that claims of earlier rounds are larger than those of this one and need not be
/// cleared; below 1 all claims are reset.
pub const RESET_EPOCH: u32 = (1 << EPOCH_BITS) - 2;

const EPOCH_BITS: u32 = 12;
const EPOCH_AT: u32 = 52;
const PRIORITY_AT: u32 = 33;

/// Marks a face that its winner has listed.
const LISTED: u64 = 1;

/// Urgency of a candidate: smaller goes first. 19 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Priority(u32, Met);

/// Number of times that a template meets faces: at the seed and, if it is an edge whose ends are named, at the first of
/// them.
///
/// In one word, 16 bits each: a count that overflows them is taken for none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Met(u32);

impl Met {
    const BITS: u32 = 16;

    /// Packs the counts of all faces met and of those at the first end.
    #[inline(always)]
    pub(super) fn new(all: u32, first: u32) -> Met {
        if all >> Met::BITS == 0 {
            Met(all | first << Met::BITS)
        } else {
            Met(0)
        }
    }

    /// Returns the count of all faces met; 0 if they were not counted.
    #[inline(always)]
    pub(super) fn all(self) -> u32 {
        self.0 & ((1 << Met::BITS) - 1)
    }

    /// Returns the count at the first end.
    #[inline(always)]
    pub(super) fn first(self) -> u32 {
        self.0 >> Met::BITS
    }

    /// Returns the counts as a word.
    #[inline(always)]
    pub(super) fn word(self) -> u32 {
        self.0
    }

    /// Returns the counts of [`Met::word`].
    #[inline(always)]
    pub(super) fn from_word(word: u32) -> Met {
        Met(word)
    }
}

impl Priority {
    /// Same priority for all: a hash of the seed's id decides.
    pub const NONE: Priority = Priority(0, Met(0));

    /// Returns a priority: the smaller the value the more urgent. Negative values and those that are no number count as
    /// zero; the relative precision is 2^-11, and a hash of the seed's id decides among values that it cannot tell
    /// apart.
    #[inline(always)]
    pub fn ascending(value: f32) -> Priority {
        let bits = if value > 0.0 {
            value.to_bits() >> 12
        } else {
            0
        };
        Priority::from_bits(bits)
    }

    /// Returns a priority: the larger the value the more urgent; otherwise as [`Priority::ascending`].
    #[inline(always)]
    pub fn descending(value: f32) -> Priority {
        let most = f32::INFINITY.to_bits() >> 12;
        Priority::from_bits(most - Priority::ascending(value).0.min(most))
    }

    /// Returns the priority as a number: less is more urgent.
    #[inline(always)]
    pub fn bits(self) -> u32 {
        self.0
    }

    /// Returns the priority of [`Priority::bits`].
    #[inline(always)]
    pub fn from_bits(bits: u32) -> Priority {
        Priority(bits, Met(0))
    }

    /// Sets the number of faces at each end of the edge that is the seed, if the operator has walked around them in
    /// any case: [`Claim`](super::Claim) need not count them then.
    #[inline(always)]
    pub fn meeting(self, faces: [u32; 2]) -> Priority {
        Priority(self.0, Met::new(faces[0] + faces[1], faces[0]))
    }

    #[inline(always)]
    pub(super) fn met(self) -> Met {
        self.1
    }
}

/// Key that a candidate claims with: smaller wins. No two seeds of a round have the same.
///
/// From the highest bit: 12 bits epoch, 19 bits priority, 32 bits hash of the seed's id (a bijection), one bit for a
/// mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key(u64);

impl Key {
    /// Bits that order the keys of one round: all but the epoch's and the mark's.
    pub(super) const ORDER_BITS: u32 = EPOCH_AT - 1;

    /// Creates the key of a seed with some hash.
    #[inline(always)]
    pub fn new(epoch: u32, priority: Priority, hash: u32) -> Key {
        Key(u64::from(epoch) << EPOCH_AT
            | u64::from(priority.0) << PRIORITY_AT
            | u64::from(hash) << 1)
    }
}

/// A claim as it lies in memory: code that only keeps it need not wait for the load yet.
#[derive(Clone, Copy)]
pub(super) struct Claimed(u64);

impl Claimed {
    /// Returns the claim of the candidate with this key.
    #[inline(always)]
    pub(super) fn by(key: Key) -> Self {
        Claimed(key.0)
    }

    /// Returns `true` if it is that of the candidate with this key.
    #[inline(always)]
    pub(super) fn is_of(self, key: Key) -> bool {
        self.0 & !LISTED == key.0
    }

    /// Returns `true` if no candidate has claimed it that is more urgent than the one with this key; then it is that
    /// candidate's, if claimed by it.
    #[inline(always)]
    pub(super) fn leaves(self, key: Key) -> bool {
        self.0 >= key.0
    }
}

args! {
    /// Claims of a round.
    pub struct ClaimTables {
        /// Claims on faces, by face.
        pub faces: GlobalMut<u64>,
        /// Claims on vertices, by vertex, if candidates claim the ends of their edges in place of the faces at them
        /// ([`by_ends`]); empty if they do not.
        pub ends: GlobalMut<u64>,
        /// On pairs of vertices that a cavity will join and, as pairs with themselves, on guarded vertices and on those
        /// that must keep one fan: by hash. A collision costs a round, no more.
        pub pairs: GlobalMut<u64>,
    }
}

/// Slots of [`ClaimTables::pairs`] a vertex.
const PAIR_SLOTS: u32 = 4;

/// Returns `true` if candidates claim the ends of their edges. The cavity is all faces at both, so that two cavities
/// have a face in common if and only if an end of one is an end of the other or joined to it. A candidate that finds no
/// claim that is more urgent, neither on the ends nor on the vertices around them, holds the faces: two claims replace
/// a dozen.
#[inline(always)]
pub const fn by_ends<O: Operator>() -> bool {
    matches!(O::Template::SHAPE, CavityShape::Ends) && !O::LEAVES_HOLE
}

impl ClaimTables {
    /// Returns the length of [`ClaimTables::pairs`] for `vertices` vertices.
    pub const fn pair_slots(vertices: usize) -> usize {
        vertices * PAIR_SLOTS as usize
    }

    /// Claims a face.
    #[inline(always)]
    pub(super) fn take_face(&self, f: u32, key: Key) {
        self.faces.fetch_min(f, key.0);
    }

    /// Returns `true` if a face is frozen.
    #[inline(always)]
    pub fn is_frozen(&self, f: u32) -> bool {
        self.faces.load(f) == FROZEN
    }

    /// Returns `true` if a face belongs to the candidate with this key.
    #[inline(always)]
    pub(super) fn has_face(&self, f: u32, key: Key) -> bool {
        self.claim_on(f).is_of(key)
    }

    /// Returns the claim on a face.
    #[inline(always)]
    pub(super) fn claim_on(&self, f: u32) -> Claimed {
        Claimed(self.faces.load(f))
    }

    /// Claims all faces at a vertex.
    #[inline(always)]
    pub(super) fn take_end(&self, v: u32, key: Key) {
        self.ends.fetch_min(v, key.0);
    }

    /// Returns the claim on a vertex.
    #[inline(always)]
    pub(super) fn claim_at(&self, v: u32) -> Claimed {
        Claimed(self.ends.load(v))
    }

    /// Returns the key of the winner with a record, without epoch and mark.
    #[inline(always)]
    pub(super) fn order_of(&self, record: GlobalMut<u32>) -> u64 {
        let claim = if self.ends.is_empty() {
            self.faces.load(record.get(RECORD_HEADER))
        } else {
            self.ends.load(first_vertex(record))
        };
        (claim & ((1 << EPOCH_AT) - 1)) >> 1
    }

    /// Marks a face of the winner with this key. Returns `false` if it was marked before.
    #[inline(always)]
    pub(super) fn list_face(&self, f: u32, key: Key) -> bool {
        let listed = key.0 | LISTED;
        let new = self.faces.load(f) != listed;
        if new {
            self.faces.store(f, listed);
        }
        new
    }

    /// Returns the index in [`ClaimTables::pairs`] of the claims on two vertices.
    #[inline(always)]
    pub fn pair(a: u32, b: u32) -> u32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        low * PAIR_SLOTS + hash(high) % PAIR_SLOTS
    }

    /// Claims the right to join two vertices, or, if they are the same, to open a hole at it.
    #[inline(always)]
    pub(super) fn take_pair(&self, a: u32, b: u32, key: Key) {
        self.pairs.fetch_min(ClaimTables::pair(a, b), key.0);
    }

    /// Returns `true` if the candidate with this key may join two vertices.
    #[inline(always)]
    pub(super) fn has_pair(&self, a: u32, b: u32, key: Key) -> bool {
        self.pairs.load(ClaimTables::pair(a, b)) == key.0
    }
}

kernel! {
    /// Gives up all claims but the frozen ones, when the epochs are used up.
    pub struct ResetClaims: Flat {
        /// Claims on faces, on pairs or on ends.
        pub claims: GlobalMut<u64>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ResetClaims {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.claims.get(i) != FROZEN {
            self.claims.set(i, FREE);
        }
    }
}
