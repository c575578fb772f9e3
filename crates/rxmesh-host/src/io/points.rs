//! Positions while a file is read, and the frame that they get.

use super::error::{Fault, FaultKind};
use super::rounding::Rounding;
use super::scan::{LineWords, quote};
use crate::mesh::{Placement, frame_of, may_need_placement};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use robust::{Coord3D, orient3d};
use std::cmp::Ordering;

/// Number of bits of a coordinate that a reader keeps.
///
/// Files are read with 32 bits, as nearly all are best. One that lies far from the origin, or beyond the range of
/// 32-bit floats, is read again with 64, from which a frame near the mesh is made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum CoordinateBits {
    #[default]
    Single,
    Double,
}

/// One coordinate: rounded once from the number in the file, and with [`CoordinateBits::Double`] with all 64 bits.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Coordinate {
    single: f32,
    double: f64,
    /// Digits after the point, of text that is read with [`CoordinateBits::Double`].
    decimals: Option<i16>,
}

/// Positions of a file, in its order.
#[derive(Debug, Default)]
pub(super) struct FilePoints {
    /// Positions in the frame of `placement`.
    pub(super) positions: Vec<Vec3>,
    pub(super) placement: Placement,
    bits: CoordinateBits,
    /// Positions with [`CoordinateBits::Double`], until they are placed.
    double: Vec<DVec3>,
    decimals: Vec<[Option<i16>; 3]>,
    rounding: Rounding,
    /// Positions are computed from those of the file: rounding loses no digit that is in it.
    computed: bool,
}

impl FilePoints {
    pub(super) fn new(bits: CoordinateBits) -> FilePoints {
        FilePoints {
            bits,
            ..FilePoints::default()
        }
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Reserves capacity for more.
    pub(super) fn reserve(&mut self, n: usize) {
        self.positions.reserve_exact(n);
        if self.bits == CoordinateBits::Double {
            self.double.reserve_exact(n);
            self.decimals.reserve_exact(n);
        }
    }

    #[inline]
    pub(super) fn push(&mut self, [x, y, z]: [Coordinate; 3]) {
        self.positions.push(Vec3::new(x.single, y.single, z.single));
        if self.bits == CoordinateBits::Double {
            self.double.push(DVec3::new(x.double, y.double, z.double));
            let decimals = [x.decimals, y.decimals, z.decimals];
            self.decimals.push(decimals);
        }
    }

    /// Appends positions that are finite 32-bit floats in the file.
    pub(super) fn extend(&mut self, mut more: Vec<Vec3>) {
        if self.bits == CoordinateBits::Double {
            self.double.extend(more.iter().map(|p| p.as_dvec3()));
            self.decimals.resize(self.double.len(), [None; 3]);
        }
        match self.positions.is_empty() {
            true => self.positions = more,
            false => self.positions.append(&mut more),
        }
    }

    /// Appends positions that are computed from those of a file.
    pub(super) fn extend_placed(&mut self, more: Vec<DVec3>) -> Result<(), RefusedNumber> {
        self.computed = true;
        let known = |p: &DVec3| match self.bits {
            CoordinateBits::Single => p.as_vec3().is_finite(),
            CoordinateBits::Double => p.is_finite(),
        };
        if let Some(p) = more.iter().find(|p| !known(p)) {
            let shown = format!("at {:?}", p.to_array());
            return Err(refused(self.bits, p.is_finite(), &shown));
        }
        self.positions.extend(more.iter().map(|p| p.as_vec3()));
        if self.bits == CoordinateBits::Double {
            self.double.extend_from_slice(&more);
            self.decimals.resize(self.double.len(), [None; 3]);
        }
        Ok(())
    }

    /// Keeps the first `n` positions only.
    pub(super) fn truncate(&mut self, n: usize) {
        self.positions.truncate(n);
        self.double.truncate(n);
        self.decimals.truncate(n);
    }

    /// Appends the positions of another part of the file.
    pub(super) fn append(&mut self, other: &mut FilePoints) {
        self.positions.append(&mut other.positions);
        self.double.append(&mut other.double);
        self.decimals.append(&mut other.decimals);
        self.rounding = self.rounding.and(other.rounding);
    }

    /// Keeps the named positions only, in that order.
    ///
    /// # Panics
    ///
    /// When there is no such position.
    pub(super) fn keep(&mut self, kept: &[u32]) {
        fn pick<T: Copy>(v: &mut Vec<T>, kept: &[u32]) {
            if !v.is_empty() {
                *v = kept.iter().map(|&i| v[i as usize]).collect();
            }
        }
        pick(&mut self.positions, kept);
        pick(&mut self.double, kept);
        pick(&mut self.decimals, kept);
    }

    /// Reads the next three words of a line.
    #[inline]
    pub(super) fn read(&mut self, words: &mut LineWords<'_>) -> Result<(), Fault> {
        self.read_by(|axis| words.expected(axis))
    }

    /// Reads three words that come one after the other, with their places.
    #[inline]
    pub(super) fn read_by<'a>(
        &mut self,
        mut word: impl FnMut(&str) -> Result<(usize, &'a [u8]), Fault>,
    ) -> Result<(), Fault> {
        let mut p = [Coordinate::default(); 3];
        for (c, axis) in p.iter_mut().zip(["x", "y", "z"]) {
            let (at, word) = word(axis)?;
            *c = self.parse(word).map_err(|r| r.at_text(at))?;
        }
        self.push(p);
        Ok(())
    }

    /// Parses a coordinate in text. It is parsed as f32 at once, not as f64 and then rounded: rounding twice can miss
    /// the nearest f32, and then the file would not give the same bits.
    #[inline]
    pub(super) fn parse(&mut self, word: &[u8]) -> Result<Coordinate, RefusedNumber> {
        let text = std::str::from_utf8(word).ok();
        let Some(single) = text.and_then(|s| s.parse::<f32>().ok()) else {
            let what = format!("{} is not a number", quote(word));
            return Err(RefusedNumber { large: false, what });
        };
        self.rounding.note_text(word);
        let (mut double, mut given) = (0.0, None);
        let known = match self.bits {
            CoordinateBits::Single => single.is_finite(),
            CoordinateBits::Double => {
                double = text.and_then(|s| s.parse().ok()).unwrap_or(f64::NAN);
                given = Some(decimals(word));
                double.is_finite()
            }
        };
        if known {
            return Ok(Coordinate {
                single,
                double,
                decimals: given,
            });
        }
        let digits = word.iter().any(u8::is_ascii_digit);
        Err(refused(self.bits, digits, &quote(word)))
    }

    /// Checks a coordinate of a binary file; `Err` holds the reason why it is none.
    #[inline]
    pub(super) fn take(&mut self, x: f64) -> Result<Coordinate, RefusedNumber> {
        let single = x as f32;
        let known = match self.bits {
            CoordinateBits::Single => single.is_finite(),
            CoordinateBits::Double => x.is_finite(),
        };
        if !known {
            return Err(refused(self.bits, x.is_finite(), &format!("'{x}'")));
        }
        self.rounding.note(x);
        Ok(Coordinate {
            single,
            double: x,
            decimals: None,
        })
    }

    /// Returns `true` if reading again with 64 bits may give a better mesh, of faces or cells with these corners.
    pub(super) fn want_double(&self, corners: &[u32]) -> bool {
        self.bits == CoordinateBits::Single && may_need_placement(&self.positions, corners)
    }

    /// Returns `true` if rounding to 32 bits may have changed the sign of a cell's volume: reading again with 64 bits
    /// decides.
    pub(super) fn want_signs(&self, cells: &[[u32; 4]]) -> bool {
        /// Six volumes change by less, as a part of the square of the longest side and the largest coordinate: each of
        /// three sides by at most two half units of a 32-bit float along each axis, with a margin.
        const ROUNDED: f64 = 16.0 / (1 << 24) as f64;
        let is_doubtful = |cell: &[u32; 4]| {
            let [a, b, c, d] = cell.map(|v| self.positions[v as usize].as_dvec3());
            let sides = [b - a, c - a, d - a];
            let longest = sides.map(|s| s.length_squared());
            let longest = longest[0].max(longest[1]).max(longest[2]);
            let largest = [a, b, c, d].map(|p| p.abs().max_element());
            let largest = largest.into_iter().fold(0.0, f64::max);
            let volumes = sides[0].cross(sides[1]).dot(sides[2]).abs();
            volumes <= ROUNDED * longest * largest
        };
        self.bits == CoordinateBits::Single && cells.par_iter().lean().any(is_doubtful)
    }

    /// Returns the signs of the cells' volumes, exactly as the file has their corners: `None` unless it was read with
    /// [`CoordinateBits::Double`].
    pub(super) fn signs(&self, cells: &[[u32; 4]]) -> Option<Vec<Ordering>> {
        let sign = |cell: &[u32; 4]| {
            let [a, b, c, d] = cell.map(|v| {
                let DVec3 { x, y, z } = self.double[v as usize];
                Coord3D { x, y, z }
            });
            // The first two the other way round: positive below their plane, in the words of that function.
            let volumes = orient3d(b, a, c, d);
            volumes.partial_cmp(&0.0).unwrap_or(Ordering::Equal)
        };
        let is_known =
            self.bits == CoordinateBits::Double && self.double.len() == self.positions.len();
        is_known.then(|| cells.par_iter().lean().map(sign).collect())
    }

    /// Puts positions of 64 bits into the frame of a mesh with these corners of faces or cells, if they need one.
    pub(super) fn settle(&mut self, corners: &[u32]) {
        let double = std::mem::take(&mut self.double);
        let decimals = std::mem::take(&mut self.decimals);
        if double.is_empty() {
            return;
        }
        let Some(placement) = frame_of(&self.positions, &double, corners) else {
            return;
        };
        self.placement = placement;
        let local = double.par_iter().lean().map(|d| placement.local(*d));
        self.positions = local.collect();
        if self.computed {
            return;
        }
        let given = double.par_iter().zip(&decimals);
        let all = self.positions.par_iter().zip(given).lean();
        let noted = |mut r: Rounding, (p, (d, decimals)): (&Vec3, (&DVec3, &[Option<i16>; 3]))| {
            let kept = placement.world(*p);
            for axis in 0..3 {
                let size = placement.scale * f64::from(p[axis]);
                // The number itself is no nearer to its text than doubles are to each other there.
                let lost = (kept[axis] - d[axis]).abs() - f64::EPSILON * d[axis].abs();
                r.note_placed(lost, size, decimals[axis]);
            }
            r
        };
        let all = all.fold(Rounding::default, noted);
        self.rounding = all.reduce(Rounding::default, Rounding::and);
    }

    /// Returns the warning to print if digits were lost.
    pub(super) fn warning(&self) -> Option<String> {
        self.rounding.warning()
    }
}

/// Reason why a number is no coordinate.
#[derive(Debug)]
pub(super) struct RefusedNumber {
    /// `true` if the number is a coordinate with [`CoordinateBits::Double`].
    large: bool,
    pub(super) what: String,
}

impl RefusedNumber {
    pub(super) fn at_text(self, at: usize) -> Fault {
        self.of(|what| Fault::text(at, what))
    }

    /// Returns the fault, at a place that the reader knows.
    pub(super) fn of(self, place: impl FnOnce(String) -> Fault) -> Fault {
        let large = self.large;
        let mut fault = place(self.what);
        if large && let FaultKind::What(what) = fault.kind {
            fault.kind = FaultKind::Large(what);
        }
        fault
    }
}

fn refused(bits: CoordinateBits, number: bool, shown: &str) -> RefusedNumber {
    let (large, what) = match (number, bits) {
        (true, CoordinateBits::Single) => (true, "is too large for a 32-bit float"),
        (true, CoordinateBits::Double) => (false, "is too large for a 64-bit float"),
        (false, _) => (false, "is not a finite number"),
    };
    let what = format!("{shown} {what}");
    RefusedNumber { large, what }
}

/// Returns the number of digits after the point that count, the exponent taken off: -2 for `1200`.
fn decimals(word: &[u8]) -> i16 {
    let mut parts = word.splitn(2, |b| matches!(b, b'e' | b'E'));
    let mantissa = parts.next().unwrap_or_default();
    let exponent = parts.next().and_then(|e| std::str::from_utf8(e).ok());
    let exponent: i16 = exponent.and_then(|e| e.parse().ok()).unwrap_or(0);
    let mut halves = mantissa.splitn(2, |b| *b == b'.');
    let whole = halves.next().unwrap_or_default();
    let behind = halves.next().unwrap_or_default();
    let zeros = |digits: &[u8]| digits.iter().rev().take_while(|b| **b == b'0').count();
    let behind = behind.len() - zeros(behind);
    let given = match behind {
        0 => -(zeros(whole) as i16),
        n => n as i16,
    };
    given.saturating_sub(exponent)
}

#[cfg(test)]
mod tests {
    use super::decimals;

    #[test]
    fn digits_behind_the_point() {
        let words = ["500000.123", "1200", "-0.0500", "1.5e-3", "25e2", "0", "7."];
        let counts = words.map(|w| decimals(w.as_bytes()));
        assert_eq!(counts, [3, -2, 2, 4, -2, -1, 0]);
    }
}
