//! Operations, one file each, and the list of them.

mod components;
mod curvature;
mod delaunay;
mod filter;
mod geodesic;
mod mcf;
mod normals;
mod remesh;
mod simplify;
mod smooth;
mod spring;

pub use components::{Components, ComponentsArgs};
pub use curvature::{Curvature, CurvatureArgs};
pub use delaunay::Delaunay;
pub use filter::Filter;
pub use geodesic::{Geodesic, GeodesicArgs};
pub use mcf::Mcf;
pub use normals::Normals;
pub use remesh::{Remesh, RemeshArgs};
pub use simplify::{Report as SimplifyReport, Simplify};
pub use smooth::Smooth;
pub use spring::{Spring, SpringArgs};
