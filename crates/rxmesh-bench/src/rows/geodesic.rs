//! Geodesic distances and topological level sets.

use anyhow::{Result, ensure};
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic, level_sets};
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::floor::Floor;
use crate::measure;
use crate::reference::{Against, Goal};

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "levels",
        "topological level sets from one vertex, on the wall clock",
        levels,
    )
    .counts(
        "the library's call from one vertex, wall clock",
        "",
        "no floor: the rounds depend on the mesh",
    )
    .against(&[
        Against::rxmesh(&["level sets on the host"]),
        Against::taichi(&["level sets"]),
    ]),
    Row::time(
        "geodesic",
        "distances from one vertex, on the wall clock",
        geodesics,
    )
    .counts(
        "the library's call from one vertex, wall clock",
        "",
        "no floor: the rounds depend on the mesh",
    )
    .against(&[
        Against::rxmesh(&["geodesic distances and level sets"]),
        Against::taichi(&["geodesic distances and level sets"]),
        Against::cpu("pmp, fast marching", &["geodfm, pmp"]),
        Against::cpu("CGAL, heat", &["heat, cgal"]),
        Against::cpu("geometry-central, heat", &["heat_build, geometry-central"]),
    ])
    .goals(&[Goal::gpu(1_280_000, 15.0), Goal::cpu(1_280_000, 500.0)]),
];

/// Measures distances from the first vertex of the input. The number of rounds depends on the mesh: no floor.
fn geodesics(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let options = GeodesicOptions::default();
    let mut last = geodesic(b.rx, &x, &[0], &options)?.1;
    let times = measure::calls(b.engine, b.effort, || {
        last = geodesic(b.rx, &x, &[0], &options)?.1;
        Ok(())
    })?;
    ensure!(
        last.converged && u64::from(last.reached) == b.count(Kind::Vertex),
        "{last:?}"
    );
    let mut measured = b.of_vertices(Floor::default(), times);
    measured
        .figures
        .insert("iterations".to_owned(), last.iterations.into());
    Ok(measured)
}

fn levels(b: &TriangleBench<'_>) -> Result<Measured> {
    let times = measure::calls(b.engine, b.effort, || {
        level_sets(b.rx, &[0])?;
        Ok(())
    })?;
    Ok(b.of_vertices(Floor::default(), times))
}
