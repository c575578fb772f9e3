//! Exclusive prefix sum over global memory: scan chunks, scan the chunks' totals, add them.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block scan_chunks: ScanChunks;
    flat scan_add: ScanAdd;
    block sum_chunks: SumChunks;
}

/// Elements that one block scans.
pub const CHUNK: u32 = 2048;

kernel! {
    /// Scans each chunk of [`CHUNK`] elements in place and writes its total.
    pub struct ScanChunks: Block {
        /// Elements of the array.
        pub data: GlobalMut<u32>,
        /// One total a chunk.
        pub totals: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for ScanChunks {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(CHUNK), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch): &Self::Tables) {
        let first = block * CHUNK;
        let n = (self.data.len() - first).min(CHUNK);
        let (data, totals) = (self.data.from(first), self.totals);
        b.each(n, |i| here.set(i, data.get(i)));
        let total = b.scan(here, n, scratch);
        b.last_phase(|p| {
            p.each(n, |i| data.set(i, here.get(i)));
            p.lead(|| totals.set(block, total));
        });
    }
}

kernel! {
    /// Adds each chunk's start to its elements.
    pub struct ScanAdd: Flat {
        /// Elements of the array.
        pub data: GlobalMut<u32>,
        /// Start of each chunk.
        pub starts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ScanAdd {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.data
            .set(i, self.data.get(i) + self.starts.get(i / CHUNK));
    }
}

kernel! {
    /// Computes the sum of each chunk of [`CHUNK`] elements in `f64`, to know before a scan if its total fits 32 bits.
    pub struct SumChunks: Block {
        /// Elements of the array.
        pub data: Global<u32>,
        /// One sum a chunk.
        pub partials: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SumChunks {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let data = self.data.from(block * CHUNK);
        let sum = b.sum(data.len().min(CHUNK), scratch, |i| f64::from(data.get(i)));
        let partials = self.partials;
        b.last_phase(|p| p.lead(|| partials.set(block, sum)));
    }
}
