//! Pictures of `docs/use/pictures.md`: each shows what some flags of `rxmesh render` do.

use super::{read, size};
use anyhow::Result;
use rxmesh_host::TriMesh;
use rxmesh_host::algo::curvature::curvature;
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic};
use rxmesh_host::engine::Engine;
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Vertex;
use rxmesh_picture::{Paint, PictureOptions, UpAxis, render};

/// Width and height of a picture in the page.
const SIZE: [u32; 2] = [480, 360];

fn draw(mesh: &TriMesh, change: impl FnOnce(&mut PictureOptions)) -> Result<Vec<u8>> {
    Ok(render(mesh, &size(SIZE).with(change))?.to_png())
}

/// Draws a mesh without any flag.
pub(super) fn plain() -> Result<Vec<u8>> {
    draw(&read("bunny.obj")?, |_| {})
}

/// Draws flat faces with their edges.
pub(super) fn edges() -> Result<Vec<u8>> {
    draw(&read("spot.ply")?, |o| {
        (o.edges, o.flat) = (true, true);
    })
}

/// Draws creases and the boundary.
pub(super) fn creases() -> Result<Vec<u8>> {
    draw(&read("nut.ply")?, |o| {
        (o.creases, o.crease_angle, o.up) = (true, 30.0, UpAxis::Z);
    })
}

/// Draws connected parts.
pub(super) fn parts() -> Result<Vec<u8>> {
    draw(&read("ant.ply")?, |o| {
        o.paint = Paint::Parts;
    })
}

/// Draws lines of equal distance along the surface.
pub(super) fn distance() -> Result<Vec<u8>> {
    let mut mesh = read("bunny.obj")?;
    let rx = RxMesh::from_mesh(&Engine::cpu(), &mesh)?;
    let x = rx.attribute_from::<Vertex, _>(&mesh.positions)?;
    let (mut distance, _) = geodesic(&rx, &x, &[0], &GeodesicOptions::default())?;
    mesh.add_vertex_column("distance", distance.to_input(&rx)?)?;
    draw(&mesh, |o| {
        (o.paint, o.isolines) = (Paint::Column("distance".into()), 20);
    })
}

/// Draws values of both signs.
pub(super) fn mean_curvature() -> Result<Vec<u8>> {
    let mut mesh = read("spot.ply")?;
    let rx = RxMesh::from_mesh(&Engine::cpu(), &mesh)?;
    let x = rx.attribute_from::<Vertex, _>(&mesh.positions)?;
    let (mut values, _) = curvature(&rx, &x)?;
    mesh.add_vertex_column("mean_curvature", values.mean.to_input(&rx)?)?;
    draw(&mesh, |o| o.paint = Paint::Column("mean_curvature".into()))
}
