//! Memory of the CPU engine.
//!
//! Large pieces are mapped directly, in pages of 2 MiB if the system has them (Linux, unless transparent huge pages are
//! disabled): accesses in random order miss the TLB less often, and one page fault takes the place of five hundred. A
//! piece is not touched until the program writes to it, so an unused piece takes no memory.

use std::alloc::Layout;

/// Alignment of every piece: a cache line.
const ALIGN: usize = 64;

/// Bytes from which a piece comes from the system by itself. Smaller ones are used again by the allocator, which is
/// faster than to prepare them again.
#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
const LARGE: usize = 12 << 20;

/// Returns `bytes` zero bytes; `None` if memory is used up.
pub(super) fn allocate(bytes: usize) -> Option<*mut u8> {
    debug_assert!(bytes > 0, "a piece of nothing");
    #[cfg(target_os = "linux")]
    if bytes >= LARGE {
        return large::allocate(bytes);
    }
    let layout = Layout::from_size_align(bytes, ALIGN).ok()?;
    // SAFETY: the size is not zero.
    let at = unsafe { std::alloc::alloc_zeroed(layout) };
    (!at.is_null()).then_some(at)
}

/// Gives memory back.
///
/// # Safety
///
/// `at` came from [`allocate`] with the same size and is not used afterwards.
pub(super) unsafe fn free(at: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    if bytes >= LARGE {
        // SAFETY: the caller's.
        return unsafe { large::free(at, bytes) };
    }
    if let Ok(layout) = Layout::from_size_align(bytes, ALIGN) {
        // SAFETY: the caller's.
        unsafe { std::alloc::dealloc(at, layout) };
    }
}

#[cfg(target_os = "linux")]
mod large {
    use rustix::mm::{Advice, MapFlags, ProtFlags, madvise, mmap_anonymous, munmap};

    pub(super) fn allocate(bytes: usize) -> Option<*mut u8> {
        let both = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the system chooses where, so that nothing that is there goes away.
        let at = unsafe { mmap_anonymous(std::ptr::null_mut(), bytes, both, MapFlags::PRIVATE) };
        let at = at.ok()?;
        // SAFETY: the piece of before; the advice changes nothing but how large its pages are. Whether it is taken is
        // no matter.
        let _ = unsafe { madvise(at, bytes, Advice::LinuxHugepage) };
        Some(at.cast())
    }

    /// # Safety
    ///
    /// `at` came from [`allocate`] with the same size and is not used afterwards.
    pub(super) unsafe fn free(at: *mut u8, bytes: usize) {
        // SAFETY: the caller's. It fails for pieces alone that are none.
        let _ = unsafe { munmap(at.cast(), bytes) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_zero_and_aligned() {
        for bytes in [1, 63, 4096, LARGE - 1, LARGE, LARGE + 1, 33 << 20] {
            for _ in 0..2 {
                let at = allocate(bytes).expect("memory");
                assert!((at as usize).is_multiple_of(ALIGN));
                // SAFETY: a piece of `bytes` bytes that nothing else uses.
                let piece = unsafe { std::slice::from_raw_parts_mut(at, bytes) };
                assert!(piece.iter().all(|&b| b == 0), "{bytes}");
                piece.fill(1);
                // SAFETY: from `allocate`, and not used afterwards.
                unsafe { free(at, bytes) };
            }
        }
    }

    #[test]
    fn more_than_there_is_is_nothing() {
        assert!(allocate(isize::MAX as usize / 2).is_none());
        assert!(allocate(usize::MAX).is_none());
    }
}
