//! Contractions and splits of chosen faces.

use super::super::remesh::LineEdges;
use super::ChosenElements;
use crate::args;
use crate::cavity::{
    Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, Side, Sink, Site, Template,
    template,
};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::mem::GlobalMut;
use crate::topo::Face;
use glam::Vec3;

/// Returns the corners of a face.
#[inline(always)]
fn corners_of(mesh: &impl HalfEdgeMesh, f: u32) -> [u32; 3] {
    let [a, b, c] = mesh.sides(f);
    [mesh.origin(a), mesh.origin(b), mesh.origin(c)]
}

/// Returns the centre of three vertices.
#[inline(always)]
fn centre_of(x: GlobalMut<Vec3>, [a, b, c]: [u32; 3]) -> (Vec3, Origin) {
    let third = 1.0 / 3.0;
    let origin = Origin {
        parents: [a, b, c],
        weights: [third; 3],
    };
    ((x.get(a) + x.get(b) + x.get(c)) * third, origin)
}

args! {
    /// Contracts chosen faces to their centre, if the topology stays and no line is marked at a corner.
    pub struct CollapseFaces {
        /// Chosen faces.
        pub chosen: ChosenElements,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, whose vertices stay. Those of the boundary do not count.
        pub lines: LineEdges,
    }
}

/// Plan of a star in place of a chosen face.
#[derive(Clone, Copy, Debug)]
pub struct FaceStar {
    seed: u32,
    place: Vec3,
    origin: Origin,
}

impl FaceStar {
    /// Plans the new vertex in the centre of the seed.
    #[inline(always)]
    fn new(cavity: &Cavity<impl Site>, x: GlobalMut<Vec3>) -> FaceStar {
        let corners = corners_of(cavity.mesh(), cavity.seed());
        let (place, origin) = centre_of(x, corners);
        FaceStar {
            seed: cavity.seed(),
            place,
            origin,
        }
    }

    /// Fills the hole, and shows each new edge.
    #[inline(always)]
    fn fill<'h>(
        self,
        hole: &mut Hole<'h, impl Site>,
        chosen: &ChosenElements,
        x: GlobalMut<Vec3>,
        edge: impl Fn(Side<'h>),
    ) {
        let v = hole.add_vertex_at(self.origin);
        x.set(v.id(), self.place);
        hole.add_star_of_faces(v, |side, _| edge(side), |f| chosen.enter(f));
        chosen.finish(self.seed);
    }
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for CollapseFaces {
    type Template = template::FV;
    type Plan = FaceStar;
    // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> template::FV {
        template::FV
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        if !self.chosen.has(seed.0) {
            return None;
        }
        let [a, b, c] = corners_of(mesh, seed.0);
        let lines = self.lines.any != 0
            && (self.lines.marks_at(mesh, a)
                || self.lines.marks_at(mesh, b)
                || self.lines.marks_at(mesh, c));
        (!lines).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> FaceStar {
        FaceStar::new(cavity, self.x)
    }

    #[inline(always)]
    fn fill(&self, plan: FaceStar, hole: &mut Hole<'_, impl Site>) {
        // The slots of the new edges are those of deleted ones, which were not marked.
        plan.fill(hole, &self.chosen, self.x, |_| ());
    }
}

args! {
    /// Splits chosen faces into three at their centre.
    pub struct SplitFacesInThree {
        /// Chosen faces.
        pub chosen: ChosenElements,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, to which no new edge belongs.
        pub lines: LineEdges,
    }
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitFacesInThree {
    type Template = template::F;
    type Plan = FaceStar;
    // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
    const TOGETHER: bool = false;
    const GROWTH: Growth = Growth::VERTEX;

    #[inline(always)]
    fn template(&self) -> template::F {
        template::F
    }

    #[inline(always)]
    fn candidate(&self, _mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        self.chosen.has(seed.0).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> FaceStar {
        FaceStar::new(cavity, self.x)
    }

    #[inline(always)]
    fn fill(&self, plan: FaceStar, hole: &mut Hole<'_, impl Site>) {
        plan.fill(hole, &self.chosen, self.x, |side| {
            self.lines.mark(side.edge(), false);
        });
    }
}

/// Face, its sides and the faces across them, and a corner between two sides of the boundary.
#[derive(Clone, Copy, Debug)]
pub struct FaceAndSides;

impl Template for FaceAndSides {
    type Seed = Face;

    #[inline(always)]
    fn elements(&self, mesh: &impl HalfEdgeMesh, seed: u32, sink: &mut impl Sink) -> bool {
        let [a, b, c] = mesh.sides(seed);
        let ends = |h: u32| mesh.face(h ^ 1) == NO_FACE;
        let (at_a, at_b, at_c) = (ends(a), ends(b), ends(c));
        sink.edge(a >> 1)
            && sink.edge(b >> 1)
            && sink.edge(c >> 1)
            && (!(at_c && at_a) || sink.vertex(mesh.origin(a)))
            && (!(at_a && at_b) || sink.vertex(mesh.origin(b)))
            && (!(at_b && at_c) || sink.vertex(mesh.origin(c)))
    }
}

args! {
    /// Splits chosen faces into four at the midpoints of their sides, and the faces across into two each. A side of the
    /// boundary has no face across.
    pub struct SplitFacesInFour {
        /// Chosen faces.
        pub chosen: ChosenElements,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, which continue in both halves of a side.
        pub lines: LineEdges,
    }
}

/// Plan of a 1:4 split. The boundary loop has the face's corners and the tips of the faces across in turn; an open one
/// begins with the first corner, and sides of the boundary come last.
#[derive(Clone, Copy, Debug)]
pub struct SplitInFour {
    seed: u32,
    /// Corner of the boundary loop that is the first corner of the face.
    first: u32,
    a: u32,
    b: u32,
    c: u32,
    /// Number of sides on the boundary.
    open: u32,
    /// Sides that are marked, a bit each.
    marked: u32,
}

impl SplitFacesInFour {
    /// Adds the midpoint of a side.
    #[inline(always)]
    fn add_middle<'h>(&self, hole: &mut Hole<'h, impl Site>, a: u32, b: u32) -> Corner<'h> {
        let v = hole.add_vertex_at(Origin::between(a, b, 0.5));
        self.x.set(v.id(), (self.x.get(a) + self.x.get(b)) * 0.5);
        v
    }

    /// Adds an edge, which belongs to a line or not.
    #[inline(always)]
    fn join<'h>(
        &self,
        hole: &mut Hole<'h, impl Site>,
        a: Corner<'h>,
        b: Corner<'h>,
        marked: bool,
    ) -> Side<'h> {
        let side = hole.add_edge(a, b);
        self.lines.mark(side.edge(), marked);
        side
    }

    /// Adds a face, which is not to be split.
    #[inline(always)]
    fn add<'h>(&self, hole: &mut Hole<'h, impl Site>, a: Side<'h>, b: Side<'h>, c: Side<'h>) {
        self.chosen.enter(hole.add_face(a, b, c));
    }

    /// Cuts the face across a side in two, from the side's midpoint to the loop corner `tip`; `from` and `to` are the
    /// halves of the side.
    #[inline(always)]
    fn cut<'h>(
        &self,
        hole: &mut Hole<'h, impl Site>,
        tip: u32,
        middle: Corner<'h>,
        [from, to]: [Side<'h>; 2],
    ) {
        let across = self.join(hole, middle, hole.corner(tip), false);
        self.add(hole, hole.side(tip - 1), across.twin(), from.twin());
        self.add(hole, hole.side(tip), to.twin(), across);
    }
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitFacesInFour {
    type Template = FaceAndSides;
    type Plan = SplitInFour;
    // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
    const TOGETHER: bool = false;
    const GROWTH: Growth = Growth {
        vertices: 3,
        edges: 9,
        faces: 6,
    };

    #[inline(always)]
    fn template(&self) -> FaceAndSides {
        FaceAndSides
    }

    #[inline(always)]
    fn candidate(&self, _mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        self.chosen.has(seed.0).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> SplitInFour {
        let (mesh, f) = (cavity.mesh(), cavity.seed());
        let [h0, h1, h2] = mesh.sides(f);
        let begins = |h: u32, corner: u32| mesh.origin(h) == cavity.corner(corner);
        let first = u32::from(!(begins(h0, 0) || begins(h1, 0) || begins(h2, 0)));
        let h = if begins(h0, first) {
            h0
        } else if begins(h1, first) {
            h1
        } else {
            h2
        };
        let (next, previous) = mesh.around(h);
        let ends = |h: u32| u32::from(mesh.face(h ^ 1) == NO_FACE);
        let marked = |h: u32| u32::from(self.lines.is_marked(h >> 1));
        SplitInFour {
            seed: f,
            first,
            a: mesh.origin(h),
            b: mesh.origin(next),
            c: mesh.origin(previous),
            open: ends(h) + ends(next) + ends(previous),
            marked: marked(h) | marked(next) << 1 | marked(previous) << 2,
        }
    }

    #[inline(always)]
    fn fill(&self, plan: SplitInFour, hole: &mut Hole<'_, impl Site>) {
        let first = plan.first;
        let c = if plan.open == 2 {
            hole.keep_vertex(plan.c)
        } else {
            hole.corner(first + 4)
        };
        let (a, b) = (hole.corner(first), hole.corner(first + 2));
        let on_ab = self.add_middle(hole, plan.a, plan.b);
        let on_bc = self.add_middle(hole, plan.b, plan.c);
        let on_ca = self.add_middle(hole, plan.c, plan.a);
        let marked = |side: u32| plan.marked >> side & 1 != 0;
        let ab = [
            self.join(hole, a, on_ab, marked(0)),
            self.join(hole, on_ab, b, marked(0)),
        ];
        let bc = [
            self.join(hole, b, on_bc, marked(1)),
            self.join(hole, on_bc, c, marked(1)),
        ];
        let ca = [
            self.join(hole, c, on_ca, marked(2)),
            self.join(hole, on_ca, a, marked(2)),
        ];
        self.cut(hole, first + 1, on_ab, ab);
        if plan.open < 2 {
            self.cut(hole, first + 3, on_bc, bc);
        }
        if plan.open == 0 {
            self.cut(hole, first + 5, on_ca, ca);
        }
        let at_a = self.join(hole, on_ca, on_ab, false);
        let at_b = self.join(hole, on_ab, on_bc, false);
        let at_c = self.join(hole, on_bc, on_ca, false);
        self.add(hole, ca[1], ab[0], at_a.twin());
        self.add(hole, ab[1], bc[0], at_b.twin());
        self.add(hole, bc[1], ca[0], at_c.twin());
        self.add(hole, at_a, at_b, at_c);
        self.chosen.finish(plan.seed);
    }
}
