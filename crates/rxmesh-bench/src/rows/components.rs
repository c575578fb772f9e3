//! Connected components.

use anyhow::Result;
use rxmesh_host::algo::components::{Through, components};
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Fe, Ribbon};
use crate::measure;

pub(super) const ROWS: &[Row] = &[Row::time(
    "components",
    "labels of connected components through edges, on the wall clock",
    through_edges,
)
.counts(
    "the library's call, wall clock",
    "FE, ribbon F, the input's numbers 4 F",
    "labels, 4 F",
)];

fn through_edges(b: &TriangleBench<'_>) -> Result<Measured> {
    let mut count = components(b.rx, Through::Edges)?.count;
    let times = measure::calls(b.engine, b.effort, || {
        count = components(b.rx, Through::Edges)?.count;
        Ok(())
    })?;
    let f = b.count(Kind::Face);
    let floor = b.parts.floor(
        &[Fe, Ribbon(Kind::Face)],
        &[
            (4 * f, "the input's numbers read"),
            (4 * f, "labels written"),
        ],
    );
    let mut measured = Measured {
        per: "face",
        elements: f,
        floor,
        times,
        ..Measured::default()
    };
    measured
        .figures
        .insert("components".to_owned(), count.into());
    Ok(measured)
}
