//! Smoothing and denoising: vertices move, the connectivity stays.

pub mod filter;
pub mod laplacian;
pub mod mcf;

kernel_list! {
    of [filter::KERNELS, laplacian::KERNELS, mcf::KERNELS];
}
