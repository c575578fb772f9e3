//! Reductions by label, such as one for each of several meshes that lie in one: a partial result for each label of a
//! patch, then those of a label by one thread. The order depends on the patches and on the block's width only.
//!
//! Values that lie in an array without patches, as those of a session do, are added up as whole numbers, parts of the
//! label's largest value: the order does not matter then.

use super::reduce::{Reduction, combine, neutral, section};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{FlatKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Patch, PatchHeader};
use crate::{args, kernel};

/// Returns the number of the mesh of an element, by the labels of its kind; 0 if they are empty, as for one mesh.
#[inline(always)]
pub(crate) fn label_of(labels: Global<u32>, id: u32) -> u32 {
    if labels.is_empty() { 0 } else { labels.get(id) }
}

/// Label of values that do not count.
pub const NONE: u32 = u32::MAX;

kernel_list! {
    patch label_count: LabelCount;
    patch label_reduce: LabelReduce;
    flat label_combine: LabelCombine;
    flat label_most: LabelMost;
    flat label_sums: LabelSums;
}

kernel! {
    /// Counts the labels of the owned elements of each patch.
    pub struct LabelCount: Patch {
        /// Label of each element.
        pub labels: Global<u32>,
        /// Kind of the elements ([`crate::topo::Kind`]).
        pub kind: u32,
        /// One number per patch.
        pub counts: GlobalMut<u32>,
        /// Word 1, zero before: the largest label and 1, as far as that has 32 bits.
        pub largest: GlobalMut<u32>,
    }
}

/// Runs `f` on the labels of some elements, ascending, each once.
#[inline(always)]
fn each_label<B: Block>(
    b: B,
    labels: Global<u32>,
    n: u32,
    scratch: Shared<u32>,
    mut f: impl FnMut(f64),
) {
    let mut from = 0.0;
    loop {
        let least = b.min(n, scratch, |i| {
            let label = f64::from(labels.get(i));
            if label >= from { label } else { f64::INFINITY }
        });
        if least == f64::INFINITY {
            return;
        }
        f(least);
        from = least + 1.0;
    }
}

// SAFETY: a patch writes its own elements, or atomically, in phases that barriers part; ids and sections are the mesh's
// (contracts U1 to U4).
unsafe impl PatchKernel for LabelCount {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (owned, base) = section(patch.header(), self.kind);
        let (mut count, mut largest) = (0, 0.0);
        each_label(b, self.labels.from(base), owned, scratch, |label| {
            count += 1;
            largest = label + 1.0;
        });
        let (counts, word) = (self.counts, self.largest);
        b.last_phase(|p| {
            p.lead(|| {
                counts.set(patch.id(), count);
                word.raise(1, largest as u32);
            });
        });
    }
}

kernel! {
    /// Computes one partial result for each label of a patch.
    pub struct LabelReduce: Patch {
        /// Components of the values.
        pub x: Global<f32>,
        /// Label of each element.
        pub labels: Global<u32>,
        /// Components an element.
        pub components: u32,
        /// Kind of the elements ([`crate::topo::Kind`]).
        pub kind: u32,
        /// Reduction to compute ([`Reduction`]).
        pub reduction: u32,
        /// Start of the partial results of each patch.
        pub starts: Global<u32>,
        /// Partial results.
        pub partials: GlobalMut<f64>,
        /// Labels of the partial results.
        pub of: GlobalMut<u32>,
        /// First partial result of each label; [`u32::MAX`] before.
        pub first: GlobalMut<u32>,
        /// Last one and 1; 0 before.
        pub end: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes its own elements, or atomically, in phases that barriers part; ids and sections are the mesh's
// (contracts U1 to U4).
unsafe impl PatchKernel for LabelReduce {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (owned, base) = section(patch.header(), self.kind);
        let (labels, x) = (self.labels.from(base), self.x.from(base * self.components));
        let n = owned * self.components;
        let mut k = self.starts.get(patch.id());
        each_label(b, labels, owned, scratch, |label| {
            let result = combine(b, n, scratch, self.reduction, |i| {
                let value = f64::from(x.get(i));
                if f64::from(labels.get(i / self.components)) != label {
                    neutral(self.reduction)
                } else if self.reduction == Reduction::Dot as u32 {
                    value * value
                } else {
                    value
                }
            });
            b.lead(|| {
                self.partials.set(k, result);
                self.of.set(k, label as u32);
                self.first.fetch_min(label as u32, k);
                self.end.raise(label as u32, k + 1);
            });
            k += 1;
        });
    }
}

kernel! {
    /// Computes the result of each label, from its partial ones. One index per label.
    pub struct LabelCombine: Flat {
        /// Partial results.
        pub partials: Global<f64>,
        /// Labels of the partial results.
        pub of: Global<u32>,
        /// First partial result of each label.
        pub first: Global<u32>,
        /// Last one and 1.
        pub end: Global<u32>,
        /// Reduction to compute ([`Reduction`]).
        pub reduction: u32,
        /// Result of each label.
        pub results: GlobalMut<f64>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for LabelCombine {
    #[inline(always)]
    fn run(&self, i: u32) {
        let min = self.reduction == Reduction::Min as u32;
        let max = self.reduction == Reduction::Max as u32;
        let mut result = neutral(self.reduction);
        let (mut k, end) = (self.first.get(i), self.end.get(i));
        while k < end {
            if self.of.get(k) == i {
                let partial = self.partials.get(k);
                if !(min || max) {
                    result += partial;
                } else if min && partial < result || max && partial > result {
                    result = partial;
                }
            }
            k += 1;
        }
        self.results.set(i, result);
    }
}

/// Values that one thread of [`LabelMost`] and [`LabelSums`] takes: neighbours mostly have the same label.
pub const LABEL_RUN: u32 = 32;

/// Number of parts into which [`LabelSums`] divides the largest value of a label.
pub const LABEL_PARTS: f32 = (1u32 << 31) as f32;

args! {
    /// Values with labels.
    pub struct Labelled {
        /// Values, not negative.
        pub values: Global<f32>,
        /// Labels of the values; [`NONE`] for those that do not count.
        pub labels: Global<u32>,
    }
}

impl Labelled {
    /// Calls `take` with each value of a run, and `end` with a label after the last value of a row of equal labels.
    #[inline(always)]
    fn each<T: Copy>(
        &self,
        run: u32,
        start: impl Fn(u32) -> T,
        take: impl Fn(T, f32) -> T,
        end: impl Fn(u32, T),
    ) {
        let mut i = run * LABEL_RUN;
        let to = (i + LABEL_RUN).min(self.values.len());
        let mut of = NONE;
        let mut all = start(NONE);
        while i < to {
            let label = self.labels.get(i);
            if label != of {
                end(of, all);
                of = label;
                all = start(of);
            }
            if of != NONE {
                all = take(all, self.values.get(i));
            }
            i += 1;
        }
        end(of, all);
    }
}

kernel! {
    /// Finds the largest value of each label. One index for each [`LABEL_RUN`] values.
    pub struct LabelMost: Flat {
        /// Labelled values.
        pub of: Labelled,
        /// Largest of each label, as bits; 0 before.
        pub most: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl FlatKernel for LabelMost {
    #[inline(always)]
    fn run(&self, run: u32) {
        self.of.each(
            run,
            |_| 0,
            // Bits of numbers that are not negative order as they do.
            |most: u32, value| most.max(value.to_bits()),
            |label, most| {
                if label != NONE {
                    self.most.raise(label, most);
                }
            },
        );
    }
}

kernel! {
    /// Computes the sum and the number of the values of each label. One index for each [`LABEL_RUN`] values.
    pub struct LabelSums: Flat {
        /// Labelled values.
        pub of: Labelled,
        /// Results of [`LabelMost`].
        pub most: Global<u32>,
        /// Sums, of which [`LABEL_PARTS`] are one largest value; 0 before.
        pub sums: GlobalMut<u64>,
        /// Number of values; 0 before.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl FlatKernel for LabelSums {
    #[inline(always)]
    fn run(&self, run: u32) {
        let start = |label| {
            let most = if label == NONE {
                0.0
            } else {
                f32::from_bits(self.most.get(label))
            };
            (if most > 0.0 { most } else { 1.0 }, 0u64, 0u32)
        };
        self.of.each(
            run,
            start,
            |(most, sum, count), value| {
                let parts = (value / most * LABEL_PARTS) as u32;
                (most, sum + u64::from(parts), count + 1)
            },
            |label, (_, sum, count)| {
                if label != NONE {
                    self.sums.add(label, sum);
                    self.counts.fetch_add(label, count);
                }
            },
        );
    }
}
