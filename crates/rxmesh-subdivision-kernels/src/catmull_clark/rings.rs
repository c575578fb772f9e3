//! The points round base vertices, through all levels.
//!
//! Each corner h of the mesh keeps, beside its vertex v, the first point `OUT` along h, the point `ACROSS` the cell at
//! v, and the first point `IN` along the half-edge before h, from v on. The next level's are made of these and of
//! those of the corners beside h at the same vertex; so a vertex with all its corners needs nothing else.

use super::creases::Creases;
use super::{Components, Output, Rows, next, prev};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan};

kernel_list! {
    block catmull_clark_rings3: RefineRings<super::Three>;
    block catmull_clark_rings1: RefineRings<super::One>;
}

/// Vertices that a block takes.
pub const CHUNK: u32 = 32;
/// Points that a corner keeps.
pub const POINTS: u32 = 3;
/// The first point along the half-edge of a corner.
pub const OUT: u32 = 0;
/// The point across the cell at a corner.
pub const ACROSS: u32 = 1;
/// The first point along the half-edge before a corner.
pub const IN: u32 = 2;

args! {
    /// The points round base vertices at all levels before the last.
    pub struct Rings {
        /// Values at the base: level 0.
        pub base: Rows,
        /// Levels, the last one included.
        pub depth: u32,
        /// For each corner, and each level from 1 to `depth` - 1: [`POINTS`] points.
        pub corners: Global<f32>,
        /// For each level from 1 to `depth` - 1, and each vertex: its point.
        pub centres: Global<f32>,
    }
}

impl Rings {
    /// Where a point of a corner stands in [`Rings::corners`], for a level from 1 on.
    #[inline(always)]
    fn place(depth: u32, n: u32, h: u32, level: u32, point: u32) -> u32 {
        ((h * (depth - 1) + level - 1) * POINTS + point) * n
    }

    /// A component of a point of a corner at a level before the last; `n` components are kept.
    #[inline(always)]
    pub fn corner(
        &self,
        mesh: &Topology,
        n: u32,
        h: u32,
        level: u32,
        point: u32,
        component: u32,
    ) -> f32 {
        if level == 0 {
            let at = (h & !3) | ((h + 1 + point) & 3);
            self.base.get(mesh.corners.get(at), component)
        } else {
            let at = Rings::place(self.depth, n, h, level, point);
            self.corners.get(at + component)
        }
    }

    /// A component of a vertex at a level before the last.
    #[inline(always)]
    pub fn centre(&self, mesh: &Topology, n: u32, v: u32, level: u32, component: u32) -> f32 {
        if level == 0 {
            self.base.get(v, component)
        } else {
            let row = (level - 1) * mesh.vertex_count() + v;
            self.centres.get(row * n + component)
        }
    }
}

args! {
    /// Takes [`CHUNK`] vertices and their corners through all levels.
    pub struct RefineRings<N: Components> {
        /// The mesh of quads.
        pub mesh: Topology,
        /// How sharp it is.
        pub creases: Creases,
        /// Values at the base.
        pub base: Rows,
        /// Levels.
        pub depth: u32,
        /// As [`Rings::corners`].
        pub corners: GlobalMut<f32>,
        /// As [`Rings::centres`].
        pub centres: GlobalMut<f32>,
        /// The result, whose first rows are the base vertices.
        pub out: Output,
        /// How many components.
        pub components: N,
    }
}

impl<N: Components> RefineRings<N> {
    #[inline(always)]
    fn known(&self) -> Rings {
        Rings {
            base: self.base,
            depth: self.depth,
            corners: self.corners.read(),
            centres: self.centres.read(),
        }
    }

    /// What the cell of a corner becomes: its face point.
    #[inline(always)]
    fn face(&self, h: u32, v: f32, level: u32, k: u32) -> f32 {
        let rings = self.known();
        let at = |point| rings.corner(&self.mesh, N::N, h, level, point, k);
        0.25 * (v + at(OUT) + at(ACROSS) + at(IN))
    }

    /// The next level of a corner.
    #[inline(always)]
    fn corner(&self, h: u32, level: u32, k: u32) {
        let (m, rings) = (&self.mesh, self.known());
        let v = rings.centre(m, N::N, m.corners.get(h), level, k);
        let at = |point| rings.corner(m, N::N, h, level, point, k);
        let (out, into) = (at(OUT), at(IN));
        let face = 0.25 * (v + out + at(ACROSS) + into);
        let edge = |end: f32, other: u32, weight: f32| {
            let middle = 0.5 * (v + end);
            if other == NONE || weight == 1.0 {
                return middle;
            }
            let smooth = 0.25 * (v + end + face + self.face(other, v, level, k));
            smooth + weight * (middle - smooth)
        };
        let before = prev(h);
        let (below, beside) = (m.twin(h), m.twin(before));
        let below = if below == NONE { NONE } else { next(below) };
        let weights = if self.creases.smooth != 0 {
            (0.0, 0.0)
        } else {
            (
                self.creases.first_weight(m, h, level),
                self.creases.last_weight(m, before, level),
            )
        };
        let to = Rings::place(self.depth, N::N, h, level + 1, 0) + k;
        self.corners
            .set(to + OUT * N::N, edge(out, below, weights.0));
        self.corners.set(to + ACROSS * N::N, face);
        self.corners
            .set(to + IN * N::N, edge(into, beside, weights.1));
    }

    /// The next level of a vertex.
    #[inline(always)]
    fn vertex(&self, v: u32, level: u32, k: u32) -> f32 {
        let (m, rings) = (&self.mesh, self.known());
        let (first, end) = m.row(v);
        let here = rings.centre(m, N::N, v, level, k);
        let n = (end - first) as f32;
        if first == end {
            return here;
        }
        let (mut edges, mut faces) = (0.0, 0.0);
        for at in first..end {
            let h = m.entries.get(at);
            edges += rings.corner(m, N::N, h, level, OUT, k);
            faces += self.face(h, here, level, k);
        }
        let smooth = ((n - 2.0) * here + (edges + faces) / n) / n;
        if self.creases.smooth != 0 {
            smooth
        } else {
            self.creases.vertex(m, v, level, here, smooth, |h, target| {
                let (h, point) = if target { (next(h), IN) } else { (h, OUT) };
                rings.corner(m, N::N, h, level, point, k)
            })
        }
    }
}

// SAFETY: a block writes what belongs to its vertices and their corners, and reads nothing else that is written; what
// it reads of a level was written before a barrier, and branches around phases depend on the level (contracts U1 to
// U4).
unsafe impl<N: Components> BlockKernel for RefineRings<N> {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &mut Plan) {}

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, (): &()) {
        let m = &self.mesh;
        let first = block * CHUNK;
        let count = (m.vertex_count() - first).min(CHUNK);
        let (start, end) = (m.starts.get(first), m.starts.get(first + count));
        for level in 0..self.depth {
            let done = level + 1 == self.depth;
            b.phase(|p| {
                p.each(count * N::N, |i| {
                    let (v, k) = (first + i / N::N, i % N::N);
                    let x = self.vertex(v, level, k);
                    if done {
                        self.out.set(v, k, x);
                    } else {
                        let row = level * m.vertex_count() + v;
                        self.centres.set(row * N::N + k, x);
                    }
                });
                if !done {
                    p.each((end - start) * N::N, |i| {
                        self.corner(m.entries.get(start + i / N::N), level, i % N::N);
                    });
                }
            });
        }
    }
}
