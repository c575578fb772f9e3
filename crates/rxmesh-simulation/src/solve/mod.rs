//! Solvers of time steps: each is prepared once of a body and then takes steps.

mod motion;
mod projective;
mod vbd;
mod xpbd;

pub use projective::{GlobalSolver, Projective, ProjectiveOptions};
pub use vbd::{VbdOptions, VbdOrder, VertexBlockDescent};
pub use xpbd::{ClothMaterial, XpbdCells, XpbdCloth, XpbdOptions, XpbdOrder};
