//! Locks of patches: bounded tries, with a back-off between them.

use rxmesh_kernels::math::hash;
use rxmesh_kernels::mem::GlobalMut;

/// Word of a free lock.
const FREE: u32 = 0;

/// Limits of the back-off, in nanoseconds: the shortest is about the time of an atomic operation on a GPU, the longest
/// about that of loading a patch.
const SHORTEST: u32 = 64;
const LONGEST: u32 = 4096;

rxmesh_kernels::args! {
    /// Locks of the patches, one word each: 0 is free, else the owner's number plus one (2024 paper, section 5.3;
    /// Herlihy et al., "The Art of Multiprocessor Programming", section 7.4).
    ///
    /// One elected thread of a block locks and unlocks for it, with a barrier after locking and before unlocking. No
    /// block waits (rule P6): one that does not get a lock within its tries releases those that it has, and tries again
    /// later. Therefore there is no deadlock, whatever the order of locking.
    ///
    /// The writes of the owner's block to global memory before it unlocked are visible to the next owner's block
    /// (contract U6 of docs/inside/unsafe.md).
    pub struct Locks {
        words: GlobalMut<u32>,
    }
}

impl Locks {
    /// Makes locks over one word per patch, all initially zero.
    #[inline(always)]
    pub fn new(words: GlobalMut<u32>) -> Locks {
        Locks { words }
    }

    /// Returns the number of locks.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.words.len()
    }

    /// Returns `true` if there is no lock.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// Tries to lock a patch, at most `tries` times, and pauses between two tries: up to a limit that doubles with
    /// each. `owner` is a number below `u32::MAX` that no other block of the launch uses. Locks are not reentrant.
    #[inline(always)]
    pub fn try_lock(self, patch: u32, owner: u32, tries: u32) -> bool {
        debug_assert!(owner < u32::MAX, "{owner} is no owner's number");
        let (mut limit, mut tried) = (SHORTEST, 0);
        while tried < tries {
            // Load first: an exchange that fails costs the owner's release time.
            if self.words.load(patch) == FREE && self.words.acquire(patch, FREE, owner + 1) {
                return true;
            }
            tried += 1;
            if tried < tries {
                // Spreads the retries of blocks that collided.
                pause(limit / 2 + hash(owner ^ tried << 16) % (limit / 2));
                limit = (2 * limit).min(LONGEST);
            }
        }
        false
    }

    /// Releases a lock. Only its owner may.
    #[inline(always)]
    pub fn unlock(self, patch: u32, owner: u32) {
        debug_assert_eq!(
            self.owner(patch),
            Some(owner),
            "patch {patch} is not locked by {owner}"
        );
        self.words.release(patch, FREE);
    }

    /// Returns the owner of the lock of a patch; it may have changed by the time the answer is read, unless it is the
    /// caller.
    #[inline(always)]
    pub fn owner(self, patch: u32) -> Option<u32> {
        self.words.load(patch).checked_sub(1)
    }
}

/// Pauses for some time.
#[inline(always)]
pub(super) fn pause(nanos: u32) {
    #[cfg(target_arch = "nvptx64")]
    cuda_std::thread::nanosleep(nanos);
    #[cfg(not(target_arch = "nvptx64"))]
    for _ in 0..nanos / 16 {
        core::hint::spin_loop();
    }
}
