//! Meshes by the positions of their vertices, independently of numbering. For meshes without two vertices at one
//! position, or as multisets.

use glam::Vec3;
use rxmesh_host::mesh::TriMesh;

/// Bits of a position.
pub type Place = [u32; 3];

/// Returns the bits of a point.
pub fn place(x: Vec3) -> Place {
    x.to_array().map(f32::to_bits)
}

/// Returns the positions of the vertices, sorted.
pub fn vertices(mesh: &TriMesh) -> Vec<Place> {
    let mut all: Vec<Place> = mesh.positions.iter().map(|&x| place(x)).collect();
    all.sort_unstable();
    all
}

/// Returns a triangle's corners from the least one on, in their order.
pub fn triangle(corners: [Vec3; 3]) -> [Place; 3] {
    let c = corners.map(place);
    // Equal corners: the one before the lesser remainder.
    let turned = [c, [c[1], c[2], c[0]], [c[2], c[0], c[1]]];
    turned.into_iter().min().unwrap_or(c)
}

/// Returns the triangles, sorted.
pub fn triangles(mesh: &TriMesh) -> Vec<[Place; 3]> {
    let x = |v: u32| mesh.positions[v as usize];
    let mut all: Vec<_> = mesh.faces.iter().map(|f| triangle(f.map(x))).collect();
    all.sort_unstable();
    all
}
