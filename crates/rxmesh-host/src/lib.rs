//! Host half of rxmesh: files, meshes, patches, engines, attributes, algorithms.
//!
//! The flow is one-directional: [`io`] reads a [`mesh`], [`patch`] cuts it, [`store::RxMesh`] puts it on an
//! [`engine`], kernels run on it, [`store::Attribute`]s come back. An [`edit::Session`] changes the mesh there.

pub mod algo;
pub mod edit;
pub mod engine;
mod error;
pub mod files;
#[doc(hidden)]
pub mod instances;
pub mod io;
pub mod mesh;
mod options;
pub mod patch;
pub mod repack;
pub mod repair;
pub mod store;

pub use error::Error;
pub use glam::Vec3;
pub use rxmesh_kernels as kernels;
