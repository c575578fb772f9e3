//! A section through a mesh, painted by what queries find there.

use super::{read, size};
use crate::rows::corners;
use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::algo::inside::InsideTree;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::generate;
use rxmesh_picture::{Paint, Panel, render_panels};
use std::sync::Arc;

/// Cells of the section along a side.
const CELLS: u32 = 320;

/// Part of the mesh's size by which the section is larger, on each side.
const MARGIN: f32 = 0.12;

/// Draws a mesh, and the signed distances from it in a section through its middle.
pub(super) fn signed_distances() -> Result<Vec<u8>> {
    let (engine, mesh) = (Engine::cpu(), read("bunny.obj")?);
    let (low, high) = corners(&mesh.positions);
    let middle = (low + high) * 0.5;
    let mut section = generate::grid(CELLS, CELLS)?;
    let extent = (high - low) * (1.0 + 2.0 * MARGIN);
    for p in &mut section.positions {
        let off = Vec3::new(p.x - 0.5, p.y - 0.5, 0.0) * extent;
        *p = middle + off;
    }
    let (x, faces) = (engine.upload(&mesh.positions)?, engine.upload(&mesh.faces)?);
    let tree = Arc::new(SurfaceTree::on_engine(&engine, &x, &faces)?);
    let inside = InsideTree::new(tree, &x, &faces)?;
    let points = engine.upload(&section.positions)?;
    let (_, distances) = inside.signed_distances(&points)?;
    section.add_vertex_column("signed_distance", distances.read()?)?;
    let options = size([760, 390])
        .with(|o| (o.paint, o.isolines) = (Paint::Column("signed_distance".into()), 16));
    let before = Panel {
        caption: Some("bunny"),
        is_plain: true,
        ..Panel::new(&mesh)
    };
    let after = Panel {
        caption: Some("signed distance in a section"),
        ..Panel::new(&section)
    };
    Ok(render_panels(&[before, after], &options)?.to_png())
}
