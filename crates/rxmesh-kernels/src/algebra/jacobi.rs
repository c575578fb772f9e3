//! Conjugate gradients preconditioned by the diagonal (Shewchuk 1994, appendix B3), in steps of a grid: a small system
//! is solved in one launch, whose iterations cost two barriers of the grid instead of two launches.
//!
//! An iteration has two steps. The product's makes the new direction `d = u + beta d` as it reads the old one, its
//! neighbours' included, so that no step is spent on it; the update's moves solution and residual and leaves `u = M^-1
//! r`. Each block adds up the partial results of the step before for itself, so that all know the step's length, and
//! the decision to continue, without another barrier. Sums that every block adds up grow with the square of the blocks,
//! so a large system ([`SUMMED`]) has two launches per iteration, in which the last block to finish adds up.

use super::matrix::{MatrixView, ROWS, Weight, rows_of};
use super::solve::{add, dot, goes_on};
use crate::algebra::cg::{CgSums, Scalar, Scalars};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{BlockKernel, GridKernel, Next};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::each_place;
use glam::{Mat3, Vec3};

kernel_list! {
    grid jacobi_solve: JacobiSolve<f32> as f32;
    grid jacobi_solve_blocks: JacobiSolve<Mat3> as Mat3;
    block jacobi_product: JacobiProduct<f32> as f32;
    block jacobi_product_blocks: JacobiProduct<Mat3> as Mat3;
    block jacobi_step: JacobiStep<f32> as f32;
    block jacobi_step_blocks: JacobiStep<Mat3> as Mat3;
}

crate::args! {
    /// Solves `A y = r` and adds `y` to `x`. A block has [`ROWS`] rows; steps are [`steps_of`] the iterations.
    pub struct JacobiSolve<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// One over its diagonal; empty for no preconditioner.
        pub inverse: Global<W>,
        /// Solution, rounded to `f32`.
        pub x: GlobalMut<Vec3>,
        /// Part of the solution beyond `f32`.
        pub low: GlobalMut<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Residual over the diagonal.
        pub u: GlobalMut<Vec3>,
        /// Direction of even iterations.
        pub even: GlobalMut<Vec3>,
        /// Direction of odd ones.
        pub odd: GlobalMut<Vec3>,
        /// Direction's product with the matrix.
        pub q: GlobalMut<Vec3>,
        /// Three numbers per block: parts of `d . q` of all blocks, of `r . u`, and of `r . r`.
        pub partials: GlobalMut<f64>,
        /// Solver's scalars.
        pub scalars: Scalars,
        /// Entries of a block's rows that it may keep in shared memory, if one launch runs all steps ([`ENTRIES`]); 0
        /// if each has a separate launch, which may come after the solver has finished.
        pub entries: u32,
    }
}

/// Entries that a block keeps at most: eight a row. Blocks with more read them where they are.
pub const ENTRIES: u32 = 8 * ROWS;

/// Limit of the blocks of [`JacobiSolve`]: each adds up the partial sums of all, two times per iteration.
pub const SUMMED: u32 = 512;

/// Part of the matrix that a block keeps, so that a product waits for the vector alone.
#[derive(Clone, Copy)]
pub struct BlockRows<W> {
    scratch: Shared<u32>,
    /// Number of entries of the rows.
    total: Shared<u32>,
    /// Start and end of the entries of each row here.
    starts: Shared<u32>,
    ends: Shared<u32>,
    columns: Shared<u32>,
    weights: Shared<W>,
}

/// Returns the step after the last of `iterations` iterations: in the first step the solver begins, then each iteration
/// has two, and one more reads the result of the last.
pub const fn steps_of(iterations: u32) -> u32 {
    2 * iterations + 2
}

// SAFETY: blocks write apart, except for the scalars: of these the first block writes in a step only words that no
// block reads in it. Phases are parted by barriers; indices are the launch's; all blocks compute the result about the
// next step from the words that the step before has left (contracts U1 to U4).
unsafe impl<W: Weight> GridKernel for JacobiSolve<W> {
    const THREADS: u32 = ROWS;
    type Tables = BlockRows<W>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> BlockRows<W> {
        let rows = if self.entries == 0 { 0 } else { ROWS };
        BlockRows {
            scratch: plan.take(SCRATCH_WORDS),
            total: plan.take(1),
            starts: plan.take(rows),
            ends: plan.take(rows),
            columns: plan.take(self.entries),
            weights: plan.take(self.entries),
        }
    }

    #[inline(always)]
    fn load<B: Block>(&self, b: B, block: u32, kept: &BlockRows<W>) {
        if !self.keeps(b) {
            return;
        }
        let ((first, n), matrix) = (rows_of(block, self.r.len()), self.matrix);
        b.each(n, |k| {
            let length = matrix.ends.get(first + k) - matrix.starts.get(first + k);
            kept.starts.set(k, length);
        });
        let total = b.scan(kept.starts, n, kept.scratch);
        b.phase(|p| {
            p.lead(|| kept.total.set(0, total));
            if total <= self.entries {
                p.each(n, |k| kept.keep(matrix, k, first + k));
            }
        });
    }

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, kept: &BlockRows<W>) -> Next {
        let iteration = step.div_ceil(2);
        Next::step_if(if step == 0 {
            self.begin(b, block, kept.scratch)
        } else if step % 2 == 1 {
            self.product(b, block, iteration, kept)
        } else {
            self.update(b, block, iteration, kept.scratch)
        })
    }
}

impl<W: Weight> BlockRows<W> {
    /// Keeps the `k`th row of the block.
    #[inline(always)]
    fn keep(&self, matrix: MatrixView<W>, k: u32, row: u32) {
        let mut to = self.starts.get(k);
        matrix.each(row, |j, w| {
            self.columns.set(to, j);
            self.weights.set(to, w);
            to += 1;
        });
        self.ends.set(k, to);
    }

    /// Works like [`MatrixView::row`], for the `k`th row of the block.
    #[inline(always)]
    fn row(&self, matrix: MatrixView<W>, k: u32, row: u32, of: impl Fn(u32) -> Vec3) -> Vec3 {
        let load = |at: u32| (of(self.columns.get(at)), self.weights.get(at));
        let x = of(row);
        let mut sum = matrix.excess.get(row).times(x);
        each_place(self.starts.get(k), self.ends.get(k), load, |(y, w)| {
            sum += w.times(x - y);
        });
        sum
    }
}

impl<W: Weight> JacobiSolve<W> {
    /// Returns `true` if blocks keep their rows. One thread that runs one step has nothing to gain.
    #[inline(always)]
    fn keeps<B: Block>(&self, _: B) -> bool {
        !B::SOLO && self.entries != 0
    }

    /// Returns the number of blocks.
    #[inline(always)]
    fn blocks(&self) -> u32 {
        self.partials.len() / 3
    }

    /// Returns the direction of an iteration.
    #[inline(always)]
    fn direction(&self, iteration: u32) -> GlobalMut<Vec3> {
        if iteration.is_multiple_of(2) {
            self.even
        } else {
            self.odd
        }
    }

    /// Hands in a block's parts of `r . u` and `r . r`, and has the first one write scalars.
    #[inline(always)]
    fn hand_in<B: Block>(
        &self,
        b: B,
        block: u32,
        (ru, rr): (f64, f64),
        write: impl FnOnce(Scalars),
    ) {
        let blocks = self.blocks();
        b.last_phase(|p| {
            p.lead(|| {
                self.partials.set(blocks + block, ru);
                self.partials.set(2 * blocks + block, rr);
                if block == 0 {
                    write(self.scalars);
                }
            });
        });
    }

    /// Sets the flag by which launches of products know that the solver has finished.
    #[inline(always)]
    fn stop<B: Block>(&self, b: B, block: u32) -> bool {
        b.last_phase(|p| {
            p.lead(|| {
                if block == 0 {
                    self.scalars.set(Scalar::Stopped, 1.0);
                }
            });
        });
        false
    }

    #[inline(always)]
    fn begin<B: Block>(&self, b: B, block: u32, scratch: Shared<u32>) -> bool {
        if self.scalars.done() {
            return self.stop(b, block);
        }
        let (first, n) = rows_of(block, self.r.len());
        let load = |k: u32| self.r.get(first + k);
        let parts = b.sum2(n, scratch, load, |k, r| {
            let i = first + k;
            let u = over_diagonal(self.inverse, i, r);
            self.u.set(i, u);
            self.even.set(i, Vec3::ZERO);
            (dot(r, u), dot(r, r))
        });
        self.hand_in(b, block, parts, |s| s.set(Scalar::Stopped, 0.0));
        true
    }

    #[inline(always)]
    fn product<B: Block>(&self, b: B, block: u32, iteration: u32, kept: &BlockRows<W>) -> bool {
        let (s, blocks, partials) = (self.scalars, self.blocks(), self.partials);
        if self.entries == 0 && s.get(Scalar::Stopped) != 0.0 {
            return false;
        }
        let (now, before) = deltas(iteration);
        let before = s.get(before);
        let load = |k: u32| (partials.load(blocks + k), partials.load(2 * blocks + k));
        let (ru, rr) = b.sum2(blocks, kept.scratch, load, |_, parts| parts);
        let on = goes_on(s, rr);
        let write = |s: Scalars| {
            s.set(now, ru);
            s.set(Scalar::Norm, rr);
            if !on {
                s.set(Scalar::Done, 1.0);
            }
        };
        if !on {
            b.last_phase(|p| {
                p.lead(|| {
                    if block == 0 {
                        write(s);
                    }
                });
            });
            return false;
        }
        let beta = if iteration == 1 {
            0.0
        } else {
            (ru / before) as f32
        };
        let (old, new) = (self.direction(iteration - 1), self.direction(iteration));
        let ((first, n), matrix) = (rows_of(block, self.r.len()), self.matrix);
        let is_kept = self.keeps(b) && kept.total.get(0) <= self.entries;
        let d = |j: u32| self.u.get(j) + old.get(j) * beta;
        let dq = b.sum(n, kept.scratch, |k| {
            let i = first + k;
            let (own, q) = if is_kept {
                (d(i), kept.row(matrix, k, i, d))
            } else {
                (d(i), matrix.row(i, d))
            };
            new.set(i, own);
            self.q.set(i, q);
            dot(own, q)
        });
        b.last_phase(|p| {
            p.lead(|| {
                partials.set(block, dq);
                if block == 0 {
                    write(s);
                }
            });
        });
        true
    }

    #[inline(always)]
    fn update<B: Block>(&self, b: B, block: u32, iteration: u32, scratch: Shared<u32>) -> bool {
        let (s, blocks) = (self.scalars, self.blocks());
        let (stopped, ru) = (s.done(), s.get(deltas(iteration).0));
        // Before the scalars are read, so that all loads are waited for once.
        let dq = b.sum(blocks, scratch, |k| self.partials.load(k));
        if stopped {
            return self.stop(b, block);
        }
        let alpha = ru / dq;
        let (first, n) = rows_of(block, self.r.len());
        let direction = self.direction(iteration);
        let load = |k: u32| {
            let i = first + k;
            let (d, q) = (direction.get(i), self.q.get(i));
            (d, q, self.r.get(i), self.x.get(i), self.low.get(i))
        };
        let parts = b.sum2(n, scratch, load, |k, (d, q, r, x, low)| {
            let i = first + k;
            let (x, low) = add(x, low, d, alpha);
            self.x.set(i, x);
            self.low.set(i, low);
            let r = r - q * alpha as f32;
            self.r.set(i, r);
            let u = over_diagonal(self.inverse, i, r);
            self.u.set(i, u);
            (dot(r, u), dot(r, r))
        });
        self.hand_in(b, block, parts, |s| {
            s.set(Scalar::Iterations, s.get(Scalar::Iterations) + 1.0);
        });
        true
    }
}

/// Returns a residual over the diagonal, if there is one.
#[inline(always)]
fn over_diagonal<W: Weight>(inverse: Global<W>, i: u32, r: Vec3) -> Vec3 {
    if inverse.is_empty() {
        r
    } else {
        inverse.get(i).times(r)
    }
}

/// Returns the scalars in which an iteration and the preceding one keep their `r . u`.
#[inline(always)]
fn deltas(iteration: u32) -> (Scalar, Scalar) {
    if iteration.is_multiple_of(2) {
        (Scalar::Delta, Scalar::OddDelta)
    } else {
        (Scalar::OddDelta, Scalar::Delta)
    }
}

crate::args! {
    /// Computes, for a large system, `d = u + beta d`, `q = A d`, and the step's length. A block has [`ROWS`] rows.
    pub struct JacobiProduct<W: Weight> {
        /// Matrix by rows.
        pub matrix: MatrixView<W>,
        /// Residual over the diagonal.
        pub u: Global<Vec3>,
        /// Old direction; anything if the solver begins.
        pub old: Global<Vec3>,
        /// New direction.
        pub new: GlobalMut<Vec3>,
        /// Product with the matrix.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl<W: Weight> BlockKernel for JacobiProduct<W> {
    const THREADS: u32 = ROWS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let s = self.sums.scalars;
        if s.done() {
            return;
        }
        let beta = s.get(Scalar::Beta) as f32;
        let (first, n) = rows_of(block, self.q.len());
        let d = |j: u32| {
            let u = self.u.get(j);
            if beta == 0.0 {
                u
            } else {
                u + self.old.get(j) * beta
            }
        };
        let dq = b.sum(n, scratch, |k| {
            let i = first + k;
            let (own, q) = (d(i), self.matrix.row(i, d));
            self.new.set(i, own);
            self.q.set(i, q);
            dot(own, q)
        });
        self.sums.alpha(b, block, scratch, dq);
    }
}

crate::args! {
    /// Computes, for a large system, `x += alpha d`, `r -= alpha q`, `u = M^-1 r`, and decides if the solver has
    /// finished. A block has [`ROWS`] rows.
    pub struct JacobiStep<W: Weight> {
        /// One over the matrix's diagonal; empty for no preconditioner.
        pub inverse: Global<W>,
        /// Solution, rounded to `f32`.
        pub x: GlobalMut<Vec3>,
        /// Part of the solution beyond `f32`.
        pub low: GlobalMut<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Residual over the diagonal.
        pub u: GlobalMut<Vec3>,
        /// Search direction.
        pub d: Global<Vec3>,
        /// Product with the matrix.
        pub q: Global<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// 1 to begin: `u` alone.
        pub begin: u32,
    }
}

// SAFETY: as above.
unsafe impl<W: Weight> BlockKernel for JacobiStep<W> {
    const THREADS: u32 = ROWS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let s = self.sums.scalars;
        if s.done() {
            return;
        }
        let (first, n) = rows_of(block, self.r.len());
        let leave = |i: u32, r: Vec3| {
            let u = over_diagonal(self.inverse, i, r);
            self.u.set(i, u);
            (dot(r, u), dot(r, r))
        };
        if self.begin != 0 {
            let load = |k: u32| self.r.get(first + k);
            let parts = b.sum2(n, scratch, load, |k, r| leave(first + k, r));
            self.sums
                .finish(b, block, scratch, true, parts, |s, ru, _| {
                    s.set(Scalar::Delta, ru);
                    s.set(Scalar::Beta, 0.0);
                });
            return;
        }
        let alpha = s.get(Scalar::Alpha);
        let load = |k: u32| {
            let i = first + k;
            let (d, q) = (self.d.get(i), self.q.get(i));
            (d, q, self.r.get(i), self.x.get(i), self.low.get(i))
        };
        let parts = b.sum2(n, scratch, load, |k, (d, q, r, x, low)| {
            let i = first + k;
            let (x, low) = add(x, low, d, alpha);
            self.x.set(i, x);
            self.low.set(i, low);
            let r = r - q * alpha as f32;
            self.r.set(i, r);
            leave(i, r)
        });
        self.sums.beta(b, block, scratch, parts);
    }
}
