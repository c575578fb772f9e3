//! Closest points of a surface against a search through all its triangles, in `f64` and with another formula for the
//! distance of a triangle.

use glam::Vec3;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::closest::{Project, closest_on_triangle};
use rxmesh_host::kernels::edit::{DEAD, NONE};
use rxmesh_host::kernels::math::dot_rounded;
use rxmesh_host::kernels::mem::Global;
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::distance::to_triangles;
use rxmesh_tests::engines::suited;
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::launch::Launch;
use rxmesh_tests::points::PointsAround;

conformance! {
    of_any_mesh, of_far_and_tiny_meshes, the_dead_stay, places_and_triangles, many_points, trees_of_kernels,
    wrong_corners, fitted_to_moved_vertices, the_least_of_all_triangles,
    points_that_are_none
}

/// Projects points; those of `dead` slots must stay unchanged.
fn projected(engine: &Engine, mesh: &TriMesh, points: &[Vec3], dead: &[bool]) -> Vec<Vec3> {
    let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
    let ve: Vec<u32> = dead.iter().map(|&d| if d { DEAD } else { 0 }).collect();
    let (ve, from) = (engine.upload(&ve).unwrap(), engine.upload(points).unwrap());
    let to = engine.upload(&vec![Vec3::NAN; points.len()]).unwrap();
    // With a leaf to look at first, or none: the same.
    let nodes = mesh.faces.len().div_ceil(4).max(1).next_power_of_two() * 2;
    let near: Vec<u32> = (0..points.len()).map(|i| (i * 7 % nodes) as u32).collect();
    let near = engine.upload(&near).unwrap();
    let kernel = Project {
        surface: tree.forest(Global::empty()),
        ve: ve.global(),
        from: from.global(),
        to: to.global_mut(),
        near: near.global_mut(),
    };
    engine.launch_flat(points.len() as u32, kernel).unwrap();
    to.read().unwrap()
}

/// Returns points inside and around a mesh's box, on its vertices, and at the centres of its faces.
fn points(mesh: &TriMesh, n: usize, seed: u64) -> Vec<Vec3> {
    let mut around = PointsAround::new(mesh, 0.0, seed);
    let mut all: Vec<Vec3> = (0..n).map(|_| around.place(1.5)).collect();
    all.extend(mesh.positions.iter().take(n));
    let centre = |f: &[u32; 3]| f.iter().map(|&v| mesh.positions[v as usize]).sum::<Vec3>() / 3.0;
    all.extend(mesh.faces.iter().take(n).map(centre));
    all
}

/// Returns the longest side squared over twice the area, of the narrowest face with an area: 1.2 for equilateral ones.
fn narrowest(mesh: &TriMesh) -> f64 {
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let ratio = |f: &[u32; 3]| {
        let [a, b, c] = f.map(x);
        let longest = a
            .distance_squared(b)
            .max(b.distance_squared(c))
            .max(c.distance_squared(a));
        longest / (b - a).cross(c - a).length()
    };
    mesh.faces
        .iter()
        .map(ratio)
        .filter(|r| r.is_finite())
        .fold(1.0, f64::max)
}

/// Checks that the point is on the surface, and no point of the surface is nearer.
///
/// Corners are as far from the point as the mesh and its position are large; differences of coordinates are off by half
/// of their last digit, products of them by a few. A point between corners is a sum of three such terms: 32 digits of
/// the largest coordinate are twice the sum of all these errors. The position between them is a ratio of areas, which
/// in a narrow triangle are small differences of such products: their errors grow as [`narrowest`].
fn check(engine: &Engine, mesh: &TriMesh, what: &str) {
    let points = points(mesh, suited(engine, [extent(100, 2000), 60, 30]), 5);
    let got = projected(engine, mesh, &points, &vec![false; points.len()]);
    let largest = (mesh.positions.iter().chain(&points))
        .map(|p| p.abs().max_element())
        .fold(0.0, f32::max);
    let tolerance = 32.0 * f64::from(f32::EPSILON * largest) * narrowest(mesh);
    for (p, q) in points.iter().zip(got) {
        let (p, q) = (p.as_dvec3(), q.as_dvec3());
        let off = to_triangles(mesh, q);
        assert!(off <= tolerance, "{what}: {q} is {off:e} off the surface");
        let (far, least) = (p.distance(q), to_triangles(mesh, p));
        assert!(
            far <= least + tolerance,
            "{what}: {p} went {far:e}, the surface is {least:e} away"
        );
    }
}

fn of_any_mesh(engine: &Engine) {
    let most = suited(engine, [1300, 320, 100]);
    for fixture in fixtures::suited(engine) {
        let faces = fixture.mesh.face_count();
        if faces > 0 && faces <= most {
            check(engine, &fixture.mesh, &fixture.name);
        }
    }
}

fn of_far_and_tiny_meshes(engine: &Engine) {
    for (scale, by) in [(1e-9, 0.0), (1e9, 0.0), (1.0, 1000.0)] {
        let mut mesh = fixtures::torus(9, 8);
        for p in &mut mesh.positions {
            *p = *p * scale + Vec3::new(by, -by, 0.5 * by);
        }
        check(engine, &mesh, &format!("{scale:e} times, {by} away"));
    }
}

fn the_dead_stay(engine: &Engine) {
    let mesh = fixtures::torus(9, 8);
    let points = points(&mesh, 20, 6);
    let dead: Vec<bool> = (0..points.len()).map(|i| i % 3 == 0).collect();
    let got = projected(engine, &mesh, &points, &dead);
    for (q, dead) in got.iter().zip(dead) {
        assert_eq!(q.is_nan(), dead, "{q}");
    }
}

/// Returns the places of a tree that are closest to points: places, triangles, parts.
fn found(engine: &Engine, tree: &SurfaceTree, points: &[Vec3]) -> (Vec<Vec3>, Vec<u32>, Vec<Vec3>) {
    let found = tree.closest(&engine.upload(points).unwrap()).unwrap();
    let places = found.places.read().unwrap();
    let triangles = found.triangles.read().unwrap();
    (places, triangles, found.parts.read().unwrap())
}

/// The triangle has the place, and the parts are those of the place.
fn places_and_triangles(engine: &Engine) {
    let most = suited(engine, [1300, 320, 100]);
    for fixture in fixtures::suited(engine) {
        let (mesh, what) = (&fixture.mesh, &fixture.name);
        if mesh.face_count() > most {
            continue;
        }
        let points = points(mesh, suited(engine, [200, 60, 30]), 7);
        let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
        if mesh.faces.is_empty() {
            let points = [Vec3::ONE, Vec3::ZERO];
            let (places, triangles, parts) = found(engine, &tree, &points);
            assert_eq!(places, points, "{what}");
            assert_eq!(
                (triangles, parts),
                (vec![NONE; 2], vec![Vec3::ZERO; 2]),
                "{what}"
            );
            continue;
        }
        let (places, triangles, parts) = found(engine, &tree, &points);
        let largest = (mesh.positions.iter().chain(&points))
            .map(|p| p.abs().max_element())
            .fold(0.0, f32::max);
        let tolerance = 32.0 * f64::from(f32::EPSILON * largest) * narrowest(mesh);
        for (i, &p) in points.iter().enumerate() {
            let (place, part) = (places[i].as_dvec3(), parts[i]);
            let corners = mesh.faces[triangles[i] as usize].map(|v| mesh.positions[v as usize]);
            let one = TriMesh::new(corners.to_vec(), vec![[0, 1, 2]]).unwrap();
            let off = to_triangles(&one, place);
            assert!(
                off <= tolerance,
                "{what}: {place} is {off:e} off its triangle"
            );
            assert!(part.min_element() >= 0.0, "{what}: {part}");
            assert!((part.element_sum() - 1.0).abs() < 1e-6, "{what}: {part}");
            let by_parts: Vec3 = (0..3).map(|k| corners[k] * part[k]).sum();
            let off = by_parts.as_dvec3().distance(place);
            assert!(off <= tolerance * 4.0, "{what}: {p}: parts are {off:e} off");
        }
        // Of equally close triangles the first: all have the place of a corner of theirs.
        let tips: Vec<Vec3> = mesh.positions.clone();
        let (places, triangles, _) = found(engine, &tree, &tips);
        for (v, &tip) in tips.iter().enumerate() {
            let touches = |f: &[u32; 3]| f.iter().any(|&u| mesh.positions[u as usize] == tip);
            let Some(first) = mesh.faces.iter().position(touches) else {
                continue;
            };
            assert_eq!(places[v], tip, "{what}: {v}");
            assert!(
                triangles[v] as usize <= first,
                "{what}: {v}: {} {first}",
                triangles[v]
            );
        }
    }
}

/// Many points are looked at in another order: results are those of few at a time.
fn many_points(engine: &Engine) {
    let mesh = fixtures::torus(9, 8);
    let n = suited(engine, [9000, 4200, 4200]);
    let mut points = points(&mesh, n, 9);
    points.extend([Vec3::splat(1e30), Vec3::splat(-1e30), Vec3::ZERO]);
    let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
    let all = found(engine, &tree, &points);
    for (i, part) in points.chunks(1000).enumerate() {
        let (places, triangles, parts) = found(engine, &tree, part);
        let range = 1000 * i..1000 * i + part.len();
        assert!(all.0[range.clone()] == places, "{range:?}");
        assert!(all.1[range.clone()] == triangles && all.2[range] == parts);
    }
}

/// A tree that kernels make gives the same bits as the host's.
fn trees_of_kernels(engine: &Engine) {
    let most = suited(engine, [6000, 320, 100]);
    let mut meshes: Vec<(String, TriMesh)> = fixtures::suited(engine)
        .map(|f| (f.name.clone(), f.mesh.clone()))
        .collect();
    // More than a tile of the sort and a chunk of the bounds.
    let n = suited(engine, [60, 8, 6]);
    meshes.push(("large".into(), fixtures::torus(n, n - 1)));
    for (what, mesh) in meshes.iter().filter(|(_, m)| m.face_count() <= 2 * most) {
        let points = points(mesh, suited(engine, [100, 30, 20]), 8);
        let host = Engine::cpu_with_threads(1).unwrap();
        let made = SurfaceTree::new(&host, &mesh.positions, &mesh.faces).unwrap();
        let x = engine.upload(&mesh.positions).unwrap();
        let faces = engine.upload(&mesh.faces).unwrap();
        let tree = SurfaceTree::on_engine(engine, &x, &faces).unwrap();
        let both = [&made, &tree].map(SurfaceTree::to_host);
        let [of_host, of_kernels] = both.map(Result::unwrap);
        assert!(of_host.0 == of_kernels.0, "{what}: boxes");
        assert!(of_host.1[0] == of_kernels.1[0], "{what}: triangles");
        assert_eq!(of_host.1[1], of_kernels.1[1], "{what}: places");
        let here = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
        let (one, other) = (found(engine, &tree, &points), found(engine, &here, &points));
        let bits = |v: &[Vec3]| -> Vec<[u32; 3]> {
            v.iter().map(|p| p.to_array().map(f32::to_bits)).collect()
        };
        assert!(bits(&one.0) == bits(&other.0), "{what}");
        assert!(one.1 == other.1 && bits(&one.2) == bits(&other.2), "{what}");
    }
}

fn wrong_corners(engine: &Engine) {
    let x = vec![Vec3::ZERO, Vec3::X, Vec3::Y];
    let faces = [[0, 1, 2], [0, 1, 3], [4, 1, 2]];
    let told = SurfaceTree::new(engine, &x, &faces)
        .unwrap_err()
        .to_string();
    assert!(told.contains("face 1"), "{told}");
    let infinite = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, f32::INFINITY, 0.0)];
    let one = [[0, 1, 1], [0, 1, 2]];
    let told = SurfaceTree::new(engine, &infinite, &one).unwrap_err();
    assert!(
        told.to_string().contains("face 1 has a corner with"),
        "{told}"
    );
    let buffers = (
        engine.upload(&infinite).unwrap(),
        engine.upload(&one).unwrap(),
    );
    let told = SurfaceTree::on_engine(engine, &buffers.0, &buffers.1).unwrap_err();
    assert!(
        told.to_string().contains("face 1 has a corner with"),
        "{told}"
    );
    let (x, faces) = (engine.upload(&x).unwrap(), engine.upload(&faces).unwrap());
    let told = SurfaceTree::on_engine(engine, &x, &faces)
        .unwrap_err()
        .to_string();
    assert!(told.contains("face 1"), "{told}");
}

/// A fitted tree gives what a new one gives, and refuses other meshes.
fn fitted_to_moved_vertices(engine: &Engine) {
    let before = fixtures::torus(24, 12);
    let after = TriMesh {
        positions: (before.positions.iter())
            .map(|p| Vec3::new(p.y + 0.3 * p.x * p.x, 1.7 * p.z, p.x - p.y))
            .collect(),
        ..before.clone()
    };
    let points = engine.upload(&points(&after, 200, 11)).unwrap();
    let faces = engine.upload(&before.faces).unwrap();
    let [x, y] = [&before, &after].map(|mesh| engine.upload(&mesh.positions).unwrap());
    let mut tree = SurfaceTree::on_engine(engine, &x, &faces).unwrap();
    // Asked for before, too: the boxes of all nodes are those of the new places.
    let old = tree.to_host().unwrap().0;
    tree.refit(&y, &faces).unwrap();
    let boxes = tree.to_host().unwrap().0;
    assert_ne!(boxes, old);
    let low = after.positions.iter().copied().reduce(Vec3::min).unwrap();
    let high = after.positions.iter().copied().reduce(Vec3::max).unwrap();
    assert_eq!(boxes[..2], [low, high]);
    let new = SurfaceTree::on_engine(engine, &y, &faces).unwrap();
    let [fitted, new] = [tree, new].map(|tree| {
        let found = tree.closest(&points).unwrap();
        (
            found.places.read().unwrap(),
            found.triangles.read().unwrap(),
        )
    });
    assert_eq!(fitted, new);

    let mut tree = SurfaceTree::on_engine(engine, &x, &faces).unwrap();
    let fewer = engine.upload(&before.faces[1..]).unwrap();
    let refused = tree.refit(&y, &fewer).unwrap_err().to_string();
    assert!(refused.contains("cannot be fitted"), "{refused}");
    let few = engine.upload(&before.positions[1..]).unwrap();
    assert!(tree.refit(&few, &faces).is_err());
}

/// Whatever a search leaves out, and whatever it looks at first, the distance is that of the nearest of all triangles
/// to the last bit: trees of all depths, of triangles of all shapes.
fn the_least_of_all_triangles(engine: &Engine) {
    let mut rng = Rng::new(12);
    for n in 1..suited(engine, [70, 40, 20]) {
        let mut unit = || rng.signed_unit() as f32;
        let mut place = || Vec3::new(unit(), unit(), unit());
        let mut positions = Vec::new();
        for i in 0..n {
            let (a, b, c) = (place(), place(), place());
            // Long, small, flat along an axis, narrow, a point.
            positions.extend(match i % 5 {
                0 => [a, b, c],
                1 => [a, a + b * 0.1, a + c * 0.1],
                2 => [a, a.with_x(b.x), a.with_y(c.y)],
                3 => [a, b, a.lerp(b, 0.3) + c * 1e-6],
                _ => [a; 3],
            });
        }
        let faces: Vec<[u32; 3]> = (0..n as u32)
            .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
            .collect();
        let mut points: Vec<Vec3> = (0..60).map(|_| place() * 1.5).collect();
        points.extend(positions.iter().take(20));
        let tree = SurfaceTree::new(engine, &positions, &faces).unwrap();
        let (places, _, _) = found(engine, &tree, &points);
        for (&p, q) in points.iter().zip(places) {
            let square = |q: Vec3| dot_rounded(q - p, q - p);
            let of_triangle = |f: &[u32; 3]| {
                let [a, b, c] = f.map(|v| positions[v as usize]);
                let q = closest_on_triangle(p, a, b, c);
                square(q.max(a.min(b).min(c)).min(a.max(b).max(c)))
            };
            let least = faces.iter().map(of_triangle).fold(f32::INFINITY, f32::min);
            assert_eq!(square(q), least, "{n} triangles, {p}");
        }
    }
}

/// Searches for points that are not finite end, and find nothing, in trees of any depth.
fn points_that_are_none(engine: &Engine) {
    for n in [1, 4, 5, 8, 9, 40] {
        let positions: Vec<Vec3> = (0..3 * n).map(|i| Vec3::new(i as f32, 1.0, 0.5)).collect();
        let faces: Vec<[u32; 3]> = (0..n).map(|i| [3 * i, 3 * i + 1, 3 * i + 2]).collect();
        let tree = SurfaceTree::new(engine, &positions, &faces).unwrap();
        let points = [Vec3::NAN, Vec3::INFINITY, Vec3::NEG_INFINITY];
        let (_, triangles, parts) = found(engine, &tree, &points);
        assert_eq!(
            (triangles, parts),
            (vec![NONE; 3], vec![Vec3::ZERO; 3]),
            "{n}"
        );
        let points = engine.upload(&points).unwrap();
        let lists = tree.triangles_within(&points, 1.0).unwrap();
        assert_eq!(lists.starts.read().unwrap(), [0; 4], "{n}");
    }
}
