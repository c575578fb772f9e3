//! Float functions that compile to the hardware's instructions on every engine, or to the same arithmetic.
//!
//! [`ln`], [`log2`], [`pow`], [`sin`], [`cos`], [`tan`] and [`atan2`] are the same additions, products and quotients on
//! every engine. All CPU engines give the same bits; a GPU rounds a product and a sum once where it can, and keeps to
//! the same bounds. They hold for all arguments: NaN, infinities and zeros of either sign give what IEEE 754 and the
//! methods of `f32` give.
//!
//! | function | largest error, in units of the last place |
//! | --- | --- |
//! | `ln`, `log2` | 1 |
//! | `pow` | 0.51 |
//! | `sin`, `cos` | 1 |
//! | `tan` | 2.5 |
//! | `atan2` | 2 |
//!
//! glam's own rooted methods (`length`, `normalize`, ...) call software routines on the device;
//! kernel code uses these instead (the lint `clippy::disallowed_methods` refuses the others).

pub mod doubles;
mod logarithms;
#[cfg(test)]
mod tests;
mod trigonometry;

pub use logarithms::{ln, log2, pow};
pub use trigonometry::{atan2, cos, sin, tan};

use glam::{Vec3, Vec4};

/// Returns the square root, correctly rounded.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::sqrt_rn(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return x.sqrt();
}

/// Works like [`sqrt`], for doubles.
#[inline(always)]
pub fn sqrt_f64(x: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::sqrt_rn_f64(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return x.sqrt();
}

/// Returns a product, rounded before anything is added to it, on every engine: sums of such products have the same
/// bits everywhere.
#[inline(always)]
pub fn product(a: f32, b: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::mul_rn(a, b);
    #[cfg(not(target_arch = "nvptx64"))]
    return a * b;
}

/// Works like [`product`], for four numbers each.
#[inline(always)]
pub fn product_lanes(a: Vec4, b: Vec4) -> Vec4 {
    #[cfg(target_arch = "nvptx64")]
    return Vec4::new(
        product(a.x, b.x),
        product(a.y, b.y),
        product(a.z, b.z),
        product(a.w, b.w),
    );
    #[cfg(not(target_arch = "nvptx64"))]
    return a * b;
}

/// Works like [`product`], for doubles.
#[inline(always)]
pub fn product_f64(a: f64, b: f64) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::mul_rn_f64(a, b);
    #[cfg(not(target_arch = "nvptx64"))]
    return a * b;
}

/// Returns a dot product of [`product`]s, to the same bits on every engine.
#[inline(always)]
pub fn dot_rounded(a: Vec3, b: Vec3) -> f32 {
    product(a.x, b.x) + product(a.y, b.y) + product(a.z, b.z)
}

/// Returns `a + b * t` of [`product`]s, to the same bits on every engine.
#[inline(always)]
pub fn add_rounded(a: Vec3, b: Vec3, t: f32) -> Vec3 {
    a + Vec3::new(product(b.x, t), product(b.y, t), product(b.z, t))
}

/// Returns the square root, to about 1 part in 2^23 on the device and correctly rounded on the host.
#[inline(always)]
pub fn sqrt_fast(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::sqrt_approx(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return x.sqrt();
}

/// Returns one over the square root, to about 1 part in 2^22 on the device and correctly rounded twice on the host.
#[inline(always)]
pub fn rsqrt_fast(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::rsqrt_approx(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return 1.0 / x.sqrt();
}

/// Returns the reciprocal, to about 1 unit in the last place on the device and correctly rounded on the host.
#[inline(always)]
pub fn rcp_fast(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::rcp_approx(x);
    #[cfg(not(target_arch = "nvptx64"))]
    return 1.0 / x;
}

/// Returns e to the power of `x`, relative error about 2^-21 near zero; 0 for very negative `x`.
#[inline(always)]
pub fn exp_fast(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return cuda_std::intrinsics::ex2_approx(x * core::f32::consts::LOG2_E);
    #[cfg(not(target_arch = "nvptx64"))]
    return x.exp();
}

/// Returns the angle in `[0, pi]` of the vector `(x, y)` with `y >= 0` against the x axis; 0 for the zero vector. Error
/// about 3e-7. The same polynomial on every engine (Moshier, Cephes: atanf).
#[inline(always)]
pub fn angle(y: f32, x: f32) -> f32 {
    use core::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};
    let a = if x < 0.0 { -x } else { x };
    let (small, large) = if y < a { (y, a) } else { (a, y) };
    if large <= 0.0 || large.is_nan() {
        return 0.0;
    }
    // tan(pi / 8): above it the argument is turned by pi / 4.
    let turned = small > 0.414_213_57 * large;
    let t = if turned {
        (small - large) / (small + large)
    } else {
        small / large
    };
    let z = t * t;
    let p = ((8.053_745e-2 * z - 1.387_768_6e-1) * z + 1.997_771e-1) * z - 3.333_295e-1;
    let octant = t + t * z * p + if turned { FRAC_PI_4 } else { 0.0 };
    let quadrant = if y < a { octant } else { FRAC_PI_2 - octant };
    if x < 0.0 { PI - quadrant } else { quadrant }
}

/// Returns the length of a vector.
#[inline(always)]
pub fn length(v: Vec3) -> f32 {
    sqrt(v.dot(v))
}

/// Returns the vector at length one, or zero when its length is zero or not finite.
#[inline(always)]
pub fn normalize_or_zero(v: Vec3) -> Vec3 {
    // Divided by its largest component first, so that squares stay in range.
    let most = v.abs().max_element();
    let v = v * (1.0 / most);
    let l = length(v);
    if most > 0.0 && l > 0.0 && l < f32::INFINITY {
        v * (1.0 / l)
    } else {
        Vec3::ZERO
    }
}

/// Returns a well-mixed 32-bit hash (Ellis, "Hash function prospecting", 2018: lowbias32).
#[inline(always)]
pub fn hash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Returns the number with this [`hash`].
#[inline(always)]
pub fn unhash(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x4302_1123);
    x ^= x >> 15 ^ x >> 30;
    x = x.wrapping_mul(0x1d69_e2a5);
    x ^ (x >> 16)
}
