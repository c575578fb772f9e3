//! Curvatures.

use anyhow::{Result, ensure};
use rxmesh_host::algo::curvature::curvature;
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::measure;

pub(super) const ROWS: &[Row] = &[Row::time(
    "curvature",
    "Gaussian and mean curvature with their ranges and totals, on the wall clock",
    curvatures,
)
.counts(
    "the library's call, wall clock",
    "EV, FE, ribbon V, positions 12 V",
    "four values, 16 V",
)];

fn curvatures(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let mut total = 0.0;
    let times = measure::calls(b.engine, b.effort, || {
        total = curvature(b.rx, &x)?.1.total_gaussian_curvature;
        Ok(())
    })?;
    let (euler, closed) = b.surface();
    let expected = std::f64::consts::TAU * euler as f64;
    // Gauss and Bonnet; the sum is of 32-bit floats.
    ensure!(
        !closed || (total - expected).abs() < 0.1,
        "the total Gaussian curvature is {total}, not {expected}"
    );
    let v = b.count(Kind::Vertex);
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (12 * v, "positions read"),
            (16 * v, "four values a vertex written"),
        ],
    );
    Ok(b.of_vertices(floor, times))
}
