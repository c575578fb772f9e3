//! Splits of long edges.

use super::{HintedPoints, LineEdges, Sizing};
use crate::args;
use crate::cavity::{
    Cavity, Growth, Hole, Operator, Origin, Priority, Seed, Sieves, Site, template,
};
use crate::edit::HalfEdgeMesh;
use glam::Vec3;

args! {
    /// Splits edges that are longer than some length in their middle, much longer ones first.
    pub struct SplitLong {
        /// Positions.
        pub x: HintedPoints,
        /// Lines, which continue in both halves of their edges.
        pub lines: LineEdges,
        /// Length above which edges are split.
        pub longest: Sizing,
    }
}

/// Plan of a split of an edge in its middle.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    middle: Vec3,
    ends: [u32; 2],
    marked: bool,
    length: f32,
    label: u32,
    hint: u32,
}

impl Halves {
    /// Reads the values of the edge that is the seed of a cavity.
    #[inline(always)]
    pub(crate) fn new(
        cavity: &Cavity<impl Site>,
        x: &HintedPoints,
        lines: &LineEdges,
        longest: &Sizing,
    ) -> Halves {
        let e = cavity.seed();
        let (a, b) = (cavity.mesh().origin(2 * e), cavity.mesh().tip(2 * e));
        Halves {
            middle: (x.get(a) + x.get(b)) * 0.5,
            ends: [a, b],
            marked: lines.is_marked(e),
            length: longest.between(a, b, 0.5),
            label: longest.label(a),
            hint: x.hint(a),
        }
    }

    /// Fills the hole with a star around the middle. A line continues in both halves of its edge, and new edges that
    /// are longer than `longest` are seeds again.
    #[inline(always)]
    pub(crate) fn fill(
        self,
        hole: &mut Hole<'_, impl Site>,
        x: &HintedPoints,
        lines: &LineEdges,
        longest: &Sizing,
    ) {
        let [a, b] = self.ends;
        let v = hole.add_vertex_at(Origin::between(a, b, 0.5));
        x.set(v.id(), self.middle, self.hint);
        longest.set(v.id(), self.length, self.label);
        let queue = hole.queue();
        hole.add_star_with(v, |edge, corner| {
            let half = corner.id() == a || corner.id() == b;
            lines.mark(edge.edge(), half && self.marked);
            let d = x.get(corner.id()) - self.middle;
            if d.dot(d) > longest.square_to(corner.id(), self.length) {
                queue.again(edge.edge());
            }
        });
    }
}

/// Returns the priority of an edge by its squared length: in classes of length, a factor of about 1.2 apart. Inside a
/// class the hash decides, so that many can win at a time.
#[inline(always)]
pub(crate) fn longer_first(square: f32) -> Priority {
    Priority::descending(f32::from_bits(square.to_bits() & 0xffc0_0000))
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl Operator for SplitLong {
    type Template = template::E;
    type Plan = Halves;
    const GROWTH: Growth = Growth::VERTEX;
    const SIEVES: Sieves = Sieves::All;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let e = seed.0;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let d = self.x.get(a) - self.x.get(b);
        let square = d.dot(d);
        let long = square > self.longest.square(a, b) && square < f32::INFINITY;
        (long && !self.longest.rests(a)).then(|| longer_first(square))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> Halves {
        Halves::new(cavity, &self.x, &self.lines, &self.longest)
    }

    #[inline(always)]
    fn fill(&self, plan: Halves, hole: &mut Hole<'_, impl Site>) {
        plan.fill(hole, &self.x, &self.lines, &self.longest);
    }
}
