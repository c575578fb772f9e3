//! Cells whose energy is a density of the displacement gradient.

use super::{Energy, Hessian, Model, Tangent};
use crate::cells::{RestCell, balanced, gradient64};
use crate::material::Lame;
use crate::small::{Symmetric, times};
use glam::{DVec3, Mat3, Vec3};
use rxmesh_kernels::math::rsqrt_fast;

/// Derivatives of a cell's forces, factored: the rotation `U`, the gradients of the shape functions in the frame of
/// `V`, and the [`Hessian`] between them.
#[derive(Clone, Copy, Debug)]
pub struct InFrame {
    /// `U`.
    u: Mat3,
    /// Gradients of the shape functions of corners 1 to 3, in the frame of `V`, times the root of the volume.
    w: [Vec3; 3],
    hessian: Hessian,
}

impl<E: Energy> Model for E {
    type Tangent = InFrame;

    #[inline(always)]
    fn forces(m: Lame, rest: [Vec3; 3], d: [Vec3; 3]) -> [Vec3; 3] {
        let shape = RestCell::new(rest);
        shape.forces(E::stress(m, shape.gradient(d)))
    }

    #[inline(always)]
    fn joules(m: Lame, rest: [DVec3; 3], d: [DVec3; 3]) -> f64 {
        let (d, six) = gradient64(rest, d);
        E::density(m, d) * six * (1.0 / 6.0)
    }

    #[inline(always)]
    fn linear(m: Lame, rest: [Vec3; 3], d: [Vec3; 3], factor: f32) -> ([Vec3; 3], InFrame) {
        let shape = RestCell::new(rest);
        let gradient = shape.gradient(d);
        let (f, h) = E::hessian(m, gradient);
        let (v, k) = (f.v, shape.cofactors);
        let root = rsqrt_fast(6.0 * shape.six);
        let turn = |g: Vec3| Vec3::new(v.x_axis.dot(g), v.y_axis.dot(g), v.z_axis.dot(g)) * root;
        let tangent = InFrame {
            u: f.u,
            w: [turn(k.x_axis), turn(k.y_axis), turn(k.z_axis)],
            hessian: Hessian {
                diagonal: h.diagonal.map(|x| x * factor),
                same: h.same * factor,
                cross: h.cross * factor,
            },
        };
        (shape.forces(E::stress(m, gradient)), tangent)
    }
}

impl InFrame {
    /// Returns the diagonal block of a corner.
    #[inline(always)]
    fn block(&self, w: Vec3) -> Symmetric {
        let m = self.hessian.block(w);
        let t = self.u.transpose();
        // U M U^T, column by column of U^T.
        let (x, y, z) = (times(m, t.x_axis), times(m, t.y_axis), times(m, t.z_axis));
        [
            t.x_axis.dot(x),
            t.y_axis.dot(y),
            t.z_axis.dot(z),
            t.x_axis.dot(y),
            t.x_axis.dot(z),
            t.y_axis.dot(z),
        ]
    }
}

impl Tangent for InFrame {
    const NONE: InFrame = InFrame {
        u: Mat3::IDENTITY,
        w: [Vec3::ZERO; 3],
        hessian: Hessian {
            diagonal: [0.0; 6],
            same: Vec3::ZERO,
            cross: Vec3::ZERO,
        },
    };

    #[inline(always)]
    fn apply(&self, d: [Vec3; 3]) -> [Vec3; 3] {
        let (u, w) = (self.u, self.w);
        let turn = |d: Vec3| Vec3::new(u.x_axis.dot(d), u.y_axis.dot(d), u.z_axis.dot(d));
        let (a, b, c) = (turn(d[0]), turn(d[1]), turn(d[2]));
        let z = Mat3::from_cols(
            a * w[0].x + b * w[1].x + c * w[2].x,
            a * w[0].y + b * w[1].y + c * w[2].y,
            a * w[0].z + b * w[1].z + c * w[2].z,
        );
        let s = self.hessian.apply(z);
        let back = |w: Vec3| {
            let t = s.x_axis * w.x + s.y_axis * w.y + s.z_axis * w.z;
            u.x_axis * t.x + u.y_axis * t.y + u.z_axis * t.z
        };
        [back(w[0]), back(w[1]), back(w[2])]
    }

    #[inline(always)]
    fn blocks(&self) -> [Symmetric; 4] {
        let w = balanced(self.w);
        [
            self.block(w[0]),
            self.block(w[1]),
            self.block(w[2]),
            self.block(w[3]),
        ]
    }

    #[inline(always)]
    fn read(get: impl Fn(u32) -> f32) -> InFrame {
        let vector = |k: u32| Vec3::new(get(k), get(k + 1), get(k + 2));
        InFrame {
            u: Mat3::from_cols(vector(0), vector(3), vector(6)),
            w: [vector(9), vector(12), vector(15)],
            hessian: Hessian {
                same: vector(18),
                cross: vector(21),
                diagonal: [get(24), get(25), get(26), get(27), get(28), get(29)],
            },
        }
    }

    #[inline(always)]
    fn write(&self, set: impl Fn(u32, f32)) {
        let put = |k: u32, v: Vec3| {
            set(k, v.x);
            set(k + 1, v.y);
            set(k + 2, v.z);
        };
        put(0, self.u.x_axis);
        put(3, self.u.y_axis);
        put(6, self.u.z_axis);
        put(9, self.w[0]);
        put(12, self.w[1]);
        put(15, self.w[2]);
        put(18, self.hessian.same);
        put(21, self.hessian.cross);
        let [a, b, c, d, e, f] = self.hessian.diagonal;
        put(24, Vec3::new(a, b, c));
        put(27, Vec3::new(d, e, f));
    }
}
