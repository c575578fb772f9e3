//! Memory of engines: the interface that is the same for all of them.

use super::{EngineError, Foreign};
use rxmesh_kernels::mem::Fault;

/// Memory of an engine, and the words there in which kernels report faults. Calls are virtual, one for an allocation or
/// a copy.
///
/// Addresses that the unsafe methods get lie in live memory of this engine with that many bytes from there on (contract
/// U4 of docs/inside/unsafe.md). Where no stream orders accesses ([`Policy::ordered`](super::policy::Policy::ordered)),
/// the caller has claimed them.
pub(super) trait Memory {
    /// Allocates a number of bytes, more than none; they are zero if `zero` is set.
    fn allocate(&self, bytes: usize, zero: bool) -> Result<*mut u8, EngineError>;

    /// Frees memory after the launches so far.
    ///
    /// # Safety
    ///
    /// `at` came from [`Memory::allocate`] with the same size; nothing but launches so far uses it.
    unsafe fn free(&self, at: *mut u8, bytes: usize);

    /// Sets bytes to zero.
    ///
    /// # Safety
    ///
    /// See the [trait](Memory).
    unsafe fn clear(&self, at: *mut u8, bytes: usize) -> Result<(), EngineError>;

    /// Copies from the host, which may change `data` after the call.
    ///
    /// # Safety
    ///
    /// See the [trait](Memory).
    unsafe fn write(&self, at: *mut u8, data: &[u8]) -> Result<(), EngineError>;

    /// Copies between two pieces that do not overlap.
    ///
    /// # Safety
    ///
    /// See the [trait](Memory).
    unsafe fn copy(&self, to: *mut u8, from: *const u8, bytes: usize) -> Result<(), EngineError>;

    /// Copies several pieces to the host, with one wait for the launches so far, and reports a fault of them.
    ///
    /// # Safety
    ///
    /// See the [trait](Memory).
    unsafe fn read(&self, pieces: &mut [(*const u8, &mut [u8])]) -> Result<(), EngineError>;

    /// Copies all bytes of an array that the engine does not own, in the order of the array's stream.
    ///
    /// # Safety
    ///
    /// See the [trait](Memory); the array is as [`Engine::copy_of`](super::Engine::copy_of) asks.
    unsafe fn take(&self, to: *mut u8, array: Foreign, bytes: usize) -> Result<(), EngineError>;

    /// Copies to an array that the engine does not own, in the order of the array's stream.
    ///
    /// # Safety
    ///
    /// As [`Memory::take`]; nothing else uses the array meanwhile.
    unsafe fn give(&self, array: Foreign, from: *const u8, bytes: usize)
    -> Result<(), EngineError>;

    /// Gives memory that is kept for later allocations back to the system, after the launches so far. Returns the
    /// number of bytes.
    fn trim(&self) -> Result<u64, EngineError>;

    /// Returns the words in which kernels report faults.
    fn fault(&self) -> Fault;

    /// Waits for the launches so far; returns the first fault that a kernel reported, and clears it.
    fn take_fault(&self) -> Result<(), EngineError>;
}
