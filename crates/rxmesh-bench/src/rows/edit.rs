//! Changes of the connectivity. Each sample opens a session of its own, untimed, and waits for the operation's end: wall clock, because the host takes part in every round.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Column, RunReport, Session};
use rxmesh_host::mesh::generate::noise;
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::topo::{Kind, Vertex};
use serde_json::{Map, Value};

use super::{Bench, Measured};
use crate::measure::{self, Times, median};

/// Noise of the mesh that is made Delaunay, in mean edge lengths.
const JITTER: f32 = 0.25;
/// Frames of tracking that are timed together.
const FRAMES: u32 = 10;

type Positions = Column<Vertex, Vec3>;

/// Times `work` on sessions over a mesh with these positions; the first one warms up.
fn operation(
    b: &Bench<'_>,
    positions: &[Vec3],
    mut work: impl FnMut(&mut Session, Positions) -> Result<Map<String, Value>>,
) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(positions)?;
    let mut figures = Map::new();
    let mut sample = || -> Result<f64> {
        let mut session = Session::open(b.rx)?;
        let x = session.attach(&x)?;
        b.engine.synchronize()?;
        measure::wall_ms(b.engine, || {
            figures = work(&mut session, x)?;
            Ok(())
        })
    };
    sample()?;
    let ms = b.effort.samples(sample)?;
    Ok(Measured {
        per: "face",
        elements: b.count(Kind::Face),
        times: Times {
            ms,
            ..Times::default()
        },
        figures,
        ..Measured::default()
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

/// Delaunay flips on a mesh with noise; static kernels before and after go into the figures.
pub(super) fn flips(b: &Bench<'_>) -> Result<Measured> {
    let mut mesh = b.mesh.clone();
    noise(&mut mesh, JITTER, 1)?;
    let options = DelaunayOptions::default();
    let mut measured = operation(b, &mesh.positions, |session, x| {
        let report = delaunay(session, x, &options)?;
        ensure!(report.run.finished, "not finished: {report:?}");
        Ok(figures(&report.run, &[("left", report.left.into())]))
    })?;
    let x = b.rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut session = Session::open(b.rx)?;
    let column = session.attach(&x)?;
    delaunay(&mut session, column, &options)?;
    let mut closed = session.close(RepackOptions::default())?;
    let after = closed.take(column);
    let slowdown = normals_ms(b, &closed.mesh, &after)? / normals_ms(b, b.rx, &x)?;
    measured
        .figures
        .insert("slowdown of normals afterwards".into(), slowdown.into());
    Ok(measured)
}

fn normals_ms(b: &Bench<'_>, rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64> {
    let mut n = rx.attribute()?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(vertex_normals_unscaled(rx, x, &mut n)?)
    })?;
    Ok(median(&times.ms))
}

/// Three iterations towards the mean length.
pub(super) fn remeshing(b: &Bench<'_>) -> Result<Measured> {
    let options = RemeshOptions::default();
    operation(b, &b.mesh.positions, |session, x| {
        let report = remesh(session, x, &options)?;
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })
}

/// To a tenth of the faces.
pub(super) fn simplification(b: &Bench<'_>) -> Result<Measured> {
    let options = SimplifyOptions::new(Target::Ratio(0.1));
    operation(b, &b.mesh.positions, |session, x| {
        let report = simplify(session, x, &options)?;
        ensure!(report.faces <= report.target, "not reached: {report:?}");
        Ok(figures(&report.run, &[("faces", report.faces.into())]))
    })
}

/// One frame of tracking: advection and improvement, the mean over some.
pub(super) fn tracking(b: &Bench<'_>) -> Result<Measured> {
    let options = TrackOptions {
        frames: FRAMES,
        ..TrackOptions::default()
    };
    let mut measured = operation(b, &b.mesh.positions, |session, x| {
        let report = track::<rxmesh_host::Error>(session, x, &options, |_, _| Ok(()))?;
        let faces = session.count(Kind::Face)?;
        Ok(figures(&report.run(), &[("faces", faces.into())]))
    })?;
    for ms in &mut measured.times.ms {
        *ms /= f64::from(FRAMES);
    }
    Ok(measured)
}
