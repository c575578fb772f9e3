//! Distances of surfaces against a search through all triangles in doubles, and against known distances.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::hausdorff::{DistanceOptions, DistanceReport, distance};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_tests::conformance;
use rxmesh_tests::distance::to_triangles;
use rxmesh_tests::engines::suited;
use rxmesh_tests::fixtures;

conformance! { of_vertices, of_spheres, far_apart_and_at_any_scale, of_points, nothing_to_measure }

fn options(samples: u64) -> DistanceOptions {
    DistanceOptions::default().with(|o| {
        o.samples = Some(samples);
    })
}

fn moved(mesh: &TriMesh, scale: f32, by: Vec3) -> TriMesh {
    let mut mesh = mesh.clone();
    mesh.positions.iter_mut().for_each(|p| *p = *p * scale + by);
    mesh
}

fn measured(engine: &Engine, a: &TriMesh, b: &TriMesh, samples: u64) -> (DistanceReport, Vec<f64>) {
    distance(engine, a, b, &options(samples)).unwrap()
}

/// Compares each vertex with a search through all triangles.
fn of_vertices(engine: &Engine) {
    let a = fixtures::torus(9, 8);
    let b = moved(&fixtures::torus(14, 6), 1.1, Vec3::new(0.1, -0.2, 0.05));
    let (report, distances) = measured(engine, &a, &b, 100);
    let want: Vec<f64> = (a.positions.iter())
        .map(|p| to_triangles(&b, p.as_dvec3()))
        .collect();
    for (got, want) in distances.iter().zip(&want) {
        assert!((*got - want).abs() < 1e-6, "{got}, {want} is expected");
    }
    let v = report.forward.vertices;
    assert_eq!(v.points as usize, a.positions.len());
    let mean = want.iter().sum::<f64>() / want.len() as f64;
    let square = want.iter().map(|d| d * d).sum::<f64>() / want.len() as f64;
    assert!((v.mean - mean).abs() < 1e-6 && (v.rms - square.sqrt()).abs() < 1e-6);
    assert!((v.max - want.iter().copied().fold(0.0, f64::max)).abs() < 1e-6);
    let (forward, backward) = (report.forward, report.backward);
    assert_eq!(report.hausdorff, forward.max().max(backward.max()));
    assert_eq!(report.rms, forward.surface.rms.max(backward.surface.rms));
    // The same in the other direction.
    let (back, _) = measured(engine, &b, &a, 100);
    assert_eq!((back.forward, back.backward), (backward, forward));
}

/// Two spheres about one centre: the distance is the difference of their radii everywhere, except for the chords.
fn of_spheres(engine: &Engine) {
    let sphere = generate::icosphere(suited(engine, [5, 4, 2])).unwrap();
    let larger = moved(&sphere, 1.25, Vec3::ZERO);
    let (report, _) = measured(engine, &sphere, &larger, 2000);
    let chords = suited(engine, [0.002, 0.01, 0.1]);
    for d in [report.forward.surface, report.backward.surface] {
        assert_eq!(d.points, 2000);
        for x in [d.max, d.mean, d.rms] {
            assert!((x - 0.25).abs() < chords, "{d:?}");
        }
    }
    assert!((report.diagonal - 2.5 * 3f64.sqrt()).abs() < 0.1);
    let (same, _) = measured(engine, &sphere, &sphere, 2000);
    assert!(same.hausdorff < 1e-6, "{same:?}");
}

/// Results scale with the unit, and the distance of meshes far from each other is right.
fn far_apart_and_at_any_scale(engine: &Engine) {
    let a = fixtures::torus(9, 8);
    let b = moved(&a, 1.0, Vec3::new(0.0, 0.0, 0.3));
    let (once, _) = measured(engine, &a, &b, 500);
    for scale in [2f32.powi(-50), 2f32.powi(50)] {
        let [a, b] = [&a, &b].map(|m| moved(m, scale, Vec3::ZERO));
        let (report, _) = measured(engine, &a, &b, 500);
        let over = |x: f64| x / f64::from(scale);
        assert!((over(report.hausdorff) - once.hausdorff).abs() < 1e-6);
        assert!((over(report.rms) - once.rms).abs() < 1e-6);
        assert!((over(report.diagonal) - once.diagonal).abs() < 1e-6);
    }
    let away = moved(&a, 1.0, Vec3::new(0.0, 0.0, 1e6));
    let (report, _) = measured(engine, &a, &away, 500);
    assert!((report.hausdorff / 1e6 - 1.0).abs() < 1e-5, "{report:?}");
    assert!((report.mean / 1e6 - 1.0).abs() < 1e-5, "{report:?}");
}

/// A mesh without faces consists of its vertices.
fn of_points(engine: &Engine) {
    let points = TriMesh::new(vec![Vec3::ZERO, Vec3::X * 4.0], Vec::new()).unwrap();
    let grid = moved(&generate::grid(2, 2).unwrap(), 1.0, Vec3::Z);
    let (report, distances) = measured(engine, &points, &grid, 5000);
    let want = [1.0, DVec3::new(3.0, 0.0, 1.0).length()];
    for (got, want) in distances.iter().zip(want) {
        assert!((*got - want).abs() < 1e-6);
    }
    // There is no area to sample points from.
    assert_eq!(report.forward.surface, report.forward.vertices);
    assert_eq!(report.backward.surface.points, 5000);
    // The corner of the square that is farthest from both points.
    assert!(
        (report.backward.max() - 3f64.sqrt()).abs() < 1e-6,
        "{report:?}"
    );
}

fn nothing_to_measure(engine: &Engine) {
    let (grid, nothing) = (generate::grid(1, 1).unwrap(), TriMesh::default());
    for (a, b, which) in [(&nothing, &grid, "first"), (&grid, &nothing, "second")] {
        let e = distance(engine, a, b, &options(10)).unwrap_err();
        assert!(e.to_string().contains(which), "{e}");
    }
    assert!(distance(engine, &grid, &grid, &options(0)).is_err());
}
