//! One file an application, and THE list of them.

mod check;
mod cloth;
mod completions;
mod convert;
mod distance;
mod generate;
mod info;
mod merge;
mod repair;
mod sample;
mod shortcut;
mod simulate;
mod soft;
mod subdivide;
mod track;
mod transform;

use crate::app::Entry;
use crate::frame::{OnConnectivity, OnVertices};
use rxmesh::ops;

/// Every application, in the order of the help.
pub(crate) const ALL: &[Entry] = &[
    Entry::of::<OnVertices<ops::Mcf>>(),
    Entry::of::<OnVertices<ops::Normals>>(),
    Entry::of::<OnVertices<ops::Filter>>(),
    Entry::of::<OnVertices<ops::Geodesic>>(),
    Entry::of::<OnVertices<ops::Curvature>>(),
    Entry::of::<OnVertices<ops::Components>>(),
    Entry::of::<OnVertices<ops::Smooth>>(),
    Entry::of::<OnVertices<ops::Spring>>(),
    Entry::of::<simulate::Simulate>(),
    Entry::of::<cloth::Cloth>(),
    Entry::of::<soft::Soft>(),
    Entry::of::<subdivide::Subdivide>(),
    Entry::of::<OnConnectivity<ops::Delaunay>>(),
    Entry::of::<OnConnectivity<ops::Simplify>>(),
    Entry::of::<OnConnectivity<ops::Remesh>>(),
    Entry::of::<track::Track>(),
    Entry::of::<info::Info>(),
    Entry::of::<check::Check>(),
    Entry::of::<distance::Distance>(),
    Entry::of::<repair::Repair>(),
    Entry::of::<convert::Convert>(),
    Entry::of::<transform::Transform>(),
    Entry::of::<merge::Merge>(),
    Entry::of::<sample::Sample>(),
    Entry::of::<generate::Generate>(),
    Entry::of::<completions::Completions>(),
];
