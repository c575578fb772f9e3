//! Several arrays in one allocation.

use crate::engine::{Buffer, Engine, EngineError};
use rxmesh_kernels::mem::GlobalMut;

/// Words, handed out part by part.
pub(super) struct Arena {
    buffer: Buffer<u32>,
    used: usize,
}

/// Every part starts at a multiple of this many words.
const ALIGN: usize = 4;

impl Arena {
    /// Allocates zeroed memory for parts of these lengths.
    pub(super) fn new(engine: &Engine, parts: &[usize]) -> Result<Arena, EngineError> {
        Ok(Arena {
            buffer: engine.zeroed(words(parts))?,
            used: 0,
        })
    }

    /// Allocates the same with no values yet.
    pub(super) fn uninit(engine: &Engine, parts: &[usize]) -> Result<Arena, EngineError> {
        Ok(Arena {
            buffer: engine.uninit(words(parts))?,
            used: 0,
        })
    }

    /// Takes the next `n` words. Parts are taken in the order in which they were reserved.
    pub(super) fn take(&mut self, n: usize) -> GlobalMut<u32> {
        let part = self.buffer.global_mut().part(self.used as u32, n as u32);
        self.used += n.next_multiple_of(ALIGN);
        part
    }

    /// Returns the buffer of words.
    pub(super) fn buffer(&self) -> &Buffer<u32> {
        &self.buffer
    }

    /// Copies the first `n` words of the arena to the host.
    pub(super) fn read_first(&self, n: usize) -> Result<Vec<u32>, EngineError> {
        self.buffer.read_range(0, n)
    }
}

fn words(parts: &[usize]) -> usize {
    parts.iter().map(|n| n.next_multiple_of(ALIGN)).sum()
}
