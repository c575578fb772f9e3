//! Memory of the GPU: taken and given back, cleared, copied, read.

use super::driver::Known;
use super::{CudaEngine, driver};
use crate::engine::launch::Launcher as _;
use crate::engine::memory::Memory;
use crate::engine::{EngineError, Foreign, KeptContext, fault_error, fault_over};
use rxmesh_kernels::mem::{FAULT_WORDS, Fault, Global, GlobalMut};
use rxmesh_kernels::readback::Readback;
use std::sync::PoisonError;

/// Bytes of page-locked memory for reads. Longer ones go straight to where they are wanted, for which the driver waits.
pub(super) const READBACK_BYTES: usize = 64 * 1024;

/// The most bytes of a read that a kernel copies there. It has written them before the copy engine would have begun.
const READBACK_BY_KERNEL: usize = 8 * 1024;

impl Memory for CudaEngine {
    fn allocate(&self, bytes: usize, zero: bool) -> Result<*mut u8, EngineError> {
        self.enter()?;
        let at = driver::allocate(self.pool.as_ref(), bytes, &self.stream)? as *mut u8;
        if zero {
            // SAFETY: as long, and new.
            unsafe { self.clear(at, bytes) }?;
        }
        Ok(at)
    }

    unsafe fn free(&self, at: *mut u8, _bytes: usize) {
        // Memory is dropped anywhere, where nothing else of this library runs: the thread's context stays.
        let _kept = KeptContext::new();
        if self.enter().is_ok() {
            // SAFETY: the caller's; kernels that use it were launched on the stream before.
            unsafe { driver::free(at as u64, self.pool.is_some(), &self.stream) };
        }
    }

    unsafe fn clear(&self, at: *mut u8, bytes: usize) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: the caller's.
        unsafe { driver::clear(at as u64, bytes, &self.stream) }
    }

    unsafe fn write(&self, at: *mut u8, data: &[u8]) -> Result<(), EngineError> {
        if data.is_empty() {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: the caller's. Pageable host memory is read before the call returns; for other memory the stream is
        // waited for below.
        let entered = unsafe { driver::upload(at as u64, data, &self.stream) };
        let ends = [data.as_ptr(), &raw const data[data.len() - 1]];
        if ends.iter().any(|&end| Known::at(end as u64).is_known()) {
            // The copy engine reads it after the call: the caller may change or free it as soon as this returns.
            driver::wait(&self.stream)?;
        }
        entered
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, bytes: usize) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: the caller's.
        unsafe { driver::copy(to as u64, from as u64, bytes, &self.stream) }
    }

    unsafe fn read(&self, parts: &mut [(*const u8, &mut [u8])]) -> Result<(), EngineError> {
        self.enter()?;
        let mut readback = self.readback.lock().unwrap_or_else(PoisonError::into_inner);
        let entered = self.enter_downloads(parts, &mut readback);
        // Also after an error: copies that were entered before it write to the caller's memory.
        driver::wait(&self.stream)?;
        entered?;
        let mut at = 0;
        for (_, out) in parts {
            let end = at + out.len();
            if end <= READBACK_BYTES {
                out.copy_from_slice(&readback[at..end]);
                at = end;
            }
        }
        self.faults()
    }

    unsafe fn take(&self, to: *mut u8, array: Foreign, bytes: usize) -> Result<(), EngineError> {
        self.has_foreign(array.address, bytes)?;
        // SAFETY: the caller's; the driver knows the array as one piece.
        unsafe { self.copy_on(array.stream, to as u64, array.address, bytes) }
    }

    unsafe fn give(
        &self,
        array: Foreign,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), EngineError> {
        self.has_foreign(array.address, bytes)?;
        // SAFETY: the caller's; the driver knows the array as one piece.
        unsafe { self.copy_on(array.stream, array.address, from as u64, bytes) }
    }

    fn trim(&self) -> Result<u64, EngineError> {
        let Some(pool) = &self.pool else {
            return Ok(0);
        };
        self.enter()?;
        // Memory is given back to the pool when the stream comes to it.
        driver::wait(&self.stream)?;
        let before = pool.reserved()?;
        pool.trim()?;
        Ok(before.saturating_sub(pool.reserved()?))
    }

    fn fault(&self) -> Fault {
        // SAFETY: allocated and zeroed in `new`, lives as long as the engine.
        unsafe { fault_over(self.fault as *mut u32) }
    }

    fn take_fault(&self) -> Result<(), EngineError> {
        // SAFETY: no piece.
        unsafe { self.read(&mut []) }
    }
}

impl CudaEngine {
    /// Starts the copies of [`Memory::read`], each to the read-back buffer while that has space.
    fn enter_downloads(
        &self,
        parts: &mut [(*const u8, &mut [u8])],
        readback: &mut [u8],
    ) -> Result<(), EngineError> {
        if self.read_back_by_kernel(parts)? {
            return Ok(());
        }
        let mut at = 0;
        for (from, out) in parts.iter_mut() {
            let end = at + out.len();
            if end <= READBACK_BYTES {
                self.download(*from, &mut readback[at..end])?;
                at = end;
            } else {
                self.download(*from, out)?;
            }
        }
        Ok(())
    }

    /// Copies all parts to the read-back buffer by kernels, if they are few whole words. The caller has locked the
    /// buffer.
    fn read_back_by_kernel(&self, parts: &[(*const u8, &mut [u8])]) -> Result<bool, EngineError> {
        let whole = |n: usize| n.is_multiple_of(size_of::<u32>());
        let bytes: usize = parts.iter().map(|(_, out)| out.len()).sum();
        if bytes > READBACK_BY_KERNEL
            || !parts
                .iter()
                .all(|(from, out)| whole(*from as usize) && whole(out.len()))
        {
            return Ok(false);
        }
        let mut to = self.readback_address;
        for two in parts.chunks(2) {
            let words = |i: usize| match two.get(i) {
                // SAFETY: live device memory of at least this size, aligned as was asked above, which kernels that
                // write it have left before this one runs.
                Some((from, out)) => unsafe {
                    let words = (out.len() / size_of::<u32>()) as u32;
                    Global::new(from.cast::<u32>(), words)
                },
                None => GlobalMut::empty().read(),
            };
            let (first, second) = (words(0), words(1));
            let n = first.len() + second.len();
            if n > 0 {
                // SAFETY: page-locked memory, behind what is copied already and as long as is left (contract U4).
                let to = unsafe { GlobalMut::new(to as *mut u32, n) };
                self.run_flat(n, Readback { first, second, to })?;
            }
            to += u64::from(n) * size_of::<u32>() as u64;
        }
        Ok(true)
    }

    /// Returns and clears the fault that kernels have raised, if any. The caller holds the lock of the read-back
    /// buffer.
    fn faults(&self) -> Result<(), EngineError> {
        // SAFETY: a word of page-locked memory that lives as long as the engine; the GPU may write it meanwhile.
        let word = |i: usize| unsafe { self.faults.as_ptr().add(i).read_volatile() };
        if word(1) == 0 {
            return Ok(());
        }
        // Another thread's kernel may be writing the details still.
        driver::wait(&self.stream)?;
        let faults = std::array::from_fn(word);
        for i in 0..FAULT_WORDS {
            // SAFETY: as above; kernels write atomically.
            unsafe { self.faults.as_ptr().cast_mut().add(i).write_volatile(0) };
        }
        fault_error(faults)
    }

    /// Starts a copy to the host. The caller waits for the stream before it reads or frees `out`.
    fn download(&self, at: *const u8, out: &mut [u8]) -> Result<(), EngineError> {
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: live device memory of at least this size; the caller, `read`, waits for the stream before `out` is
        // used.
        unsafe { driver::download(at as u64, out, &self.stream) }
    }
}
