//! Prefix sums without a wait.

use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_subdivision_kernels::scan::{AddParts, ChunkSums, ScanParts, log_chunk};

/// Scratch buffers of prefix sums.
#[derive(Debug)]
pub(crate) struct Scan {
    sums: GrowableBuffer<u32>,
    arrived: GrowableBuffer<u32>,
}

impl Scan {
    pub(crate) fn empty(engine: &Engine) -> Result<Scan, EngineError> {
        Ok(Scan {
            sums: GrowableBuffer::empty(engine)?,
            arrived: GrowableBuffer::zeroed(engine, 2)?,
        })
    }

    /// Reserves memory for sums of `n` values, so that [`Scan::parts`] allocates none.
    pub(crate) fn reserve(&mut self, n: u32) -> Result<(), EngineError> {
        self.sums.set_len(n.div_ceil(1 << log_chunk(n)) as usize)
    }

    /// Returns the chunks of `n` values, and their number.
    pub(crate) fn parts(&mut self, n: u32) -> Result<(ChunkSums, u32), EngineError> {
        self.reserve(n)?;
        let parts = ChunkSums {
            log_chunk: log_chunk(n),
            sums: self.sums.global_mut(),
            arrived: self.arrived.global_mut(),
        };
        Ok((parts, self.sums.len() as u32))
    }

    /// Computes the exclusive prefix sums of values, which must fit into 32 bits.
    pub(crate) fn exclusive(
        &mut self,
        engine: &Engine,
        values: &GrowableBuffer<u32>,
        sums: &GrowableBuffer<u32>,
    ) -> Result<(), EngineError> {
        let n = values.len() as u32;
        let (parts, blocks) = self.parts(n)?;
        let scan = ScanParts {
            values: values.global(),
            sums: sums.global_mut(),
            parts,
        };
        engine.launch_blocks(blocks, scan)?;
        let add = AddParts {
            sums: sums.global_mut(),
            log_chunk: parts.log_chunk,
            before: parts.sums.read(),
        };
        engine.launch_flat(n, add)
    }

    pub(crate) fn bytes(&self) -> u64 {
        self.sums.bytes() + self.arrived.bytes()
    }
}
