//! Subdivision surfaces: polygon meshes as sparse matrices on an engine (Mlakar, "High Performance Mesh Subdivision
//! through Sparse Matrix Algebra on the GPU", 2018), and Catmull-Clark, Loop and sqrt(3) surfaces over them.
//!
//! [`Mesh`] is a polygon mesh on an engine, with its adjacency computed there. [`Subdivision`] is a surface of it:
//! prepared once, it computes values of its vertices from those of the base mesh any number of times. [`refine()`]
//! refines a mesh with all its attributes. [`matrix`] is the general form: mapped products over the mesh, and
//! user-defined schemes.

mod catmull_clark;
mod faces;
mod growable;
mod kept;
mod launch;
mod lengths;
mod loop_surface;
pub mod matrix;
mod mesh;
mod normals;
mod open;
mod options;
mod parts;
mod patches;
mod refine;
mod refine_adaptive;
mod scan;
mod seams;
mod sharpness;
mod sqrt3;
mod sums;
mod surface;
mod triangles;

pub use catmull_clark::{
    Adaptive, CatmullClark, MOST_LEVELS, PatchCount, PatchKind, SurfacePatch, Tessellation,
};
pub use faces::{DeviceFaces, Extras, FaceSizes};
pub use loop_surface::Loop;
pub use mesh::{HostMesh, Mesh};
pub use open::{Opened, open_edges};
pub use options::{Boundary, Creasing, FaceVarying, Options, Scheme};
pub use refine::{Refined, VertexOptions, refine, refine_triangles};
pub use refine_adaptive::refine_adaptive;
pub use rxmesh_subdivision_kernels as kernels;
pub use sharpness::Sharpness;
pub use sqrt3::Sqrt3;
pub use surface::Subdivision;

use rxmesh_host::engine::{Engine, EngineError, Ptx};

/// Kernels as PTX, built by `cargo xtask ptx` and compressed by `build.rs`.
#[cfg(feature = "cuda")]
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_subdivision_kernels.ptx.lzma"
)));
/// Without the `cuda` feature no engine loads PTX.
#[cfg(not(feature = "cuda"))]
const PTX: Ptx<'static> = Ptx::Text("");

/// Loads the kernels, unless the engine has them. [`Mesh::new`] does it: only code that launches kernels itself calls
/// it.
///
/// # Errors
///
/// Any error of the driver.
pub fn load(engine: &Engine) -> Result<(), EngineError> {
    use rxmesh_subdivision_kernels::{FINGERPRINT_SYMBOL, KERNELS};
    // SAFETY: the PTX that `cargo xtask ptx` built from the listed kernels (contract U4 of docs/inside/unsafe.md).
    unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS) }
}
