//! Kernel whose blocks sort.

use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel! {
    /// Sorts lists of words, one per block.
    pub struct SortLists: Block {
        /// Words of the lists.
        pub words: GlobalMut<u32>,
        /// Offset of each list; the end of the last.
        pub starts: Global<u32>,
        /// Longest list that is sorted in shared memory.
        pub room: u32,
    }
}

// SAFETY: a block writes its own list, in phases that barriers separate; the host makes the lists long enough
// (contracts U1 to U4).
unsafe impl BlockKernel for SortLists {
    const THREADS: u32 = 128;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(self.room)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &here: &Shared<u32>) {
        let first = self.starts.get(block);
        let n = self.starts.get(block + 1) - first;
        let there = self.words.part(first, n);
        if n > self.room {
            return b.sort(there, n);
        }
        b.each(n, |i| here.set(i, there.get(i)));
        b.sort(here, n);
        b.last_phase(|p| p.each(n, |i| there.set(i, here.get(i))));
    }
}
