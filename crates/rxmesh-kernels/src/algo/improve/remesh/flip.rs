//! Flips that equalise the valences.

use super::sizing::rests;
use super::{LineEdges, agree, shape};
use crate::algo::improve::delaunay::{Diamond, flip};
use crate::cavity::{Cavity, Hole, Operator, Priority, Seed, Sieves, Site, template};
use crate::edit::{DEAD, FlatMesh, HalfEdgeMesh, NO_FACE};
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

/// Neither new normal is farther from that of the two old faces together than the angle of this cosine (45 degrees).
const TURN: f32 = 0.707_106_77;

/// Triangles this good are good enough ([`shape`]); worse ones must not get worse still.
const GOOD: f32 = 0.5;

/// Flips of slender triangles make them better by this factor.
const BETTER: f32 = 1.2;

args! {
    /// Flips an edge if that brings the valences at its diamond nearer to their best: 6, and 4 on the boundary; or if
    /// one of its triangles is slender and neither new one is as slender.
    pub struct EqualiseFlip {
        /// Positions.
        pub x: Global<Vec3>,
        /// Lines, which are not flipped.
        pub lines: LineEdges,
        /// Results of [`Deviations`]; kept up to date.
        pub deviation: GlobalMut<u32>,
        /// Triangles whose `shape` is below this are slender.
        pub slender: f32,
        /// Number of the mesh of each vertex; not read unless one rests.
        pub labels: Global<u32>,
        /// See [`Sizing::resting`](super::Sizing::resting).
        pub resting: Global<u32>,
    }
}

impl EqualiseFlip {
    #[inline(always)]
    fn deviation_of(&self, v: u32) -> i32 {
        self.deviation.get(v) as i32
    }

    /// Returns half of the decrease of the sum of the squared deviations, less one: it decreases if this is above 0.
    #[inline(always)]
    fn gain(&self, q: Diamond) -> i32 {
        self.deviation_of(q.a) + self.deviation_of(q.b)
            - self.deviation_of(q.c)
            - self.deviation_of(q.d)
            - 2
    }

    /// Returns `true` if the two new triangles lie like the old ones and are not bad, or, unless valences gain by them,
    /// are much better than slender ones.
    #[inline(always)]
    fn fits(&self, q: Diamond, gains: bool) -> bool {
        let x = |v: u32| self.x.get(v);
        let (a, b, c, d) = (x(q.a), x(q.b), x(q.c), x(q.d));
        let old = (b - a).cross(c - a) + (a - b).cross(d - b);
        let new = shape(a, d, c).min(shape(b, c, d));
        let was = || shape(a, b, c).min(shape(a, b, d));
        let better = if gains {
            new >= GOOD || new >= was()
        } else {
            let was = was();
            was < self.slender && new > BETTER * was
        };
        better && agree((d - a).cross(c - a), old, TURN) && agree((b - d).cross(c - d), old, TURN)
    }
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl Operator for EqualiseFlip {
    type Template = template::E;
    /// See [`Diamond::place`].
    type Plan = u32;
    const RIM_IS_SIMPLE: bool = true;
    const SIEVES: Sieves = Sieves::All;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let q = Diamond::new(mesh, seed.0)?;
        let gain = self.gain(q);
        ((gain > 0 || self.slender > 0.0)
            && !self.lines.is_marked(seed.0)
            && !rests(self.labels, self.resting, q.a)
            && self.fits(q, gain > 0))
        .then(|| Priority::descending(gain.max(0) as f32))
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
    fn guards(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        vertex: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        Diamond::new(mesh, seed.0)
            .is_none_or(|q| vertex(q.a) && vertex(q.b) && vertex(q.c) && vertex(q.d))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
        Diamond::place(cavity)
    }

    #[inline(always)]
    fn fill(&self, i: u32, hole: &mut Hole<'_, impl Site>) {
        let change = |at: u32, by: u32| {
            let v = hole.corner(at).id();
            self.deviation
                .set(v, self.deviation.get(v).wrapping_add(by));
        };
        change(i, u32::MAX);
        change(i + 2, u32::MAX);
        change(i + 1, 1);
        change(i + 3, 1);
        flip(hole, i);
        hole.again_rim();
    }
}

kernel! {
    /// Computes the excess of each vertex's edges over 6, or 4 on the boundary; two's complement. One index per vertex
    /// slot.
    pub struct Deviations: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Deviation of each vertex.
        pub deviation: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Deviations {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mesh = &self.mesh;
        if mesh.ve.get(v) >= DEAD {
            return;
        }
        let (mut edges, mut best) = (0u32, 6u32);
        mesh.each_spoke(v, |h| {
            edges += 1;
            if mesh.face(h) == NO_FACE {
                best = 4;
            }
            true
        });
        self.deviation.set(v, edges.wrapping_sub(best));
    }
}
