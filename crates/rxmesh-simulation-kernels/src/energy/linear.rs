//! Linear elasticity: exact for small displacements, wrong for rotations.

use super::{Energy, Hessian, no_turn, trace};
use crate::material::Lame;
use crate::small::Svd;
use glam::{DMat3, Mat3, Vec3};

/// `mu |e|^2 + lambda tr(e)^2 / 2` with the small strain `e = (D + D^T) / 2`.
#[derive(Clone, Copy, Debug)]
pub struct Linear;

impl Energy for Linear {
    #[inline(always)]
    fn stress(m: Lame, d: Mat3) -> Mat3 {
        let t = d.transpose();
        let pressure = m.lambda * (d.x_axis.x + d.y_axis.y + d.z_axis.z);
        Mat3::from_cols(
            (d.x_axis + t.x_axis) * m.mu + Vec3::X * pressure,
            (d.y_axis + t.y_axis) * m.mu + Vec3::Y * pressure,
            (d.z_axis + t.z_axis) * m.mu + Vec3::Z * pressure,
        )
    }

    #[inline(always)]
    fn density(m: Lame, d: DMat3) -> f64 {
        let e = (d + d.transpose()) * 0.5;
        let t = trace(d);
        f64::from(m.mu) * super::squares(e) + 0.5 * f64::from(m.lambda) * t * t
    }

    #[inline(always)]
    fn hessian(m: Lame, _: Mat3) -> (Svd, Hessian) {
        let on = 2.0 * m.mu + m.lambda;
        let hessian = Hessian {
            diagonal: [on, on, on, m.lambda, m.lambda, m.lambda],
            same: Vec3::splat(m.mu),
            cross: Vec3::splat(m.mu),
        };
        (no_turn(), hessian)
    }
}
