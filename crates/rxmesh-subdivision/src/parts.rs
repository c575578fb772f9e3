//! Groups of corners of a vertex when a mesh is cut.

use crate::seams::sides;
use rxmesh_host::mesh::PolyMesh;
use rxmesh_subdivision_kernels::topology::NONE;

/// Returns for each corner the lowest one that is reached around its vertex without crossing an edge that is cut or has
/// no twin.
pub(crate) fn parts(mesh: &PolyMesh, twins: &[u32], is_cut: impl Fn(usize) -> bool) -> Vec<u32> {
    let next = next_corners(mesh);
    let mut roots: Vec<u32> = (0..mesh.corners.len() as u32).collect();
    for h in 0..mesh.corners.len() {
        if twins[h] != NONE && !is_cut(h) {
            let twin = twins[h] as usize;
            unite(&mut roots, h, next[twin]);
            unite(&mut roots, next[h], twin);
        }
    }
    (0..roots.len())
        .map(|h| root(&mut roots, h) as u32)
        .collect()
}

/// Returns the next corner of each in its face.
pub(crate) fn next_corners(mesh: &PolyMesh) -> Vec<usize> {
    let mut next = vec![0; mesh.corners.len()];
    for face in 0..mesh.face_count() {
        sides(mesh, face).for_each(|(here, there)| next[here] = there);
    }
    next
}

fn root(roots: &mut [u32], mut at: usize) -> usize {
    while roots[at] as usize != at {
        roots[at] = roots[roots[at] as usize];
        at = roots[at] as usize;
    }
    at
}

fn unite(roots: &mut [u32], a: usize, b: usize) {
    let (a, b) = (root(roots, a), root(roots, b));
    roots[a.max(b)] = a.min(b) as u32;
}
