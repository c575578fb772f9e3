//! Closed surfaces around anything.

use anyhow::{Result, ensure};
use rxmesh_host::algo::wrap::{WrapOptions, wrap};
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::measure;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "wrap-256",
        "closed surface around the faces on a grid of 256 cells, on the wall clock",
        |b| row(b, 256),
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
    Row::time(
        "wrap-512",
        "closed surface around the faces on a grid of 512 cells, on the wall clock",
        |b| row(b, 512),
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
    Row::time(
        "wrap-1024",
        "closed surface around the faces on a grid of 1,024 cells, on the wall clock",
        |b| row(b, 1024),
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
];

fn row(b: &TriangleBench<'_>, resolution: u32) -> Result<Measured> {
    let x = b.engine.upload(&b.mesh.positions)?;
    let faces = b.engine.upload(&b.mesh.faces)?;
    let options = WrapOptions::default().with(|o| o.resolution = resolution);
    let [before, _] = b.engine.allocated();
    b.engine.forget_most_allocated();
    let report = wrap(b.engine, &x, &faces, &options)?.report;
    let [_, most] = b.engine.allocated();
    ensure!(report.intersecting == 0, "faces of the result intersect");
    let times = measure::calls(b.engine, b.effort, || {
        wrap(b.engine, &x, &faces, &options)?;
        Ok(())
    })?;
    Ok(Measured::times("face", b.count(Kind::Face), times)
        .with("peak_bytes", most - before)
        .with("wrapped_faces", report.faces))
}
