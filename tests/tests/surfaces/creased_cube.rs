//! The creased cube of `data/`, which is pictured in the manual: by numbers.
//!
//! Its top has creases of two and a half levels around it, the edge from (1, 1, -1) to (1, 1, 1) is infinitely sharp,
//! and the corner at (-1, -1, -1) stays.

use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{ReadOptions, read_poly};
use rxmesh_host::mesh::{EdgeTable, PolyMesh};
use rxmesh_subdivision::{Options, VertexOptions, refine};
use rxmesh_tests::conformance;
use std::path::Path;

conformance! { the_creased_cube_is_right }

fn the_creased_cube_is_right(engine: &Engine) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/creased_cube.obj");
    let cube = read_poly(&path, &ReadOptions::default()).unwrap().mesh;
    let surface = |levels| {
        let options = Options {
            levels,
            ..Options::default()
        };
        refine(engine, &cube, &options, VertexOptions::default())
            .unwrap()
            .mesh
    };
    let surfaces = [3, 4, 5].map(surface);
    for mesh in &surfaces {
        // The corner has not moved, and nothing is outside of the cube.
        assert_eq!(mesh.positions[0], Vec3::splat(-1.0));
        let outside = |p: &Vec3| p.abs().max_element() > 1.0 + 1e-6;
        assert!(!mesh.positions.iter().any(outside));
        mirrored(mesh);
        the_sharp_edge_is_in_one_plane(mesh);
    }
    // A smooth corner of the cube moves inwards by far more than the sharp one (not at all) or that of the creases.
    let [_, fine, _] = &surfaces;
    let far = |v: usize| fine.positions[v].length();
    assert!(far(1) < 1.2 && far(4) > far(1) + 0.1 && far(0) > 1.7);

    let bends = |ends: [Vec3; 2]| surfaces.each_ref().map(|mesh| bend_at(mesh, ends));
    // Across the sharp edge's midpoint the surface bends as much on every level.
    let sharp = bends([Vec3::new(1.0, 1.0, -1.0), Vec3::new(1.0, 1.0, 1.0)]);
    assert!(sharp.iter().all(|&angle| angle > 45.0), "{sharp:?}");
    assert!((sharp[1] - sharp[2]).abs() < 4.0, "{sharp:?}");
    // Across a crease it bends less and less once the sharpness has ended, in the limit by half per level.
    let crease = bends([Vec3::new(-1.0, -1.0, 1.0), Vec3::new(1.0, -1.0, 1.0)]);
    assert!(crease[0] > 15.0, "{crease:?}");
    assert!(
        crease[1] < 0.75 * crease[0] && crease[2] < 0.6 * crease[1],
        "{crease:?}"
    );
    // And across a smooth edge from the first level on, with a wider arc.
    let smooth = bends([Vec3::new(1.0, -1.0, -1.0), Vec3::new(1.0, 1.0, -1.0)]);
    assert!(
        smooth[0] < 0.3 * crease[0] && smooth[1] < 0.6 * smooth[0],
        "{smooth:?}"
    );
}

/// The cube and its tags are symmetric in x and y, and so is the surface.
fn mirrored(mesh: &PolyMesh) {
    let by = |p: &Vec3| p.to_array().map(|c| (c * 1e4).round() as i64);
    let mut points: Vec<_> = mesh.positions.iter().map(by).collect();
    points.sort_unstable();
    for p in &mesh.positions {
        let [x, y, z] = by(&Vec3::new(p.y, p.x, p.z));
        let found = (-1..=1).any(|i| {
            let from = points.partition_point(|q| *q < [x + i, y - 1, i64::MIN]);
            let near = points[from..]
                .iter()
                .take_while(|q| q[0] == x + i && q[1] <= y + 1);
            near.into_iter().any(|q| q[2].abs_diff(z) <= 1)
        });
        assert!(found, "{p} has no mirror image");
    }
}

/// Vertices of the sharp edge: its ends, and the points that divide it.
fn the_sharp_edge_is_in_one_plane(mesh: &PolyMesh) {
    let [low, high] = [3, 7].map(|v: usize| mesh.positions[v]);
    assert!((low.x - low.y).abs() < 1e-6 && (high.x - high.y).abs() < 1e-6);
    assert!(low.z < -0.4 && high.z > 0.4);
}

/// Returns the degrees between the normals of the two faces at the midpoint of an edge of the cube.
fn bend_at(mesh: &PolyMesh, ends: [Vec3; 2]) -> f64 {
    let middle = 0.5 * (ends[0] + ends[1]).as_dvec3();
    let along = (ends[1] - ends[0]).as_dvec3().normalize();
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let table = EdgeTable::of_polygons(mesh);
    // The parallel edge nearest to the midpoint of the cube's edge.
    let parallel = |e: &usize| {
        let [a, b] = table.edges[*e].map(at);
        (b - a).normalize().dot(along).abs() > 0.9
    };
    let distance = |e: usize| {
        let [a, b] = table.edges[e].map(at);
        (0.5 * (a + b) - middle).length()
    };
    let nearest = (0..table.len())
        .filter(parallel)
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .unwrap();
    let normals = table.along(nearest).iter().map(|&corner| {
        let face = mesh.face(corner as usize / 4);
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| at(face[k]));
        (c - a).cross(d - b).normalize()
    });
    let normals: Vec<DVec3> = normals.collect();
    normals[0].angle_between(normals[1]).to_degrees()
}
