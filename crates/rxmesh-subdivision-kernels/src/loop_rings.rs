//! Loop's rules (1987) at base vertices, for all levels at a time.
//!
//! The next positions of a base vertex and the points next to it on its spokes depend only on these. So one kernel
//! follows them through all levels, for any valence and sharpness; all other points are regular.

use crate::catmull_clark::creases::Creases;
use crate::columns::{Columns, One, Rows, RowsMut, Three, Two};
use crate::sharpness::after;
use crate::spokes::{LAST, SpokeKind, Spokes};
use crate::topology::Topology;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel::FlatKernel};

kernel_list! {
    flat loop_rings_1: Rings<One>;
    flat loop_rings_2: Rings<Two>;
    flat loop_rings_3: Rings<Three>;
}

/// Number of weights in [`Masks::betas`].
pub const BETAS: u32 = 64;

args! {
    /// Weights of the smooth rule at a vertex.
    pub struct Masks {
        /// Weight of each neighbour by valence, [`BETAS`] values.
        pub betas: Global<f32>,
    }
}

impl Masks {
    /// Returns the weight of each of `n` neighbours: (5/8 - (3/8 + cos(2 pi / n) / 4)^2) / n (Loop 1987).
    #[inline(always)]
    pub fn beta(&self, n: u32) -> f32 {
        if n < BETAS {
            return self.betas.get(n);
        }
        // Series of the cosine: its next term is below 2e-9.
        let t = core::f32::consts::TAU / n as f32;
        let t = t * t;
        let c = 0.625 - 0.125 * t * (1.0 - t / 12.0);
        (0.625 - c * c) / n as f32
    }
}

args! {
    /// Base vertices and the points next to them at the levels between the first and the last.
    pub struct RingTable<Q> {
        /// Level after level: the vertices, then the points, [`Columns::N`] values each.
        pub values: Global<f32>,
        /// Number of base vertices.
        pub vertices: u32,
        /// Number of their spokes.
        pub spokes: u32,
        /// Number of columns.
        pub of: core::marker::PhantomData<Q>,
    }
}

impl<Q: Columns> RingTable<Q> {
    #[inline(always)]
    fn at(&self, level: u32, row: u32, c: u32) -> u32 {
        ((level - 1) * (self.vertices + self.spokes) + row) * Q::N + c
    }

    /// Returns column `c` of a base vertex at a level.
    #[inline(always)]
    pub fn vertex(&self, level: u32, v: u32, c: u32) -> f32 {
        self.values.get(self.at(level, v, c))
    }

    /// Returns column `c` of the point next to a base vertex on a spoke, at a level.
    #[inline(always)]
    pub fn spoke(&self, level: u32, spoke: u32, c: u32) -> f32 {
        self.values.get(self.at(level, self.vertices + spoke, c))
    }
}

args! {
    /// Computes base vertices and the points next to them at all levels: one column of a vertex per index.
    pub struct Rings<Q: Columns> {
        /// Mesh.
        pub mesh: Topology,
        /// Values of the base vertices.
        pub x: Rows<Q>,
        /// Spokes of the base vertices.
        pub spokes: Spokes,
        /// Sharpness.
        pub creases: Creases,
        /// Weights.
        pub masks: Masks,
        /// Number of levels, at least 1.
        pub levels: u32,
        /// Table, as [`RingTable::values`].
        pub table: GlobalMut<f32>,
        /// Values of the base vertices at the last level.
        pub y: RowsMut<Q>,
    }
}

/// Spokes of a vertex.
#[derive(Clone, Copy)]
struct VertexSpokes {
    level: u32,
    first: u32,
    end: u32,
    column: u32,
}

// SAFETY: an index writes one column of its vertex and of its vertex's spokes, and reads no others of the table
// (contracts U3, U4).
unsafe impl<Q: Columns> FlatKernel for Rings<Q> {
    const THREADS: u32 = 64;

    #[inline(always)]
    fn run(&self, i: u32) {
        let (v, column) = (i / Q::N, i % Q::N);
        let (first, end) = (self.spokes.starts.get(v), self.spokes.starts.get(v + 1));
        let kind = self.spokes.kinds.get(v);
        let mut p = self.x.get(v, column);
        for level in 0..self.levels {
            let ring = VertexSpokes {
                level,
                first,
                end,
                column,
            };
            let next = if kind == SpokeKind::Smooth as u32 {
                self.smooth(ring, p)
            } else {
                self.points(ring, p, kind == SpokeKind::Fans as u32);
                self.vertex(ring, p, v)
            };
            if level + 1 < self.levels {
                let at = self.view().at(level + 1, v, column);
                self.table.set(at, next);
            } else {
                self.y.set(v, column, next);
            }
            p = next;
        }
    }
}

impl<Q: Columns> Rings<Q> {
    #[inline(always)]
    fn view(&self) -> RingTable<Q> {
        RingTable {
            values: self.table.read(),
            vertices: self.spokes.starts.len() - 1,
            spokes: self.spokes.targets.len(),
            of: core::marker::PhantomData,
        }
    }

    /// Returns the point on a spoke.
    #[inline(always)]
    fn get(&self, ring: VertexSpokes, spoke: u32) -> f32 {
        if ring.level == 0 {
            self.x.get(self.spokes.target(spoke), ring.column)
        } else {
            self.view().spoke(ring.level, spoke, ring.column)
        }
    }

    /// Sets the point on a spoke at the next level; those of the last level are not needed.
    #[inline(always)]
    fn set(&self, ring: VertexSpokes, spoke: u32, value: f32) {
        if ring.level + 1 < self.levels {
            let view = self.view();
            let at = view.at(ring.level + 1, view.vertices + spoke, ring.column);
            self.table.set(at, value);
        }
    }

    /// Processes a closed ring without sharpness.
    #[inline(always)]
    fn smooth(&self, ring: VertexSpokes, p: f32) -> f32 {
        let VertexSpokes { first, end, .. } = ring;
        let start = self.get(ring, first);
        let (mut before, mut here, mut sum) = (self.get(ring, end - 1), start, 0.0);
        for s in first..end {
            let after = if s + 1 < end {
                self.get(ring, s + 1)
            } else {
                start
            };
            self.set(ring, s, 0.375 * (p + here) + 0.125 * (before + after));
            sum += here;
            (before, here) = (here, after);
        }
        let n = end - first;
        let beta = self.masks.beta(n);
        (1.0 - n as f32 * beta) * p + beta * sum
    }

    /// Returns the weight (0 to 1) of the crease rule at the next point on a spoke.
    #[inline(always)]
    fn weight(&self, spoke: u32, level: u32) -> f32 {
        let sharpness = self.spokes.sharpness.get(spoke);
        let edge = self.spokes.edges.get(spoke);
        let h = self.mesh.halves.get(edge >> 1);
        let at = if edge & 1 == 0 { 1 } else { (2 << level) - 1 };
        self.creases.weight(&self.mesh, h, sharpness, level, at)
    }

    #[inline(always)]
    fn sharpness(&self, spoke: u32, level: u32) -> f32 {
        self.spokes.sharpness_at(&self.creases, spoke, level)
    }

    /// Computes the points on the spokes of any vertex.
    #[inline(always)]
    fn points(&self, ring: VertexSpokes, p: f32, fans: bool) {
        let mut first = ring.first;
        while first < ring.end {
            let mut end = ring.end;
            if fans {
                end = first + 1;
                while self.spokes.targets.get(end - 1) & LAST == 0 {
                    end += 1;
                }
            }
            for s in first..end {
                let here = self.get(ring, s);
                let w = self.weight(s, ring.level);
                let mut point = 0.5 * (p + here);
                // At an open fan's ends there is no neighbour, and the edge is sharp.
                if w != 1.0 {
                    let last = if s == first { end } else { s } - 1;
                    let next = if s + 1 == end { first } else { s + 1 };
                    let sides = self.get(ring, last) + self.get(ring, next);
                    let round = 0.375 * (p + here) + 0.125 * sides;
                    point = w * point + (1.0 - w) * round;
                }
                self.set(ring, s, point);
            }
            first = end;
        }
    }

    /// Computes any vertex: the rules of its level and of the next, blended while sharpness ends (as in OpenSubdiv's
    /// `Sdc::Scheme::ComputeVertexVertexMask`).
    #[inline(always)]
    fn vertex(&self, ring: VertexSpokes, p: f32, v: u32) -> f32 {
        let VertexSpokes {
            level, first, end, ..
        } = ring;
        let (mut sum, mut line, mut later_line) = (0.0, 0.0, 0.0);
        let (mut sharp, mut later_sharp) = (0, 0);
        let (mut worn, mut worn_sum) = (0, 0.0);
        for s in first..end {
            let here = self.get(ring, s);
            let (now, later) = (self.sharpness(s, level), self.sharpness(s, level + 1));
            sum += here;
            if now > 0.0 {
                sharp += 1;
                line += here;
                if later > 0.0 {
                    later_sharp += 1;
                    later_line += here;
                } else {
                    worn += 1;
                    worn_sum += now;
                }
            }
        }
        let own = self.creases.base.vertex(v);
        let (now, later) = (after(own, level), after(own, level + 1));
        if now > 0.0 && later <= 0.0 {
            worn += 1;
            worn_sum += now;
        }
        let n = end - first;
        let smooth = || {
            let beta = self.masks.beta(n);
            (1.0 - n as f32 * beta) * p + beta * sum
        };
        let rule = |own: f32, lines: u32| if own > 0.0 || lines > 2 { 3 } else { lines };
        let value = |rule: u32, line: f32| match rule {
            3 => p,
            2 => 0.75 * p + 0.125 * line,
            _ => smooth(),
        };
        let (rule_now, rule_later) = (rule(now, sharp), rule(later, later_sharp));
        let stays = value(rule_now, line);
        if rule_now < 2 || rule_now == rule_later {
            return stays;
        }
        let w = if worn == 0 {
            0.0
        } else {
            (worn_sum / worn as f32).min(1.0)
        };
        w * stays + (1.0 - w) * value(rule_later, later_line)
    }
}
