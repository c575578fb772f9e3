//! Values of vertices, edges and faces that a surface is measured by, and parts of a surface.

pub mod boundary;
pub mod components;
pub mod corners;
pub mod curvature;
pub mod fans;
pub mod frame;
pub mod kring;
pub mod lengths;
pub mod normals;
pub mod quality;
pub mod volume;

kernel_list! {
    of [
        boundary::KERNELS,
        components::KERNELS,
        curvature::KERNELS,
        fans::KERNELS,
        frame::KERNELS,
        kring::KERNELS,
        lengths::KERNELS,
        normals::KERNELS,
        quality::KERNELS,
        volume::KERNELS,
    ];
}
