//! Host half of prefix sums, reductions, sorts and conversions of buffers; the device half has the same file names in
//! `rxmesh-kernels`, except for [`flags`], which launches kernels of several modules. Reductions of attributes are in
//! [`store::reduce`](crate::store::reduce).

pub mod convert;
pub mod flags;
pub(crate) mod labels;
pub(crate) mod reduce;
pub mod scan;
pub mod sort;

use crate::engine::{Engine, EngineError};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::GlobalMut;

/// Sets words.
pub(crate) fn fill(engine: &Engine, to: GlobalMut<u32>, value: u32) -> Result<(), EngineError> {
    engine.launch_flat(to.len(), Fill { to, value })
}
