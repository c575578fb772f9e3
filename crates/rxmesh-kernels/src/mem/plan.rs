//! The shared-memory plan: one function gives a kernel's needs, on the host and on the device.

use super::Shared;

/// Hands out pieces of a block's shared memory.
///
/// The same plan function runs in *measure* mode on the host, where it gives the launch's
/// shared-memory size, and in *carve* mode in the kernel, where it gives the pieces. No size is ever
/// written by hand.
#[derive(Debug)]
pub struct Plan {
    base: *mut u8,
    used: u32,
    peak: u32,
    alone: bool,
}

/// Most that a plan counts to.
#[cfg(not(target_arch = "nvptx64"))]
const MOST: u32 = u32::MAX - (PIECE_ALIGN - 1);

/// Every piece starts at a multiple of this many bytes.
const PIECE_ALIGN: u32 = 16;

impl Plan {
    /// Creates a plan that only counts.
    ///
    /// # Safety
    ///
    /// Its pieces are not accessed (contract U2 of docs/inside/unsafe.md).
    pub unsafe fn measure() -> Plan {
        // Not null, so that offsets from it are valid pointer arithmetic for `wrapping_add`.
        Plan {
            base: PIECE_ALIGN as usize as *mut u8,
            used: 0,
            peak: 0,
            alone: false,
        }
    }

    /// Creates a plan over real memory.
    ///
    /// # Safety
    ///
    /// `base` is aligned to 16 bytes and points to at least the bytes that the same plan function measures, which no
    /// other code uses while the pieces live (contract U2 of docs/inside/unsafe.md).
    #[inline(always)]
    pub unsafe fn carve(base: *mut u8) -> Plan {
        Plan {
            base,
            used: 0,
            peak: 0,
            alone: false,
        }
    }

    /// Works like [`Plan::carve`], for a block of one thread on the host: its atomic updates of shared memory become
    /// plain ones.
    ///
    /// # Safety
    ///
    /// As [`Plan::carve`], and only one thread uses the pieces (contract U2).
    #[cfg(not(target_arch = "nvptx64"))]
    #[inline(always)]
    pub unsafe fn carve_alone(base: *mut u8) -> Plan {
        Plan {
            base,
            used: 0,
            peak: 0,
            alone: true,
        }
    }

    /// Takes a piece of `n` elements, aligned to 16 bytes. Its content is undefined.
    #[inline(always)]
    pub fn take<T: bytemuck::Pod>(&mut self, n: u32) -> Shared<T> {
        let at = self.used;
        #[cfg(target_arch = "nvptx64")]
        {
            let bytes = n * size_of::<T>() as u32;
            self.used = (at + bytes).next_multiple_of(PIECE_ALIGN);
        }
        // A size that 32 bits cannot count is more than any engine has: the plan measures the largest number, and the
        // launch is refused.
        #[cfg(not(target_arch = "nvptx64"))]
        {
            let bytes = u64::from(n) * size_of::<T>() as u64;
            let end = (u64::from(at) + bytes).next_multiple_of(u64::from(PIECE_ALIGN));
            self.used = u32::try_from(end).unwrap_or(MOST);
        }
        if self.used > self.peak {
            self.peak = self.used;
        }
        // SAFETY: in carve mode the piece lies inside the memory that `carve` was given (contract U2).
        unsafe { Shared::new(self.base.wrapping_add(at as usize).cast(), n, self.alone) }
    }

    /// Returns the current end of the plan; give it to [`Plan::rewind`] to reuse the memory that is taken after it.
    #[inline(always)]
    pub fn mark(&self) -> u32 {
        self.used
    }

    /// Releases all memory that was taken since the mark. The pieces must not be used after that.
    #[inline(always)]
    pub fn rewind(&mut self, mark: u32) {
        self.used = mark;
    }

    /// Places the next piece after a mark that was given back, if the pieces taken before it end earlier: after two
    /// pieces that take turns in one place, of which the first may be the longer one.
    #[inline(always)]
    pub fn skip_to(&mut self, mark: u32) {
        if self.used < mark {
            self.used = mark;
        }
    }

    /// Returns the number of bytes needed: the most that was in use at any time.
    #[inline(always)]
    pub fn peak(&self) -> u32 {
        self.peak
    }
}
