//! Distances on a surface and to a surface.

pub mod closest;
pub mod geodesic;

kernel_list! {
    of [closest::KERNELS, geodesic::KERNELS];
}
