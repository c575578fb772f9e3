//! Denoising that keeps features: by offsets of vertices, or by normals of faces.

pub mod normals;
pub mod vertices;

kernel_list! {
    of [normals::KERNELS, vertices::KERNELS];
}
