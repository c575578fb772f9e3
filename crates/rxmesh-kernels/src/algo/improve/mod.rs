//! Better or fewer faces: the connectivity changes, the shape stays.

pub mod delaunay;
pub mod remesh;
pub mod simplify;

kernel_list! {
    of [delaunay::KERNELS, remesh::KERNELS, simplify::KERNELS];
}
