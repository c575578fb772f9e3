//! Prefix sums without host read-back: of chunks, and of their totals by the last block to finish.

use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block topology_scan: ScanParts;
    flat topology_add: AddParts;
}

rxmesh_kernels::args! {
    /// Prefix sums in two steps: of each chunk, one per block, and of the chunks' totals, by the last block to finish.
    /// The sum before a value is that inside its chunk plus that before the chunk.
    pub struct ChunkSums {
        /// Binary logarithm of the length of a chunk, at most that of [`MOST_CHUNK`].
        pub log_chunk: u32,
        /// Sum before each chunk: one per chunk, which is one per block.
        pub sums: GlobalMut<u32>,
        /// Two words that are zero, for [`Block::arrive`].
        pub arrived: GlobalMut<u32>,
    }
}

/// Longest chunk of [`ChunkSums`].
pub const MOST_CHUNK: u32 = 2048;
/// Shortest chunk.
const LEAST_CHUNK: u32 = 256;
/// Number of chunks that keep a large GPU busy: with fewer, they are shorter.
const CHUNKS: u32 = 1024;

/// Returns the binary logarithm of the length of a chunk for `values` values.
pub fn log_chunk(values: u32) -> u32 {
    (values / CHUNKS)
        .next_power_of_two()
        .clamp(LEAST_CHUNK, MOST_CHUNK)
        .ilog2()
}

impl ChunkSums {
    /// Returns the values of a block: the first, and their number, of `n`.
    #[inline(always)]
    pub(crate) fn range(&self, block: u32, n: u32) -> (u32, u32) {
        let first = block << self.log_chunk;
        (first, (n - first).min(1 << self.log_chunk))
    }

    /// Adds the total of a block's chunk; the last block computes the sums of all, and calls `then` with the total.
    #[inline(always)]
    pub(crate) fn hand_in<B: Block>(
        &self,
        b: B,
        (block, total): (u32, u32),
        (here, scratch): (Shared<u32>, Shared<u32>),
        then: impl FnOnce(u32),
    ) {
        let sums = self.sums;
        let blocks = sums.len();
        if !b.arrive(self.arrived, blocks, scratch, || sums.store(block, total)) {
            return;
        }
        let (mut first, mut before) = (0, 0);
        while first < blocks {
            let n = (blocks - first).min(MOST_CHUNK);
            b.each(n, |i| here.set(i, sums.load(first + i)));
            let more = b.scan(here, n, scratch);
            b.each(n, |i| sums.set(first + i, before + here.get(i)));
            before += more;
            first += n;
        }
        b.last_phase(|p| p.lead(|| then(before)));
    }
}

kernel! {
    /// Computes the first step of the prefix sums of [`ChunkSums`].
    pub struct ScanParts: Block {
        /// Values.
        pub values: Global<u32>,
        /// Sum before each value in its chunk.
        pub sums: GlobalMut<u32>,
        /// Chunks.
        pub parts: ChunkSums,
    }
}

// SAFETY: a block writes its own chunk, in phases separated by barriers; the last one reads data of others atomically,
// and only it writes the chunks' sums then (contracts U1 to U4).
unsafe impl BlockKernel for ScanParts {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(MOST_CHUNK), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch): &Self::Tables) {
        let (first, n) = self.parts.range(block, self.values.len());
        b.each(n, |i| here.set(i, self.values.get(first + i)));
        let total = b.scan(here, n, scratch);
        b.each(n, |i| self.sums.set(first + i, here.get(i)));
        self.parts
            .hand_in(b, (block, total), (here, scratch), |_| {});
    }
}

kernel! {
    /// Computes the second step of [`ChunkSums`], in place.
    pub struct AddParts: Flat {
        /// Sum before each value in its chunk; afterwards, before each value.
        pub sums: GlobalMut<u32>,
        /// Logarithm of the chunk size, as [`ChunkSums::log_chunk`].
        pub log_chunk: u32,
        /// Sums before each chunk, as [`ChunkSums::sums`].
        pub before: Global<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for AddParts {
    #[inline(always)]
    fn run(&self, i: u32) {
        let sum = self.sums.get(i) + self.before.get(i >> self.log_chunk);
        self.sums.set(i, sum);
    }
}
