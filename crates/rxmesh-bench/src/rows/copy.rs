//! The ceiling: the bandwidth at which this machine copies memory.

use anyhow::Result;
use rayon::prelude::*;
use rxmesh_host::engine::Engine;

use crate::measure::{self, Effort};
use crate::record::Ceiling;

/// Measures the bandwidth of a copy of `bytes` bytes by the engine's own means.
pub(crate) fn copy(engine: &Engine, bytes: usize, effort: Effort) -> Result<Ceiling> {
    let words = bytes / 8;
    // Not all zero: some memories copy zeros faster.
    let pattern: Vec<u64> = (0..words as u64)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let (what, times) = if engine.is_cuda() {
        let from = engine.upload(&pattern)?;
        drop(pattern);
        let mut to = engine.zeroed::<u64>(words)?;
        let times = measure::launches(engine, effort, || Ok(to.copy_from(&from)?))?;
        ("one device-to-device copy", times)
    } else {
        let mut to = vec![0u64; words];
        let times = measure::launches(engine, effort, || {
            const CHUNK: usize = 1 << 16;
            to.par_chunks_mut(CHUNK)
                .zip(pattern.par_chunks(CHUNK))
                .for_each(|(to, from)| to.copy_from_slice(from));
            Ok(())
        })?;
        ("memory copied by all threads", times)
    };
    let gb_s = 2.0 * bytes as f64 / measure::median(&times.ms) / 1e6;
    Ok(Ceiling {
        what: what.to_owned(),
        bytes: bytes as u64,
        ms: times.ms,
        gb_s,
    })
}
