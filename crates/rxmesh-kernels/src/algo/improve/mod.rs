//! Better or fewer faces: the connectivity changes, the shape stays.

pub mod chosen;
pub mod delaunay;
pub mod remesh;
pub mod simplify;

kernel_list! {
    of [chosen::KERNELS, delaunay::KERNELS, remesh::KERNELS, simplify::KERNELS];
}
