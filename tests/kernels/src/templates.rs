//! Every template of cavities on seeds that the caller marks, cavities that stay open, and 1:4 splits.
//!
//! Marks are those of [`marked`](crate::marked). Nothing but the positions of the new vertices depends on the order of
//! a boundary loop, and these positions are the same to the bit for each order: plain code can repeat them.

use crate::marked::{add_star_at, priority};
use rxmesh_kernels::Vec3;
use rxmesh_kernels::cavity::{
    Births, Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, Side, Sink, Site,
    Template, template,
};
use rxmesh_kernels::edit::{HalfEdgeMesh, NO_FACE};
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Edge, Face, Vertex};
use rxmesh_kernels::{args, kernel};

/// Returns the centre of the box around the corners of a cavity's boundary loop, and the first corner as its parent.
#[inline(always)]
pub(crate) fn centre_of(cavity: &Cavity<impl Site>, x: GlobalMut<Vec3>) -> (Vec3, Origin) {
    let first = x.get(cavity.corner(0));
    let (mut low, mut high) = (first, first);
    let mut i = 1;
    while i < cavity.corners() {
        let at = x.get(cavity.corner(i));
        (low, high) = (low.min(at), high.max(at));
        i += 1;
    }
    let origin = Origin::between(cavity.corner(0), cavity.corner(0), 0.0);
    ((low + high) * 0.5, origin)
}

/// Makes a template that is one of several on seeds of one kind: which one, each launch says. One kernel for all of
/// them has a third of the PTX of one for each.
macro_rules! one_of {
    ($($name:ident of $seed:ident, $of:literal, $meets:literal: $first:ident $($template:ident)*;)*) => {$(
        #[doc = concat!("Templates on ", $of, ".")]
        #[derive(Clone, Copy, Debug)]
        pub struct $name(pub u32);

        impl $name {
            /// The templates, in the order of their numbers.
            pub const ALL: &[&str] = &[stringify!($first) $(, stringify!($template))*];
        }

        impl Template for $name {
            type Seed = $seed;
            const MEETS: u32 = $meets;

            #[inline(always)]
            fn elements(&self, mesh: &impl HalfEdgeMesh, seed: u32, sink: &mut impl Sink) -> bool {
                let at = 0;
                $(
                    let at = at + 1;
                    if self.0 == at {
                        return template::$template.elements(mesh, seed, sink);
                    }
                )*
                let _ = at;
                template::$first.elements(mesh, seed, sink)
            }
        }
    )*};
}

one_of! {
    AtVertex of Vertex, "vertices", 3: V VE VF VV;
    AtEdge of Edge, "edges", 4: E EF EV EE;
    AtFace of Face, "faces", 3: F FE FF FV;
}

macro_rules! refill {
    ($($name:ident $template:ident, $of:literal;)*) => {$(
        args! {
            #[doc = concat!("Deletes the cavities at marked ", $of)]
            /// and joins the corners of each boundary loop to a new vertex in their middle.
            pub struct $name {
                /// Mark per seed.
                pub marks: GlobalMut<u32>,
                /// Positions of the vertices.
                pub x: GlobalMut<Vec3>,
                #[doc = concat!("Number of the template among [`", stringify!($template), "::ALL`].")]
                pub template: u32,
            }
        }

        // SAFETY: `fill` writes what it adds and the hole's boundary loop, `plan` the word of its seed, all else only
        // reads; ids are the mesh's (contracts U3, U4).
        unsafe impl Operator for $name {
            type Template = $template;
            type Plan = (Vec3, Origin);
            const GROWTH: Growth = Growth::VERTEX;

            #[inline(always)]
            fn template(&self) -> $template {
                $template(self.template)
            }

            #[inline(always)]
            fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
                priority(self.marks.get(seed.0))
            }

            #[inline(always)]
            fn plan(&self, cavity: &Cavity<impl Site>) -> (Vec3, Origin) {
                self.marks.set(cavity.seed(), 0);
                centre_of(cavity, self.x)
            }

            #[inline(always)]
            fn fill(&self, centre: (Vec3, Origin), hole: &mut Hole<'_, impl Site>) {
                add_star_at(hole, self.x, centre);
            }
        }
    )*};
}

refill! {
    RefillVertices AtVertex, "vertices";
    RefillEdges AtEdge, "edges";
    RefillFaces AtFace, "faces";
}

macro_rules! punch {
    ($($name:ident $template:ident, $of:literal;)*) => {$(
        args! {
            #[doc = concat!("Deletes the cavities of `", stringify!($template), "` at marked ", $of)]
            /// and leaves the holes open.
            pub struct $name {
                /// Mark per seed.
                pub marks: GlobalMut<u32>,
            }
        }

        // SAFETY: `plan` writes the word of its seed, all else only reads; ids are the mesh's (contracts U3, U4).
        unsafe impl Operator for $name {
            type Template = template::$template;
            type Plan = ();
            const LEAVES_HOLE: bool = true;
            // The kernel of all rounds is tested with the refilling operators.
            const TOGETHER: bool = false;

            #[inline(always)]
            fn template(&self) -> template::$template {
                template::$template
            }

            #[inline(always)]
            fn candidate(&self, _: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
                priority(self.marks.get(seed.0))
            }

            #[inline(always)]
            fn plan(&self, cavity: &Cavity<impl Site>) {
                self.marks.set(cavity.seed(), 0);
            }

            #[inline(always)]
            fn fill(&self, (): (), _: &mut Hole<'_, impl Site>) {}
        }
    )*};
}

punch! {
    PunchV V, "vertices";
    PunchE E, "edges";
    PunchF F, "faces";
}

args! {
    /// Splits marked faces between three others into four, and the three into two each.
    pub struct SplitFour {
        /// Mark per face.
        pub marks: GlobalMut<u32>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
    }
}

/// Plan of a 1:4 split.
#[derive(Clone, Copy, Debug)]
pub struct FourPlan {
    /// Corner of the boundary loop at which the face begins. It has the face's corners and the tips of the faces
    /// across in turn.
    first: u32,
    /// Corners of the face.
    ends: [u32; 3],
}

impl SplitFour {
    /// Adds the midpoint of a side.
    #[inline(always)]
    fn add_middle<'h>(&self, hole: &mut Hole<'h, impl Site>, (a, b): (u32, u32)) -> Corner<'h> {
        let v = hole.add_vertex_at(Origin::between(a, b, 0.5));
        self.x.set(v.id(), (self.x.get(a) + self.x.get(b)) * 0.5);
        v
    }
}

/// Cuts the face across a side in two, from the side's midpoint to the loop corner `tip`. Returns the second half of
/// the side; the first is given.
#[inline(always)]
fn cut_across<'h>(
    hole: &mut Hole<'h, impl Site>,
    tip: u32,
    from: Side<'h>,
    middle: Corner<'h>,
) -> Side<'h> {
    let to = hole.add_edge(middle, hole.corner(tip + 1));
    let across = hole.add_edge(middle, hole.corner(tip));
    hole.add_face(hole.side(tip - 1), across.twin(), from.twin());
    hole.add_face(hole.side(tip), to.twin(), across);
    to
}

// SAFETY: `fill` writes what it adds and the hole's boundary loop, `plan` the word of its seed, all else only reads;
// ids are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitFour {
    type Template = template::FF;
    type Plan = FourPlan;
    const GROWTH: Growth = Growth {
        vertices: 3,
        edges: 9,
        faces: 6,
    };
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> template::FF {
        template::FF
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let [a, b, c] = mesh.sides(seed.0);
        let inner = |h: u32| mesh.face(h ^ 1) != NO_FACE;
        if inner(a) && inner(b) && inner(c) {
            priority(self.marks.get(seed.0))
        } else {
            None
        }
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> FourPlan {
        self.marks.set(cavity.seed(), 0);
        let [a, b, c] = cavity.mesh().sides(cavity.seed());
        let corner = |h: u32| cavity.mesh().origin(h) == cavity.corner(0);
        let first = u32::from(!(corner(a) || corner(b) || corner(c)));
        let end = |k: u32| cavity.corner(first + 2 * k);
        FourPlan {
            first,
            ends: [end(0), end(1), end(2)],
        }
    }

    #[inline(always)]
    fn fill(&self, FourPlan { first, ends }: FourPlan, hole: &mut Hole<'_, impl Site>) {
        let [a, b, c] = ends;
        let m_ab = self.add_middle(hole, (a, b));
        let m_bc = self.add_middle(hole, (b, c));
        let m_ca = self.add_middle(hole, (c, a));
        let at_b = hole.add_edge(m_ab, m_bc);
        let at_c = hole.add_edge(m_bc, m_ca);
        let at_a = hole.add_edge(m_ca, m_ab);
        let from_a = hole.add_edge(hole.corner(first), m_ab);
        let to_b = cut_across(hole, first + 1, from_a, m_ab);
        let from_b = hole.add_edge(hole.corner(first + 2), m_bc);
        let to_c = cut_across(hole, first + 3, from_b, m_bc);
        let from_c = hole.add_edge(hole.corner(first + 4), m_ca);
        let to_a = cut_across(hole, first + 5, from_c, m_ca);
        hole.add_face(to_a, from_a, at_a.twin());
        hole.add_face(to_b, from_b, at_b.twin());
        hole.add_face(to_c, from_c, at_c.twin());
        hole.add_face(at_b, at_c, at_a);
    }
}

kernel! {
    /// Counts births, and gives each new vertex the larger of its parents' numbers, plus one.
    pub struct Generations: Flat {
        /// Births.
        pub births: Births,
        /// Number per vertex.
        pub of: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write disjoint elements; the host launches no more of them than the views' capacity
// (contracts U3, U4).
unsafe impl FlatKernel for Generations {
    #[inline(always)]
    fn run(&self, i: u32) {
        if let Some((v, origin)) = self.births.get(i) {
            let [a, b, c] = origin.parents;
            let most = self.of.get(a).max(self.of.get(b)).max(self.of.get(c));
            self.of.set(v, 1 + most);
        }
    }
}
