//! Delaunay flips.

use anyhow::{Result, ensure};
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};

use super::session::{NO_FLOOR, OPERATION, SESSION, figures, operation};
use super::{Bench, Measured, Row};
use crate::reference::{Against, Goal};

const FLIPS: Row = Row::time(
    "delaunay",
    "edge flips to a Delaunay mesh, noise of a quarter edge, on the wall clock",
    flips,
)
.counts(
    OPERATION,
    "positions with noise of a quarter edge",
    NO_FLOOR,
)
.against(&[
    Against::rxmesh(&["Delaunay flips, noise"]).beside(SESSION),
    Against::new("RXMesh, no noise", "rxmesh-h200", &["Delaunay flips"])
        .elsewhere("as subdivided, without noise, so with fewer flips")
        .beside(SESSION),
    Against::cpu("geometry-central", &["del_extrinsic, geometry-central"]),
    Against::cpu(
        "geometry-central, intrinsic",
        &["del_simple, geometry-central"],
    )
    .less("lengths alone, no surface"),
])
.goals(&[
    Goal::gpu(20_000, 0.5),
    Goal::gpu(1_280_000, 2.5),
    Goal::gpu(5_120_000, 8.0),
    Goal::cpu(1_280_000, 120.0),
]);

pub(super) const ROWS: &[Row] = &[
    FLIPS,
    FLIPS
        .speculative("delaunay-speculative", "the same on the speculative engine")
        .goals(&[Goal::gpu(1_280_000, 100.0)]),
];

/// Delaunay flips on a mesh with noise.
fn flips(b: &Bench<'_>) -> Result<Measured> {
    let options = DelaunayOptions::default();
    let worked = operation(b, b.jittered()?, |session, x| {
        let report = delaunay(session, x, &options)?;
        ensure!(report.run.finished, "not finished: {report:?}");
        Ok(figures(&report.run, &[("left", report.left.into())]))
    })?;
    Ok(worked.measured)
}
