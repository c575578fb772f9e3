//! Logarithms and powers.

/// FloatParts of a positive finite number `x = 2^exponent (1 + f)`, with `1 + f` between the roots of 1/2 and 2.
struct FloatParts {
    exponent: f32,
    f: f32,
}

/// Bits of the root of 1/2, and those of 1 above it.
const ROOT: u32 = 0x3f35_04f3;
const TO_ONE: u32 = 0x3f80_0000 - ROOT;

#[inline(always)]
fn parts(x: f32) -> FloatParts {
    // Numbers without a leading bit of their own are scaled first.
    let small = x < f32::MIN_POSITIVE;
    let bits = if small { x * 33_554_432.0 } else { x }.to_bits() + TO_ONE;
    let exponent = (bits >> 23) as i32 - 127 - if small { 25 } else { 0 };
    FloatParts {
        exponent: exponent as f32,
        f: f32::from_bits((bits & 0x007f_ffff) + ROOT) - 1.0,
    }
}

/// Returns the logarithm of a number that is not positive and finite.
#[inline(always)]
fn outside(x: f32) -> f32 {
    if x == 0.0 {
        f32::NEG_INFINITY
    } else if x > 0.0 {
        x
    } else {
        f32::NAN
    }
}

/// Returns `s (f^2 / 2 + R)` and `f^2 / 2`, of which `ln(1 + f) = f - f^2 / 2 + s (f^2 / 2 + R)`: `logf` of FreeBSD,
/// whose polynomial is off by less than 2^-34.
#[inline(always)]
fn series(f: f32) -> (f32, f32) {
    let s = f / (2.0 + f);
    let z = s * s;
    let w = z * z;
    let even = w * (0.400_009_72 + w * 0.242_790_79);
    let odd = z * (0.666_666_6 + w * 0.284_987_87);
    let half = 0.5 * f * f;
    (s * (half + (odd + even)), half)
}

/// Returns the natural logarithm: minus infinity of 0, NaN of negative numbers.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    if !(x > 0.0 && x < f32::INFINITY) {
        return outside(x);
    }
    let FloatParts { exponent, f } = parts(x);
    let (s, half) = series(f);
    // ln 2 in two numbers: products of exponents with the first one are exact.
    s + exponent * 9.058_001e-6 - half + f + exponent * 0.693_138_1
}

/// Returns the logarithm to base 2, exact for powers of two: minus infinity of 0, NaN of negative numbers.
#[inline(always)]
pub fn log2(x: f32) -> f32 {
    if !(x > 0.0 && x < f32::INFINITY) {
        return outside(x);
    }
    let FloatParts { exponent, f } = parts(x);
    let (s, half) = series(f);
    // A number of few bits, and the rest: products with the first part of 1 / ln 2 are exact.
    let high = f32::from_bits((f - half).to_bits() & 0xffff_f000);
    let low = f - high - half + s;
    (low + high) * -1.760_528_5e-4 + low * 1.442_871_1 + high * 1.442_871_1 + exponent
}

/// Returns `x` to the power of `y`, computed in 64 bits. NaN if `x` is negative and `y` is no whole number; 1 if `x` is
/// 1 or `y` is 0, whatever the other one is.
#[inline(always)]
pub fn pow(x: f32, y: f32) -> f32 {
    if x == 1.0 || y == 0.0 {
        return 1.0;
    }
    if x.is_nan() || y.is_nan() {
        return f32::NAN;
    }
    let size = f32::from_bits(x.to_bits() & 0x7fff_ffff);
    let negative = x.to_bits() != size.to_bits();
    let parity = parity(y);
    if negative && parity == Parity::Fraction && x != 0.0 && size < f32::INFINITY {
        return f32::NAN;
    }
    let power = if size == 0.0 || size == f32::INFINITY {
        if (size == 0.0) == (y < 0.0) {
            f32::INFINITY
        } else {
            0.0
        }
    } else if size == 1.0 {
        // Of minus one, to an infinite power too.
        1.0
    } else {
        exp2_wide(f64::from(y) * log2_wide(size))
    };
    if negative && parity == Parity::Odd {
        -power
    } else {
        power
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    Even,
    Odd,
    Fraction,
}

/// Infinities are even, as all large numbers are.
#[inline(always)]
fn parity(y: f32) -> Parity {
    let size = f32::from_bits(y.to_bits() & 0x7fff_ffff);
    if size >= 16_777_216.0 {
        return Parity::Even;
    }
    let whole = size as u32;
    if whole as f32 != size {
        Parity::Fraction
    } else if whole & 1 == 1 {
        Parity::Odd
    } else {
        Parity::Even
    }
}

/// Returns the logarithm to base 2 of a positive finite number, to about 2^-48 of itself.
#[inline(always)]
fn log2_wide(x: f32) -> f64 {
    let FloatParts { exponent, f } = parts(x);
    let f = f64::from(f);
    // ln(1 + f) = 2 artanh(s), by the series of artanh: s is at most 0.172.
    let s = f / (2.0 + f);
    let z = s * s;
    let mut sum = 0.0;
    let mut k = 21.0;
    while k > 0.0 {
        sum = sum * z + 1.0 / k;
        k -= 2.0;
    }
    f64::from(exponent) + 2.0 * core::f64::consts::LOG2_E * s * sum
}

/// Returns 2 to the power of `x`, rounded to 32 bits.
#[inline(always)]
fn exp2_wide(x: f64) -> f32 {
    if x >= 128.0 {
        return f32::INFINITY;
    }
    if x < -151.0 {
        return 0.0;
    }
    let near = x + if x < 0.0 { -0.5 } else { 0.5 };
    let whole = near as i32;
    // The series of e^t: t is at most 0.347.
    let t = (x - f64::from(whole)) * core::f64::consts::LN_2;
    let mut sum = 1.0;
    let mut k = 12.0;
    while k > 0.0 {
        sum = 1.0 + sum * t * (1.0 / k);
        k -= 1.0;
    }
    (sum * f64::from_bits(((1023 + whole) as u64) << 52)) as f32
}
