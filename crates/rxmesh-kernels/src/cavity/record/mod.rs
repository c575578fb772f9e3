//! Record of a cavity: its deleted elements, and its boundary loop in order.

mod write;

pub use write::Recorder;

use super::Template;
use super::site::Site;
use crate::edit::HalfEdgeMesh;
use crate::mem::GlobalMut;

/// Words before the lists of a record: numbers of faces, edges and vertices deleted, and of loop edges (the highest
/// bit: the boundary loop is closed).
///
/// Then come the faces, the edges, for each corner of the boundary loop the half-edge that leaves it and the vertex
/// with marks (an open loop has a last corner without a half-edge), and the vertices.
pub const RECORD_HEADER: u32 = 4;

/// Bit of the number of loop edges: the boundary loop is closed.
pub(in crate::cavity) const CLOSED: u32 = 1 << 31;

/// Bit of a vertex of the boundary loop: its edge in `ve` is deleted.
pub(in crate::cavity) const LOSES_EDGE: u32 = 1 << 31;

/// Bit of a vertex of the boundary loop: beyond the half-edge that leaves it there is no face.
pub(in crate::cavity) const BORDER: u32 = 1 << 30;

/// Returns the most words that a record takes with `faces` faces (counted each time they are met) and `vertices`
/// vertices: each face has three sides, each of which is a loop edge of two words or at least half an edge.
#[inline(always)]
pub fn record_words(faces: u32, vertices: u32) -> u32 {
    RECORD_HEADER + 2 + 7 * faces + vertices
}

/// Returns the most words of records written in one round over a mesh of `faces` faces, each of which one winner at
/// most deletes and `T` meets [`Template::MEETS`] times; every vertex that is named meets a face.
pub const fn most_record_words<T: Template>(faces: u32) -> u64 {
    faces as u64 * (RECORD_HEADER as u64 + 2 + 8 * T::MEETS as u64)
}

/// Returns the first vertex that a record names.
#[inline(always)]
pub(in crate::cavity) fn first_vertex(record: GlobalMut<u32>) -> u32 {
    let (faces, edges, rim) = (record.get(0), record.get(1), record.get(3));
    let corners = (rim & !CLOSED) + u32::from(rim & CLOSED == 0);
    record.get(RECORD_HEADER + faces + edges + 2 * corners)
}

/// A cavity that is about to be cut: the deleted elements, and the boundary loop.
///
/// The boundary loop runs against the clock around the hole as its faces did: half-edge `i` leaves corner `i` and had
/// its face in the cavity. A closed loop has as many corners as edges; a boundary loop that is open, because the cavity
/// takes edges of the boundary, has one more.
#[derive(Clone, Copy, Debug)]
pub struct Cavity<S> {
    site: S,
    seed: u32,
    counts: [u32; 3],
    rim: u32,
    closed: bool,
}

impl<S: Site> Cavity<S> {
    /// Creates the cavity of a seed whose record lies at a site.
    #[inline(always)]
    pub fn new(site: S, seed: u32) -> Self {
        let rim = site.word(3);
        Cavity {
            site,
            seed,
            counts: [site.word(2), site.word(1), site.word(0)],
            rim: rim & !CLOSED,
            closed: rim & CLOSED != 0,
        }
    }

    /// Returns the mesh. Only the cavity and its boundary loop may be read: elements beyond may be changing.
    #[inline(always)]
    pub fn mesh(&self) -> &S::Mesh {
        self.site.mesh()
    }

    #[inline(always)]
    pub(in crate::cavity) fn site(&self) -> S {
        self.site
    }

    /// Prefetches the elements that are cut and filled, while the cavity is examined on a CPU.
    #[inline(always)]
    pub(in crate::cavity) fn ask(&self) {
        if cfg!(target_arch = "nvptx64") {
            return;
        }
        let mut i = 0;
        while i < self.edges() {
            self.mesh().ask_edge(self.edge(i));
            i += 1;
        }
        i = 0;
        while i < self.rim() {
            self.mesh().ask_edge(self.rim_half(i) >> 1);
            i += 1;
        }
        i = 0;
        while i < self.faces() {
            self.mesh().ask_face(self.face(i));
            i += 1;
        }
    }

    /// Returns the seed.
    #[inline(always)]
    pub fn seed(&self) -> u32 {
        self.seed
    }

    /// Returns the number of faces that are deleted.
    #[inline(always)]
    pub fn faces(&self) -> u32 {
        self.counts[2]
    }

    /// Returns deleted face `i`.
    #[inline(always)]
    pub fn face(&self, i: u32) -> u32 {
        self.site.word(RECORD_HEADER + i)
    }

    /// Returns the number of edges that are deleted.
    #[inline(always)]
    pub fn edges(&self) -> u32 {
        self.counts[1]
    }

    /// Returns deleted edge `i`.
    #[inline(always)]
    pub fn edge(&self, i: u32) -> u32 {
        self.site.word(RECORD_HEADER + self.counts[2] + i)
    }

    /// Returns the number of vertices that are deleted.
    #[inline(always)]
    pub fn vertices(&self) -> u32 {
        self.counts[0]
    }

    /// Returns deleted vertex `i`.
    #[inline(always)]
    pub fn vertex(&self, i: u32) -> u32 {
        self.site.word(self.rim_at() + 2 * self.corners() + i)
    }

    /// Exchanges deleted vertices `i` and `k` in the list.
    #[inline(always)]
    pub(in crate::cavity) fn swap_vertices(&self, i: u32, k: u32) {
        let at = self.rim_at() + 2 * self.corners();
        let (v, w) = (self.vertex(i), self.vertex(k));
        self.site.set_word(at + i, w);
        self.site.set_word(at + k, v);
    }

    /// Returns the number of loop edges.
    #[inline(always)]
    pub fn rim(&self) -> u32 {
        self.rim
    }

    /// Returns `true` if the boundary loop is closed.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns the number of loop vertices.
    #[inline(always)]
    pub fn corners(&self) -> u32 {
        self.rim + u32::from(!self.closed)
    }

    #[inline(always)]
    fn rim_at(&self) -> u32 {
        RECORD_HEADER + self.counts[2] + self.counts[1]
    }

    /// Returns loop half-edge `i`, whose face is deleted. A closed loop continues from its beginning.
    #[inline(always)]
    pub fn rim_half(&self, i: u32) -> u32 {
        self.site.word(self.rim_at() + 2 * self.wrapped(i))
    }

    /// Returns loop vertex `i`. A closed loop continues from its beginning.
    #[inline(always)]
    pub fn corner(&self, i: u32) -> u32 {
        self.marked_corner(i) & !(LOSES_EDGE | BORDER)
    }

    /// Returns loop vertex `i` with its marks.
    #[inline(always)]
    pub(in crate::cavity) fn marked_corner(&self, i: u32) -> u32 {
        self.site.word(self.rim_at() + 2 * self.wrapped(i) + 1)
    }

    #[inline(always)]
    fn wrapped(&self, i: u32) -> u32 {
        if i < self.corners() {
            i
        } else {
            i - self.corners()
        }
    }
}
