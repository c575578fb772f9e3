//! Shared parts of the tests of the algorithms: meshes, host geometry in doubles.

use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::{Attribute, RxMesh};
use std::collections::BTreeMap;

/// Uploads a mesh to an engine, with its positions.
pub(crate) fn put(engine: &Engine, mesh: &TriMesh) -> (RxMesh, Attribute<Vertex, Vec3>) {
    let size = if mesh.face_count() > 20_000 { 512 } else { 64 };
    let options = PatchOptions::default().with(|o| {
        o.patch_size = size;
    });
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let x = rx.attribute_from(&mesh.positions).unwrap();
    (rx, x)
}

/// Returns the corners of triangles to the bit, sorted, each from its least corner on.
pub(crate) fn corner_bits(triangles: impl Iterator<Item = [Vec3; 3]>) -> Vec<[[u32; 3]; 3]> {
    let mut all: Vec<_> = triangles
        .map(|t| {
            let mut corners = t.map(|p| p.to_array().map(f32::to_bits));
            let least = (0..3).min_by_key(|&k| corners[k]).expect("three corners");
            corners.rotate_left(least);
            corners
        })
        .collect();
    all.sort_unstable();
    all
}

pub(crate) fn bumpy_sphere(levels: u32) -> TriMesh {
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.2, 7).unwrap();
    mesh
}

pub(crate) fn bumpy_grid(n: u32) -> TriMesh {
    let mut mesh = generate::grid(n, n).unwrap();
    generate::noise(&mut mesh, 0.2, 5).unwrap();
    mesh
}

/// Returns pathological meshes by name.
pub(crate) fn nasty() -> Vec<(&'static str, TriMesh)> {
    let v = |x: f32, y: f32, z: f32| Vec3::new(x, y, z);
    let tri = vec![
        v(0.0, 0.0, 0.0),
        v(1.0, 0.0, 0.0),
        v(0.0, 1.0, 0.0),
        v(0.0, 0.0, 1.0),
        v(1.0, 1.0, 0.5),
    ];
    let mesh = |p: &[Vec3], f: &[[u32; 3]]| TriMesh::new(p.to_vec(), f.to_vec()).unwrap();
    vec![
        ("no faces", mesh(&tri, &[])),
        ("nothing", mesh(&[], &[])),
        ("isolated vertices", mesh(&tri, &[[0, 1, 2]])),
        (
            "three faces on an edge",
            mesh(&tri, &[[0, 1, 2], [0, 1, 3], [0, 1, 4]]),
        ),
        (
            "a bow tie",
            mesh(
                &[tri.clone(), vec![v(2.0, 2.0, 2.0)]].concat(),
                &[[0, 1, 2], [0, 3, 5]],
            ),
        ),
        (
            "a face twice",
            mesh(&tri, &[[0, 1, 2], [0, 1, 2], [0, 2, 3]]),
        ),
        (
            "a repeated corner",
            mesh(&tri, &[[0, 0, 1], [0, 1, 2], [3, 3, 3]]),
        ),
        (
            "coincident vertices",
            mesh(&[tri[0], tri[0], tri[0], tri[1]], &[[0, 1, 2], [0, 1, 3]]),
        ),
        (
            "a flat needle",
            mesh(
                &[tri[0], tri[1], v(0.5, 0.0, 0.0), tri[2]],
                &[[0, 1, 2], [0, 2, 3]],
            ),
        ),
        ("one orientation each", mesh(&tri, &[[0, 1, 2], [0, 1, 4]])),
    ]
}

/// Returns the neighbours of each vertex.
pub(crate) fn rings(mesh: &TriMesh) -> Vec<Vec<usize>> {
    let mut rings = vec![std::collections::BTreeSet::new(); mesh.vertex_count()];
    for f in &mesh.faces {
        for k in 0..3 {
            let (a, b) = (f[k] as usize, f[(k + 1) % 3] as usize);
            if a != b {
                rings[a].insert(b);
                rings[b].insert(a);
            }
        }
    }
    rings.into_iter().map(|r| r.into_iter().collect()).collect()
}

/// Returns the number of faces of each edge.
pub(crate) fn edge_faces(mesh: &TriMesh) -> BTreeMap<(u32, u32), usize> {
    let mut edges = BTreeMap::new();
    for f in &mesh.faces {
        let mut sides: Vec<_> = (0..3)
            .map(|k| (f[k].min(f[(k + 1) % 3]), f[k].max(f[(k + 1) % 3])))
            .collect();
        sides.sort_unstable();
        sides.dedup();
        for s in sides {
            *edges.entry(s).or_insert(0) += 1;
        }
    }
    edges
}

/// Returns `true` for each vertex that has an edge with exactly one face.
pub(crate) fn on_boundary(mesh: &TriMesh) -> Vec<bool> {
    let mut on = vec![false; mesh.vertex_count()];
    for ((a, b), n) in edge_faces(mesh) {
        if n == 1 {
            on[a as usize] = true;
            on[b as usize] = true;
        }
    }
    on
}

pub(crate) fn doubles(mesh: &TriMesh) -> Vec<DVec3> {
    mesh.positions.iter().map(|p| p.as_dvec3()).collect()
}

/// Returns the largest distance between corresponding points.
pub(crate) fn farthest(a: &[Vec3], b: &[DVec3]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter()
        .zip(b)
        .map(|(a, b)| a.as_dvec3().distance(*b))
        .fold(0.0, f64::max)
}

/// Returns the cotangents of a triangle's corners; zero for one without area.
pub(crate) fn cotangents(p: [DVec3; 3]) -> [f64; 3] {
    let area2 = (p[1] - p[0]).cross(p[2] - p[0]).length();
    [0, 1, 2].map(|k| {
        let (u, w) = (p[(k + 1) % 3] - p[k], p[(k + 2) % 3] - p[k]);
        if area2 > 0.0 { u.dot(w) / area2 } else { 0.0 }
    })
}
