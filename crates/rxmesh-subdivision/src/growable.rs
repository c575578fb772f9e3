//! Growable buffers.

use crate::launch::Launch;
use bytemuck::Pod;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::build::CopyWords;

/// Growable buffer on an engine, whose content is rebuilt in existing memory; `len` values of it are in use.
#[derive(Debug)]
pub(crate) struct GrowableBuffer<T> {
    memory: Buffer<T>,
    len: usize,
}

impl<T: Pod> GrowableBuffer<T> {
    /// Makes an empty buffer.
    pub(crate) fn empty(engine: &Engine) -> Result<GrowableBuffer<T>, EngineError> {
        GrowableBuffer::zeroed(engine, 0)
    }

    /// Makes a buffer of `len` zeroes.
    pub(crate) fn zeroed(engine: &Engine, len: usize) -> Result<GrowableBuffer<T>, EngineError> {
        let memory = engine.zeroed(len)?;
        Ok(GrowableBuffer { memory, len })
    }

    /// Uploads values of the host.
    pub(crate) fn upload(engine: &Engine, values: &[T]) -> Result<GrowableBuffer<T>, EngineError> {
        let memory = engine.upload(values)?;
        let len = values.len();
        Ok(GrowableBuffer { memory, len })
    }

    /// Sets the number of values; their content is unspecified. If the capacity does not suffice, zeroed memory is
    /// allocated: half as much again as there was, if that is enough, so that a mesh may grow face by face.
    pub(crate) fn set_len(&mut self, len: usize) -> Result<(), EngineError> {
        if len > self.memory.len() {
            let more = self.memory.len() + self.memory.len() / 2;
            let engine = self.memory.engine();
            self.memory = match engine.zeroed(more.max(len)) {
                // The exact size may still fit.
                Err(_) if more > len => engine.zeroed(len)?,
                memory => memory?,
            };
        }
        self.len = len;
        Ok(())
    }

    /// Reduces the number of values, to at most the capacity.
    pub(crate) fn shrink(&mut self, len: usize) {
        self.len = len.min(self.memory.len());
    }

    /// Copies values from the host.
    pub(crate) fn fill(&mut self, values: &[T]) -> Result<(), EngineError> {
        self.set_len(values.len())?;
        let capacity = self.memory.len();
        if values.len() == capacity {
            return self.memory.write(values);
        }
        // A buffer is written as a whole.
        let mut whole = values.to_vec();
        whole.resize(capacity, T::zeroed());
        self.memory.write(&whole)
    }

    /// Sets all values to zero.
    pub(crate) fn clear(&mut self) -> Result<(), EngineError> {
        self.memory.clear()
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the capacity in values.
    pub(crate) fn capacity(&self) -> usize {
        self.memory.len()
    }

    pub(crate) fn read(&self) -> Result<Vec<T>, EngineError> {
        self.memory.read_range(0, self.len)
    }

    pub(crate) fn read_range(&self, from: usize, n: usize) -> Result<Vec<T>, EngineError> {
        self.memory.read_range(from, n)
    }

    /// Returns the whole memory.
    pub(crate) fn memory(&self) -> &Buffer<T> {
        &self.memory
    }

    /// Returns a kernel argument that reads the values.
    pub(crate) fn global(&self) -> Global<T> {
        if self.len == 0 {
            return Global::empty();
        }
        self.memory.global().part(0, self.len as u32)
    }

    /// Returns a kernel argument that writes the values.
    pub(crate) fn global_mut(&self) -> GlobalMut<T> {
        if self.len == 0 {
            return GlobalMut::empty();
        }
        self.memory.global_mut().part(0, self.len as u32)
    }

    /// Returns the number of bytes of the memory.
    pub(crate) fn bytes(&self) -> u64 {
        (self.memory.len() * size_of::<T>()) as u64
    }
}

impl GrowableBuffer<u32> {
    /// Returns a buffer with the values.
    pub(crate) fn copy(&self) -> Result<Buffer<u32>, EngineError> {
        let copy = self.memory.engine().zeroed(self.len)?;
        self.copy_to(&copy)?;
        Ok(copy)
    }

    /// Copies the values to a buffer of the same length.
    pub(crate) fn copy_to(&self, out: &Buffer<u32>) -> Result<(), EngineError> {
        let (got, want) = (out.len(), self.len);
        if got != want {
            return Err(EngineError::Length { got, want });
        }
        let kernel = CopyWords {
            from: self.global(),
            to: out.global_mut(),
        };
        self.memory.engine().launch_flat(want as u32, kernel)
    }
}

impl<T: Pod> From<Buffer<T>> for GrowableBuffer<T> {
    fn from(memory: Buffer<T>) -> GrowableBuffer<T> {
        let len = memory.len();
        GrowableBuffer { memory, len }
    }
}
