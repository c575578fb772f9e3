//! Repair of meshes that cannot be edited: everything that [`check`](crate::mesh::check()) finds, and holes.
//!
//! Each pass is a function that changes a [`TriMesh`](crate::mesh::TriMesh) and reports its counts; [`repair`] runs
//! those that were requested, in an order in which none undoes another one. The data of a mesh (columns, texture
//! coordinates and normals of corners, groups, materials) go along. Passes work on the host, in parallel where that is
//! simple; their result does not depend on the number of threads. `docs/use/repair.md` says more.

mod around;
mod boxes;
mod degenerate;
mod duplicates;
mod gaps;
mod graft;
mod holes;
mod inside;
mod length;
mod on_edges;
mod orient;
mod parts;
mod rebuild;
mod sheets;
mod split;
#[cfg(test)]
mod tests;
mod turns;
mod unused;
mod weld;
mod whole;

pub use degenerate::{DegenerateReport, drop_degenerate_faces};
pub use duplicates::{DuplicateReport, drop_duplicate_faces};
pub use gaps::{GapOptions, GapReport, close_gaps};
pub use holes::{HoleFill, HoleLeft, HoleOptions, HoleReport, WhyLeft, fill_holes};
pub use length::Length;
pub use orient::{OrientReport, OutwardReport, orient, orient_outward};
pub use parts::{SmallReport, drop_small_components};
pub use split::{SplitReport, split_non_manifold};
pub use unused::drop_unused_vertices;
pub use weld::{WeldReport, weld};
pub use whole::{DefectCounts, Pass, RepairOptions, RepairReport, repair};
