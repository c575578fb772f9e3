//! Prefix sums over this crate's buffers.

use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::parallel::scan;

/// Runs [`scan::exclusive`] on counts that a kernel of this crate has just written.
pub(crate) fn exclusive(engine: &Engine, data: &Buffer<u32>) -> Result<u32, Error> {
    // SAFETY: counts, which become offsets (contract U4).
    unsafe { scan::exclusive_of(engine, data) }
}

/// Runs [`scan::in_place`] on counts that a kernel of this crate has just written.
pub(crate) fn in_place(engine: &Engine, data: &Buffer<u32>) -> Result<(), Error> {
    // SAFETY: as above.
    unsafe { scan::in_place_of(engine, data) }
}
