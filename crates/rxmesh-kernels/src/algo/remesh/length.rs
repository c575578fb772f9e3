//! The mean and the greatest length of a session's edges.

use crate::edit::{FlatMesh, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::math::length;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::Vec3;

/// Edge slots that one block sums.
pub const LENGTH_CHUNK: u32 = 4096;

kernel! {
    /// Sums the lengths of the live edges of each chunk of slots, counts them, and looks for the longest.
    pub struct SumLengths: Block {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// A sum a chunk.
        pub lengths: GlobalMut<f64>,
        /// A number of edges a chunk.
        pub edges: GlobalMut<f64>,
        /// The greatest length of a chunk; minus infinity without an edge.
        pub longest: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SumLengths {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * LENGTH_CHUNK;
        let n = (self.mesh.edge_capacity() - first).min(LENGTH_CHUNK);
        let (ev, x) = (self.mesh.ev.from(2 * first), self.x);
        let lives = |i: u32| ev.get(2 * i) != NONE;
        let of = |i: u32| f64::from(length(x.get(ev.get(2 * i)) - x.get(ev.get(2 * i + 1))));
        let total = b.sum(n, scratch, |i| if lives(i) { of(i) } else { 0.0 });
        let most = b.max(
            n,
            scratch,
            |i| {
                if lives(i) { of(i) } else { f64::NEG_INFINITY }
            },
        );
        let edges = b.count(n, scratch, lives);
        let (lengths, counts, longest) = (self.lengths, self.edges, self.longest);
        b.last_phase(|p| {
            p.lead(|| {
                lengths.set(block, total);
                counts.set(block, f64::from(edges));
                longest.set(block, most);
            });
        });
    }
}
