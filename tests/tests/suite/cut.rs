//! Surfaces that are cut apart where they are not manifold, and welded again.

use crate::algo_support::corner_bits;
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::edit::{Column, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::{conformance, fixtures};

conformance! { welded_as_before, welded_after_flips, refuses_what_has_moved }

fn open(engine: &Engine, mesh: &TriMesh) -> (Session, Column<Vertex, Vec3>) {
    let (vertices, options) = (mesh.vertex_count(), PatchOptions::default());
    let rx = RxMesh::new(engine, vertices, &mesh.faces, &options).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    (session, x)
}

fn meshes() -> Vec<(&'static str, TriMesh)> {
    vec![
        ("three pages", fixtures::book(3, 5)),
        ("four pages", fixtures::book(4, 5)),
        ("a vertex", fixtures::non_manifold_vertex()),
        ("touching", fixtures::touching(1)),
        ("a fin", fixtures::fin(false)),
        ("a Moebius strip", fixtures::moebius(9)),
        ("mixed", fixtures::mixed_orientation(6, 6, 7)),
    ]
}

/// Returns the corners of all faces to the bit, sorted.
fn triangles(session: &Session, x: Column<Vertex, Vec3>) -> Vec<[[u32; 3]; 3]> {
    let (mesh, _) = session.to_mesh(x).unwrap();
    corner_bits(
        mesh.faces
            .iter()
            .map(|f| f.map(|v| mesh.positions[v as usize])),
    )
}

fn sound(session: &Session, what: &str) {
    let wrong = session.validate().unwrap();
    assert!(wrong.is_empty(), "{what}: {wrong:?}");
}

fn welded_as_before(engine: &Engine) {
    for (name, mesh) in meshes() {
        let (mut session, x) = open(engine, &mesh);
        let (before, euler) = (triangles(&session, x), session.euler_number().unwrap());
        let vertices = session.count(Kind::Vertex).unwrap();
        assert!(session.frozen_faces() > 0, "{name}");
        let frozen = session.frozen_faces();
        let cut = session.cut(x).unwrap().expect("something to cut");
        sound(&session, name);
        assert_eq!(session.frozen_faces(), 0, "{name}");
        assert!(triangles(&session, x) == before, "{name}");
        let copies = cut.vertices().filter(|(v, home)| v != home).count() as u32;
        assert_eq!(
            session.count(Kind::Vertex).unwrap(),
            vertices + copies,
            "{name}"
        );
        let values = session.values(x).unwrap().read().unwrap();
        for (v, home) in cut.vertices() {
            assert_eq!(
                values[v as usize], values[home as usize],
                "{name}: {v}, {home}"
            );
        }
        assert!(session.cut(x).unwrap().is_none(), "{name}: cut twice");
        session.weld(x, &cut).unwrap();
        sound(&session, name);
        assert!(triangles(&session, x) == before, "{name}");
        assert_eq!(session.euler_number().unwrap(), euler, "{name}");
        assert_eq!(session.frozen_faces(), frozen, "{name}");
    }
    let (mut session, x) = open(engine, &fixtures::torus(9, 8));
    assert!(session.cut(x).unwrap().is_none());
}

/// Flips leave vertices where they are: nothing is in the way of the weld.
fn welded_after_flips(engine: &Engine) {
    for (name, mesh) in meshes() {
        let (mut session, x) = open(engine, &mesh);
        let (vertices, faces) = (
            session.count(Kind::Vertex).unwrap(),
            session.count(Kind::Face).unwrap(),
        );
        let cut = session.cut(x).unwrap().expect("something to cut");
        delaunay(&mut session, x, &DelaunayOptions::default()).unwrap();
        sound(&session, name);
        session.weld(x, &cut).unwrap();
        sound(&session, name);
        assert!(session.frozen_faces() > 0, "{name}");
        let now = [Kind::Vertex, Kind::Face].map(|kind| session.count(kind).unwrap());
        assert_eq!(now, [vertices, faces], "{name}");
    }
}

/// Remeshing contracts along the boundary, and moves vertices: welding says so, and changes nothing.
fn refuses_what_has_moved(engine: &Engine) {
    let (mut session, x) = open(engine, &fixtures::book(3, 5));
    let cut = session.cut(x).unwrap().expect("something to cut");
    let options = RemeshOptions::default().with(|o| o.target_length = Some(4.0));
    remesh(&mut session, x, &options).unwrap();
    let before = (session.to_host().unwrap(), triangles(&session, x));
    let told = session.weld(x, &cut).unwrap_err();
    let named = matches!(&told, Error::Options(what) if what.contains("cannot be welded"));
    assert!(named, "{told:?}");
    assert!((session.to_host().unwrap(), triangles(&session, x)) == before);
    sound(&session, "three pages");
    // One of the copies of a vertex moves.
    let (mut session, x) = open(engine, &fixtures::non_manifold_vertex());
    let cut = session.cut(x).unwrap().expect("something to cut");
    let mut values = session.values(x).unwrap().read().unwrap();
    let (v, _) = cut.vertices().find(|(v, home)| v != home).expect("a copy");
    values[v as usize].x += 1.0;
    session.set(x, &values).unwrap();
    let told = session.weld(x, &cut).unwrap_err().to_string();
    assert!(told.contains("has moved"), "{told}");
}
