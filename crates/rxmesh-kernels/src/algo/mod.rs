//! Device half of the algorithms; the host half has the same file names in `rxmesh-host`.

pub mod boundary;
pub mod cg;
pub mod closest;
pub mod components;
pub mod curvature;
pub mod delaunay;
pub mod fans;
pub mod filter;
pub mod geodesic;
pub mod kring;
pub mod labels;
pub mod mcf;
pub mod measure;
pub mod noise;
pub mod normal_filter;
pub mod normals;
pub mod prepare;
pub mod quadric;
pub mod quality;
pub mod reduce;
pub mod remesh;
pub mod rows;
pub mod scan;
pub mod simplify;
pub mod smooth;
pub mod spring;
pub mod track;

kernel_list! {
    of [
        boundary::KERNELS,
        cg::KERNELS,
        closest::KERNELS,
        components::KERNELS,
        curvature::KERNELS,
        delaunay::KERNELS,
        fans::KERNELS,
        filter::KERNELS,
        geodesic::KERNELS,
        kring::KERNELS,
        labels::KERNELS,
        mcf::KERNELS,
        measure::KERNELS,
        normal_filter::KERNELS,
        normals::KERNELS,
        prepare::KERNELS,
        quality::KERNELS,
        reduce::KERNELS,
        remesh::KERNELS,
        rows::KERNELS,
        scan::KERNELS,
        simplify::KERNELS,
        smooth::KERNELS,
        spring::KERNELS,
        track::KERNELS,
    ];
}
