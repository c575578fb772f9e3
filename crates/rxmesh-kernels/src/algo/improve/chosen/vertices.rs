//! Removal and splits of chosen vertices.

use super::super::remesh::LineEdges;
use super::ChosenElements;
use crate::args;
use crate::cavity::{
    Cavity, Corner, Growth, Hole, Operator, Origin, Priority, Seed, Side, Site, template,
};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::mem::GlobalMut;
use glam::Vec3;

/// One-ring of a vertex that is removed, whose hole is filled with a fan of triangles: around the neighbour of lowest
/// id, or around the first one counter-clockwise if the vertex lies on the boundary.
#[derive(Clone, Copy, Debug)]
pub struct OneRing {
    spokes: u32,
    first: u32,
    last: u32,
    lowest: u32,
    border: bool,
}

impl OneRing {
    /// Walks around a vertex.
    #[inline(always)]
    pub fn new(mesh: &impl HalfEdgeMesh, v: u32) -> OneRing {
        let mut ring = OneRing {
            spokes: 0,
            first: 0,
            last: 0,
            lowest: u32::MAX,
            border: false,
        };
        mesh.spokes(v, |h| {
            let tip = mesh.tip(h);
            if ring.spokes == 0 {
                ring.first = tip;
                ring.border = mesh.face(h ^ 1) == NO_FACE;
            }
            ring.spokes += 1;
            ring.last = tip;
            ring.lowest = ring.lowest.min(tip);
            true
        });
        ring
    }

    /// Returns the corner at which the fan meets, and its neighbours on the boundary loop if it is closed.
    #[inline(always)]
    fn apex(&self, mesh: &impl HalfEdgeMesh, v: u32) -> [u32; 3] {
        if self.border {
            return [self.first; 3];
        }
        let (mut before, mut after) = (self.last, self.first);
        let mut previous = self.last;
        let mut at_apex = false;
        mesh.spokes(v, |h| {
            let tip = mesh.tip(h);
            if at_apex {
                after = tip;
            }
            at_apex = tip == self.lowest;
            if at_apex {
                before = previous;
            }
            previous = tip;
            true
        });
        [self.lowest, before, after]
    }

    /// Returns `true` if a fan can fill the hole: there are three neighbours, and no face exists that it would make.
    #[inline(always)]
    pub fn is_removable(&self, mesh: &impl HalfEdgeMesh, v: u32) -> bool {
        // Three faces whose outer sides are those of one face would leave that face twice.
        let (mut outside, mut same) = (NO_FACE, 0);
        mesh.spokes(v, |h| {
            if mesh.face(h) != NO_FACE {
                let across = mesh.face(mesh.next(h) ^ 1);
                same += u32::from(same == 0 || across == outside);
                outside = across;
            }
            true
        });
        let pillow = self.spokes == 3 && same == 3 && outside != NO_FACE;
        self.spokes > 2 && !pillow
    }

    /// Calls `pair` with each pair of neighbours that the fan joins, until it returns `false`. Returns `true` if it
    /// never did.
    #[inline(always)]
    pub fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        v: u32,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        let [apex, before, after] = self.apex(mesh, v);
        let mut i = 0;
        mesh.spokes(v, |h| {
            let tip = mesh.tip(h);
            let neighbour = if self.border {
                i < 2
            } else {
                tip == apex || tip == before || tip == after
            };
            i += 1;
            neighbour || pair(apex, tip)
        })
    }

    /// Returns the corner of the boundary loop at which the fan meets.
    #[inline(always)]
    pub fn place(cavity: &Cavity<impl Site>) -> u32 {
        if !cavity.is_closed() {
            return 0;
        }
        let mut apex = 0;
        let mut i = 1;
        while i < cavity.corners() {
            if cavity.corner(i) < cavity.corner(apex) {
                apex = i;
            }
            i += 1;
        }
        apex
    }
}

args! {
    /// Removes chosen vertices, if no line is marked there, and fills the holes with fans ([`OneRing`]).
    pub struct RemoveVertices {
        /// Chosen vertices.
        pub chosen: ChosenElements,
        /// Lines, whose vertices stay. Those of the boundary do not count.
        pub lines: LineEdges,
    }
}

/// Plan of a removal.
#[derive(Clone, Copy, Debug)]
pub struct VertexRemoval {
    seed: u32,
    /// See [`OneRing::place`].
    apex: u32,
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for RemoveVertices {
    type Template = template::V;
    type Plan = VertexRemoval;
    // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> template::V {
        template::V
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let v = seed.0;
        let may = self.chosen.has(v)
            && !(self.lines.any != 0 && self.lines.marks_at(mesh, v))
            && OneRing::new(mesh, v).is_removable(mesh, v);
        may.then_some(Priority::NONE)
    }

    #[inline(always)]
    fn joins(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        OneRing::new(mesh, seed.0).joins(mesh, seed.0, pair)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> VertexRemoval {
        VertexRemoval {
            seed: cavity.seed(),
            apex: OneRing::place(cavity),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: VertexRemoval, hole: &mut Hole<'_, impl Site>) {
        // The slots of the new edges are those of deleted ones, which were not marked.
        hole.add_fan(plan.apex);
        self.chosen.finish(plan.seed);
    }
}

args! {
    /// Splits chosen vertices, if no line is marked there. The new vertex takes over the neighbours from one to
    /// another counter-clockwise, both of which stay neighbours of the vertex as well.
    pub struct SplitVertices {
        /// Chosen vertices.
        pub chosen: ChosenElements,
        /// First neighbour of the new vertex, by vertex.
        pub first: GlobalMut<u32>,
        /// Last neighbour of the new vertex, by vertex.
        pub last: GlobalMut<u32>,
        /// Position of the new vertex, by vertex.
        pub places: GlobalMut<Vec3>,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, whose vertices stay. Those of the boundary do not count.
        pub lines: LineEdges,
    }
}

/// Plan of a split: the corners of the boundary loop between which one of the two vertices lies.
#[derive(Clone, Copy, Debug)]
pub struct VertexSplitPlan {
    seed: u32,
    /// Corner at which the sector of the inner vertex begins, and the number of its loop edges.
    from: u32,
    edges: u32,
    /// `true` if the new vertex is the inner one.
    inside: bool,
    place: Vec3,
}

impl SplitVertices {
    /// Adds an edge, which belongs to no line; the side that leaves `a`.
    #[inline(always)]
    fn join<'h>(&self, hole: &mut Hole<'h, impl Site>, a: Corner<'h>, b: Corner<'h>) -> Side<'h> {
        let side = hole.add_edge(a, b);
        self.lines.mark(side.edge(), false);
        side
    }

    /// Fills the sector from corner `from` to corner `to` with triangles that meet in `centre`. The edges to both are
    /// there, if they are given, and are added else.
    #[inline(always)]
    fn add_sector<'h>(
        &self,
        hole: &mut Hole<'h, impl Site>,
        centre: Corner<'h>,
        [from, to]: [u32; 2],
        [first, end]: [Option<Side<'h>>; 2],
    ) {
        let mut last = match first {
            Some(first) => first,
            None => self.join(hole, centre, hole.corner(from)),
        };
        let mut k = from + 1;
        while k <= to {
            let next = match end {
                Some(end) if k == to => end,
                _ => self.join(hole, centre, hole.corner(k)),
            };
            hole.add_face(hole.side(k - 1), next.twin(), last);
            last = next;
            k += 1;
        }
    }
}

// SAFETY: `fill` writes its new elements, the word of its seed and the hole's boundary loop, all else only reads; ids
// are the mesh's (contracts U3, U4).
unsafe impl Operator for SplitVertices {
    type Template = template::V;
    type Plan = VertexSplitPlan;
    // A program asks for few rounds: a kernel that has all their steps would be loaded for nothing.
    const TOGETHER: bool = false;
    const GROWTH: Growth = Growth::VERTEX;

    #[inline(always)]
    fn template(&self) -> template::V {
        template::V
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let v = seed.0;
        if !self.chosen.has(v) || self.lines.any != 0 && self.lines.marks_at(mesh, v) {
            return None;
        }
        let (first, last) = (self.first.get(v), self.last.get(v));
        let mut found = 0;
        mesh.each_spoke(v, |h| {
            let tip = mesh.tip(h);
            found += u32::from(tip == first) + u32::from(tip == last);
            true
        });
        (first != last && found == 2).then_some(Priority::NONE)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> VertexSplitPlan {
        let v = cavity.seed();
        let (first, last) = (self.first.get(v), self.last.get(v));
        let (mut i, mut j, mut k) = (0, 0, 0);
        while k < cavity.corners() {
            let corner = cavity.corner(k);
            if corner == first {
                i = k;
            }
            if corner == last {
                j = k;
            }
            k += 1;
        }
        // The sector of the inner vertex does not reach over the gap in the boundary loop.
        let inside = i < j || cavity.is_closed();
        let (from, to) = if inside { (i, j) } else { (j, i) };
        let to = if to < from { to + cavity.corners() } else { to };
        VertexSplitPlan {
            seed: v,
            from,
            edges: to - from,
            inside,
            place: self.places.get(v),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: VertexSplitPlan, hole: &mut Hole<'_, impl Site>) {
        let v = plan.seed;
        let old = hole.keep_vertex(v);
        let new = hole.add_vertex_at(Origin::between(v, v, 0.0));
        self.x.set(new.id(), plan.place);
        let (inner, outer) = if plan.inside { (new, old) } else { (old, new) };
        let (from, to) = (plan.from, plan.from + plan.edges);
        let (first, last) = (hole.corner(from), hole.corner(to));
        let inner_first = self.join(hole, inner, first);
        let inner_last = self.join(hole, inner, last);
        let outer_first = self.join(hole, outer, first);
        let outer_last = self.join(hole, outer, last);
        let bridge = self.join(hole, inner, outer);
        hole.add_face(bridge, outer_first, inner_first.twin());
        hole.add_face(bridge.twin(), inner_last, outer_last.twin());
        self.add_sector(
            hole,
            inner,
            [from, to],
            [Some(inner_first), Some(inner_last)],
        );
        if hole.is_closed() {
            // Around a closed loop, from the last corner of the sector to the first.
            let (start, n) = if to < hole.corners() {
                (to, hole.corners())
            } else {
                (to - hole.corners(), 0)
            };
            self.add_sector(
                hole,
                outer,
                [start, from + n],
                [Some(outer_last), Some(outer_first)],
            );
        } else {
            self.add_sector(hole, outer, [to, hole.rim()], [Some(outer_last), None]);
            if from > 0 {
                self.add_sector(hole, outer, [0, from], [None, Some(outer_first)]);
            }
        }
        self.chosen.enter(new.id());
        self.chosen.enter(v);
        self.chosen.finish(v);
    }
}
