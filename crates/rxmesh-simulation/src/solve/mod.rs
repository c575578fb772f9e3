//! Solvers of time steps: each is prepared once of a body and then takes steps.

mod motion;
mod projective;

pub use projective::{GlobalSolver, Projective, ProjectiveOptions};
