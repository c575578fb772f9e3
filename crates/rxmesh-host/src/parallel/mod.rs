//! Host half of prefix sums and reductions over buffers; the device half has the same file names in `rxmesh-kernels`.
//! Reductions of attributes are in [`store::reduce`](crate::store::reduce).

pub(crate) mod labels;
pub(crate) mod reduce;
pub mod scan;
