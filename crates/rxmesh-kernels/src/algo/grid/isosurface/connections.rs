//! Connections of the parts of a cell, as the trilinear interpolant of its corners' values has them: over its faces by
//! the asymptotic decider (Nielson and Hamann 1991), through its interior by the interpolant's saddle points.

use crate::math::{product_f64, sqrt_f64};

/// Values of the corners of a cell, minus the level: negative ones are inside. Corner `x + 2 y + 4 z`.
pub type CornerValues = [f64; 8];

/// Returns `true` if a face connects its two inside corners, whose product this is, and parts its two outside ones. The
/// same for both cells at the face: products do not depend on the order.
#[inline(always)]
pub fn connects_inside(inside: f64, outside: f64) -> bool {
    inside > outside
}

/// Coefficients of the trilinear interpolant: 1, x, y, z, xy, yz, zx, xyz.
#[derive(Clone, Copy)]
struct Trilinear {
    one: f64,
    x: f64,
    y: f64,
    z: f64,
    xy: f64,
    yz: f64,
    zx: f64,
    xyz: f64,
}

impl Trilinear {
    #[inline(always)]
    fn new(v: &CornerValues) -> Trilinear {
        let (x, y, z) = (v[1] - v[0], v[2] - v[0], v[4] - v[0]);
        // Differences of differences: those of equal edges are zero.
        let (xy, yz, zx) = (v[3] - v[2] - x, v[6] - v[4] - y, v[5] - v[1] - z);
        Trilinear {
            one: v[0],
            x,
            y,
            z,
            xy,
            yz,
            zx,
            xyz: v[7] - v[6] - (v[5] - v[4]) - xy,
        }
    }

    /// Returns the value at a place.
    #[inline(always)]
    fn at(&self, [x, y, z]: [f64; 3]) -> f64 {
        let p = product_f64;
        let layer = self.one + p(self.x, x) + p(y, self.y + p(self.xy, x));
        layer + p(z, self.z + p(self.zx, x) + p(y, self.yz + p(self.xyz, x)))
    }

    /// Returns the saddle point at which the product of the mixed second derivatives has a sign, if there is one in the
    /// cell, and its value. Where the sign is positive the value is largest along one axis of the saddle's three, else
    /// smallest along one.
    #[inline(always)]
    fn saddle(&self, is_positive: bool) -> Option<f64> {
        let p = product_f64;
        let minor = |a: f64, b: f64, c: f64, d: f64| p(a, b) - p(c, d);
        let at = if self.xyz == 0.0 {
            let mixed = p(p(self.xy, self.yz), self.zx);
            if (mixed > 0.0) != is_positive || mixed == 0.0 {
                return None;
            }
            let (a, b, c) = (p(self.x, self.yz), p(self.y, self.zx), p(self.z, self.xy));
            [
                (a - b - c) / p(2.0, p(self.xy, self.zx)),
                (b - a - c) / p(2.0, p(self.xy, self.yz)),
                (c - a - b) / p(2.0, p(self.yz, self.zx)),
            ]
        } else {
            // Second derivatives X = yz + xyz x and so on: Y Z = a, X Z = b, X Y = c at a saddle.
            let a = minor(self.zx, self.xy, self.x, self.xyz);
            let b = minor(self.yz, self.xy, self.y, self.xyz);
            let c = minor(self.yz, self.zx, self.z, self.xyz);
            let square = p(p(a, b), c);
            // NaN comes of infinite values.
            if square.is_nan() || square <= 0.0 {
                return None;
            }
            let root = sqrt_f64(square);
            let product = if is_positive { root } else { -root };
            [
                (product / a - self.yz) / self.xyz,
                (product / b - self.zx) / self.xyz,
                (product / c - self.xy) / self.xyz,
            ]
        };
        let inside = |t: f64| t > 0.0 && t < 1.0;
        if inside(at[0]) && inside(at[1]) && inside(at[2]) {
            Some(self.at(at))
        } else {
            None
        }
    }
}

/// Returns `true` if the interior of a cell connects two inside parts that its faces do not connect: if a saddle point
/// from which the values fall along one axis only is inside.
#[inline(always)]
pub fn interior_connects_inside(v: &CornerValues) -> bool {
    Trilinear::new(v)
        .saddle(false)
        .is_some_and(|value| value < 0.0)
}

/// Returns `true` if the interior of a cell connects two outside parts that its faces do not connect.
#[inline(always)]
pub fn interior_connects_outside(v: &CornerValues) -> bool {
    Trilinear::new(v)
        .saddle(true)
        .is_some_and(|value| value > 0.0)
}
