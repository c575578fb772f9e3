//! Reductions by label, such as one for each of several meshes that lie in one: a partial result for each label of a
//! patch, then those of a label by one thread. The order depends on the patches and on the block's width only.

use super::reduce::{Reduction, combine, neutral, section};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{FlatKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Patch, PatchHeader};

kernel_list! {
    patch label_count: LabelCount;
    patch label_reduce: LabelReduce;
    flat label_combine: LabelCombine;
}

kernel! {
    /// How many labels the owned elements of each patch have.
    pub struct LabelCount: Patch {
        /// The labels.
        pub labels: Global<u32>,
        /// Kind of the elements ([`crate::topo::Kind`]).
        pub kind: u32,
        /// One number a patch.
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

// SAFETY: a patch writes what it owns, or atomically, in phases that barriers part; ids and sections are the mesh's
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
    /// One partial result for each label of a patch.
    pub struct LabelReduce: Patch {
        /// Components of the values.
        pub x: Global<f32>,
        /// The labels.
        pub labels: Global<u32>,
        /// Components an element.
        pub components: u32,
        /// Kind of the elements ([`crate::topo::Kind`]).
        pub kind: u32,
        /// What to compute ([`Reduction`]).
        pub reduction: u32,
        /// Where the partial results of each patch start.
        pub starts: Global<u32>,
        /// The partial results.
        pub partials: GlobalMut<f64>,
        /// Their labels.
        pub of: GlobalMut<u32>,
        /// The first partial result of each label; [`u32::MAX`] before.
        pub first: GlobalMut<u32>,
        /// The last one and 1; 0 before.
        pub end: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes what it owns, or atomically, in phases that barriers part; ids and sections are the mesh's
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
    /// The result of each label, from its partial ones. One index a label.
    pub struct LabelCombine: Flat {
        /// The partial results.
        pub partials: Global<f64>,
        /// Their labels.
        pub of: Global<u32>,
        /// The first partial result of each label.
        pub first: Global<u32>,
        /// The last one and 1.
        pub end: Global<u32>,
        /// What to compute ([`Reduction`]).
        pub reduction: u32,
        /// The results.
        pub results: GlobalMut<f64>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views have room for (contracts
// U3, U4).
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
