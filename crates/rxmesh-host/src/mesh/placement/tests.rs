use super::*;
use crate::mesh::generate;

fn bits(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let bits = |p: &Vec3| p.to_array().map(f32::to_bits);
    mesh.positions.iter().map(bits).collect()
}

fn moved(by: Vec3, scale: f32) -> TriMesh {
    let mut mesh = generate::torus(20, 12, 1.0, 0.4).unwrap();
    generate::noise(&mut mesh, 0.2, 3).unwrap();
    mesh.positions.iter_mut().for_each(|p| *p = *p * scale + by);
    mesh
}

#[test]
fn normalised_meshes_return_to_the_last_bit() {
    let places = [
        Vec3::ZERO,
        Vec3::new(5e5, 5.4e6, 0.0),
        Vec3::new(3.0, -40.0, 1e8),
        Vec3::splat(-7.3),
    ];
    for by in places {
        for scale in [1.0, 1e-15, 3e-4, 77.0, 1e15, 1e30] {
            let mut mesh = moved(by, scale);
            let (before, home) = (bits(&mesh), mesh.placement);
            assert_eq!(mesh.normalise(), home);
            mesh.validate().unwrap();
            let [low, high] = extent(&mesh.positions, &[]).unwrap();
            let size = (high - low).max_element();
            assert!(
                size == 0.0 || (1.0..8.0).contains(&size),
                "{by} {scale}: {size}"
            );
            let away = low.abs().max(high.abs()).max_element();
            assert!(
                size == 0.0 || away <= 17.0 * size,
                "{by} {scale}: {away} of {size}"
            );
            mesh.return_to(home);
            assert_eq!(mesh.placement, home);
            assert_eq!(bits(&mesh), before, "{by} {scale}");
        }
    }
}

/// Volumes have the frames that surfaces of their vertices have.
#[test]
fn volumes_are_placed_as_surfaces_are() {
    let mut surface = moved(Vec3::new(5e5, 5.4e6, 0.0), 1e-3);
    let mut volume = TetMesh {
        positions: surface.positions.clone(),
        // Every vertex is in a cell, as it is in a face of the surface.
        cells: (3..surface.positions.len() as u32)
            .map(|v| [v - 3, v - 2, v - 1, v])
            .collect(),
        ..TetMesh::default()
    };
    let home = volume.normalise();
    assert_eq!(home, surface.normalise());
    assert_eq!(volume.placement, surface.placement);
    assert_eq!(volume.positions, surface.positions);
    assert!(volume.place(home) < 1.0);
    surface.place(home);
    assert_eq!(volume.positions, surface.positions);
    volume.normalise();
    volume.return_to(home);
    assert_eq!(volume.placement, home);
}

/// Scaling by a power of two leads to the same frame: every algorithm sees the same numbers.
#[test]
fn sizes_that_differ_by_a_power_of_two_are_the_same_in_the_frame() {
    let mut one = moved(Vec3::splat(0.3), 1.0);
    let mut large = moved(Vec3::splat(0.3), 1.0);
    large
        .positions
        .iter_mut()
        .for_each(|p| *p *= (2f32).powi(50));
    one.normalise();
    large.normalise();
    assert_eq!(bits(&one), bits(&large));
    assert_eq!(large.placement.scale, one.placement.scale * (2f64).powi(50));
}

#[test]
fn what_lies_between_the_floats_far_away_keeps_its_frame() {
    let mut mesh = moved(Vec3::new(5e5, 5.4e6, 0.0), 16.0);
    let home = mesh.normalise();
    mesh.positions[7].x += 1e-5;
    let before = mesh.world(7);
    mesh.return_to(home);
    assert_eq!(mesh.placement.scale, 1.0);
    assert_ne!(mesh.placement.origin, DVec3::ZERO);
    assert_eq!(mesh.world(7), before);
}

#[test]
fn a_few_vertices_far_outside_do_not_set_the_size() {
    let mut mesh = moved(Vec3::ZERO, 1.0);
    for v in 0..5 {
        mesh.positions[40 * v] = Vec3::new(1e8, 0.0, v as f32);
    }
    let before = bits(&mesh);
    let home = mesh.normalise();
    let sides = (mesh.positions[1] - mesh.positions[2]).length();
    assert!((0.01..1.0).contains(&sides), "{sides}");
    mesh.return_to(home);
    assert_eq!(bits(&mesh), before);
    // If a few vertices lie beyond all bounds, the rest becomes small instead.
    mesh.positions[0].x = 1e30;
    mesh.normalise();
    assert!(mesh.positions[0].x <= 2.0 * LARGEST as f32);
}

#[test]
fn meshes_without_a_size_stay() {
    for positions in [vec![], vec![Vec3::new(5e5, 1.0, 2.0)], vec![Vec3::ONE; 4]] {
        let mut mesh = TriMesh::new(positions, vec![]).unwrap();
        let before = mesh.clone();
        mesh.normalise();
        assert_eq!(mesh, before);
    }
}
