//! Polygons: the findings of triangles are the same, and those that only polygons have are found.

use super::*;
use crate::mesh::{Rng, SharpEdge, SharpVertex, generate};

/// As triangles or as polygons of three corners: the same report.
#[test]
fn triangles_are_checked_alike() {
    let mut rng = Rng::new(5);
    for round in 0..300 {
        let n = 3 + rng.below(8) as u32;
        let mut vertex = || rng.below(u64::from(n)) as u32;
        let faces = (0..2 + round % 15)
            .map(|_| [vertex(), vertex(), vertex()])
            .collect();
        let positions = (0..n)
            .map(|i| Vec3::new((i % 3) as f32, (i / 3) as f32, 0.0))
            .collect();
        let mesh = TriMesh::new(positions, faces).unwrap();
        let poly = PolyMesh::from(mesh.clone());
        assert_eq!(check_poly(&poly), check(&mesh));
        // Sizes kept one by one are checked in another way.
        let sizes: Vec<u32> = (0..=mesh.face_count() as u32).map(|f| 3 * f).collect();
        let offsets = PolyMesh {
            faces: crate::mesh::Faces::Offsets(sizes),
            ..poly
        };
        assert_eq!(check_poly(&offsets), check(&mesh));
    }
}

/// Returns a wedge: two quads and a pentagon beside triangles.
fn house() -> PolyMesh {
    let positions = [
        [0.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [1.0, 2.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, -1.0],
        [2.0, 0.0, -1.0],
        [2.0, 1.0, -1.0],
        [1.0, 2.0, -1.0],
        [0.0, 1.0, -1.0],
    ];
    let faces: [&[u32]; 7] = [
        &[0, 1, 2, 3, 4],
        &[9, 8, 7, 6, 5],
        &[0, 5, 6, 1],
        &[1, 6, 7, 2],
        &[2, 7, 8, 3],
        &[3, 8, 9, 4],
        &[4, 9, 5, 0],
    ];
    let sizes: Vec<u32> = faces.iter().map(|f| f.len() as u32).collect();
    let positions = positions.map(Vec3::from_array).to_vec();
    PolyMesh::new(positions, &sizes, faces.concat()).unwrap()
}

#[test]
fn a_closed_solid_of_polygons() {
    let mesh = house();
    let r = check_poly(&mesh);
    assert_eq!((r.vertices, r.edges, r.faces), (10, 15, 7));
    assert!(r.closed && r.manifold && r.consistently_oriented && r.orientable);
    assert_eq!((r.genus, r.euler_characteristic), (Some(0), 2));
    assert_eq!((r.face_components, r.boundary_loops), (1, 0));
    assert_eq!(
        r.zero_area_faces.count + r.duplicate_faces.count + r.isolated_faces.count,
        0
    );
    let p = r.polygons.unwrap();
    assert_eq!(
        (p.counts.triangles, p.counts.quads, p.counts.larger),
        (0, 5, 2)
    );
    assert_eq!((p.counts.largest, p.crossing_faces.count), (5, 0));
    assert_eq!(p.least_flat, None);
}

#[test]
fn oddities_of_polygons() {
    let mut mesh = house();
    // One side is turned, one is there twice, one is lifted off its plane, and one face crosses itself.
    let quad = mesh.range(3);
    mesh.corners[quad].reverse();
    let first = mesh.positions.len() as u32;
    mesh.positions.extend(
        [
            [5.0, 0.0, 0.0],
            [6.0, 1.0, 0.0],
            [6.0, 0.0, 0.0],
            [5.0, 1.0, 0.0],
        ]
        .map(Vec3::from_array),
    );
    let crossed: Vec<u32> = (first..first + 4).collect();
    let sizes: Vec<u32> = (0..7)
        .map(|f| mesh.range(f).len() as u32)
        .chain([4, 4, 4])
        .collect();
    mesh.corners.extend([7, 6, 1, 2]);
    mesh.corners.extend(crossed);
    mesh.corners.extend([0, 1, 0, 5]);
    mesh.faces = crate::mesh::Faces::of_sizes(&sizes);
    mesh.positions[8].z = -1.5;
    mesh.sharp_edges = vec![
        SharpEdge {
            ends: [1, 0],
            sharpness: 1.0,
        },
        SharpEdge {
            ends: [7, 0],
            sharpness: 1.0,
        },
        SharpEdge {
            ends: [3, 9],
            sharpness: 0.0,
        },
    ];
    mesh.sharp_vertices = vec![SharpVertex {
        vertex: 3,
        sharpness: 2.0,
    }];
    mesh.holes = vec![2];
    mesh.placement = crate::mesh::Placement {
        scale: 4.0,
        ..mesh.placement
    };
    mesh.validate().unwrap();
    let r = check_poly(&mesh);
    assert_eq!(r.degenerate_faces.first, [9]);
    assert_eq!(r.duplicate_faces.first, [7]);
    assert_eq!(r.isolated_faces.first, [8]);
    assert_eq!(r.non_manifold_edges.count, 4);
    assert_eq!(r.zero_area_faces.first, [8, 9]);
    assert!(!r.manifold && !r.closed);
    let p = r.polygons.as_ref().unwrap();
    assert_eq!(p.crossing_faces.first, [8]);
    assert_eq!(
        (
            p.counts.sharp_edges,
            p.counts.sharp_vertices,
            p.counts.holes
        ),
        (2, 1, 1)
    );
    assert_eq!(p.loose_sharp_edges.first, [[0, 7]]);
    let flat = p.least_flat.unwrap();
    // The back, whose top is half a unit off, in a world four times as large.
    assert!(
        flat.face == 1 && flat.distance > 0.5 && flat.distance < 2.0,
        "{flat:?}"
    );
    let text = r.to_text();
    for part in [
        "0 triangles, 8 quads, 2 larger polygons; at most 5 corners",
        "2 sharp edges, 1 sharp vertices, 1 holes",
        "faces that cross themselves: 1 (8; counted from 0)",
        "sharp edges that are no edges: 1 ([0, 7]; counted from 0)",
        "largest distance of a corner from its face's plane",
    ] {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
    // A side turned alone, without its double.
    let mut turned = house();
    let quad = turned.range(3);
    turned.corners[quad].reverse();
    let r = check_poly(&turned);
    assert_eq!(r.inconsistent_edges.count, 4);
    assert!(r.orientable && !r.consistently_oriented);
}

/// A large polygon that is not convex is examined up to its limit, and no further.
#[test]
fn crossings_of_large_polygons() {
    let star = |n: u32, crossed: bool| {
        let at = |i: u32| {
            let a = std::f32::consts::TAU * i as f32 / n as f32;
            (1.0 + (i % 2) as f32) * Vec3::new(a.cos(), a.sin(), 0.0)
        };
        let mut corners: Vec<u32> = (0..n).collect();
        if crossed {
            corners.swap(3, 40);
        }
        PolyMesh::new((0..n).map(at).collect(), &[n], corners).unwrap()
    };
    let crossing = |mesh: PolyMesh| check_poly(&mesh).polygons.unwrap().crossing_faces.count;
    let most = PolygonReport::MOST_CORNERS as u32;
    assert_eq!(crossing(star(most, true)), 1);
    assert_eq!(crossing(star(most, false)), 0);
    assert_eq!(crossing(star(most + 2, true)), 0);
    let tie = |y: f32| {
        let at = [
            [0.0, 0.0, 0.0],
            [1.0, 1.0, 0.0],
            [1.0, y, 0.0],
            [0.0, 1.0, 0.0],
        ];
        PolyMesh::new(at.map(Vec3::from_array).to_vec(), &[4], vec![0, 1, 2, 3]).unwrap()
    };
    assert_eq!(crossing(tie(0.0)), 1);
    assert_eq!(crossing(tie(0.25)), 1);
    let grid = generate::quad_grid(3, 3).unwrap();
    assert_eq!(crossing(grid), 0);
}
