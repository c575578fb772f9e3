//! Exclusive prefix sums on an engine.

use super::reduce::combine;
use crate::Error;
use crate::engine::{Buffer, Engine};
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::parallel::scan::{CHUNK, ScanAdd, ScanChunks, SumChunks};

/// Replaces the values by their exclusive prefix sum and returns the total (also the last value, when that was zero).
///
/// # Errors
///
/// [`Error::TooLarge`] if the total does not fit 32 bits; the values are then untouched. Otherwise any error of the
/// engine.
///
/// Arrays that a mesh or a relation lends are not changed:
///
/// ```compile_fail,E0308
/// # use rxmesh_host::{parallel::scan, engine::Engine, mesh::generate, store::RxMesh};
/// let engine = Engine::cpu();
/// let rx = RxMesh::from_mesh(&engine, &generate::icosphere(1)?)?;
/// let rows = rx.query::<rxmesh_host::kernels::query::VV>()?;
/// scan::exclusive(&engine, rows.starts())?;
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
pub fn exclusive(engine: &Engine, data: &mut Buffer<u32>) -> Result<u32, Error> {
    exclusive_shared(engine, data)
}

/// Works like [`exclusive`], for a shared buffer.
///
/// # Errors
///
/// As [`exclusive`].
///
/// # Safety
///
/// The values are the caller's to change: they are not indices that kernels use unchecked, as those of
/// [`Rows`](crate::store::Rows) are (contract U4 of docs/inside/unsafe.md).
pub unsafe fn exclusive_of(engine: &Engine, data: &Buffer<u32>) -> Result<u32, Error> {
    exclusive_shared(engine, data)
}

/// Works like [`exclusive_of`], for this crate's own buffers.
pub(crate) fn exclusive_shared(engine: &Engine, data: &Buffer<u32>) -> Result<u32, Error> {
    if data.is_empty() {
        return Ok(0);
    }
    let total = total(engine, data)?;
    if total > f64::from(u32::MAX) {
        return Err(Error::TooLarge {
            what: "neighbours",
            count: total as u64,
            limit: u64::from(u32::MAX),
        });
    }
    in_place_shared(engine, data)?;
    Ok(total as u32)
}

/// Computes the sum of the values.
pub(crate) fn total(engine: &Engine, data: &Buffer<u32>) -> Result<f64, Error> {
    let chunks = (data.len() as u32).div_ceil(CHUNK);
    let partials = engine.zeroed::<f64>(chunks as usize)?;
    engine.launch_blocks(
        chunks,
        SumChunks {
            data: data.global(),
            partials: partials.global_mut(),
        },
    )?;
    combine(engine, &partials, Reduction::Sum)
}

/// Replaces the values by their exclusive prefix sum, which must fit 32 bits; does not wait for it, as [`exclusive`]
/// does for the total.
///
/// # Errors
///
/// Any error of the engine.
pub fn in_place(engine: &Engine, data: &mut Buffer<u32>) -> Result<(), Error> {
    in_place_shared(engine, data)
}

/// Replaces the values by their exclusive prefix sum, as [`in_place`], in a shared buffer.
///
/// # Errors
///
/// Any error of the engine.
///
/// # Safety
///
/// As [`exclusive_of`].
pub unsafe fn in_place_of(engine: &Engine, data: &Buffer<u32>) -> Result<(), Error> {
    in_place_shared(engine, data)
}

/// Works like [`in_place_of`], for this crate's own buffers.
pub(crate) fn in_place_shared(engine: &Engine, data: &Buffer<u32>) -> Result<(), Error> {
    let chunks = (data.len() as u32).div_ceil(CHUNK);
    let totals = engine.zeroed::<u32>(chunks as usize)?;
    engine.launch_blocks(
        chunks,
        ScanChunks {
            data: data.global_mut(),
            totals: totals.global_mut(),
        },
    )?;
    if chunks > 1 {
        in_place_shared(engine, &totals)?;
        let n = data.len() as u32;
        engine.launch_flat(
            n,
            ScanAdd {
                data: data.global_mut(),
                starts: totals.global_mut(),
            },
        )?;
    }
    Ok(())
}
