//! Refinement of triangle meshes: the masks of Loop (1987), and linear subdivision as the surface of a mesh whose edges
//! are all sharp.

use glam::DVec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{EdgeTable, PolyMesh, SharpEdge, TriMesh, check, generate};
use rxmesh_subdivision::{Options, Scheme, VertexOptions, refine, refine_triangles};
use rxmesh_tests::conformance;
use std::collections::HashMap;

conformance! { loop_subdivision_follows_its_masks, linear_when_all_is_sharp, nothing_but_the_shape_is_kept }

fn loops(levels: u32) -> Options {
    Options {
        scheme: Scheme::Loop,
        levels,
        ..Options::default()
    }
}

fn loop_subdivision_follows_its_masks(engine: &Engine) {
    // A regular vertex and edge in the middle of a grid keep flat meshes flat and spacing even.
    let grid = generate::grid(6, 6).unwrap();
    let m = refine_triangles(engine, &grid, &loops(2)).unwrap();
    assert_eq!(m.face_count(), 72 * 16);
    assert!(m.positions.iter().all(|p| p.z == 0.0));
    let positions = vec![
        glam::Vec3::new(0.0, 0.0, 1.5),
        glam::Vec3::new(1.0, 0.25, 0.0),
        glam::Vec3::new(-0.5, 1.0, 0.125),
        glam::Vec3::new(-0.75, -1.0, 0.0),
    ];
    let faces = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
    let tetrahedron = TriMesh::new(positions, faces).unwrap();
    let next = refine_triangles(engine, &tetrahedron, &loops(1)).unwrap();
    let p = |v: usize| tetrahedron.positions[v].as_dvec3();
    // Valence 3 has weight 3/16 for each neighbour; edges 3/8 and 1/8. Vertices keep their ids.
    let corner = p(0) * (7.0 / 16.0) + (p(1) + p(2) + p(3)) * (3.0 / 16.0);
    assert!((next.positions[0].as_dvec3() - corner).length() < 1e-6);
    let middle = (p(0) + p(1)) * 0.375 + (p(2) + p(3)) * 0.125;
    assert_eq!(near(&next.positions[4..], middle), 1);
    assert_eq!(check(&next).euler_characteristic, 2);
}

/// Counts the points at a position.
fn near(points: &[glam::Vec3], place: DVec3) -> usize {
    let at = |p: &&glam::Vec3| (p.as_dvec3() - place).length() < 1e-6;
    points.iter().filter(at).count()
}

fn linear_when_all_is_sharp(engine: &Engine) {
    let open = generate::cylinder(5, 2, 1.0, 2.0, false).unwrap();
    for mesh in [
        generate::icosphere(1).unwrap(),
        open,
        generate::fan(5).unwrap(),
    ] {
        let mut poly = PolyMesh::from(mesh.clone());
        let edges = EdgeTable::of_polygons(&poly).edges;
        poly.sharp_edges = edges
            .iter()
            .map(|&ends| SharpEdge {
                ends,
                sharpness: PolyMesh::SHARP,
            })
            .collect();
        let fine = refine(engine, &poly, &loops(3), VertexOptions::default()).unwrap();
        // Points of the triangles at eighths of their sides, each once.
        let mut wanted: HashMap<[i32; 3], usize> = HashMap::new();
        let key = |p: DVec3| p.to_array().map(|c| (c * 4096.0).round() as i32);
        for f in &mesh.faces {
            let [a, b, c] = f.map(|v| mesh.positions[v as usize].as_dvec3());
            for i in 0..=8 {
                for j in 0..=8 - i {
                    let p = a + (b - a) * f64::from(i) / 8.0 + (c - a) * f64::from(j) / 8.0;
                    *wanted.entry(key(p)).or_default() += 1;
                }
            }
        }
        assert_eq!(fine.mesh.vertex_count(), wanted.len());
        for p in &fine.mesh.positions {
            // Rounding may move a point across the border of a cell.
            let [x, y, z] = key(p.as_dvec3());
            let cells = (-1..=1).flat_map(|i| (-1..=1).map(move |j| [i, j]));
            let mut cells = cells.flat_map(|[i, j]| (-1..=1).map(move |k| [x + i, y + j, z + k]));
            assert!(cells.any(|cell| wanted.contains_key(&cell)), "{p}");
        }
    }
}

fn nothing_but_the_shape_is_kept(engine: &Engine) {
    let mut mesh = generate::icosphere(1).unwrap();
    mesh.extras.comments.push("a remark".into());
    let fine = refine_triangles(engine, &mesh, &loops(1)).unwrap();
    assert_eq!(fine.extras, TriMesh::default().extras);
    assert_eq!((fine.face_count(), check(&fine).manifold), (320, true));
    // Quads of other schemes are cut.
    let quads = refine_triangles(engine, &mesh, &Options::default()).unwrap();
    assert_eq!(quads.face_count(), 80 * 3 * 4 * 2);
}
