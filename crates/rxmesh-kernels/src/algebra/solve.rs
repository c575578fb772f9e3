//! Preconditioned conjugate gradients over a matrix by differences, in corrections: the solution is the sum of two
//! `f32` vectors, and residuals are recomputed from it, in `f64`, whenever the solver's recurrence says that it is
//! done.

use super::matrix::{MatrixView, ROWS, Weight, rows_of};
use crate::algebra::cg::{CgSums, Scalar};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::{Mat3, Vec3};

kernel_list! {
    block solve_residual: SolveResidual<f32> as f32;
    block solve_residual_blocks: SolveResidual<Mat3> as Mat3;
    flat solve_direction: SolveDirection;
    block solve_product: SolveProduct;
    block solve_step: SolveStep;
}

crate::args! {
    /// `r = b + excess * origin - A x`, in `f64`.
    pub struct SolveResidual<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// Right-hand side; empty for zero.
        pub b: Global<Vec3>,
        /// Start of an implicit step; empty for zero.
        pub origin: Global<Vec3>,
        /// Solution, rounded to `f32`.
        pub x: Global<Vec3>,
        /// Part of the solution beyond `f32`.
        pub low: Global<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// Nonzero if this is the residual that others are compared with.
        pub first: u32,
    }
}

/// Converts a vector to doubles.
#[inline(always)]
fn wide(v: Vec3) -> [f64; 3] {
    [f64::from(v.x), f64::from(v.y), f64::from(v.z)]
}

#[inline(always)]
fn zip(a: [f64; 3], b: [f64; 3], f: impl Fn(f64, f64) -> f64) -> [f64; 3] {
    [f(a[0], b[0]), f(a[1], b[1]), f(a[2], b[2])]
}

#[inline(always)]
pub(super) fn dot(a: Vec3, b: Vec3) -> f64 {
    let [x, y, z] = zip(wide(a), wide(b), |a, b| a * b);
    x + y + z
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl<W: Weight> BlockKernel for SolveResidual<W> {
    const THREADS: u32 = ROWS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let (first, n) = rows_of(block, self.x.len());
        let at = |j: u32| zip(wide(self.x.get(j)), wide(self.low.get(j)), |x, low| x + low);
        let rr = b.sum(n, scratch, |k| {
            let i = first + k;
            let x = at(i);
            let from = if self.origin.is_empty() {
                x.map(|x| -x)
            } else {
                zip(wide(self.origin.get(i)), x, |o, x| o - x)
            };
            let mut sum = self.matrix.excess.get(i).times_wide(from);
            if !self.b.is_empty() {
                sum = zip(sum, wide(self.b.get(i)), |s, b| s + b);
            }
            self.matrix.each(i, |j, w| {
                let difference = zip(x, at(j), |x, y| x - y);
                sum = zip(sum, w.times_wide(difference), |s, d| s - d);
            });
            let r = Vec3::new(sum[0] as f32, sum[1] as f32, sum[2] as f32);
            self.r.set(i, r);
            dot(r, r)
        });
        let begins = self.first != 0;
        self.sums
            .finish(b, block, scratch, false, (rr, 0.0), |s, rr, _| {
                s.set(Scalar::Norm, rr);
                if begins {
                    s.set(Scalar::Norm0, rr);
                    s.set(Scalar::Iterations, 0.0);
                }
                s.set(Scalar::Done, if goes_on(s, rr) { 0.0 } else { 1.0 });
            });
    }
}

/// Returns `true` if a residual is not small enough yet. One that is zero or not a number ends the solver too.
#[inline(always)]
pub(super) fn goes_on(s: crate::algebra::cg::Scalars, rr: f64) -> bool {
    let target = s.get(Scalar::Tolerance2) * s.get(Scalar::Norm0);
    rr >= target && rr > 0.0 && rr < f64::INFINITY
}

kernel! {
    /// Computes `d = z + beta d`.
    pub struct SolveDirection: Flat {
        /// Preconditioned residual.
        pub z: Global<Vec3>,
        /// Search direction.
        pub d: GlobalMut<Vec3>,
        /// Solver's scalars.
        pub scalars: Global<f64>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for SolveDirection {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.scalars.get(Scalar::Done as u32) != 0.0 {
            return;
        }
        let beta = self.scalars.get(Scalar::Beta as u32) as f32;
        // The old direction of a solver that begins may be anything.
        let old = if beta == 0.0 {
            Vec3::ZERO
        } else {
            self.d.get(i) * beta
        };
        self.d.set(i, self.z.get(i) + old);
    }
}

kernel! {
    /// Computes `q = A d`, and the step's length.
    pub struct SolveProduct: Block {
        /// Matrix by rows.
        pub matrix: MatrixView<f32>,
        /// Search direction.
        pub d: Global<Vec3>,
        /// Product of the matrix and the direction.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for SolveProduct {
    const THREADS: u32 = ROWS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        if self.sums.scalars.done() {
            return;
        }
        let (first, n) = rows_of(block, self.d.len());
        let dq = b.sum(n, scratch, |k| {
            let i = first + k;
            let q = self.matrix.row(i, |j| self.d.get(j));
            self.q.set(i, q);
            dot(self.d.get(i), q)
        });
        self.sums.alpha(b, block, scratch, dq);
    }
}

kernel! {
    /// Computes `y += alpha d`, `r -= alpha q`, and decides if the solver has finished.
    pub struct SolveStep: Block {
        /// Solution, rounded to `f32`.
        pub x: GlobalMut<Vec3>,
        /// Part of the solution beyond `f32`.
        pub low: GlobalMut<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Search direction.
        pub d: Global<Vec3>,
        /// Product of the matrix and the direction.
        pub q: Global<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
    }
}

/// Returns the sum of a vector, its part beyond `f32`, and `alpha d`, which is small. If that is zero both keep their
/// bits: rows at rest have no direction.
#[inline(always)]
pub(super) fn add(x: Vec3, low: Vec3, d: Vec3, alpha: f64) -> (Vec3, Vec3) {
    let one = |x: f32, low: f32, d: f32| {
        let step = alpha * f64::from(d);
        if step == 0.0 {
            return (x, low);
        }
        let sum = f64::from(x) + f64::from(low) + step;
        let high = sum as f32;
        (high, (sum - f64::from(high)) as f32)
    };
    let [a, b, c] = [
        one(x.x, low.x, d.x),
        one(x.y, low.y, d.y),
        one(x.z, low.z, d.z),
    ];
    (Vec3::new(a.0, b.0, c.0), Vec3::new(a.1, b.1, c.1))
}

// SAFETY: as above.
unsafe impl BlockKernel for SolveStep {
    const THREADS: u32 = ROWS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        if self.sums.scalars.done() {
            return;
        }
        let alpha = self.sums.scalars.get(Scalar::Alpha);
        let (first, n) = rows_of(block, self.r.len());
        let rr = b.sum(n, scratch, |k| {
            let i = first + k;
            let (x, low) = add(self.x.get(i), self.low.get(i), self.d.get(i), alpha);
            self.x.set(i, x);
            self.low.set(i, low);
            let r = self.r.get(i) - self.q.get(i) * alpha as f32;
            self.r.set(i, r);
            dot(r, r)
        });
        self.sums
            .finish(b, block, scratch, false, (rr, 0.0), |s, rr, _| {
                s.set(Scalar::Norm, rr);
                s.set(Scalar::Iterations, s.get(Scalar::Iterations) + 1.0);
                if !goes_on(s, rr) {
                    s.set(Scalar::Done, 1.0);
                }
            });
    }
}
