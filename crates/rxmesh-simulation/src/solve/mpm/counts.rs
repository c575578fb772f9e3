//! Exclusive prefix sum in place on the engine, with its memory.

use crate::launch::LaunchSimulation;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::parallel::scan::{CHUNK, ScanAdd, ScanChunks};

/// Numbers, sums of their chunks, sums of chunks of these, and so on.
#[derive(Debug)]
pub(super) struct PrefixSums {
    levels: Vec<Buffer<u32>>,
}

impl PrefixSums {
    /// Allocates `n` numbers followed by their total.
    pub(super) fn new(engine: &Engine, n: usize) -> Result<PrefixSums, Error> {
        let mut levels = vec![engine.zeroed(n + 1)?];
        let mut len = n + 1;
        while len > 1 {
            len = len.div_ceil(CHUNK as usize);
            levels.push(engine.zeroed(len)?);
        }
        Ok(PrefixSums { levels })
    }

    /// Returns the numbers.
    pub(super) fn data(&self) -> &Buffer<u32> {
        &self.levels[0]
    }

    /// Returns the number of launches of a prefix sum.
    pub(super) fn launches(&self) -> u32 {
        let adds = self.levels[1..].iter().filter(|l| l.len() > 1).count();
        (self.levels.len() - 1 + adds) as u32
    }

    /// Sets all numbers to zero.
    pub(super) fn clear(&mut self) -> Result<(), Error> {
        Ok(self.levels[0].clear()?)
    }

    /// Replaces the numbers by their exclusive prefix sum. Does not wait for the engine.
    pub(super) fn scan(&self) -> Result<(), Error> {
        let engine = self.levels[0].engine();
        for pair in self.levels.windows(2) {
            engine.launch_blocks(
                pair[1].len() as u32,
                ScanChunks {
                    data: pair[0].global_mut(),
                    totals: pair[1].global_mut(),
                },
            )?;
        }
        for pair in self.levels.windows(2).rev() {
            if pair[1].len() > 1 {
                engine.launch_flat(
                    pair[0].len() as u32,
                    ScanAdd {
                        data: pair[0].global_mut(),
                        starts: pair[1].global_mut(),
                    },
                )?;
            }
        }
        Ok(())
    }
}
