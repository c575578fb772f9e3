//! Host half of the algorithms; the device half has the same file names in `rxmesh-kernels`.

pub mod boundary;
mod cg;
pub mod closest;
pub mod curvature;
pub mod delaunay;
pub mod filter;
pub mod geodesic;
pub mod kring;
pub mod mcf;
mod measure;
pub mod normals;
pub mod reduce;
pub mod remesh;
pub mod scan;
pub mod simplify;
pub mod smooth;
pub mod spring;
pub mod track;
