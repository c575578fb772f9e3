//! Tests of holes.

use super::*;
use crate::mesh::{
    CheckReport, Column, ColumnData, CornerLayer, ElementKind, Rng, Tag, TagKind, check, generate,
};
use crate::repair::{RepairOptions, RepairReport, repair};
use glam::{DVec3, Vec3};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};

/// Returns the mesh without the faces that a rule names.
fn without(mesh: &TriMesh, gone: impl Fn([DVec3; 3]) -> bool) -> TriMesh {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let keep: Vec<bool> = mesh.faces.iter().map(|f| !gone(f.map(at))).collect();
    mesh.with_faces(&keep)
}

/// Returns a unit sphere without the part above `z`.
fn open_sphere(levels: u32, z: f64) -> TriMesh {
    without(&generate::icosphere(levels).unwrap(), |x| {
        x.iter().any(|p| p.z > z)
    })
}

/// Returns a grid of 12 times 12 cells over the unit square with a hole of 6 times 6 cells and one of a single face.
fn plate() -> TriMesh {
    let grid = generate::grid(12, 12).unwrap();
    let keep = |f: usize| {
        let (x, y) = (f / 2 % 12, f / 24);
        let middle = (3..9).contains(&x) && (3..9).contains(&y);
        !middle && f != 2 * (12 * 10 + 10)
    };
    grid.with_faces(&(0..288).map(keep).collect::<Vec<bool>>())
}

fn with_method(method: HoleFill) -> HoleOptions {
    HoleOptions::default().with(|o| o.method = method)
}

const METHODS: [HoleFill; 3] = [HoleFill::Flat, HoleFill::Refined, HoleFill::Fair];

fn sound(mesh: &TriMesh) -> CheckReport {
    mesh.validate().unwrap();
    let c = check(mesh);
    assert!(
        c.manifold && c.consistently_oriented && c.zero_area_faces.count == 0,
        "{c}"
    );
    assert_eq!(c.duplicate_faces.count, 0);
    c
}

#[test]
fn a_sphere_without_a_cap_is_a_sphere_again() {
    for (z, far) in [(0.9, 0.02), (0.8, 0.02), (0.5, 0.03)] {
        let open = open_sphere(4, z);
        let rim = open.vertex_count();
        for method in METHODS {
            let mut mesh = open.clone();
            let report = fill_holes(&mut mesh, &with_method(method)).unwrap();
            assert_eq!((report.found, report.filled, report.left.len()), (1, 1, 0));
            let c = sound(&mesh);
            assert!(c.closed && c.euler_characteristic == 2, "{c}");
            assert_eq!(mesh.positions[..rim], open.positions);
            let off = |p: &Vec3| (p.as_dvec3().length() - 1.0).abs();
            let worst = mesh.positions[rim..].iter().map(off).fold(0.0, f64::max);
            match method {
                HoleFill::Flat => assert_eq!(mesh.vertex_count(), rim),
                HoleFill::Refined => assert!(worst > 0.5 * (1.0 - z), "{worst}"),
                HoleFill::Fair => assert!(worst < far * (1.0 - z), "{worst} at {z}"),
            }
        }
    }
}

/// New faces are about as large as those around.
#[test]
fn patches_are_as_dense_as_the_mesh() {
    let (mut mesh, whole) = (open_sphere(5, 0.7), generate::icosphere(5).unwrap());
    fill_holes(&mut mesh, &HoleOptions::default()).unwrap();
    let (a, b) = (mesh.face_count() as f64, whole.face_count() as f64);
    assert!((a / b - 1.0).abs() < 0.1, "{a} {b}");
}

#[test]
fn holes_in_a_plane_stay_plane_and_its_border_stays() {
    for method in METHODS {
        let mut mesh = plate();
        mesh.positions.iter_mut().for_each(|p| p.z = 0.25);
        let before = mesh.clone();
        let report = fill_holes(&mut mesh, &with_method(method)).unwrap();
        assert_eq!((report.found, report.filled), (3, 2));
        let outer = HoleLeft {
            edges: 48,
            vertex: 0,
            why: WhyLeft::Outer,
        };
        assert_eq!(report.left, [outer]);
        let c = sound(&mesh);
        assert_eq!((c.boundary_loops, c.euler_characteristic), (1, 1));
        assert!(mesh.positions.iter().all(|p| p.z == 0.25));
        assert_eq!(mesh.faces[..before.face_count()], before.faces);
        let x = |v: u32| mesh.positions[v as usize];
        let area = |f: &[u32; 3]| 0.5 * (x(f[1]) - x(f[0])).cross(x(f[2]) - x(f[0])).z;
        assert!(mesh.faces.iter().all(|f| area(f) > 0.0));
        assert!((mesh.faces.iter().map(area).sum::<f32>() - 1.0).abs() < 1e-5);
    }
}

#[test]
fn the_ends_of_a_cylinder_are_closed_flat() {
    let mut mesh = generate::cylinder(40, 20, 1.0, 2.0, false).unwrap();
    let report = fill_holes(&mut mesh, &HoleOptions::default()).unwrap();
    assert_eq!((report.filled, sound(&mesh).euler_characteristic), (2, 2));
    let ends: Vec<f32> = mesh.positions[40 * 21..].iter().map(|p| p.z).collect();
    let (low, high) = (mesh.positions[0].z, mesh.positions[40 * 20].z);
    assert!(
        !ends.is_empty()
            && ends
                .iter()
                .all(|z| (z - low).abs() < 1e-4 || (z - high).abs() < 1e-4)
    );
}

#[test]
fn an_outer_border_is_closed_on_demand_and_a_lone_face_never() {
    let grid = generate::grid(3, 3).unwrap();
    let all = HoleOptions::default().with(|o| (o.outer, o.method) = (true, HoleFill::Flat));
    let mut mesh = grid.clone();
    assert_eq!(fill_holes(&mut mesh, &all).unwrap().filled, 1);
    assert!(sound(&mesh).closed);
    let mut lone = grid.with_faces(&std::array::from_fn::<bool, 18, _>(|i| i == 4));
    let report = fill_holes(&mut lone, &all).unwrap();
    assert_eq!(
        (report.left[0].why, lone.face_count()),
        (WhyLeft::NoTriangulation, 1)
    );
}

#[test]
fn large_holes_are_left_on_demand() {
    let left = |change: &dyn Fn(&mut HoleOptions)| {
        let options = HoleOptions::default().with(|o| change(o));
        let report = fill_holes(&mut plate(), &options).unwrap();
        let large = report.left.iter().filter(|l| l.why == WhyLeft::TooLarge);
        (report.filled, large.map(|l| l.edges).collect::<Vec<_>>())
    };
    assert_eq!(left(&|o| o.max_edges = Some(3)), (1, vec![48, 24]));
    assert_eq!(
        left(&|o| o.max_size = Some(Length::OfDiagonal(0.49))),
        (1, vec![48, 24])
    );
    assert_eq!(
        left(&|o| o.max_size = Some(Length::Absolute(0.71))),
        (2, vec![48])
    );
    let bad = HoleOptions::default().with(|o| o.max_size = Some(Length::Absolute(f64::NAN)));
    assert!(bad.check().is_err() && fill_holes(&mut plate(), &bad).is_err());
}

#[test]
fn holes_that_touch_are_filled_one_by_one() {
    // Squares of a chessboard: every inner vertex of the field is touched by two or four holes.
    let grid = generate::grid(10, 10).unwrap();
    let board = without(&grid, |x| {
        let p = (x[0] + x[1] + x[2]) * (10.0 / 3.0);
        let inner = p.x > 1.0 && p.x < 9.0 && p.y > 1.0 && p.y < 9.0;
        inner && (p.x as i32 + p.y as i32) % 2 == 0
    });
    for method in METHODS {
        let mut mesh = board.clone();
        let report = fill_holes(&mut mesh, &with_method(method)).unwrap();
        assert_eq!((report.filled, report.left.len()), (32, 1));
        assert_eq!(sound(&mesh).boundary_loops, 1);
    }
}

#[test]
fn loops_that_do_not_close_are_left() {
    // Three sheets that share an edge, and two faces of which one is turned over.
    let p = [0.0, 1.0, 2.0, 3.0, 4.0].map(|x| Vec3::new(x, x * x, x * x * x));
    let book = vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]];
    let turned = vec![[0, 1, 2], [0, 1, 3]];
    for faces in [book, turned] {
        let mut mesh = TriMesh::new(p.to_vec(), faces).unwrap();
        let before = mesh.clone();
        let report = fill_holes(&mut mesh, &HoleOptions::default()).unwrap();
        assert!(
            report.filled == 0 && report.left.iter().all(|l| l.why == WhyLeft::Open),
            "{report:?}"
        );
        assert_eq!(
            report.left.iter().map(|l| l.edges).sum::<usize>(),
            2 * before.face_count()
        );
        assert_eq!(mesh, before);
    }
}

#[test]
fn what_the_mesh_carries_goes_on() {
    let mut mesh = plate();
    let n = mesh.vertex_count();
    mesh.add_vertex_column("x_again", mesh.positions.iter().map(|p| p.x).collect())
        .unwrap();
    mesh.set_vertex_normals(vec![Vec3::Z; n]).unwrap();
    let left = |f: &[u32; 3]| f.iter().map(|&v| mesh.positions[v as usize].x).sum::<f32>() < 1.5;
    let mut faces = mesh.faces.clone();
    faces.sort_by_key(|f| !left(f));
    let first = faces.partition_point(left) as u32;
    let uv = |v: &u32| [mesh.positions[*v as usize].x, mesh.positions[*v as usize].y];
    let layer = CornerLayer {
        width: 2,
        values: faces.iter().flatten().flat_map(uv).collect(),
        corners: (0..3 * faces.len() as u32).collect(),
    };
    mesh.faces = faces;
    mesh.extras.corner_texcoords = Some(layer);
    mesh.extras.tags = [(0, "left"), (first, "right")]
        .map(|(face, text)| Tag {
            face,
            kind: TagKind::Group,
            text: text.into(),
        })
        .to_vec();
    mesh.add_face_column(
        "right",
        (0..mesh.face_count())
            .map(|f| f32::from(f as u32 >= first))
            .collect(),
    )
    .unwrap();
    let old = mesh.face_count();
    let report = fill_holes(&mut mesh, &HoleOptions::default()).unwrap();
    assert!(report.faces_added > 20 && report.vertices_added > 5);
    sound(&mesh);
    assert_eq!(mesh.face_count(), old + report.faces_added);
    let heat = &mesh
        .extras
        .column(ElementKind::Vertex, "x_again")
        .unwrap()
        .data;
    for (v, p) in mesh.positions.iter().enumerate() {
        assert!(
            (heat.get(v) as f32 - p.x).abs() < 0.1,
            "{} {p}",
            heat.get(v)
        );
    }
    assert!(
        mesh.vertex_normals()
            .unwrap()
            .iter()
            .all(|n| (*n - Vec3::Z).length() < 1e-6)
    );
    let first = mesh.extras.tags[1].face as usize;
    let right = &mesh.extras.column(ElementKind::Face, "right").unwrap().data;
    assert!(
        matches!(right, ColumnData::F32(r) if (0..r.len()).all(|f| (r[f] == 1.0) == (f >= first)))
    );
    let layer = mesh.extras.corner_texcoords.as_ref().unwrap();
    for (&v, &e) in mesh.faces.as_flattened().iter().zip(&layer.corners) {
        let at = Vec3::new(
            layer.values[2 * e as usize],
            layer.values[2 * e as usize + 1],
            0.0,
        );
        assert!(mesh.positions[v as usize].distance(at) < 0.1);
    }
}

/// Returns a strip of quads whose inner border is any closed curve.
fn strip(n: usize, inner: impl Fn(f64) -> DVec3, outer: impl Fn(f64) -> DVec3) -> TriMesh {
    let angle = |i: usize| i as f64 * std::f64::consts::TAU / n as f64;
    let border =
        |c: &dyn Fn(f64) -> DVec3| -> Vec<Vec3> { (0..n).map(|i| c(angle(i)).as_vec3()).collect() };
    let positions = [border(&inner), border(&outer)].concat();
    let quad = |i: usize| {
        let (j, m) = ((i + 1) % n, n);
        [[i, i + m, j], [j, i + m, j + m]].map(|f| f.map(|v| v as u32))
    };
    TriMesh::new(positions, (0..n).flat_map(quad).collect()).unwrap()
}

#[test]
fn holes_of_thousands_of_edges_take_no_time() {
    let star = |r: f64, z: f64| {
        move |t: f64| {
            let r = r * (1.0 + 0.4 * (7.0 * t).cos());
            DVec3::new(r * t.cos(), r * t.sin(), z * (5.0 * t).sin())
        }
    };
    for (z, n) in [(0.0, 3000), (0.3, 3000)] {
        let mesh = strip(n, star(1.0, z), star(1.1, 1.1 * z));
        let mut flat = mesh.clone();
        let report = fill_holes(&mut flat, &with_method(HoleFill::Flat)).unwrap();
        assert_eq!(report.faces_added, report.filled * (n - 2));
        assert!(report.filled > 0);
        sound(&flat);
        let area = |m: &TriMesh| -> f64 {
            let x = |v: u32| m.positions[v as usize].as_dvec3();
            let of = |f: &[u32; 3]| 0.5 * (x(f[1]) - x(f[0])).cross(x(f[2]) - x(f[0])).length();
            m.faces.iter().map(of).sum()
        };
        if z == 0.0 {
            // The area of the whole star: half of the integral of r squared.
            let whole = std::f64::consts::PI * (1.0 + 0.08) * 1.21;
            assert!(
                (area(&flat) / whole - 1.0).abs() < 1e-3,
                "{} {whole}",
                area(&flat)
            );
        }
        let mut fair = mesh.clone();
        let again = fill_holes(&mut fair, &HoleOptions::default()).unwrap();
        assert_eq!(again.filled, report.filled);
        sound(&fair);
        assert!(area(&fair) < 1.3 * area(&flat) && fair.face_count() < 30 * n);
    }
}

/// Returns a closed mesh without some faces, one or more, each picked by chance.
fn perforated(seed: u64, part: u64) -> TriMesh {
    let mut rng = Rng::new(seed);
    let mut mesh = match seed % 3 {
        0 => generate::icosphere(3).unwrap(),
        1 => generate::torus(20, 12, 2.0, 0.7).unwrap(),
        _ => generate::cylinder(16, 10, 1.0, 2.0, true).unwrap(),
    };
    for p in &mut mesh.positions {
        *p += 0.02 * Vec3::from_array([0; 3].map(|_| rng.signed_unit() as f32));
    }
    let mut keep: Vec<bool> = mesh.faces.iter().map(|_| rng.below(100) >= part).collect();
    if !keep.contains(&false) {
        keep[rng.below(mesh.face_count() as u64) as usize] = false;
    }
    mesh.with_faces(&keep)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_holes_are_closed(seed in 0u64..100_000, part in 1u64..25, method in 0usize..3) {
        let options = with_method(METHODS[method]).with(|o| o.outer = true);
        let open = perforated(seed, part);
        let before = check(&open);
        let mut mesh = open.clone();
        let report = fill_holes(&mut mesh, &options).unwrap();
        mesh.validate().unwrap();
        let c = check(&mesh);
        prop_assert!(c.non_manifold_edges.count == 0 && c.consistently_oriented, "{c}");
        prop_assert!(c.duplicate_faces.count == 0 && c.zero_area_faces.count == 0, "{c}");
        prop_assert!(c.non_manifold_vertices.count <= before.non_manifold_vertices.count, "{c}");
        prop_assert_eq!(&mesh.positions[..open.vertex_count()], &open.positions[..]);
        prop_assert!(report.filled > 0 && report.left.iter().all(|l| l.why == WhyLeft::NoTriangulation));
        prop_assert_eq!(c.closed, report.left.is_empty());
        // Again there is nothing to do, and one thread does the same.
        let mut again = mesh.clone();
        prop_assert_eq!(fill_holes(&mut again, &options).unwrap().filled, 0);
        prop_assert!(again == mesh);
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        let mut alone = open;
        pool.install(|| fill_holes(&mut alone, &options)).unwrap();
        prop_assert!(alone == mesh);
    }

    #[test]
    fn soups_never_panic(seed in 0u64..100_000) {
        let mut rng = Rng::new(seed);
        let n = 3 + rng.below(20);
        let place = |rng: &mut Rng| Vec3::from_array([0; 3].map(|_| rng.below(4) as f32));
        let positions = (0..n).map(|_| place(&mut rng)).collect();
        let faces = (0..rng.below(40)).map(|_| [0; 3].map(|_| rng.below(n) as u32)).collect();
        let mut mesh = TriMesh::new(positions, faces).unwrap();
        let before = check(&mesh);
        let options = HoleOptions::default().with(|o| o.outer = true);
        fill_holes(&mut mesh, &options).unwrap();
        let c = check(&mesh);
        prop_assert!(c.non_manifold_edges.count == before.non_manifold_edges.count, "{c}");
        prop_assert!(c.zero_area_faces.count == before.zero_area_faces.count, "{c}");
        prop_assert!(c.inconsistent_edges.count == before.inconsistent_edges.count, "{c}");
    }

    #[test]
    fn the_result_does_not_depend_on_the_scale(seed in 0u64..1000, scale in -60i32..60) {
        let open = perforated(seed, 5);
        let scale = (scale as f32).exp2();
        let mut large = open.clone();
        large.positions.iter_mut().for_each(|p| *p *= scale);
        let mut mesh = open;
        fill_holes(&mut mesh, &HoleOptions::default()).unwrap();
        fill_holes(&mut large, &HoleOptions::default()).unwrap();
        prop_assert_eq!(mesh.faces, large.faces);
    }
}

/// Returns the same faces, whichever corner of each is named first.
fn face_set(mesh: &TriMesh) -> Vec<[u32; 3]> {
    let turned = |t: &[u32; 3]| {
        let first = (0..3).min_by_key(|&k| t[k]).unwrap_or(0);
        [0, 1, 2].map(|k| t[(first + k) % 3])
    };
    let mut all: Vec<[u32; 3]> = mesh.faces.iter().map(turned).collect();
    all.sort_unstable();
    all
}

/// Fills through all passes of a repair.
fn repaired(mesh: &TriMesh) -> (TriMesh, RepairReport) {
    let mut filled = mesh.clone();
    let options = RepairOptions::default().with(|o| {
        o.fill_holes = true;
        o.holes.method = HoleFill::Flat;
    });
    let report = repair(&mut filled, &options).unwrap();
    (filled, report)
}

/// Two holes of a sphere that share one vertex are two holes, whatever pass comes before.
#[test]
fn holes_that_touch_in_a_vertex() {
    let sphere = generate::icosphere(3).unwrap();
    let rings: Vec<Vec<u32>> = (0..sphere.vertex_count() as u32)
        .map(|v| {
            let mut ring: Vec<u32> = sphere
                .faces
                .iter()
                .filter(|f| f.contains(&v))
                .flatten()
                .copied()
                .collect();
            ring.sort_unstable();
            ring.dedup();
            ring
        })
        .collect();
    let shared = |q: usize| rings[q].iter().filter(|v| rings[100].contains(v)).count();
    let other = (0..rings.len()).find(|&q| shared(q) == 1).unwrap() as u32;
    let keep: Vec<bool> = sphere
        .faces
        .iter()
        .map(|f| !f.contains(&100) && !f.contains(&other))
        .collect();
    let (filled, report) = repaired(&sphere.with_faces(&keep));
    assert_eq!(
        report.holes.as_ref().map(|h| (h.found, h.filled)),
        Some((2, 2))
    );
    assert_eq!(report.split.map(|s| s.copies), Some(0));
    let found = check(&filled);
    assert!(found.closed && found.manifold, "{found}");
    assert_eq!(found.faces, 2 * (sphere.vertex_count() as u64 - 2) - 4);
    let outward = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| filled.positions[v as usize].as_dvec3());
        (b - a).cross(c - a).dot(a) > 0.0
    };
    assert!(filled.faces.iter().all(outward));
}

/// A chain of square holes, and a board of them.
#[test]
fn chains_of_holes() {
    let grid = generate::grid(9, 9).unwrap();
    for board in [false, true] {
        let keep = |f: usize| {
            let (x, y) = (f / 2 % 9, f / 18);
            let inner = (1..8).contains(&x) && (1..8).contains(&y);
            !(inner && if board { (x + y) % 2 == 0 } else { x == y })
        };
        let mut holed = grid.with_faces(&(0..162).map(keep).collect::<Vec<bool>>());
        holed.extras.columns.push(Column {
            name: "place".into(),
            element: ElementKind::Vertex,
            width: 3,
            data: ColumnData::F32(holed.positions.iter().flat_map(|p| p.to_array()).collect()),
        });
        let (filled, report) = repaired(&holed);
        assert_eq!(
            (filled.face_count(), filled.vertex_count()),
            (162, 100),
            "{report:?}"
        );
        let at = |v: u32| filled.positions[v as usize].as_dvec3();
        let areas = filled.faces.iter().map(|f| {
            let [a, b, c] = f.map(at);
            (b - a).cross(c - a).z / 2.0
        });
        let areas: Vec<f64> = areas.collect();
        assert!(areas.iter().all(|&a| a > 0.0));
        assert!((areas.iter().sum::<f64>() - 1.0).abs() < 1e-6);
        let place = filled.extras.column(ElementKind::Vertex, "place").unwrap();
        let flat = filled.positions.iter().flat_map(|p| p.to_array());
        assert!(
            flat.enumerate()
                .all(|(i, x)| place.data.get(i) == f64::from(x))
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 30, failure_persistence: None, ..ProptestConfig::default() })]

    /// Single faces are missing, many of which touch others in vertices: just these come back.
    #[test]
    fn faces_that_touch_come_back(seed in 0u64..1 << 32, is_sphere in 0..2) {
        let whole = match is_sphere {
            0 => generate::grid(6, 6).unwrap(),
            _ => generate::icosphere(2).unwrap(),
        };
        let table = EdgeTable::new(&whole.faces, whole.vertex_count());
        let mut rng = Rng::new(seed);
        let mut keep = vec![true; whole.face_count()];
        for _ in 0..2 * whole.face_count() {
            let f = rng.below(whole.face_count() as u64) as usize;
            let beside = (3 * f..3 * f + 3).map(|h| table.along(table.edge_of[h] as usize));
            let is_inner = beside.clone().all(|along| along.len() == 2);
            let is_beside_hole = beside.flatten().any(|&h| !keep[h as usize / 3]);
            if is_inner && !is_beside_hole {
                keep[f] = false;
                // A face alone is no part of a surface.
                let is_alone = |g: usize| (3 * g..3 * g + 3)
                    .flat_map(|h| table.along(table.edge_of[h] as usize))
                    .all(|&h| h as usize / 3 == g || !keep[h as usize / 3]);
                if (0..keep.len()).any(|g| keep[g] && is_alone(g)) {
                    keep[f] = true;
                }
            }
        }
        let holed = TriMesh::new(
            whole.positions.clone(),
            whole.faces.iter().zip(&keep).filter(|(_, k)| **k).map(|(f, _)| *f).collect(),
        ).unwrap();
        let (filled, _) = repaired(&holed);
        prop_assert_eq!(face_set(&filled), face_set(&whole));
    }
}
