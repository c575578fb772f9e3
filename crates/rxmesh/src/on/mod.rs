//! Meshes as operations work on them.
//!
//! A mesh from anywhere is moved to the origin and scaled by a power of two, so that `f32` has its digits for the
//! surface: these are its *working units*. Options are converted to them, reports back to the user's units.
//!
//! - [`Vertices`]: connectivity stays, vertices may move, elements get values;
//! - [`Connectivity`]: vertices, edges and faces come and go; attributes, groups and seams are carried along;
//! - [`Scene`]: bodies that move; [`Body`]: one mesh that becomes such a body. Units are SI;
//! - [`Tool`]: meshes as they come from files, in file units.

mod arrays;
mod body;
mod connectivity;
mod grid;
mod patches;
mod scene;
mod scheduler;
mod tool;
mod vertices;

pub use arrays::{EngineArrays, EngineColumn};
pub use body::{Body, MakesScene, SceneSteps};
pub(crate) use body::{MeshBox, OverGround, Similar};
pub use connectivity::{Connectivity, Downloaded, Draft, Keep, Seams};
pub use grid::{AnyGrid, ArrayValues, GridArray};
pub use patches::{MeshPatches, PatchesOn};
pub use scene::{BodyCounts, Moment, Played, Scene};
pub use scheduler::{AnySession, Lines, Scheduler, TrackedFrame};
pub use tool::{AnyMesh, AnyTriangles, Pair, Tool};
pub use vertices::{Prepared, Vertices};

use rxmesh_host::units;
use serde::Serialize;

/// Default of the most faces of a patch.
pub const PATCH_SIZE: u32 = 512;

/// Report of one of several meshes.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "schema", schemars(rename = "MeshReportOf{T}"))]
pub struct MeshReport<T> {
    /// Name of the mesh.
    pub path: String,
    /// Report of the algorithm.
    #[serde(flatten)]
    pub done: T,
}

units!(MeshReport<T> { done });

/// Several meshes that are joined to one.
#[derive(Clone, Debug)]
pub struct Several {
    /// Name of each mesh.
    pub names: Vec<String>,
    /// Number of its mesh for each vertex of the joined mesh.
    pub labels: Vec<u32>,
}
