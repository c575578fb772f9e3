//! Distances on a surface and to a surface.

pub mod closest;
pub mod geodesic;
pub mod tree;

kernel_list! {
    of [closest::KERNELS, geodesic::KERNELS, tree::KERNELS];
}
