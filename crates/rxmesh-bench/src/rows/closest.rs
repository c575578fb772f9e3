//! Closest points of a surface.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::mesh::Rng;
use rxmesh_kernels::topo::Kind;

use super::{Measured, Row, TriangleBench};
use crate::measure;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "tree",
        "hierarchy of boxes of faces in the engine's memory, on the wall clock",
        tree,
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
    Row::time(
        "tree-refit",
        "the same for moved vertices, in the order that it has, on the wall clock",
        refit,
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
    Row::time(
        "closest-near",
        "closest points of a million points near the surface, on the wall clock",
        near,
    )
    .counts("the library's call, wall clock", "points", ""),
    Row::time(
        "closest-box",
        "closest points of a million points in the box, on the wall clock",
        in_box,
    )
    .counts("the library's call, wall clock", "points", ""),
];

/// Points of a query.
pub(super) const POINTS: usize = 1_000_000;

/// Greatest distance of points near the surface from it, as a part of the longest side of the box.
const NEAR: f32 = 0.005;

fn tree(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.engine.upload(&b.mesh.positions)?;
    let faces = b.engine.upload(&b.mesh.faces)?;
    let times = measure::calls(b.engine, b.effort, || {
        SurfaceTree::on_engine(b.engine, &x, &faces)?;
        Ok(())
    })?;
    let (n, v) = (b.count(Kind::Face), b.count(Kind::Vertex));
    let written = [(12 * n, "faces"), (12 * v, "positions"), (65 * n, "tree")];
    Ok(Measured {
        times,
        per: "face",
        elements: n,
        floor: b.parts.floor(&[], &written),
        ..Measured::default()
    })
}

fn refit(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.engine.upload(&b.mesh.positions)?;
    let faces = b.engine.upload(&b.mesh.faces)?;
    let mut tree = SurfaceTree::on_engine(b.engine, &x, &faces)?;
    let times = measure::calls(b.engine, b.effort, || {
        tree.refit(&x, &faces)?;
        Ok(())
    })?;
    Ok(Measured::times("face", b.count(Kind::Face), times))
}

fn near(b: &TriangleBench<'_>) -> Result<Measured> {
    query(b, points_near(b).0)
}

/// Returns points near the surface, and how far they are at most along an axis.
pub(super) fn points_near(b: &TriangleBench<'_>) -> (Vec<Vec3>, f32) {
    let (low, high) = corners(&b.mesh.positions);
    let reach = NEAR * (high - low).max_element();
    let mut rng = Rng::new(1);
    let mut unit = || rng.signed_unit() as f32;
    let faces = &b.mesh.faces;
    let points = (0..POINTS).map(|i| {
        // Any face, in an order that does not follow the surface.
        let face = faces[(i as u64 * 2_654_435_761 % faces.len() as u64) as usize];
        let centre = face
            .map(|v| b.mesh.positions[v as usize])
            .iter()
            .sum::<Vec3>()
            / 3.0;
        centre + reach * Vec3::new(unit(), unit(), unit())
    });
    (points.collect(), reach)
}

fn in_box(b: &TriangleBench<'_>) -> Result<Measured> {
    query(b, points_in_box(b))
}

pub(super) fn points_in_box(b: &TriangleBench<'_>) -> Vec<Vec3> {
    let mut place = in_box_of(b, 2);
    (0..POINTS).map(|_| place()).collect()
}

/// Returns a source of random points in the box of the mesh.
pub(super) fn in_box_of(b: &TriangleBench<'_>, seed: u64) -> impl FnMut() -> Vec3 {
    let (low, high) = corners(&b.mesh.positions);
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let mut rng = Rng::new(seed);
    let mut unit = move || rng.signed_unit() as f32;
    move || middle + half * Vec3::new(unit(), unit(), unit())
}

/// Returns the least and the greatest corner of the box of positions.
pub(crate) fn corners(x: &[Vec3]) -> (Vec3, Vec3) {
    let extreme = |first: Vec3, of: fn(Vec3, Vec3) -> Vec3| x.iter().copied().fold(first, of);
    (
        extreme(Vec3::INFINITY, Vec3::min),
        extreme(Vec3::NEG_INFINITY, Vec3::max),
    )
}

fn query(b: &TriangleBench<'_>, points: Vec<Vec3>) -> Result<Measured> {
    let tree = SurfaceTree::new(b.engine, &b.mesh.positions, &b.mesh.faces)?;
    let points = b.engine.upload(&points)?;
    let found = tree.closest(&points)?;
    let faces = b.mesh.face_count() as u32;
    ensure!(
        found.triangles.read()?.iter().all(|&t| t < faces),
        "a point without a triangle"
    );
    let times = measure::calls(b.engine, b.effort, || {
        tree.closest(&points)?;
        Ok(())
    })?;
    Ok(Measured {
        times,
        per: "point",
        elements: POINTS as u64,
        ..Measured::default()
    })
}
