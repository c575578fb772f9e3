//! The bunny, simplified and cut into patches.

use super::{read, size};
use anyhow::Result;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::{PatchOptions, build};
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Vertex;
use rxmesh_picture::{Paint, Panel, PictureOptions, render_panels};

/// Returns options that show the faces.
fn faces([width, height]: [u32; 2]) -> PictureOptions {
    size([width, height]).with(|o| (o.edges, o.flat) = (true, true))
}

/// Draws the mesh before and after a simplification to a tenth of its faces.
pub(super) fn simplified() -> Result<Vec<u8>> {
    let before = read("bunny.obj")?;
    let rx = RxMesh::from_mesh(&Engine::cpu(), &before)?;
    let positions = rx.attribute_from::<Vertex, _>(&before.positions)?;
    let mut session = Session::open(&rx)?;
    let x = session.attach(&positions)?;
    simplify(&mut session, x, &SimplifyOptions::new(Target::Ratio(0.1)))?;
    let (after, _) = session.to_mesh(x)?;
    let meshes = [&before, &after];
    let names = ["bunny", "simplified"];
    let captions = [0, 1].map(|i| format!("{}: {} faces", names[i], meshes[i].face_count()));
    let panel = |i: usize| Panel {
        caption: Some(&captions[i]),
        ..Panel::new(meshes[i])
    };
    Ok(render_panels(&[panel(0), panel(1)], &faces([760, 390]))?.to_png())
}

/// Draws the mesh with a colour for each patch.
pub(super) fn patches() -> Result<Vec<u8>> {
    let mesh = read("bunny.obj")?;
    let set = build(mesh.vertex_count(), &mesh.faces, &PatchOptions::default())?;
    let of_faces = 2; // place of faces among the kinds of elements
    let patch =
        |&linear: &u32| set.headers.partition_point(|h| h.base[of_faces] <= linear) as u32 - 1;
    let labels: Vec<u32> = set.face_linear.iter().map(patch).collect();
    let panel = Panel {
        labels: Some(&labels),
        ..Panel::new(&mesh)
    };
    let options = faces([400, 390]).with(|o| o.paint = Paint::Labels);
    Ok(render_panels(&[panel], &options)?.to_png())
}
