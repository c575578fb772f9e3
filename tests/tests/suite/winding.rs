//! Winding numbers and signed distances against sums over all triangles in `f64`.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::bounds::check_finite;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::algo::inside::InsideTree;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::distance::to_triangles;
use rxmesh_tests::engines::suited;
use rxmesh_tests::fixtures;
use rxmesh_tests::points::PointsAround;
use std::f64::consts::PI;
use std::sync::Arc;

conformance! {
    agree_with_sums, whole_numbers_of_closed_surfaces, triangles_without_common_vertices, aligned_points,
    signs_of_distances, same_bits_of_closed_surfaces, points_at_the_origin, bad_input
}

/// Returns the winding number by a sum of solid angles (van Oosterom, Strackee 1983).
fn sum(mesh: &TriMesh, p: Vec3) -> f64 {
    angles(mesh, p).iter().sum::<f64>()
}

/// Returns the solid angle of each face over that of a sphere.
fn angles(mesh: &TriMesh, p: Vec3) -> Vec<f64> {
    let p = p.as_dvec3();
    let of = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize].as_dvec3() - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let whole = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(whole) / (4.0 * PI)
    };
    mesh.faces.iter().map(of).collect()
}

/// Returns points in and around a mesh's box.
fn points(mesh: &TriMesh, n: usize, seed: u64) -> Vec<Vec3> {
    let mut around = PointsAround::new(mesh, 0.01, seed);
    (0..n).map(|_| around.place(1.5)).collect()
}

fn tree(engine: &Engine, mesh: &TriMesh) -> InsideTree {
    let x = engine.upload(&mesh.positions).unwrap();
    let faces = engine.upload(&mesh.faces).unwrap();
    let tree = SurfaceTree::on_engine(engine, &x, &faces).unwrap();
    InsideTree::new(Arc::new(tree), &x, &faces).unwrap()
}

fn numbers(engine: &Engine, mesh: &TriMesh, points: &[Vec3]) -> Vec<f32> {
    let points = engine.upload(points).unwrap();
    let numbers = tree(engine, mesh).winding_numbers(&points).unwrap();
    numbers.read().unwrap()
}

/// Splits a mesh into triangles without common vertices.
fn apart(mesh: &TriMesh) -> TriMesh {
    let corners = mesh.faces.iter().flatten();
    let positions = corners.map(|&v| mesh.positions[v as usize]).collect();
    let faces = (0..mesh.faces.len() as u32).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]);
    TriMesh::new(positions, faces.collect()).unwrap()
}

fn agree_with_sums(engine: &Engine) {
    let most = suited(engine, [2000, 320, 100]);
    let mut meshes: Vec<(String, TriMesh)> = fixtures::suited(engine)
        .map(|f| (f.name.clone(), f.mesh.clone()))
        .collect();
    // Boundaries that are too long to visit each edge.
    meshes.push((
        "soup".into(),
        fixtures::soup(7, 90, suited(engine, [400, 130, 90])),
    ));
    let mut half = fixtures::torus(suited(engine, [40, 12, 12]), suited(engine, [24, 7, 4]));
    let mut i = 0;
    half.faces.retain(|_| {
        i += 1;
        i % 3 != 0
    });
    meshes.push(("every third face missing".into(), half));
    let mut long = 0;
    for (what, mesh) in meshes {
        if mesh.face_count() > most {
            continue;
        }
        let points = points(&mesh, suited(engine, [200, 40, 20]), 3);
        let edges = tree(engine, &mesh).boundary_edges();
        long += u32::from(edges > 256);
        for (p, w) in points.iter().zip(numbers(engine, &mesh, &points)) {
            let each = angles(&mesh, *p);
            let wanted: f64 = each.iter().sum();
            // Of many layers that cancel each other errors add up.
            let all: f64 = each.iter().map(|a| a.abs()).sum();
            let tolerance = if edges > 256 {
                0.01 * all.max(1.0)
            } else {
                2e-5 * f64::from(1 + edges).sqrt()
            };
            let off = (f64::from(w) - wanted).abs();
            assert!(off <= tolerance, "{what}: {p}: {w}, not {wanted}");
        }
    }
    assert!(long >= suited(engine, [2, 0, 0]), "{long}");
}

/// Also of surfaces that cross, lie in each other, or look inwards.
fn whole_numbers_of_closed_surfaces(engine: &Engine) {
    let ball = fixtures::closed(suited(engine, [3, 1, 1]));
    let mut all = ball.clone();
    for (scale, moved, turned) in [
        (0.5, Vec3::ZERO, false),
        (0.3, Vec3::new(0.1, 0.0, 0.0), true),
        (1.0, Vec3::new(0.8, 0.3, 0.1), false),
        (1.0, Vec3::ZERO, false),
    ] {
        let first = all.positions.len() as u32;
        all.positions
            .extend(ball.positions.iter().map(|p| *p * scale + moved));
        all.faces.extend(ball.faces.iter().map(|&[a, b, c]| {
            let [b, c] = if turned { [c, b] } else { [b, c] };
            [a + first, b + first, c + first]
        }));
    }
    assert_eq!(tree(engine, &all).boundary_edges(), 0);
    let points = points(&all, suited(engine, [1000, 100, 100]), 4);
    let mut seen = [0; 5];
    for (p, w) in points.iter().zip(numbers(engine, &all, &points)) {
        let wanted = sum(&all, *p);
        assert_eq!(f64::from(w), wanted.round(), "{p}: {wanted}");
        seen[w as usize] += 1;
    }
    let buffer = engine.upload(&points).unwrap();
    let flags = tree(engine, &all).contains(&buffer).unwrap();
    let inside = flags.read().unwrap().iter().sum::<u32>();
    assert_eq!(inside as usize, points.len() - seen[0]);
    assert!(seen[..3].iter().all(|&n| n > 0), "{seen:?}");
}

fn triangles_without_common_vertices(engine: &Engine) {
    let mesh = fixtures::torus(12, 8);
    let apart = apart(&mesh);
    assert_eq!(tree(engine, &apart).boundary_edges(), 0);
    let points = points(&mesh, suited(engine, [300, 60, 30]), 5);
    assert_eq!(
        numbers(engine, &mesh, &points),
        numbers(engine, &apart, &points)
    );
    // With the zero of the other sign too.
    let mut flat = fixtures::tetrahedron();
    flat.positions[0].x = 0.0;
    let mut flat = self::apart(&flat);
    let zero = flat.positions.iter_mut().find(|p| p.x == 0.0);
    zero.unwrap().x = -0.0;
    assert_eq!(tree(engine, &flat).boundary_edges(), 0);
}

/// Returns a cube around the origin, with half a side of `half`.
fn cube(half: f32) -> TriMesh {
    let side = |i: u32| if i == 1 { half } else { -half };
    let positions = (0..8).map(|i| Vec3::new(side(i & 1), side(i >> 1 & 1), side(i >> 2)));
    let quads = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    let faces = quads
        .iter()
        .flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]);
    TriMesh::new(positions.collect(), faces.collect()).unwrap()
}

/// Points and faces on the same grid: a box, with and without its lid.
fn aligned_points(engine: &Engine) {
    let mut cube = cube(0.75);
    let n = 4;
    let at = |i: i32| f32::from(i as i16) / n as f32 * 0.75;
    let mut points = Vec::new();
    for i in -2 * n..=2 * n {
        for j in -2 * n..=2 * n {
            for k in -2 * n..=2 * n {
                // Neighbours in the list are far from each other: any part of it is everywhere.
                points.push(Vec3::new(at(i * 5 % 9), at(j * 7 % 9), at(k)));
            }
        }
    }
    points.truncate(suited(engine, [points.len(), 300, 100]));
    let far = |mesh: &TriMesh, p: Vec3| to_triangles(mesh, p.as_dvec3()) > 1e-4;
    for is_open in [false, true] {
        if is_open {
            let lid = |f: &[u32; 3]| f.iter().all(|&v| cube.positions[v as usize].z > 0.0);
            let faces: Vec<[u32; 3]> = cube.faces.iter().copied().filter(|f| !lid(f)).collect();
            assert!(faces.len() < cube.faces.len());
            cube.faces = faces;
        }
        for (p, w) in points.iter().zip(numbers(engine, &cube, &points)) {
            let wanted = sum(&cube, *p);
            let off = (f64::from(w) - wanted).abs();
            assert!(off < 1e-4 || !far(&cube, *p), "{p}: {w}, not {wanted}");
        }
    }
}

fn signs_of_distances(engine: &Engine) {
    let n = suited(engine, [24, 8, 6]);
    let mesh = fixtures::torus(n, n - 1);
    let points = points(&mesh, suited(engine, [400, 60, 30]), 6);
    let buffer = engine.upload(&points).unwrap();
    let (found, distances) = tree(engine, &mesh).signed_distances(&buffer).unwrap();
    let plain = found.distances(&buffer).unwrap().read().unwrap();
    let (distances, places) = (distances.read().unwrap(), found.places.read().unwrap());
    for (i, &p) in points.iter().enumerate() {
        let wanted = to_triangles(&mesh, p.as_dvec3());
        let is_inside = sum(&mesh, p) > 0.5;
        let signed = if is_inside { -wanted } else { wanted };
        assert!((f64::from(distances[i]) - signed).abs() < 1e-5, "{p}");
        assert_eq!(plain[i], distances[i].abs());
        let far: DVec3 = places[i].as_dvec3() - p.as_dvec3();
        assert!((far.length() - wanted).abs() < 1e-5, "{p}");
    }
    let few = engine.upload(&points[1..]).unwrap();
    assert!(found.distances(&few).is_err());
}

fn same_bits_of_closed_surfaces(engine: &Engine) {
    let host = Engine::cpu_with_threads(1).unwrap();
    let n = suited(engine, [30, 9, 6]);
    let mesh = fixtures::torus(n, n - 1);
    let points = points(&mesh, suited(engine, [500, 60, 30]), 8);
    let all = [engine, &host].map(|engine| {
        let points = engine.upload(&points).unwrap();
        let (found, distances) = tree(engine, &mesh).signed_distances(&points).unwrap();
        (
            distances.read().unwrap(),
            found.places.read().unwrap(),
            found.triangles.read().unwrap(),
            found.parts.read().unwrap(),
        )
    });
    assert!(all[0] == all[1]);
}

/// Nodes without triangles have their centre at the origin, and no part in any sum.
fn points_at_the_origin(engine: &Engine) {
    let mut mesh = fixtures::soup(7, 90, 200);
    for x in &mut mesh.positions {
        x.x += 10.0;
    }
    let points = [0.0, 1e-14, -1e-15, 1e-20, 1e-7].map(|x| Vec3::new(x, 0.0, 0.0));
    let want = sum(&mesh, Vec3::ZERO);
    for number in numbers(engine, &mesh, &points) {
        assert!(
            (f64::from(number) - want).abs() < 1e-3,
            "{number} of {want}"
        );
    }
}

fn bad_input(engine: &Engine) {
    let mesh = fixtures::empty();
    let points = [Vec3::ZERO, Vec3::splat(1e30)];
    assert_eq!(numbers(engine, &mesh, &points), [0.0; 2]);
    let ball = fixtures::closed(1);
    // Far beyond all squares, and without a number: an answer, if not a meaningful one.
    let far = [
        Vec3::splat(1e30),
        Vec3::splat(-1e38),
        Vec3::new(0.0, 0.0, -1e20),
    ];
    assert_eq!(numbers(engine, &ball, &far), [0.0; 3]);
    let soup = fixtures::soup(7, 90, 200);
    assert_eq!(numbers(engine, &soup, &far), [0.0; 3]);
    assert_eq!(numbers(engine, &ball, &[Vec3::NAN]).len(), 1);

    let x = engine.upload(&[Vec3::ZERO]).unwrap();
    let faces = engine.upload(&[[0, 0, 1]]).unwrap();
    let tree = SurfaceTree::new(engine, &[Vec3::ZERO; 2], &[[0, 0, 1]]).unwrap();
    let told = InsideTree::new(Arc::new(tree), &x, &faces)
        .unwrap_err()
        .to_string();
    assert!(told.contains("face 0"), "{told}");
    let points = engine.upload(&[Vec3::ZERO, Vec3::NAN]).unwrap();
    let told = check_finite(&points, "point").unwrap_err().to_string();
    assert!(told.contains("point 1 "), "{told}");
}
