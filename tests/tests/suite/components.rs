//! Connected components against union-find over sets.

use glam::Vec3;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::components::{ComponentSize, ComponentsOptions, Through, components, sizes};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures::{self, each_mesh};
use rxmesh_tests::oracle::{Oracle, Sets};
use std::collections::BTreeMap;

conformance! { labels, a_long_strip, many_parts_in_any_order, no_faces }

/// Returns the component of each face, by definition: all faces in one row are connected.
fn naive(faces: usize, rows: &Sets) -> Vec<u32> {
    fn root(parent: &mut [usize], f: usize) -> usize {
        if parent[f] != f {
            parent[f] = root(parent, parent[f]);
        }
        parent[f]
    }
    let mut parent: Vec<usize> = (0..faces).collect();
    for row in rows {
        for pair in row.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|f| root(&mut parent, f as usize));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut numbers = BTreeMap::new();
    let roots: Vec<usize> = (0..faces).map(|f| root(&mut parent, f)).collect();
    let number = |root: usize, numbers: &mut BTreeMap<usize, u32>| {
        let next = numbers.len() as u32;
        *numbers.entry(root).or_insert(next)
    };
    roots.into_iter().map(|r| number(r, &mut numbers)).collect()
}

/// Checks the labels both ways; returns the number of components through edges and through vertices.
fn check(what: &str, oracle: &Oracle, rx: &RxMesh) -> [u32; 2] {
    let ways = [
        (Through::Edges, oracle.ef()),
        (Through::Vertices, oracle.vf()),
    ];
    ways.map(|(through, rows)| {
        let want = naive(oracle.faces.len(), &rows);
        let mut found = components(rx, through).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(
            found.label.to_input(rx).unwrap(),
            want,
            "{what} through {through:?}"
        );
        let count = want.iter().max().map_or(0, |m| m + 1);
        assert_eq!(found.count, count, "{what} through {through:?}");
        count
    })
}

fn labels(engine: &Engine) {
    let mut differ = 0;
    each_mesh(engine, |what, fixture, rx| {
        let [edges, vertices] = check(what, fixture.oracle(), rx);
        assert!(vertices <= edges, "{what}");
        differ += u32::from(vertices < edges);
    });
    // Some fixtures are connected only through vertices.
    assert!(differ > 0);
}

fn patched(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> RxMesh {
    let options = PatchOptions::default().with(|o| {
        o.patch_size = patch_size;
    });
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap()
}

/// The longest propagation of a label: one face after the other, in the worst order of numbers.
fn a_long_strip(engine: &Engine) {
    let length = if is_slow(engine) { 40 } else { 400 };
    for shuffled in [false, true] {
        let mut mesh = generate::grid(length, 1).unwrap();
        if shuffled {
            generate::shuffle(&mut mesh, 9);
        } else {
            mesh.faces.reverse();
        }
        let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
        let rx = patched(engine, &mesh, 16);
        assert_eq!(check("strip", &oracle, &rx), [1, 1]);
    }
}

/// Components of many sizes, numbered by their first faces, whatever the patches are.
fn many_parts_in_any_order(engine: &Engine) {
    let parts = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 5,
        (_, true) => 9,
        _ => 40,
    };
    let mut mesh = TriMesh::default();
    for k in 0..parts {
        let part = generate::grid(1 + k % 7, 1 + k % 3).unwrap();
        let first = mesh.vertex_count() as u32;
        let lifted = part.positions.iter().map(|p| *p + Vec3::Z * k as f32);
        mesh.positions.extend(lifted);
        let faces = part.faces.iter().map(|f| f.map(|v| v + first));
        mesh.faces.extend(faces);
    }
    generate::shuffle(&mut mesh, 10);
    let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
    for patch_size in [4, 16, 512] {
        let rx = patched(engine, &mesh, patch_size);
        assert_eq!(check("parts", &oracle, &rx), [parts; 2]);
    }
}

fn no_faces(engine: &Engine) {
    for mesh in [fixtures::empty(), fixtures::no_faces(5)] {
        let rx = patched(engine, &mesh, 512);
        let mut found = components(&rx, Through::Vertices).unwrap();
        assert_eq!(found.count, 0);
        assert!(found.label.to_input(&rx).unwrap().is_empty());
    }
}

/// Two triangles at a vertex, and one by itself.
#[test]
fn sizes_count_shared_vertices_in_each() {
    let p = [
        [0.0, 0.0],
        [1.0, 0.0],
        [0.0, 1.0],
        [-2.0, 0.0],
        [0.0, -1.0],
        [5.0, 5.0],
        [6.0, 5.0],
        [5.0, 9.0],
    ];
    let positions = p.map(|[x, y]| Vec3::new(x, y, 0.0));
    let faces = [[0, 1, 2], [5, 6, 7], [0, 3, 4]];
    let of = |labels: &[u32], count| sizes(&faces, &positions, labels, count);
    let size = |label, faces, vertices, area| ComponentSize {
        label,
        faces,
        vertices,
        area,
    };
    assert_eq!(
        of(&[0, 1, 2], 3),
        [size(0, 1, 3, 0.5), size(1, 1, 3, 2.0), size(2, 1, 3, 1.0)]
    );
    assert_eq!(of(&[0, 1, 0], 2), [size(0, 2, 5, 1.5), size(1, 1, 3, 2.0)]);
}

#[test]
fn the_largest_are_kept_and_of_equals_the_first() {
    let faces = [3, 9, 1, 9, 3];
    let sizes: Vec<ComponentSize> = (0..5)
        .map(|label| ComponentSize {
            label,
            faces: faces[label as usize],
            ..ComponentSize::default()
        })
        .collect();
    let kept = |keep, largest, min_faces| {
        let options = ComponentsOptions {
            keep,
            largest,
            min_faces,
            ..ComponentsOptions::default()
        };
        options.check().unwrap();
        let kept = options.kept(&sizes);
        (0..5).filter(|&k| kept[k]).collect::<Vec<_>>()
    };
    assert_eq!(kept(None, false, 0), [0, 1, 2, 3, 4]);
    assert_eq!(kept(None, true, 0), [1]);
    assert_eq!(kept(Some(3), false, 0), [0, 1, 3]);
    assert_eq!(kept(None, false, 3), [0, 1, 3, 4]);
    assert_eq!(kept(Some(3), false, 4), [1, 3]);
    assert_eq!(kept(Some(99), false, 99), [0; 0]);
    let none = ComponentsOptions {
        keep: Some(0),
        ..ComponentsOptions::default()
    };
    assert!(none.check().is_err());
}
