//! Tests of gaps.

use super::*;
use crate::mesh::{Rng, check, generate};
use glam::Vec3;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

fn within(tolerance: f64) -> GapOptions {
    GapOptions::default().with(|o| o.tolerance = Length::OfDiagonal(tolerance))
}

/// Returns the faces of two meshes side by side.
fn both(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let first = a.positions.len() as u32;
    let positions = a.positions.iter().chain(&b.positions).copied().collect();
    let faces = a
        .faces
        .iter()
        .copied()
        .chain(b.faces.iter().map(|f| f.map(|v| v + first)));
    TriMesh::new(positions, faces.collect()).unwrap()
}

/// Returns a grid over the unit square, moved.
fn grid(nx: u32, ny: u32, by: Vec3) -> TriMesh {
    let mut mesh = generate::grid(nx, ny).unwrap();
    mesh.positions.iter_mut().for_each(|p| *p += by);
    mesh
}

/// Returns the sphere with every face on its own, corners moved a little.
fn shards(seed: u64, by: f32) -> TriMesh {
    let sphere = generate::icosphere(2).unwrap();
    let mut rng = Rng::new(seed);
    let mut moved = |v: u32| {
        let d = Vec3::from_array([0; 3].map(|_| rng.signed_unit() as f32));
        sphere.positions[v as usize] + by * d
    };
    let positions = sphere.faces.iter().flatten().map(|&v| moved(v)).collect();
    let faces = (0..sphere.faces.len() as u32).map(|f| [3 * f, 3 * f + 1, 3 * f + 2]);
    TriMesh::new(positions, faces.collect()).unwrap()
}

#[test]
fn two_sheets_with_the_same_vertices_become_one() {
    let mut mesh = both(
        &grid(4, 4, Vec3::ZERO),
        &grid(4, 4, Vec3::new(1.001, 0.0, 0.0)),
    );
    let report = close_gaps(&mut mesh, &within(1e-3)).unwrap();
    assert_eq!((report.merged, report.divided), (5, 0));
    assert_eq!((report.edges_before, report.edges_after), (32, 24));
    let c = check(&mesh);
    assert!(
        c.manifold && c.consistently_oriented && c.vertex_components == 1,
        "{c}"
    );
    assert_eq!((c.euler_characteristic, c.boundary_loops), (1, 1));
    assert!(mesh.positions.iter().any(|p| (p.x - 1.0005).abs() < 1e-6));
}

#[test]
fn edges_are_divided_where_the_other_side_has_vertices() {
    // 2 edges against 6: every vertex of the coarse side has one opposite.
    let mut mesh = both(
        &grid(3, 2, Vec3::ZERO),
        &grid(3, 6, Vec3::new(1.0005, 0.0, 0.0)),
    );
    let report = close_gaps(&mut mesh, &within(1e-3)).unwrap();
    assert_eq!((report.merged, report.divided), (3, 2));
    let c = check(&mesh);
    assert!(
        c.manifold && c.consistently_oriented && c.boundary_loops == 1,
        "{c}"
    );
    assert_eq!(c.euler_characteristic, 1);
    // 5 edges against 3: only the ends lie opposite to each other, and both sides are divided.
    let mut mesh = both(
        &grid(3, 5, Vec3::ZERO),
        &grid(3, 3, Vec3::new(1.0005, 0.0, 0.0)),
    );
    let report = close_gaps(&mut mesh, &within(1e-3)).unwrap();
    assert!(report.merged == 2 && report.divided >= 4, "{report:?}");
    let c = check(&mesh);
    assert!(
        c.manifold && c.consistently_oriented && c.boundary_loops == 1,
        "{c}"
    );
    assert_eq!(c.euler_characteristic, 1);
}

#[test]
fn what_only_touches_in_a_point_or_is_turned_over_stays() {
    let corner = Vec3::new(1.0001, 1.0001, 0.0);
    let mut turned = grid(4, 4, Vec3::new(1.0001, 0.0, 0.0));
    turned.faces.iter_mut().for_each(|f| f.swap(0, 1));
    for other in [grid(4, 4, corner), turned] {
        let mesh = both(&grid(4, 4, Vec3::ZERO), &other);
        let mut after = mesh.clone();
        let report = close_gaps(&mut after, &within(1e-3)).unwrap();
        assert_eq!((report.merged, report.divided), (0, 0));
        assert_eq!(after, mesh);
    }
}

#[test]
fn a_wide_tolerance_eats_no_face() {
    let mut mesh = both(
        &grid(8, 8, Vec3::ZERO),
        &grid(8, 8, Vec3::new(1.01, 0.0, 0.0)),
    );
    let area = |m: &TriMesh| -> f32 {
        let x = |v: u32| m.positions[v as usize];
        m.faces
            .iter()
            .map(|f| 0.5 * (x(f[1]) - x(f[0])).cross(x(f[2]) - x(f[0])).z)
            .sum()
    };
    close_gaps(&mut mesh, &within(1.0)).unwrap();
    let c = check(&mesh);
    assert!(
        c.manifold && c.zero_area_faces.count == 0 && mesh.face_count() == 256,
        "{c}"
    );
    assert!((area(&mesh) - 2.01).abs() < 0.02);
}

#[test]
fn values_stay_with_their_vertices_and_corners() {
    let mut mesh = both(
        &grid(3, 2, Vec3::ZERO),
        &grid(3, 6, Vec3::new(1.0005, 0.0, 0.0)),
    );
    mesh.add_vertex_column("x_again", mesh.positions.iter().map(|p| p.x).collect())
        .unwrap();
    mesh.add_face_column(
        "side",
        (0..mesh.face_count()).map(|f| f32::from(f >= 12)).collect(),
    )
    .unwrap();
    let uv = |v: &u32| [mesh.positions[*v as usize].x, mesh.positions[*v as usize].y];
    mesh.extras.corner_texcoords = Some(crate::mesh::CornerLayer {
        width: 2,
        values: mesh.faces.iter().flatten().flat_map(uv).collect(),
        corners: (0..3 * mesh.face_count() as u32).collect(),
    });
    close_gaps(&mut mesh, &within(1e-3)).unwrap();
    mesh.validate().unwrap();
    let layer = mesh.extras.corner_texcoords.as_ref().unwrap();
    let heat = mesh
        .extras
        .column(crate::mesh::ElementKind::Vertex, "x_again")
        .unwrap();
    let side = mesh
        .extras
        .column(crate::mesh::ElementKind::Face, "side")
        .unwrap();
    for (f, corners) in mesh.faces.iter().enumerate() {
        let mut middle = 0.0;
        for (k, &v) in corners.iter().enumerate() {
            let p = mesh.positions[v as usize];
            let e = 2 * layer.corners[3 * f + k] as usize;
            assert!(
                (layer.values[e] - p.x).abs() < 1e-3 && (layer.values[e + 1] - p.y).abs() < 1e-6
            );
            assert!((heat.data.get(v as usize) as f32 - p.x).abs() < 1e-3);
            middle += p.x / 3.0;
        }
        assert_eq!(side.data.get(f) == 1.0, middle > 1.0);
    }
}

#[test]
fn a_tolerance_out_of_range_is_refused() {
    for tolerance in [-1.0, f64::NAN, f64::INFINITY] {
        assert!(close_gaps(&mut TriMesh::default(), &within(tolerance)).is_err());
    }
    assert_eq!(
        close_gaps(&mut TriMesh::default(), &within(0.1)).unwrap(),
        GapReport::default()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shards_become_a_sphere(seed in 0u64..1000, scale in -40i32..40) {
        let mut mesh = shards(seed, 1e-4);
        let scale = (scale as f32).exp2();
        mesh.positions.iter_mut().for_each(|p| *p *= scale);
        let report = close_gaps(&mut mesh, &within(1e-3)).unwrap();
        let c = check(&mesh);
        prop_assert!(c.closed && c.manifold && c.consistently_oriented, "{c}");
        prop_assert_eq!((c.vertices, c.faces, report.edges_after), (162, 320, 0));
    }

    /// Gaps about as wide as the tolerance, and wider than faces.
    #[test]
    fn nothing_breaks_and_the_second_time_finds_nothing(
        seed in 0u64..1000,
        by in 0.0f32..0.3,
        tolerance in 0.0f64..0.2,
    ) {
        let mut mesh = shards(seed, by);
        let before = check(&mesh);
        close_gaps(&mut mesh, &within(tolerance)).unwrap();
        let c = check(&mesh);
        prop_assert!(c.manifold && c.consistently_oriented, "{c}");
        prop_assert!(c.zero_area_faces.count <= before.zero_area_faces.count && c.faces >= before.faces, "{c}");
        let mut again = mesh.clone();
        close_gaps(&mut again, &within(tolerance)).unwrap();
        prop_assert!(again == mesh);
    }

    #[test]
    fn soups_never_panic(seed in 0u64..10_000) {
        let mut rng = Rng::new(seed);
        let n = 3 + rng.below(30);
        let along = |rng: &mut Rng| rng.below(4) as f32 * 0.3 + 0.01 * rng.signed_unit() as f32;
        let place = |rng: &mut Rng| Vec3::from_array([0; 3].map(|_| along(rng)));
        let positions = (0..n).map(|_| place(&mut rng)).collect();
        let faces = (0..rng.below(60)).map(|_| [0; 3].map(|_| rng.below(n) as u32)).collect();
        let mesh = TriMesh::new(positions, faces).unwrap();
        let before = check(&mesh);
        let mut after = mesh.clone();
        close_gaps(&mut after, &within(0.05)).unwrap();
        let c = check(&after);
        prop_assert!(c.non_manifold_edges.count <= before.non_manifold_edges.count, "{c}");
        prop_assert!(c.degenerate_faces.count == before.degenerate_faces.count, "{c}");
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut alone = mesh;
        pool.install(|| close_gaps(&mut alone, &within(0.05))).unwrap();
        prop_assert!(alone == after);
    }
}
