//! Flips, splits and contractions of edges that a program has chosen.

use super::super::delaunay::Diamond;
use super::super::remesh::{LineEdges, OnLine};
use super::ChosenElements;
use crate::args;
use crate::cavity::{
    Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, SeedQueue, Sieves, Site, Spoke,
    link_condition, template,
};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::mem::GlobalMut;
use glam::Vec3;

args! {
    /// Flips chosen edges between two faces.
    pub struct FlipChosen {
        /// Chosen edges.
        pub edges: ChosenElements,
        /// Lines, which are not flipped.
        pub lines: LineEdges,
    }
}

/// Plan of a flip.
#[derive(Clone, Copy, Debug)]
pub struct ChosenFlip {
    seed: u32,
    /// See [`Diamond::place`].
    place: u32,
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for FlipChosen {
    type Template = template::E;
    type Plan = ChosenFlip;
    const RIM_IS_SIMPLE: bool = true;
    const SIEVES: Sieves = Sieves::All;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        if !self.edges.has(seed.0) || self.lines.is_marked(seed.0) {
            return None;
        }
        let q = Diamond::new(mesh, seed.0)?;
        // Two faces with the same corners have no other diagonal.
        (q.c != q.d).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        Diamond::joins(mesh, seed.0, pair)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> ChosenFlip {
        ChosenFlip {
            seed: cavity.seed(),
            place: Diamond::place(cavity),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: ChosenFlip, hole: &mut Hole<'_, impl Site>) {
        let i = plan.place;
        self.edges.finish(plan.seed);
        let new = hole.add_edge(hole.corner(i + 1), hole.corner(i + 3));
        hole.add_face(hole.side(i + 1), hole.side(i + 2), new.twin());
        hole.add_face(hole.side(i + 3), hole.side(i), new);
        self.edges.enter(new.edge());
    }
}

args! {
    /// Splits chosen edges in their middle.
    pub struct SplitChosen {
        /// Chosen edges.
        pub edges: ChosenElements,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, which continue in both halves of their edges.
        pub lines: LineEdges,
    }
}

/// Plan of a split.
#[derive(Clone, Copy, Debug)]
pub struct ChosenSplit {
    seed: u32,
    middle: Vec3,
    ends: [u32; 2],
    marked: bool,
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitChosen {
    type Template = template::E;
    type Plan = ChosenSplit;
    const GROWTH: Growth = Growth::VERTEX;
    const SIEVES: Sieves = Sieves::All;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, _mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        self.edges.has(seed.0).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> ChosenSplit {
        let e = cavity.seed();
        let (a, b) = (cavity.mesh().origin(2 * e), cavity.mesh().tip(2 * e));
        ChosenSplit {
            seed: e,
            middle: (self.x.get(a) + self.x.get(b)) * 0.5,
            ends: [a, b],
            marked: self.lines.is_marked(e),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: ChosenSplit, hole: &mut Hole<'_, impl Site>) {
        let [a, b] = plan.ends;
        let v = hole.add_vertex_at(Origin::between(a, b, 0.5));
        self.x.set(v.id(), plan.middle);
        self.edges.finish(plan.seed);
        hole.add_star_with(v, |edge, corner| {
            let half = corner.id() == a || corner.id() == b;
            self.lines.mark(edge.edge(), half && plan.marked);
            self.edges.enter(edge.edge());
        });
    }
}

args! {
    /// Contracts chosen edges if the topology stays, and lines: their edges are contracted along them. The new vertex
    /// lies in the middle, or where a line holds an end.
    pub struct CollapseChosen {
        /// Chosen edges.
        pub edges: ChosenElements,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines; ends of more or fewer than two of their edges stay.
        pub lines: LineEdges,
    }
}

/// Plan of a contraction.
#[derive(Clone, Copy, Debug)]
pub struct ChosenCollapse {
    seed: u32,
    place: Vec3,
    origin: Origin,
    /// Rim corners from which a marked edge leads to the new vertex, a bit each.
    marked: u32,
}

impl CollapseChosen {
    /// Returns the part of the way from source to target at which the ends meet. `None` if lines hold both.
    #[inline(always)]
    fn part(&self, mesh: &impl HalfEdgeMesh, e: u32, [a, b]: [OnLine; 2]) -> Option<f32> {
        let along = self.lines.has(mesh, e);
        let holds = |on: OnLine| on.count != 0 && !(along && on.count == 2);
        match (holds(a), holds(b)) {
            (false, false) => Some(0.5),
            (true, false) => Some(0.0),
            (false, true) => Some(1.0),
            (true, true) => None,
        }
    }
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for CollapseChosen {
    type Template = template::EV;
    type Plan = ChosenCollapse;
    const RIM_IS_SIMPLE: bool = true;
    const SIEVES: Sieves = Sieves::Every;
    const STAR: bool = true;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        if !self.wants(mesh, seed) {
            return None;
        }
        let e = seed.0;
        let (on, walk) = self.lines.ends(mesh, e);
        self.part(mesh, e, on)?;
        let interior = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
        // The new vertex has three edges or more, two at the boundary: else two faces, or none, would be left of a
        // tetrahedron.
        let (lost, least) = if interior { (4, 3) } else { (3, 2) };
        let least = if walk.border[0] || walk.border[1] {
            2
        } else {
            least
        };
        if walk.edges < lost + least {
            return None;
        }
        let may =
            self.lines.stay_apart(mesh, e) && (walk.is_plain(interior) || link_condition(mesh, e));
        may.then_some(Priority::NONE.meeting(walk.faces))
    }

    #[inline(always)]
    fn wants(&self, _mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> bool {
        self.edges.has(seed.0)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> ChosenCollapse {
        let mesh = cavity.mesh();
        let e = cavity.seed();
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (on, _) = self.lines.ends(mesh, e);
        let part = self.part(mesh, e, on).unwrap_or(0.0);
        let (x_a, x_b) = (self.x.get(a), self.x.get(b));
        let place = if part == 0.5 {
            (x_a + x_b) * 0.5
        } else if part == 0.0 {
            x_a
        } else {
            x_b
        };
        ChosenCollapse {
            seed: e,
            place,
            origin: Origin::between(a, b, part),
            marked: self.lines.on_rim(cavity),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: ChosenCollapse, hole: &mut Hole<'_, impl Site>) {
        hole.add_star_of(self, plan);
    }

    /// Adds the centre, and returns the marks of lines for the spokes.
    #[inline(always)]
    fn centre<'h>(
        &self,
        plan: ChosenCollapse,
        hole: &mut Hole<'h, impl Site>,
    ) -> (Corner<'h>, u32) {
        let v = hole.add_vertex_at(plan.origin);
        self.x.set(v.id(), plan.place);
        self.edges.finish(plan.seed);
        (v, plan.marked)
    }

    #[inline(always)]
    fn spoke(&self, spoke: Spoke<'_>, marked: u32, _queue: SeedQueue<'_, impl Site>) {
        self.lines.mark_spoke(&spoke, marked);
        self.edges.enter(spoke.side.edge());
    }
}
