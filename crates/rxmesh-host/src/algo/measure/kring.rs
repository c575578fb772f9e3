//! k-rings across patches.

use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::parallel::scan;
use crate::store::{HostRows, RxMesh};
use rxmesh_kernels::algo::measure::kring::{RingBound, RingGather, RingPack};
use rxmesh_kernels::query::VV;
use rxmesh_kernels::topo::Kind;

/// All vertices within `k` edges of each vertex, without itself, in ascending linear ids.
#[derive(Debug)]
pub struct KRings {
    starts: Buffer<u32>,
    values: Buffer<u32>,
}

impl KRings {
    /// Returns the start of each ring; one more than there are linear ids.
    pub fn starts(&self) -> &Buffer<u32> {
        &self.starts
    }

    /// Returns the vertices, ring after ring.
    pub fn values(&self) -> &Buffer<u32> {
        &self.values
    }

    /// Copies the rings to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn read(&self) -> Result<HostRows, EngineError> {
        Ok(HostRows {
            starts: self.starts.read()?,
            values: self.values.read()?,
        })
    }
}

/// Computes the `k`-ring of every vertex: for `k = 1` the neighbours, for `k = 0` nothing.
///
/// # Errors
///
/// More ring members than 32 bits can count, or any error of the engine.
pub fn k_ring(rx: &RxMesh, k: u32) -> Result<KRings, Error> {
    let engine = rx.engine();
    let n = rx.linear_len(Kind::Vertex);
    if k == 0 {
        return Ok(KRings {
            starts: engine.zeroed(n as usize + 1)?,
            values: engine.zeroed(0)?,
        });
    }
    let ones = rx.query::<VV>()?;
    let (starts, mut values) = (ones.starts().read()?, ones.values().read()?);
    if k == 1 {
        // Rows of one-rings are in ascending local ids; the rounds below bring larger rings into linear order.
        for row in starts.windows(2) {
            values[row[0] as usize..row[1] as usize].sort_unstable();
        }
    }
    let mut rings = KRings {
        starts: engine.upload(&starts)?,
        values: engine.upload(&values)?,
    };
    for _ in 1..k {
        let pieces = engine.zeroed::<u32>(n as usize + 1)?;
        engine.launch_flat(
            n,
            RingBound {
                starts: ones.starts().global(),
                ring_starts: rings.starts.global(),
                ring: rings.values.global(),
                bound: pieces.global_mut(),
            },
        )?;
        let room = scan::exclusive_shared(engine, &pieces)?;
        let scratch = engine.zeroed::<u32>(room as usize)?;
        let starts = engine.zeroed::<u32>(n as usize + 1)?;
        engine.launch_flat(
            n,
            RingGather {
                starts: ones.starts().global(),
                ones: ones.values().global(),
                ring_starts: rings.starts.global(),
                ring: rings.values.global(),
                pieces: pieces.global(),
                scratch: scratch.global_mut(),
                sizes: starts.global_mut(),
            },
        )?;
        let total = scan::exclusive_shared(engine, &starts)?;
        let values = engine.zeroed::<u32>(total as usize)?;
        engine.launch_flat(
            n,
            RingPack {
                pieces: pieces.global(),
                scratch: scratch.global(),
                ring_starts: starts.global(),
                ring: values.global_mut(),
            },
        )?;
        rings = KRings { starts, values };
    }
    Ok(rings)
}
