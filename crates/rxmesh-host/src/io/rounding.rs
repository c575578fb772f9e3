//! Loss of positions when 64-bit numbers become 32-bit ones.

/// A part of a number that is no loss: text of ten digits that was printed from a 32-bit float differs by less.
const NOTHING: f64 = 1.0 / (1u64 << 30) as f64;

/// Most significant digits that a 32-bit float needs to be distinguished from its neighbours.
const DIGITS: usize = 9;

/// Largest difference between a coordinate in a file and the one that is kept.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Rounding {
    largest: f64,
}

impl Rounding {
    /// Records the rounding of a coordinate that was given as `x`.
    #[inline]
    pub(super) fn note(&mut self, x: f64) {
        let lost = (x - f64::from(x as f32)).abs();
        if lost > self.largest && lost > NOTHING * x.abs() {
            self.largest = lost;
        }
    }

    /// Works like [`note`](Self::note), for a coordinate in text. One of few digits was meant to be a 32-bit float.
    #[inline]
    pub(super) fn note_text(&mut self, word: &[u8]) {
        if word.len() > DIGITS && significant(word) > DIGITS {
            let x = std::str::from_utf8(word).ok().and_then(|w| w.parse().ok());
            self.note(x.unwrap_or(0.0));
        }
    }

    /// Records a coordinate that got a local frame, in which it is `size`, and that lost `lost`. Less than half a unit
    /// of the last digit that text gave is no loss; for a number in binary, less than [`NOTHING`].
    pub(super) fn note_placed(&mut self, lost: f64, size: f64, decimals: Option<i16>) {
        let least = match decimals {
            Some(decimals) => 0.5 * 10f64.powi(-i32::from(decimals)),
            None => NOTHING * size.abs(),
        };
        if lost > self.largest && lost > least {
            self.largest = lost;
        }
    }

    /// Returns the larger of two.
    pub(super) fn and(self, other: Rounding) -> Rounding {
        Rounding {
            largest: self.largest.max(other.largest),
        }
    }

    /// Returns the warning to print if anything was lost.
    pub(super) fn warning(self) -> Option<String> {
        (self.largest > 0.0).then(|| {
            format!(
                "positions have more digits than 32-bit floats hold: they are rounded, by {:.1e} at most",
                self.largest
            )
        })
    }
}

/// Returns the number of digits from the first that is not zero to the last, without the exponent.
fn significant(word: &[u8]) -> usize {
    let mantissa = word.split(|b| matches!(b, b'e' | b'E')).next();
    let digits = mantissa.unwrap_or_default().iter();
    let digits = digits
        .filter(|b| b.is_ascii_digit())
        .skip_while(|b| **b == b'0');
    let mut n = 0;
    let mut last = 0;
    for digit in digits {
        n += 1;
        if *digit != b'0' {
            last = n;
        }
    }
    last
}

#[cfg(test)]
mod tests {
    use super::{Rounding, significant};

    #[test]
    fn digits_that_count() {
        let words = [
            "0.100000001",
            "-12345.678900",
            "1e-30",
            "0.0",
            "000.00120e5",
            "3.14159265358979",
        ];
        let counts = words.map(|w| significant(w.as_bytes()));
        assert_eq!(counts, [9, 9, 1, 0, 2, 15]);
    }

    #[test]
    fn what_a_float_printed_is_no_loss() {
        let mut r = Rounding::default();
        let mut x = 1e-12f32;
        while x < 1e12 {
            x *= 1.37;
            r.note(f64::from(x));
            for text in [
                format!("{x:?}"),
                format!("{x:.9e}"),
                format!("{x:.12e}"),
                format!("{:.6}", x),
            ] {
                r.note_text(text.as_bytes());
            }
        }
        assert_eq!(r.warning(), None);
        r.note_text(b"1.00000002980232");
        let text = r.warning().unwrap();
        assert!(text.contains("3.0e-8 at most"), "{text}");
    }
}
