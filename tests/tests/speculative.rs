//! The speculative engine against plain code on the host: what operators make of a mesh, whoever comes first, and the rules between patches after every run.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::delaunay::{DelaunayOptions, DelaunayReport, delaunay};
use rxmesh_host::edit::{Column, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::speculative::Conflicts;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures;
use std::collections::BTreeMap;

conformance! { opening_changes_nothing, flips_make_meshes_delaunay }

fn patched(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> RxMesh {
    let options = PatchOptions {
        patch_size,
        ..PatchOptions::default()
    };
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap()
}

#[track_caller]
fn check(session: &Session, what: &str) {
    let wrong = session.validate().unwrap();
    assert!(
        wrong.is_empty(),
        "{what}: {} violations, first {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(8)]
    );
}

/// The triangles by the positions of their corners, each from its least corner on, sorted: the same for every numbering.
fn triangles(mesh: &TriMesh) -> Vec<[[u32; 3]; 3]> {
    let bits = |v: u32| mesh.positions[v as usize].to_array().map(f32::to_bits);
    let mut all: Vec<_> = mesh
        .faces
        .iter()
        .map(|f| {
            let c = f.map(bits);
            let k = (0..3).min_by_key(|&k| c[k]).unwrap();
            [c[k], c[(k + 1) % 3], c[(k + 2) % 3]]
        })
        .collect();
    all.sort_unstable();
    all
}

/// Numbers every element by where it lies, attaches that to it, and tells afterwards whether it is still so.
fn numbers<K: Element>(rx: &RxMesh) -> Vec<u32> {
    (0..rx.count(K::KIND)).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

fn attach_numbers<K: Element>(session: &mut Session, rx: &RxMesh) -> Column<K, u32> {
    let values = numbers::<K>(rx);
    let x = rx.attribute_from::<K, u32>(&values).unwrap();
    session.attach(&x).unwrap()
}

/// Opening and closing gives the same triangles, and attributes of all kinds where they were.
fn opening_changes_nothing(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        for patch_size in fixture.patch_sizes() {
            let what = format!("{} in patches of {patch_size}", fixture.name);
            let mesh = &fixture.mesh;
            let rx = patched(engine, mesh, patch_size);
            let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
            let mut session = match Session::open_with(&rx, Conflicts::Speculative) {
                Ok(session) => session,
                Err(e) => {
                    assert!(e.to_string().contains("speculative engine"), "{what}: {e}");
                    continue;
                }
            };
            let x = session.attach(&x).unwrap();
            let edges = attach_numbers::<Edge>(&mut session, &rx);
            let faces = attach_numbers::<Face>(&mut session, &rx);
            check(&session, &what);
            let (now, _) = session.to_mesh(x).unwrap();
            assert_eq!(triangles(&now), triangles(mesh), "{what}");
            let mut closed = session.close(RepackOptions::default()).unwrap();
            let count = |rx: &RxMesh| {
                [
                    rx.count(Vertex::KIND),
                    rx.count(Edge::KIND),
                    rx.count(Face::KIND),
                ]
            };
            assert_eq!(count(&closed.mesh), count(&rx), "{what}");
            for (mut got, mut want) in [
                (
                    closed.take(edges).to_input(&closed.mesh).unwrap(),
                    numbers::<Edge>(&rx),
                ),
                (
                    closed.take(faces).to_input(&closed.mesh).unwrap(),
                    numbers::<Face>(&rx),
                ),
            ] {
                got.sort_unstable();
                want.sort_unstable();
                assert_eq!(got, want, "{what}");
            }
        }
    }
}

/// For each edge of two faces, the sum of the angles opposite it.
fn sums(mesh: &TriMesh) -> BTreeMap<[u32; 2], (f64, u32)> {
    let mut edges: BTreeMap<[u32; 2], (f64, u32)> = BTreeMap::new();
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    for f in &mesh.faces {
        for k in 0..3 {
            let (a, b, o) = (f[k], f[(k + 1) % 3], f[(k + 2) % 3]);
            let (u, v): (DVec3, DVec3) = (x(a) - x(o), x(b) - x(o));
            let edge = edges.entry([a.min(b), a.max(b)]).or_default();
            edge.0 += u.cross(v).length().atan2(u.dot(v));
            edge.1 += 1;
        }
    }
    edges
}

fn violations(mesh: &TriMesh) -> usize {
    sums(mesh)
        .values()
        .filter(|(sum, faces)| *faces == 2 && *sum > std::f64::consts::PI + 1e-4)
        .count()
}

fn noisy(engine: &Engine) -> TriMesh {
    let levels = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 2,
        (false, true) => 3,
        _ => 4,
    };
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.35, 3).unwrap();
    mesh
}

fn flip(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> (TriMesh, DelaunayReport) {
    let rx = patched(engine, mesh, patch_size);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open_with(&rx, Conflicts::Speculative).unwrap();
    let x = session.attach(&x).unwrap();
    check(&session, "opened");
    let report = delaunay(&mut session, x, &DelaunayOptions::default()).unwrap();
    check(&session, "flipped");
    (session.to_mesh(x).unwrap().0, report)
}

/// Flips until the angles opposite every edge sum to at most pi, in patches of any size; no vertex moves, no triangle is lost.
fn flips_make_meshes_delaunay(engine: &Engine) {
    let mut square = generate::grid(12, 9).unwrap();
    generate::noise(&mut square, 0.2, 4).unwrap();
    square.positions.iter_mut().for_each(|p| p.z = 0.0);
    for mesh in [noisy(engine), square] {
        let before = violations(&mesh);
        assert!(before > mesh.face_count() / 60, "{before}");
        for patch_size in [16, 64, 256] {
            let (after, report) = flip(engine, &mesh, patch_size);
            assert!(report.run.finished && report.run.done > 0, "{report:?}");
            assert!(
                violations(&after) <= report.left as usize,
                "{} {report:?}",
                violations(&after)
            );
            assert!(report.left as usize <= before / 20, "{report:?}");
            assert_eq!(after.face_count(), mesh.face_count());
            let sorted = |m: &TriMesh| {
                let mut all: Vec<_> = m
                    .positions
                    .iter()
                    .map(|p| p.to_array().map(f32::to_bits))
                    .collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(&after), sorted(&mesh), "no vertex moves");
        }
    }
}
