//! Order of the edges at a vertex.

use crate::args;
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE};
use crate::math::{hash, unhash};
use crate::mem::GlobalMut;

/// Costs that differ in their lowest bits only, by 3 % at most, are alike: a hash decides which edge goes first at a
/// vertex. On smooth surfaces costs change little from edge to edge, and hardly any edge would be cheaper than all
/// around it.
const ALIKE_BITS: u32 = 18;

/// Bits by which equal urgencies may differ: candidates whose costs differ in these lowest bits only, by half at most,
/// are equally urgent. Where urgency rises steadily over the surface each candidate would otherwise lose against the
/// one before it, which loses too: only the first would win.
pub(super) const URGENCY_BITS: u32 = 22;

/// Bits of a key below its turn: the class of a cost below [`REFUSED`](super::REFUSED), and a hash.
const TURN_AT: u32 = 31 - ALIKE_BITS + 32;

/// More rounds than turns cannot be distinguished by their keys.
pub const MOST_TURNS: u32 = (1 << (64 - TURN_AT)) - 2;

args! {
    /// Order of the edges at a vertex in a round: the cheapest first, and of edges whose costs are alike the one with
    /// the smallest hash.
    pub struct EdgePriority {
        /// Number that is mixed into the hashes.
        pub salt: u32,
        /// Number of the round, at most [`MOST_TURNS`].
        pub turn: u32,
        /// Smallest key of each vertex among its edges that the round considers: no edge that goes before one of
        /// them is left out. Keys of earlier rounds are larger.
        pub firsts: GlobalMut<u64>,
    }
}

impl EdgePriority {
    /// Returns the key of an edge that is not refused.
    #[inline(always)]
    fn key(&self, e: u32, cost: u32) -> u64 {
        let turn = u64::from(MOST_TURNS - self.turn);
        let class = u64::from(cost >> ALIKE_BITS);
        turn << TURN_AT | class << 32 | u64::from(hash(e ^ self.salt))
    }

    /// Prefetches the keys at the ends of an edge ([`GlobalMut::ask`]).
    #[inline(always)]
    pub(super) fn ask(&self, mesh: &FlatMesh, e: u32) {
        self.firsts.ask(mesh.origin(2 * e));
        self.firsts.ask(mesh.tip(2 * e));
    }

    /// Enters an edge that the round considers.
    #[inline(always)]
    pub(super) fn enter(&self, mesh: &FlatMesh, e: u32, cost: u32) {
        let key = self.key(e, cost);
        self.firsts.fetch_min(mesh.origin(2 * e), key);
        self.firsts.fetch_min(mesh.tip(2 * e), key);
    }

    /// Returns the urgency of the edge with a key, as claims have it; less is more urgent.
    #[inline(always)]
    fn urgency(key: u64) -> (u32, u32) {
        ((key >> (32 + URGENCY_BITS - ALIKE_BITS)) as u32, key as u32)
    }

    /// Returns `true` if the edge with a key goes first at both its ends.
    #[inline(always)]
    fn is_first(&self, mesh: &impl HalfEdgeMesh, e: u32, key: u64) -> bool {
        self.firsts.load(mesh.origin(2 * e)) == key && self.firsts.load(mesh.tip(2 * e)) == key
    }

    /// Returns `true` if an edge that takes part goes first at both its ends, and none that is more urgent does so at a
    /// vertex opposite: such an edge has a face in common with it, and one of the two would lose.
    #[inline(always)]
    pub(super) fn is_free(&self, mesh: &impl HalfEdgeMesh, e: u32, cost: u32) -> bool {
        let key = self.key(e, cost);
        self.is_first(mesh, e, key)
            && self.is_free_at(mesh, 2 * e, key)
            && self.is_free_at(mesh, 2 * e + 1, key)
    }

    /// Returns `true` if no edge is more urgent than that with a key and goes first at the vertex opposite to this
    /// half-edge.
    #[inline(always)]
    fn is_free_at(&self, mesh: &impl HalfEdgeMesh, h: u32, key: u64) -> bool {
        if mesh.face(h) == NO_FACE {
            return true;
        }
        let other = self.firsts.load(mesh.apex(h));
        Self::urgency(other) >= Self::urgency(key)
            || !self.is_first(mesh, unhash(other as u32) ^ self.salt, other)
    }
}
