//! Wasted work of the speculative scheduler.

#![cfg(feature = "speculative")]

use std::time::Instant;

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::Session;
use rxmesh_kernels::topo::Vertex;
use rxmesh_speculative::{Speculative, SpeculativeOptions};
use serde_json::Map;

use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts as _;
use crate::record::Unit;
use crate::reference::Goal;

/// Most samples: the figure varies little.
const SAMPLES: usize = 3;

/// Goals of Mahmoud et al. 2024, section 4.3 and Figure 6.
const GOALS: &[Goal] = &[
    Goal::gpu(1_280_000, 2.0),
    Goal::gpu(5_120_000, 2.0),
    Goal::gpu(20_480_000, 2.0),
];

pub(super) const ROWS: &[Row] = &[
    Row::amount(
        "wasted",
        "visits of patches that do nothing, Delaunay flips on the speculative scheduler",
        |b| waste(b, false),
    )
    .of_speculative()
    .counts(
        "no time: visits of patches that were turned away or found no locks, in percent of all visits, \
         Delaunay flips as in `delaunay-speculative`",
        "",
        "",
    )
    .goals(GOALS),
    Row::amount(
        "wasted-all",
        "the same when every visit locks all neighbours, needed or not",
        |b| waste(b, true),
    )
    .of_speculative()
    .counts(
        "no time: the same when every visit locks all neighbours of its patch (Mahmoud et al. 2024, Figure 6)",
        "",
        "",
    )
    .goals(GOALS),
];

fn waste(b: &TriangleBench<'_>, lock_all: bool) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(b.jittered()?)?;
    let (start, mut values, mut figures) = (Instant::now(), Vec::new(), Map::new());
    while values.is_empty()
        || values.len() < SAMPLES.min(b.effort.repeat) && start.elapsed() < b.effort.budget
    {
        let mut session = Session::<Speculative>::open_with(b.rx)?;
        let options = SpeculativeOptions {
            lock_all,
            ..SpeculativeOptions::default()
        };
        Speculative::set_options(&mut session, options);
        let column = session.attach(&x)?;
        let report = delaunay(&mut session, column, &DelaunayOptions::default())?;
        ensure!(report.run.finished, "not finished: {report:?}");
        let last = session.edits().speculation();
        figures = session.edits().counts()?.unwrap_or_default();
        ensure!(last.visits > 0, "no patch was visited: {report:?}");
        values.push(100.0 * last.wasted_share());
    }
    Ok(Measured::amount(Unit::Percent, values, figures))
}
