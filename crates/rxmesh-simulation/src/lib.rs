//! Deformable bodies: tetrahedra with elastic energies on an engine, contact, explicit and implicit time steps.
//!
//! Units are SI: metres, kilograms, seconds, newtons, pascals, joules. `docs/library/simulation.md` has the theory.
//!
//! [`Body`] is a mesh with a rest shape, positions, velocities, masses and materials.

mod assembly;
mod body;
mod checkpoint;
mod cloth;
pub mod colour;
mod contact;
mod copies;
mod energy;
mod launch;
mod masses;
mod material;
pub mod scene;
pub mod solve;
mod stiffness;
mod surroundings;
mod world;

pub use body::Body;
pub use checkpoint::CheckpointError;
pub use contact::{Collider, ColliderShape, DistanceGrid};
pub use energy::{Elasticity, Forces};
pub use material::{Material, Materials};
pub use rxmesh_simulation_kernels as kernels;
pub use solve::Solver;
pub use stiffness::Stiffness;
pub use surroundings::Surroundings;
pub use world::{Energies, World};

use rxmesh_host::engine::{Engine, EngineError, Ptx};

/// Kernels as PTX, built by `cargo xtask ptx` and compressed by `build.rs`.
#[cfg(feature = "cuda")]
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_simulation_kernels.ptx.lzma"
)));
/// Without the `cuda` feature no engine loads PTX.
#[cfg(not(feature = "cuda"))]
const PTX: Ptx<'static> = Ptx::Text("");

/// Loads the kernels, unless the engine has them. [`Body`] does it: only code that launches kernels itself calls it.
///
/// # Errors
///
/// Any error of the driver.
pub fn load(engine: &Engine) -> Result<(), EngineError> {
    use rxmesh_simulation_kernels::{FINGERPRINT_SYMBOL, KERNELS};
    // SAFETY: the PTX that `cargo xtask ptx` built from the listed kernels (contract U4 of docs/inside/unsafe.md).
    unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS) }
}
