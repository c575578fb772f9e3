//! One file an application, and THE list of them.

mod check;
mod cloth;
mod completions;
mod components;
mod convert;
mod curvature;
mod delaunay;
mod distance;
mod filter;
mod generate;
mod geodesic;
mod info;
mod mcf;
mod merge;
mod normals;
mod remesh;
mod repair;
mod sample;
mod shortcut;
mod simplify;
mod simulate;
mod smooth;
mod soft;
mod spring;
mod subdivide;
mod track;
mod transform;

use crate::app::Entry;

/// Every application, in the order of the help.
pub(crate) const ALL: &[Entry] = &[
    Entry::of::<mcf::Mcf>(),
    Entry::of::<normals::Normals>(),
    Entry::of::<filter::Filter>(),
    Entry::of::<geodesic::Geodesic>(),
    Entry::of::<curvature::Curvature>(),
    Entry::of::<components::Components>(),
    Entry::of::<smooth::Smooth>(),
    Entry::of::<spring::Spring>(),
    Entry::of::<simulate::Simulate>(),
    Entry::of::<cloth::Cloth>(),
    Entry::of::<soft::Soft>(),
    Entry::of::<subdivide::Subdivide>(),
    Entry::of::<delaunay::Delaunay>(),
    Entry::of::<simplify::Simplify>(),
    Entry::of::<remesh::Remesh>(),
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
