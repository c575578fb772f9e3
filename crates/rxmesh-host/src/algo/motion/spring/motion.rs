//! A whole motion: a number of steps by one method.

use super::{SpringEnergy, SpringForces, SpringOptions, SpringSolve, Springs};
use crate::Error;
use crate::algo::Options;
use crate::options::not_negative;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::topo::Vertex;

/// Method of a time step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum SpringMethod {
    /// Semi-implicit Euler steps, forces gathered by vertices.
    #[default]
    Explicit,
    /// The same, forces scattered by edges.
    Scatter,
    /// Implicit Euler steps, stable for long time steps.
    Implicit,
}

/// Options of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct MotionOptions {
    /// Time steps.
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().steps))]
    pub steps: u32,
    /// Method of a time step.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "METHOD", default_value_t, value_enum)
    )]
    pub method: SpringMethod,
    /// Options of the system.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub springs: SpringOptions,
    /// Implicit steps: most iterations of the solver.
    #[cfg_attr(feature = "cli", arg(long = "max-iter", value_name = "N",
        default_value_t = Self::default().max_iterations))]
    pub max_iterations: u32,
    /// Implicit steps: the solver stops when the residual's norm has shrunk by this factor; 0 for all iterations.
    #[cfg_attr(feature = "cli", arg(long = "tol", value_name = "TOL", default_value_t = Self::default().tolerance))]
    pub tolerance: f64,
}

units!(MotionOptions { springs });

changeable!(MotionOptions);

impl Default for MotionOptions {
    fn default() -> Self {
        MotionOptions {
            steps: 100,
            method: SpringMethod::default(),
            springs: SpringOptions::default(),
            max_iterations: 10,
            tolerance: 1e-4,
        }
    }
}

impl Options for MotionOptions {
    fn check(&self) -> Result<(), Error> {
        self.springs.check()?;
        not_negative("the tolerance", self.tolerance)
    }
}

/// Results of a motion.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct MotionReport {
    /// Energy at rest.
    pub energy_before: SpringEnergy,
    /// Energy at the end.
    pub energy: SpringEnergy,
    /// Results of the solver in the last implicit step; `None` for the other methods.
    pub last_solve: Option<SpringSolve>,
}

units!(MotionReport {
    energy_before,
    energy
});

/// Moves `x`, which is at rest, by `options.steps` steps. Vertices whose `fixed` is not zero stay.
///
/// # Errors
///
/// As [`Springs::new`], [`Springs::energy`] and the steps. `x` is unchanged then.
pub fn simulate(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    fixed: &Attribute<Vertex, u32>,
    options: &MotionOptions,
) -> Result<MotionReport, Error> {
    options.check()?;
    let mut springs = Springs::new(rx, x, fixed, &options.springs)?;
    let energy_before = springs.energy()?;
    for _ in 0..options.steps {
        match options.method {
            SpringMethod::Explicit => springs.step_explicit(SpringForces::Gather)?,
            SpringMethod::Scatter => springs.step_explicit(SpringForces::Scatter)?,
            SpringMethod::Implicit => {
                springs.step_implicit(options.max_iterations, options.tolerance)?;
            }
        }
    }
    let report = MotionReport {
        energy_before,
        energy: springs.energy()?,
        last_solve: springs.last_solve()?,
    };
    x.copy_from(springs.positions())?;
    Ok(report)
}

/// Parses a vector as a flag has it: three numbers with commas between them, in brackets or not.
#[cfg(feature = "cli")]
pub(super) fn vector(text: &str) -> Result<Vec3, String> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let words = inner.unwrap_or(text).split(',');
    let numbers: Option<Vec<f32>> = words.map(|n| n.trim().parse().ok()).collect();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(Vec3::new(x, y, z)),
        _ => Err("it must be three numbers with commas between them".into()),
    }
}
