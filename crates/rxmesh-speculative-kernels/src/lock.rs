//! Locks of patches: bounded tries, with a back-off between them.

use rxmesh_kernels::math::hash;
use rxmesh_kernels::mem::GlobalMut;

/// What the lock of a patch that nobody has holds.
const FREE: u32 = 0;

/// Limits of the back-off, in nanoseconds: the first one is about the time of an atomic operation on a GPU, the last
/// one about that of loading a patch.
const SHORTEST: u32 = 64;
const LONGEST: u32 = 4096;

rxmesh_kernels::args! {
    /// A lock for every patch, over a word each: 0 is free, else the owner's number and one (2024 paper, section 5.3;
    /// Herlihy et al., "The Art of Multiprocessor Programming", section 7.4).
    ///
    /// One elected thread of a block locks and unlocks for it, with a barrier after the one and before the other.
    /// Nobody waits (rule P6): who does not get a lock within its tries gives back those that it has, and comes again.
    /// Therefore there is no deadlock, in whatever order locks are taken.
    ///
    /// What the owner's block wrote to global memory before it unlocked, the next owner's block sees (contract U6 of
    /// docs/inside/unsafe.md).
    pub struct Locks {
        words: GlobalMut<u32>,
    }
}

impl Locks {
    /// Locks over a word for each patch, all zero at first.
    #[inline(always)]
    pub fn new(words: GlobalMut<u32>) -> Locks {
        Locks { words }
    }

    /// Number of locks.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.words.len()
    }

    /// Whether there is no lock.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.words.is_empty()
    }

    /// Tries to get the lock of a patch, at most `tries` times, and pauses between two tries: up to a limit that
    /// doubles with each. `owner` is a number below `u32::MAX` that no other block of the launch uses. An owner does
    /// not get a lock that it has already.
    #[inline(always)]
    pub fn try_lock(self, patch: u32, owner: u32, tries: u32) -> bool {
        debug_assert!(owner < u32::MAX, "{owner} is no owner's number");
        let (mut limit, mut tried) = (SHORTEST, 0);
        while tried < tries {
            // A look first: an exchange that fails costs the owner's release time.
            if self.words.load(patch) == FREE && self.words.acquire(patch, FREE, owner + 1) {
                return true;
            }
            tried += 1;
            if tried < tries {
                // Not all of those that collided come again together.
                pause(limit / 2 + hash(owner ^ tried << 16) % (limit / 2));
                limit = (2 * limit).min(LONGEST);
            }
        }
        false
    }

    /// Gives a lock back. Only its owner may.
    #[inline(always)]
    pub fn unlock(self, patch: u32, owner: u32) {
        debug_assert_eq!(
            self.owner(patch),
            Some(owner),
            "patch {patch} is not locked by {owner}"
        );
        self.words.release(patch, FREE);
    }

    /// Who has the lock of a patch; by the time the answer is read it may be somebody else, unless it is the one who
    /// asks.
    #[inline(always)]
    pub fn owner(self, patch: u32) -> Option<u32> {
        self.words.load(patch).checked_sub(1)
    }
}

/// Lets some time pass.
#[inline(always)]
pub(super) fn pause(nanos: u32) {
    #[cfg(target_arch = "nvptx64")]
    cuda_std::thread::nanosleep(nanos);
    #[cfg(not(target_arch = "nvptx64"))]
    for _ in 0..nanos / 16 {
        core::hint::spin_loop();
    }
}
