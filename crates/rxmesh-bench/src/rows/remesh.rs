//! Isotropic remeshing.

use anyhow::{Result, ensure};
use rxmesh_host::algo::remesh::{RemeshOptions, Remeshes, remesh};
use rxmesh_host::edit::Claims;
use rxmesh_host::mesh::quality;
use rxmesh_kernels::topo::Kind;
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;

use super::session::{FROM_FACES, NO_FLOOR, OPERATION, SESSION, figures, operation};
use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts;
use crate::reference::{Against, Goal};

const REMESHING: Row = Row::time(
    "remesh",
    "isotropic remeshing, 3 iterations, mean length, no features, no projection, on the wall clock",
    remeshing::<Claims>,
)
.counts(OPERATION, "", NO_FLOOR)
.against(&[
    Against::rxmesh(&["remeshing"]).beside(SESSION),
    Against::cpu("geometry-central", &["remesh3, geometry-central"])
        .less("no projection onto the input"),
    Against::cpu("CGAL", &["remesh3, cgal"]),
    Against::cpu("pmp", &["remesh3, pmp"]),
    Against::cpu("PyMeshLab", &["remesh3, pymeshlab"]).beside(FROM_FACES),
])
.goals(&[
    Goal::gpu(20_000, 10.0),
    Goal::gpu(1_280_000, 60.0),
    Goal::cpu(1_280_000, 2500.0),
]);

pub(super) const ROWS: &[Row] = &[
    REMESHING,
    Row::time(
        "remesh-default",
        "the same as users get it: sharp edges kept, vertices back to the input",
        remeshing_by_default,
    )
    .counts(OPERATION, "", NO_FLOOR),
    #[cfg(feature = "speculative")]
    REMESHING
        .speculative(
            "remesh-speculative",
            "the same on the speculative scheduler",
            remeshing::<Speculative>,
        )
        .goals(&[Goal::gpu(20_000, 200.0), Goal::gpu(1_280_000, 1000.0)]),
];

/// Measures three iterations towards the mean length, as the references do them: without features and projection.
fn remeshing<C: Counts + Remeshes>(b: &TriangleBench<'_>) -> Result<Measured> {
    let options = RemeshOptions::default().with(|o| {
        o.keep_features = None;
        o.project = false;
    });
    remeshing_with::<C>(b, &options)
}

fn remeshing_by_default(b: &TriangleBench<'_>) -> Result<Measured> {
    remeshing_with::<Claims>(b, &RemeshOptions::default())
}

/// Measures remeshing, and the quality of the result (Mahmoud et al. 2024, Table 4).
fn remeshing_with<C: Counts + Remeshes>(
    b: &TriangleBench<'_>,
    options: &RemeshOptions,
) -> Result<Measured> {
    // Splits of the largest mesh exceed the default limit.
    let options = options.with(|o| o.max_faces = Some(u32::MAX));
    let mut target = 0.0;
    let worked = operation::<C>(b, &b.mesh.positions, |session, x| {
        let report = remesh(session, x, &options)?;
        target = f64::from(report.target_length);
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })?;
    let mut measured = worked.measured;
    let (mesh, _) = worked.session.to_mesh(worked.x)?;
    let q = quality(&mesh);
    let (euler, closed) = b.surface();
    let [v, e, f] = [q.vertices, q.edges, q.faces].map(|n| n as i64);
    // A closed manifold has three edges for every two faces.
    ensure!(
        v - e + f == euler && (!closed || 2 * e == 3 * f),
        "the surface has become another one: {q:?}"
    );
    for (name, spread) in [
        ("edge_length_over_target", q.edge_length.over(target)),
        ("valence", q.valence),
        ("smallest_angle", q.smallest_angle),
    ] {
        let spread = serde_json::to_value(spread)?;
        measured.figures.insert(name.into(), spread);
    }
    Ok(measured)
}
