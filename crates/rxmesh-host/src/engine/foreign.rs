//! Arrays in an engine's memory that another library made and owns.

#[cfg(feature = "cuda")]
use super::cuda;
use super::{Backend, Buffer, Engine, EngineError};
use std::marker::PhantomData;

/// An array that another library keeps in the memory of an engine: a tensor on the GPU, say. On an engine of the CPU it
/// lies in the program's own memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// Address of the first value, a multiple of the values' alignment.
    pub address: u64,
    /// Number of values.
    pub len: usize,
    /// The stream (a `CUstream`, which is a `cudaStream_t`) on which its owner works with it; 0 is the default stream.
    /// Work entered in it earlier than a copy runs before the copy, and work entered later runs after it, so neither
    /// side has to wait. A CPU engine ignores it.
    pub stream: u64,
}

impl Foreign {
    /// Returns the bytes of `len` values, after checking the address.
    fn bytes<T: bytemuck::Pod>(self) -> Result<usize, EngineError> {
        let wrong = |why| {
            Err(EngineError::Foreign {
                address: self.address,
                why,
            })
        };
        let Some(bytes) = self.len.checked_mul(size_of::<T>()) else {
            return wrong("has more bytes than there are addresses");
        };
        if bytes > 0 && self.address == 0 {
            return wrong("is nowhere: its address is 0");
        }
        if !self.address.is_multiple_of(align_of::<T>() as u64) {
            return wrong("is not at a multiple of its values' alignment");
        }
        if self.address.checked_add(bytes as u64).is_none() {
            return wrong("ends beyond the last address");
        }
        Ok(bytes)
    }
}

impl Engine {
    /// Returns a buffer with a copy of an array that another library made. The copy is ordered on the array's stream;
    /// the call does not wait for it.
    ///
    /// On a GPU the address, the device and the size are checked: the array lies in one piece of this GPU's memory, as
    /// the driver knows it.
    ///
    /// # Errors
    ///
    /// [`EngineError::Foreign`] for an array that is not there or not as long, no memory, or what the driver says.
    ///
    /// # Safety
    ///
    /// The array lives, with that many values, until the copy is done, and only work of its stream writes it (contract
    /// U4 of docs/inside/unsafe.md); the stream belongs to this process and the same GPU.
    pub unsafe fn copy_of<T: bytemuck::Pod>(
        &self,
        array: Foreign,
    ) -> Result<Buffer<T>, EngineError> {
        let bytes = array.bytes::<T>()?;
        let buffer = self.uninit(array.len)?;
        if bytes == 0 {
            return Ok(buffer);
        }
        // SAFETY: the caller's for the source; the buffer is new and as long.
        unsafe { self.memory().take(buffer.start(), array, bytes) }?;
        Ok(buffer)
    }

    /// Works like [`Engine::copy_of`], for bytes, as words: the bytes after the last one are zeroes.
    ///
    /// # Errors
    ///
    /// As [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`].
    pub(crate) unsafe fn copy_of_bytes(&self, array: Foreign) -> Result<Buffer<u32>, EngineError> {
        let bytes = array.bytes::<u8>()?;
        let buffer = self.zeroed(bytes.div_ceil(size_of::<u32>()))?;
        if bytes == 0 {
            return Ok(buffer);
        }
        // SAFETY: the caller's for the source; the buffer is new and at least as long.
        unsafe { self.memory().take(buffer.start(), array, bytes) }?;
        Ok(buffer)
    }
}

impl Engine {
    /// Returns the stream (a `CUstream`) that launches and copies of this engine run on, for owners of arrays that
    /// order their work with it; 0 on a CPU engine.
    pub fn stream(&self) -> u64 {
        match &self.0.backend {
            Backend::Cpu(_) => 0,
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.raw_stream(),
        }
    }

    /// Returns the number of the GPU; `None` on a CPU engine.
    pub fn gpu(&self) -> Option<u32> {
        match &self.0.backend {
            Backend::Cpu(_) => None,
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => Some(cuda.ordinal()),
        }
    }

    /// Returns the number of the GPU in whose memory an address lies, as the driver knows it; `None` on a CPU engine.
    pub fn gpu_of(&self, address: u64) -> Option<u32> {
        match &self.0.backend {
            Backend::Cpu(_) => {
                let _ = address;
                None
            }
            #[cfg(feature = "cuda")]
            Backend::Cuda(cuda) => cuda.gpu_of(address),
        }
    }

    /// Has all later work of this engine wait for the work that another stream of the same GPU was given so far. The
    /// call does not wait. A CPU engine ignores it.
    ///
    /// # Errors
    ///
    /// Errors of the driver.
    ///
    /// # Safety
    ///
    /// The stream is alive and belongs to this process and the same GPU; 0 is the default stream.
    pub unsafe fn wait_for(&self, stream: u64) -> Result<(), EngineError> {
        match &self.0.backend {
            Backend::Cpu(_) => {
                let _ = stream;
                Ok(())
            }
            #[cfg(feature = "cuda")]
            // SAFETY: the caller's.
            Backend::Cuda(cuda) => unsafe { cuda.wait_for(stream) },
        }
    }
}

/// The CUDA context of this thread, which is current again when the value is dropped. An engine of a GPU makes its own
/// context current in every thread that calls it, which would change the GPU that other libraries of the process use.
#[derive(Debug)]
pub struct KeptContext {
    #[cfg(feature = "cuda")]
    context: Option<cuda::ThreadContext>,
    /// Belongs to one thread.
    _of: PhantomData<*const ()>,
}

impl KeptContext {
    /// Returns the context that is current; nothing is kept in a process that has not loaded the driver.
    #[expect(clippy::new_without_default, reason = "it is the state of the thread")]
    pub fn new() -> KeptContext {
        KeptContext {
            #[cfg(feature = "cuda")]
            context: cuda::ThreadContext::get(),
            _of: PhantomData,
        }
    }
}

#[cfg(feature = "cuda")]
impl Drop for KeptContext {
    fn drop(&mut self) {
        if let Some(context) = self.context.take() {
            context.set();
        }
    }
}

impl<T: bytemuck::Pod> Buffer<T> {
    /// Copies all values to an array of the same length that another library made. The copy follows all launches of
    /// this engine so far, and is ordered on the array's stream; the call does not wait for it. The next read reports a
    /// fault of a kernel.
    ///
    /// # Errors
    ///
    /// [`EngineError::Foreign`] as [`Engine::copy_of`], [`EngineError::Length`], or what the driver says.
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`]; nothing else uses the array meanwhile.
    pub unsafe fn copy_to(&self, array: Foreign) -> Result<(), EngineError> {
        let bytes = array.bytes::<T>()?;
        if array.len != self.len() {
            return Err(EngineError::Length {
                got: array.len,
                want: self.len(),
            });
        }
        if bytes == 0 {
            return Ok(());
        }
        let _claim = self.claim_to_read()?;
        // SAFETY: the caller's for the array; the buffer is as long and is not written meanwhile.
        unsafe { self.engine().memory().give(array, self.start(), bytes) }
    }
}
