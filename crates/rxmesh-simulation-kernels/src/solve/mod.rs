//! Solvers of time steps.

pub mod motion;
pub mod projective;
pub mod rotation;
pub mod shape;
pub mod vbd;
pub mod xpbd;
