//! A mesh as flat arrays: what an edit session works on.

use crate::kernel;
use crate::mem::GlobalMut;

/// No element, and in the first slot of a face or an edge: the element is dead.
pub const NONE: u32 = u32::MAX;

/// In `ve`: the vertex is dead.
pub const DEAD: u32 = u32::MAX - 1;

/// No face: what a half-edge on the boundary has.
pub const NO_FACE: u32 = NONE;

/// Vertices that a session can hold: two bits of a 32-bit id are used for marks.
pub const VERTEX_LIMIT: u32 = 1 << 30;

kernel! {
    /// The mesh of an edit session, in session ids: those of the patched mesh when it was opened, then free slots up to the capacity.
    ///
    /// The value `h = edge << 1 | direction` that a face stores for each of its sides is a *half-edge*: the edge as that face walks
    /// along it. With it everything is one look-up:
    ///
    /// - its origin is `ev[h]` and its tip `ev[h ^ 1]`, since `ev[2 e]` is the edge's source and `ev[2 e + 1]` its target;
    /// - its face is `ef[h]`: the face along the edge lies in `ef[2 e]`, the face against it in `ef[2 e + 1]`;
    /// - the same edge seen from the other side is `h ^ 1`.
    ///
    /// Elements where this does not hold are *frozen* and no operator touches them: edges with more than two faces or with two faces
    /// that walk the same way, vertices whose faces are not one fan, faces that repeat a vertex, and all faces at such edges and vertices. `ef` of such
    /// an edge holds some two of its faces.
    pub struct FlatMesh: Flat {
        /// Three half-edges a face, in the order of its corners; [`NONE`] first in a dead face. Corner `k` is the origin of half-edge `k`.
        pub fe: GlobalMut<u32>,
        /// Source and target of each edge; [`NONE`] first in a dead edge.
        pub ev: GlobalMut<u32>,
        /// The face of each half-edge, [`NO_FACE`] where there is none.
        pub ef: GlobalMut<u32>,
        /// An incident edge of each vertex; [`NONE`] for an isolated vertex, [`DEAD`] for a dead one.
        pub ve: GlobalMut<u32>,
        /// The patch of each live face. New faces have that of the cavity in which they arose.
        pub fp: GlobalMut<u32>,
    }
}

impl crate::attr::Field for FlatMesh {}

/// A turn around a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    start: u32,
    next: u32,
    back: bool,
    left: u32,
}

impl Turn {
    /// The next half-edge that leaves the vertex.
    #[inline(always)]
    pub fn step(&mut self, mesh: &FlatMesh) -> Option<u32> {
        let h = self.next;
        if h == NONE {
            return None;
        }
        self.next = self.after(mesh, h);
        Some(h)
    }

    #[inline(always)]
    fn after(&mut self, mesh: &FlatMesh, h: u32) -> u32 {
        if self.left == 0 {
            return NONE;
        }
        self.left -= 1;
        let mut h = h;
        if !self.back {
            if mesh.face(h) != NO_FACE {
                let next = mesh.previous(h) ^ 1;
                return if next == self.start { NONE } else { next };
            }
            // The boundary: what is left lies on the other side of the start.
            (h, self.back) = (self.start, true);
        }
        if mesh.face(h ^ 1) == NO_FACE {
            NONE
        } else {
            mesh.next(h ^ 1)
        }
    }
}

impl FlatMesh {
    /// Room for faces.
    #[inline(always)]
    pub fn face_capacity(&self) -> u32 {
        self.fp.len()
    }

    /// Room for edges.
    #[inline(always)]
    pub fn edge_capacity(&self) -> u32 {
        self.ev.len() / 2
    }

    /// Room for vertices.
    #[inline(always)]
    pub fn vertex_capacity(&self) -> u32 {
        self.ve.len()
    }

    /// Whether there is a face in a slot.
    #[inline(always)]
    pub fn face_lives(&self, f: u32) -> bool {
        self.fe.get(3 * f) != NONE
    }

    /// Whether there is an edge in a slot.
    #[inline(always)]
    pub fn edge_lives(&self, e: u32) -> bool {
        self.ev.get(2 * e) != NONE
    }

    /// Whether there is a vertex in a slot.
    #[inline(always)]
    pub fn vertex_lives(&self, v: u32) -> bool {
        self.ve.get(v) != DEAD
    }

    /// The vertex that a half-edge leaves.
    #[inline(always)]
    pub fn origin(&self, h: u32) -> u32 {
        self.ev.get(h)
    }

    /// The vertex that a half-edge reaches.
    #[inline(always)]
    pub fn tip(&self, h: u32) -> u32 {
        self.ev.get(h ^ 1)
    }

    /// The face of a half-edge, or [`NO_FACE`].
    #[inline(always)]
    pub fn face(&self, h: u32) -> u32 {
        self.ef.get(h)
    }

    /// The three half-edges of a face.
    #[inline(always)]
    pub fn sides(&self, f: u32) -> [u32; 3] {
        let at = 3 * f;
        [self.fe.get(at), self.fe.get(at + 1), self.fe.get(at + 2)]
    }

    /// The half-edges after and before `h` in its face, which exists.
    #[inline(always)]
    pub fn around(&self, h: u32) -> (u32, u32) {
        let [a, b, c] = self.sides(self.face(h));
        if h == a {
            (b, c)
        } else if h == b {
            (c, a)
        } else {
            (a, b)
        }
    }

    /// The half-edge after `h` in its face, which exists.
    #[inline(always)]
    pub fn next(&self, h: u32) -> u32 {
        self.around(h).0
    }

    /// The half-edge before `h` in its face, which exists.
    #[inline(always)]
    pub fn previous(&self, h: u32) -> u32 {
        self.around(h).1
    }

    /// The half-edge of edge `e` that leaves vertex `v`, one of its ends.
    #[inline(always)]
    pub fn leaving(&self, v: u32, e: u32) -> u32 {
        2 * e + u32::from(self.ev.get(2 * e) != v)
    }

    /// Runs `f` on the half-edges that leave a vertex whose faces are one fan or one cycle: against the clock, from the boundary if there
    /// is one, each edge once. Stops when `f` returns false; whether it never did.
    #[inline(always)]
    pub fn spokes(&self, v: u32, mut f: impl FnMut(u32) -> bool) -> bool {
        let e = self.ve.get(v);
        if e >= DEAD {
            return true;
        }
        let start = self.first_spoke(self.leaving(v, e));
        let mut h = start;
        // At frozen vertices the walk may miss its start; it ends all the same.
        let mut left = self.face_capacity();
        loop {
            if !f(h) {
                return false;
            }
            if self.face(h) == NO_FACE || left == 0 {
                return true;
            }
            left -= 1;
            h = self.previous(h) ^ 1;
            if h == start {
                return true;
            }
        }
    }

    /// As [`FlatMesh::spokes`], but begins anywhere, which spares an interior vertex a turn.
    #[inline(always)]
    pub fn each_spoke(&self, v: u32, f: impl FnMut(u32) -> bool) -> bool {
        let e = self.ve.get(v);
        e >= DEAD || self.each_spoke_from(self.leaving(v, e), f)
    }

    /// Runs `f` on the half-edges around the origin of `start`: from it against the clock, and if that ends at the boundary, with the
    /// clock from its other side. Otherwise as [`FlatMesh::spokes`].
    #[inline(always)]
    pub fn each_spoke_from(&self, start: u32, mut f: impl FnMut(u32) -> bool) -> bool {
        let mut h = start;
        let mut left = self.face_capacity();
        // Two loops in one, so that `f` is inlined once.
        let mut back = false;
        loop {
            if !f(h) {
                return false;
            }
            if left == 0 {
                return true;
            }
            left -= 1;
            if !back {
                if self.face(h) != NO_FACE {
                    h = self.previous(h) ^ 1;
                    if h == start {
                        return true;
                    }
                    continue;
                }
                back = true;
                h = start;
            }
            if self.face(h ^ 1) == NO_FACE {
                return true;
            }
            h = self.next(h ^ 1);
        }
    }

    /// Turns with the clock around the origin of `h` to the boundary, or, where there is none, back to `h`.
    #[inline(always)]
    fn first_spoke(&self, h: u32) -> u32 {
        let mut at = h;
        let mut left = self.face_capacity();
        while self.face(at ^ 1) != NO_FACE && left > 0 {
            left -= 1;
            at = self.next(at ^ 1);
            if at == h {
                break;
            }
        }
        at
    }

    /// [`FlatMesh::each_spoke`] as a loop, for bodies so large that the compiler would make functions of them.
    #[inline(always)]
    pub fn turn(&self, v: u32) -> Turn {
        let e = self.ve.get(v);
        let start = if e >= DEAD { NONE } else { self.leaving(v, e) };
        Turn {
            start,
            next: start,
            back: false,
            left: self.face_capacity(),
        }
    }

    /// Whether an edge joins two vertices. The faces around `a` are one fan or one cycle.
    #[inline(always)]
    pub fn joined(&self, a: u32, b: u32) -> bool {
        !self.each_spoke(a, |h| self.tip(h) != b)
    }
}
