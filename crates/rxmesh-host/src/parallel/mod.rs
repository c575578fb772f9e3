//! Host half of prefix sums, reductions, sorts, conversions and flags of buffers; the device half has the same file
//! names in `rxmesh-kernels`. Reductions of attributes are in [`store::reduce`](crate::store::reduce).

pub mod convert;
pub mod flags;
pub(crate) mod labels;
pub(crate) mod reduce;
pub mod scan;
pub mod sort;

use crate::engine::{Buffer, Engine, EngineError};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::repack::permute::RepackPermute;

/// Sets words.
pub(crate) fn fill(engine: &Engine, to: GlobalMut<u32>, value: u32) -> Result<(), EngineError> {
    engine.launch_flat(to.len(), Fill { to, value })
}

/// Moves values of `width` words to their places, which differ; those whose place is `u32::MAX` are left out.
pub(crate) fn scatter(
    engine: &Engine,
    places: &Buffer<u32>,
    from: Global<u32>,
    to: GlobalMut<u32>,
    width: u32,
) -> Result<(), EngineError> {
    let kernel = RepackPermute {
        linear: places.global(),
        from,
        to,
        width,
    };
    engine.launch_flat(places.len() as u32 * width, kernel)
}
