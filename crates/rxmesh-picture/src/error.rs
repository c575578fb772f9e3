//! Reasons why a picture cannot be made.

use rxmesh_host::mesh::MeshError;
use rxmesh_host::patch::PatchError;
use thiserror::Error;

/// Reason why a picture cannot be made.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum PictureError {
    /// The mesh breaks a rule of [`TriMesh`](rxmesh_host::TriMesh), such as a position that is no number.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The mesh cannot be cut into patches, whose colours were asked for.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The mesh has no vertex.
    #[error("the mesh has no vertices, so there is nothing to draw")]
    Empty,
    /// An option is out of range, or does not fit the mesh.
    #[error("{0}")]
    Options(String),
    /// The picture needs more memory than there is.
    #[error("a picture of {0} x {1} pixels does not fit into memory")]
    Memory(u32, u32),
}
