//! Figures that are no times: wasted work, what edits do to the speed of static kernels, memory.

#[cfg(feature = "speculative")]
use std::time::Instant;

use anyhow::Result;
#[cfg(feature = "speculative")]
use anyhow::ensure;
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_host::edit::{Runs, Session};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::algo::delaunay::DelaunayFlip;
use rxmesh_kernels::topo::{Kind, Vertex};
#[cfg(feature = "speculative")]
use rxmesh_speculative::{Speculative, SpeculativeOptions};
use serde_json::Map;

use super::edit::jittered;
use super::{Bench, Counted, mcf};
use crate::conflicts::Counts;
use crate::measure::{self, median};
use crate::record::Unit;

/// Most samples of wasted work: it varies little.
#[cfg(feature = "speculative")]
const SAMPLES: usize = 3;

/// An iteration of mean curvature flow after Delaunay flips over one before, as in Table 3 of Mahmoud et al. 2024; vertex normals beside it.
pub(super) fn slowdown<C: Counts + Runs<DelaunayFlip>>(b: &Bench<'_>) -> Result<Counted> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(jittered(b)?)?;
    let mut session = Session::<C>::open_with(b.rx)?;
    let column = session.attach(&x)?;
    delaunay(&mut session, column, &DelaunayOptions::default())?;
    let mut closed = session.close(RepackOptions::default())?;
    let after = closed.take(column)?;
    let iteration =
        |rx: &RxMesh, x| -> Result<f64> { Ok(median(&mcf::matrix_free_times(b, rx, x)?.0.ms)) };
    let [before_ms, after_ms] = [iteration(b.rx, &x)?, iteration(&closed.mesh, &after)?];
    let normals = normals_ms(b, &closed.mesh, &after)? / normals_ms(b, b.rx, &x)?;
    let mut figures = Map::new();
    for (name, value) in [
        ("before_ms", before_ms),
        ("after_ms", after_ms),
        ("normals", normals),
    ] {
        figures.insert(name.into(), value.into());
    }
    Ok(Counted {
        unit: Unit::Times,
        values: vec![after_ms / before_ms],
        figures,
    })
}

fn normals_ms(b: &Bench<'_>, rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64> {
    let mut n = rx.attribute()?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(vertex_normals_unscaled(rx, x, &mut n)?)
    })?;
    Ok(median(&times.ms))
}

/// Wasted work of Delaunay flips.
#[cfg(feature = "speculative")]
pub(super) fn wasted(b: &Bench<'_>) -> Result<Counted> {
    waste(b, false)
}

/// The same in the worst case, where every patch depends on all of its neighbours (Mahmoud et al. 2024, Figure 6).
#[cfg(feature = "speculative")]
pub(super) fn wasted_all(b: &Bench<'_>) -> Result<Counted> {
    waste(b, true)
}

#[cfg(feature = "speculative")]
fn waste(b: &Bench<'_>, lock_all: bool) -> Result<Counted> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(jittered(b)?)?;
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
    Ok(Counted {
        unit: Unit::Percent,
        values,
        figures,
    })
}

/// Bytes a face, without attributes: of the static mesh, or of the speculative engine's patches.
pub(super) fn bytes<C: Counts>(b: &Bench<'_>) -> Result<Counted> {
    let faces = b.count(Kind::Face) as f64;
    let static_bytes = b.rx.device_bytes() as f64 / faces;
    let mut figures = Map::new();
    let value = match Session::<C>::open_with(b.rx)?.edits().patch_bytes() {
        None => static_bytes,
        Some(bytes) => {
            figures.insert("static_bytes_a_face".into(), static_bytes.into());
            bytes as f64 / faces
        }
    };
    Ok(Counted {
        unit: Unit::BytesAFace,
        values: vec![value],
        figures,
    })
}
