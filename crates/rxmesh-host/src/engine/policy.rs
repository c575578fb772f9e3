//! Choices that depend on the kind of engine, and limits by which tests and measurements change them.

use super::{Backend, Engine};
use std::sync::atomic::Ordering::Relaxed;

impl Engine {
    /// Returns the number of rounds of edits that are launched before the host reads their counts back. On a GPU a
    /// read-back costs as much as a round of a small mesh; a CPU's rounds cost as much as the seeds that they might
    /// have. The test engines are as patient as a GPU.
    pub(crate) fn rounds_a_look(&self) -> u32 {
        match &self.0.kind {
            Backend::Cpu(c) if c.is_for_tests() => 3,
            Backend::Cpu(_) => 1,
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => 4,
        }
    }

    /// Returns the most seeds of a round of edits with which several rounds are one launch: none on a CPU. The test
    /// engines run some rounds this way and some the other.
    pub(crate) fn seeds_together(&self) -> u32 {
        match &self.0.kind {
            Backend::Cpu(c) if c.is_for_tests() => 1 << 10,
            Backend::Cpu(_) => 0,
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => 1 << 14,
        }
    }

    /// Returns `true` if a block is one thread: some kernels take another path then, and want more work per block.
    pub(crate) fn blocks_are_alone(&self) -> bool {
        match &self.0.kind {
            Backend::Cpu(c) => !c.is_for_tests(),
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => false,
        }
    }

    /// Returns the number of blocks of 256 threads for a grid kernel over `items`, of which each block takes a share:
    /// no more than run at a time ([`Engine::has_room_for_grid`]) if they are not too greedy for registers.
    pub(crate) fn grid_blocks(&self, items: u32) -> u32 {
        let at_a_time = 4 * self.info().units.max(1);
        items.div_ceil(256).clamp(1, at_a_time)
    }

    /// Returns `true` if a coefficient of a large system is computed anew each time, since its bytes cost more: on a
    /// GPU, not on a CPU. The test engines do as a GPU does.
    pub(crate) fn computes_anew(&self) -> bool {
        match &self.0.kind {
            Backend::Cpu(c) => c.is_for_tests(),
            #[cfg(feature = "cuda")]
            Backend::Cuda(_) => true,
        }
    }

    /// Limits launches to this many bytes of shared memory per block, by staging fewer fields: to see what a smaller
    /// GPU would do, or to leave shared memory for other blocks. `None` for the engine's own limit.
    pub fn set_shared_limit(&self, bytes: Option<u32>) {
        self.0
            .shared_limit
            .store(bytes.unwrap_or(u32::MAX), Relaxed);
    }

    /// Limits the grids whose steps run in one launch to at most `blocks` blocks: to see what a smaller GPU would do.
    /// `None` for the engine's own limit.
    pub fn set_grid_limit(&self, blocks: Option<u32>) {
        self.0.grid_limit.store(blocks.unwrap_or(u32::MAX), Relaxed);
    }

    /// Makes all allocations after the next `n` fail, as if memory were used up, until it is called with `None`: for
    /// tests.
    #[doc(hidden)]
    pub fn set_allocations_left(&self, n: Option<u32>) {
        self.0.allocations.store(n.unwrap_or(u32::MAX), Relaxed);
    }

    /// Runs every patch kernel with this many threads per block on a GPU, in place of the kernel's number (or more if
    /// there are few patches), to measure which is best; `None` for the kernel's number. Rounded up to whole warps. No
    /// effect on the other engines.
    pub fn set_block_threads(&self, threads: Option<u32>) {
        let threads = threads.map_or(0, |n| n.clamp(1, 1024));
        match &self.0.kind {
            Backend::Cpu(_) => {
                let _ = threads;
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(c) => c.set_block_threads(threads),
        }
    }
}
