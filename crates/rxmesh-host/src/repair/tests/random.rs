//! Random meshes.

use super::repaired;
use crate::mesh::{TriMesh, is_proper};
use glam::Vec3;
use proptest::prelude::*;
use std::collections::HashMap;

/// Generates triangles between a few vertices on a small lattice: all defects occur.
fn soups() -> impl Strategy<Value = TriMesh> {
    (3u32..14).prop_flat_map(|n| {
        let place = (0i8..3, 0i8..3, 0i8..3);
        let vertices = prop::collection::vec(place, n as usize);
        let faces = prop::collection::vec([0..n, 0..n, 0..n], 1..40);
        (vertices, faces).prop_map(|(vertices, faces)| {
            let at = |(x, y, z): (i8, i8, i8)| Vec3::new(x.into(), y.into(), z.into());
            TriMesh::new(vertices.into_iter().map(at).collect(), faces).unwrap()
        })
    })
}

/// Generates the same between places that are hardly ever on a line.
fn free_soups() -> impl Strategy<Value = TriMesh> {
    (4u32..20).prop_flat_map(|n| {
        let place = prop::array::uniform3(-1.0f32..1.0);
        let vertices = prop::collection::vec(place, n as usize);
        let faces = prop::collection::vec([0..n, 0..n, 0..n], 1..80);
        (vertices, faces).prop_map(|(vertices, faces)| {
            TriMesh::new(vertices.into_iter().map(Vec3::from).collect(), faces).unwrap()
        })
    })
}

/// Generates the same with two faces at an edge at most: often a surface that cannot be oriented.
fn surfaces() -> impl Strategy<Value = TriMesh> {
    free_soups().prop_map(|mut mesh| {
        let mut faces_at: HashMap<[u32; 2], u32> = HashMap::new();
        mesh.faces.retain(|face| {
            let [a, b, c] = *face;
            let edges = [[a, b], [b, c], [c, a]].map(|[p, q]| [p.min(q), p.max(q)]);
            let fits = is_proper(face) && edges.iter().all(|e| faces_at.get(e) < Some(&2));
            for e in edges.into_iter().filter(|_| fits) {
                *faces_at.entry(e).or_default() += 1;
            }
            fits
        });
        mesh
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn soups_on_a_lattice(mesh in soups()) {
        repaired(&mesh);
    }

    #[test]
    fn soups_anywhere(mesh in free_soups()) {
        repaired(&mesh);
    }

    #[test]
    fn surfaces_anywhere(mesh in surfaces()) {
        repaired(&mesh);
    }
}
