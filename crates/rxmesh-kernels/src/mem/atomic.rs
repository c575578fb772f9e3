//! Atomics, 32 bit and, for claims, 64 bit, named by intent. Kernels reach them through the views.

use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};

/// Views a 32-bit word as an atomic.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
unsafe fn cell<'a>(at: *mut u32) -> &'a AtomicU32 {
    // SAFETY: the caller's.
    unsafe { AtomicU32::from_ptr(at) }
}

/// Reads a word that other threads may be changing.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn load(at: *mut u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.load(Relaxed)
}

/// Writes a word that other threads may be reading or writing.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn store(at: *mut u32, v: u32) {
    // SAFETY: the caller's.
    unsafe { cell(at) }.store(v, Relaxed);
}

/// Adds; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_add(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.fetch_add(v, Relaxed)
}

/// Adds one to a counter in global memory and returns the old value, where many threads count.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_increment(at: *mut u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        cuda_std::atomic::fetch_increment_global(at)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        fetch_add(at, 1)
    }
}

/// Reads a word that other threads may have written.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn load_f64(at: *mut f64) -> f64 {
    // SAFETY: the caller's.
    f64::from_bits(unsafe { AtomicU64::from_ptr(at.cast()) }.load(Relaxed))
}

/// Adds one and returns the old value. A thread that sees the new value also sees the earlier writes of this thread,
/// and this thread sees those of the threads whose value it sees.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn arrive(at: *mut u32) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        cuda_std::thread::device_fence();
        let old = fetch_add(at, 1);
        cuda_std::thread::device_fence();
        old
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        cell(at).fetch_add(1, core::sync::atomic::Ordering::AcqRel)
    }
}

/// Stores the minimum; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_min(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.fetch_min(v, Relaxed)
}

/// Stores the maximum; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_max(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.fetch_max(v, Relaxed)
}

/// Replaces; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn swap(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.swap(v, Relaxed)
}

/// Stores the bitwise or; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_or(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.fetch_or(v, Relaxed)
}

/// Stores the bitwise and; returns the old value.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn fetch_and(at: *mut u32, v: u32) -> u32 {
    // SAFETY: the caller's.
    unsafe { cell(at) }.fetch_and(v, Relaxed)
}

/// Replaces `old` by `new`; returns the old value, which is `old` when it was replaced.
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn compare_exchange(at: *mut u32, old: u32, new: u32) -> u32 {
    // SAFETY: the caller's.
    match unsafe { cell(at) }.compare_exchange(old, new, Relaxed, Relaxed) {
        Ok(was) | Err(was) => was,
    }
}

/// Replaces `old` by `new` and returns `true` if it did: then this thread sees everything written before the
/// [`release`] that wrote `old` (contract U6).
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn acquire(at: *mut u32, old: u32, new: u32) -> bool {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        let done = compare_exchange(at, old, new) == old;
        if done {
            cuda_std::thread::device_fence();
        }
        done
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        let cell = cell(at);
        cell.compare_exchange(old, new, core::sync::atomic::Ordering::Acquire, Relaxed)
            .is_ok()
    }
}

/// Writes `v`: everything that this thread has written before, and has seen of others, is seen by a thread that
/// [`acquire`]s it (contract U6).
///
/// # Safety
///
/// `at` is valid for atomic access (contract U3 of docs/inside/unsafe.md).
#[inline(always)]
pub unsafe fn release(at: *mut u32, v: u32) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        cuda_std::thread::device_fence();
        store(at, v);
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        cell(at).store(v, core::sync::atomic::Ordering::Release);
    }
}

/// Orders this thread's accesses of global memory before and after it, as all blocks see them; with relaxed atomics on
/// either side it does what [`acquire`] and [`release`] do (contract U6).
#[inline(always)]
pub fn fence() {
    #[cfg(target_arch = "nvptx64")]
    cuda_std::thread::device_fence();
    #[cfg(not(target_arch = "nvptx64"))]
    core::sync::atomic::fence(core::sync::atomic::Ordering::AcqRel);
}

/// Views a 64-bit word as an atomic.
///
/// # Safety
///
/// `at` is aligned and valid for atomic access (contract U3).
#[inline(always)]
unsafe fn wide<'a>(at: *mut u64) -> &'a AtomicU64 {
    // SAFETY: the caller's.
    unsafe { AtomicU64::from_ptr(at) }
}

/// Reads 64 bits that other threads may be changing.
///
/// # Safety
///
/// `at` is aligned and valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn load_u64(at: *mut u64) -> u64 {
    // SAFETY: the caller's.
    unsafe { wide(at) }.load(Relaxed)
}

/// Writes 64 bits that other threads may be reading or writing.
///
/// # Safety
///
/// `at` is aligned and valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn store_u64(at: *mut u64, v: u64) {
    // SAFETY: the caller's.
    unsafe { wide(at) }.store(v, Relaxed);
}

/// Stores the minimum of 64 bits; returns the old value.
///
/// # Safety
///
/// `at` is aligned and valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn fetch_min_u64(at: *mut u64, v: u64) -> u64 {
    // SAFETY: the caller's.
    let cell = unsafe { wide(at) };
    // CPUs have no such instruction: if the value stays, a load saves the exchange that replaces the instruction.
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let old = cell.load(Relaxed);
        if old <= v {
            return old;
        }
    }
    cell.fetch_min(v, Relaxed)
}

/// Adds to 64 bits.
///
/// # Safety
///
/// `at` is aligned and valid for atomic access (contract U3).
#[inline(always)]
pub unsafe fn add_u64(at: *mut u64, v: u64) {
    // SAFETY: the caller's.
    unsafe { wide(at) }.fetch_add(v, Relaxed);
}

#[cfg(not(target_arch = "nvptx64"))]
#[inline(always)]
unsafe fn add_f32(at: *mut f32, v: f32) {
    // SAFETY: the caller's.
    let cell = unsafe { cell(at.cast()) };
    let mut old = cell.load(Relaxed);
    loop {
        let new = (f32::from_bits(old) + v).to_bits();
        match cell.compare_exchange_weak(old, new, Relaxed, Relaxed) {
            Ok(_) => return,
            Err(now) => old = now,
        }
    }
}

/// Adds to a float in shared memory.
///
/// # Safety
///
/// `at` is valid for atomic access and points to shared memory (contract U3).
#[inline(always)]
pub unsafe fn add_f32_shared(at: *mut f32, v: f32) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        cuda_std::atomic::add_f32_shared(at, v)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        add_f32(at, v)
    }
}

/// Adds to a float in global memory.
///
/// # Safety
///
/// `at` is valid for atomic access and points to global memory (contract U3).
#[inline(always)]
pub unsafe fn add_f32_global(at: *mut f32, v: f32) {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the caller's.
    unsafe {
        cuda_std::atomic::add_f32_global(at, v)
    }
    #[cfg(not(target_arch = "nvptx64"))]
    // SAFETY: the caller's.
    unsafe {
        add_f32(at, v)
    }
}
