//! Evaluation of the surface: at (u, v) of a quad, both from 0 to 1, from its corner 0 on.

use super::cells::{CAP, CORNER_SHIFT, Rules};
use super::plan::IS_PATCH;
use crate::catmull_clark::{limit, prev};
use crate::sharpness::after;
use crate::topology::NONE;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::length;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{Vec3, args, kernel};

kernel_list! {
    flat catmull_clark_adaptive_values: EvaluateValues;
    flat catmull_clark_adaptive_normals: EvaluateNormals;
    flat catmull_clark_adaptive_derivatives: EvaluateDerivatives;
}

args! {
    /// Samples at which the surface is evaluated, and its quadtrees.
    pub struct Samples {
        /// Face of each sample.
        pub faces: Global<u32>,
        /// u and v of each sample.
        pub places: Global<f32>,
        /// Roots of the trees, as [`ListCells::roots`](super::plan::ListCells::roots).
        pub roots: Global<u32>,
        /// Children of nodes, as [`ListCells::quarters`](super::plan::ListCells::quarters).
        pub quarters: Global<u32>,
        /// First sample that is not on the surface, [`NONE`] if there is none.
        pub bad: GlobalMut<u32>,
    }
}

/// Position in a patch.
#[derive(Clone, Copy)]
struct PatchPoint {
    patch: u32,
    u: f32,
    v: f32,
    /// Patches along a side of the face, if all were of this size.
    scale: f32,
}

impl Samples {
    /// Returns the patch of a sample, and the position in it; `None` for a sample that is not on the surface.
    #[inline(always)]
    fn find(&self, sample: u32) -> Option<PatchPoint> {
        let face = self.faces.get(sample);
        let (u, v) = (self.places.get(2 * sample), self.places.get(2 * sample + 1));
        let inside = |x: f32| (0.0..=1.0).contains(&x);
        if face >= self.roots.len() || !inside(u) || !inside(v) {
            self.bad.fetch_min(0, sample);
            return None;
        }
        let place = self.descend(face, u, v);
        if place.is_none() {
            self.bad.fetch_min(0, sample);
        }
        place
    }

    /// Returns the patch at (u, v) of a face, and the position in it; `None` if the face is not part of the surface.
    #[inline(always)]
    fn descend(&self, face: u32, mut u: f32, mut v: f32) -> Option<PatchPoint> {
        let (mut at, mut scale) = (self.roots.get(face), 1.0);
        while at & IS_PATCH == 0 {
            // Doubling and halves are exact.
            let (right, top) = (u >= 0.5, v >= 0.5);
            u = 2.0 * u - f32::from(u8::from(right));
            v = 2.0 * v - f32::from(u8::from(top));
            scale *= 2.0;
            at = self
                .quarters
                .get(4 * at + u32::from(right) + 2 * u32::from(top));
        }
        let patch = at & !IS_PATCH;
        (at != NONE).then_some(PatchPoint { patch, u, v, scale })
    }
}

/// Evaluates the four cubic B-splines over the unit interval.
#[inline(always)]
fn splines(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    let sixth = 1.0 / 6.0;
    [
        sixth * s * s * s,
        sixth * (t * t * (3.0 * t - 6.0) + 4.0),
        sixth * (s * s * (3.0 * s - 6.0) + 4.0),
        sixth * t * t * t,
    ]
}

/// Evaluates their derivatives.
#[inline(always)]
fn slopes(t: f32) -> [f32; 4] {
    let s = 1.0 - t;
    [
        -0.5 * s * s,
        0.5 * t * (3.0 * t - 4.0),
        -0.5 * s * (3.0 * s - 4.0),
        0.5 * t * t,
    ]
}

/// Evaluates their second derivatives.
#[inline(always)]
fn bends(t: f32) -> [f32; 4] {
    [1.0 - t, 3.0 * t - 2.0, 1.0 - 3.0 * t, t]
}

#[inline(always)]
fn sum(w: &[f32; 4], x: impl Fn(u32) -> f32) -> f32 {
    w[0] * x(0) + w[1] * x(1) + w[2] * x(2) + w[3] * x(3)
}

kernel! {
    /// Evaluates values of the surface. One index per sample.
    pub struct EvaluateValues: Flat {
        /// Samples.
        pub samples: Samples,
        /// Control points: `width` floats each.
        pub control: Global<f32>,
        /// Number of floats per value.
        pub width: u32,
        /// One row per sample; it is not written if the sample is not on the surface.
        pub out: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own row, and `bad` atomically; all indices are checked before they are read (contracts
// U3, U4).
unsafe impl FlatKernel for EvaluateValues {
    #[inline(always)]
    fn run(&self, sample: u32) {
        let Some(PatchPoint { patch, u, v, .. }) = self.samples.find(sample) else {
            return;
        };
        let (across, down) = (splines(u), splines(v));
        let width = self.width;
        for k in 0..width {
            let at = |a: u32, b: u32| self.control.get((16 * patch + 4 * b + a) * width + k);
            let value = sum(&down, |b| sum(&across, |a| at(a, b)));
            self.out.set(sample * width + k, value);
        }
    }
}

kernel! {
    /// Evaluates derivatives of values of the surface by the parameters of the face. One index per sample.
    pub struct EvaluateDerivatives: Flat {
        /// Samples.
        pub samples: Samples,
        /// Control points: `width` floats each.
        pub control: Global<f32>,
        /// Number of floats per value.
        pub width: u32,
        /// Two values per sample, by u and by v; they are not written if the sample is not on the surface.
        pub first: GlobalMut<f32>,
        /// Three values per sample, by u twice, by u and v, and by v twice; empty if they are not wanted.
        pub second: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own rows, and `bad` atomically; all indices are checked before they are read (contracts
// U3, U4).
unsafe impl FlatKernel for EvaluateDerivatives {
    #[inline(always)]
    fn run(&self, sample: u32) {
        let Some(PatchPoint { patch, u, v, scale }) = self.samples.find(sample) else {
            return;
        };
        let (across, down) = (splines(u), splines(v));
        let (across_slope, down_slope) = (slopes(u), slopes(v));
        let width = self.width;
        let control =
            |k: u32, a: u32, b: u32| self.control.get((16 * patch + 4 * b + a) * width + k);
        let value = |k: u32, across: &[f32; 4], down: &[f32; 4]| {
            sum(down, |b| sum(across, |a| control(k, a, b)))
        };
        for k in 0..width {
            let at = 2 * sample * width + k;
            self.first.set(at, scale * value(k, &across_slope, &down));
            self.first
                .set(at + width, scale * value(k, &across, &down_slope));
        }
        if self.second.is_empty() {
            return;
        }
        let (across_bend, down_bend) = (bends(u), bends(v));
        let twice = scale * scale;
        for k in 0..width {
            let at = 3 * sample * width + k;
            self.second.set(at, twice * value(k, &across_bend, &down));
            self.second
                .set(at + width, twice * value(k, &across_slope, &down_slope));
            self.second
                .set(at + 2 * width, twice * value(k, &across, &down_bend));
        }
    }
}

kernel! {
    /// Evaluates positions and normals of the surface. One index per sample.
    pub struct EvaluateNormals: Flat {
        /// Samples.
        pub samples: Samples,
        /// Classification of cells.
        pub rules: Rules,
        /// Patches, as [`ListCells::patches`](super::plan::ListCells::patches).
        pub patches: Global<u32>,
        /// Control points: three floats each.
        pub control: Global<f32>,
        /// Three floats per sample; they are not written if the sample is not on the surface.
        pub points: GlobalMut<f32>,
        /// Three floats per sample, of length 1, or 0 if there is no normal.
        pub normals: GlobalMut<f32>,
    }
}

/// Returns the position of corner `c` of a square.
#[inline(always)]
fn corner(c: u32) -> (f32, f32) {
    match c & 3 {
        0 => (0.0, 0.0),
        1 => (1.0, 0.0),
        2 => (1.0, 1.0),
        _ => (0.0, 1.0),
    }
}

impl EvaluateNormals {
    /// Returns the corner of the mesh with an irregular vertex at a position; [`NONE`] for other positions.
    #[inline(always)]
    fn irregular(&self, at: &PatchPoint) -> u32 {
        let [face, _, kind, _] = self.patches.get4(at.patch);
        let c = kind >> CORNER_SHIFT;
        if kind & CAP != 0 && (at.u, at.v) == corner(c) {
            4 * face + c
        } else {
            NONE
        }
    }

    /// Returns `true` if a vertex has all its faces around it, and fewer than two sharp edges, at the last level.
    #[inline(always)]
    fn is_smooth(&self, v: u32) -> bool {
        let Rules {
            mesh: m,
            creases,
            depth,
        } = &self.rules;
        if creases.smooth != 0 {
            return true;
        }
        let (first, end) = m.row(v);
        let mut sharp = 0;
        for at in first..end {
            let h = m.entries.get(at);
            // A boundary has two edges.
            sharp += u32::from(creases.part(m, h, *depth, 0) > 0.0);
            sharp += u32::from(m.twin(prev(h)) == NONE);
        }
        sharp < 2 && after(creases.base.vertex(v), *depth) <= 0.0
    }

    /// Returns the direction of the normal at a smooth irregular vertex, by the masks of [`limit`]; `None` at other
    /// positions, and if not all faces of the vertex are part of the surface.
    #[inline(always)]
    fn at_vertex(&self, at: &PatchPoint) -> Option<Vec3> {
        let start = self.irregular(at);
        let m = &self.rules.mesh;
        if start == NONE || !self.is_smooth(m.corners.get(start)) {
            return None;
        }
        let (begin, end) = m.row(m.corners.get(start));
        let n = end - begin;
        let step = limit::turn(core::f32::consts::TAU / n as f32);
        let half = limit::turn(core::f32::consts::PI / n as f32).0;
        let scale = 1.0 / (4.0 * limit::shrinks_by(step.0, half) - 1.0);
        let (mut first, mut second) = (Vec3::ZERO, Vec3::ZERO);
        let (mut wave, mut h) = ((1.0, 0.0), start);
        for _ in 0..n {
            let then = limit::sum(wave, step);
            let (u, v) = corner(h);
            let patch = self.samples.descend(h / 4, u, v)?.patch;
            let (e, f) = (self.beside(patch, h, [1, 0]), self.beside(patch, h, [1, 1]));
            if n == 2 {
                // With two corners, edges span one tangent and faces the other.
                first += wave.0 * e;
                second += wave.0 * f;
            } else {
                first += 4.0 * wave.0 * e + scale * (wave.0 + then.0) * f;
                second += 4.0 * wave.1 * e + scale * (wave.1 + then.1) * f;
            }
            wave = then;
            h = m.twin(prev(h));
        }
        Some(first.cross(second))
    }

    /// Returns a control point relative to a corner of its patch.
    #[inline(always)]
    fn beside(&self, patch: u32, h: u32, [p, q]: [u32; 2]) -> Vec3 {
        let [x, y] = match h & 3 {
            0 => [p, q],
            1 => [1 - q, p],
            2 => [1 - p, 1 - q],
            _ => [q, 1 - p],
        };
        let row = 16 * patch + 4 * (y + 1) + x + 1;
        let at = |k: u32| self.control.get(3 * row + k);
        Vec3::new(at(0), at(1), at(2))
    }
}

// SAFETY: each index writes its own rows, and `bad` atomically; all indices are checked before they are read, and walks
// around vertices are bounded (contracts U3, U4).
unsafe impl FlatKernel for EvaluateNormals {
    #[inline(always)]
    fn run(&self, sample: u32) {
        let Some(at) = self.samples.find(sample) else {
            return;
        };
        let PatchPoint { patch, u, v, .. } = at;
        let (across, down) = (splines(u), splines(v));
        let (across_slope, down_slope) = (slopes(u), slopes(v));
        let frame = |k: u32| {
            let at = |a: u32, b: u32| self.control.get(3 * (16 * patch + 4 * b + a) + k);
            let row = |w: &[f32; 4], b: u32| sum(w, |a| at(a, b));
            [
                sum(&down, |b| row(&across, b)),
                sum(&down, |b| row(&across_slope, b)),
                sum(&down_slope, |b| row(&across, b)),
            ]
        };
        let (x, y, z) = (frame(0), frame(1), frame(2));
        let (along_u, along_v) = (Vec3::new(x[1], y[1], z[1]), Vec3::new(x[2], y[2], z[2]));
        let n = match self.at_vertex(&at) {
            Some(n) => n,
            None => along_u.cross(along_v),
        };
        let size = length(n);
        let unit = if size > 0.0 { n / size } else { Vec3::ZERO };
        let put = |to: GlobalMut<f32>, p: [f32; 3]| {
            to.set(3 * sample, p[0]);
            to.set(3 * sample + 1, p[1]);
            to.set(3 * sample + 2, p[2]);
        };
        put(self.points, [x[0], y[0], z[0]]);
        put(self.normals, [unit.x, unit.y, unit.z]);
    }
}
