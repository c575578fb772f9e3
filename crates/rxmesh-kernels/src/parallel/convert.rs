//! Conversions of the arrays of other libraries: rows of three numbers of 32 or 64 bits, at any distances, into
//! positions and corners, and these back into numbers of 64 bits.

use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};

kernel_list! {
    flat narrow_points: NarrowPoints;
    flat narrow_indices: NarrowIndices;
    flat widen_floats: WidenFloats;
    flat widen_indices: WidenIndices;
}

args! {
    /// Places of the numbers of rows of three, in words. Distances may be negative: they are added modulo 2^32.
    pub struct RowLayout {
        /// First word of the first number.
        pub first: u32,
        /// Distance from row to row.
        pub row: u32,
        /// Distance from column to column.
        pub column: u32,
        /// Words of a number: 1 or 2, the lower one first.
        pub words: u32,
    }
}

impl RowLayout {
    /// Returns the lower and the higher word of number `i`, counted row by row; the higher one is 0 if there is none.
    #[inline(always)]
    fn number(self, from: Global<u32>, i: u32) -> (u32, u32) {
        let (row, column) = (i / 3, i % 3);
        let at = self
            .first
            .wrapping_add(row.wrapping_mul(self.row))
            .wrapping_add(column.wrapping_mul(self.column));
        let high = if self.words == 2 { from.get(at + 1) } else { 0 };
        (from.get(at), high)
    }
}

/// Returns a word that orders floats as their values do. No finite number and no infinity has the word 0 or `u32::MAX`.
#[inline(always)]
pub fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    }
}

/// Returns the float of a word of [`ordered`].
#[inline(always)]
pub fn float_of(word: u32) -> f32 {
    f32::from_bits(if word >> 31 == 1 {
        word & !(1 << 31)
    } else {
        !word
    })
}

kernel! {
    /// Rounds coordinates to 32 bits. Those of 64 bits also go into the box and the sample. An index per coordinate.
    pub struct NarrowPoints: Flat {
        /// Words of the array.
        pub from: Global<u32>,
        /// Coordinates, three a point.
        pub to: GlobalMut<f32>,
        /// Box of the points, as words of [`ordered`]: the highest coordinates, and the complements of the lowest ones;
        /// zeroes at first.
        pub bounds: GlobalMut<u32>,
        /// Coordinates of every `step`th point.
        pub sample: GlobalMut<f32>,
        /// Distance of points in the sample.
        pub step: u32,
        /// Places of the coordinates.
        pub layout: RowLayout,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold, and
// the layout's places lie in the array (contracts U3, U4).
unsafe impl FlatKernel for NarrowPoints {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (low, high) = self.layout.number(self.from, i);
        if self.layout.words == 1 {
            self.to.set(i, f32::from_bits(low));
            return;
        }
        let x = f64::from_bits(u64::from(high) << 32 | u64::from(low)) as f32;
        self.to.set(i, x);
        let (point, axis) = (i / 3, i % 3);
        if point.is_multiple_of(self.step) {
            self.sample.set(point / self.step * 3 + axis, x);
        }
        for (at, word) in [(axis, ordered(x)), (axis + 3, !ordered(x))] {
            // Few points extend the box of those so far: most need no exchange.
            if self.bounds.load(at) < word {
                self.bounds.raise(at, word);
            }
        }
    }
}

kernel! {
    /// Takes indices, such as those of corners of faces, as 32-bit numbers. An index per number.
    pub struct NarrowIndices: Flat {
        /// Words of the array.
        pub from: Global<u32>,
        /// Indices of elements.
        pub to: GlobalMut<u32>,
        /// Complement of the lowest place of a number that names no element; 0 at first.
        pub bad: GlobalMut<u32>,
        /// Number of elements, less than 2^31: negative numbers are larger as words.
        pub count: u32,
        /// Places of the numbers.
        pub layout: RowLayout,
    }
}

// SAFETY: as for [`NarrowPoints`].
unsafe impl FlatKernel for NarrowIndices {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (low, high) = self.layout.number(self.from, i);
        if high != 0 || low >= self.count {
            self.bad.raise(0, !i);
        }
        self.to.set(i, low);
    }
}

kernel! {
    /// Widens floats to 64 bits. An index per number.
    pub struct WidenFloats: Flat {
        /// Numbers.
        pub from: Global<f32>,
        /// As many numbers.
        pub to: GlobalMut<f64>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for WidenFloats {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, f64::from(self.from.get(i)));
    }
}

kernel! {
    /// Widens whole numbers to 64 bits. An index per number.
    pub struct WidenIndices: Flat {
        /// Numbers.
        pub from: Global<u32>,
        /// As many numbers.
        pub to: GlobalMut<u64>,
    }
}

// SAFETY: as for [`WidenFloats`].
unsafe impl FlatKernel for WidenIndices {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, u64::from(self.from.get(i)));
    }
}
