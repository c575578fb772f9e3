//! Splits of long edges.

use super::Lines;
use crate::cavity::{Cavity, Growth, Hole, Operator, Priority, Seed, Site, template};
use crate::edit::Mesh;
use crate::kernel;
use crate::mem::GlobalMut;
use glam::Vec3;

kernel! {
    /// Splits edges that are longer than some length in their middle, much longer ones first.
    pub struct SplitLong: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Lines, which go on in both halves of their edges.
        pub lines: Lines,
        /// The square of the length.
        pub longest: f32,
    }
}

/// What is known of an edge that is split.
#[derive(Clone, Copy, Debug)]
pub struct Halves {
    middle: Vec3,
    ends: [u32; 2],
    marked: bool,
}

impl Operator for SplitLong {
    type Template = template::E;
    type Plan = Halves;
    const GROWTH: Growth = Growth::VERTEX;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl Mesh, seed: Seed<Self>) -> Option<Priority> {
        let e = seed.0;
        let d = self.x.get(mesh.origin(2 * e)) - self.x.get(mesh.tip(2 * e));
        let square = d.dot(d);
        // Classes of length, a factor of about 1.2 apart: inside a class the hash decides, so that many can win at a time.
        let class = f32::from_bits(square.to_bits() & 0xffc0_0000);
        (square > self.longest && square < f32::INFINITY).then(|| Priority::descending(class))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> Halves {
        let e = cavity.seed();
        let ends = [cavity.mesh().origin(2 * e), cavity.mesh().tip(2 * e)];
        Halves {
            middle: (self.x.get(ends[0]) + self.x.get(ends[1])) * 0.5,
            ends,
            marked: self.lines.is_marked(e),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: Halves, hole: &mut Hole<'_, impl Site>) {
        let v = hole.add_vertex();
        self.x.set(v.id(), plan.middle);
        let queue = hole.queue();
        hole.add_star_with(v, |edge, corner| {
            let half = corner.id() == plan.ends[0] || corner.id() == plan.ends[1];
            self.lines.mark(edge.edge(), half && plan.marked);
            let d = self.x.get(corner.id()) - plan.middle;
            if d.dot(d) > self.longest {
                queue.again(edge.edge());
            }
        });
    }
}
