//! The parts of the ant, and the surfaces around them.

use super::{read, size};
use anyhow::Result;
use rxmesh_host::TriMesh;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::algo::wrap::{WrapOptions, wrap};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_picture::{Paint, Panel, render_panels};

/// Faces of the simplified surface.
const FACES: u32 = 6000;

/// Draws the mesh and the surface around it with a colour for each part: parts that touch become one.
pub(super) fn parts() -> Result<Vec<u8>> {
    let (engine, before) = (Engine::cpu(), read("ant.ply")?);
    let x = engine.upload(&before.positions)?;
    let faces = engine.upload(&before.faces)?;
    let around = wrap(&engine, &x, &faces, &WrapOptions::default())?;
    let (mut session, x) = Session::from_engine_arrays(&around.positions, &around.faces, 512)?;
    simplify(&mut session, x, &SimplifyOptions::new(Target::Faces(FACES)))?;
    let (after, _) = session.to_mesh(x)?;
    let caption = |name: &str, mesh: &TriMesh| format!("{name}: {} faces", mesh.face_count());
    let captions = [caption("ant", &before), caption("wrapped", &after)];
    let panel = |mesh, i: usize| Panel {
        caption: Some(&captions[i]),
        ..Panel::new(mesh)
    };
    let options =
        size([760, 390]).with(|o| (o.edges, o.flat, o.paint) = (true, true, Paint::Parts));
    Ok(render_panels(&[panel(&before, 0), panel(&after, 1)], &options)?.to_png())
}
