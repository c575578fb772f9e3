//! Coarse matrices by aggregation: strongly connected rows become one, in pairs (Napov and Notay 2012, "An algebraic
//! multigrid method with guaranteed convergence rate", section 3).
//!
//! Pairs are found by handshakes: every row that is free proposes to the free neighbour with which it makes the best
//! pair, and two that propose to each other are one. The coarse matrix is the sum over the rows and columns of each
//! pair. Rows whose excess is large are solved by the smoother and are in no pair.

use super::matrix::MatrixView;
use super::transpose::sort_row;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::hash;
use crate::mem::{Global, GlobalMut};

kernel_list! {
    flat aggregate_begin: AggregateBegin;
    flat aggregate_propose: AggregatePropose;
    flat aggregate_match: AggregateMatch;
    flat aggregate_leaders: AggregateLeaders;
    flat aggregate_number: AggregateNumber;
    flat aggregate_lengths: AggregateLengths;
    flat aggregate_merge: AggregateMerge;
}

/// No row.
pub const NONE: u32 = u32::MAX;

/// A row that is in no aggregate.
pub const OUT: u32 = u32::MAX - 1;

/// Excess over the sum of the weights from which on a row is in no pair: Jacobi steps are enough for it. In meshes that
/// are smoothed a little most rows are such, and coarse levels have only strongly connected rows. (Napov and Notay,
/// section 4, leave out rows whose diagonal is five quarters of the rest.)
const DOMINANT: f32 = 1.0 / 3.0;

/// Worst quality of a pair: for two levels alone the condition number is that of the worst pair at most (section 2).
const WORST: f32 = 8.0;

/// Bits by which alike qualities may differ: qualities that differ in these lowest bits only, by half at most, are
/// alike, and a hash decides. Otherwise, where qualities rise steadily over a surface, every row would propose to the
/// next, and hardly two to each other.
const ALIKE_BITS: u32 = 22;

/// Rows of an aggregate, at most.
pub const MEMBERS: u32 = 2;

kernel! {
    /// Marks the rows that take part.
    pub struct AggregateBegin: Flat {
        /// Matrix by rows.
        pub matrix: MatrixView<f32>,
        /// [`NONE`] or [`OUT`] for each row.
        pub mate: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for AggregateBegin {
    #[inline(always)]
    fn run(&self, i: u32) {
        let mut weights = 0.0;
        self.matrix.each(i, |_, w| weights += w);
        let excess = self.matrix.excess.get(i);
        // A row whose values are not numbers stays out too.
        let takes_part = excess + weights > 0.0 && excess < DOMINANT * weights;
        self.mate.set(i, if takes_part { NONE } else { OUT });
    }
}

kernel! {
    /// Proposes to the free neighbour with which a free row makes the best pair. A hash decides between those that are
    /// alike.
    pub struct AggregatePropose: Flat {
        /// Matrix by rows.
        pub matrix: MatrixView<f32>,
        /// One over the diagonal.
        pub inverse: Global<f32>,
        /// Mates found so far.
        pub mate: Global<u32>,
        /// Row to which each row proposes, or [`NONE`].
        pub proposal: GlobalMut<u32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for AggregatePropose {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (mut best, mut least, mut order) = (NONE, u32::MAX, 0);
        if self.mate.get(i) == NONE {
            let here = self.weight(i);
            self.matrix.each(i, |j, w| {
                if w > 0.0 && self.mate.get(j) == NONE {
                    let quality = quality(w, here, self.weight(j));
                    // In an order that does not depend on which of the two asks.
                    let class = quality.to_bits() >> ALIKE_BITS;
                    let (low, high) = if i < j { (i, j) } else { (j, i) };
                    let tie = hash(low ^ hash(high));
                    if quality <= WORST && (class < least || class == least && tie > order) {
                        (best, least, order) = (j, class, tie);
                    }
                }
            });
        }
        self.proposal.set(i, best);
    }
}

impl AggregatePropose {
    /// Returns the diagonal and excess of a row.
    #[inline(always)]
    fn weight(&self, i: u32) -> [f32; 2] {
        [1.0 / self.inverse.get(i), self.matrix.excess.get(i)]
    }
}

/// Returns the quality of a pair of rows, by diagonal and excess of each, with some weight between them: the factor by
/// which an error may exceed the part that the coarse level removes; 1 is best (Napov and Notay 2012, theorem 3.1, for
/// symmetric matrices).
#[inline(always)]
fn quality(w: f32, [d, e]: [f32; 2], [other_d, other_e]: [f32; 2]) -> f32 {
    // Half the harmonic mean.
    let between = |a: f32, b: f32| {
        if a > 0.0 && b > 0.0 {
            a * b / (a + b)
        } else {
            0.0
        }
    };
    // Without its excess, the sum of the sizes of a row is twice the diagonal, less the weight between the two.
    let rest = |d: f32, e: f32| 2.0 * (d - w) - e;
    (w + between(rest(d, e), rest(other_d, other_e))) / (w + between(e, other_e))
}

kernel! {
    /// Pairs those that propose to each other.
    pub struct AggregateMatch: Flat {
        /// Proposal of each row.
        pub proposal: Global<u32>,
        /// Mate of each row.
        pub mate: GlobalMut<u32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for AggregateMatch {
    #[inline(always)]
    fn run(&self, i: u32) {
        let other = self.proposal.get(i);
        if other != NONE && self.proposal.get(other) == i {
            self.mate.set(i, other);
        }
    }
}

/// Returns `true` if a row stands for its pair, or for itself.
#[inline(always)]
fn leads(i: u32, mate: u32) -> bool {
    mate == NONE || mate != OUT && i < mate
}

kernel! {
    /// Counts: 1 for each row that leads.
    pub struct AggregateLeaders: Flat {
        /// Mate of each row.
        pub mate: Global<u32>,
        /// A number for each row, and one more, which is not written.
        pub number: GlobalMut<u32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for AggregateLeaders {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.number.set(i, u32::from(leads(i, self.mate.get(i))));
    }
}

kernel! {
    /// Computes the aggregate of each row, and the rows of each aggregate.
    pub struct AggregateNumber: Flat {
        /// Mate of each row.
        pub mate: Global<u32>,
        /// Sums of [`AggregateLeaders`] before each row.
        pub number: Global<u32>,
        /// Aggregate of each row, or [`NONE`].
        pub aggregate: GlobalMut<u32>,
        /// Two rows per aggregate, the second may be [`NONE`].
        pub pairs: GlobalMut<u32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for AggregateNumber {
    #[inline(always)]
    fn run(&self, i: u32) {
        let mate = self.mate.get(i);
        if mate == OUT {
            self.aggregate.set(i, NONE);
            return;
        }
        let leader = if leads(i, mate) { i } else { mate };
        let aggregate = self.number.get(leader);
        self.aggregate.set(i, aggregate);
        if leader == i {
            self.pairs.set(2 * aggregate, i);
            self.pairs.set(2 * aggregate + 1, mate);
        }
    }
}

kernel! {
    /// Computes the capacity that the row of an aggregate needs.
    pub struct AggregateLengths: Flat {
        /// Fine matrix.
        pub matrix: MatrixView<f32>,
        /// Two rows per aggregate.
        pub pairs: Global<u32>,
        /// A number for each aggregate, and one more, which is not written.
        pub lengths: GlobalMut<u32>,
    }
}

// SAFETY: as above.
unsafe impl FlatKernel for AggregateLengths {
    #[inline(always)]
    fn run(&self, i: u32) {
        let mut length = 0;
        each_member(self.pairs, i, |row| {
            length += self.matrix.ends.get(row) - self.matrix.starts.get(row);
        });
        self.lengths.set(i, length);
    }
}

#[inline(always)]
fn each_member(pairs: Global<u32>, i: u32, mut visit: impl FnMut(u32)) {
    let mut k = 0;
    while k < 2 {
        let row = pairs.get(2 * i + k);
        if row != NONE {
            visit(row);
        }
        k += 1;
    }
}

kernel! {
    /// Merges the rows of an aggregate into one: its entries in each column are summed up. Columns ascend. Entries
    /// between rows of the aggregate vanish, and entries with rows in no aggregate become excess.
    pub struct AggregateMerge: Flat {
        /// Fine matrix.
        pub matrix: MatrixView<f32>,
        /// Aggregate of each fine row, or [`NONE`].
        pub aggregate: Global<u32>,
        /// Two rows per aggregate.
        pub pairs: Global<u32>,
        /// Start of each row.
        pub starts: Global<u32>,
        /// End of each row.
        pub ends: GlobalMut<u32>,
        /// Columns of the entries.
        pub columns: GlobalMut<u32>,
        /// Weights of the entries.
        pub weights: GlobalMut<f32>,
        /// Sums of the rows.
        pub excess: GlobalMut<f32>,
    }
}

// SAFETY: as above; rows have separate memory.
unsafe impl FlatKernel for AggregateMerge {
    #[inline(always)]
    fn run(&self, i: u32) {
        let start = self.starts.get(i);
        let (mut end, mut excess) = (start, 0.0);
        each_member(self.pairs, i, |row| {
            excess += self.matrix.excess.get(row);
            self.matrix.each(row, |j, w| {
                let column = self.aggregate.get(j);
                if column == NONE {
                    excess += w;
                } else if column != i {
                    self.columns.set(end, column);
                    self.weights.set(end, w);
                    end += 1;
                }
            });
        });
        self.excess.set(i, excess);
        sort_row(self.columns, self.weights, start, end);
        let (mut at, mut from) = (start, start);
        while from < end {
            let column = self.columns.get(from);
            let mut sum = 0.0;
            while from < end && self.columns.get(from) == column {
                sum += self.weights.get(from);
                from += 1;
            }
            self.columns.set(at, column);
            self.weights.set(at, sum);
            at += 1;
        }
        self.ends.set(i, at);
    }
}
