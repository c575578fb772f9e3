//! Speculative edits (Mahmoud, Porumbescu and Owens 2024, sections 4.3 and 5.3): patches with spare capacity, and the
//! loop of launches that edits them in shared memory under locks. `Session::<Speculative>::open_with` opens a mesh for
//! it.
//!
//! A session of [`Speculative`] keeps its mesh in patches; its flat arrays are rewritten after each run, for code that
//! reads the mesh as a whole. A session id is an element's patch times the capacity of a patch plus its local id there.
//! Elements change their ids when they change their patch, and their values in columns move with them.
//!
//! It runs operators whose kernel for it is listed, `block name: Speculate<O> as O` ([`rxmesh_kernels::entries!`]):
//! those of Delaunay flips, remeshing and tracking are ([`rxmesh_speculative_kernels::KERNELS`]). It has no order of
//! cavities, so that an algorithm that needs one does not compile:
//!
//! ```compile_fail,E0308
//! # use rxmesh_host::{Error, Vec3, algo::simplify::*, edit::{Column, Session}, kernels::topo::Vertex};
//! # use rxmesh_speculative::Speculative;
//! fn simpler(session: &mut Session<Speculative>, x: Column<Vertex, Vec3>) -> Result<SimplifyReport, Error> {
//!     simplify(session, x, &SimplifyOptions::new(Target::Ratio(0.5)))
//! }
//! ```
//!
//! Hooks after births do not compile either, because elements move while it runs:
//!
//! ```compile_fail,E0599
//! # use rxmesh_host::edit::Session;
//! # use rxmesh_speculative::Speculative;
//! fn listen(session: &mut Session<Speculative>) {
//!     session.after_births(|_, _, _| Ok(()));
//! }
//! ```

mod launch;
mod patches;
mod patience;
mod run;
mod scheduler;
mod slice;
mod validate;

pub use run::{Speculation, SpeculativeOptions};
pub use rxmesh_speculative_kernels as kernels;
pub use scheduler::Speculative;
pub use validate::PatchFault;

/// Compiles the algorithms here once, for all that use them (`rxmesh_host::instances`).
///
/// # Errors
///
/// Errors of the algorithms.
#[cfg(all(debug_assertions, not(test)))]
#[doc(hidden)]
pub fn instances(
    session: &mut rxmesh_host::edit::Session<Speculative>,
    x: rxmesh_host::edit::Column<rxmesh_host::kernels::topo::Vertex, rxmesh_host::Vec3>,
) -> Result<(), rxmesh_host::Error> {
    rxmesh_host::instances::of(session, x)
}

/// Maximum number of faces of a new patch: patches grow while they are edited, to about twice their size (Mahmoud et
/// al. 2024, section 6, "Parameters").
pub const PATCH_SIZE: u32 = 256;
