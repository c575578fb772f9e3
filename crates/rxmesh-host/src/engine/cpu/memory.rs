//! Memory of the CPU engine: pages of the process.

use super::{Cpu, pages};
use crate::engine::memory::Memory;
use crate::engine::{EngineError, Foreign, fault_error, fault_over};
use rxmesh_kernels::mem::Fault;
use std::ptr::{copy_nonoverlapping, with_exposed_provenance, with_exposed_provenance_mut};
use std::sync::atomic::Ordering::Relaxed;

impl Memory for Cpu {
    /// Memory comes from the system as zeroes.
    fn allocate(&self, bytes: usize, _zero: bool) -> Result<*mut u8, EngineError> {
        pages::allocate(bytes).ok_or(EngineError::OutOfMemory {
            engine: "the CPU engine",
            bytes,
        })
    }

    unsafe fn free(&self, at: *mut u8, bytes: usize) {
        // SAFETY: the caller's.
        unsafe { pages::free(at, bytes) };
    }

    unsafe fn clear(&self, at: *mut u8, bytes: usize) -> Result<(), EngineError> {
        // SAFETY: the caller's.
        unsafe { at.write_bytes(0, bytes) };
        Ok(())
    }

    unsafe fn write(&self, at: *mut u8, data: &[u8]) -> Result<(), EngineError> {
        // SAFETY: the caller's; `data` is other memory.
        unsafe { copy_nonoverlapping(data.as_ptr(), at, data.len()) };
        Ok(())
    }

    unsafe fn copy(&self, to: *mut u8, from: *const u8, bytes: usize) -> Result<(), EngineError> {
        // SAFETY: the caller's.
        unsafe { copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    unsafe fn read(&self, pieces: &mut [(*const u8, &mut [u8])]) -> Result<(), EngineError> {
        for (from, out) in pieces {
            // SAFETY: the caller's; `out` is other memory.
            unsafe { copy_nonoverlapping(*from, out.as_mut_ptr(), out.len()) };
        }
        self.take_fault()
    }

    unsafe fn take(&self, to: *mut u8, array: Foreign, bytes: usize) -> Result<(), EngineError> {
        let from = with_exposed_provenance::<u8>(array.address as usize);
        // SAFETY: the caller's.
        unsafe { copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    unsafe fn give(
        &self,
        array: Foreign,
        from: *const u8,
        bytes: usize,
    ) -> Result<(), EngineError> {
        let to = with_exposed_provenance_mut::<u8>(array.address as usize);
        // SAFETY: the caller's.
        unsafe { copy_nonoverlapping(from, to, bytes) };
        Ok(())
    }

    /// Nothing is kept: the system's allocator has all memory that is given back.
    fn trim(&self) -> Result<u64, EngineError> {
        Ok(0)
    }

    fn fault(&self) -> Fault {
        // SAFETY: the words live as long as the engine and are atomics.
        unsafe { fault_over(self.fault.as_ptr().cast::<u32>().cast_mut()) }
    }

    fn take_fault(&self) -> Result<(), EngineError> {
        let words = std::array::from_fn(|i| self.fault[i].swap(0, Relaxed));
        fault_error(words)
    }
}
