//! Limit positions of the points of a surface, and its limit normals.
//!
//! Inside, masks are those of Halstead, Kass and DeRose 1993. At creases the mask of the tangent across is the left
//! eigenvector of the rules of the level; OpenSubdiv uses that of Biermann, Levin and Zorin 2000, whose rules differ at
//! vertices with more than two faces beside the crease. As in OpenSubdiv, remaining sharpness at the last level counts
//! as infinite. At an interior crease the normal is that of one side: counter-clockwise from the crease's first
//! half-edge, and of the face of an edge's lower half-edge.

use super::creases::Creases;
use super::{LevelGrid, prev};
use crate::topology::NONE;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::{length, sqrt};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{Vec3, args, kernel};

kernel_list! {
    flat catmull_clark_limit_inside: LimitInside;
    flat catmull_clark_limit_edges: LimitOnEdges;
    flat catmull_clark_limit_vertices: LimitVertices;
}

args! {
    /// The last level, and the results.
    pub struct CatmullClarkLimit {
        /// Points.
        pub grid: LevelGrid,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Three floats per point.
        pub values: Global<f32>,
        /// Limit positions; three floats per point.
        pub points: GlobalMut<f32>,
        /// Normals of length 1, or 0 if there is none; three floats per point. Empty if not requested.
        pub normals: GlobalMut<f32>,
    }
}

/// Point and two tangents, the second to the left of the first.
struct TangentFrame {
    point: Vec3,
    first: Vec3,
    second: Vec3,
}

impl CatmullClarkLimit {
    #[inline(always)]
    fn get(&self, id: u32) -> Vec3 {
        let at = |k| self.values.get(3 * id + k);
        Vec3::new(at(0), at(1), at(2))
    }

    #[inline(always)]
    fn set(&self, id: u32, frame: &TangentFrame) {
        put(self.points, id, frame.point);
        if !self.normals.is_empty() {
            let n = frame.first.cross(frame.second);
            let size = length(n);
            let unit = if size > 0.0 { n / size } else { Vec3::ZERO };
            put(self.normals, id, unit);
        }
    }
}

#[inline(always)]
fn put(to: GlobalMut<f32>, id: u32, x: Vec3) {
    to.set(3 * id, x.x);
    to.set(3 * id + 1, x.y);
    to.set(3 * id + 2, x.z);
}

/// Returns the frame at the centre of nine points of a regular grid: `at(x, y)` for -1 to 1.
#[inline(always)]
fn regular(at: impl Fn(i32, i32) -> Vec3) -> TangentFrame {
    // Weights 1, 4, 1 down the columns, and along the rows.
    let column = |x| at(x, -1) + 4.0 * at(x, 0) + at(x, 1);
    let (left, middle, right) = (column(-1), column(0), column(1));
    let row = |y| at(-1, y) + 4.0 * at(0, y) + at(1, y);
    TangentFrame {
        point: (left + 4.0 * middle + right) / 36.0,
        first: right - left,
        second: row(1) - row(-1),
    }
}

kernel! {
    /// Computes the limits of points inside base faces. One index per cell: its first point.
    pub struct LimitInside: Flat {
        /// Surface.
        pub limit: CatmullClarkLimit,
    }
}

// SAFETY: each index writes its own point (contracts U3, U4).
unsafe impl FlatKernel for LimitInside {
    #[inline(always)]
    fn run(&self, index: u32) {
        let grid = &self.limit.grid;
        let (n, f) = (grid.cells(), index >> (2 * grid.level));
        let (i, j) = (index & (n - 1), (index >> grid.level) & (n - 1));
        if i == 0 || j == 0 {
            return;
        }
        let at = |x: i32, y: i32| {
            let (i, j) = (i.wrapping_add_signed(x), j.wrapping_add_signed(y));
            self.limit.get(grid.point(f, i, j))
        };
        self.limit.set(grid.point(f, i, j), &regular(at));
    }
}

kernel! {
    /// Computes the limits of points on base edges. One index per edge and position 0 to n - 1, of which the first is a
    /// base vertex.
    pub struct LimitOnEdges: Flat {
        /// Surface.
        pub limit: CatmullClarkLimit,
    }
}

// SAFETY: each index writes its own point (contracts U3, U4).
unsafe impl FlatKernel for LimitOnEdges {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (limit, grid) = (&self.limit, &self.limit.grid);
        let (m, n) = (&grid.mesh, grid.cells());
        let (h, s) = (m.halves.get(index >> grid.level), index & (n - 1));
        if s == 0 {
            return;
        }
        let other = m.twin(h);
        let at = |x: i32, y: i32| {
            let s = s.wrapping_add_signed(x);
            limit.get(match y {
                0 => grid.along(h, s),
                1 => grid.beside(h, s),
                _ => grid.beside(other, n - s),
            })
        };
        let part = |i| limit.creases.part(m, h, grid.level, i);
        let sharp = limit.creases.smooth == 0 && part(s - 1) > 0.0 && part(s) > 0.0;
        let frame = if sharp {
            let (before, here, after) = (at(-1, 0), at(0, 0), at(1, 0));
            let inner = at(-1, 1) + 4.0 * at(0, 1) + at(1, 1);
            TangentFrame {
                point: (before + 4.0 * here + after) / 6.0,
                first: after - before,
                second: inner - before - 4.0 * here - after,
            }
        } else {
            regular(at)
        };
        limit.set(grid.along(h, s), &frame);
    }
}

kernel! {
    /// Computes the limits of base vertices.
    pub struct LimitVertices: Flat {
        /// Surface.
        pub limit: CatmullClarkLimit,
    }
}

/// Returns cosine and sine of an angle from 0 to pi.
#[inline(always)]
pub(crate) fn turn(angle: f32) -> (f32, f32) {
    // Series of a quarter of the angle, then doubled twice.
    let x = 0.25 * angle;
    let xx = x * x;
    let cos = 1.0 - xx / 2.0 * (1.0 - xx / 12.0 * (1.0 - xx / 30.0 * (1.0 - xx / 56.0)));
    let sin = x * (1.0 - xx / 6.0 * (1.0 - xx / 20.0 * (1.0 - xx / 42.0 * (1.0 - xx / 72.0))));
    twice(twice((cos, sin)))
}

/// Returns cosine and sine of twice an angle.
#[inline(always)]
pub(crate) fn twice((cos, sin): (f32, f32)) -> (f32, f32) {
    (1.0 - 2.0 * sin * sin, 2.0 * sin * cos)
}

/// Returns cosine and sine of the sum of two angles.
#[inline(always)]
pub(crate) fn sum((a, b): (f32, f32), (c, s): (f32, f32)) -> (f32, f32) {
    (a * c - b * s, a * s + b * c)
}

/// Returns the subdominant eigenvalue at a vertex, from the cosines of the angle between edges and of its half.
#[inline(always)]
pub(super) fn shrinks_by(cos: f32, half: f32) -> f32 {
    (5.0 + cos + half * sqrt(2.0 * (9.0 + cos))) / 16.0
}

impl LimitVertices {
    /// Returns the first point along a half-edge from its origin, or from its target.
    #[inline(always)]
    fn along(&self, h: u32, target: bool) -> Vec3 {
        let grid = &self.limit.grid;
        let s = if target { grid.cells() - 1 } else { 1 };
        self.limit.get(grid.along(h, s))
    }

    /// Returns the point across the cell at a corner.
    #[inline(always)]
    fn across(&self, h: u32) -> Vec3 {
        self.limit.get(self.limit.grid.beside(h, 1))
    }

    /// Returns `true` if the edge of a half-edge is sharp at its origin, or at its target.
    #[inline(always)]
    fn sharp(&self, h: u32, target: bool) -> bool {
        let grid = &self.limit.grid;
        let i = if target { grid.cells() - 1 } else { 0 };
        self.limit.creases.part(&grid.mesh, h, grid.level, i) > 0.0
    }

    /// Returns the number of sharp edges at a vertex, and a corner from which to walk around it: at the boundary, else
    /// at a sharp edge.
    #[inline(always)]
    fn rule(&self, v: u32) -> (u32, u32) {
        let m = &self.limit.grid.mesh;
        let (first, end) = m.row(v);
        let (mut count, mut start, mut open) = (0, m.entries.get(first), false);
        for at in (first..end).rev() {
            let h = m.entries.get(at);
            let before = prev(h);
            if m.twin(before) == NONE {
                count += 1;
            }
            if self.sharp(h, false) {
                count += 1;
                if !open {
                    start = h;
                }
            }
            if m.twin(h) == NONE {
                (start, open) = (h, true);
            }
        }
        (count, start)
    }

    /// Returns the frame at an interior vertex from all its corners, beginning with `start`.
    #[inline(always)]
    fn smooth(&self, v: Vec3, start: u32, n: u32) -> TangentFrame {
        let m = &self.limit.grid.mesh;
        let step = turn(core::f32::consts::TAU / n as f32);
        let half = turn(core::f32::consts::PI / n as f32).0;
        let lambda = shrinks_by(step.0, half);
        // With two corners, edges span one tangent and faces the other.
        let scale = if n == 2 {
            0.0
        } else {
            1.0 / (4.0 * lambda - 1.0)
        };
        let (mut edges, mut faces) = (Vec3::ZERO, Vec3::ZERO);
        let (mut first, mut second) = (Vec3::ZERO, Vec3::ZERO);
        let (mut at, mut h) = ((1.0, 0.0), start);
        for _ in 0..n {
            let then = sum(at, step);
            let (e, f) = (self.along(h, false), self.across(h));
            edges += e;
            faces += f;
            first += 4.0 * at.0 * e + scale * (at.0 + then.0) * f;
            second += if n == 2 {
                at.0 * f
            } else {
                4.0 * at.1 * e + scale * (at.1 + then.1) * f
            };
            at = then;
            h = m.twin(prev(h));
        }
        let n = n as f32;
        TangentFrame {
            point: (n * n * v + 4.0 * edges + faces) / (n * (n + 5.0)),
            first,
            second,
        }
    }

    /// Returns the frame from the corners between two sharp edges, from the first of them on; no other edges are sharp.
    #[inline(always)]
    fn crease(&self, v: Vec3, start: u32, most: u32) -> TangentFrame {
        let m = &self.limit.grid.mesh;
        // Number of corners between the edges.
        let (mut k, mut h) = (1, start);
        while k < most && !self.sharp(prev(h), true) {
            h = m.twin(prev(h));
            k += 1;
        }
        let (out, into) = (self.along(start, false), self.along(prev(h), true));
        let point = (4.0 * v + out + into) / 6.0;
        if k == 1 {
            return TangentFrame {
                point,
                first: out - v,
                second: into - v,
            };
        }
        // Across the crease a sine wave decays most slowly; the weights of the crease and the vertex follow from two
        // conditions: each level only scales it, and it is invariant to translations.
        let half = turn(core::f32::consts::FRAC_PI_2 / k as f32);
        let step = twice(half);
        let lambda = shrinks_by(step.0, half.0);
        let scale = 0.25 / (4.0 * lambda - 1.0);
        let inner = half.0 / half.1 * (1.0 + 2.0 * scale);
        let beside = step.1 * (0.0625 + 0.25 * scale);
        let end = (beside - 0.125 * inner) / (lambda - 0.25);
        let mut second = end * (out + into) - (2.0 * end + inner) * v;
        let (mut at, mut h) = ((1.0, 0.0), start);
        for i in 0..k {
            let then = sum(at, step);
            if i > 0 {
                second += at.1 * self.along(h, false);
            }
            second += scale * (at.1 + then.1) * self.across(h);
            at = then;
            h = m.twin(prev(h));
        }
        TangentFrame {
            point,
            first: out - into,
            second,
        }
    }
}

// SAFETY: each index writes its own point; walks are bounded (contracts U3, U4).
unsafe impl FlatKernel for LimitVertices {
    #[inline(always)]
    fn run(&self, id: u32) {
        let (limit, m) = (&self.limit, &self.limit.grid.mesh);
        let v = limit.get(id);
        let (first, end) = m.row(id);
        let n = end - first;
        let nothing = TangentFrame {
            point: v,
            first: Vec3::ZERO,
            second: Vec3::ZERO,
        };
        if n == 0 {
            return limit.set(id, &nothing);
        }
        if limit.creases.smooth != 0 {
            return limit.set(id, &self.smooth(v, m.entries.get(first), n));
        }
        let (count, start) = self.rule(id);
        let s = limit.creases.base.vertex(id);
        let corner = crate::sharpness::after(s, limit.grid.level) > 0.0;
        let frame = if corner || count > 2 {
            TangentFrame {
                point: v,
                first: self.along(start, false) - v,
                second: self.along(prev(start), true) - v,
            }
        } else if count == 2 {
            self.crease(v, start, n)
        } else {
            self.smooth(v, start, n)
        };
        limit.set(id, &frame);
    }
}
