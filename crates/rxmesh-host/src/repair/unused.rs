//! Vertices of no face.

use super::rebuild::keep_vertices;
use crate::mesh::TriMesh;

/// Drops vertices that no face names. Returns their number. A mesh without faces stays as it is: it consists of its
/// vertices.
pub fn drop_unused_vertices(mesh: &mut TriMesh) -> u64 {
    let mut used = vec![mesh.faces.is_empty(); mesh.positions.len()];
    for &v in mesh.faces.iter().flatten() {
        used[v as usize] = true;
    }
    let unused = used.iter().filter(|used| !**used).count() as u64;
    if unused > 0 {
        keep_vertices(mesh, &used);
    }
    unused
}
