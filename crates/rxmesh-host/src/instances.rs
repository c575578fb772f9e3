//! Instances of generic algorithms, so that they are compiled once: up to optimisation level 1 a crate shares its
//! compiled generic code with the crates that use it (rustc's `share-generics`). Nothing calls this.

use crate::Error;
use crate::algo::improve::delaunay::{DelaunayOptions, delaunay};
use crate::algo::improve::remesh::{RemeshOptions, Remeshes, remesh};
use crate::algo::motion::track::{TrackOptions, track};
use crate::edit::{Column, Runs, Session};
use glam::Vec3;
use rxmesh_kernels::algo::improve::delaunay::DelaunayFlip;
use rxmesh_kernels::algo::motion::track::SplitStretched;
use rxmesh_kernels::topo::Vertex;

/// Runs all of this crate's algorithms on one scheduler of edits.
///
/// # Errors
///
/// Those of the algorithms.
pub fn of<C: Remeshes + Runs<DelaunayFlip> + Runs<SplitStretched>>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
) -> Result<(), Error> {
    delaunay(session, x, &DelaunayOptions::default())?;
    remesh(session, x, &RemeshOptions::default())?;
    let each = |_: u32, _: &Session<C>| Ok::<_, Error>(());
    track(session, x, &TrackOptions::default(), each).map(drop)
}

/// Instances by claims. Nothing has a name for them, so that the library's API does not depend on the profile.
#[cfg(all(debug_assertions, not(test)))]
#[used]
static BY_CLAIMS: fn(&mut Session, Column<Vertex, Vec3>) -> Result<(), Error> = of;
