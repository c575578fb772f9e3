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
