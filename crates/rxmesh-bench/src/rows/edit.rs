//! Changes of the connectivity. Each sample opens a session of its own, untimed, and waits for the operation's end: wall clock, because the host takes part in every round.

use anyhow::{Context as _, Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::remesh::{RemeshOptions, Remeshes, remesh};
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Claims, Column, Edits, RunReport, Runs, Session};
use rxmesh_host::mesh::generate::noise;
use rxmesh_host::mesh::quality;
use rxmesh_host::repack::RepackOptions;
use rxmesh_kernels::algo::delaunay::DelaunayFlip;
use rxmesh_kernels::algo::track::SplitStretched;
use rxmesh_kernels::topo::{Kind, Vertex};
use serde_json::{Map, Value};

use super::{Bench, Measured};
use crate::conflicts::Counts;
use crate::measure::{self, Times};

/// Noise of the mesh that is made Delaunay, in mean edge lengths.
const JITTER: f32 = 0.25;
/// Frames of tracking that are timed together.
const FRAMES: u32 = 10;

type Positions = Column<Vertex, Vec3>;

/// What a row's operation left behind.
struct Worked<C: Edits> {
    measured: Measured,
    session: Session<C>,
    x: Positions,
}

/// Times `work` on sessions over a mesh with these positions; the first one warms up. The session of the last sample is kept.
fn operation<C: Counts>(
    b: &Bench<'_>,
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

fn figures(run: &RunReport, more: &[(&str, Value)]) -> Map<String, Value> {
    let mut all = Map::new();
    all.insert("rounds".into(), run.rounds.into());
    all.insert("done".into(), run.done.into());
    all.insert("conflicts".into(), run.conflicts.into());
    for (name, value) in more {
        all.insert((*name).into(), value.clone());
    }
    all
}

/// Opening a session and closing it again, unchanged.
pub(super) fn open_close(b: &Bench<'_>) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?;
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

/// The positions with noise.
pub(super) fn jittered<'b>(b: &'b Bench<'_>) -> Result<&'b [Vec3]> {
    if let Some(positions) = b.jittered.get() {
        return Ok(positions);
    }
    let mut mesh = b.mesh.clone();
    noise(&mut mesh, JITTER, 1)?;
    Ok(b.jittered.get_or_init(|| mesh.positions))
}

/// Delaunay flips on a mesh with noise.
pub(super) fn flips<C: Counts + Runs<DelaunayFlip>>(b: &Bench<'_>) -> Result<Measured> {
    let options = DelaunayOptions::default();
    let worked = operation::<C>(b, jittered(b)?, |session, x| {
        let report = delaunay(session, x, &options)?;
        ensure!(report.run.finished, "not finished: {report:?}");
        Ok(figures(&report.run, &[("left", report.left.into())]))
    })?;
    Ok(worked.measured)
}

/// Three iterations towards the mean length, and how good the result is (Mahmoud et al. 2024, Table 4).
pub(super) fn remeshing<C: Counts + Remeshes>(b: &Bench<'_>) -> Result<Measured> {
    let options = RemeshOptions::default();
    let mut target = 0.0;
    let worked = operation::<C>(b, &b.mesh.positions, |session, x| {
        let report = remesh(session, x, &options)?;
        target = f64::from(report.target_length);
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })?;
    let mut measured = worked.measured;
    let (mesh, _) = worked.session.to_mesh(worked.x)?;
    let q = quality(&mesh);
    // The input is a torus; as many edges as three a two faces are as many as a closed manifold has.
    ensure!(
        2 * q.edges == 3 * q.faces && q.vertices + q.faces == q.edges,
        "the torus has become another surface: {q:?}"
    );
    for (name, spread) in [
        ("edge_length_over_target", q.edge_length.over(target)),
        ("valence", q.valence),
        ("smallest_angle", q.smallest_angle),
    ] {
        let spread = serde_json::to_value(spread)?;
        measured.figures.insert(name.into(), spread);
    }
    Ok(measured)
}

/// To a tenth of the faces.
pub(super) fn simplification(b: &Bench<'_>) -> Result<Measured> {
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    let worked = operation::<Claims>(b, &b.mesh.positions, |session, x| {
        let report = simplify(session, x, &options)?;
        ensure!(report.faces <= report.target, "not reached: {report:?}");
        Ok(figures(&report.run, &[("faces", report.faces.into())]))
    })?;
    Ok(worked.measured)
}

/// One frame of tracking: advection and improvement, the mean over some.
pub(super) fn tracking<C: Counts + Remeshes + Runs<SplitStretched>>(
    b: &Bench<'_>,
) -> Result<Measured> {
    let options = TrackOptions {
        frames: FRAMES,
        ..TrackOptions::default()
    };
    let worked = operation::<C>(b, &b.mesh.positions, |session, x| {
        let report = track::<_, rxmesh_host::Error>(session, x, &options, |_, _| Ok(()))?;
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })?;
    let mut measured = worked.measured;
    for ms in &mut measured.times.ms {
        *ms /= f64::from(FRAMES);
    }
    Ok(measured)
}
