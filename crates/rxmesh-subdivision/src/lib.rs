//! Subdivision surfaces: polygon meshes as sparse matrices on an engine (Mlakar, "Mesh Subdivision through Sparse
//! Linear Algebra", 2018), and Catmull-Clark, Loop and sqrt(3) surfaces over them.
//!
//! [`Mesh`] is a polygon mesh on an engine, with its adjacency made there. [`CatmullClark`] and [`Loop`] are surfaces:
//! prepared once, they make values of their vertices from those of the base mesh as often as wanted. [`matrix`] is the
//! general form: mapped products over the mesh, and schemes that users write.

mod catmull_clark;
mod loop_surface;
pub mod matrix;
mod mesh;
mod options;
mod patches;
mod sharpness;
mod triangles;

pub use catmull_clark::{CatmullClark, MOST_LEVELS};
pub use loop_surface::Loop;
pub use mesh::{HostMesh, Mesh};
pub use options::{Boundary, Creasing, Options, Scheme};
pub use rxmesh_subdivision_kernels as kernels;
pub use sharpness::Sharpness;

use rxmesh_host::engine::{Engine, EngineError, Ptx};

/// The kernels as PTX, built by `cargo xtask ptx` and packed by `build.rs`.
#[cfg(feature = "cuda")]
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_subdivision_kernels.ptx.z"
)));
/// Without GPUs no engine takes PTX.
#[cfg(not(feature = "cuda"))]
const PTX: Ptx<'static> = Ptx::Text("");

/// Loads the kernels, unless the engine has them. [`Mesh::new`] does it, so only those who launch kernels themselves
/// call it.
///
/// # Errors
///
/// What the driver says.
pub fn load(engine: &Engine) -> Result<(), EngineError> {
    use rxmesh_subdivision_kernels::{FINGERPRINT_SYMBOL, KERNELS};
    engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS)
}
