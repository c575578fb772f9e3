//! Sparse matrices by differences: `(A x)_i = excess_i x_i + sum_j w_ij (x_i - x_j)`.
//!
//! Any square matrix can be written so: `w_ij` is an entry beside the diagonal with its sign turned, and the excess is
//! the sum of the row. For a graph's Laplacian with masses the excess is the mass, and if weights are a million times
//! as large `f32` keeps it, which a diagonal would not. Sums of rows and columns, as multigrid makes them, stay in this
//! form. Weights are numbers, or blocks of 3 by 3 numbers ([`Weight`]).

use super::jacobi::{JacobiProduct, JacobiSolve, JacobiStep};
use super::solve::SolveResidual;
use super::transpose::{TransposeCount, TransposeFinish, TransposePut};
use crate::attr::Field;
use crate::kernel;
use crate::kernel::{Entry, EntryOf, FlatKernel};
use crate::mem::{Global, GlobalMut};
use crate::query::each_place;
use glam::{Mat3, Vec3};

kernel_list! {
    flat matrix_product: MatrixProduct<f32> as f32;
    flat matrix_product_blocks: MatrixProduct<Mat3> as Mat3;
    flat matrix_product_one: MatrixProductOne;
    flat matrix_inverse: MatrixInverse<f32> as f32;
    flat matrix_inverse_blocks: MatrixInverse<Mat3> as Mat3;
}

/// Entry of a matrix: a number, or a block of three rows and three columns. The type names the kernels that exist for
/// it.
pub trait Weight:
    bytemuck::Pod
    + core::fmt::Debug
    + Send
    + Sync
    + EntryOf<MatrixProduct<Self>>
    + EntryOf<MatrixInverse<Self>>
    + EntryOf<TransposeCount<Self>>
    + EntryOf<TransposePut<Self>>
    + EntryOf<TransposeFinish<Self>>
    + EntryOf<SolveResidual<Self>>
    + EntryOf<JacobiSolve<Self>>
    + EntryOf<JacobiProduct<Self>>
    + EntryOf<JacobiStep<Self>>
{
    /// Zero.
    const ZERO: Self;
    /// Returns `true` if all of its numbers are finite.
    fn is_finite(self) -> bool;
    /// Returns the sum of all, added up in doubles.
    fn sum(all: impl Iterator<Item = Self>) -> Self;
    /// Returns the sum.
    fn plus(self, other: Self) -> Self;
    /// Returns the negative.
    fn negated(self) -> Self;
    /// Returns the transposed block; a number itself.
    fn transposed(self) -> Self;
    /// Returns one over it; zero if that is not positive.
    fn inverse(self) -> Self;
    /// Returns its product with a vector.
    fn times(self, v: Vec3) -> Vec3;
    /// Returns its product with a vector of doubles.
    fn times_wide(self, v: [f64; 3]) -> [f64; 3];
}

macro_rules! named_by_weights {
    ($($kernel:ident),*) => {
        $(// SAFETY: the name is the promise of `EntryOf`.
        unsafe impl<W: Weight> Entry for $kernel<W> {
            const NAME: &'static str = <W as EntryOf<Self>>::NAME;
        })*
    };
}
named_by_weights! {
    MatrixProduct, MatrixInverse, TransposeCount, TransposePut, TransposeFinish, SolveResidual, JacobiSolve,
    JacobiProduct, JacobiStep
}

impl Weight for f32 {
    const ZERO: Self = 0.0;
    #[inline(always)]
    fn is_finite(self) -> bool {
        f32::is_finite(self)
    }
    fn sum(all: impl Iterator<Item = Self>) -> Self {
        all.map(f64::from).sum::<f64>() as f32
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        self
    }
    #[inline(always)]
    fn inverse(self) -> Self {
        if self > 0.0 { 1.0 / self } else { 0.0 }
    }
    #[inline(always)]
    fn times(self, v: Vec3) -> Vec3 {
        v * self
    }
    #[inline(always)]
    fn times_wide(self, v: [f64; 3]) -> [f64; 3] {
        v.map(|v| f64::from(self) * v)
    }
}

impl Weight for Mat3 {
    const ZERO: Self = Mat3::ZERO;
    #[inline(always)]
    fn is_finite(self) -> bool {
        Mat3::is_finite(&self)
    }
    fn sum(all: impl Iterator<Item = Self>) -> Self {
        let add = |sum: [f64; 9], m: Mat3| {
            let m = m.to_cols_array();
            core::array::from_fn(|k| sum[k] + f64::from(m[k]))
        };
        Mat3::from_cols_array(&all.fold([0.0; 9], add).map(|sum| sum as f32))
    }
    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self + other
    }
    #[inline(always)]
    fn negated(self) -> Self {
        -self
    }
    #[inline(always)]
    fn transposed(self) -> Self {
        self.transpose()
    }
    /// Returns the inverse, zero if the determinant is not positive.
    #[inline(always)]
    fn inverse(self) -> Self {
        let (x, y, z) = (self.x_axis, self.y_axis, self.z_axis);
        let (a, b, c) = (y.cross(z), z.cross(x), x.cross(y));
        let determinant = z.dot(c);
        if determinant > 0.0 {
            let over = 1.0 / determinant;
            Mat3::from_cols(a * over, b * over, c * over).transpose()
        } else {
            Mat3::ZERO
        }
    }
    #[inline(always)]
    fn times(self, v: Vec3) -> Vec3 {
        self.x_axis * v.x + self.y_axis * v.y + self.z_axis * v.z
    }
    #[inline(always)]
    fn times_wide(self, v: [f64; 3]) -> [f64; 3] {
        let (x, y, z) = (self.x_axis, self.y_axis, self.z_axis);
        let row = |x: f32, y: f32, z: f32| {
            f64::from(x) * v[0] + f64::from(y) * v[1] + f64::from(z) * v[2]
        };
        [row(x.x, y.x, z.x), row(x.y, y.y, z.y), row(x.z, y.z, z.z)]
    }
}

crate::args! {
    /// A matrix, as kernels see it.
    pub struct MatrixView<W: Weight> {
        /// Start of the entries of each row.
        pub starts: Global<u32>,
        /// End of each row.
        pub ends: Global<u32>,
        /// Columns of the entries.
        pub columns: Global<u32>,
        /// Weights of the entries: their values with the sign turned.
        pub weights: Global<W>,
        /// Sum of each row.
        pub excess: Global<W>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl<W: Weight> Field for MatrixView<W> {}

impl<W: Weight> MatrixView<W> {
    /// Returns row `i` of the product with a vector.
    #[inline(always)]
    pub fn row(&self, i: u32, at: impl Fn(u32) -> Vec3) -> Vec3 {
        let x = at(i);
        let mut sum = self.excess.get(i).times(x);
        // The vector's values are loaded together, too.
        each_place(
            self.starts.get(i),
            self.ends.get(i),
            |k| (at(self.columns.get(k)), self.weights.get(k)),
            |(y, w)| sum += w.times(x - y),
        );
        sum
    }

    /// Visits the entries of a row beside the diagonal: columns and weights.
    #[inline(always)]
    pub fn each(&self, i: u32, mut visit: impl FnMut(u32, W)) {
        each_place(
            self.starts.get(i),
            self.ends.get(i),
            |k| (self.columns.get(k), self.weights.get(k)),
            |(j, w)| visit(j, w),
        );
    }
}

crate::args! {
    /// `y = alpha A x + beta z`, of vectors of three components a row.
    pub struct MatrixProduct<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// A value for each column.
        pub x: Global<Vec3>,
        /// A value for each row; empty when `beta` is 0.
        pub z: Global<Vec3>,
        /// Product of the matrix and the vector.
        pub y: GlobalMut<Vec3>,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of `z`.
        pub beta: f32,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl<W: Weight> FlatKernel for MatrixProduct<W> {
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
    /// Works like [`MatrixProduct`], for vectors of one component per row.
    pub struct MatrixProductOne: Flat {
        /// Matrix by rows.
        pub matrix: MatrixView<f32>,
        /// A value for each column.
        pub x: Global<f32>,
        /// A value for each row; empty when `beta` is 0.
        pub z: Global<f32>,
        /// Product of the matrix and the vector.
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

crate::args! {
    /// One over the diagonal; zero if that is not positive.
    pub struct MatrixInverse<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// A value per row.
        pub inverse: GlobalMut<W>,
    }
}

// SAFETY: as above.
unsafe impl<W: Weight> FlatKernel for MatrixInverse<W> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let mut diagonal = self.matrix.excess.get(i);
        self.matrix.each(i, |_, w| diagonal = diagonal.plus(w));
        self.inverse.set(i, diagonal.inverse());
    }
}

/// Rows that a block takes.
pub const ROWS: u32 = 256;

/// Returns the rows of a block.
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
