//! Work between launches: seeds, queue of patches, sizes of patches.

use super::queue::{FarApart, PatchQueue};
use super::store::{PatchStore, kind_of};
use super::tally::Tally;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// Action of [`MarkSeeds`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Mark {
    /// All owned elements of the kind become seeds, and none is refused.
    All = 0,
    /// Refused seeds become seeds again.
    Refused = 1,
    /// Remaining seeds become refused.
    GiveUp = 2,
}

kernel! {
    /// Changes the set of seeds of every patch. One index per word of the sets of all patches.
    pub struct MarkSeeds: Flat {
        /// Patches.
        pub store: PatchStore,
        /// Kind of the seeds, a [`Kind`].
        pub kind: u32,
        /// Action, a [`Mark`].
        pub mark: u32,
        /// Word 1: the number of seeds that this marks.
        pub count: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write disjoint elements or atomically; the host launches no more of them than the views
// can hold (contracts U3, U4).
unsafe impl FlatKernel for MarkSeeds {
    #[inline(always)]
    fn run(&self, i: u32) {
        let s = self.store.shape;
        let kind = kind_of(self.kind);
        let (patch, w) = (self.store.patch(i / s.set_words()).masks, i % s.set_words());
        let (seeds, refused) = (s.seeds() + w, s.refused() + w);
        let inside = w < s.room(kind) / 32;
        let bits = if self.mark == Mark::All as u32 {
            let all = if inside {
                patch.get(s.owned(kind) + w) & patch.get(s.active(kind) + w)
            } else {
                0
            };
            patch.set(seeds, all);
            patch.set(refused, 0);
            all
        } else if self.mark == Mark::Refused as u32 {
            let bits = patch.get(refused);
            patch.set(seeds, patch.get(seeds) | bits);
            patch.set(refused, 0);
            bits
        } else {
            let bits = patch.get(seeds);
            patch.set(refused, patch.get(refused) | bits);
            patch.set(seeds, 0);
            bits
        };
        if bits != 0 {
            self.count.fetch_add(1, bits.count_ones());
        }
    }
}

kernel! {
    /// Queues the patches that have seeds, with consecutive ones far apart. One index per patch.
    pub struct QueuePatches: Flat {
        /// Patches.
        pub store: PatchStore,
        /// Queue, which is empty.
        pub queue: PatchQueue,
        /// Order of the patches.
        pub order: FarApart,
        /// Counters, see [`Tally`]: patches that were queued count as left.
        pub tally: GlobalMut<u32>,
        /// Number of visits of each patch, set to zero.
        pub visits: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write disjoint elements or atomically; the host launches no more of them than the views
// can hold (contracts U3, U4).
unsafe impl FlatKernel for QueuePatches {
    #[inline(always)]
    fn run(&self, i: u32) {
        let id = self.order.at(i);
        self.visits.set(id, 0);
        let s = self.store.shape;
        let masks = self.store.patch(id).masks.part(s.seeds(), s.set_words());
        let mut seeds = 0;
        let mut w = 0;
        while w < s.set_words() {
            seeds += masks.get(w).count_ones();
            w += 1;
        }
        if seeds != 0 {
            self.queue.push(id);
            self.tally.fetch_add(Tally::Queued as u32, 1);
            self.tally.fetch_add(Tally::Waiting as u32, seeds);
        }
    }
}

/// Number of words of a patch in a census: owned vertices, owned faces, active faces.
pub const CENSUS_WORDS: u32 = 3;

kernel! {
    /// Counts the elements of every patch. One block per patch.
    pub struct Census: Block {
        /// Patches.
        pub store: PatchStore,
        /// [`CENSUS_WORDS`] words per patch.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Census {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, id: u32, &scratch: &Shared<u32>) {
        let (s, patch) = (self.store.shape, self.store.patch(id));
        let owned = |kind: Kind| {
            b.count(s.room(kind), scratch, |i| {
                patch.is_owned(kind, i) && patch.is_active(kind, i)
            })
        };
        let (vertices, faces) = (owned(Kind::Vertex), owned(Kind::Face));
        let active = b.count(s.faces, scratch, |f| patch.is_active(Kind::Face, f));
        b.last_phase(|p| {
            p.lead(|| {
                self.to.set(CENSUS_WORDS * id, vertices);
                self.to.set(CENSUS_WORDS * id + 1, faces);
                self.to.set(CENSUS_WORDS * id + 2, active);
            });
        });
    }
}
