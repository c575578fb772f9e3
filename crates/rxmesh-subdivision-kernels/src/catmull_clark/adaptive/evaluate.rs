//! The surface anywhere: at (u, v) of a quad, both from 0 to 1, from its corner 0 on.

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
}

args! {
    /// Where the surface is asked for, and of what it is made.
    pub struct Samples {
        /// A face each.
        pub faces: Global<u32>,
        /// u and v each.
        pub places: Global<f32>,
        /// As [`ListCells::roots`](super::plan::ListCells::roots).
        pub roots: Global<u32>,
        /// As [`ListCells::quarters`](super::plan::ListCells::quarters).
        pub quarters: Global<u32>,
        /// The first sample that asks for what is no place of the surface, [`NONE`] where there is none.
        pub bad: GlobalMut<u32>,
    }
}

/// A place of a patch.
#[derive(Clone, Copy)]
struct Place {
    patch: u32,
    u: f32,
    v: f32,
}

impl Samples {
    /// The patch that a sample is in, and where; nothing for what is no place of the surface.
    #[inline(always)]
    fn find(&self, sample: u32) -> Option<Place> {
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

    /// The patch at a place of a face, and where in it; nothing where the face is no part of the surface.
    #[inline(always)]
    fn descend(&self, face: u32, mut u: f32, mut v: f32) -> Option<Place> {
        let mut at = self.roots.get(face);
        while at & IS_PATCH == 0 {
            // Doubling and halves are exact.
            let (right, top) = (u >= 0.5, v >= 0.5);
            u = 2.0 * u - f32::from(u8::from(right));
            v = 2.0 * v - f32::from(u8::from(top));
            at = self
                .quarters
                .get(4 * at + u32::from(right) + 2 * u32::from(top));
        }
        let patch = at & !IS_PATCH;
        (at != NONE).then_some(Place { patch, u, v })
    }
}

/// The four cubic B-splines over a unit.
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

/// Their derivatives.
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

#[inline(always)]
fn sum(w: &[f32; 4], x: impl Fn(u32) -> f32) -> f32 {
    w[0] * x(0) + w[1] * x(1) + w[2] * x(2) + w[3] * x(3)
}

kernel! {
    /// Values of the surface. An index a sample.
    pub struct EvaluateValues: Flat {
        /// Where.
        pub samples: Samples,
        /// Control points: `width` floats each.
        pub control: Global<f32>,
        /// Floats a value.
        pub width: u32,
        /// A row a sample; it stays as it is where the sample is no place of the surface.
        pub out: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own row, and `bad` atomically; what is read is checked (contracts U3, U4).
unsafe impl FlatKernel for EvaluateValues {
    #[inline(always)]
    fn run(&self, sample: u32) {
        let Some(Place { patch, u, v }) = self.samples.find(sample) else {
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
    /// Positions and normals of the surface. An index a sample.
    pub struct EvaluateNormals: Flat {
        /// Where.
        pub samples: Samples,
        /// What cells are.
        pub rules: Rules,
        /// As [`ListCells::patches`](super::plan::ListCells::patches).
        pub patches: Global<u32>,
        /// Control points: three floats each.
        pub control: Global<f32>,
        /// Three floats a sample; they stay as they are where the sample is no place of the surface.
        pub points: GlobalMut<f32>,
        /// As `points`, of length 1, or 0 where there is no normal.
        pub normals: GlobalMut<f32>,
    }
}

/// Where corner `c` of a square is.
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
    /// The corner of the mesh with an irregular vertex that a place is at; [`NONE`] for other places.
    #[inline(always)]
    fn irregular(&self, at: &Place) -> u32 {
        let [face, _, kind, _] = self.patches.get4(at.patch);
        let c = kind >> CORNER_SHIFT;
        if kind & CAP != 0 && (at.u, at.v) == corner(c) {
            4 * face + c
        } else {
            NONE
        }
    }

    /// Whether a vertex has all its faces around it, and less than two sharp edges, at the last level.
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

    /// The normal's direction at a smooth irregular vertex, by the masks of [`limit`]; nothing at other places, and
    /// where not all faces of the vertex are part of the surface.
    #[inline(always)]
    fn at_vertex(&self, at: &Place) -> Option<Vec3> {
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
                // Of two corners, edges span one tangent and faces the other.
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

    /// A control point seen from a corner of its patch.
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

// SAFETY: each index writes its own rows, and `bad` atomically; what is read is checked, and walks round vertices have
// bounds (contracts U3, U4).
unsafe impl FlatKernel for EvaluateNormals {
    #[inline(always)]
    fn run(&self, sample: u32) {
        let Some(at) = self.samples.find(sample) else {
            return;
        };
        let Place { patch, u, v } = at;
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
