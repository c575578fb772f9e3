//! Delaunay edge flips: until the angles opposite every interior edge sum up to at most pi.

use crate::algo::improve::remesh::LineEdges;
use crate::cavity::{Cavity, Hole, Operator, Priority, Seed, Sieves, Site, template};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE};
use crate::kernel::FlatKernel;
use crate::math::{length, sqrt};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    operator delaunay: DelaunayFlip;
    flat delaunay_count: CountDelaunay;
}

/// Amount by which the sum of the two cotangents may be below zero, so that rounding does not flip an edge to and fro.
const TOLERANCE: f32 = 1e-6;

args! {
    /// Flips an edge whose opposite angles sum to more than pi.
    pub struct DelaunayFlip {
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// Edges that stay.
        pub lines: LineEdges,
    }
}

/// Two triangles at an edge from `a` to `b`: `a b c` along the edge, `b a d` against it.
#[derive(Clone, Copy, Debug)]
pub struct Diamond {
    /// Source of the edge.
    pub a: u32,
    /// Target of the edge.
    pub b: u32,
    /// Opposite vertex along the edge.
    pub c: u32,
    /// Opposite vertex against the edge.
    pub d: u32,
}

impl Diamond {
    /// Returns the diamond of an edge; `None` on the boundary.
    #[inline(always)]
    pub fn new(mesh: &impl HalfEdgeMesh, e: u32) -> Option<Diamond> {
        if mesh.face(2 * e) == NO_FACE || mesh.face(2 * e + 1) == NO_FACE {
            return None;
        }
        Some(Diamond {
            a: mesh.origin(2 * e),
            b: mesh.tip(2 * e),
            c: mesh.apex(2 * e),
            d: mesh.apex(2 * e + 1),
        })
    }

    /// Calls `pair` with the vertices between which a flip of an edge makes one; returns its answer, or `true` on the
    /// boundary.
    #[inline(always)]
    pub(crate) fn joins(
        mesh: &impl HalfEdgeMesh,
        e: u32,
        pair: &mut impl FnMut(u32, u32) -> bool,
    ) -> bool {
        Diamond::new(mesh, e).is_none_or(|q| pair(q.c, q.d))
    }

    /// Returns the place of an edge's ends on the boundary loop of its cavity: 0 for corners 0 and 2, 1 for corners 1
    /// and 3.
    #[inline(always)]
    pub fn place(cavity: &Cavity<impl Site>) -> u32 {
        let half = 2 * cavity.seed();
        let first = cavity.corner(0);
        u32::from(first != cavity.mesh().origin(half) && first != cavity.mesh().tip(half))
    }
}

impl DelaunayFlip {
    /// Returns the corners seen from the first, in units of about the edge's length: products of lengths are in range.
    #[inline(always)]
    fn corners(&self, q: Diamond) -> [Vec3; 4] {
        let at = self.x.get(q.a);
        let to = |v: u32| self.x.get(v) - at;
        let [b, c, d] = [to(q.b), to(q.c), to(q.d)];
        let size = b.abs().max_element();
        // Also where the edge has no length, or one whose inverse is not a number.
        let unit = if size > f32::MIN_POSITIVE {
            1.0 / size
        } else {
            1.0
        };
        [Vec3::ZERO, b * unit, c * unit, d * unit]
    }

    /// Returns `true` if the angles at `c` and `d` sum to more than pi.
    #[inline(always)]
    fn is_violated(&self, q: Diamond) -> bool {
        let [a, b, c, d] = self.corners(q);
        let (dot_c, cross_c) = corner(c, a, b);
        let (dot_d, cross_d) = corner(d, a, b);
        // cot c + cot d < 0, without the divisions.
        dot_c * cross_d + dot_d * cross_c < -TOLERANCE * cross_c * cross_d
    }

    /// Returns `true` if the two new triangles fold over more than the old ones.
    #[inline(always)]
    fn folds(&self, q: Diamond) -> bool {
        let [a, b, c, d] = self.corners(q);
        let new = cosine((d - a).cross(c - a), (b - d).cross(c - d));
        let old = cosine((b - a).cross(c - a), (a - b).cross(d - b));
        new < 0.0 && new < old
    }
}

/// Returns the product of the lengths of `a - o` and `b - o` times the cosine and the sine of their angle.
#[inline(always)]
fn corner(o: Vec3, a: Vec3, b: Vec3) -> (f32, f32) {
    let (u, v) = (a - o, b - o);
    (u.dot(v), length(u.cross(v)))
}

#[inline(always)]
fn cosine(u: Vec3, v: Vec3) -> f32 {
    let squares = u.dot(u) * v.dot(v);
    if squares > 0.0 {
        u.dot(v) / sqrt(squares)
    } else {
        0.0
    }
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl Operator for DelaunayFlip {
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
        (!self.lines.is_marked(seed.0) && self.is_violated(q) && !self.folds(q))
            .then_some(Priority::NONE)
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
    fn plan(&self, cavity: &Cavity<impl Site>) -> u32 {
        Diamond::place(cavity)
    }

    #[inline(always)]
    fn fill(&self, i: u32, hole: &mut Hole<'_, impl Site>) {
        flip(hole, i);
        hole.again_rim();
    }
}

/// Fills a hole of four loop edges, whose old diagonal left corner `i`, with the other diagonal.
#[inline(always)]
pub fn flip(hole: &mut Hole<'_, impl Site>, i: u32) {
    let new = hole.add_edge(hole.corner(i + 1), hole.corner(i + 3));
    hole.add_face(hole.side(i + 1), hole.side(i + 2), new.twin());
    hole.add_face(hole.side(i + 3), hole.side(i), new);
}

kernel! {
    /// Counts the interior edges that violate the criterion, in word 1 of `counts`. One index per edge slot.
    pub struct CountDelaunay: Flat {
        /// Operator with the criterion.
        pub flip: DelaunayFlip,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Claims on faces, which tell the frozen ones.
        pub claims: GlobalMut<u64>,
        /// Word 1: edges that an operator may flip. Word 2: edges at frozen faces.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for CountDelaunay {
    #[inline(always)]
    fn run(&self, e: u32) {
        if !self.mesh.edge_lives(e) {
            return;
        }
        let Some(q) = Diamond::new(&self.mesh, e) else {
            return;
        };
        if self.flip.is_violated(q) {
            let is_frozen = |h: u32| self.claims.get(self.mesh.face(h)) == crate::cavity::FROZEN;
            let frozen = is_frozen(2 * e) || is_frozen(2 * e + 1);
            self.counts.fetch_add(1 + u32::from(frozen), 1);
        }
    }
}
