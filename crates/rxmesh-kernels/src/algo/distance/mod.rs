//! Distances on a surface and to a surface, rays, and what is inside.

pub mod bounds;
pub mod closest;
pub mod curve;
pub mod geodesic;
pub mod inside;
pub mod lists;
pub mod nearest;
pub mod rays;
pub mod search;
pub mod sides;
pub mod tree;
pub mod wide;

kernel_list! {
    of [

        bounds::KERNELS,
        closest::KERNELS,
        geodesic::KERNELS,
        inside::KERNELS,
        lists::KERNELS,
        nearest::KERNELS,
        rays::KERNELS,
        sides::KERNELS,
        tree::KERNELS,
        wide::KERNELS,
    ];
}
