//! Solvers: prepared once from a [`Body`](crate::Body), then run step by step.

mod explicit;
mod implicit;
mod list;
mod motion;
mod mpm;
mod projective;
mod vbd;
mod xpbd;

pub use explicit::{Explicit, ExplicitOptions};
pub use implicit::{Implicit, ImplicitOptions, ImplicitReport};
pub(crate) use list::{FromOptions, TimeStep};
pub use list::{Solver, SolverSpec};
pub use mpm::{GridOptions, Hybrid, HybridOptions, HybridReport};
pub use projective::{GlobalSolver, Projective, ProjectiveOptions};
pub use vbd::{VbdOptions, VbdOrder, VertexBlockDescent};
pub use xpbd::{ClothMaterial, XpbdCells, XpbdCloth, XpbdOptions, XpbdOrder};

use rxmesh_host::Error;

/// Rayleigh damping of a body.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct Damping {
    /// Deceleration divided by velocity, in one over seconds: relative to the world, as in a viscous fluid.
    pub mass: f64,
    /// Time in seconds by which positions are extrapolated at the current velocity before elastic forces are evaluated,
    /// which resists changes of shape.
    pub stiffness: f64,
}

impl Damping {
    /// Refuses values out of range.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        for (what, x) in [("mass", self.mass), ("stiffness", self.stiffness)] {
            if !(x >= 0.0 && (x as f32).is_finite()) {
                return Err(Error::Options(format!(
                    "the damping by {what} is {x}, but must be a number, 0 or more"
                )));
            }
        }
        Ok(())
    }
}
