//! Errors over the whole range, and values that are no numbers or have no error.

use super::*;
use std::vec::Vec;

/// Distance from a value in units of the last place of its 32-bit float; infinite if one is NaN and the other is not,
/// or infinite.
fn error(got: f32, want: f64) -> f64 {
    let got = f64::from(got);
    if got == want || got.is_nan() && want.is_nan() {
        return 0.0;
    }
    // A 32-bit float that would round to infinity.
    if got.is_infinite() && got.signum() == want.signum() && want.abs() > f64::from(f32::MAX) {
        return 0.0;
    }
    let size = want.abs().max(f64::from(f32::MIN_POSITIVE));
    let exponent = ((size.to_bits() >> 52) as i32) - 1023;
    let difference = (got - want).abs() / (f64::from(exponent) - 23.0).exp2();
    if difference.is_nan() {
        f64::INFINITY
    } else {
        difference
    }
}

struct Function {
    name: &'static str,
    narrow: fn(f32) -> f32,
    wide: fn(f64) -> f64,
    bound: f64,
}

const FUNCTIONS: [Function; 5] = [
    Function {
        name: "ln",
        narrow: ln,
        wide: f64::ln,
        bound: 1.0,
    },
    Function {
        name: "log2",
        narrow: log2,
        wide: f64::log2,
        bound: 1.0,
    },
    Function {
        name: "sin",
        narrow: sin,
        wide: f64::sin,
        bound: 1.0,
    },
    Function {
        name: "cos",
        narrow: cos,
        wide: f64::cos,
        bound: 1.0,
    },
    Function {
        name: "tan",
        narrow: tan,
        wide: f64::tan,
        bound: 2.5,
    },
];

/// Every 499th float, of either sign.
#[test]
fn errors_over_the_whole_range() {
    for Function {
        name,
        narrow,
        wide,
        bound,
    } in FUNCTIONS
    {
        let (mut worst, mut at) = (0.0, 0.0);
        for bits in (0..=u32::MAX).step_by(499) {
            let x = f32::from_bits(bits);
            let error = error(narrow(x), wide(f64::from(x)));
            if error > worst {
                (worst, at) = (error, x);
            }
        }
        assert!(worst <= bound, "{name}({at:e}) is off by {worst}");
    }
}

/// Floats next to multiples of a right angle, where the result has few digits of the argument.
#[test]
fn errors_next_to_right_angles() {
    for Function {
        name,
        narrow,
        wide,
        bound,
    } in &FUNCTIONS[2..]
    {
        for k in (1..40_000u32).chain((40_000..50_000_000).step_by(1013)) {
            let near = (f64::from(k) * std::f64::consts::FRAC_PI_2) as f32;
            for x in [near.next_down(), near, near.next_up()] {
                let error = error(narrow(x), wide(f64::from(x)));
                assert!(error <= *bound, "{name}({x:e}) is off by {error}");
            }
        }
    }
    // The float that is closest to a multiple of a right angle, of all of them (Muller 2016, table 11.2).
    let x = 16_367_173.0 * 72f32.exp2();
    assert!(error(cos(x), f64::from(x).cos()) <= 1.0);
}

/// Pairs of floats: of any bits, and of sizes near one.
fn pairs() -> impl Iterator<Item = [f32; 2]> {
    (0..1_500_000u32).map(|i| {
        let [a, b] = [hash(2 * i), hash(2 * i + 1)];
        if i % 3 == 0 {
            return [a, b].map(f32::from_bits);
        }
        let near =
            |x: u32, from: u32, span: u32| f32::from_bits((from + x % span) | (x & 0x8000_0000));
        [
            near(a, 0x3e00_0000, 0x0200_0000),
            near(b, 0x3d00_0000, 0x0600_0000),
        ]
    })
}

#[test]
fn errors_of_angles_and_powers() {
    for [x, y] in pairs() {
        let (wide_x, wide_y) = (f64::from(x), f64::from(y));
        let off = error(atan2(x, y), wide_x.atan2(wide_y));
        assert!(off <= 2.0, "atan2({x:e}, {y:e}) is off by {off}");
        for x in [x, x.abs()] {
            let off = error(pow(x, y), f64::from(x).powf(wide_y));
            assert!(off <= 0.51, "pow({x:e}, {y:e}) is off by {off}");
        }
    }
}

/// Values and signs are those of the standard library, NaN for NaN.
#[test]
fn no_numbers_infinities_and_zeros() {
    let small = f32::from_bits(1);
    let positive = [
        0.0,
        1.0,
        0.5,
        2.0,
        3.0,
        1.5,
        small,
        f32::MIN_POSITIVE,
        f32::MAX,
        f32::INFINITY,
        8_388_607.5,
        16_777_215.0,
        16_777_216.0,
    ];
    let all: Vec<f32> = positive
        .iter()
        .flat_map(|&x| [x, -x])
        .chain([f32::NAN])
        .collect();
    let same = |got: f32, want: f32, bound: f64| {
        let signs = got.is_nan() || got.is_sign_negative() == want.is_sign_negative();
        signs && error(got, f64::from(want)) <= bound
    };
    for &x in &all {
        for Function {
            name,
            narrow,
            wide,
            bound,
        } in FUNCTIONS
        {
            let (got, want) = (narrow(x), wide(f64::from(x)) as f32);
            assert!(
                same(got, want, bound + 0.5),
                "{name}({x}) = {got}, not {want}"
            );
        }
        for &y in &all {
            let (got, want) = (atan2(x, y), f64::from(x).atan2(f64::from(y)) as f32);
            assert!(same(got, want, 2.5), "atan2({x}, {y}) = {got}, not {want}");
            let (got, want) = (pow(x, y), f64::from(x).powf(f64::from(y)) as f32);
            assert!(same(got, want, 1.01), "pow({x}, {y}) = {got}, not {want}");
        }
    }
    for k in -149..=127 {
        let power = f64::from(k).exp2() as f32;
        assert_eq!(log2(power), k as f32);
        assert_eq!(pow(2.0, k as f32), power);
    }
}

#[test]
fn hashes_go_back() {
    let mut x = 0u32;
    for _ in 0..100_000 {
        assert_eq!(unhash(hash(x)), x);
        x = x.wrapping_add(0x9e37_79b9);
    }
}
