//! Device half of the algorithms; the host half has the same file names in `rxmesh-host`.

pub mod boundary;
pub mod closest;
pub mod components;
pub mod curvature;
pub mod delaunay;
pub mod fans;
pub mod filter;
pub mod geodesic;
pub mod kring;
pub mod mcf;
pub mod measure;
pub mod noise;
pub mod normal_filter;
pub mod normals;
pub mod quadric;
pub mod quality;
pub mod remesh;
pub mod simplify;
pub mod smooth;
pub mod spring;
pub mod track;

kernel_list! {
    of [
        boundary::KERNELS,
        closest::KERNELS,
        components::KERNELS,
        curvature::KERNELS,
        delaunay::KERNELS,
        fans::KERNELS,
        filter::KERNELS,
        geodesic::KERNELS,
        kring::KERNELS,
        mcf::KERNELS,
        measure::KERNELS,
        normal_filter::KERNELS,
        normals::KERNELS,
        quality::KERNELS,
        remesh::KERNELS,
        simplify::KERNELS,
        smooth::KERNELS,
        spring::KERNELS,
        track::KERNELS,
    ];
}
