//! Transposed matrices, and the order of entries within a row.

use super::matrix::{MatrixView, Weight};
use crate::kernel::FlatKernel;
use crate::mem::GlobalMut;
use glam::Mat3;

kernel_list! {
    flat transpose_count: TransposeCount<f32> as f32;
    flat transpose_count_blocks: TransposeCount<Mat3> as Mat3;
    flat transpose_put: TransposePut<f32> as f32;
    flat transpose_put_blocks: TransposePut<Mat3> as Mat3;
    flat transpose_finish: TransposeFinish<f32> as f32;
    flat transpose_finish_blocks: TransposeFinish<Mat3> as Mat3;
}

crate::args! {
    /// Counts the entries of each column. Over the rows.
    pub struct TransposeCount<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// A number for each column, 0 before.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl<W: Weight> FlatKernel for TransposeCount<W> {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.matrix.each(i, |j, _| {
            self.counts.fetch_add(j, 1);
        });
    }
}

crate::args! {
    /// Puts each entry into the row of its column, in any order. Over the rows.
    pub struct TransposePut<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// Start of each row of the transposed matrix; afterwards its end.
        pub ends: GlobalMut<u32>,
        /// Columns of its entries.
        pub columns: GlobalMut<u32>,
        /// Weights of its entries.
        pub weights: GlobalMut<W>,
    }
}

// SAFETY: indices of one launch write apart: places are handed out atomically; the host launches no more of them than
// the views hold (contracts U3, U4).
unsafe impl<W: Weight> FlatKernel for TransposePut<W> {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.matrix.each(i, |j, w| {
            let place = self.ends.fetch_add(j, 1);
            self.columns.set(place, i);
            self.weights.set(place, w.transposed());
        });
    }
}

crate::args! {
    /// Orders each row of the transposed matrix, and finds its excess: the diagonal is that of the matrix.
    pub struct TransposeFinish<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// Start of each row of the transposed matrix.
        pub starts: GlobalMut<u32>,
        /// End of each row.
        pub ends: GlobalMut<u32>,
        /// Columns of its entries.
        pub columns: GlobalMut<u32>,
        /// Weights of its entries.
        pub weights: GlobalMut<W>,
        /// Sums of its rows.
        pub excess: GlobalMut<W>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl<W: Weight> FlatKernel for TransposeFinish<W> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (start, end) = (self.starts.get(i), self.ends.get(i));
        sort_row(self.columns, self.weights, start, end);
        // For symmetric matrices with ordered rows the two sums are the same.
        let (mut row, mut column) = (W::ZERO, W::ZERO);
        self.matrix.each(i, |_, w| row = row.plus(w));
        let mut k = start;
        while k < end {
            column = column.plus(self.weights.get(k));
            k += 1;
        }
        let difference = row.transposed().plus(column.negated());
        let excess = self.matrix.excess.get(i).transposed();
        self.excess.set(i, excess.plus(difference));
    }
}

/// Longer rows are sorted by a heap, in place: insertion would take a number of steps that grows with the square.
const LONG_ROW: u32 = 32;

/// Sorts the entries `lo..hi` of a matrix by their columns.
#[inline(always)]
pub(super) fn sort_row<W: Weight>(
    columns: GlobalMut<u32>,
    weights: GlobalMut<W>,
    lo: u32,
    hi: u32,
) {
    Entries { columns, weights }.sort(lo, hi);
}

#[derive(Clone, Copy)]
struct Entries<W> {
    columns: GlobalMut<u32>,
    weights: GlobalMut<W>,
}

impl<W: Weight> Entries<W> {
    #[inline(always)]
    fn sort(self, lo: u32, hi: u32) {
        if hi - lo > LONG_ROW {
            return self.heap_sort(lo, hi - lo);
        }
        let mut i = lo + 1;
        while i < hi {
            let (column, weight) = (self.columns.get(i), self.weights.get(i));
            let mut j = i;
            while j > lo && self.columns.get(j - 1) > column {
                self.columns.set(j, self.columns.get(j - 1));
                self.weights.set(j, self.weights.get(j - 1));
                j -= 1;
            }
            self.columns.set(j, column);
            self.weights.set(j, weight);
            i += 1;
        }
    }

    #[inline(always)]
    fn swap(self, i: u32, j: u32) {
        let (a, b) = (self.columns.get(i), self.columns.get(j));
        self.columns.set(i, b);
        self.columns.set(j, a);
        let (a, b) = (self.weights.get(i), self.weights.get(j));
        self.weights.set(i, b);
        self.weights.set(j, a);
    }

    #[inline(always)]
    fn heap_sort(self, lo: u32, n: u32) {
        // One loop for both halves, so that sinking is there once: the heap is built, then taken apart.
        let (mut root, mut left) = (n / 2, n);
        while left > 1 {
            if root > 0 {
                root -= 1;
            } else {
                left -= 1;
                self.swap(lo, lo + left);
            }
            let mut at = root;
            loop {
                let mut child = 2 * at + 1;
                if child >= left {
                    break;
                }
                let column = |k: u32| self.columns.get(lo + k);
                if child + 1 < left && column(child) < column(child + 1) {
                    child += 1;
                }
                if column(at) >= column(child) {
                    break;
                }
                self.swap(lo + at, lo + child);
                at = child;
            }
        }
    }
}
