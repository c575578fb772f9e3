//! Stable neo-Hookean elasticity (Smith, De Goes and Kim 2018, equation 14, with Lamé's parameters as in section 3.4):
//! the rest shape has exactly no force, and inverted cells recover.

use super::{Energy, Hessian, frame, minors, squares, trace};
use crate::material::Lame;
use crate::small::Svd;
use glam::{DMat3, Mat3, Vec3};

/// `mu (I - 3) / 2 - mu log((I + 1) / 4) / 2 + lambda (J - 1)^2 / 2 - 3 mu (J - 1) / 4` with `I = |F|^2`, `J = det F`
/// and `mu`, `lambda` 4/3 of the shear modulus, and Lamé's first parameter plus 5/6 of it.
///
/// Everything is written in `D = F - I`, so that there is no cancellation near rest.
#[derive(Clone, Copy, Debug)]
pub struct NeoHookean;

/// Returns the parameters of the energy.
#[inline(always)]
fn parameters(m: Lame) -> (f32, f32) {
    (4.0 / 3.0 * m.mu, m.lambda + 5.0 / 6.0 * m.mu)
}

impl Energy for NeoHookean {
    #[inline(always)]
    fn stress(m: Lame, d: Mat3) -> Mat3 {
        let (mu, lambda) = parameters(m);
        let (a, b, c) = (d.x_axis, d.y_axis, d.z_axis);
        let tr = a.x + b.y + c.z;
        let s = 2.0 * tr + (a.dot(a) + b.dot(b) + c.dot(c));
        let (bc, ca, ab) = (b.cross(c), c.cross(a), a.cross(b));
        let minors = bc.x + ca.y + ab.z;
        let j = tr + minors + a.dot(bc);
        // 1/4 - 1/(I + 1)
        let q = mu * s / (4.0 * (4.0 + s));
        let volume = lambda * j;
        // The cofactors of F without I: tr(D) I - D^T + cof(D).
        let column = |d: Vec3, row: Vec3, cof: Vec3, axis: Vec3| {
            let k = axis * tr - row + cof;
            (d + axis) * q + (k + axis) * volume + (d - k) * (0.75 * mu)
        };
        let t = d.transpose();
        Mat3::from_cols(
            column(a, t.x_axis, bc, Vec3::X),
            column(b, t.y_axis, ca, Vec3::Y),
            column(c, t.z_axis, ab, Vec3::Z),
        )
    }

    #[inline(always)]
    fn density(m: Lame, d: DMat3) -> f64 {
        let (mu, lambda) = parameters(m);
        let (mu, lambda) = (f64::from(mu), f64::from(lambda));
        let (tr, sq, min, det) = (trace(d), squares(d), minors(d), d.determinant());
        let (s, j) = (2.0 * tr + sq, tr + min + det);
        0.75 * mu * (0.5 * sq - min - det) + 0.5 * mu * less_log(0.25 * s) + 0.5 * lambda * j * j
    }

    #[inline(always)]
    fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian) {
        let (mu, lambda) = parameters(m);
        let f = frame(d);
        let s = f.s;
        let i1 = s.dot(s) + 1.0;
        let first = mu * (1.0 - 1.0 / i1);
        let second = 2.0 * mu / (i1 * i1);
        let cof = Vec3::new(s.y * s.z, s.x * s.z, s.x * s.y);
        let volume = lambda * (s.x * cof.x - 1.0) - 0.75 * mu;
        let diagonal = [
            first + second * s.x * s.x + lambda * cof.x * cof.x,
            first + second * s.y * s.y + lambda * cof.y * cof.y,
            first + second * s.z * s.z + lambda * cof.z * cof.z,
            second * s.x * s.y + lambda * cof.x * cof.y + volume * s.z,
            second * s.x * s.z + lambda * cof.x * cof.z + volume * s.y,
            second * s.y * s.z + lambda * cof.y * cof.z + volume * s.x,
        ];
        let cross = Vec3::new(s.z, s.y, s.x) * -volume;
        (f, Hessian::projected(diagonal, Vec3::splat(first), cross))
    }
}

/// Computes `t - log(1 + t)` for `t > -1`, without loss of digits near zero.
#[inline(always)]
fn less_log(t: f64) -> f64 {
    // log(1 + t) = 2 artanh(y) with y = t / (2 + t), after the power of two is taken out.
    let x = 1.0 + t;
    if t > -0.25 && t < 0.25 {
        let y = t / (2.0 + t);
        // t - 2y = t y
        return t * y - 2.0 * y * y * y * artanh_rest(y * y);
    }
    let bits = x.to_bits();
    let mut power = ((bits >> 52) & 0x7ff) as i32 - 1023;
    let mut part = f64::from_bits((bits & ((1 << 52) - 1)) | (1023 << 52));
    if part > core::f64::consts::SQRT_2 {
        part *= 0.5;
        power += 1;
    }
    let y = (part - 1.0) / (part + 1.0);
    let log = 2.0 * (y + y * y * y * artanh_rest(y * y));
    t - log - f64::from(power) * core::f64::consts::LN_2
}

/// Computes `(artanh(y) - y) / y^3` from `y^2`, for `|y| <= 0.172`.
#[inline(always)]
fn artanh_rest(y2: f64) -> f64 {
    let mut sum = 1.0 / 21.0;
    sum = sum * y2 + 1.0 / 19.0;
    sum = sum * y2 + 1.0 / 17.0;
    sum = sum * y2 + 1.0 / 15.0;
    sum = sum * y2 + 1.0 / 13.0;
    sum = sum * y2 + 1.0 / 11.0;
    sum = sum * y2 + 1.0 / 9.0;
    sum = sum * y2 + 1.0 / 7.0;
    sum = sum * y2 + 1.0 / 5.0;
    sum * y2 + 1.0 / 3.0
}
