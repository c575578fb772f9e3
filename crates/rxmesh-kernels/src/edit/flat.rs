//! A mesh as flat arrays, on which an edit session works.

use super::{HalfEdgeMesh, HalfEdgeMeshMut};
use crate::args;
use crate::mem::GlobalMut;

/// No element, and in the first slot of a face or an edge: the element is dead.
pub const NONE: u32 = u32::MAX;

/// Value in `ve`: the vertex is dead.
pub const DEAD: u32 = u32::MAX - 1;

/// No face: the value of a half-edge on the boundary.
pub const NO_FACE: u32 = NONE;

/// With the face of a half-edge, while the hole is open that it left: the face is deleted. There are fewer faces than
/// 2^31.
pub const LOST: u32 = 1 << 31;

/// Vertices that a session can hold: two bits of a 32-bit id are used for marks.
pub const VERTEX_LIMIT: u32 = 1 << 30;

args! {
    /// Mesh of an edit session, in session ids: those of the patched mesh when it was opened, then free slots up to the
    /// capacity.
    ///
    /// The value `h = edge << 1 | direction` that a face stores for each of its sides is a *half-edge*: the edge as
    /// that face walks along it. With it everything is one look-up:
    ///
    /// - its origin is `ev[h]` and its tip `ev[h ^ 1]`, since `ev[2 e]` is the edge's source and `ev[2 e + 1]` its
    ///   target;
    /// - its face is `around[2 h]`: the face along the edge is that of half-edge `2 e`, the face against it that of
    ///   `2 e + 1`;
    /// - the half-edge before it in its face is `around[2 h + 1]`: a walk around a vertex is one look-up per step;
    /// - the same edge seen from the other side is `h ^ 1`.
    ///
    /// Elements where this does not hold are *frozen* and no operator touches them: edges with more than two faces or
    /// with two faces that walk the same way, vertices whose faces are not one fan, faces that repeat a vertex, and all
    /// faces at such edges and vertices. The half-edges of such an edge hold some two of its faces.
    pub struct FlatMesh {
        /// Three half-edges per face, in the order of its corners; [`NONE`] first in a dead face. Corner `k` is the
        /// origin of half-edge `k`.
        pub fe: GlobalMut<u32>,
        /// Source and target of each edge; [`NONE`] first in a dead edge.
        pub ev: GlobalMut<u32>,
        /// Face of each half-edge, and the half-edge before it in that face; [`NO_FACE`] and [`NONE`] if there is no
        /// face. A walk reads both, and the filling of a hole writes both: side by side they cost one access to memory.
        pub around: GlobalMut<u32>,
        /// An incident edge of each vertex; [`NONE`] for an isolated vertex, [`DEAD`] for a dead one.
        pub ve: GlobalMut<u32>,
        /// Patch of each live face. New faces have that of the cavity in which they arose.
        pub fp: GlobalMut<u32>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl crate::attr::Field for FlatMesh {}

/// Returns the face that a word names with [`LOST`], or [`NONE`].
#[inline(always)]
pub fn lost(word: u32) -> u32 {
    if word & LOST != 0 && word != NO_FACE {
        word & !LOST
    } else {
        NONE
    }
}

impl FlatMesh {
    /// Returns the capacity for faces.
    #[inline(always)]
    pub fn face_capacity(&self) -> u32 {
        self.fp.len()
    }

    /// Returns the capacity for edges.
    #[inline(always)]
    pub fn edge_capacity(&self) -> u32 {
        self.ev.len() / 2
    }

    /// Returns the capacity for vertices.
    #[inline(always)]
    pub fn vertex_capacity(&self) -> u32 {
        self.ve.len()
    }

    /// Sets a half-edge's face and the half-edge before it there.
    #[inline(always)]
    fn set_around(&self, h: u32, face: u32, before: u32) {
        let both = u64::from(before) << 32 | u64::from(face);
        self.around.cast::<u64>().set(h, both);
    }
}

impl HalfEdgeMesh for FlatMesh {
    #[inline(always)]
    fn origin(&self, h: u32) -> u32 {
        self.ev.get(h)
    }

    #[inline(always)]
    fn face(&self, h: u32) -> u32 {
        self.around.get(2 * h)
    }

    #[inline(always)]
    fn before(&self, h: u32) -> u32 {
        self.around.get(2 * h + 1)
    }

    #[inline(always)]
    fn around(&self, h: u32) -> (u32, u32) {
        let before = self.before(h);
        (self.before(before), before)
    }

    #[inline(always)]
    fn previous(&self, h: u32) -> u32 {
        self.before(h)
    }

    #[inline(always)]
    fn sides(&self, f: u32) -> [u32; 3] {
        let at = 3 * f;
        [self.fe.get(at), self.fe.get(at + 1), self.fe.get(at + 2)]
    }

    #[inline(always)]
    fn edge_at(&self, v: u32) -> u32 {
        self.ve.get(v)
    }

    #[inline(always)]
    fn face_lives(&self, f: u32) -> bool {
        self.fe.get(3 * f) != NONE
    }

    #[inline(always)]
    fn edge_lives(&self, e: u32) -> bool {
        self.ev.get(2 * e) != NONE
    }

    #[inline(always)]
    fn vertex_lives(&self, v: u32) -> bool {
        self.ve.get(v) != DEAD
    }

    #[inline(always)]
    fn ask_edge(&self, e: u32) {
        self.around.ask(4 * e);
        self.ev.ask(2 * e);
    }

    #[inline(always)]
    fn ask_face(&self, f: u32) {
        self.fe.ask(3 * f);
    }

    #[inline(always)]
    fn turn_limit(&self) -> u32 {
        // A patch could not hold the ring of a vertex with more.
        self.face_capacity()
            .min(crate::topo::PatchHeader::MAX_EDGES)
    }
}

impl HalfEdgeMeshMut for FlatMesh {
    #[inline(always)]
    fn set_sides(&self, f: u32, sides: [u32; 3]) {
        let [a, b, c] = sides;
        self.fe.set(3 * f, a);
        self.fe.set(3 * f + 1, b);
        self.fe.set(3 * f + 2, c);
        self.set_around(a, f, c);
        self.set_around(b, f, a);
        self.set_around(c, f, b);
    }

    #[inline(always)]
    fn set_ends(&self, e: u32, ends: [u32; 2]) {
        let [a, b] = ends;
        self.ev.set(2 * e, a);
        self.ev.set(2 * e + 1, b);
    }

    #[inline(always)]
    fn leave_face(&self, h: u32) {
        self.set_around(h, NO_FACE, NONE);
    }

    #[inline(always)]
    fn lose_face(&self, h: u32) {
        self.around.set(2 * h, self.face(h) | LOST);
    }

    #[inline(always)]
    fn lost_face(&self, h: u32) -> u32 {
        lost(self.face(h))
    }

    #[inline(always)]
    fn set_edge_at(&self, v: u32, e: u32) {
        self.ve.set(v, e);
    }

    #[inline(always)]
    fn store_edge_at(&self, v: u32, e: u32) {
        self.ve.store(v, e);
    }

    #[inline(always)]
    fn load_edge_at(&self, v: u32) -> u32 {
        self.ve.load(v)
    }

    #[inline(always)]
    fn bury_face(&self, f: u32) {
        self.fe.set(3 * f, NONE);
    }

    #[inline(always)]
    fn bury_edge(&self, e: u32) {
        self.ev.set(2 * e, NONE);
        self.leave_face(2 * e);
        self.leave_face(2 * e + 1);
    }

    #[inline(always)]
    fn bury_vertex(&self, v: u32) {
        self.ve.set(v, DEAD);
    }

    #[inline(always)]
    fn label(&self, f: u32) -> u32 {
        self.fp.get(f)
    }

    #[inline(always)]
    fn set_label(&self, f: u32, label: u32) {
        self.fp.set(f, label);
    }
}
