//! Place where a cavity is recorded, cut and filled: the differences between schedulers of the cavity operator.

use super::births::{self, Origin};
use super::claims::{ClaimTables, Key};
use super::round::{Counter, Round, Slots};
use crate::edit::{FlatMesh, HalfEdgeMesh, HalfEdgeMeshMut, NONE};
use crate::mem::GlobalMut;
use crate::topo::Kind;

/// Place of one cavity: the mesh that it is cut out of, its record, its slots, and the receiver of its reports.
///
/// [`Cavity`](super::Cavity) and [`Hole`](super::Hole) are written on it, so that operators run unchanged wherever the
/// mesh lies.
pub trait Site: Copy {
    /// Type of the mesh.
    type Mesh: HalfEdgeMeshMut;

    /// Returns the mesh.
    fn mesh(&self) -> &Self::Mesh;
    /// Returns word `i` of the cavity's record.
    fn word(&self, i: u32) -> u32;
    /// Sets word `i` of the cavity's record.
    fn set_word(&self, i: u32, v: u32);
    /// Returns the free slot `k` that is reserved for this cavity beyond those of its deleted elements; [`NONE`] beyond
    /// the last.
    fn slot(&self, kind: Kind, k: u32) -> u32;
    /// Makes an element, of the kind of the seeds, a seed of the next round.
    fn again(&self, seed: u32);
    /// Reports that the fill-in broke the rules.
    fn broken(&self);
    /// Reports birth `k` of this cavity: the position of a new vertex. Does nothing if births are not wanted.
    fn birth(&self, k: u32, vertex: u32, origin: Origin);
    /// Reports that a face in a reserved slot inherits from a deleted one, whose slot still has its values.
    fn inherit(&self, face: u32, from: u32);
    /// Returns `true` if births are wanted.
    fn listens(&self) -> bool;
}

/// Set of the faces that a candidate holds, whose cavity is to be recorded.
pub trait Holder: Copy {
    /// Returns `true` if it holds a face.
    fn holds(&self, f: u32) -> bool;
    /// Marks a face that it holds. Returns `false` if it was marked before.
    fn list(&self, f: u32) -> bool;
}

/// Slots that are reserved for one winner.
#[derive(Clone, Copy)]
pub(super) struct Reserved<'a> {
    /// Source of the slots: V, E, F.
    pub slots: [&'a Slots; 3],
    /// First slot of the winner among all of the session.
    pub base: [u32; 3],
    /// Number of its slots.
    pub room: [u32; 3],
}

/// A site of the claims scheduler: in the flat arrays of a session.
#[derive(Clone, Copy)]
pub(super) struct FlatSite<'a> {
    pub mesh: &'a FlatMesh,
    pub round: &'a Round,
    /// Starts with the record.
    pub record: GlobalMut<u32>,
    /// Nothing for operators that need no new slots, and before they are reserved.
    pub reserved: Option<Reserved<'a>>,
    /// Start of the births of this cavity.
    pub births: u32,
}

impl<'a> FlatSite<'a> {
    /// Returns the site whose record is at a place among the round's, before the cavity is cut.
    #[inline(always)]
    pub(super) fn of_record(mesh: &'a FlatMesh, round: &'a Round, at: u32) -> Self {
        FlatSite {
            mesh,
            round,
            record: round.records.from(at),
            reserved: None,
            births: 0,
        }
    }
}

impl Site for FlatSite<'_> {
    type Mesh = FlatMesh;

    #[inline(always)]
    fn mesh(&self) -> &FlatMesh {
        self.mesh
    }

    #[inline(always)]
    fn word(&self, i: u32) -> u32 {
        self.record.get(i)
    }

    #[inline(always)]
    fn set_word(&self, i: u32, v: u32) {
        self.record.set(i, v);
    }

    #[inline(always)]
    fn slot(&self, kind: Kind, k: u32) -> u32 {
        let kind = kind as usize;
        match self.reserved {
            Some(r) if k < r.room[kind] => r.slots[kind].slot(r.base[kind] + k),
            _ => NONE,
        }
    }

    #[inline(always)]
    fn again(&self, seed: u32) {
        self.round.enqueue(seed);
    }

    #[inline(always)]
    fn broken(&self) {
        self.round.count(Counter::Broken, 1);
    }

    #[inline(always)]
    fn birth(&self, k: u32, vertex: u32, origin: Origin) {
        if self.listens() {
            births::enter(self.round.births, self.births + k, vertex, origin);
        }
    }

    #[inline(always)]
    fn inherit(&self, face: u32, from: u32) {
        let origins = self.round.origins;
        if !origins.is_empty() {
            origins.set(face, origins.get(from));
        }
    }

    #[inline(always)]
    fn listens(&self) -> bool {
        !self.round.births.is_empty()
    }
}

/// Holder of the faces that a key has claimed.
#[derive(Clone, Copy)]
pub(super) struct Claimant<'a> {
    pub mesh: &'a FlatMesh,
    pub claims: &'a ClaimTables,
    pub key: Key,
}

impl Holder for Claimant<'_> {
    #[inline(always)]
    fn holds(&self, f: u32) -> bool {
        let (claims, key) = (self.claims, self.key);
        if claims.ends.is_empty() {
            return claims.has_face(f, key);
        }
        // A face of the cavity is one at an end.
        let is_end = |h: u32| claims.claim_at(self.mesh.origin(h)).is_of(key);
        let [a, b, c] = self.mesh.sides(f);
        is_end(a) || is_end(b) || is_end(c)
    }

    #[inline(always)]
    fn list(&self, f: u32) -> bool {
        self.claims.list_face(f, self.key)
    }
}
