//! The hole that a cavity leaves, and its filling.

mod close;
mod star;

pub(super) use star::Star;

use super::Operator;
use super::births::Origin;
use super::operator::Spoke;
use super::record::Cavity;
use super::site::Site;
use crate::edit::{HalfEdgeMesh, HalfEdgeMeshMut, NONE};
use crate::topo::Kind;
use core::marker::PhantomData;

/// Makes ids of one hole useless in another.
type Brand<'h> = PhantomData<fn(&'h ()) -> &'h ()>;

/// A vertex of a hole's boundary loop, or a new one.
#[derive(Clone, Copy, Debug)]
pub struct Corner<'h> {
    id: u32,
    new: bool,
    brand: Brand<'h>,
}

impl Corner<'_> {
    /// Returns the vertex's id, for attributes.
    #[inline(always)]
    pub fn id(self) -> u32 {
        self.id
    }
}

/// A half-edge of a hole that waits for a face: a loop edge's inner side, or one side of a new edge.
#[derive(Clone, Copy, Debug)]
pub struct Side<'h> {
    half: u32,
    from: u32,
    to: u32,
    brand: Brand<'h>,
}

impl Side<'_> {
    /// Returns the same new edge from the other side. (The other side of a loop edge belongs to others: a face there
    /// breaks the rules.)
    #[inline(always)]
    pub fn twin(self) -> Self {
        Side {
            half: self.half ^ 1,
            from: self.to,
            to: self.from,
            brand: self.brand,
        }
    }

    /// Returns the edge's id, for attributes.
    #[inline(always)]
    pub fn edge(self) -> u32 {
        self.half >> 1
    }
}

/// Takes seeds for the next round.
#[derive(Clone, Copy)]
pub struct SeedQueue<'h, S>(S, Brand<'h>);

impl<S: Site> SeedQueue<'_, S> {
    /// Makes an element, of the kind of the seeds, a seed of the next round.
    #[inline(always)]
    pub fn again(self, seed: u32) {
        self.0.again(seed);
    }
}

/// A hole while it is being filled. Its loop edges are numbered as in [`Cavity`].
///
/// Each new edge must get a face on both sides, and each loop edge one (unless [`super::Operator::LEAVES_HOLE`]).
/// Violations are counted and end in an error on the host, or are found by the session's `validate`.
pub struct Hole<'h, S> {
    cavity: Cavity<S>,
    /// Vertices and edges that were taken, first the cavity's own slots; the cavity's faces before this one are taken
    /// or examined.
    vertices: u32,
    edges: u32,
    faces: u32,
    /// Reserved faces that were taken.
    reserved: u32,
    patch: u32,
    /// Births that were reported, and the largest number of them.
    births: [u32; 2],
    broken: bool,
    brand: Brand<'h>,
}

/// Takes a slot of a kind: first those of deleted elements, then reserved ones.
#[inline(always)]
fn take(
    used: &mut u32,
    own: u32,
    slot: impl FnOnce(u32) -> u32,
    reserved: impl FnOnce(u32) -> u32,
) -> u32 {
    let k = *used;
    *used += 1;
    if k < own { slot(k) } else { reserved(k - own) }
}

impl<'h, S: Site> Hole<'h, S> {
    /// Cuts the hole. It may report up to `births` births.
    #[inline(always)]
    pub fn cut(cavity: Cavity<S>, births: u32) -> Self {
        let mesh = cavity.mesh();
        let patch = mesh.label(cavity.face(0));
        let mut i = 0;
        while i < cavity.rim() {
            mesh.lose_face(cavity.rim_half(i));
            i += 1;
        }
        i = 0;
        while i < cavity.faces() {
            mesh.bury_face(cavity.face(i));
            i += 1;
        }
        Hole {
            patch,
            ..Hole::uncut(cavity, births)
        }
    }

    /// Creates a hole that others cut and fill, except its first vertex.
    #[inline(always)]
    pub(super) fn uncut(cavity: Cavity<S>, births: u32) -> Self {
        Hole {
            cavity,
            vertices: 0,
            edges: 0,
            faces: 0,
            reserved: 0,
            patch: NONE,
            births: [0, births],
            broken: false,
            brand: PhantomData,
        }
    }

    /// Returns `true` if no rule was broken so far.
    #[inline(always)]
    pub(super) fn is_sound(&self) -> bool {
        !self.broken
    }

    #[inline(always)]
    fn mesh(&self) -> &S::Mesh {
        self.cavity.mesh()
    }

    /// Returns the number of loop edges.
    #[inline(always)]
    pub fn rim(&self) -> u32 {
        self.cavity.rim()
    }

    /// Returns `true` if the boundary loop is closed.
    #[inline(always)]
    pub fn is_closed(&self) -> bool {
        self.cavity.is_closed()
    }

    /// Returns the number of loop vertices: one more than edges if the boundary loop is open.
    #[inline(always)]
    pub fn corners(&self) -> u32 {
        self.cavity.corners()
    }

    /// Returns loop vertex `i`. A closed loop continues from its beginning.
    #[inline(always)]
    pub fn corner(&self, i: u32) -> Corner<'h> {
        Corner {
            id: self.cavity.corner(i),
            new: false,
            brand: PhantomData,
        }
    }

    /// Returns the inner side of loop edge `i`, from corner `i` to corner `i + 1`. A closed loop continues from its
    /// beginning.
    #[inline(always)]
    pub fn side(&self, i: u32) -> Side<'h> {
        Side {
            half: self.cavity.rim_half(i),
            from: self.cavity.corner(i),
            to: self.cavity.corner(i + 1),
            brand: PhantomData,
        }
    }

    /// Adds a vertex. Its attributes hold the old values of its slot: set them.
    #[inline(always)]
    pub fn add_vertex(&mut self) -> Corner<'h> {
        let cavity = self.cavity;
        let id = take(
            &mut self.vertices,
            cavity.vertices(),
            |k| cavity.vertex(k),
            |k| cavity.site().slot(Kind::Vertex, k),
        );
        if id == NONE {
            self.broken = true;
        } else {
            self.mesh().set_edge_at(id, NONE);
        }
        Corner {
            id,
            new: true,
            brand: PhantomData,
        }
    }

    /// Keeps a vertex that the cavity deletes, with all its attributes. To be called before vertices are added.
    #[inline(always)]
    pub fn keep_vertex(&mut self, v: u32) -> Corner<'h> {
        let mut k = self.vertices;
        while k < self.cavity.vertices() && self.cavity.vertex(k) != v {
            k += 1;
        }
        if k >= self.cavity.vertices() {
            self.broken = true;
        } else {
            self.cavity.swap_vertices(self.vertices, k);
        }
        self.add_vertex()
    }

    /// Works like [`Hole::add_vertex`], and reports its position to the attributes that are interpolated. For the first
    /// [`super::Growth::vertices`] vertices of a hole, and for one at least.
    #[inline(always)]
    pub fn add_vertex_at(&mut self, origin: Origin) -> Corner<'h> {
        let v = self.add_vertex();
        let site = self.cavity.site();
        if !site.listens() || v.id == NONE {
            return v;
        }
        let [told, most] = self.births;
        if told == most {
            self.broken = true;
        } else {
            site.birth(told, v.id, origin);
            self.births = [told + 1, most];
        }
        v
    }

    /// Adds an edge; the side that leaves `a`.
    #[inline(always)]
    pub fn add_edge(&mut self, a: Corner<'h>, b: Corner<'h>) -> Side<'h> {
        let side = self.join(a, b);
        if !self.broken {
            self.mesh().leave_face(side.half);
            self.mesh().leave_face(side.half ^ 1);
        }
        side
    }

    /// Works like [`Hole::add_edge`], if both sides are sure to get faces: they are not marked as without a face.
    #[inline(always)]
    fn join(&mut self, a: Corner<'h>, b: Corner<'h>) -> Side<'h> {
        let cavity = self.cavity;
        let e = take(
            &mut self.edges,
            cavity.edges(),
            |k| cavity.edge(k),
            |k| cavity.site().slot(Kind::Edge, k),
        );
        if e == NONE || a.id == NONE || b.id == NONE || a.id == b.id {
            self.broken = true;
        } else {
            let mesh = cavity.mesh();
            mesh.set_ends(e, [a.id, b.id]);
            if a.new {
                mesh.set_edge_at(a.id, e);
            }
            if b.new {
                mesh.set_edge_at(b.id, e);
            }
        }
        Side {
            half: 2 * e,
            from: a.id,
            to: b.id,
            brand: PhantomData,
        }
    }

    /// Adds a face with three sides, each of which begins where the preceding one ends. Returns its id, for attributes.
    ///
    /// The face inherits from a deleted one that lay at its first side of the boundary loop, at its second or at its
    /// third: it takes that face's slot, and with it the values there. If all of these are taken it gets a reserved
    /// slot and the values of the first of them; if there is none left, any slot of the cavity.
    #[inline(always)]
    pub fn add_face(&mut self, a: Side<'h>, b: Side<'h>, c: Side<'h>) -> u32 {
        let cavity = self.cavity;
        if self.broken || a.to != b.from || b.to != c.from || c.to != a.from {
            self.broken = true;
            return cavity.face(0);
        }
        let f = self.take_face([a.half, b.half, c.half]);
        if f == NONE {
            self.broken = true;
            return cavity.face(0);
        }
        let mesh = cavity.mesh();
        mesh.set_sides(f, [a.half, b.half, c.half]);
        mesh.set_label(f, self.patch);
        f
    }

    /// Takes a slot for a face with these sides.
    #[inline(always)]
    fn take_face(&mut self, sides: [u32; 3]) -> u32 {
        let (cavity, mesh) = (self.cavity, self.cavity.mesh());
        let mut parent = NONE;
        let mut k = 0;
        while k < 3 {
            let old = mesh.lost_face(sides[k]);
            if old != NONE {
                if !mesh.face_lives(old) {
                    return old;
                }
                if parent == NONE {
                    parent = old;
                }
            }
            k += 1;
        }
        let site = cavity.site();
        let f = site.slot(Kind::Face, self.reserved);
        if f != NONE {
            self.reserved += 1;
            site.inherit(
                f,
                if parent == NONE {
                    cavity.face(0)
                } else {
                    parent
                },
            );
            return f;
        }
        while self.faces < cavity.faces() {
            let f = cavity.face(self.faces);
            self.faces += 1;
            if !mesh.face_lives(f) {
                return f;
            }
        }
        NONE
    }

    /// Joins all corners of the boundary loop to one vertex, and fills the hole with the triangles between.
    #[inline(always)]
    pub fn add_star(&mut self, centre: Corner<'h>) {
        self.add_star_with(centre, |_, _| ());
    }

    /// Works like [`Hole::add_star`], and shows each new edge with the corner that it joins.
    #[inline(always)]
    pub fn add_star_with(&mut self, centre: Corner<'h>, spoke: impl FnMut(Side<'h>, Corner<'h>)) {
        self.add_star_of_faces(centre, spoke, |_| ());
    }

    /// Works like [`Hole::add_star_with`], and shows each new face as well.
    #[inline(always)]
    pub fn add_star_of_faces(
        &mut self,
        centre: Corner<'h>,
        mut spoke: impl FnMut(Side<'h>, Corner<'h>),
        mut face: impl FnMut(u32),
    ) {
        let (rim, closed) = (self.rim(), self.is_closed());
        let mut first = None;
        let mut last = None;
        let mut i = 0;
        // One corner more than edges when the boundary loop is open; a closed one ends where it began.
        while i <= rim {
            let next = match first {
                Some(first) if i == rim && closed => first,
                _ => {
                    let corner = self.corner(i);
                    let edge = self.join(centre, corner);
                    // The first and the last spoke of an open loop have a face on one side only.
                    if !closed && !self.broken && (i == 0 || i == rim) {
                        self.mesh().leave_face(edge.half ^ u32::from(i == 0));
                    }
                    spoke(edge, corner);
                    edge
                }
            };
            if let Some(last) = last {
                face(self.add_face(self.side(i - 1), next.twin(), last));
            } else {
                first = Some(next);
            }
            last = Some(next);
            i += 1;
        }
    }

    /// Fills the hole with the star that an operator describes ([`Operator::STAR`]).
    #[inline(always)]
    pub fn add_star_of<O: Operator>(&mut self, op: &O, plan: O::Plan) {
        let (centre, told) = op.centre(plan, self);
        let queue = self.queue();
        let mut number = 0;
        self.add_star_with(centre, |side, corner| {
            let spoke = Spoke {
                number,
                side,
                centre,
                corner,
            };
            op.spoke(spoke, told, queue);
            number += 1;
        });
    }

    /// Fills the hole with triangles that all meet in corner `apex`; an open hole, whose apex must be 0, gets an edge
    /// from its last corner to its first.
    #[inline(always)]
    pub fn add_fan(&mut self, apex: u32) {
        let corners = self.corners();
        let mut last = self.side(apex);
        let mut i = 1;
        while i + 1 < corners {
            let end = i + 2 == corners;
            // The last triangle of a closed hole has the loop's last edge for a side.
            let next = if end && self.is_closed() {
                self.side(apex + corners - 1)
            } else if end {
                self.add_edge(self.corner(apex + i + 1), self.corner(apex))
            } else {
                self.join(self.corner(apex + i + 1), self.corner(apex))
            };
            self.add_face(last, self.side(apex + i), next);
            last = next.twin();
            i += 1;
        }
    }

    /// Returns the queue of the next round's seeds, for use while the hole is being filled.
    #[inline(always)]
    pub fn queue(&self) -> SeedQueue<'h, S> {
        SeedQueue(self.cavity.site(), PhantomData)
    }

    /// Makes an element, of the kind of the seeds, a seed of the next round.
    #[inline(always)]
    pub fn again(&self, seed: u32) {
        self.cavity.site().again(seed);
    }

    /// Makes all loop edges seeds of the next round, for operators whose seeds are edges.
    #[inline(always)]
    pub fn again_rim(&self) {
        let mut i = 0;
        while i < self.rim() {
            self.again(self.cavity.rim_half(i) >> 1);
            i += 1;
        }
    }
}
