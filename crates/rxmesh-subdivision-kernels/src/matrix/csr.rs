//! Conversion of a [`Rule`] to CSR: count, prefix sum, fill (Mlakar 2018, algorithm 2 and section 5.2).
//!
//! The symbolic pass counts the terms of each row and writes their columns, sorted and without duplicates; the numeric
//! pass adds the values in the order of the terms. A matrix whose terms are not distinct first has rows with one
//! element per term, and is compacted by a second prefix sum.

use super::rule::{Product, Rule};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, Entry, EntryOf, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

/// Maximum number of terms of a row that one thread sorts; a block sorts longer rows.
pub const LONG: u32 = 256;
/// Number of rows that a block of [`SortLongIds`] checks.
pub const ROWS: u32 = 1024;

args! {
    /// Counts the terms of each row. One index per row, and one more.
    pub struct CountTerms<R: Rule> {
        /// Matrix.
        pub rule: R,
        /// Number of terms of each row, and a zero for the prefix sum.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own count (contracts U3, U4).
unsafe impl<R: Rule> FlatKernel for CountTerms<R> {
    #[inline(always)]
    fn run(&self, r: u32) {
        let last = r + 1 == self.counts.len();
        self.counts
            .set(r, if last { 0 } else { self.rule.count(r) });
    }
}

args! {
    /// Writes the columns of each row: ascending without duplicates, or unsorted when the row is longer than [`LONG`].
    pub struct FillIds<R: Rule> {
        /// Matrix.
        pub rule: R,
        /// Start of each row, from a prefix sum over the terms.
        pub starts: Global<u32>,
        /// Columns.
        pub ids: GlobalMut<u32>,
        /// Number of columns in each row, and a zero for the prefix sum; empty when terms are distinct.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own row, whose terms have been counted (contracts U3, U4).
unsafe impl<R: Rule> FlatKernel for FillIds<R> {
    #[inline(always)]
    fn run(&self, r: u32) {
        let (first, end) = (self.starts.get(r), self.starts.get(r + 1));
        let ids = self.ids;
        let mut n = first;
        if end - first > LONG {
            self.rule.row(r, |j, _| {
                ids.set(n, j);
                n += 1;
            });
        } else {
            self.rule.row(r, |j, _| {
                let mut at = n;
                while at > first && ids.get(at - 1) > j {
                    at -= 1;
                }
                if at > first && ids.get(at - 1) == j {
                    return;
                }
                let mut k = n;
                while k > at {
                    ids.set(k, ids.get(k - 1));
                    k -= 1;
                }
                ids.set(at, j);
                n += 1;
            });
        }
        if !self.counts.is_empty() {
            self.counts.set(r, n - first);
            if r + 2 == self.counts.len() {
                self.counts.set(r + 1, 0);
            }
        }
    }
}

kernel! {
    /// Sorts the columns of rows longer than [`LONG`] among each [`ROWS`] rows and removes duplicates.
    pub struct SortLongIds: Block {
        /// Start of each row.
        pub starts: Global<u32>,
        /// Columns.
        pub ids: GlobalMut<u32>,
        /// Number of columns in each row; empty when terms are distinct.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: a row belongs to one block, whose phases are separated by barriers; all branches around phases depend on
// values that all threads read alike (contracts U1 to U4).
unsafe impl BlockKernel for SortLongIds {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * ROWS;
        let rows = (self.starts.len() - 1 - first).min(ROWS);
        let starts = self.starts.from(first);
        let length = |i: u32| starts.get(i + 1) - starts.get(i);
        if !b.any(rows, scratch, |i| length(i) > LONG) {
            return;
        }
        for i in 0..rows {
            let n = length(i);
            if n <= LONG {
                continue;
            }
            let ids = self.ids.part(starts.get(i), n);
            b.sort(ids, n);
            b.lead(|| {
                let mut kept = 1;
                for k in 1..n {
                    let j = ids.get(k);
                    if j != ids.get(kept - 1) {
                        ids.set(kept, j);
                        kept += 1;
                    }
                }
                if !self.counts.is_empty() {
                    self.counts.set(first + i, kept);
                }
            });
        }
    }
}

kernel! {
    /// Compacts rows.
    pub struct CompactIds: Flat {
        /// Old start of each row.
        pub from: Global<u32>,
        /// Columns at the old starts.
        pub ids: Global<u32>,
        /// New start of each row.
        pub starts: Global<u32>,
        /// Columns at the new starts.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own row (contracts U3, U4).
unsafe impl FlatKernel for CompactIds {
    #[inline(always)]
    fn run(&self, r: u32) {
        let (to, from) = (self.starts.get(r), self.from.get(r));
        for k in 0..self.starts.get(r + 1) - to {
            self.to.set(to + k, self.ids.get(from + k));
        }
    }
}

args! {
    /// Computes the values of each row for existing columns: the numeric pass.
    pub struct FillValues<R: Rule> {
        /// Matrix.
        pub rule: R,
        /// Start of each row.
        pub starts: Global<u32>,
        /// Columns, ascending in each row.
        pub ids: Global<u32>,
        /// Values of the entries.
        pub values: GlobalMut<R::Value>,
    }
}

// SAFETY: each index writes its own row, which has all columns of its terms (contracts U3, U4).
unsafe impl<R: Rule> FlatKernel for FillValues<R>
where
    Self: rxmesh_kernels::mem::Bind,
{
    #[inline(always)]
    fn run(&self, r: u32) {
        let (first, end) = (self.starts.get(r), self.starts.get(r + 1));
        let values = self.values;
        for at in first..end {
            values.set(at, bytemuck::Zeroable::zeroed());
        }
        self.rule.row(r, |j, value| {
            let (mut low, mut high) = (first, end);
            while low < high {
                let middle = low + (high - low) / 2;
                if self.ids.get(middle) < j {
                    low = middle + 1;
                } else {
                    high = middle;
                }
            }
            // In range even if the columns are those of another matrix.
            if low < end {
                values.set(low, R::combine(values.get(low), value));
            }
        });
    }
}

macro_rules! entry {
    ($($kernel:ident),*) => {$(
        // SAFETY: the name is the promise of `EntryOf`.
        unsafe impl<R: Rule + EntryOf<$kernel<R>>> Entry for $kernel<R> {
            const NAME: &'static str = <R as EntryOf<$kernel<R>>>::NAME;
        }
    )*};
}
entry! { CountTerms, FillIds, FillValues }

/// Lets a parameter of a rule provide the names of kernels that run the rule, so that crates that have the parameter
/// can list them.
macro_rules! named {
    ($parameters:tt, $rule:ty as $by:ident: $($kernel:ident),*) => {
        $(named! { @one $parameters, $rule, $by, $kernel })*
    };
    (@one [$($parameters:tt)*], $rule:ty, $by:ident, $kernel:ident) => {
        // SAFETY: the name is the promise of `EntryOf`.
        unsafe impl<$($parameters)*> rxmesh_kernels::kernel::EntryOf<$kernel<$rule>> for $rule
        where
            $by: rxmesh_kernels::kernel::EntryOf<$kernel<$rule>>,
        {
            const NAME: &'static str = <$by as rxmesh_kernels::kernel::EntryOf<$kernel<$rule>>>::NAME;
        }
    };
}
pub(super) use named;

named! { [A: Rule<Value = f32>, B: Rule<Value = f32>], Product<A, B> as A: CountTerms, FillIds, FillValues }
