//! Small matrices: singular values of inverted and degenerate matrices, and functions of them.

use glam::{Mat3, Vec3};
use rxmesh_kernels::math::{rsqrt_fast, sqrt};

/// A symmetric 3 by 3 matrix: `xx yy zz xy xz yz`.
pub type Symmetric = [f32; 6];

/// `f = u diag(s) v^T` with rotations `u` and `v`: `s[0] >= s[1] >= |s[2]|`, and the last has the sign of the
/// determinant (Irving, Teran, Fedkiw 2004).
#[derive(Clone, Copy, Debug)]
pub struct Svd {
    /// Left vectors, as columns.
    pub u: Mat3,
    /// Singular values.
    pub s: Vec3,
    /// Right vectors, as columns.
    pub v: Mat3,
}

/// Sweeps of Jacobi's method: each squares the error once it is small, and four suffice for 32 bits.
const SWEEPS: u32 = 5;

/// Applies one rotation of Jacobi's method, which sets `apq` to zero. Takes `app aqq apq arp arq` and two columns.
#[inline(always)]
fn rotate(a: [f32; 5], (p, q): (Vec3, Vec3)) -> ([f32; 5], (Vec3, Vec3)) {
    let [app, aqq, apq, arp, arq] = a;
    // Infinite or NaN if `apq` is zero; not used then.
    let tau = (aqq - app) / (2.0 * apq);
    let size = if tau < 0.0 { -tau } else { tau };
    let root = 1.0 / (size + sqrt(1.0 + tau * tau));
    let t = if tau < 0.0 { -root } else { root };
    let t = if apq != 0.0 { t } else { 0.0 };
    let c = rsqrt_fast(1.0 + t * t);
    let s = t * c;
    let turned = [
        app - t * apq,
        aqq + t * apq,
        0.0,
        c * arp - s * arq,
        s * arp + c * arq,
    ];
    (turned, (p * c - q * s, p * s + q * c))
}

/// Computes eigenvalues and eigenvectors (columns of a rotation) of a symmetric matrix, in no order (Jacobi 1846).
#[inline(always)]
pub fn eigen(m: Symmetric) -> (Vec3, Mat3) {
    let [mut xx, mut yy, mut zz, mut xy, mut xz, mut yz] = m;
    let (mut p, mut q, mut r) = (Vec3::X, Vec3::Y, Vec3::Z);
    let mut sweep = 0;
    while sweep < SWEEPS {
        let off = xy * xy + xz * xz + yz * yz;
        let size = xx * xx + yy * yy + zz * zz;
        if off <= 1e-15 * size {
            break;
        }
        ([xx, yy, xy, xz, yz], (p, q)) = rotate([xx, yy, xy, xz, yz], (p, q));
        ([xx, zz, xz, xy, yz], (p, r)) = rotate([xx, zz, xz, xy, yz], (p, r));
        ([yy, zz, yz, xy, xz], (q, r)) = rotate([yy, zz, yz, xy, xz], (q, r));
        sweep += 1;
    }
    (Vec3::new(xx, yy, zz), Mat3::from_cols(p, q, r))
}

/// Puts the longer of two columns first, with a sign such that right vectors stay a rotation.
#[inline(always)]
fn longer_first(c: (Vec3, Vec3), v: (Vec3, Vec3)) -> ((Vec3, Vec3), (Vec3, Vec3)) {
    let swap = c.0.dot(c.0) < c.1.dot(c.1);
    let pick = |(a, b): (Vec3, Vec3)| if swap { (b, -a) } else { (a, b) };
    (pick(c), pick(v))
}

/// Returns a unit vector perpendicular to a unit vector.
#[inline(always)]
fn across(u: Vec3) -> Vec3 {
    let a = u.abs();
    let axis = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let w = axis - u * u.dot(axis);
    w * rsqrt_fast(w.dot(w))
}

/// Computes the singular values of a finite matrix of any rank.
#[inline(always)]
pub fn svd(f: Mat3) -> Svd {
    let [a, b, c] = [f.x_axis, f.y_axis, f.z_axis];
    let most = a.abs().max(b.abs()).max(c.abs()).max_element();
    // Keeps squares in range.
    let unit = if most > 0.0 { 1.0 / most } else { 0.0 };
    let [a, b, c] = [a * unit, b * unit, c * unit];
    let square = [a.dot(a), b.dot(b), c.dot(c), a.dot(b), a.dot(c), b.dot(c)];
    let (_, v) = eigen(square);
    let image = |v: Vec3| a * v.x + b * v.y + c * v.z;
    let (v0, v1, v2) = (v.x_axis, v.y_axis, v.z_axis);
    let (c0, c1, c2) = (image(v0), image(v1), image(v2));
    let ((c0, c1), (v0, v1)) = longer_first((c0, c1), (v0, v1));
    let ((c0, c2), (v0, v2)) = longer_first((c0, c2), (v0, v2));
    let ((c1, c2), (v1, v2)) = longer_first((c1, c2), (v1, v2));
    let n0 = c0.dot(c0);
    let u0 = if n0 > 0.0 {
        c0 * rsqrt_fast(n0)
    } else {
        Vec3::X
    };
    let rest = c1 - u0 * u0.dot(c1);
    let n1 = rest.dot(rest);
    // Below the rounding errors of the longest column there is no direction left.
    let u1 = if n1 > 1e-13 * n0 {
        rest * rsqrt_fast(n1)
    } else {
        across(u0)
    };
    let u2 = u0.cross(u1);
    Svd {
        u: Mat3::from_cols(u0, u1, u2),
        s: Vec3::new(u0.dot(c0), u1.dot(c1), u2.dot(c2)) * most,
        v: Mat3::from_cols(v0, v1, v2),
    }
}

/// Returns `m + a b^T`.
#[inline(always)]
pub fn add_outer(m: Mat3, a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(m.x_axis + a * b.x, m.y_axis + a * b.y, m.z_axis + a * b.z)
}

/// Returns the rotation nearest to a matrix with these singular vectors: `u v^T`.
#[inline(always)]
pub fn rotation(f: &Svd) -> Mat3 {
    let m = add_outer(Mat3::ZERO, f.u.x_axis, f.v.x_axis);
    add_outer(add_outer(m, f.u.y_axis, f.v.y_axis), f.u.z_axis, f.v.z_axis)
}

/// Returns the nearest matrix without negative eigenvalues.
#[inline(always)]
pub fn without_negative(m: Symmetric) -> Symmetric {
    let (values, v) = eigen(m);
    let w = values.max(Vec3::ZERO);
    let (p, q, r) = (v.x_axis, v.y_axis, v.z_axis);
    let sum = |f: fn(Vec3) -> f32| w.x * f(p) + w.y * f(q) + w.z * f(r);
    [
        sum(|v| v.x * v.x),
        sum(|v| v.y * v.y),
        sum(|v| v.z * v.z),
        sum(|v| v.x * v.y),
        sum(|v| v.x * v.z),
        sum(|v| v.y * v.z),
    ]
}

/// Returns a symmetric matrix times a vector.
#[inline(always)]
pub fn times(m: Symmetric, x: Vec3) -> Vec3 {
    let [xx, yy, zz, xy, xz, yz] = m;
    Vec3::new(
        xx * x.x + xy * x.y + xz * x.z,
        xy * x.x + yy * x.y + yz * x.z,
        xz * x.x + yz * x.y + zz * x.z,
    )
}

/// Returns the inverse of a symmetric positive definite matrix; zero if it has none in 32 bits.
#[inline(always)]
pub fn inverse(m: Symmetric) -> Symmetric {
    // Scaled, so that products stay in range.
    let trace = m[0] + m[1] + m[2];
    let unit = 1.0 / trace;
    let [a, d, f, b, c, e] = [
        m[0] * unit,
        m[1] * unit,
        m[2] * unit,
        m[3] * unit,
        m[4] * unit,
        m[5] * unit,
    ];
    let (x, y, z) = (d * f - e * e, c * e - b * f, b * e - c * d);
    let det = a * x + b * y + c * z;
    if !(det > 0.0 && trace > 0.0 && unit < f32::INFINITY) {
        return [0.0; 6];
    }
    let scale = unit / det;
    [
        x * scale,
        (a * f - c * c) * scale,
        (a * d - b * b) * scale,
        y * scale,
        z * scale,
        (b * c - a * e) * scale,
    ]
}
