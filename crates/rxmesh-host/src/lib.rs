//! Host half of rxmesh: files, meshes, patches, engines, attributes, algorithms.
//!
//! The flow is one-directional: [`io`] reads a [`mesh`], [`patch`] cuts it, [`store::RxMesh`] puts it on an
//! [`engine`], kernels run on it, [`store::Attribute`]s come back. An [`edit::Session`] changes the mesh there.
//!
//! Positions are 32-bit floats. A mesh that lies far from the origin, or is very small or large, is brought into a
//! local frame before the work ([`TriMesh::normalise`](mesh::TriMesh::normalise)) and back after it
//! ([`TriMesh::return_to`](mesh::TriMesh::return_to)); [`InUnits::scale`](units::InUnits::scale) converts lengths.

#[macro_use]
pub mod units;
#[macro_use]
mod options;

pub mod algebra;
pub mod algo;
pub mod batch;
mod construct;
pub mod edit;
pub mod engine;
mod error;
pub mod files;
pub mod grid;
#[doc(hidden)]
pub mod instances;
pub mod io;
pub mod mesh;
mod par;
pub mod parallel;
pub mod patch;
pub mod repack;
pub mod repair;
pub mod store;
pub mod volume;

pub use edit::Session;
pub use engine::Engine;
pub use error::Error;
pub use glam::{DVec3, Vec3};
pub use grid::Grid;
pub use mesh::{PolyMesh, TetMesh, TriMesh, generate};
pub use options::Options;
pub use patch::PatchOptions;
pub use rxmesh_kernels as kernels;
pub use rxmesh_kernels::{Cell, Edge, Face, Vertex};
pub use store::{Attribute, RxMesh, reduce};
