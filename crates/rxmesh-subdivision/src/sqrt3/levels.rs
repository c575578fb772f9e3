//! Sizes of levels.

use crate::Mesh;
use crate::triangles::check_size;
use rxmesh_host::Error;

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LevelSize {
    pub(super) vertices: u32,
    pub(super) faces: u32,
    pub(super) open: u32,
}

/// Returns the sizes of levels 0 to the last.
pub(super) fn sizes(mesh: &Mesh, levels: u32) -> Result<Vec<LevelSize>, Error> {
    let (mut vertices, mut faces) = (u64::from(mesh.vertex_count()), u64::from(mesh.face_count()));
    let mut open = 2 * u64::from(mesh.edge_count()) - u64::from(mesh.corner_count());
    let mut sizes = Vec::new();
    for level in 0..=levels {
        check_size("coordinates of vertices", vertices, 3)?;
        sizes.push(LevelSize {
            vertices: vertices as u32,
            faces: faces as u32,
            open: open as u32,
        });
        vertices += faces;
        faces *= 3;
        if level % 2 == 1 {
            vertices += open;
            open *= 3;
        }
    }
    Ok(sizes)
}
