//! Atomic accesses through views.

use super::super::atomic;
use super::GlobalMut;

impl GlobalMut<u32> {
    /// Sets element `i` atomically: several threads may set it at a time.
    #[inline(always)]
    pub fn store(self, i: u32, v: u32) {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::store(self.cell(i), v) }
    }

    /// Adds one to element `i` and returns the old value; orders memory as [`crate::exec::Block::arrive`] needs it.
    #[inline(always)]
    pub fn arrive(self, i: u32) -> u32 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::arrive(self.cell(i)) }
    }

    /// Adds to element `i` atomically and returns the old value.
    #[inline(always)]
    pub fn fetch_add(self, i: u32, v: u32) -> u32 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::fetch_add(self.cell(i), v) }
    }

    /// Adds one to element `i` atomically and returns the old value. For counters at which many threads meet: a GPU
    /// adds once for those of a warp that come together.
    #[inline(always)]
    pub fn fetch_increment(self, i: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_increment(self.cell(i)) }
    }

    /// Replaces element `i` by the smaller of it and `v`, atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_min(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_min(self.cell(i), v) }
    }

    /// Replaces element `i` by the larger of it and `v`, atomically.
    #[inline(always)]
    pub fn raise(self, i: u32, v: u32) {
        // SAFETY: as `fetch_add`.
        unsafe {
            // A CPU's locked instruction costs more than a load; a GPU's atomic unit does the comparison itself.
            #[cfg(not(target_arch = "nvptx64"))]
            if atomic::load(self.cell(i)) >= v {
                return;
            }
            atomic::fetch_max(self.cell(i), v);
        }
    }

    /// Replaces element `i`, atomically; returns the old value.
    #[inline(always)]
    pub fn swap(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::swap(self.cell(i), v) }
    }

    /// Returns element `i`, which other threads may be changing atomically.
    #[inline(always)]
    pub fn load(self, i: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::load(self.cell(i)) }
    }

    /// Sets the bits of `v` in element `i` atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_or(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_or(self.cell(i), v) }
    }

    /// Keeps the bits of `v` in element `i` atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_and(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_and(self.cell(i), v) }
    }

    /// Replaces element `i` by `new` if it is `old`, atomically; returns the old value.
    #[inline(always)]
    pub fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::compare_exchange(self.cell(i), old, new) }
    }

    /// Replaces element `i` by `new` if it is `old`, and returns `true` if it did. Then this thread, and after a
    /// barrier its block, sees everything that the thread that [`GlobalMut::release`]d `old`, and before a barrier its
    /// block, wrote until then (contract U6 of docs/inside/unsafe.md).
    #[inline(always)]
    pub fn acquire(self, i: u32, old: u32, new: u32) -> bool {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::acquire(self.cell(i), old, new) }
    }

    /// Sets element `i` atomically, for a later [`GlobalMut::acquire`] (contract U6).
    #[inline(always)]
    pub fn release(self, i: u32, v: u32) {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::release(self.cell(i), v) }
    }
}

impl GlobalMut<f64> {
    /// Returns element `i`, which another block may have written in this launch.
    #[inline(always)]
    pub fn load(self, i: u32) -> f64 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::load_f64(self.cell(i)) }
    }
}

impl GlobalMut<u64> {
    /// Returns element `i`, which other threads may be changing atomically.
    #[inline(always)]
    pub fn load(self, i: u32) -> u64 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::load_u64(self.cell(i)) }
    }

    /// Sets element `i` atomically: several threads may access it at a time.
    #[inline(always)]
    pub fn store(self, i: u32, v: u64) {
        // SAFETY: as `load`.
        unsafe { atomic::store_u64(self.cell(i), v) }
    }

    /// Replaces element `i` by the smaller of it and `v`, atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_min(self, i: u32, v: u64) -> u64 {
        // SAFETY: as `load`.
        unsafe { atomic::fetch_min_u64(self.cell(i), v) }
    }

    /// Adds to element `i` atomically.
    #[inline(always)]
    pub fn add(self, i: u32, v: u64) {
        // SAFETY: as `load`.
        unsafe { atomic::add_u64(self.cell(i), v) }
    }
}

impl GlobalMut<f32> {
    /// Adds to element `i` atomically.
    #[inline(always)]
    pub fn add(self, i: u32, v: f32) {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::add_f32_global(self.cell(i), v) }
    }
}
