//! Corotated elasticity (Müller and Gross 2004; Hessian as that of ARAP by Smith, De Goes and Kim 2019), and its part
//! without volume, ARAP (Sorkine and Alexa 2007).

use super::{Energy, Hessian, frame};
use crate::material::Lame;
use crate::small::{Svd, rotation};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// `mu |F - R|^2 + lambda tr(R^T F - I)^2 / 2` with the rotation `R` nearest to `F`.
#[derive(Clone, Copy, Debug)]
pub struct Corotated;

/// `mu |F - R|^2`: as rigid as possible.
#[derive(Clone, Copy, Debug)]
pub struct Arap;

impl Energy for Corotated {
    #[inline(always)]
    fn stress(m: Lame, d: Mat3) -> Mat3 {
        stress(m, d)
    }
    #[inline(always)]
    fn density(m: Lame, d: DMat3) -> f64 {
        density(m, d)
    }
    #[inline(always)]
    fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian) {
        hessian(m, d)
    }
}

impl Energy for Arap {
    #[inline(always)]
    fn stress(m: Lame, d: Mat3) -> Mat3 {
        stress(shear(m), d)
    }
    #[inline(always)]
    fn density(m: Lame, d: DMat3) -> f64 {
        density(shear(m), d)
    }
    #[inline(always)]
    fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian) {
        hessian(shear(m), d)
    }
}

#[inline(always)]
fn shear(m: Lame) -> Lame {
    Lame { lambda: 0.0, ..m }
}

/// `2 mu (F - R) + lambda tr(S - I) R`.
#[inline(always)]
fn stress(m: Lame, d: Mat3) -> Mat3 {
    let f = frame(d);
    let r = rotation(&f);
    // Zero displacement has zero stress, whatever the frame's rounding.
    let pressure = if d == Mat3::ZERO {
        0.0
    } else {
        m.lambda * (f.s.x + f.s.y + f.s.z - 3.0)
    };
    let column = |d: Vec3, axis: Vec3, r: Vec3| (d + (axis - r)) * (2.0 * m.mu) + r * pressure;
    Mat3::from_cols(
        column(d.x_axis, Vec3::X, r.x_axis),
        column(d.y_axis, Vec3::Y, r.y_axis),
        column(d.z_axis, Vec3::Z, r.z_axis),
    )
}

#[inline(always)]
fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian) {
    let f = frame(d);
    // Derivative of the rotation: `dR` is the skew part of Z divided by these sums.
    let least = 1.0 / 1024.0;
    let sums = Vec3::new(f.s.x + f.s.y, f.s.x + f.s.z, f.s.y + f.s.z).max(Vec3::splat(least));
    let turn = m.lambda * (f.s.x + f.s.y + f.s.z - 3.0) - 2.0 * m.mu;
    let turns = Vec3::new(turn / sums.x, turn / sums.y, turn / sums.z);
    let on = 2.0 * m.mu + m.lambda;
    let diagonal = [on, on, on, m.lambda, m.lambda, m.lambda];
    let hessian = Hessian::projected(diagonal, Vec3::splat(2.0 * m.mu) + turns, -turns);
    (f, hessian)
}

/// Computes the density with the rotation of 32 bits, orthogonalised: `tr(R^T F)` is maximal there, so that the error
/// is quadratic.
#[inline(always)]
fn density(m: Lame, d: DMat3) -> f64 {
    let single = Mat3::from_cols(d.x_axis.as_vec3(), d.y_axis.as_vec3(), d.z_axis.as_vec3());
    let r = rotation(&frame(single)).as_dmat3();
    let gram = r.transpose() * r;
    let r = r * (DMat3::from_diagonal(DVec3::splat(1.5)) - gram * 0.5);
    let f = d + DMat3::IDENTITY;
    let stretch = super::trace(r.transpose() * f) - 3.0;
    f64::from(m.mu) * super::squares(f - r) + 0.5 * f64::from(m.lambda) * stretch * stretch
}
