//! Prefix sums over this crate's own buffers.

use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::parallel::scan;

/// [`scan::exclusive`] of counts that a kernel of this crate has just written.
pub(crate) fn exclusive(engine: &Engine, data: &Buffer<u32>) -> Result<u32, Error> {
    // SAFETY: counts, which become places (contract U4).
    unsafe { scan::exclusive_of(engine, data) }
}

/// [`scan::in_place`] of counts that a kernel of this crate has just written.
pub(crate) fn in_place(engine: &Engine, data: &Buffer<u32>) -> Result<(), Error> {
    // SAFETY: as above.
    unsafe { scan::in_place_of(engine, data) }
}
