//! Delaunay flips.

use anyhow::{Result, ensure};
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::{Claims, Runs};
use rxmesh_kernels::algo::delaunay::DelaunayFlip;
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;

use super::session::{NO_FLOOR, OPERATION, SESSION, figures, operation};
use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts;
use crate::reference::{Against, Goal};

const FLIPS: Row = Row::time(
    "delaunay",
    "edge flips to a Delaunay mesh, noise of a quarter edge, on the wall clock",
    flips::<Claims>,
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
    #[cfg(feature = "speculative")]
    FLIPS
        .speculative(
            "delaunay-speculative",
            "the same on the speculative scheduler",
            flips::<Speculative>,
        )
        .goals(&[Goal::gpu(1_280_000, 100.0)]),
];

/// Measures Delaunay flips on a mesh with noise.
fn flips<C: Counts + Runs<DelaunayFlip>>(b: &TriangleBench<'_>) -> Result<Measured> {
    let options = DelaunayOptions::default();
    let worked = operation::<C>(b, b.jittered()?, |session, x| {
        let report = delaunay(session, x, &options)?;
        ensure!(report.run.finished, "not finished: {report:?}");
        Ok(figures(&report.run, &[("left", report.left.into())]))
    })?;
    Ok(worked.measured)
}
