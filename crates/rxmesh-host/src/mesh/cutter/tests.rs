//! Tests of cutting polygons.

use super::*;
use crate::mesh::{EdgeTable, PolyMesh, TriMesh, check, solid};
use proptest::prelude::{ProptestConfig, Strategy, prop, prop_assert, prop_assert_eq, proptest};

/// Cuts a mesh of these faces.
fn cut(positions: &[Vec3], faces: &[Vec<u32>]) -> TriMesh {
    let sizes: Vec<u32> = faces.iter().map(|f| f.len() as u32).collect();
    let mesh = PolyMesh::new(positions.to_vec(), &sizes, faces.concat()).unwrap();
    mesh.triangulate().unwrap().0
}

/// Cuts one polygon of these corners.
fn cut_one(points: &[Vec3]) -> Vec<[u32; 3]> {
    cut(points, &[(0..points.len() as u32).collect()]).faces
}

/// Returns twice the area of each triangle, as seen along a direction.
fn seen(points: &[Vec3], triangles: &[[u32; 3]], along: DVec3) -> Vec<f64> {
    let at = |v: u32| points[v as usize].as_dvec3();
    let area = |t: &[u32; 3]| (at(t[1]) - at(t[0])).cross(at(t[2]) - at(t[0])).dot(along);
    triangles.iter().map(area).collect()
}

/// Asserts that all triangles have an area, are turned as the polygon is, and cover it once.
fn assert_covers(points: &[Vec3], triangles: &[[u32; 3]]) {
    let normal = super::super::polygon::newell_normal(points);
    let n = points.len() as u32;
    assert_eq!(triangles.len(), points.len() - 2);
    let fan: Vec<[u32; 3]> = (1..n - 1).map(|k| [0, k, k + 1]).collect();
    let whole: f64 = seen(points, &fan, normal).iter().sum();
    let each = seen(points, triangles, normal);
    assert!(
        each.iter().all(|&a| a > 0.0),
        "{points:?} {triangles:?} {each:?}"
    );
    assert!(
        (each.iter().sum::<f64>() - whole).abs() < 1e-6 * whole,
        "{points:?} {triangles:?}"
    );
}

/// Returns the same triangles, whichever corner of each is named first.
fn as_set(triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
    let turned = |t: &[u32; 3]| {
        let first = (0..3).min_by_key(|&k| t[k]).unwrap();
        [0, 1, 2].map(|k| t[(first + k) % 3])
    };
    let mut all: Vec<[u32; 3]> = triangles.iter().map(turned).collect();
    all.sort_unstable();
    all
}

/// Returns corners at increasing angles around the origin; any radii give a simple polygon.
fn star(radii: &[f32], place: impl Fn(f32, f32) -> Vec3) -> Vec<Vec3> {
    let turn = std::f32::consts::TAU / radii.len() as f32;
    let at =
        |(i, r): (usize, &f32)| place(r * (i as f32 * turn).cos(), r * (i as f32 * turn).sin());
    radii.iter().enumerate().map(at).collect()
}

/// Returns a point on a tilted plane, but for rounding.
fn tilted(x: f32, y: f32) -> Vec3 {
    let normal = Vec3::new(0.48, 0.6, 0.64);
    let a = normal.any_orthonormal_vector();
    x * a + y * normal.cross(a)
}

/// Returns a cube whose sides have further corners in the middle of their sides, and the faces of which begin at any
/// corner.
fn cube_of_octagons(first: &[usize; 6]) -> (Vec<Vec3>, Vec<Vec<u32>>) {
    let mut points: Vec<Vec3> = Vec::new();
    let mut faces = Vec::new();
    for axis in 0..3 {
        for side in [-1.0f32, 1.0] {
            let ring = [
                (-1, -1),
                (0, -1),
                (1, -1),
                (1, 0),
                (1, 1),
                (0, 1),
                (-1, 1),
                (-1, 0),
            ];
            let mut face: Vec<u32> = Vec::new();
            for (a, b) in ring {
                let mut p = Vec3::splat(side);
                p[(axis + 1) % 3] = a as f32;
                p[(axis + 2) % 3] = b as f32;
                let found = points.iter().position(|q| *q == p);
                let v = found.unwrap_or_else(|| {
                    points.push(p);
                    points.len() - 1
                });
                face.push(v as u32);
            }
            if side < 0.0 {
                face.reverse();
            }
            face.rotate_left(first[faces.len()]);
            faces.push(face);
        }
    }
    (points, faces)
}

/// Returns two polygons back to back, which share all corners.
fn pillow(n: u32, inner: impl Fn(u32) -> f32) -> (Vec<Vec3>, Vec<Vec<u32>>) {
    let radii: Vec<f32> = (0..n).map(inner).collect();
    let points = star(&radii, |x, y| Vec3::new(x, y, 0.1 * x * y));
    (points, vec![(0..n).collect(), (0..n).rev().collect()])
}

fn assert_closed(mesh: &TriMesh) {
    let found = check(mesh);
    assert!(
        found.closed && found.manifold && found.consistently_oriented,
        "{found}"
    );
    assert_eq!(
        (found.duplicate_faces.count, found.zero_area_faces.count),
        (0, 0),
        "{found}"
    );
}

/// Returns a random polygon with corners on whole numbers, and some of them on its sides.
fn whole_polygon() -> impl Strategy<Value = Vec<(i32, i32)>> {
    prop::collection::vec((10i32..40, 0u32..3), 3..12).prop_map(|corners| {
        let turn = std::f64::consts::TAU / corners.len() as f64;
        let at = |i: usize| {
            let (r, a) = (f64::from(corners[i % corners.len()].0), i as f64 * turn);
            (
                (r * a.cos()).round() as i32 * 6,
                (r * a.sin()).round() as i32 * 6,
            )
        };
        let mut points = Vec::new();
        for (i, &(_, between)) in corners.iter().enumerate() {
            let ((x, y), (u, v)) = (at(i), at((i + 1) % corners.len()));
            points.push((x, y));
            let parts = between as i32 + 1;
            points.extend((1..parts).map(|k| (x + (u - x) * k / parts, y + (v - y) * k / parts)));
        }
        points
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn stars_are_covered_once(radii in prop::collection::vec(0.2f32..3.0, 4..60), first in 0usize..60) {
        let points = star(&radii, tilted);
        let triangles = cut_one(&points);
        assert_covers(&points, &triangles);
        // The same, whichever corner comes first.
        let mut face: Vec<u32> = (0..points.len() as u32).collect();
        face.rotate_left(first % points.len());
        prop_assert_eq!(as_set(&cut(&points, &[face]).faces), as_set(&triangles));
    }

    /// Corners on sides, exactly, in planes along which projections are exact and others.
    #[test]
    fn corners_on_sides(corners in whole_polygon(), first in 0usize..60, tilt in 0usize..3) {
        let place = |&(x, y): &(i32, i32)| {
            let (x, y) = (x as f32, y as f32);
            [Vec3::new(x, y, 5.0), Vec3::new(x, y, 3.0 * x - 7.0 * y), Vec3::new(y, x + y, x)][tilt]
        };
        let points: Vec<Vec3> = corners.iter().map(place).collect();
        let n = points.len();
        let triangles = cut_one(&points);
        prop_assert_eq!(triangles.len(), n - 2);
        let whole = |i: u32| corners[i as usize];
        let doubled = |t: &[u32; 3]| {
            let ((a, b), (c, d), (e, f)) = (whole(t[0]), whole(t[1]), whole(t[2]));
            i64::from((c - a) * (f - b) - (e - a) * (d - b))
        };
        let each: Vec<i64> = triangles.iter().map(doubled).collect();
        let fan: i64 = (1..n as u32 - 1).map(|k| doubled(&[0, k, k + 1])).sum();
        // Rounding can make two corners one, or put a corner of a star onto a side: then nothing is to be expected.
        let mut places = corners.clone();
        places.sort_unstable();
        places.dedup();
        if places.len() == n && !crosses(&corners) {
            prop_assert!(each.iter().all(|&a| a > 0), "{corners:?} {triangles:?} {each:?}");
            prop_assert_eq!(each.iter().sum::<i64>(), fan);
        }
        let mut face: Vec<u32> = (0..n as u32).collect();
        face.rotate_left(first % n);
        prop_assert_eq!(as_set(&cut(&points, &[face]).faces), as_set(&triangles));
    }

    #[test]
    fn cubes_with_corners_on_their_sides(first in prop::array::uniform6(0usize..8), far in 0usize..3) {
        let (mut points, faces) = cube_of_octagons(&first);
        let (scale, shift) = [(1.0, 0.0), (1e-20, 0.0), (1e15, 1e15)][far];
        points.iter_mut().for_each(|p| *p = *p * scale + shift);
        let mesh = cut(&points, &faces);
        assert_closed(&mesh);
        prop_assert_eq!(mesh.face_count(), 36);
        let volume = solid(&mesh, &EdgeTable::new(&mesh.faces, points.len())).volume;
        let right = 8.0 * f64::from(scale).powi(3);
        prop_assert!((volume - right).abs() < 1e-4 * right, "{volume}");
    }
}

/// Returns `true` if two sides that do not follow each other have a point in common, or if two that do lie on each
/// other.
fn crosses(p: &[(i32, i32)]) -> bool {
    let n = p.len();
    let turn = |a: (i32, i32), b: (i32, i32), c: (i32, i32)| {
        i64::from((b.0 - a.0) * (c.1 - a.1) - (c.0 - a.0) * (b.1 - a.1)).signum()
    };
    let on = |a: (i32, i32), b: (i32, i32), c: (i32, i32)| {
        let dot = (a.0 - c.0) * (b.0 - c.0) + (a.1 - c.1) * (b.1 - c.1);
        turn(a, b, c) == 0 && dot <= 0
    };
    (0..n).any(|i| {
        let (a, b) = (p[i], p[(i + 1) % n]);
        on(a, b, p[(i + 2) % n])
            || on(b, p[(i + 2) % n], a)
            || (i + 2..n).filter(|j| (j + 1) % n != i).any(|j| {
                let (c, d) = (p[j], p[(j + 1) % n]);
                on(a, b, c)
                    || on(a, b, d)
                    || on(c, d, a)
                    || on(c, d, b)
                    || turn(a, b, c) * turn(a, b, d) < 0 && turn(c, d, a) * turn(c, d, b) < 0
            })
    })
}

/// Neighbours share a chain of two edges, or all of their edges: their diagonals must differ.
#[test]
fn diagonals_are_nobody_elses_edges() {
    for n in 4..12 {
        let (points, faces) = pillow(n, |_| 1.0);
        assert_closed(&cut(&points, &faces));
        let (points, faces) = pillow(n, |i| 1.0 + (i % 2) as f32);
        if n != 4 {
            assert_closed(&cut(&points, &faces));
        }
    }
    // A pyramid over a quad, without the quad: four faces, one of which is a quad that shares two edges with another.
    let points = [
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [2.0, 0.0, 0.0],
        [1.0, 2.0, 1.0],
        [1.0, 2.0, -1.0],
    ]
    .map(Vec3::from_array);
    let faces = [
        vec![0, 1, 2, 3],
        vec![2, 1, 0, 4],
        vec![0, 3, 4],
        vec![3, 2, 4],
    ];
    assert_closed(&cut(&points, &faces));
}

#[test]
fn quads_take_the_better_diagonal() {
    let points = [
        [0.0, 0.0, 0.0],
        [2.0, 1.0, 0.0],
        [0.0, 2.0, 0.0],
        [-2.0, 1.0, 0.0],
    ]
    .map(Vec3::from_array);
    for first in 0..4 {
        let mut face: Vec<u32> = (0..4).collect();
        face.rotate_left(first);
        assert_eq!(as_set(&cut(&points, &[face]).faces), [[0, 1, 2], [0, 2, 3]]);
    }
    // Concave, and with a corner on a side: there is one diagonal.
    for x in [0.5, 0.0] {
        let dart = [
            [0.0, -1.0, 0.0],
            [2.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [x, 0.0, 0.0],
        ]
        .map(Vec3::from_array);
        assert_covers(&dart, &cut_one(&dart));
        assert_eq!(as_set(&cut_one(&dart)), [[0, 1, 3], [1, 2, 3]]);
    }
}

#[test]
fn repeated_corners_count_once() {
    let square = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ]
    .map(Vec3::from_array);
    let faces = [
        vec![0, 1, 2, 3, 0],
        vec![0, 0, 1, 2, 2, 2, 3],
        vec![0, 1, 2, 0],
    ];
    assert_eq!(cut(&square, &faces[..1]).face_count(), 2);
    assert_eq!(cut(&square, &faces[1..2]).face_count(), 2);
    assert_eq!(cut(&square, &faces[2..]).face_count(), 1);
    assert!(faces.iter().all(|f| {
        check(&cut(&square, std::slice::from_ref(f)))
            .zero_area_faces
            .count
            == 0
    }));
    // Nothing is left of it: a triangle without area keeps its place.
    assert_eq!(
        check(&cut(&square, &[vec![0, 1, 1, 0]]))
            .degenerate_faces
            .count,
        1
    );
    // A spike adds nothing.
    let spiked = cut(&square, &[vec![0, 1, 2, 1, 2, 3]]);
    assert_eq!(check(&spiked).zero_area_faces.count, 0);
}

/// A square with a square hole, as one polygon that goes to the hole and back.
#[test]
fn a_bridge_to_a_hole() {
    let ring =
        |r: f32| [[-r, -r, 0.0], [r, -r, 0.0], [r, r, 0.0], [-r, r, 0.0]].map(Vec3::from_array);
    let points = [ring(2.0), ring(1.0)].concat();
    let mesh = cut(&points, &[vec![0, 1, 2, 3, 0, 4, 7, 6, 5, 4]]);
    let each = seen(&points, &mesh.faces, DVec3::Z);
    assert!(each.iter().all(|&a| a > 0.0), "{each:?}");
    assert_eq!(each.iter().sum::<f64>(), 24.0);
}

#[test]
fn degenerate_polygons_still_give_triangles() {
    assert_eq!(cut_one(&[Vec3::ZERO; 5]).len(), 3);
    let line: Vec<Vec3> = (0..50).map(|i| Vec3::X * i as f32).collect();
    assert_eq!(cut_one(&line).len(), 48);
    let pentagram = star(&[1.0; 5], tilted);
    let crossed = [0, 2, 4, 1, 3].map(|i: usize| pentagram[i]);
    assert_eq!(cut_one(&crossed).len(), 3);
    let bow = [
        [0.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
    ]
    .map(Vec3::from_array);
    let found = cut_one(&bow);
    assert!(
        seen(&bow, &found, DVec3::Z).iter().all(|&a| a != 0.0),
        "{found:?}"
    );
    // Far from flat, and seen along its normal it still does not cross itself.
    let crown: Vec<f32> = vec![1.0; 12];
    let mut crown = star(&crown, |x, y| Vec3::new(x, y, 0.0));
    crown
        .iter_mut()
        .enumerate()
        .for_each(|(i, p)| p.z = [3.0, -3.0][i % 2]);
    assert_covers(&crown, &cut_one(&crown));
}

/// A comb and a circle of many corners, in the plane and tilted: not quadratic.
#[test]
fn large_polygons_are_quick() {
    let teeth = 10_000;
    let mut comb = vec![
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(teeth as f32, -1.0, 0.0),
    ];
    for i in (0..teeth).rev() {
        comb.extend([
            Vec3::new(i as f32 + 0.5, 100.0, 0.0),
            Vec3::new(i as f32, 0.0, 0.0),
        ]);
    }
    assert_covers(&comb, &cut_one(&comb));
    let radii: Vec<f32> = (0..20_000)
        .map(|i| 1.0 + 0.3 * (i as f32 * 0.01).sin())
        .collect();
    let ring = star(&radii, |x, y| Vec3::new(x, y, 0.0));
    assert_covers(&ring, &cut_one(&ring));
}
