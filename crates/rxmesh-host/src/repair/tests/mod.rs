//! Tests of repair: shapes with known answers, data of meshes, and random ones.

mod carried;
mod random;
mod shapes;

use super::{RepairOptions, RepairReport, repair};
use crate::mesh::{Rng, TriMesh, check};
use glam::Vec3;

/// Returns a cube with its lowest corner at a place, looking outwards: 8 vertices, 12 faces.
fn cube(at: Vec3, size: f32) -> TriMesh {
    let corner =
        |i: u32| at + size * Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32);
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = sides
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriMesh::new((0..8).map(corner).collect(), faces.collect()).unwrap()
}

/// Joins several meshes to one.
fn all(parts: &[TriMesh]) -> TriMesh {
    let mut mesh = TriMesh::default();
    for part in parts {
        let first = mesh.positions.len() as u32;
        mesh.positions.extend(&part.positions);
        mesh.faces
            .extend(part.faces.iter().map(|f| f.map(|v| v + first)));
    }
    mesh
}

/// Returns the mesh with separate vertices for every face, and some faces reversed.
fn soup(mesh: &TriMesh, seed: u64) -> TriMesh {
    let mut rng = Rng::new(seed);
    let mut soup = TriMesh::default();
    for f in &mesh.faces {
        let first = soup.positions.len() as u32;
        soup.positions.extend(f.map(|v| mesh.positions[v as usize]));
        let turned = rng.next_u64() & 1 == 1;
        soup.faces.push(if turned {
            [first, first + 2, first + 1]
        } else {
            [first, first + 1, first + 2]
        });
    }
    soup
}

/// Turns every face over.
fn inverted(mut mesh: TriMesh) -> TriMesh {
    mesh.faces.iter_mut().for_each(|f| f.swap(1, 2));
    mesh
}

/// Repairs; the result must be sound, and stay as it is when it is repaired again.
fn repaired(mesh: &TriMesh) -> (TriMesh, RepairReport) {
    let options = RepairOptions::default();
    let mut once = mesh.clone();
    let report = repair(&mut once, &options).unwrap();
    once.validate().unwrap();
    let c = check(&once);
    assert!(
        report.after.is_sound() && c.manifold && c.consistently_oriented,
        "{report:#?}\n{c}"
    );
    assert!(report.after.isolated_vertices == 0 || once.faces.is_empty());
    let mut twice = once.clone();
    repair(&mut twice, &options).unwrap();
    assert!(
        twice.positions == once.positions && twice.faces == once.faces,
        "repairing again changes the mesh"
    );
    (once, report)
}

/// Returns the volume, by the divergence theorem.
fn volume(mesh: &TriMesh) -> f64 {
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let six = |f: &[u32; 3]| {
        let [a, b, c] = f.map(x);
        a.dot(b.cross(c))
    };
    mesh.faces.iter().map(six).sum::<f64>() / 6.0
}
