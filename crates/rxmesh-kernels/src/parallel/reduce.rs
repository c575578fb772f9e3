//! Reductions over the owned elements, in a fixed order: one partial result per patch, or per range of elements where
//! those of all patches lie one after the other, then all partials by one block, the last of the launch if it is asked
//! to.
//!
//! Sums are accumulated in `f64`. The order depends on the patches, or on the number of elements, and on the block's
//! width only, so that one engine gives the same bits on every run.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Kind, Patch, PatchHeader};

kernel_list! {
    patch reduce_patches: ReducePatches;
    block reduce_ranges: ReduceRanges;
    block reduce_partials: ReducePartials;
}

/// Kind of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Reduction {
    /// Sum of the components.
    Sum = 0,
    /// Sum of the products of corresponding components.
    Dot = 1,
    /// Smallest component.
    Min = 2,
    /// Largest component.
    Max = 3,
}

kernel! {
    /// Computes one partial result per patch.
    pub struct ReducePatches: Patch {
        /// Components of the first attribute.
        pub x: Global<f32>,
        /// Components of the second attribute; the same as `x` when there is one.
        pub y: Global<f32>,
        /// One result per patch.
        pub partials: GlobalMut<f64>,
        /// Components an element.
        pub components: u32,
        /// Kind of the elements ([`crate::topo::Kind`]).
        pub kind: u32,
        /// Reduction to compute ([`Reduction`]).
        pub reduction: u32,
        /// Two values of which the second is the result of all patches; empty when only the partial ones are wanted.
        pub result: GlobalMut<f64>,
        /// Two words, zero: the second counts the patches that have arrived; empty as `result` is.
        pub arrived: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for ReducePatches {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (owned, base) = section(patch.header(), self.kind);
        let n = owned * self.components;
        let (x, y) = (
            self.x.from(base * self.components),
            self.y.from(base * self.components),
        );
        let result = of_components(b, n, scratch, self.reduction, x, y);
        let (partials, id) = (self.partials, patch.id());
        if self.result.is_empty() {
            b.last_phase(|p| p.lead(|| partials.set(id, result)));
            return;
        }
        finish(
            b,
            (id, result),
            scratch,
            self.reduction,
            (partials, self.arrived, self.result),
        );
    }
}

/// Computes a reduction over `n` components of one attribute or two.
#[inline(always)]
fn of_components<B: Block>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    reduction: u32,
    x: Global<f32>,
    y: Global<f32>,
) -> f64 {
    let at = |i: u32| f64::from(x.get(i));
    if reduction == Reduction::Sum as u32 {
        b.sum(n, scratch, at)
    } else if reduction == Reduction::Dot as u32 {
        b.sum(n, scratch, |i| f64::from(x.get(i)) * f64::from(y.get(i)))
    } else if reduction == Reduction::Min as u32 {
        b.min(n, scratch, at)
    } else {
        b.max(n, scratch, at)
    }
}

/// Writes a block's partial result; the last block combines all of them.
#[inline(always)]
fn finish<B: Block>(
    b: B,
    (id, partial): (u32, f64),
    scratch: Shared<u32>,
    reduction: u32,
    (partials, arrived, out): (GlobalMut<f64>, GlobalMut<u32>, GlobalMut<f64>),
) {
    let n = partials.len();
    if b.arrive(arrived, n, scratch, || partials.set(id, partial)) {
        let result = combine(b, n, scratch, reduction, |i| partials.load(i));
        // Not at 0: the device compiler takes the very address of an argument for one that could be anywhere.
        b.last_phase(|p| p.lead(|| out.set(1, result)));
    }
}

kernel! {
    /// Computes one partial result per range of components, and the result of all of them by the last block. A block a
    /// range.
    pub struct ReduceRanges: Block {
        /// Components of the first attribute.
        pub x: Global<f32>,
        /// Components of the second attribute; the same as `x` when there is one.
        pub y: Global<f32>,
        /// One result per range.
        pub partials: GlobalMut<f64>,
        /// Number of components.
        pub count: u32,
        /// Components a range; the last one may have fewer.
        pub range: u32,
        /// Reduction to compute ([`Reduction`]).
        pub reduction: u32,
        /// Two values of which the second is the result.
        pub result: GlobalMut<f64>,
        /// Two words, zero before and after: the second counts the blocks that have arrived.
        pub arrived: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for ReduceRanges {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * self.range;
        let n = (self.count - first).min(self.range);
        let (x, y) = (self.x.from(first), self.y.from(first));
        let partial = of_components(b, n, scratch, self.reduction, x, y);
        finish(
            b,
            (block, partial),
            scratch,
            self.reduction,
            (self.partials, self.arrived, self.result),
        );
    }
}

/// Returns the number of a patch's own elements of a kind, and the linear id of the first.
#[inline(always)]
pub(super) fn section(h: &PatchHeader, kind: u32) -> (u32, u32) {
    let (owned, base) = match kind {
        0 => (h.owned[0], h.base[0]),
        1 => (h.owned[1], h.base[1]),
        2 => (h.owned[2], h.base[2]),
        _ => (h.cells_owned, h.base_of(Kind::Cell)),
    };
    (u32::from(owned), base)
}

/// Returns the result of a reduction over nothing.
#[inline(always)]
pub(super) fn neutral(reduction: u32) -> f64 {
    if reduction == Reduction::Min as u32 {
        f64::INFINITY
    } else if reduction == Reduction::Max as u32 {
        f64::NEG_INFINITY
    } else {
        0.0
    }
}

/// Combines all partial results into one.
#[inline(always)]
pub(super) fn combine<B: Block>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    reduction: u32,
    at: impl Fn(u32) -> f64,
) -> f64 {
    if reduction == Reduction::Min as u32 {
        b.min(n, scratch, at)
    } else if reduction == Reduction::Max as u32 {
        b.max(n, scratch, at)
    } else {
        b.sum(n, scratch, at)
    }
}

kernel! {
    /// Combines all partial results of a reduction into one, by one block; a block each of up to four reductions.
    pub struct ReducePartials: Block {
        /// Partial results, as many of each reduction.
        pub partials: Global<f64>,
        /// Two values a reduction, of which the second is the result.
        pub results: GlobalMut<f64>,
        /// Reductions to compute ([`Reduction`]), 8 bits each.
        pub reductions: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for ReducePartials {
    const THREADS: u32 = 512;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let n = self.partials.len() / (self.results.len() / 2);
        let (partials, results) = (self.partials.from(block * n), self.results);
        let reduction = self.reductions >> (8 * block) & 255;
        let result = combine(b, n, scratch, reduction, |i| partials.get(i));
        b.last_phase(|p| p.lead(|| results.set(2 * block + 1, result)));
    }
}
