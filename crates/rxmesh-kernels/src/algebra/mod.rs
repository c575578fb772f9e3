//! Device half of linear algebra; the host half has the same file names in `rxmesh-host`.

pub mod aggregate;
pub mod cg;
pub mod cycle;
pub mod jacobi;
pub mod matrix;
pub mod solve;
pub mod transpose;

kernel_list! {
    of [
        aggregate::KERNELS,
        cg::KERNELS,
        cycle::KERNELS,
        jacobi::KERNELS,
        matrix::KERNELS,
        solve::KERNELS,
        transpose::KERNELS,
    ];
}
