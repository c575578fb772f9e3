//! Edit sessions. Each sample opens a new session, untimed, and waits for the operation's end: wall clock,
//! because the host takes part in every round.

use anyhow::{Context as _, Result};
use glam::Vec3;
use rxmesh_host::edit::{Column, Edits, RunReport, Session};
use rxmesh_host::repack::RepackOptions;
use rxmesh_kernels::topo::{Kind, Vertex};
use serde_json::{Map, Value};

use super::{Measured, Row, TriangleBench};
use crate::conflicts::Counts;
use crate::measure::{self, Times};
use crate::reference::Goal;

/// Rows to add where a reference's figure is from mesh to mesh.
pub(super) const SESSION: &[&str] = &["edit-open-close"];
/// Rows to add where a reference's figure starts from faces in memory.
pub(super) const FROM_FACES: &[&str] = &["build", "edit-open-close"];

pub(super) const ROWS: &[Row] = &[Row::time(
    "edit-open-close",
    "an edit session opened and closed, nothing changed, on the wall clock",
    open_close,
)
.counts(
    "a session opened, the positions taken along, and closed, nothing changed: wall clock",
    "",
    "no floor",
)
.goals(&[Goal::gpu(1_280_000, 3.0)])];

/// Description of what the rows of operations time.
pub(super) const OPERATION: &str =
    "the operation on a session opened before, wall clock with the host's part in every round";
/// Reason why they have no floor.
pub(super) const NO_FLOOR: &str = "no floor: the rounds depend on the mesh";

pub(super) type Positions = Column<Vertex, Vec3>;

/// Result of a row's operation.
pub(super) struct Worked<C: Edits> {
    pub(super) measured: Measured,
    pub(super) session: Session<C>,
    pub(super) x: Positions,
}

/// Times `work` on sessions over a mesh with these positions; the first one is the warm-up. The session of the last
/// sample is kept.
pub(super) fn operation<C: Counts>(
    b: &TriangleBench<'_>,
    positions: &[Vec3],
    mut work: impl FnMut(&mut Session<C>, Positions) -> Result<Map<String, Value>>,
) -> Result<Worked<C>> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(positions)?;
    let (mut figures, mut last) = (Map::new(), None);
    let mut sample = || -> Result<f64> {
        last = None;
        let mut session = Session::open_with(b.rx)?;
        let x = session.attach(&x)?;
        b.engine.synchronize()?;
        let ms = measure::wall_ms(b.engine, || {
            figures = work(&mut session, x)?;
            Ok(())
        })?;
        last = Some((session, x));
        Ok(ms)
    };
    sample()?;
    let ms = b.effort.samples(sample)?;
    let (session, x) = last.context("no sample")?;
    if let Some(counts) = session.edits().counts()? {
        figures.insert("speculation".into(), counts.into());
    }
    let measured = Measured {
        per: "face",
        elements: b.count(Kind::Face),
        times: Times {
            ms,
            ..Times::default()
        },
        figures,
        ..Measured::default()
    };
    Ok(Worked {
        measured,
        session,
        x,
    })
}

pub(super) fn figures(run: &RunReport, more: &[(&str, Value)]) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("rounds".into(), run.rounds.into());
    all.insert("done".into(), run.done.into());
    all.insert("conflicts".into(), run.conflicts.into());
    for (name, value) in more {
        all.insert((*name).into(), value.clone());
    }
    all
}

/// Measures opening a session and closing it again, unchanged.
fn open_close(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let times = measure::calls(b.engine, b.effort, || {
        let mut session = Session::open(b.rx)?;
        session.attach(&x)?;
        session.close(RepackOptions::default())?;
        Ok(())
    })?;
    Ok(Measured {
        per: "face",
        elements: b.count(Kind::Face),
        times,
        ..Measured::default()
    })
}
