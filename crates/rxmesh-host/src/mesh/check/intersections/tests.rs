use super::*;
use crate::mesh::{Placement, generate};
use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};

type Point = [i64; 3];

fn minus(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| a[k] - b[k])
}

fn cross(a: Point, b: Point) -> Point {
    [0, 1, 2].map(|k| {
        let (i, j) = ((k + 1) % 3, (k + 2) % 3);
        a[i] * b[j] - a[j] * b[i]
    })
}

fn dot(a: Point, b: Point) -> i64 {
    (0..3).map(|k| a[k] * b[k]).sum()
}

/// Returns `true` if two convex sets, each a triangle or a segment, have a point in common: no axis separates them.
/// All axes that can are normals of triangles, products of sides, and normals of sides in a triangle's plane or in
/// any plane.
fn meet(a: &[Point], b: &[Point]) -> bool {
    let sides = |p: &[Point]| -> Vec<Point> {
        (0..p.len())
            .map(|k| minus(p[(k + 1) % p.len()], p[k]))
            .collect()
    };
    let (ea, eb) = (sides(a), sides(b));
    let mut normals = Vec::new();
    for p in [a, b].into_iter().filter(|p| p.len() == 3) {
        normals.push(cross(minus(p[1], p[0]), minus(p[2], p[0])));
    }
    let mut axes = normals.clone();
    axes.extend(
        ea.iter()
            .flat_map(|&x| eb.iter().map(move |&y| cross(x, y))),
    );
    for &e in ea.iter().chain(&eb) {
        axes.extend(normals.iter().map(|&n| cross(n, e)));
        axes.push(e);
    }
    let range = |p: &[Point], axis: Point| {
        let along = p.iter().map(|&q| dot(q, axis));
        (along.clone().min().unwrap(), along.max().unwrap())
    };
    !axes.into_iter().any(|axis| {
        let ((l, h), (m, i)) = (range(a, axis), range(b, axis));
        h < m || i < l
    })
}

/// Returns the pairs by whole numbers, pair by pair.
fn expected(points: &[Point], faces: &[[u32; 3]]) -> Vec<[u32; 2]> {
    let at = |f: usize| faces[f].map(|v| points[v as usize]);
    let area = |f: usize| {
        let [a, b, c] = at(f);
        cross(minus(b, a), minus(c, a)) != [0; 3]
    };
    let mut pairs = Vec::new();
    for f in (0..faces.len()).filter(|&f| area(f)) {
        for g in (f + 1..faces.len()).filter(|&g| area(g)) {
            let (t, s) = (at(f), at(g));
            let own = |p: [Point; 3], q: [Point; 3]| -> Vec<Point> {
                p.into_iter().filter(|x| !q.contains(x)).collect()
            };
            let (a, b) = (own(t, s), own(s, t));
            let found = match a.len() {
                3 => meet(&t, &s),
                2 => meet(&a, &s) || meet(&b, &t),
                1 => {
                    let [p, q] = t
                        .iter()
                        .filter(|x| s.contains(x))
                        .copied()
                        .collect::<Vec<_>>()[..]
                    else {
                        unreachable!()
                    };
                    let side = minus(q, p);
                    let (n, m) = (cross(side, minus(a[0], p)), cross(side, minus(b[0], p)));
                    cross(n, m) == [0; 3] && dot(n, m) > 0
                }
                _ => true,
            };
            if found {
                pairs.push([f as u32, g as u32]);
            }
        }
    }
    pairs
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn soups_of_whole_numbers(
        points in prop::collection::vec(prop::array::uniform3(-4i64..5), 3..20),
        corners in prop::collection::vec(prop::array::uniform3(0usize..1000), 1..25),
        flat in 0..4,
    ) {
        let mut points = points;
        if flat == 0 {
            points.iter_mut().for_each(|p| p[2] = p[0] - 2 * p[1]);
        }
        let n = points.len();
        let faces: Vec<[u32; 3]> = corners.iter().map(|c| c.map(|v| (v % n) as u32)).collect();
        let places: Vec<Vec3> = points.iter().map(|p| Vec3::from_array(p.map(|x| x as f32))).collect();
        let Found { mut pairs, all } = find(&places, &faces, None);
        pairs.sort_unstable();
        prop_assert!(all);
        let expected = expected(&points, &faces);
        prop_assert_eq!(&pairs, &expected);
        // Those of a face of each count where there are two meshes.
        let split = faces.len() as u32 / 2;
        let part = |faces: &[[u32; 3]]| TriMesh::new(places.clone(), faces.to_vec()).unwrap();
        let (first, second) = faces.split_at(split as usize);
        let found = intersection_pairs(&part(first), &part(second)).unwrap();
        let of_both = expected.into_iter().filter(|[f, g]| *f < split && *g >= split);
        let of_both: Vec<[u32; 2]> = of_both.map(|[f, g]| [f, g - split]).collect();
        prop_assert!(found.is_complete);
        prop_assert_eq!(found.pairs, of_both);
    }
}

#[test]
fn surfaces_without_and_with() {
    for mesh in [
        generate::grid(20, 20).unwrap(),
        generate::torus(30, 20, 1.0, 0.3).unwrap(),
        generate::icosphere(3).unwrap(),
    ] {
        assert_eq!(self_intersections(&mesh), Findings::default());
        // Separate corners at the same places.
        let soup = TriMesh::new(
            mesh.faces
                .iter()
                .flatten()
                .map(|&v| mesh.positions[v as usize])
                .collect(),
            (0..mesh.face_count() as u32)
                .map(|f| [3 * f, 3 * f + 1, 3 * f + 2])
                .collect(),
        );
        assert_eq!(self_intersections(&soup.unwrap()), Findings::default());
    }
    // A torus whose tube is wider than its ring passes through itself.
    assert!(self_intersections(&generate::torus(30, 20, 0.5, 0.7).unwrap()).count > 0);
    // Twice the same sphere: each face meets its copy.
    let mut twice = generate::icosphere(1).unwrap();
    let again = twice.faces.clone();
    twice.faces.extend(again);
    let found = self_intersections(&twice);
    assert_eq!(found.count, 80);
    assert_eq!(found.first[0], [0, 80]);
}

#[test]
fn polygons_are_named() {
    let mut mesh = generate::cube(1).unwrap();
    assert_eq!(self_intersections_poly(&mesh).unwrap().count, 0);
    let second: Vec<u32> = mesh.corners.iter().map(|v| v + 8).collect();
    let moved: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|&p| p + Vec3::new(0.5, 0.4, 0.3))
        .collect();
    mesh.positions.extend(moved);
    mesh.corners.extend(second);
    let found = self_intersections_poly(&mesh).unwrap();
    // Three sides of each cube pass through three of the other, where they are not parallel.
    assert_eq!(found.count, 6);
    assert!(found.first.iter().all(|[f, g]| *f < 6 && *g >= 6));
}

#[test]
fn two_meshes_may_have_frames_of_their_own() {
    let ball = generate::icosphere(2).unwrap();
    let mut other = ball.clone();
    // Not along an axis: symmetric balls touch in places, which rounding decides.
    let by = Vec3::new(1.43, 0.17, 0.08);
    other.positions.iter_mut().for_each(|p| *p += by);
    let found = intersection_pairs(&ball, &other).unwrap();
    assert!(found.is_complete && found.pairs.len() > 10);
    assert!(found.pairs.is_sorted());
    // The first ball passes through the second where it reaches into it.
    for [f, g] in &found.pairs {
        let centre = |mesh: &TriMesh, f: u32| {
            let corners = mesh.faces[f as usize].map(|v| mesh.positions[v as usize].x);
            corners.iter().sum::<f32>() / 3.0
        };
        assert!((centre(&ball, *f) - 0.72).abs() < 0.35);
        assert!((centre(&other, *g) - 0.72).abs() < 0.35);
    }
    let mut far = other.clone();
    far.place(Placement::of_size(glam::DVec3::new(0.3, 0.2, 0.1), 2.0));
    assert!(!far.placement.is_world() && ball.placement.is_world());
    let again = intersection_pairs(&ball, &far).unwrap();
    assert_eq!(again.pairs, found.pairs);
    // Nothing and what is apart.
    let empty = TriMesh::default();
    for (first, second) in [(&empty, &ball), (&ball, &empty)] {
        let none = intersection_pairs(first, second).unwrap();
        assert!(none.is_complete && none.pairs.is_empty());
    }
    other.positions.iter_mut().for_each(|p| p.x += 5.0);
    assert!(intersection_pairs(&ball, &other).unwrap().pairs.is_empty());
}
