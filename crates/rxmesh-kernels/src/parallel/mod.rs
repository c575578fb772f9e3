//! Device half of prefix sums, reductions, sorts, conversions and flags; the host half has the same file names
//! in `rxmesh-host`.

pub mod convert;
pub mod flags;
pub mod labels;
pub mod reduce;
pub mod scan;
pub mod sort;

kernel_list! {
    of [
        convert::KERNELS,
        flags::KERNELS,
        labels::KERNELS,
        reduce::KERNELS,
        scan::KERNELS,
        sort::KERNELS,
    ];
}
