//! Kernel whose steps pass values from block to block.

use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{GridKernel, Next};
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};

kernel! {
    /// In each step a block adds the previous values of its neighbours on both sides, item by item, modulo 2^32; the
    /// last step is `stop`, however many were launched. From step `alone` on the first block does so by itself.
    pub struct HandOn: Grid {
        /// Number of items per block.
        pub n: u32,
        /// Number of blocks.
        pub blocks: u32,
        /// Step in which blocks report that there is no next one.
        pub stop: u32,
        /// First step that one block takes alone.
        pub alone: u32,
        /// Two times `n` values per block: read in even steps and written in odd ones, and vice versa.
        pub values: GlobalMut<u32>,
    }
}

// SAFETY: each step writes a block's own items of one half and reads the other half; barriers separate the phases; the
// host makes the values long enough (contracts U1 to U4).
unsafe impl GridKernel for HandOn {
    const THREADS: u32 = 64;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(self.n)
    }

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, sums: &Shared<u32>) -> Next {
        let alone = step >= self.alone;
        if alone && block != 0 {
            return Next::End;
        }
        let (n, blocks) = (self.n, self.blocks);
        let half = |odd: u32| self.values.from(odd * n * blocks);
        let (from, to) = (half(step % 2), half(1 - step % 2));
        let (left, right) = ((block + blocks - 1) % blocks, (block + 1) % blocks);
        b.each(n, |i| {
            let sum = from.get(left * n + i).wrapping_add(from.get(right * n + i));
            sums.set(i, sum);
        });
        // Reversed, so that threads need values that others have written.
        b.last_phase(|p| p.each(n, |i| to.set(block * n + i, sums.get(n - 1 - i))));
        match step == self.stop {
            true => Next::End,
            false if alone => Next::Alone,
            false => Next::Together,
        }
    }
}
