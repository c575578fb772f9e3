//! Matrix times rows of values: mapped SpMV (Mlakar 2018, algorithm 1).

use super::rule::Rule;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::{Entry, EntryOf, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut};

/// One to four floats that a thread processes at a time.
pub trait Lanes: Copy {
    /// Zero.
    const ZERO: Self;
    /// Reads floats from an index on.
    fn load(x: Global<f32>, at: u32) -> Self;
    /// Writes the floats from an index on.
    fn store(self, y: GlobalMut<f32>, at: u32);
    /// Returns `self + w * other`.
    fn plus(self, w: f32, other: Self) -> Self;
    /// Returns `w * self`.
    fn times(self, w: f32) -> Self;
}

/// Array of contiguous floats.
#[derive(Clone, Copy, Debug)]
pub struct Floats<const N: usize>([f32; N]);

macro_rules! lanes {
    ($($n:literal: [$($k:literal),*];)*) => {$(
        // Written out: an array indexed in a loop would be in local memory on the device.
        impl Lanes for Floats<$n> {
            const ZERO: Self = Floats([0.0; $n]);
            #[inline(always)]
            fn load(x: Global<f32>, at: u32) -> Self {
                Floats([$(x.get(at + $k)),*])
            }
            #[inline(always)]
            fn store(self, y: GlobalMut<f32>, at: u32) {
                $(y.set(at + $k, self.0[$k]);)*
            }
            #[inline(always)]
            fn plus(self, w: f32, other: Self) -> Self {
                Floats([$(self.0[$k] + w * other.0[$k]),*])
            }
            #[inline(always)]
            fn times(self, w: f32) -> Self {
                Floats([$(w * self.0[$k]),*])
            }
        }
    )*};
}

lanes! {
    1: [0];
    2: [0, 1];
    3: [0, 1, 2];
    4: [0, 1, 2, 3];
}

/// Runs the same code for one to four lanes; their number is uniform over all threads.
macro_rules! by_lanes {
    ($lanes:expr, $self:ident . $run:ident ( $($arg:expr),* )) => {
        match $lanes {
            1 => $self.$run::<$crate::matrix::multiply::Floats<1>>($($arg),*),
            2 => $self.$run::<$crate::matrix::multiply::Floats<2>>($($arg),*),
            3 => $self.$run::<$crate::matrix::multiply::Floats<3>>($($arg),*),
            _ => $self.$run::<$crate::matrix::multiply::Floats<4>>($($arg),*),
        }
    };
}
pub(super) use by_lanes;

args! {
    /// Computes `y = alpha A x + beta z`, one to four floats per row; wider rows take several launches, each with views
    /// that begin at its first column.
    pub struct Multiply<R: Rule> {
        /// Matrix A.
        pub rule: R,
        /// Vector x.
        pub x: Global<f32>,
        /// Vector z, one row for each row of A; empty for the old y. Read when `beta` is not 0.
        pub z: Global<f32>,
        /// Result y, one row for each row of A.
        pub y: GlobalMut<f32>,
        /// Factor of the product.
        pub alpha: f32,
        /// Factor of z.
        pub beta: f32,
        /// Number of floats that are processed per row: 1 to 4.
        pub lanes: u32,
        /// Number of floats of a row of x, y and z.
        pub width: u32,
    }
}

impl<R: Rule<Value = f32>> Multiply<R> {
    #[inline(always)]
    fn row<L: Lanes>(&self, r: u32) {
        let mut sum = L::ZERO;
        self.rule.row(r, |j, w| {
            sum = sum.plus(w, L::load(self.x, j * self.width));
        });
        let at = r * self.width;
        sum = sum.times(self.alpha);
        if self.beta != 0.0 {
            let z = if self.z.is_empty() {
                self.y.read()
            } else {
                self.z
            };
            sum = sum.plus(self.beta, L::load(z, at));
        }
        sum.store(self.y, at);
    }
}

// SAFETY: each index writes its own row; columns are below the rows of x by the rule's contract with the host, which
// compares lengths (contracts U3, U4).
unsafe impl<R: Rule<Value = f32>> FlatKernel for Multiply<R> {
    #[inline(always)]
    fn run(&self, r: u32) {
        by_lanes!(self.lanes, self.row(r));
    }
}

// SAFETY: the name is the promise of `EntryOf`.
unsafe impl<R: Rule + EntryOf<Multiply<R>>> Entry for Multiply<R> {
    const NAME: &'static str = <R as EntryOf<Multiply<R>>>::NAME;
}
