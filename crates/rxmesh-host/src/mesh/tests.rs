//! Tests of meshes, recipes and the check.

use super::generate::*;
use super::*;
use proptest::prelude::{ProptestConfig, prop, prop_assert_eq, proptest};
use std::collections::{BTreeMap, BTreeSet};

fn mesh(vertices: usize, faces: &[[u32; 3]]) -> TriMesh {
    let mut rng = Rng::new(5);
    let mut point = || {
        Vec3::new(
            rng.signed_unit() as f32,
            rng.signed_unit() as f32,
            rng.signed_unit() as f32,
        )
    };
    TriMesh::new((0..vertices).map(|_| point()).collect(), faces.to_vec()).unwrap()
}

#[test]
fn recipes_have_their_topology() {
    let capped = cylinder(8, 3, 1.0, 2.0, true).unwrap();
    let open = cylinder(8, 3, 1.0, 2.0, false).unwrap();
    // Euler characteristic, boundary loops, faces.
    for (m, euler, loops, faces) in [
        (icosphere(3).unwrap(), 2, 0, 1280),
        (torus(12, 7, 2.0, 0.5).unwrap(), 0, 0, 168),
        (grid(5, 9).unwrap(), 1, 1, 90),
        (open, 0, 2, 48),
        (capped, 2, 0, 64),
        (fan(17).unwrap(), 1, 1, 17),
    ] {
        let c = check(&m);
        assert_eq!(
            (c.euler_characteristic, c.boundary_loops, c.faces),
            (euler, loops, faces),
            "{c}"
        );
        assert!(
            c.manifold && c.consistently_oriented && c.orientable && c.vertex_components == 1,
            "{c}"
        );
        assert_eq!(c.closed, loops == 0);
        assert_eq!(
            c.zero_area_faces.count + c.duplicate_vertices.count + c.isolated_vertices.count,
            0,
            "{c}"
        );
    }
    assert_eq!(check(&torus(12, 7, 2.0, 0.5).unwrap()).genus, Some(1));
    assert_eq!(
        check(&fan(500).unwrap()).max_valence,
        Some(Valence {
            valence: 500,
            vertex: 0
        })
    );
}

/// Closed recipes enclose a positive volume: faces run counter-clockwise seen from outside.
#[test]
fn recipes_face_outwards() {
    for m in [
        icosphere(2).unwrap(),
        torus(9, 9, 2.0, 0.5).unwrap(),
        cylinder(9, 2, 1.0, 1.0, true).unwrap(),
    ] {
        let volume = |f: &[u32; 3]| {
            let [a, b, c] = f.map(|v| m.positions[v as usize].as_dvec3());
            a.dot(b.cross(c)) / 6.0
        };
        assert!(m.faces.iter().map(volume).sum::<f64>() > 0.0);
    }
}

#[test]
fn impossible_sizes_are_refused_at_once() {
    for refused in [
        grid(0, 3),
        grid(u32::MAX, u32::MAX),
        torus(2, 9, 1.0, 0.5),
        torus(9, 9, f32::NAN, 0.5),
        torus(u32::MAX, u32::MAX, 1.0, 0.5),
        icosphere(30),
        icosphere(u32::MAX),
        fan(2),
        fan(u32::MAX),
        cylinder(3, 0, 1.0, 1.0, true),
        cylinder(u32::MAX, u32::MAX, 1.0, 1.0, true),
        cylinder(3, 1, -1.0, 1.0, true),
    ] {
        println!("{}", refused.unwrap_err());
    }
}

#[test]
fn bad_meshes_are_refused_with_the_offender() {
    let p = vec![Vec3::ZERO, Vec3::X, Vec3::new(0.0, f32::NAN, 0.0)];
    let e = TriMesh::new(p.clone(), vec![]).unwrap_err();
    assert!(matches!(e, MeshError::NotFinite { vertex: 2, .. }), "{e}");
    let e = TriMesh::new(p[..2].to_vec(), vec![[0, 1, 0], [0, 1, 2]]).unwrap_err();
    assert_eq!(
        e,
        MeshError::IndexOutOfRange {
            face: 1,
            index: 2,
            vertices: 2
        }
    );
    let mut m = fan(5).unwrap();
    assert!(matches!(
        m.add_vertex_column("d", vec![0.0; 5]),
        Err(MeshError::ColumnLength {
            got: 5,
            expected: 6,
            ..
        })
    ));
    assert!(m.set_vertex_normals(vec![Vec3::X]).is_err());
    for name in ["", "x", "a b", "a\tb", "a\n"] {
        assert!(
            matches!(
                m.add_vertex_column(name, vec![0.0; 6]),
                Err(MeshError::ColumnName { .. })
            ),
            "{name}"
        );
    }
    for name in ["d", "d", "1st", "\u{e4}", "a.b", "scalar_Depth_(0.1)"] {
        m.add_vertex_column(name, vec![0.0; 6]).unwrap();
    }
    assert_eq!(m.extras.columns.len(), 5);
}

#[test]
fn shuffling_keeps_the_shape_and_carries_columns() {
    let mut m = torus(20, 10, 2.0, 0.5).unwrap();
    m.add_vertex_column("x_again", m.positions.iter().map(|p| p.x).collect())
        .unwrap();
    let before = check(&m);
    let mut other = m.clone();
    shuffle(&mut m, 3);
    shuffle(&mut other, 3);
    assert_eq!(m, other);
    m.validate().unwrap();
    let column = m.extras.column(ElementKind::Vertex, "x_again").unwrap();
    assert!(
        m.positions
            .iter()
            .enumerate()
            .all(|(v, p)| column.data.get(v) as f32 == p.x)
    );
    let after = check(&m);
    assert_eq!(after.bounding_box, before.bounding_box);
    assert_eq!(
        (after.edges, after.genus, after.manifold),
        (before.edges, before.genus, true)
    );
}

#[test]
fn oddities_are_found_and_named() {
    let book = check(&mesh(5, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]));
    assert_eq!(book.non_manifold_edges.first, [[0, 1]]);
    assert_eq!(book.non_manifold_vertices.first, [0, 1]);
    let bow = check(&mesh(6, &[[0, 1, 2], [0, 3, 4]]));
    assert_eq!(
        (bow.non_manifold_vertices.first, bow.isolated_vertices.first),
        (vec![0], vec![5])
    );
    assert_eq!(
        (
            bow.face_components,
            bow.vertex_components,
            bow.boundary_loops
        ),
        (2, 1, 2)
    );
    assert_eq!(bow.isolated_faces.count, 2);
    let turned = check(&mesh(4, &[[0, 1, 2], [1, 3, 2], [0, 1, 3]]));
    assert_eq!(
        (turned.inconsistent_edges.first, turned.orientable),
        (vec![[0, 1], [1, 3]], true)
    );
    let twice = check(&mesh(
        5,
        &[[2, 0, 1], [0, 3, 1], [1, 2, 0], [4, 4, 0], [0, 2, 1]],
    ));
    assert_eq!(twice.duplicate_faces.first, [2, 4]);
    assert_eq!(twice.degenerate_faces.first, [3]);
    assert_eq!(twice.only_degenerate_vertices, 1);
    let strip: Vec<[u32; 3]> = (0..5)
        .map(|i| {
            if i % 2 == 0 {
                [i, i + 1, i + 2]
            } else {
                [i + 1, i, i + 2]
            }
        })
        .collect();
    let moebius: Vec<[u32; 3]> = strip.iter().map(|f| f.map(|v| v % 5)).collect();
    let moebius = check(&mesh(5, &moebius));
    assert!(
        !moebius.orientable && moebius.manifold && moebius.genus.is_none(),
        "{moebius}"
    );
    assert_eq!(
        (moebius.euler_characteristic, moebius.boundary_loops),
        (0, 1)
    );
    let mut flat = mesh(4, &[[0, 1, 2], [0, 1, 3]]);
    flat.positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::new(2.0, -0.0, 0.0)];
    assert_eq!(check(&flat).zero_area_faces.first, [1]);
    flat.positions[3] = Vec3::new(-0.0, 0.0, 0.0);
    assert_eq!(check(&flat).duplicate_vertices.first, [3]);
}

#[cfg(feature = "serde")]
#[test]
fn an_empty_check_and_its_forms() {
    let points = check(&TriMesh::new(vec![Vec3::X], vec![]).unwrap());
    assert!(!points.closed && points.edge_length.is_none() && points.vertex_components == 0);
    check(&TriMesh::default());
    let report = check(&fan(3).unwrap());
    let json: serde_json::Value = serde_json::to_value(&report).unwrap();
    assert_eq!(json["boundary_edges"]["count"], 3);
    assert_eq!(
        json["boundary_edges"]["first"][0],
        serde_json::json!([1, 2])
    );
    assert_eq!(json["max_valence"]["vertex"], 0);
    assert!(
        report
            .to_text()
            .contains("boundary edges: 3 ([1, 2], [1, 3], [2, 3]; counted from 0)"),
        "{report}"
    );
}

/// Returns the same answers by the plain definitions, with maps and no regard for time.
fn naive(m: &TriMesh) -> [u64; 8] {
    let proper = |f: &&[u32; 3]| f[0] != f[1] && f[1] != f[2] && f[0] != f[2];
    let faces: Vec<&[u32; 3]> = m.faces.iter().filter(proper).collect();
    let mut edges: BTreeMap<[u32; 2], Vec<(usize, bool)>> = BTreeMap::new();
    for (i, f) in faces.iter().enumerate() {
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            edges
                .entry([a.min(b), a.max(b)])
                .or_default()
                .push((i, a < b));
        }
    }
    let with = |n: std::ops::RangeInclusive<usize>| {
        edges.values().filter(|v| n.contains(&v.len())).count() as u64
    };
    let same = edges
        .values()
        .filter(|v| v.len() == 2 && v[0].1 == v[1].1)
        .count() as u64;
    let mut vertices = 0;
    for v in 0..m.positions.len() as u32 {
        let around: Vec<[u32; 2]> = faces
            .iter()
            .filter(|f| f.contains(&v))
            .map(|f| {
                <[u32; 2]>::try_from(f.iter().copied().filter(|&w| w != v).collect::<Vec<_>>())
                    .unwrap()
            })
            .collect();
        vertices += u64::from(!one_fan(&around));
    }
    let by_edge = parts(
        faces.len(),
        edges
            .values()
            .map(|v| v.iter().map(|x| x.0).collect())
            .collect(),
    );
    let mut users: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    faces
        .iter()
        .enumerate()
        .for_each(|(i, f)| f.iter().for_each(|&v| users.entry(v).or_default().push(i)));
    let mut sets: Vec<[u32; 3]> = faces
        .iter()
        .map(|f| {
            let mut s = **f;
            s.sort_unstable();
            s
        })
        .collect();
    let all = sets.len();
    sets.sort_unstable();
    sets.dedup();
    [
        edges.len() as u64,
        with(1..=1),
        with(3..=usize::MAX),
        same,
        vertices,
        by_edge,
        parts(faces.len(), users.into_values().collect()),
        (all - sets.len()) as u64,
    ]
}

/// Returns `true` if the opposite edges around a vertex form one path or one ring.
fn one_fan(around: &[[u32; 2]]) -> bool {
    let ends: BTreeSet<u32> = around.iter().flatten().copied().collect();
    let index = |v: &u32| ends.iter().position(|e| e == v).unwrap();
    let links = around
        .iter()
        .map(|e| e.iter().map(index).collect())
        .collect();
    let degree = |v: &u32| around.iter().flatten().filter(|w| *w == v).count();
    around.is_empty() || (ends.iter().all(|v| degree(v) <= 2) && parts(ends.len(), links) == 1)
}

fn parts(n: usize, links: Vec<Vec<usize>>) -> u64 {
    let mut label: Vec<usize> = (0..n).collect();
    for link in links {
        for w in link.windows(2) {
            let (a, b) = (label[w[0]], label[w[1]]);
            label.iter_mut().filter(|l| **l == a).for_each(|l| *l = b);
        }
    }
    label.into_iter().collect::<BTreeSet<_>>().len() as u64
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn check_agrees_with_the_definitions(faces in prop::collection::vec(prop::array::uniform3(0u32..9), 0..25)) {
        let m = mesh(9, &faces);
        let c = check(&m);
        let ours = [
            c.edges, c.boundary_edges.count, c.non_manifold_edges.count, c.inconsistent_edges.count,
            c.non_manifold_vertices.count, c.face_components, c.vertex_components, c.duplicate_faces.count,
        ];
        prop_assert_eq!(ours, naive(&m));
        c.to_text();
    }
}
