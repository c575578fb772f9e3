//! Simplification.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify, simplify_batch};
use rxmesh_host::batch::Batch;
use rxmesh_host::edit::{Claims, Session};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Vertex;

use super::session::{FROM_FACES, NO_FLOOR, OPERATION, SESSION, figures, operation};
use super::{Measured, Row, TriangleBench};
use crate::measure::{self, Times};
use crate::mesh::{self, Input};
use crate::reference::{Against, Goal};

const SIMPLIFICATION: Row = Row::time(
    "simplify",
    "quadric simplification to a tenth, on the wall clock",
    simplification,
)
.counts(OPERATION, "", NO_FLOOR)
.against(&[
    Against::rxmesh(&["simplification, quadrics"]).beside(SESSION),
    Against::new(
        "RXMesh, shortest edge",
        "rxmesh-h200",
        &["simplification, shortest edge"],
    )
    .less("no quadrics")
    .beside(SESSION),
    Against::cpu("meshoptimizer", &["simplify10, meshoptimizer"]).beside(FROM_FACES),
    Against::cpu("fast-simplification", &["simplify10, fast-simplification"]).beside(FROM_FACES),
    Against::cpu("pmp", &["simplify10, pmp"]),
])
.goals(&[
    Goal::gpu(20_000, 5.0),
    Goal::gpu(1_280_000, 50.0),
    Goal::cpu(1_280_000, 1000.0),
]);

pub(super) const ROWS: &[Row] = &[
    SIMPLIFICATION,
    SIMPLIFICATION.on("simplify-plain", Input::Plain),
    ARRAYS,
    ARRAYS.on("simplify-arrays-shuffled", Input::Shuffled),
    BATCH,
];

const ARRAYS: Row = Row::time(
    "simplify-arrays",
    "from faces and positions in the engine's memory to a mesh in patches of a tenth of the faces, on the wall clock",
    from_arrays,
)
.counts(
    "a session opened on the arrays, simplification to a tenth and closing, from arrays in the engine's memory to a \
    mesh there: wall clock",
    "",
    NO_FLOOR,
);

const BATCH: Row = Row::time(
    "simplify-batch",
    "meshes of 20,000 faces, together as large as the mesh, each to a tenth in one call, on the wall clock",
    batch,
)
.counts(
    "simplification of all meshes to a tenth each, on a session opened before: wall clock",
    "",
    NO_FLOOR,
);

/// Measures simplification to a tenth of the faces.
fn simplification(b: &TriangleBench<'_>) -> Result<Measured> {
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    let worked = operation::<Claims>(b, &b.mesh.positions, |session, x| {
        let report = simplify(session, x, &options)?;
        ensure!(report.faces <= report.target, "not reached: {report:?}");
        Ok(figures(&report.run, &[("faces", report.faces.into())]))
    })?;
    Ok(worked.measured)
}

/// Measures simplification from arrays to arrays, patches included, all on the engine.
fn from_arrays(b: &TriangleBench<'_>) -> Result<Measured> {
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    let (faces, positions) = (
        b.engine.upload(&b.mesh.faces)?,
        b.engine.upload(&b.mesh.positions)?,
    );
    let times = measure::calls(b.engine, b.effort, || {
        let (mut session, x) = Session::from_engine_arrays(&positions, &faces, b.patch_size)?;
        let report = simplify(&mut session, x, &options)?;
        ensure!(report.faces <= report.target, "not reached: {report:?}");
        session.close(RepackOptions::default())?.take(x)?;
        Ok(())
    })?;
    Ok(Measured {
        per: "face",
        elements: b.mesh.face_count() as u64,
        times,
        ..Measured::default()
    })
}

/// Measures a batch of copies of the base mesh that together have the mesh's number of faces.
fn batch(b: &TriangleBench<'_>) -> Result<Measured> {
    let count = (b.mesh.face_count() / mesh::BASE_FACES).max(1);
    let (joined, batch) = Batch::join(vec![mesh::base()?; count])?;
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    let (faces, positions) = (
        b.engine.upload(&joined.faces)?,
        b.engine.upload(&joined.positions)?,
    );
    let (rx, x) = RxMesh::from_engine_arrays::<Vec3>(&positions, &faces, b.patch_size)?;
    let labels = rx.attribute_from::<Vertex, u32>(&batch.labels())?;
    let each = vec![options; count];
    let mut all = serde_json::Map::new();
    let mut sample = || -> Result<f64> {
        let mut session = Session::open(&rx)?;
        let (x, labels) = (session.attach(&x)?, session.attach(&labels)?);
        b.engine.synchronize()?;
        measure::wall_ms(b.engine, || {
            let report = simplify_batch(&mut session, x, labels, &each)?;
            let missed = report.meshes.iter().find(|m| m.faces > m.target);
            ensure!(missed.is_none(), "not reached: {missed:?}");
            let meshes = report.meshes.len();
            all = figures(&report.run, &[("meshes", meshes.into())]);
            Ok(())
        })
    };
    sample()?;
    let ms = b.effort.samples(sample)?;
    Ok(Measured {
        per: "mesh",
        elements: count as u64,
        times: Times {
            ms,
            ..Times::default()
        },
        figures: all,
        ..Measured::default()
    })
}
