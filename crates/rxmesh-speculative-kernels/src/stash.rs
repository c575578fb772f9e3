//! Patch stash: the patches that own a patch's ribbon elements.

use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::mem::Words;

/// Number of slots of a stash: six bits name one (2024 paper, section 5.1).
pub const STASH_SLOTS: u32 = 64;

/// Content of a slot without a patch. No patch has this number.
pub const EMPTY_SLOT: u32 = u32::MAX;

/// Neighbour patches of a patch, over [`STASH_SLOTS`] words in shared or in global memory. Entries of the ribbon's
/// tables name a patch by its slot, so a patch keeps its slot until it is removed (2024 paper, section 5.1).
///
/// Insertions and finds may run concurrently, and removals with removals; a barrier separates the two (rule P1).
#[derive(Clone, Copy, Debug)]
pub struct Stash<W>(pub W);

impl<W: Words> Stash<W> {
    /// Empties all slots, inside a phase.
    #[inline(always)]
    pub fn clear<B: Block>(self, p: Phase<B>) {
        p.each(STASH_SLOTS, |slot| self.0.set(slot, EMPTY_SLOT));
    }

    /// Returns the patch in a slot, or [`EMPTY_SLOT`].
    #[inline(always)]
    pub fn get(self, slot: u32) -> u32 {
        self.0.load(slot)
    }

    /// Returns the slot of a patch.
    #[inline(always)]
    pub fn find(self, patch: u32) -> Option<u32> {
        let mut slot = 0;
        while slot < STASH_SLOTS {
            if self.0.load(slot) == patch {
                return Some(slot);
            }
            slot += 1;
        }
        None
    }

    /// Returns the slot of a patch, which gets one if it has none; `None` if all slots hold other patches. Many threads
    /// may insert concurrently, the same patch or others.
    #[inline(always)]
    pub fn insert(self, patch: u32) -> Option<u32> {
        debug_assert!(patch != EMPTY_SLOT, "no patch has this number");
        // First: a patch may be in a slot after one that was emptied.
        if let Some(slot) = self.find(patch) {
            return Some(slot);
        }
        // Every thread takes the first free slot from the same end, and slots only fill up meanwhile: two threads with
        // the same patch meet at the same slot, where the second finds the entry of the first.
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let mut there = self.0.load(slot);
            if there == EMPTY_SLOT {
                there = self.0.compare_exchange(slot, EMPTY_SLOT, patch);
            }
            if there == EMPTY_SLOT || there == patch {
                return Some(slot);
            }
            slot += 1;
        }
        None
    }

    /// Empties a slot. No entry of a table may use it.
    #[inline(always)]
    pub fn remove(self, slot: u32) {
        self.0.swap(slot, EMPTY_SLOT);
    }

    /// Returns the number of patches.
    #[inline(always)]
    pub fn count(self) -> u32 {
        let (mut slot, mut patches) = (0, 0);
        while slot < STASH_SLOTS {
            patches += u32::from(self.0.load(slot) != EMPTY_SLOT);
            slot += 1;
        }
        patches
    }
}
