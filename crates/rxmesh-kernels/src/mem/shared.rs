//! A view of a piece of the block's shared memory.

use super::atomic;
use core::marker::PhantomData;

/// `n` elements of the block's shared memory; `Copy`, because all the block's threads hold it.
///
/// Reads and writes are plain: within one phase no two threads may touch the same element unless
/// all only read, or all use the atomic methods.
#[derive(Debug)]
#[repr(C)]
pub struct Shared<T> {
    at: *mut T,
    n: u32,
    /// `true` if one thread alone uses the memory, so that atomic updates can be plain. Never on the device.
    alone: bool,
    of: PhantomData<T>,
}

impl<T> Clone for Shared<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Shared<T> {}

// SAFETY: a view is handed to the threads of one block, whose phases keep accesses disjoint
// (contract U3 of docs/inside/unsafe.md).
unsafe impl<T> Send for Shared<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Shared<T> {}

impl<T: bytemuck::Pod> Shared<T> {
    /// Creates a view of `n` elements; `alone` for a block of one thread.
    ///
    /// # Safety
    ///
    /// `at` is aligned and points to `n` elements while the view is used, or the view is never accessed
    /// (contract U2).
    #[inline(always)]
    pub(crate) unsafe fn new(at: *mut T, n: u32, alone: bool) -> Self {
        Shared {
            at,
            n,
            alone,
            of: PhantomData,
        }
    }

    /// Returns a view of nothing.
    #[inline(always)]
    pub fn empty() -> Self {
        Shared {
            at: core::ptr::dangling_mut(),
            n: 0,
            alone: false,
            of: PhantomData,
        }
    }

    /// Returns `true` if plain updates suffice.
    #[inline(always)]
    fn plain(self) -> bool {
        cfg!(not(target_arch = "nvptx64")) && self.alone
    }

    /// Replaces element `i` by `f` of it; returns the old value. For memory that one thread alone uses.
    #[inline(always)]
    fn update(self, i: u32, f: impl FnOnce(T) -> T) -> T {
        let old = self.get(i);
        self.set(i, f(old));
        old
    }

    /// Returns the number of elements.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.n
    }

    /// Returns `true` if there is no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.n == 0
    }

    /// Returns element `i`.
    #[inline(always)]
    pub fn get(self, i: u32) -> T {
        debug_assert!(i < self.n, "shared read at {i} of {}", self.n);
        // SAFETY: in range by the plan, no concurrent write in this phase (contracts U2, U3).
        unsafe { *self.at.add(i as usize) }
    }

    /// Sets element `i`.
    #[inline(always)]
    pub fn set(self, i: u32, v: T) {
        debug_assert!(i < self.n, "shared write at {i} of {}", self.n);
        // SAFETY: in range by the plan, no concurrent access in this phase (contracts U2, U3).
        unsafe { *self.at.add(i as usize) = v }
    }

    /// Returns the same bytes as elements of another type.
    #[inline(always)]
    pub fn cast<U: bytemuck::Pod>(self) -> Shared<U> {
        Shared {
            at: self.at.cast(),
            n: (self.n as usize * size_of::<T>() / size_of::<U>()) as u32,
            alone: self.alone,
            of: PhantomData,
        }
    }

    /// Returns elements `from..from + n`.
    #[inline(always)]
    pub fn part(self, from: u32, n: u32) -> Self {
        debug_assert!(from + n <= self.n, "shared part {from} + {n} of {}", self.n);
        Shared {
            // SAFETY: inside this view.
            at: unsafe { self.at.add(from as usize) },
            n,
            alone: self.alone,
            of: PhantomData,
        }
    }
}

impl<T: bytemuck::Pod> Shared<T> {
    /// Returns the first `n` elements as a slice, for a block of one thread that uses no other view of them meanwhile.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fn slice<'a>(self, n: u32) -> &'a mut [T] {
        debug_assert!(n <= self.n, "a slice of {n} of {}", self.n);
        // SAFETY: live and aligned (contracts U2, U4); one thread alone accesses these elements in this phase (contract
        // U3).
        unsafe { core::slice::from_raw_parts_mut(self.at, n as usize) }
    }
}

impl Shared<u32> {
    /// Sets elements `4 i .. 4 i + 4` in one 16-byte access; pieces of a plan start at a multiple of 16 bytes.
    #[inline(always)]
    pub fn set4(self, i: u32, v: [u32; 4]) {
        debug_assert!(
            4 * i + 4 <= self.n,
            "shared write at {i} of {} fours",
            self.n / 4
        );
        // SAFETY: in range by the plan, no concurrent access in this phase (contracts U2, U3).
        unsafe {
            let at = self.at.add(4 * i as usize);
            #[cfg(target_arch = "nvptx64")]
            cuda_std::mem::st_shared_v4_u32(at, v);
            #[cfg(not(target_arch = "nvptx64"))]
            {
                *at.cast::<[u32; 4]>() = v;
            }
        }
    }

    /// Returns element `i`, which other threads may be changing atomically.
    #[inline(always)]
    pub fn load(self, i: u32) -> u32 {
        debug_assert!(i < self.n, "shared load at {i} of {}", self.n);
        // SAFETY: in range; all concurrent accesses of the phase are atomic (contract U3).
        unsafe { atomic::load(self.at.add(i as usize)) }
    }

    /// Adds to element `i` atomically and returns the old value.
    #[inline(always)]
    pub fn fetch_add(self, i: u32, v: u32) -> u32 {
        debug_assert!(i < self.n, "shared add at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |old| old.wrapping_add(v));
        }
        // SAFETY: in range; all concurrent accesses of the phase are atomic (contract U3).
        unsafe { atomic::fetch_add(self.at.add(i as usize), v) }
    }

    /// Replaces element `i` by the smaller of it and `v`, atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_min(self, i: u32, v: u32) -> u32 {
        debug_assert!(i < self.n, "shared min at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |old| old.min(v));
        }
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_min(self.at.add(i as usize), v) }
    }

    /// Sets the bits of `v` in element `i` atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_or(self, i: u32, v: u32) -> u32 {
        debug_assert!(i < self.n, "shared or at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |old| old | v);
        }
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_or(self.at.add(i as usize), v) }
    }

    /// Keeps the bits of `v` in element `i` atomically; returns the old value.
    #[inline(always)]
    pub fn fetch_and(self, i: u32, v: u32) -> u32 {
        debug_assert!(i < self.n, "shared and at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |old| old & v);
        }
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_and(self.at.add(i as usize), v) }
    }

    /// Replaces element `i` atomically; returns the old value.
    #[inline(always)]
    pub fn swap(self, i: u32, v: u32) -> u32 {
        debug_assert!(i < self.n, "shared swap at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |_| v);
        }
        // SAFETY: as `fetch_add`.
        unsafe { atomic::swap(self.at.add(i as usize), v) }
    }

    /// Replaces element `i` by `new` if it is `old`, atomically; returns the old value.
    #[inline(always)]
    pub fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32 {
        debug_assert!(i < self.n, "shared exchange at {i} of {}", self.n);
        if self.plain() {
            return self.update(i, |was| if was == old { new } else { was });
        }
        // SAFETY: as `fetch_add`.
        unsafe { atomic::compare_exchange(self.at.add(i as usize), old, new) }
    }
}

impl Shared<f32> {
    /// Returns elements `i .. i + N`. A pair at an even place is one access on a GPU: pieces of a plan start at a
    /// multiple of 16 bytes.
    #[inline(always)]
    pub fn several<const N: usize>(self, i: u32) -> [f32; N] {
        debug_assert!(i + N as u32 <= self.n, "shared read at {i} of {}", self.n);
        #[cfg(target_arch = "nvptx64")]
        if N == 2 {
            let both = self.cast::<u64>().get(i / 2);
            return core::array::from_fn(|k| f32::from_bits((both >> (32 * k)) as u32));
        }
        core::array::from_fn(|k| self.get(i + k as u32))
    }

    /// Sets elements `i .. i + N`; a pair as [`Shared::several`] reads it.
    #[inline(always)]
    pub fn put<const N: usize>(self, i: u32, v: [f32; N]) {
        debug_assert!(i + N as u32 <= self.n, "shared write at {i} of {}", self.n);
        #[cfg(target_arch = "nvptx64")]
        if N == 2 {
            let both = u64::from(v[1 % N].to_bits()) << 32 | u64::from(v[0].to_bits());
            return self.cast::<u64>().set(i / 2, both);
        }
        let mut k = 0;
        while k < N {
            self.set(i + k as u32, v[k]);
            k += 1;
        }
    }

    /// Returns elements `4 i .. 4 i + 4` in one 16-byte access; pieces of a plan start at a multiple of 16 bytes.
    #[inline(always)]
    pub fn get4(self, i: u32) -> [f32; 4] {
        debug_assert!(
            4 * i + 4 <= self.n,
            "shared read at {i} of {} fours",
            self.n / 4
        );
        // SAFETY: in range by the plan, no concurrent write in this phase (contracts U2, U3).
        unsafe {
            let at = self.at.add(4 * i as usize);
            #[cfg(target_arch = "nvptx64")]
            return cuda_std::mem::ld_shared_v4_f32(at);
            #[cfg(not(target_arch = "nvptx64"))]
            *at.cast::<[f32; 4]>()
        }
    }

    /// Adds to element `i` atomically.
    #[inline(always)]
    pub fn add(self, i: u32, v: f32) {
        debug_assert!(i < self.n, "shared add at {i} of {}", self.n);
        if self.plain() {
            self.update(i, |old| old + v);
            return;
        }
        // SAFETY: in range; all concurrent accesses of the phase are atomic (contract U3).
        unsafe { atomic::add_f32_shared(self.at.add(i as usize), v) }
    }
}
