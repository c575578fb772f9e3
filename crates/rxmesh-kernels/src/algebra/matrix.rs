//! Sparse matrices by differences: `(A x)_i = excess_i x_i + sum_j w_ij (x_i - x_j)`.
//!
//! Any square matrix can be written so: `w_ij` is an entry beside the diagonal with its sign turned, and the excess is
//! the sum of the row. Of a graph's Laplacian with masses the excess is the mass, and where weights are a million times
//! as large `f32` keeps it, which a diagonal would not. Sums of rows and columns, as multigrid makes them, stay in this
//! form.

use crate::attr::Field;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::query::each_place;
use glam::Vec3;

kernel_list! {
    flat matrix_product: MatrixProduct;
    flat matrix_product_one: MatrixProductOne;
    flat matrix_inverse: MatrixInverse;
}

crate::args! {
    /// A matrix, as kernels see it.
    pub struct MatrixView {
        /// Where the entries of each row start.
        pub starts: Global<u32>,
        /// Where they end.
        pub ends: Global<u32>,
        /// Columns of the entries.
        pub columns: Global<u32>,
        /// Their weights: the entries with the sign turned.
        pub weights: Global<f32>,
        /// Sum of each row.
        pub excess: Global<f32>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for MatrixView {}

impl MatrixView {
    /// Row `i` of the product with a vector.
    #[inline(always)]
    pub fn row(&self, i: u32, at: impl Fn(u32) -> Vec3) -> Vec3 {
        let x = at(i);
        let mut sum = x * self.excess.get(i);
        self.each(i, |j, w| sum += (x - at(j)) * w);
        sum
    }

    /// The entries of a row beside the diagonal: columns and weights.
    #[inline(always)]
    pub fn each(&self, i: u32, mut visit: impl FnMut(u32, f32)) {
        each_place(
            self.starts.get(i),
            self.ends.get(i),
            |k| (self.columns.get(k), self.weights.get(k)),
            |(j, w)| visit(j, w),
        );
    }
}

kernel! {
    /// `y = alpha A x + beta z`, of vectors of three components a row.
    pub struct MatrixProduct: Flat {
        /// The matrix.
        pub matrix: MatrixView,
        /// A value for each column.
        pub x: Global<Vec3>,
        /// A value for each row; empty when `beta` is 0.
        pub z: Global<Vec3>,
        /// The result.
        pub y: GlobalMut<Vec3>,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of `z`.
        pub beta: f32,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views have room for (contracts
// U3, U4).
unsafe impl FlatKernel for MatrixProduct {
    #[inline(always)]
    fn run(&self, i: u32) {
        let product = self.matrix.row(i, |j| self.x.get(j)) * self.alpha;
        let other = if self.beta == 0.0 {
            Vec3::ZERO
        } else {
            self.z.get(i) * self.beta
        };
        self.y.set(i, product + other);
    }
}

kernel! {
    /// As [`MatrixProduct`], of vectors of one component a row.
    pub struct MatrixProductOne: Flat {
        /// The matrix.
        pub matrix: MatrixView,
        /// A value for each column.
        pub x: Global<f32>,
        /// A value for each row; empty when `beta` is 0.
        pub z: Global<f32>,
        /// The result.
        pub y: GlobalMut<f32>,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of `z`.
        pub beta: f32,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for MatrixProductOne {
    #[inline(always)]
    fn run(&self, i: u32) {
        let x = self.x.get(i);
        let mut sum = x * self.matrix.excess.get(i);
        self.matrix.each(i, |j, w| sum += (x - self.x.get(j)) * w);
        let other = if self.beta == 0.0 {
            0.0
        } else {
            self.z.get(i) * self.beta
        };
        self.y.set(i, sum * self.alpha + other);
    }
}

kernel! {
    /// One over the diagonal; 0 where that is not positive.
    pub struct MatrixInverse: Flat {
        /// The matrix.
        pub matrix: MatrixView,
        /// A value a row.
        pub inverse: GlobalMut<f32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for MatrixInverse {
    #[inline(always)]
    fn run(&self, i: u32) {
        let mut diagonal = self.matrix.excess.get(i);
        self.matrix.each(i, |_, w| diagonal += w);
        let inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        self.inverse.set(i, inverse);
    }
}

/// Rows that a block takes.
pub const ROWS: u32 = 256;

/// The rows of a block.
#[inline(always)]
pub(super) fn rows_of(block: u32, rows: u32) -> (u32, u32) {
    let first = block * ROWS;
    (
        first,
        if rows - first < ROWS {
            rows - first
        } else {
            ROWS
        },
    )
}
