//! Measurement of memory use.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, with counters.
struct Counted;

#[global_allocator]
static ALLOCATOR: Counted = Counted;

static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

fn count(bytes: usize) {
    let now = NOW.fetch_add(bytes, Relaxed) + bytes;
    MOST.fetch_max(now, Relaxed);
}

// SAFETY: every call is passed to the system's allocator unchanged, and its result is returned; nothing here allocates.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: the caller keeps `GlobalAlloc::alloc`'s contract, which is also the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        // SAFETY: as for `alloc`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the pointer is from `alloc`, `alloc_zeroed` or `realloc` above and so from the system's allocator,
        // with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size);
        NOW.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as for `dealloc`, and the caller keeps `GlobalAlloc::realloc`'s contract for the size.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Returns the result of `f`, and the peak of the bytes allocated while it ran, above those before.
pub(crate) fn peak<R>(f: impl FnOnce() -> R) -> (R, usize) {
    let before = NOW.load(Relaxed);
    MOST.store(before, Relaxed);
    let result = f();
    (result, MOST.load(Relaxed).saturating_sub(before))
}
