//! Choices and limits that depend on the kind of engine, and limits by which tests and measurements change them.

use super::Engine;
use std::sync::atomic::Ordering::Relaxed;

/// Most bytes of a patch's values that are staged on a GPU, where they are only read (decision 172). Loading more,
/// ribbon included, takes longer than the reads that it saves, which find most values in a cache as large as the shared
/// memory.
const STAGED_ON_A_GPU: u32 = 16 << 10;

/// Choices and limits of an engine.
pub(super) struct Policy {
    /// `true` if a stream orders launches and accesses; else they are claimed, and refused where they meet.
    pub(super) ordered: bool,
    /// Most bytes of shared memory of a block that is launched.
    pub(super) most_shared: u32,
    /// Bytes of shared memory of a block up to which fields are staged.
    pub(super) shared_limit: u32,
    /// The same for a block of which a multiprocessor shall run two.
    pub(super) shared_of_two: u32,
    /// Most bytes of a patch's values up to which the automatic choice stages values to read.
    pub(super) most_staged: u32,
    /// Rounds of edits between two read-backs of their counts.
    rounds_per_readback: u32,
    /// Most seeds of a round of edits with which several rounds are one launch.
    seeds_together: u32,
    /// `true` if a block is one thread.
    blocks_are_alone: bool,
    /// `true` if coefficients of large systems are computed again each time.
    computes_anew: bool,
    /// `true` if hundreds of blocks run at a time.
    runs_many_blocks: bool,
}

impl Policy {
    /// The CPU's. The test engines do as a GPU does where they can, or take turns between its way and the CPU's.
    pub(super) fn of_cpu(for_tests: bool) -> Policy {
        Policy {
            ordered: false,
            // A sanity limit, below all that 32 bits could count wrongly.
            most_shared: 1 << 30,
            shared_limit: u32::MAX,
            shared_of_two: u32::MAX,
            most_staged: if for_tests { STAGED_ON_A_GPU } else { u32::MAX },
            // Rounds cost as much as the seeds that they might have.
            rounds_per_readback: if for_tests { 3 } else { 1 },
            seeds_together: if for_tests { 1 << 10 } else { 0 },
            blocks_are_alone: !for_tests,
            computes_anew: for_tests,
            runs_many_blocks: false,
        }
    }

    /// A CUDA GPU's, with the shared memory of a block that runs alone on a multiprocessor, and of one of two.
    #[cfg(feature = "cuda")]
    pub(super) fn of_cuda([one, two]: [u32; 2]) -> Policy {
        Policy {
            ordered: true,
            most_shared: one,
            shared_limit: one,
            shared_of_two: two,
            most_staged: STAGED_ON_A_GPU,
            // A read-back costs as much as a round of a small mesh.
            rounds_per_readback: 4,
            seeds_together: 1 << 14,
            blocks_are_alone: false,
            // Bytes cost more than arithmetic.
            computes_anew: true,
            runs_many_blocks: true,
        }
    }
}

impl Engine {
    /// Returns the number of rounds of edits that are launched before the host reads their counts back.
    pub(crate) fn rounds_a_look(&self) -> u32 {
        self.0.policy.rounds_per_readback
    }

    /// Returns the most seeds of a round of edits with which several rounds are one launch.
    pub(crate) fn seeds_together(&self) -> u32 {
        self.0.policy.seeds_together
    }

    /// Returns `true` if a block is one thread: some kernels take another path then, and need more work per block.
    pub(crate) fn blocks_are_alone(&self) -> bool {
        self.0.policy.blocks_are_alone
    }

    /// Returns `true` if hundreds of blocks run at a time, so that fewer launches with more work each pay.
    pub fn runs_many_blocks(&self) -> bool {
        self.0.policy.runs_many_blocks
    }

    /// Returns the number of blocks of 256 threads for a grid kernel over `items`, of which each block takes a share:
    /// no more than run at a time ([`Engine::has_room_for_grid`]) if they are not too greedy for registers.
    pub(crate) fn grid_blocks(&self, items: u32) -> u32 {
        let at_a_time = 4 * self.info().units.max(1);
        items.div_ceil(256).clamp(1, at_a_time)
    }

    /// Returns `true` if a coefficient of a large system is computed again each time, since its bytes cost more.
    pub(crate) fn computes_anew(&self) -> bool {
        self.0.policy.computes_anew
    }

    /// Limits launches to this many bytes of shared memory per block, by staging fewer fields: to imitate a smaller
    /// GPU would do, or to leave shared memory for other blocks. `None` for the engine's own limit.
    pub fn set_shared_limit(&self, bytes: Option<u32>) {
        self.0
            .shared_limit
            .store(bytes.unwrap_or(u32::MAX), Relaxed);
    }

    /// Limits the grids whose steps run in one launch to at most `blocks` blocks: to imitate a smaller GPU.
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
}
