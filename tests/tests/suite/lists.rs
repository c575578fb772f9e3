//! Lists of hits and of triangles near points, against searches through all triangles.

use crate::rays::{RayTable, hit};
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::algo::lists::TriangleLists;
use rxmesh_host::algo::nearest::PointTree;
use rxmesh_host::algo::rays::Rays;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::closest::closest_within;
use rxmesh_host::kernels::math::dot_rounded;
use rxmesh_host::mesh::TriMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;
use rxmesh_tests::fixtures;
use rxmesh_tests::points::PointsAround;

conformance! { hits_of_rays, triangles_near_points, any_number_of_items, refuses_bad_radii, nearest_points }

/// Returns the items of each list, which are sorted, and no item stands twice.
fn read(found: &TriangleLists, what: &str) -> Vec<Vec<(f32, u32)>> {
    let starts = found.starts.read().unwrap();
    let (distances, triangles) = (
        found.distances.read().unwrap(),
        found.triangles.read().unwrap(),
    );
    let items: Vec<(f32, u32)> = distances.into_iter().zip(triangles).collect();
    assert_eq!(starts[0], 0, "{what}");
    assert_eq!(starts[starts.len() - 1] as usize, items.len(), "{what}");
    let lists = starts.windows(2).map(|w| {
        let list = items[w[0] as usize..w[1] as usize].to_vec();
        assert!(list.is_sorted(), "{what}: {list:?}");
        let mut numbers: Vec<u32> = list.iter().map(|item| item.1).collect();
        numbers.sort_unstable();
        assert!(numbers.is_sorted_by(|a, b| a < b), "{what}: {list:?}");
        list
    });
    lists.collect()
}

fn meshes(engine: &Engine) -> Vec<(String, TriMesh)> {
    let most = suited(engine, [1300, 320, 100]);
    let all = fixtures::suited(engine).filter(|f| f.mesh.face_count() <= most);
    all.map(|f| (f.name.clone(), f.mesh.clone())).collect()
}

fn hits_of_rays(engine: &Engine) {
    let mut several = 0;
    for (what, mesh) in meshes(engine) {
        if mesh.faces.is_empty() {
            continue;
        }
        let table = RayTable::around(&mesh, suited(engine, [300, 60, 30]), 13);
        let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
        let origins = engine.upload(&table.origins).unwrap();
        let directions = engine.upload(&table.directions).unwrap();
        for limit in [f32::INFINITY, 0.5] {
            let rays = Rays {
                origins: &origins,
                directions: &directions,
                limit,
            };
            let lists = read(&tree.all_hits(rays).unwrap(), &what);
            let counts = tree.count_hits(rays).unwrap().read().unwrap();
            for (i, list) in lists.iter().enumerate() {
                assert_eq!(list.len(), counts[i] as usize, "{what}: {i}");
                several += usize::from(list.len() > 1);
                let (o, d) = (table.origins[i].as_dvec3(), table.directions[i].as_dvec3());
                let tolerance = 1e-4 * (1.0 + o.length()) / d.length();
                for &(t, triangle) in list {
                    assert!((0.0..=limit).contains(&t), "{what}: {i}: {t}");
                    let corners = mesh.faces[triangle as usize]
                        .map(|v| mesh.positions[v as usize].as_dvec3());
                    // Nearly along the triangle nothing is certain.
                    if let Some(place) = hit(corners, o, d, -1e-3) {
                        let off = (place - f64::from(t)).abs();
                        assert!(off <= tolerance * 1e2, "{what}: {i}: {off:e}");
                    }
                }
            }
        }
    }
    assert!(several > 50, "{several}");
}

fn triangles_near_points(engine: &Engine) {
    let mut items = 0;
    for (what, mesh) in meshes(engine) {
        let n = suited(engine, [120, 40, 20]);
        let mut around = PointsAround::new(&mesh, 0.0, 14);
        let mut points: Vec<Vec3> = (0..n).map(|_| around.place(1.2)).collect();
        points.extend(mesh.positions.iter().take(n));
        let size = mesh
            .positions
            .iter()
            .fold(0.0f32, |s, p| s.max(p.abs().max_element()));
        let tree = SurfaceTree::new(engine, &mesh.positions, &mesh.faces).unwrap();
        let on_engine = engine.upload(&points).unwrap();
        for radius in [0.0, 0.1 * size, 0.7 * size] {
            let found = tree.triangles_within(&on_engine, radius).unwrap();
            let lists = read(&found, &what);
            for (&p, list) in points.iter().zip(lists) {
                let mut all: Vec<(f32, u32)> = Vec::new();
                for (number, f) in (0..).zip(&mesh.faces) {
                    let corners = f.map(|v| mesh.positions[v as usize]);
                    let (_, square) = closest_within(p, corners);
                    if square <= radius * radius {
                        all.push((square.sqrt(), number));
                    }
                }
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                assert!(list == all, "{what}, {radius}: {p}");
                items += list.len();
            }
        }
    }
    assert!(items > 500, "{items}");
}

/// Every triangle of a row is at most as far from the point as the radius: lists of one item to many.
fn any_number_of_items(engine: &Engine) {
    for n in [1, 2, 3, 4, 7, 64, 65, suited(engine, [3000, 300, 130])] {
        let positions: Vec<Vec3> = (0..n)
            .flat_map(|i| {
                // Each a little farther off, in an order that is not that of their numbers.
                let far = Vec3::new(1.0, 0.0, 0.0) * (1.0 + (i * 37 % n) as f32 / n as f32);
                [far, far + Vec3::Y * 0.1, far + Vec3::Z * 0.1]
            })
            .collect();
        let faces: Vec<[u32; 3]> = (0..n as u32)
            .map(|i| [3 * i, 3 * i + 1, 3 * i + 2])
            .collect();
        let tree = SurfaceTree::new(engine, &positions, &faces).unwrap();
        let points = engine.upload(&[Vec3::ZERO, Vec3::splat(1e6)]).unwrap();
        let lists = read(&tree.triangles_within(&points, 2.0).unwrap(), "row");
        assert_eq!([lists[0].len(), lists[1].len()], [n, 0]);
        let all = tree.triangles_within(&points, f32::INFINITY).unwrap();
        assert_eq!(all.starts.read().unwrap(), [0, n as u32, 2 * n as u32]);
    }
    let none = SurfaceTree::new(engine, &[], &[]).unwrap();
    let points = engine.upload(&[Vec3::ZERO]).unwrap();
    let lists = read(&none.triangles_within(&points, 1.0).unwrap(), "nothing");
    assert_eq!(lists, [vec![]]);
    let tree = SurfaceTree::new(engine, &[Vec3::ZERO; 3], &[[0, 1, 2]]).unwrap();
    let nobody = engine.upload::<Vec3>(&[]).unwrap();
    assert!(read(&tree.triangles_within(&nobody, 1.0).unwrap(), "no points").is_empty());
}

fn refuses_bad_radii(engine: &Engine) {
    let tree = SurfaceTree::new(engine, &[Vec3::ZERO; 3], &[[0, 1, 2]]).unwrap();
    let points = engine.upload(&[Vec3::ZERO]).unwrap();
    for radius in [-1.0, f32::NAN] {
        let refused = tree.triangles_within(&points, radius).unwrap_err();
        assert!(matches!(refused, Error::Options(_)));
        assert!(
            refused.to_string().contains("has to be 0 or more"),
            "{refused}"
        );
    }
}

fn nearest_points(engine: &Engine) {
    for (what, mesh) in meshes(engine) {
        let n = suited(engine, [100, 30, 15]);
        let mut around = PointsAround::new(&mesh, 0.0, 15);
        let mut points: Vec<Vec3> = (0..n).map(|_| around.place(1.2)).collect();
        points.extend(mesh.positions.iter().take(n));
        points.push(Vec3::NAN);
        let places = engine.upload(&mesh.positions).unwrap();
        let tree = PointTree::on_engine(engine, &places).unwrap();
        let on_engine = engine.upload(&points).unwrap();
        for most in [1, 2, 5, 33] {
            let found = tree.nearest(&on_engine, most).unwrap();
            let (numbers, distances) = (
                found.numbers.read().unwrap(),
                found.distances.read().unwrap(),
            );
            let items: Vec<(f32, u32)> = distances.into_iter().zip(numbers).collect();
            for (&p, list) in points.iter().zip(items.chunks(most as usize)) {
                let mut all: Vec<(f32, u32)> = Vec::new();
                for (number, &x) in (0..).zip(&mesh.positions) {
                    let square = dot_rounded(x - p, x - p);
                    if square < f32::INFINITY {
                        all.push((square, number));
                    }
                }
                // By their squares: different ones may have the same root.
                all.sort_by(|a, b| a.partial_cmp(b).unwrap());
                all.iter_mut().for_each(|item| item.0 = item.0.sqrt());
                all.resize(most as usize, (f32::INFINITY, u32::MAX));
                assert!(list == all, "{what}, {most}: {p}: {list:?} {all:?}");
            }
        }
        assert!(tree.nearest(&on_engine, 0).is_err());
    }
}
