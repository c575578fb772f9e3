//! A V-cycle of multigrid, two launches a level: on the way down the residual after a damped Jacobi step from zero is
//! summed over aggregates, on the way up the coarse correction is added and another Jacobi step taken. The step's
//! result is recomputed where it is needed instead of being kept.

use super::aggregate::{MEMBERS, NONE};
use super::matrix::{MatrixView, ROWS, rows_of};
use crate::algebra::cg::{CgSums, Scalar};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::Vec3;

kernel_list! {
    flat cycle_down: CycleDown;
    block cycle_up: CycleUp;
}

/// Damping of a Jacobi step. The largest eigenvalue of a matrix of positive weights over its diagonal is 2 at most, so
/// that every part of an error becomes smaller.
const DAMPING: f32 = 0.75;

kernel! {
    /// Computes the right-hand side of the next coarser level, over its rows.
    pub struct CycleDown: Flat {
        /// Matrix of this level.
        pub matrix: MatrixView<f32>,
        /// One over its diagonal.
        pub inverse: Global<f32>,
        /// Right-hand side of this level.
        pub r: Global<Vec3>,
        /// Rows of each aggregate.
        pub members: Global<u32>,
        /// Right-hand side of the coarser level.
        pub coarse: GlobalMut<Vec3>,
        /// Solver's scalars.
        pub scalars: Global<f64>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for CycleDown {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.scalars.get(Scalar::Done as u32) != 0.0 {
            return;
        }
        let z = |j: u32| self.r.get(j) * (DAMPING * self.inverse.get(j));
        let mut sum = Vec3::ZERO;
        let mut k = 0;
        while k < MEMBERS {
            let row = self.members.get(MEMBERS * i + k);
            if row != NONE {
                sum += self.r.get(row) - self.matrix.row(row, z);
            }
            k += 1;
        }
        self.coarse.set(i, sum);
    }
}

kernel! {
    /// Computes the correction of a level, from that of the next coarser one; on the finest level also `r . z`.
    pub struct CycleUp: Block {
        /// Matrix of this level.
        pub matrix: MatrixView<f32>,
        /// One over its diagonal.
        pub inverse: Global<f32>,
        /// Right-hand side.
        pub r: Global<Vec3>,
        /// Aggregate of each row, or [`NONE`].
        pub aggregate: Global<u32>,
        /// Correction on the coarse level.
        pub coarse: Global<Vec3>,
        /// Correction on this level.
        pub z: GlobalMut<Vec3>,
        /// Dot products; `partials` are empty if none are wanted.
        pub sums: CgSums,
        /// Nonzero if the solver begins: there is no old direction.
        pub begin: u32,
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for CycleUp {
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
        let (first, n) = rows_of(block, self.r.len());
        let z = |j: u32| {
            let smooth = self.r.get(j) * (DAMPING * self.inverse.get(j));
            let aggregate = self.aggregate.get(j);
            if aggregate == NONE {
                smooth
            } else {
                smooth + self.coarse.get(aggregate)
            }
        };
        let row = |k: u32| {
            let i = first + k;
            let r = self.r.get(i);
            let left = r - self.matrix.row(i, z);
            let new = z(i) + left * (DAMPING * self.inverse.get(i));
            self.z.set(i, new);
            f64::from(r.x) * f64::from(new.x)
                + f64::from(r.y) * f64::from(new.y)
                + f64::from(r.z) * f64::from(new.z)
        };
        if self.sums.partials.is_empty() {
            b.last_phase(|p| {
                p.each(n, |k| {
                    row(k);
                })
            });
            return;
        }
        let rz = b.sum(n, scratch, row);
        let begin = self.begin != 0;
        self.sums
            .finish(b, block, scratch, false, (rz, 0.0), |s, rz, _| {
                let beta = if begin {
                    0.0
                } else {
                    rz / s.get(Scalar::Delta)
                };
                s.set(Scalar::Beta, beta);
                s.set(Scalar::Delta, rz);
            });
    }
}
