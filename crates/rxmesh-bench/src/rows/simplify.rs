//! Simplification.

use anyhow::{Result, ensure};
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::edit::Claims;

use super::session::{FROM_FACES, NO_FLOOR, OPERATION, SESSION, figures, operation};
use super::{Bench, Measured, Row};
use crate::mesh::Input;
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
];

/// To a tenth of the faces.
fn simplification(b: &Bench<'_>) -> Result<Measured> {
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    let worked = operation::<Claims>(b, &b.mesh.positions, |session, x| {
        let report = simplify(session, x, &options)?;
        ensure!(report.faces <= report.target, "not reached: {report:?}");
        Ok(figures(&report.run, &[("faces", report.faces.into())]))
    })?;
    Ok(worked.measured)
}
