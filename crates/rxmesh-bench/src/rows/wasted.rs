//! Wasted work of the speculative engine.

use std::time::Instant;

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::Session;
use rxmesh_host::speculative::{Speculation, SpeculativeOptions};
use rxmesh_kernels::topo::Vertex;
use serde_json::{Map, Value};

use super::{Bench, Counted, Row};
use crate::record::Unit;
use crate::reference::Goal;

/// Most samples: it varies little.
const SAMPLES: usize = 3;

/// Mahmoud et al. 2024, section 4.3 and Figure 6.
const GOALS: &[Goal] = &[
    Goal::gpu(1_280_000, 2.0),
    Goal::gpu(5_120_000, 2.0),
    Goal::gpu(20_480_000, 2.0),
];

pub(super) const ROWS: &[Row] = &[
    Row::amount("wasted", "", |b| waste(b, false))
        .speculative(
            "wasted",
            "visits of patches that do nothing, Delaunay flips on the speculative engine",
        )
        .counts(
            "no time: visits of patches that were turned away or found no locks, in percent of all visits, Delaunay flips as in `delaunay-speculative`",
            "",
            "",
        )
        .goals(GOALS),
    Row::amount("wasted-all", "", |b| waste(b, true))
        .speculative(
            "wasted-all",
            "the same when every visit locks all neighbours, needed or not",
        )
        .counts(
            "no time: the same when every visit locks all neighbours of its patch (Mahmoud et al. 2024, Figure 6)",
            "",
            "",
        )
        .goals(GOALS),
];

fn waste(b: &Bench<'_>, lock_all: bool) -> Result<Counted> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(b.jittered()?)?;
    let (start, mut values, mut last) = (Instant::now(), Vec::new(), Speculation::default());
    while values.is_empty()
        || values.len() < SAMPLES.min(b.effort.repeat) && start.elapsed() < b.effort.budget
    {
        let mut session = Session::open_with(b.rx, b.conflicts)?;
        session.set_speculative_options(SpeculativeOptions {
            lock_all,
            ..SpeculativeOptions::default()
        });
        let column = session.attach(&x)?;
        let report = delaunay(&mut session, column, &DelaunayOptions::default())?;
        ensure!(report.run.finished, "not finished: {report:?}");
        last = session.speculation().unwrap_or_default();
        ensure!(last.visits > 0, "no patch was visited: {report:?}");
        values.push(100.0 * last.wasted_share());
    }
    Ok(Counted {
        unit: Unit::Percent,
        values,
        figures: counts(&last)?,
    })
}

/// What the speculative engine counted.
pub(super) fn counts(did: &Speculation) -> Result<Map<String, Value>> {
    let mut counts = Map::new();
    if let Value::Object(all) = serde_json::to_value(did)? {
        counts.extend(all);
    }
    counts.insert("wasted_percent".into(), (100.0 * did.wasted_share()).into());
    Ok(counts)
}
