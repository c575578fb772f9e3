//! Device half of prefix sums and reductions; the host half has the same file names in `rxmesh-host`.

pub mod labels;
pub mod reduce;
pub mod scan;

kernel_list! {
    of [
        labels::KERNELS,
        reduce::KERNELS,
        scan::KERNELS,
    ];
}
