//! Memory of other programs on the same GPU.

use super::driver::Known;
use super::{CudaEngine, driver};
use crate::engine::EngineError;

impl CudaEngine {
    /// Refuses an address that does not begin `bytes` bytes within one allocation of this GPU's memory.
    pub(super) fn has_foreign(&self, address: u64, bytes: usize) -> Result<(), EngineError> {
        self.enter()?;
        let wrong = |why| Err(EngineError::Foreign { address, why });
        let known = Known::at(address);
        if !known.is_on_device() {
            return wrong("does not lie in the memory of a GPU");
        }
        if known.ordinal() != Some(u64::from(self.ordinal)) {
            return wrong("lies in the memory of another GPU");
        }
        match known.range() {
            Some((start, size)) if address + bytes as u64 <= start.saturating_add(size) => Ok(()),
            _ => wrong("is longer than the piece of memory that it lies in"),
        }
    }

    /// Returns the number of the GPU.
    pub(in crate::engine) fn ordinal(&self) -> u32 {
        self.ordinal
    }

    /// Returns the number of the GPU in whose memory an address lies.
    pub(in crate::engine) fn gpu_of(&self, address: u64) -> Option<u32> {
        self.enter().ok()?;
        let known = Known::at(address);
        let number = known.ordinal().filter(|_| known.is_on_device())?;
        u32::try_from(number).ok()
    }

    /// Returns the stream as other libraries name it.
    pub(in crate::engine) fn raw_stream(&self) -> u64 {
        driver::raw_stream(&self.stream)
    }

    /// Has later work of this engine's stream wait for all that another stream was given so far.
    ///
    /// # Safety
    ///
    /// The stream is alive and of this GPU.
    pub(in crate::engine) unsafe fn wait_for(&self, stream: u64) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: the caller's.
        unsafe { driver::wait_for(&self.stream, stream) }
    }

    /// Copies between this engine's memory and memory of another owner, after all work entered so far in this engine's
    /// stream and in the owner's, and before all work entered in either later.
    ///
    /// # Safety
    ///
    /// Ours is live and as long; the array and its stream are as [`Memory::take`](crate::engine::memory::Memory::take)
    /// asks, and [`CudaEngine::has_foreign`] has checked the array.
    pub(super) unsafe fn copy_on(
        &self,
        stream: u64,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: the caller's.
        unsafe { driver::copy_between(&self.stream, stream, [to, from], bytes) }
    }
}
