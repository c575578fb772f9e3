//! Effect of edits on the speed of static kernels.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::normals::vertex_normals_unscaled;
use rxmesh_host::edit::{Claims, Runs, Session};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::algo::delaunay::DelaunayFlip;
use rxmesh_kernels::topo::{Kind, Vertex};
#[cfg(feature = "speculative")]
use rxmesh_speculative::Speculative;
use serde_json::Map;

use super::{Measured, Row, TriangleBench, mcf};
use crate::conflicts::Counts;
use crate::measure::{self, median};
use crate::record::Unit;
use crate::reference::Against;

const SLOWDOWN: Row = Row::amount(
    "slowdown",
    "a mean curvature flow iteration after Delaunay flips and closing, over one before",
    slowdown::<Claims>,
)
.counts(
    "no time: `mcf-iteration` on the mesh that Delaunay flips and closing the session leave, over the same before, \
     patches of the same size (Mahmoud et al. 2024, Table 3)",
    "",
    "",
)
.against(&[Against::new(
    "paper, Table 3, mean",
    "papers",
    &["slowdown of mean curvature flow after Delaunay flips"],
)]);

pub(super) const ROWS: &[Row] = &[
    SLOWDOWN,
    #[cfg(feature = "speculative")]
    SLOWDOWN.speculative(
        "slowdown-speculative",
        "the same after flips on the speculative scheduler",
        slowdown::<Speculative>,
    ),
];

/// Measures an iteration of mean curvature flow after Delaunay flips over one before, as in Table 3 of Mahmoud et al.
/// 2024, and vertex normals likewise.
fn slowdown<C: Counts + Runs<DelaunayFlip>>(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(b.jittered()?)?;
    let mut session = Session::<C>::open_with(b.rx)?;
    let column = session.attach(&x)?;
    delaunay(&mut session, column, &DelaunayOptions::default())?;
    // Patches of the same size as before: smaller ones are slower by themselves.
    let mut closed = session.close(RepackOptions::default().with(|o| {
        o.patch_size = b.patch_size;
    }))?;
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
        ("patch_faces_before", patch_faces(b.rx)),
        ("patch_faces_after", patch_faces(&closed.mesh)),
    ] {
        figures.insert(name.into(), value.into());
    }
    Ok(Measured::amount(
        Unit::Times,
        vec![after_ms / before_ms],
        figures,
    ))
}

/// Returns the mean number of faces of a patch.
fn patch_faces(rx: &RxMesh) -> f64 {
    f64::from(rx.count(Kind::Face)) / rx.headers().len() as f64
}

fn normals_ms(b: &TriangleBench<'_>, rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64> {
    let mut n = rx.attribute()?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(vertex_normals_unscaled(rx, x, &mut n)?)
    })?;
    Ok(median(&times.ms))
}
