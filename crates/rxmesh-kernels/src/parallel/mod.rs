//! Device half of prefix sums, reductions, sorts and conversions; the host half has the same file names in
//! `rxmesh-host`.

pub mod convert;
pub mod labels;
pub mod reduce;
pub mod scan;
pub mod sort;

kernel_list! {
    of [
        convert::KERNELS,
        labels::KERNELS,
        reduce::KERNELS,
        scan::KERNELS,
        sort::KERNELS,
    ];
}
