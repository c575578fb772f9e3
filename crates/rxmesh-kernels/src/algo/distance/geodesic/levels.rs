//! Topological level sets: each vertex's number of edges from the nearest source.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{FlatKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Edge, Patch, PatchHeader, Vertex};

/// Level of a vertex that no source reaches.
pub const NO_LEVEL: u32 = u32::MAX;

kernel! {
    /// Sets all levels to [`NO_LEVEL`].
    pub struct LevelClear: Flat {
        /// Levels.
        pub level: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for LevelClear {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.level.set(i, NO_LEVEL);
    }
}

kernel! {
    /// Runs one round of the search for levels: each patch takes its ribbon's levels and spreads them until nothing
    /// changes inside. The number of rounds is that of the patches on the longest path, not that of the levels.
    pub struct LevelRound: Patch {
        /// Levels after the round before.
        pub old: Global<u32>,
        /// Levels after this round.
        pub new: GlobalMut<u32>,
        /// Nonzero for each round of a batch that changed something; zeroed before the batch.
        pub changed: GlobalMut<u32>,
        /// This round in the batch.
        pub round: u32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for LevelRound {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (plan.take(u32::from(h.total[0])), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(level, scratch): &Self::Tables) {
        // After a round without change both copies are the same.
        if self.round > 0 && self.changed.get(self.round - 1) == 0 {
            return;
        }
        let (map, owned) = (patch.map::<Vertex>(), patch.owned::<Vertex>());
        b.each(patch.total::<Vertex>(), |v| {
            level.set(v, self.old.get(map.linear(v)))
        });
        let lower = |v: u32, by: u32| {
            by != NO_LEVEL && by + 1 < level.load(v) && level.fetch_min(v, by + 1) > by + 1
        };
        loop {
            let changes = b.any(patch.total::<Edge>(), scratch, |e| {
                let (i, j) = patch.edge_vertices(e);
                let (li, lj) = (level.load(i), level.load(j));
                lower(i, lj) | lower(j, li)
            });
            if !changes {
                break;
            }
        }
        let base = patch.base::<Vertex>();
        b.last_phase(|p| {
            p.each(owned, |v| {
                let new = level.get(v);
                self.new.set(base + v, new);
                if new != self.old.get(base + v) {
                    self.changed.store(self.round, 1);
                }
            });
        });
    }
}
