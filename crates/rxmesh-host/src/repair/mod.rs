//! Repair of meshes on the host: what makes a mesh from a file one that can be edited.

mod boxes;
mod gaps;
mod graft;
mod holes;

pub use gaps::{GapOptions, GapReport, close_gaps};
pub use holes::{HoleFill, HoleLeft, HoleOptions, HoleReport, WhyLeft, fill_holes};
