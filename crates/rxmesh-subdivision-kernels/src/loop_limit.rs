//! Limit points and normals of Loop surfaces, from the points of a level (masks as in OpenSubdiv's `Sdc`; eigenvectors
//! of the subdivision matrix: Loop 1987, Hoppe et al. 1994).

use crate::barycentric::{TriangleGrid, inside, inside_point};
use crate::catmull_clark::creases::Creases;
use crate::loop_rings::Masks;
use crate::sharpness::after;
use crate::spokes::Spokes;
use crate::topology::{NONE, Topology};
use rxmesh_kernels::Vec3;
use rxmesh_kernels::math::normalize_or_zero;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{kernel, kernel::FlatKernel};

kernel_list! {
    flat loop_limit: LoopLimit;
}

/// Number of valences in [`LoopLimit::turns`].
pub const TURNS: u32 = 64;

kernel! {
    /// Computes limit points and unit normals: one point per index.
    pub struct LoopLimit: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Edges at base vertices.
        pub spokes: Spokes,
        /// Weights.
        pub masks: Masks,
        /// Cosine and sine of 2 pi / n and of pi / n by number n, four values for each of [`TURNS`].
        pub turns: Global<f32>,
        /// Points.
        pub grid: TriangleGrid,
        /// Positions.
        pub x: Global<f32>,
        /// Limit positions.
        pub points: GlobalMut<f32>,
        /// Unit limit normals, zero if there is none; empty if not requested.
        pub normals: GlobalMut<f32>,
    }
}

/// Limit point, and two tangents, the second to the left of the first.
type Frame = (Vec3, Vec3, Vec3);

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for LoopLimit {
    const THREADS: u32 = 128;

    #[inline(always)]
    fn run(&self, id: u32) {
        let g = self.grid;
        let n = g.parts();
        let (point, along, across) = if id < g.vertices {
            self.vertex(id)
        } else if id < g.face_start(0) {
            let at = id - g.vertices;
            // Not 0, for the compiler's range analysis.
            let points = (n - 1).max(1);
            let e = at / points;
            self.on_line(e, at - e * points + 1, id)
        } else {
            let at = id - g.face_start(0);
            let points = inside(n).max(1);
            let f = at / points;
            let (x, y) = inside_point(n, at - f * points);
            self.inside(f, x, y, id)
        };
        let normal = normalize_or_zero(along.cross(across));
        let set = |to: GlobalMut<f32>, v: Vec3| {
            to.set(3 * id, v.x);
            to.set(3 * id + 1, v.y);
            to.set(3 * id + 2, v.z);
        };
        set(self.points, point);
        if !self.normals.is_empty() {
            set(self.normals, normal);
        }
    }
}

/// Returns the limit of a regular point with its one-ring, counter-clockwise.
#[inline(always)]
fn regular(p: Vec3, e: [Vec3; 6]) -> Frame {
    let [a, b, c, d, f, g] = e;
    (
        0.5 * p + (a + b + c + d + f + g) * (1.0 / 12.0),
        a - d + 0.5 * (b - c - f + g),
        b + c - f - g,
    )
}

/// Returns the limit of a point on a crease, from its neighbours there.
#[inline(always)]
fn crease(p: Vec3, first: Vec3, last: Vec3) -> Vec3 {
    (4.0 * p + first + last) * (1.0 / 6.0)
}

impl LoopLimit {
    #[inline(always)]
    fn get(&self, id: u32) -> Vec3 {
        let at = |c: u32| self.x.get(3 * id + c);
        Vec3::new(at(0), at(1), at(2))
    }

    #[inline(always)]
    fn inside(&self, f: u32, x: u32, y: u32, id: u32) -> Frame {
        let get = |x: u32, y: u32| self.get(self.grid.id(f, x, y));
        let ring = [
            get(x + 1, y),
            get(x, y + 1),
            get(x - 1, y + 1),
            get(x - 1, y),
            get(x, y - 1),
            get(x + 1, y - 1),
        ];
        regular(self.get(id), ring)
    }

    /// Computes the limit of the point `s` steps along an edge; on a sharp edge the side of its lower half-edge is
    /// used.
    #[inline(always)]
    fn on_line(&self, e: u32, s: u32, id: u32) -> Frame {
        let (m, g, n) = (&self.mesh, self.grid, self.grid.parts());
        let h = m.halves.get(e);
        let twin = m.twin(h);
        let get = |h: u32, s: u32, r: u32| self.get(g.beside(h, s, r));
        let p = self.get(id);
        let (next, last) = (get(h, s + 1, 0), get(h, s - 1, 0));
        let (left, left_back) = (get(h, s, 1), get(h, s - 1, 1));
        let sharp = |i: u32| self.creases.part(m, h, g.level, i) > 0.0;
        if twin == NONE || sharp(s - 1) && sharp(s) {
            let across = left + left_back - p - 0.5 * (next + last);
            return (crease(p, next, last), next - last, across);
        }
        let right = [get(twin, n - s, 1), get(twin, n - s - 1, 1)];
        regular(p, [next, left, left_back, last, right[0], right[1]])
    }

    /// Returns the point next to a base vertex on a spoke.
    #[inline(always)]
    fn spoke(&self, spoke: u32) -> Vec3 {
        let n = self.grid.parts();
        if n == 1 {
            return self.get(self.spokes.target(spoke));
        }
        let word = self.spokes.edges.get(spoke);
        let at = if word & 1 == 0 { 0 } else { n - 2 };
        self.get(self.grid.line_start(word >> 1) + at)
    }

    #[inline(always)]
    fn vertex(&self, v: u32) -> Frame {
        let p = self.get(v);
        let (first, end) = (self.spokes.starts.get(v), self.spokes.starts.get(v + 1));
        if first == end {
            return (p, Vec3::ZERO, Vec3::ZERO);
        }
        let level = self.grid.level;
        let (mut count, mut begin, mut last) = (0, first, first);
        for s in first..end {
            if self.spokes.sharpness_at(&self.creases, s, level) > 0.0 {
                if count == 0 {
                    begin = s;
                }
                last = s;
                count += 1;
            }
        }
        let own = self.creases.base.vertex(v);
        if after(own, level) > 0.0 || count > 2 {
            // Plane of the first face.
            return (p, self.spoke(first) - p, self.spoke(first + 1) - p);
        }
        if count == 2 {
            self.crease(p, begin, last)
        } else {
            self.smooth(p, first, end)
        }
    }

    #[inline(always)]
    fn smooth(&self, p: Vec3, first: u32, end: u32) -> Frame {
        let n = end - first;
        let (cos, sin) = self.turn(n, 0);
        let (mut sum, mut along, mut across) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        let (mut x, mut y) = (1.0, 0.0);
        for s in first..end {
            let e = self.spoke(s);
            sum += e;
            along += e * x;
            across += e * y;
            (x, y) = (x * cos - y * sin, x * sin + y * cos);
        }
        let w = 1.0 / (n as f32 + 0.375 / self.masks.beta(n));
        (p * (1.0 - n as f32 * w) + sum * w, along, across)
    }

    /// Computes the limit of a vertex with two sharp spokes; the side from the first to the last is used.
    #[inline(always)]
    fn crease(&self, p: Vec3, begin: u32, last: u32) -> Frame {
        let (a, b) = (self.spoke(begin), self.spoke(last));
        let inner = last - begin - 1;
        let across = if inner == 0 {
            a + b - 2.0 * p
        } else {
            // The eigenvector of 3/8 + cos(pi / (inner + 1)) / 4. (OpenSubdiv has Hoppe's mask for more than four
            // spokes, which belongs to his different rules at creases.)
            let (cos, sin) = self.turn(inner + 1, 2);
            let (mut sum, mut total) = (Vec3::ZERO, 0.0);
            let (mut x, mut y) = (cos, sin);
            for s in begin + 1..last {
                sum += self.spoke(s) * y;
                total += y;
                (x, y) = (x * cos - y * sin, x * sin + y * cos);
            }
            let end = (sin - total) / (1.0 + 2.0 * cos);
            sum + (a + b) * end - p * (total + 2.0 * end)
        };
        (crease(p, a, b), a - b, across)
    }

    /// Returns cosine and sine of 2 pi / n (`at` 0) or pi / n (`at` 2).
    #[inline(always)]
    fn turn(&self, n: u32, at: u32) -> (f32, f32) {
        if n < TURNS {
            return (self.turns.get(4 * n + at), self.turns.get(4 * n + at + 1));
        }
        let whole = if at == 0 { 2.0 } else { 1.0 };
        let t = whole * core::f32::consts::PI / n as f32;
        let square = t * t;
        // The next terms of both series are below 1e-8.
        (
            1.0 - 0.5 * square * (1.0 - square / 12.0),
            t * (1.0 - square / 6.0),
        )
    }
}
