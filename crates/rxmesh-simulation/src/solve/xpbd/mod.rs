//! Extended position-based dynamics: cells of tetrahedra and cloth.

mod cells;
mod cloth;

pub use cells::XpbdCells;
pub use cloth::{ClothMaterial, XpbdCloth};

use super::motion;
use rxmesh_host::Error;

/// Positions from which the constraints of an iteration start.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum XpbdOrder {
    /// All from the same positions: a few launches per iteration.
    Jacobi,
    /// Each from the positions that the previous constraints left (Gauss-Seidel): one launch per colour of patches,
    /// constraints of a patch colour by colour in shared memory. Fewer iterations to the same accuracy.
    PatchColours,
}

/// Options of the solvers of this module.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct XpbdOptions {
    /// Number of iterations per step.
    pub iterations: u32,
    /// Order of the constraints.
    pub order: XpbdOrder,
    /// Factor on the changes of a Jacobi iteration, of both multipliers and positions: above 0 and below 2. One is safe
    /// and suits few iterations; all values converge to the same result.
    pub relaxation: f64,
    /// Drag: deceleration over velocity, in 1/s.
    pub damping: f64,
}

impl Default for XpbdOptions {
    fn default() -> Self {
        XpbdOptions {
            iterations: 5,
            order: XpbdOrder::Jacobi,
            relaxation: 1.0,
            damping: 0.0,
        }
    }
}

impl XpbdOptions {
    fn check(&self) -> Result<(), Error> {
        motion::check(self.damping)?;
        if self.iterations == 0 {
            return Err(Error::Options(
                "a step needs one iteration at least".to_owned(),
            ));
        }
        if self.relaxation > 0.0 && self.relaxation < 2.0 {
            return Ok(());
        }
        Err(Error::Options(format!(
            "the relaxation is {}, but must be above 0 and below 2",
            self.relaxation
        )))
    }
}

/// Returns one over the squared step, in 1/s^2.
fn rate(dt: f32) -> f32 {
    1.0 / (dt * dt)
}
