//! Signed distances of surfaces on grids, against known distances of balls and boxes.

use glam::{DAffine3, DVec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate, merge};
use rxmesh_simulation::DistanceGrid;

fn cuboid(size: f32, at: DVec3) -> TriMesh {
    let mut mesh = generate::tet_box([2, 3, 1], [size; 3])
        .unwrap()
        .boundary()
        .surface;
    mesh.transform(&DAffine3::from_translation(at)).unwrap();
    mesh
}

fn grid(mesh: &TriMesh, spacing: f32) -> DistanceGrid {
    DistanceGrid::from_mesh(&Engine::cpu(), mesh, spacing, 0.2).unwrap()
}

/// Returns all points with their distances.
fn points(grid: &DistanceGrid) -> Vec<(DVec3, f64)> {
    let [x, y, z] = grid.points;
    let origin = grid.origin.as_dvec3();
    let at = |i: u32| DVec3::new((i % x).into(), (i / x % y).into(), (i / (x * y)).into());
    (0..x * y * z)
        .map(|i| {
            let place = origin + at(i) * f64::from(grid.spacing);
            (place, f64::from(grid.distances[i as usize]))
        })
        .collect()
}

/// Returns the distance of a box from its lowest corner on.
fn to_cuboid(p: DVec3, low: DVec3, size: f64) -> f64 {
    let q = (p - low - size / 2.0).abs() - size / 2.0;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

/// Rows of the grid run along sides, edges and diagonals of the box, and through its corners.
#[test]
fn boxes_on_the_rows_of_the_grid_have_their_distances() {
    for (size, at, spacing) in [
        (1.0, DVec3::ZERO, 0.25),
        (1.0, DVec3::splat(0.3), 0.1),
        (0.75, DVec3::new(-3.0, 2.0, 0.5), 0.0625),
    ] {
        let grid = grid(&cuboid(size as f32, at), spacing);
        let mut inside = 0;
        for (p, d) in points(&grid) {
            let want = to_cuboid(p, at, size);
            assert!((d - want).abs() < 2e-6, "{p}: {d} for {want}");
            inside += u32::from(d < -1e-5);
        }
        let cells = (size / f64::from(spacing)).ceil() - 1.0;
        assert!(
            f64::from(inside) >= cells.powi(3) * 0.9,
            "{inside} points inside"
        );
        // The grid reaches beyond the margin on every side.
        let far = points(&grid).into_iter().map(|p| p.1).fold(0.0, f64::max);
        assert!(far >= 0.2, "{far}");
    }
}

#[test]
fn balls_have_their_distances_whichever_way_they_face() {
    let mut ball = generate::icosphere(4).unwrap();
    generate::shuffle(&mut ball, 3);
    let first = grid(&ball, 0.07);
    for (p, d) in points(&first) {
        let want = p.length() - 1.0;
        // The faces lie up to 1.5e-3 below the ball.
        assert!((-1e-6..2e-3).contains(&(d - want)), "{p}: {d} for {want}");
    }
    ball.faces.iter_mut().for_each(|f| f.swap(0, 1));
    for ((p, d), (_, want)) in points(&grid(&ball, 0.07)).into_iter().zip(points(&first)) {
        assert!((d - want).abs() < 1e-6, "{p}: {d} for {want}");
    }
}

#[test]
fn solids_that_overlap_are_one() {
    let at = [DVec3::ZERO, DVec3::splat(0.5)];
    let both = merge(at.map(|at| cuboid(1.0, at)).to_vec()).unwrap().mesh;
    let mut inside = 0;
    for (p, d) in points(&grid(&both, 0.11)) {
        let [a, b] = at.map(|at| to_cuboid(p, at, 1.0));
        if a.min(b).abs() < 1e-5 {
            continue;
        }
        assert_eq!(d < 0.0, a.min(b) < 0.0, "{p}: {d} for {a} and {b}");
        inside += u32::from(a < 0.0 && b < 0.0);
    }
    assert!(inside > 50, "{inside} points are in both");
}

#[test]
fn surfaces_that_hold_nothing_are_refused() {
    let refused = |mesh: &TriMesh, spacing, margin, says: &str| {
        let why = DistanceGrid::from_mesh(&Engine::cpu(), mesh, spacing, margin).unwrap_err();
        assert!(why.to_string().contains(says), "{why}");
    };
    let mut mesh = cuboid(1.0, DVec3::ZERO);
    refused(&mesh, 0.0, 0.1, "spacing is 0");
    refused(&mesh, f32::NAN, 0.1, "spacing is NaN");
    refused(&mesh, 0.1, -1.0, "margin is -1");
    refused(&mesh, 1e-5, 0.1, "too fine");
    let last = mesh.faces.pop().unwrap();
    refused(&mesh, 0.1, 0.1, "is not closed: the edge of vertices");
    // One inverted face.
    mesh.faces.push([last[1], last[0], last[2]]);
    refused(&mesh, 0.1, 0.1, "do not run both ways");
    mesh.faces.clear();
    refused(&mesh, 0.1, 0.1, "no faces");
    refused(&generate::grid(3, 3).unwrap(), 0.1, 0.1, "not closed");
}
