//! Vertices of no face.

use super::rebuild::keep_vertices;
use crate::mesh::TriMesh;

/// Drops vertices that no face names; how many these were. A mesh without faces stays as it is: its vertices are all
/// that there is.
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
