//! A mesh as operators see it, wherever its arrays lie.
//!
//! An edit session keeps a mesh as flat arrays in global memory ([`FlatMesh`](super::FlatMesh)); another scheduler of
//! the cavity operator may keep one patch of it in shared memory. Operators are written once, on these traits.

use super::flat::{DEAD, NO_FACE, NONE};

/// A mesh to read, by half-edges `h = edge << 1 | direction` (see [`FlatMesh`](super::FlatMesh)).
///
/// Ids are those of the view, and attributes are found by the same ids. Everything below the first group of methods
/// follows from it.
pub trait HalfEdgeMesh: Copy {
    /// Returns the vertex that a half-edge leaves; [`NONE`] for the even half-edge of a dead edge.
    fn origin(&self, h: u32) -> u32;
    /// Returns the face of a half-edge, or [`NO_FACE`].
    fn face(&self, h: u32) -> u32;
    /// Returns the three half-edges of a face, in the order of its corners: corner `k` is the origin of half-edge `k`.
    fn sides(&self, f: u32) -> [u32; 3];
    /// Returns an incident edge of a vertex; [`NONE`] for an isolated vertex, [`DEAD`] for a dead one.
    fn edge_at(&self, v: u32) -> u32;
    /// Returns `true` if there is a face in a slot.
    fn face_lives(&self, f: u32) -> bool;
    /// Returns `true` if there is an edge in a slot.
    fn edge_lives(&self, e: u32) -> bool;
    /// Returns `true` if there is a vertex in a slot.
    fn vertex_lives(&self, v: u32) -> bool;
    /// Returns the most steps of a walk around a vertex, even in a broken mesh: the most faces that a vertex can have.
    fn turn_limit(&self) -> u32;

    /// Prefetches the rows of an edge, which is read soon; does nothing if that is of no use.
    #[inline(always)]
    fn ask_edge(&self, _e: u32) {}

    /// Works like [`HalfEdgeMesh::ask_edge`], for a face.
    #[inline(always)]
    fn ask_face(&self, _f: u32) {}

    /// Returns the vertex that a half-edge reaches.
    #[inline(always)]
    fn tip(&self, h: u32) -> u32 {
        self.origin(h ^ 1)
    }

    /// Returns the half-edges after and before `h` in its face, which exists.
    #[inline(always)]
    fn around(&self, h: u32) -> (u32, u32) {
        around_in(self.sides(self.face(h)), h)
    }

    /// Returns the half-edge before `h` in its face; [`NONE`] if it has none.
    #[inline(always)]
    fn before(&self, h: u32) -> u32 {
        if self.face(h) == NO_FACE {
            NONE
        } else {
            self.previous(h)
        }
    }

    /// Returns the vertex opposite to a half-edge in its face, which exists.
    #[inline(always)]
    fn apex(&self, h: u32) -> u32 {
        self.origin(self.previous(h))
    }

    /// Returns the half-edge after `h` in its face, which exists.
    #[inline(always)]
    fn next(&self, h: u32) -> u32 {
        self.around(h).0
    }

    /// Returns the half-edge before `h` in its face, which exists.
    #[inline(always)]
    fn previous(&self, h: u32) -> u32 {
        self.around(h).1
    }

    /// Returns the half-edge of edge `e` that leaves vertex `v`, one of its ends.
    #[inline(always)]
    fn leaving(&self, v: u32, e: u32) -> u32 {
        2 * e + u32::from(self.origin(2 * e) != v)
    }

    /// Runs `f` on the half-edges that leave a vertex whose faces are one fan or one cycle: against the clock, from the
    /// boundary if there is one, each edge once. Stops when `f` returns `false`. Returns `true` if it never did and the
    /// walk came to its end.
    #[inline(always)]
    fn spokes(&self, v: u32, mut f: impl FnMut(u32) -> bool) -> bool {
        let e = self.edge_at(v);
        if e >= DEAD {
            return true;
        }
        let start = self.first_spoke(self.leaving(v, e));
        let mut h = start;
        // At frozen vertices the walk may miss its start; it ends all the same.
        let mut left = self.turn_limit();
        loop {
            if !f(h) {
                return false;
            }
            let before = self.before(h);
            if before == NONE {
                return true;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            h = before ^ 1;
            if h == start {
                return true;
            }
        }
    }

    /// Works like [`HalfEdgeMesh::spokes`], but begins anywhere, which avoids a turn at an interior vertex.
    #[inline(always)]
    fn each_spoke(&self, v: u32, f: impl FnMut(u32) -> bool) -> bool {
        let e = self.edge_at(v);
        e >= DEAD || self.each_spoke_from(self.leaving(v, e), f)
    }

    /// Runs `f` on the half-edges around the origin of `start`: from it against the clock, and if that ends at the
    /// boundary, with the clock from its other side. Otherwise as [`HalfEdgeMesh::spokes`].
    #[inline(always)]
    fn each_spoke_from(&self, start: u32, mut f: impl FnMut(u32) -> bool) -> bool {
        let mut h = start;
        // An open fan has an edge more than faces.
        let mut left = self.turn_limit() + 1;
        // Two loops in one, so that `f` is inlined once.
        let mut back = false;
        loop {
            if !f(h) {
                return false;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
            if !back {
                let before = self.before(h);
                if before != NONE {
                    h = before ^ 1;
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

    /// Runs `f` on the half-edges around both ends of an edge, with their faces and tips. It goes around each end as
    /// [`HalfEdgeMesh::each_spoke_from`] does from the edge, a step of each at a time, so that the loads of one walk
    /// and the work of the other overlap. The first number is 0 at the edge's origin. Stops when `f` returns `false`.
    /// Returns `true` if it never did and both walks came to their ends.
    #[inline(always)]
    fn each_spoke_of_ends(&self, e: u32, mut f: impl FnMut(u32, u32, u32, u32) -> bool) -> bool {
        let (start_a, start_b) = (2 * e, 2 * e + 1);
        let (mut a, mut b) = (start_a, start_b);
        let (mut back_a, mut back_b) = (false, false);
        let mut left = self.turn_limit() + 1;
        loop {
            let (at_a, at_b) = (
                if a == NONE { start_a } else { a },
                if b == NONE { start_b } else { b },
            );
            let (face_a, face_b) = (self.face(at_a), self.face(at_b));
            let (before_a, before_b) = (self.before(at_a), self.before(at_b));
            let (tip_a, tip_b) = (self.tip(at_a), self.tip(at_b));
            if a != NONE && !f(0, a, face_a, tip_a) || b != NONE && !f(1, b, face_b, tip_b) {
                return false;
            }
            if a != NONE {
                a = self.spoke_after(start_a, a, before_a, &mut back_a);
            }
            if b != NONE {
                b = self.spoke_after(start_b, b, before_b, &mut back_b);
            }
            if a == NONE && b == NONE {
                return true;
            }
            if left == 0 {
                return false;
            }
            left -= 1;
        }
    }

    /// Returns the half-edge after `h` in a turn around the origin of `start`, given [`HalfEdgeMesh::before`] of `h`:
    /// against the clock and, from the boundary on, if `back`, with the clock from the other side of the start.
    /// [`NONE`] at its end.
    #[inline(always)]
    fn spoke_after(&self, start: u32, h: u32, before: u32, back: &mut bool) -> u32 {
        let mut h = h;
        if !*back {
            if before != NONE {
                let next = before ^ 1;
                return if next == start { NONE } else { next };
            }
            // The boundary: the remaining half-edges lie on the other side of the start.
            (h, *back) = (start, true);
        }
        if self.face(h ^ 1) == NO_FACE {
            NONE
        } else {
            self.next(h ^ 1)
        }
    }

    /// Turns with the clock around the origin of `h` to the boundary, or, if there is none, back to `h`.
    #[inline(always)]
    fn first_spoke(&self, h: u32) -> u32 {
        let mut at = h;
        let mut left = self.turn_limit();
        while self.face(at ^ 1) != NO_FACE && left > 0 {
            left -= 1;
            at = self.next(at ^ 1);
            if at == h {
                break;
            }
        }
        at
    }

    /// Works like [`HalfEdgeMesh::each_spoke`], as a loop, for bodies so large that the compiler would make functions
    /// of them.
    #[inline(always)]
    fn turn(&self, v: u32) -> Turn {
        let e = self.edge_at(v);
        let start = if e >= DEAD { NONE } else { self.leaving(v, e) };
        Turn {
            start,
            next: start,
            back: false,
            left: self.turn_limit(),
        }
    }

    /// Returns `true` if an edge joins two vertices. The faces around `a` are one fan or one cycle.
    #[inline(always)]
    fn joined(&self, a: u32, b: u32) -> bool {
        !self.each_spoke(a, |h| self.tip(h) != b)
    }
}

/// Returns the half-edges after and before `h` among the sides of a face.
#[inline(always)]
pub(super) fn around_in([a, b, c]: [u32; 3], h: u32) -> (u32, u32) {
    if h == a {
        (b, c)
    } else if h == b {
        (c, a)
    } else {
        (a, b)
    }
}

/// Mesh that can be changed: the writes of the filling of a hole.
///
/// Only elements of the cavity may be written, and of its boundary loop the inner sides and the entries of vertices
/// whose edge is deleted; so cavities of one round write disjoint words.
pub trait HalfEdgeMeshMut: HalfEdgeMesh {
    /// Sets the three half-edges of a face, and it as theirs.
    fn set_sides(&self, f: u32, sides: [u32; 3]);
    /// Sets source and target of an edge.
    fn set_ends(&self, e: u32, ends: [u32; 2]);
    /// Marks a half-edge as without a face.
    fn leave_face(&self, h: u32);
    /// Marks the face of a half-edge, which has one, as deleted.
    fn lose_face(&self, h: u32);
    /// Returns the deleted face of a half-edge that got no other one since; [`NONE`] for others.
    fn lost_face(&self, h: u32) -> u32;
    /// Sets the incident edge of a new vertex, which no other cavity knows.
    fn set_edge_at(&self, v: u32, e: u32);
    /// Sets the incident edge of a vertex of the boundary loop, which other cavities of the round may read meanwhile.
    fn store_edge_at(&self, v: u32, e: u32);
    /// Returns the incident edge of a vertex of the boundary loop, which another cavity of the round may be setting.
    fn load_edge_at(&self, v: u32) -> u32;
    /// Makes a face dead.
    fn bury_face(&self, f: u32);
    /// Makes an edge dead.
    fn bury_edge(&self, e: u32);
    /// Makes a vertex dead.
    fn bury_vertex(&self, v: u32);
    /// Returns the patch that a face is labelled with.
    fn label(&self, f: u32) -> u32;
    /// Labels a face with a patch.
    fn set_label(&self, f: u32, label: u32);
}

/// A turn around a vertex.
#[derive(Clone, Copy, Debug)]
pub struct Turn {
    start: u32,
    next: u32,
    back: bool,
    left: u32,
}

impl Turn {
    /// Returns the next half-edge that leaves the vertex.
    #[inline(always)]
    pub fn step(&mut self, mesh: &impl HalfEdgeMesh) -> Option<u32> {
        let h = self.next;
        if h == NONE {
            return None;
        }
        self.next = self.after(mesh, h);
        Some(h)
    }

    #[inline(always)]
    fn after(&mut self, mesh: &impl HalfEdgeMesh, h: u32) -> u32 {
        if self.left == 0 {
            return NONE;
        }
        self.left -= 1;
        let mut h = h;
        if !self.back {
            let before = mesh.before(h);
            if before != NONE {
                let next = before ^ 1;
                return if next == self.start { NONE } else { next };
            }
            // The boundary: the remaining half-edges lie on the other side of the start.
            (h, self.back) = (self.start, true);
        }
        if mesh.face(h ^ 1) == NO_FACE {
            NONE
        } else {
            mesh.next(h ^ 1)
        }
    }
}
