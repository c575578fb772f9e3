//! Trigonometric functions.

use core::f32::consts::{FRAC_PI_2, FRAC_PI_4, PI};

/// Angle `high + low` in `[-pi/4, pi/4]`, and the number of right angles that were taken off it.
struct Reduced {
    high: f32,
    low: f32,
    quadrant: u32,
}

/// 2 / pi in words of 32 bits behind the point, with a word of zeros before them.
#[inline(always)]
fn two_over_pi(word: u32) -> u32 {
    match word {
        0 => 0,
        1 => 0xa2f9_836e,
        2 => 0x4e44_1529,
        3 => 0xfc27_57d1,
        4 => 0xf534_ddc0,
        5 => 0xdb62_9599,
        6 => 0x3c43_9041,
        _ => 0xfe51_63ab,
    }
}

/// Takes right angles off a finite angle, in whole numbers of 64 bits (Payne and Hanek 1983): a large angle loses no
/// more digits than a small one.
#[inline(always)]
fn reduce(x: f32) -> Reduced {
    let size = f32::from_bits(x.to_bits() & 0x7fff_ffff);
    if size <= FRAC_PI_4 {
        return Reduced {
            high: x,
            low: 0.0,
            quadrant: 0,
        };
    }
    // |x| = mantissa * 2^(first - 30), with 6 <= first: bits of 2 / pi before the first one give multiples of 4 right
    // angles.
    let mantissa = size.to_bits() & 0x007f_ffff | 0x0080_0000;
    let first = (size.to_bits() >> 23) - 120;
    let (word, shift) = (first >> 5, first & 31);
    let bits = |k: u32| {
        let two = (u64::from(two_over_pi(word + k)) << 32) | u64::from(two_over_pi(word + k + 1));
        (two << shift >> 32) as u32
    };
    // The upper 64 of 96 bits of the product: two bits of right angles, and the part of one.
    let product = |k: u32| u64::from(mantissa) * u64::from(bits(k));
    let upper = (product(0) << 32)
        .wrapping_add(product(1))
        .wrapping_add(product(2) >> 32);
    let nearest = upper.wrapping_add(1 << 61) >> 62;
    let part = upper.wrapping_sub(nearest << 62) as i64;
    // Times pi / 2, with 60 bits behind the point.
    let angle = ((i128::from(part) * 0x6487_ed51_10b4_611a) >> 64) as i64;
    let high = angle as f32;
    let low = (angle - high as i64) as f32;
    const UNIT: f32 = 1.0 / (1u64 << 60) as f32;
    let sign = if x < 0.0 { -UNIT } else { UNIT };
    let quadrant = nearest as u32;
    Reduced {
        high: high * sign,
        low: low * sign,
        quadrant: if x < 0.0 {
            quadrant.wrapping_neg()
        } else {
            quadrant
        },
    }
}

/// Returns the sine of a small angle (`k_sinf` of FreeBSD).
#[inline(always)]
fn small_sin(x: f32, low: f32) -> f32 {
    let z = x * x;
    let v = z * x;
    let r = 8.333_334e-3 + z * (-1.984_127e-4 + z * (2.755_731_4e-6 + z * -2.505_076e-8));
    x - ((z * (0.5 * low - v * r) - low) - v * -0.166_666_67)
}

/// Returns the cosine of a small angle (`k_cosf` of FreeBSD).
#[inline(always)]
fn small_cos(x: f32, low: f32) -> f32 {
    let z = x * x;
    let r =
        z * (4.166_666_8e-2 + z * (-1.388_888_9e-3 + z * (2.480_158_8e-5 + z * -2.755_731_4e-7)));
    let half = 0.5 * z;
    let w = 1.0 - half;
    w + (((1.0 - w) - half) + (z * r - x * low))
}

/// Returns the sine of an angle; NaN of infinities.
#[inline(always)]
pub fn sin(x: f32) -> f32 {
    turned(x, 0)
}

/// Returns the cosine of an angle; NaN of infinities.
#[inline(always)]
pub fn cos(x: f32) -> f32 {
    turned(x, 1)
}

/// Returns the sine of an angle and some right angles.
#[inline(always)]
fn turned(x: f32, right_angles: u32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let Reduced {
        high,
        low,
        quadrant,
    } = reduce(x);
    let quadrant = quadrant.wrapping_add(right_angles);
    let value = if quadrant & 1 == 0 {
        small_sin(high, low)
    } else {
        small_cos(high, low)
    };
    if quadrant & 2 == 0 { value } else { -value }
}

/// Returns the tangent of an angle; NaN of infinities.
#[inline(always)]
pub fn tan(x: f32) -> f32 {
    if !x.is_finite() {
        return f32::NAN;
    }
    let Reduced {
        high,
        low,
        quadrant,
    } = reduce(x);
    let (s, c) = (small_sin(high, low), small_cos(high, low));
    if quadrant & 1 == 0 { s / c } else { -c / s }
}

/// Returns the arc tangent of a number that is not negative, or infinity (`atanf` of FreeBSD).
#[inline(always)]
fn arc(x: f32) -> f32 {
    // The argument, turned by the nearest of five angles, and that angle in two numbers.
    let (t, high, low) = if x < 0.4375 {
        (x, 0.0, 0.0)
    } else if x < 0.6875 {
        ((2.0 * x - 1.0) / (2.0 + x), 0.463_647_6, 5.012_158_2e-9)
    } else if x < 1.1875 {
        ((x - 1.0) / (x + 1.0), FRAC_PI_4, -2.185_569_4e-8)
    } else if x < 2.4375 {
        ((x - 1.5) / (1.0 + 1.5 * x), 0.982_793_7, 3.447_321_7e-8)
    } else {
        (-1.0 / x, FRAC_PI_2, -4.371_139e-8)
    };
    let z = t * t;
    let w = z * z;
    let odd = z * (0.333_333_28 + w * (0.142_536_35 + w * 6.168_760_7e-2));
    let even = w * (-0.199_991_58 + w * -0.106_480_174);
    high - ((t * (odd + even) - low) - t)
}

/// Returns the angle in `[-pi, pi]` of the vector `(x, y)` against the x axis, with the signs of zeros as IEEE 754 has
/// them: `atan2(-0.0, -1.0)` is `-pi`.
#[inline(always)]
pub fn atan2(y: f32, x: f32) -> f32 {
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let size = |a: f32| f32::from_bits(a.to_bits() & 0x7fff_ffff);
    let (up, along) = (size(y), size(x));
    let angle = if up == 0.0 {
        0.0
    } else if along == up {
        // Infinities too, which have no quotient.
        FRAC_PI_4
    } else {
        arc(up / along)
    };
    let backward = x.to_bits() >> 31 == 1;
    let value = if backward {
        // pi in two numbers.
        PI - (angle + 8.742_278e-8)
    } else {
        angle
    };
    if y.to_bits() >> 31 == 1 {
        -value
    } else {
        value
    }
}
