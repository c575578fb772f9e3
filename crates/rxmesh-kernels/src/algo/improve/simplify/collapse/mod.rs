//! The collapse of an edge.

mod folds;
mod refusal;
mod walk;

use super::order::URGENCY_BITS;
use super::quadric::Quadric;
use super::{
    Course, EdgePriority, LineForm, MeshCount, NEW, PLACE_CHEAPER_END, PLACE_OTHER_END, Placement,
    QuadricSurface, REFUSALS, REFUSED, SomeLines, part_word,
};
use crate::cavity::{
    Cavity, Corner, Hole, Operator, Origin, Priority, Seed, SeedQueue, Sieves, Site, Spoke,
    template,
};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, NONE};
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;
use walk::KEEPS_RINGS;

args! {
    /// Collapses an edge to the place of least cost.
    pub struct Collapse<L: LineForm> {
        /// Positions and quadrics.
        pub surface: QuadricSurface<L>,
        /// Costs of the edges.
        pub costs: GlobalMut<u32>,
        /// Set of refused edges, a bit each.
        pub refused: GlobalMut<u32>,
        /// See [`Course`], of which [`Course::Borders`] is counted.
        pub course: GlobalMut<u32>,
        /// Target of each vertex that was collapsed, plus 1; empty if it is not needed.
        pub went: GlobalMut<u32>,
        /// EdgePriority of the edges at a vertex.
        pub order: EdgePriority,
        /// Number of the mesh of each edge; empty for one mesh.
        pub labels: Global<u32>,
        /// Counts of each mesh, of which [`MeshCount::Gone`] is updated.
        pub parts: GlobalMut<u32>,
    }
}

impl<L: LineForm> Collapse<L> {
    /// Returns the end of an edge that stays, if one does: see [`QuadricSurface::stays`]. For edges that have a cost.
    #[inline(always)]
    fn stays(&self, mesh: &impl HalfEdgeMesh, e: u32) -> u32 {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        s.stays(e, s.hold(a), s.hold(b)).unwrap_or(NONE)
    }

    /// Returns the position and cost of the new vertex.
    #[inline(always)]
    fn placement(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Placement {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (xa, xb) = (s.x.get(a), s.x.get(b));
        let stays = self.stays(mesh, e);
        if s.by_length() {
            let on_border = |v: u32| s.boundary(v) > 0.0 && crate::cavity::is_border(mesh, v);
            let at = match (stays, s.placing) {
                (0, _) => xa,
                (1, _) => xb,
                _ => match (on_border(a), on_border(b)) {
                    (true, false) => xa,
                    (false, true) => xb,
                    _ => match s.placing {
                        PLACE_CHEAPER_END => xa,
                        PLACE_OTHER_END => xb,
                        _ => (xa + xb) * 0.5,
                    },
                },
            };
            return Placement {
                at,
                quadric: Quadric::ZERO,
                lines: Quadric::ZERO,
                cost: 0.0,
            };
        }
        s.placement(xa, s.planes(a), xb, s.planes(b), stays)
    }

    /// Returns the place between the ends of an edge that is nearest to a point.
    #[inline(always)]
    fn origin(&self, mesh: &impl HalfEdgeMesh, e: u32, p: Vec3) -> Origin {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let xa = s.x.get(a);
        let (along, to) = ((s.x.get(b) - xa) * s.scale, (p - xa) * s.scale);
        let square = along.dot(along);
        let part = if square > 0.0 {
            (along.dot(to) / square).clamp(0.0, 1.0)
        } else {
            0.5
        };
        Origin::between(a, b, part)
    }
}

/// Plan of a collapse, from its cavity to its fill-in.
#[derive(Clone, Copy, Debug)]
pub struct CollapsePlan {
    at: Vec3,
    /// End that stays, or [`NONE`].
    stays: u32,
    /// Ends of the edge.
    ends: [u32; 2],
    origin: Origin,
    quadric: Quadric,
    /// See [`LineEdges::on_rim`](crate::algo::improve::remesh::LineEdges::on_rim).
    marked: u32,
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl<L: LineForm> Operator for Collapse<L> {
    type Template = template::EV;
    type Plan = CollapsePlan;
    const RIM_IS_SIMPLE: bool = true;
    const SIEVES: Sieves = Sieves::Every;
    const STAR: bool = true;
    // `LimitWinners` and `SimplifySelect` come between.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn wants(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> bool {
        let e = seed.0;
        let cost = self.costs.get(e);
        cost < REFUSED && self.order.is_free(mesh, e, cost)
    }

    #[inline(always)]
    fn ask(&self, vertex: u32, of_seed: bool) {
        self.surface.x.ask(vertex);
        if of_seed && !self.surface.by_length() {
            self.surface.ask_quadric(vertex);
        }
    }

    #[inline(always)]
    fn ask_corner(&self, vertex: u32) {
        self.ask(vertex, true);
    }

    /// Writes the edge's own bit among the refused: it is not read before the round is over.
    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let e = seed.0;
        let cost = self.costs.get(e);
        if cost >= REFUSED {
            return None;
        }
        let (ends, refusal) = if KEEPS_RINGS {
            let ends = self.ends(mesh, e);
            let refusal = self.refusal(mesh, e, ends, None);
            // The test of a GPU, which has no debug builds.
            debug_assert_eq!(
                refusal.is_some(),
                self.refusal_in_one_walk(mesh, e).1.is_some()
            );
            (ends, refusal)
        } else {
            self.refusal_in_one_walk(mesh, e)
        };
        if refusal.is_some() {
            self.refused.fetch_or(e / 32, 1 << (e % 32));
            return None;
        }
        let class = cost >> URGENCY_BITS << URGENCY_BITS;
        Some(Priority::ascending(f32::from_bits(class)).meeting(ends.walk.faces))
    }

    /// Guards the places of neighbours: a vertex drawn into a place brings its neighbours there, and none of them may
    /// come to another vertex of the place in the same round.
    #[inline(always)]
    fn guards(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        vertex: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let s = &self.surface;
        if s.holds.is_empty() {
            return true;
        }
        let e = seed.0;
        let stays = self.stays(mesh, e);
        if stays == NONE || !s.is_placed(mesh.origin(2 * e + stays)) {
            return true;
        }
        mesh.each_spoke_from(2 * e + (1 - stays), |h| h >> 1 == e || vertex(mesh.tip(h)))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> CollapsePlan {
        let p = self.placement(cavity.mesh(), cavity.seed());
        let mut i = 0;
        while i < cavity.edges() {
            self.costs.set(cavity.edge(i), NONE);
            i += 1;
        }
        let e = cavity.seed();
        let border =
            cavity.mesh().face(2 * e) == NO_FACE || cavity.mesh().face(2 * e + 1) == NO_FACE;
        if border {
            self.course.fetch_add(Course::Borders as u32, 1);
        }
        if !self.labels.is_empty() {
            let gone = part_word(self.labels.get(e), MeshCount::Gone);
            self.parts.fetch_add(gone, if border { 1 } else { 2 });
        }
        let mesh = cavity.mesh();
        let s = &self.surface;
        if let Some(quadrics) = s.lines.quadrics() {
            // The new vertex has the slot of one of the ends.
            quadrics.set(mesh.origin(2 * e), p.lines.store());
            quadrics.set(mesh.tip(2 * e), p.lines.store());
        }
        CollapsePlan {
            at: p.at,
            stays: match self.stays(mesh, e) {
                NONE => NONE,
                end => mesh.origin(2 * e + end),
            },
            ends: [mesh.origin(2 * e), mesh.tip(2 * e)],
            origin: self.origin(mesh, e, p.at),
            quadric: p.quadric,
            marked: s.lines.marks().map_or(0, |marks| marks.on_rim(cavity)),
        }
    }

    #[inline(always)]
    fn fill(&self, new: CollapsePlan, hole: &mut Hole<'_, impl Site>) {
        hole.add_star_of(self, new);
    }

    #[inline(always)]
    fn centre<'h>(&self, new: CollapsePlan, hole: &mut Hole<'h, impl Site>) -> (Corner<'h>, u32) {
        let s = &self.surface;
        let v = if new.stays == NONE {
            hole.add_vertex_at(new.origin)
        } else {
            hole.keep_vertex(new.stays)
        };
        if !self.went.is_empty() {
            let [a, b] = new.ends;
            self.went.set(if v.id() == a { b } else { a }, v.id() + 1);
        }
        s.x.set(v.id(), new.at);
        if !s.by_length() {
            s.quadrics.set(v.id(), new.quadric.store());
        }
        (v, new.marked)
    }

    /// Computes the cost of a new edge when all are there, one thread each.
    #[inline(always)]
    fn spoke(&self, spoke: Spoke<'_>, marked: u32, _: SeedQueue<'_, impl Site>) {
        if let Some(marks) = self.surface.lines.marks() {
            marks.mark_spoke(&spoke, marked);
        }
        self.costs.set(spoke.side.edge(), NEW);
    }

    /// Computes the costs of the new edges four at a time, by one thread, which has the centre at hand.
    #[inline(always)]
    fn settle(&self, cavity: &Cavity<impl Site>) {
        let (centre, n) = (cavity.vertex(0), cavity.corners());
        let set = |i: u32, cost: u32| self.costs.set(cavity.edge(i), cost);
        let edge = |i: u32| cavity.edge(i);
        (self.surface).cost_star(centre, n, edge, |i| cavity.corner(i), set);
    }
}

kernel! {
    /// Counts the live edges by the reason why they are not collapsed, for each of several meshes. One index per edge
    /// slot.
    pub struct SimplifyRefusals: Flat {
        /// Operator to run.
        pub collapse: Collapse<SomeLines>,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Counts by mesh and [`Refusal`](super::Refusal).
        pub refusals: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyRefusals {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (c, mesh) = (&self.collapse, &self.mesh);
        if !mesh.edge_lives(e) {
            return;
        }
        if let Some(refusal) = c.why_not(mesh, e) {
            let part = c.surface.part(mesh.origin(2 * e));
            self.refusals
                .fetch_add(part * REFUSALS as u32 + refusal as u32, 1);
        }
    }
}
