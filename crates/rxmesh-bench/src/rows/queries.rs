//! Rays and points against a surface.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::algo::inside::InsideTree;
use rxmesh_host::algo::rays::Rays;
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::TriMesh;
use rxmesh_kernels::topo::Kind;
use std::sync::Arc;

use super::closest::{POINTS, corners, in_box_of, points_in_box, points_near};
use super::{Measured, Row, TriangleBench};
use crate::measure;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "hits-random",
        "first hits of a million rays between random points around the surface, on the wall clock",
        random,
    )
    .counts("the library's call, wall clock", "rays", ""),
    Row::time(
        "hits-camera",
        "first hits of the rays of a picture of 1024 by 1024 pixels, on the wall clock",
        camera,
    )
    .counts("the library's call, wall clock", "rays", ""),
    Row::time(
        "blocked-random",
        "the rays of hits-random that hit anything, on the wall clock",
        blocked,
    )
    .counts("the library's call, wall clock", "rays", ""),
    Row::time(
        "hits-all",
        "lists of all hits of the rays of hits-random, on the wall clock",
        all,
    )
    .counts("the library's call, wall clock", "rays", ""),
    Row::time(
        "faces-within",
        "faces within half a percent of the box of the points of closest-near, on the wall clock",
        within,
    )
    .counts("the library's call, wall clock", "points", ""),
    Row::time(
        "inside-tree",
        "boundary of the surface, and moments if it is long, on the wall clock",
        tree,
    )
    .counts("the library's call, wall clock", "faces and positions", ""),
    Row::time(
        "inside",
        "winding numbers of a million points in the box, on the wall clock",
        inside,
    )
    .counts("the library's call, wall clock", "points", ""),
    Row::time(
        "inside-open",
        "the same where every tenth face is missing: far faces count together",
        inside_open,
    )
    .counts("the library's call, wall clock", "points", ""),
];

/// Pixels of the picture on each side.
const PIXELS: usize = 1024;

/// Rays on the engine.
struct RayBuffers {
    origins: Buffer<Vec3>,
    directions: Buffer<Vec3>,
}

impl RayBuffers {
    fn new(b: &TriangleBench<'_>, rays: impl Iterator<Item = [Vec3; 2]>) -> Result<RayBuffers> {
        let (origins, directions): (Vec<Vec3>, Vec<Vec3>) = rays.map(|[o, d]| (o, d)).unzip();
        Ok(RayBuffers {
            origins: b.engine.upload(&origins)?,
            directions: b.engine.upload(&directions)?,
        })
    }

    /// Makes rays from random points around the surface through others.
    fn random(b: &TriangleBench<'_>) -> Result<RayBuffers> {
        let mut place = in_box_of(b, 3);
        let rays = (0..POINTS).map(|_| {
            let from = place();
            [from, place() - from]
        });
        RayBuffers::new(b, rays)
    }

    fn rays(&self) -> Rays<'_> {
        Rays {
            origins: &self.origins,
            directions: &self.directions,
            limit: f32::INFINITY,
        }
    }
}

fn random(b: &TriangleBench<'_>) -> Result<Measured> {
    first(b, &RayBuffers::random(b)?)
}

fn camera(b: &TriangleBench<'_>) -> Result<Measured> {
    let (low, high) = corners(&b.mesh.positions);
    let (middle, size) = ((low + high) * 0.5, (high - low).max_element());
    let eye = middle + Vec3::new(0.4, 0.5, 1.2) * size;
    let ahead = (middle - eye).normalize();
    let right = ahead.cross(Vec3::Y).normalize();
    let up = right.cross(ahead);
    let rays = (0..PIXELS * PIXELS).map(|i| {
        let along = |k: usize| (k as f32 + 0.5) / PIXELS as f32 - 0.5;
        let (x, y) = (along(i % PIXELS), along(i / PIXELS));
        [eye, ahead + right * x + up * y]
    });
    first(b, &RayBuffers::new(b, rays)?)
}

fn first(b: &TriangleBench<'_>, rays: &RayBuffers) -> Result<Measured> {
    let tree = SurfaceTree::new(b.engine, &b.mesh.positions, &b.mesh.faces)?;
    let found = tree.first_hits(rays.rays())?.distances.read()?;
    let hits = found.iter().filter(|t| t.is_finite()).count();
    ensure!(hits > found.len() / 100, "only {hits} rays hit");
    let times = measure::calls(b.engine, b.effort, || {
        tree.first_hits(rays.rays())?;
        Ok(())
    })?;
    Ok(Measured::times("ray", found.len() as u64, times))
}

fn blocked(b: &TriangleBench<'_>) -> Result<Measured> {
    let rays = RayBuffers::random(b)?;
    let tree = SurfaceTree::new(b.engine, &b.mesh.positions, &b.mesh.faces)?;
    let found = tree.find_blocked(rays.rays())?.read()?;
    ensure!(found.contains(&1), "no ray hits");
    let times = measure::calls(b.engine, b.effort, || {
        tree.find_blocked(rays.rays())?;
        Ok(())
    })?;
    Ok(Measured::times("ray", POINTS as u64, times))
}

fn all(b: &TriangleBench<'_>) -> Result<Measured> {
    let rays = RayBuffers::random(b)?;
    let tree = SurfaceTree::new(b.engine, &b.mesh.positions, &b.mesh.faces)?;
    ensure!(
        !tree.all_hits(rays.rays())?.triangles.is_empty(),
        "no ray hits"
    );
    let times = measure::calls(b.engine, b.effort, || {
        tree.all_hits(rays.rays())?;
        Ok(())
    })?;
    Ok(Measured::times("ray", POINTS as u64, times))
}

fn within(b: &TriangleBench<'_>) -> Result<Measured> {
    let (points, reach) = points_near(b);
    let points = b.engine.upload(&points)?;
    let tree = SurfaceTree::new(b.engine, &b.mesh.positions, &b.mesh.faces)?;
    ensure!(
        !tree.triangles_within(&points, reach)?.triangles.is_empty(),
        "no face is near"
    );
    let times = measure::calls(b.engine, b.effort, || {
        tree.triangles_within(&points, reach)?;
        Ok(())
    })?;
    Ok(Measured::times("point", POINTS as u64, times))
}

fn tree(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.engine.upload(&b.mesh.positions)?;
    let faces = b.engine.upload(&b.mesh.faces)?;
    let tree = Arc::new(SurfaceTree::on_engine(b.engine, &x, &faces)?);
    let times = measure::calls(b.engine, b.effort, || {
        InsideTree::new(tree.clone(), &x, &faces)?;
        Ok(())
    })?;
    Ok(Measured::times("face", b.count(Kind::Face), times))
}

fn inside(b: &TriangleBench<'_>) -> Result<Measured> {
    winding(b, b.mesh)
}

fn inside_open(b: &TriangleBench<'_>) -> Result<Measured> {
    let faces = b.mesh.faces.iter().enumerate();
    let kept = faces.filter(|(i, _)| i % 10 != 0).map(|(_, &f)| f);
    let open = TriMesh {
        positions: b.mesh.positions.clone(),
        faces: kept.collect(),
        ..TriMesh::default()
    };
    winding(b, &open)
}

fn winding(b: &TriangleBench<'_>, mesh: &TriMesh) -> Result<Measured> {
    let x = b.engine.upload(&mesh.positions)?;
    let faces = b.engine.upload(&mesh.faces)?;
    let tree = Arc::new(SurfaceTree::on_engine(b.engine, &x, &faces)?);
    let tree = InsideTree::new(tree, &x, &faces)?;
    let points = b.engine.upload(&points_in_box(b))?;
    let found = tree.winding_numbers(&points)?.read()?;
    ensure!(found.iter().all(|w| w.is_finite()), "no number");
    let times = measure::calls(b.engine, b.effort, || {
        tree.winding_numbers(&points)?;
        Ok(())
    })?;
    Ok(Measured::times("point", POINTS as u64, times))
}
