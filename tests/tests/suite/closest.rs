//! Closest points of a surface against a search through all its triangles, in `f64` and with another formula for the
//! distance of a triangle.

use glam::Vec3;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::closest::Project;
use rxmesh_host::kernels::edit::DEAD;
use rxmesh_host::kernels::mem::Global;
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::distance::to_triangles;
use rxmesh_tests::engines::suited;
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::launch::Launch;

conformance! { of_any_mesh, of_far_and_tiny_meshes, the_dead_stay }

/// Projects points; those of `dead` slots must stay unchanged.
fn projected(engine: &Engine, mesh: &TriMesh, points: &[Vec3], dead: &[bool]) -> Vec<Vec3> {
    let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
    let ve: Vec<u32> = dead.iter().map(|&d| if d { DEAD } else { 0 }).collect();
    let (ve, from) = (engine.upload(&ve).unwrap(), engine.upload(points).unwrap());
    let to = engine.upload(&vec![Vec3::NAN; points.len()]).unwrap();
    // From the root, or from an inner node or leaf: the same.
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
    let low = mesh.positions.iter().fold(Vec3::INFINITY, |m, p| m.min(*p));
    let high = mesh
        .positions
        .iter()
        .fold(Vec3::NEG_INFINITY, |m, p| m.max(*p));
    let (middle, half) = ((low + high) * 0.5, (high - low) * 0.5);
    let mut rng = Rng::new(seed);
    let mut unit = || rng.signed_unit() as f32;
    let mut all: Vec<Vec3> = (0..n)
        .map(|_| middle + half * 1.5 * Vec3::new(unit(), unit(), unit()))
        .collect();
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
