//! What a mesh measures: lengths of its edges, and how many triangles of a length have its area.

use super::Sizing;
use crate::edit::{FlatMesh, Mesh, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::math::length;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::Vec3;

/// Edge or face slots that one block sums.
pub const LENGTH_CHUNK: u32 = 4096;

kernel! {
    /// Sums the lengths of the live edges of each chunk of slots, counts them, and looks for the longest.
    pub struct SumLengths: Block {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// The unit of the lengths.
        pub unit: Sizing,
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
        let (ev, x, unit) = (self.mesh.ev.from(2 * first), self.x, self.unit);
        let lives = |i: u32| ev.get(2 * i) != NONE;
        let of = |i: u32| {
            let (u, v) = (ev.get(2 * i), ev.get(2 * i + 1));
            f64::from(length(x.get(u) - x.get(v)) / unit.length(u, v))
        };
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

kernel! {
    /// Sums the areas of the live faces of each chunk of slots, in squares of a length.
    pub struct SumAreas: Block {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// The length.
        pub unit: Sizing,
        /// A sum a chunk.
        pub areas: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SumAreas {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * LENGTH_CHUNK;
        let n = (self.mesh.face_capacity() - first).min(LENGTH_CHUNK);
        let (mesh, x, unit) = (self.mesh, self.x, self.unit);
        let of = |i: u32| {
            let f = first + i;
            if !mesh.face_lives(f) {
                return 0.0;
            }
            let [a, b, c] = mesh.sides(f).map(|h| mesh.origin(h));
            let area = 0.5 * length((x.get(b) - x.get(a)).cross(x.get(c) - x.get(a)));
            let l = f64::from((unit.at(a) + unit.at(b) + unit.at(c)) * (1.0 / 3.0));
            f64::from(area) / (l * l)
        };
        let total = b.sum(n, scratch, of);
        let areas = self.areas;
        b.last_phase(|p| p.lead(|| areas.set(block, total)));
    }
}
