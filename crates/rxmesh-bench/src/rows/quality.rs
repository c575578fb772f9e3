//! Shape of the faces.

use anyhow::{Result, ensure};
use rxmesh_host::algo::quality::face_quality;
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::measure;

pub(super) const ROWS: &[Row] = &[Row::time(
    "quality",
    "Radius ratio, aspect ratio, smallest angle and area of the faces, with their ranges and means, on the wall clock",
    quality,
)
.counts(
    "the library's call, wall clock",
    "EV, FE, ribbon V, positions 12 V",
    "four values, 16 F",
)];

fn quality(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let mut least = 0.0;
    let times = measure::calls(b.engine, b.effort, || {
        least = face_quality(b.rx, &x)?.1.least_radius_ratio;
        Ok(())
    })?;
    ensure!(
        least > 0.0 && least <= 1.0,
        "the smallest radius ratio is {least}"
    );
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (12 * b.count(Kind::Vertex), "positions read"),
            (16 * b.count(Kind::Face), "four values a face written"),
        ],
    );
    Ok(b.of_vertices(floor, times))
}
