//! Vectors of 64-bit numbers, to the same bits on every engine.

use super::{product_f64, sqrt_f64};
use glam::Vec3;

/// Vector of 64-bit numbers.
pub type Double3 = [f64; 3];

/// Returns `a - b`.
#[inline(always)]
pub fn difference(a: Vec3, b: Vec3) -> Double3 {
    let of = |a: f32, b: f32| f64::from(a) - f64::from(b);
    [of(a.x, b.x), of(a.y, b.y), of(a.z, b.z)]
}

/// Returns the dot product.
#[inline(always)]
pub fn dot(a: Double3, b: Double3) -> f64 {
    product_f64(a[0], b[0]) + product_f64(a[1], b[1]) + product_f64(a[2], b[2])
}

/// Returns the cross product.
#[inline(always)]
pub fn cross(a: Double3, b: Double3) -> Double3 {
    let minor = |a: f64, b: f64, c: f64, d: f64| product_f64(a, b) - product_f64(c, d);
    [
        minor(a[1], b[2], a[2], b[1]),
        minor(a[2], b[0], a[0], b[2]),
        minor(a[0], b[1], a[1], b[0]),
    ]
}

/// Returns the vector at length one; zero if it has none.
#[inline(always)]
pub fn unit(a: Double3) -> Double3 {
    let square = dot(a, a);
    if square > 0.0 {
        let over = 1.0 / sqrt_f64(square);
        [a[0] * over, a[1] * over, a[2] * over]
    } else {
        [0.0; 3]
    }
}
