//! Sessions that are opened on arrays: the same mesh as one from patches, on every engine, and an equally good starting
//! point for operators.

use crate::construction::{each_soup, foreign};
use crate::simplify::{self, bumpy};
use rxmesh_host::algo::simplify::{self as algo, End, SimplifyOptions, Target};
use rxmesh_host::edit::{Column, Session};
use rxmesh_host::engine::{Engine, EngineError, Foreign};
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::{PatchError, PatchOptions};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_host::{Error, Vec3};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::suited;
use rxmesh_tests::oracle::Oracle;

conformance! {
    fixtures, random_soups, a_fan_beside_a_face_that_is_not_found, bad_arrays_are_refused,
    memory_that_is_not_there_is_told, simplifies_as_from_patches, arrays_of_somebody_else
}

fn open(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> (Session, Column<Vertex, Vec3>) {
    let faces = engine.upload(&mesh.faces).unwrap();
    let positions = engine.upload(&mesh.positions).unwrap();
    Session::from_engine_arrays(&positions, &faces, patch_size).unwrap()
}

/// Returns `true` for the faces, by their numbers in the input, that are frozen when patches are made first.
fn frozen_by_patches(engine: &Engine, mesh: &TriMesh) -> Vec<bool> {
    let options = PatchOptions::default();
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let arrays = Session::open(&rx).unwrap().to_host().unwrap();
    let set = rx.patch_set().unwrap();
    let mut frozen = vec![false; mesh.face_count()];
    for (&input, &is) in set.face_source.iter().zip(&arrays.frozen) {
        if let Some(face) = frozen.get_mut(input as usize) {
            *face = is;
        }
    }
    frozen
}

/// Checks all invariants of a session that was opened on arrays.
fn check(engine: &Engine, what: &str, mesh: &TriMesh, patch_size: u32) {
    let (session, x) = open(engine, mesh, patch_size);
    assert_eq!(session.validate().unwrap(), [], "{what}");
    let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
    let counts = [Kind::Vertex, Kind::Edge, Kind::Face].map(|k| session.count(k).unwrap() as usize);
    let want = [mesh.vertex_count(), oracle.edges.len(), mesh.face_count()];
    assert_eq!(counts, want, "{what}");
    let (back, vertices) = session.to_mesh(x).unwrap();
    assert_eq!(back.faces, mesh.faces, "{what}");
    assert_eq!(vertices.len(), mesh.vertex_count(), "{what}");
    let bits =
        |x: &[Vec3]| -> Vec<_> { x.iter().map(|p| p.to_array().map(f32::to_bits)).collect() };
    assert_eq!(bits(&back.positions), bits(&mesh.positions), "{what}");
    let arrays = session.to_host().unwrap();
    assert_eq!(arrays.frozen, frozen_by_patches(engine, mesh), "{what}");
    let frozen = arrays.frozen.iter().filter(|&&is| is).count();
    assert_eq!(session.frozen_faces() as usize, frozen, "{what}");
    let labels = session.open_mesh().patches();
    assert!(arrays.fp.iter().all(|&label| label < labels), "{what}");
    let (on_cpu, _) = open(&Engine::cpu(), mesh, patch_size);
    assert_eq!(arrays, on_cpu.to_host().unwrap(), "{what}");
    // Nothing has changed: the patches consist of the input's faces.
    let mut closed = session.close(RepackOptions::default()).unwrap();
    let positions = closed.take(x).unwrap();
    assert_eq!(
        positions.len(),
        closed.mesh.linear_len(Kind::Vertex) as usize
    );
    let set = closed.mesh.patch_set().unwrap();
    assert_eq!(set.validate(mesh.vertex_count(), &mesh.faces), [], "{what}");
}

fn fixtures(engine: &Engine) {
    for fixture in suited(engine) {
        check(engine, &fixture.name, &fixture.mesh, 64);
    }
}

fn soup(vertices: u32, faces: Vec<[u32; 3]>) -> TriMesh {
    let at = |v: u32| Vec3::new(v as f32, (v * v) as f32, 1.0);
    TriMesh {
        positions: (0..vertices).map(at).collect(),
        faces,
        ..TriMesh::default()
    }
}

fn random_soups(engine: &Engine) {
    each_soup(engine, |vertices, faces, patch_size| {
        check(engine, "a soup", &soup(vertices, faces), patch_size);
    });
}

/// Vertex 13 has two faces that share no edge. A side of the first has another face too, and a walk around the vertex
/// that continued in that one visited as many faces as the vertex has.
fn a_fan_beside_a_face_that_is_not_found(engine: &Engine) {
    let faces = vec![[0, 0, 34], [0, 34, 26], [26, 13, 34], [1, 2, 13]];
    let mesh = soup(44, faces);
    check(engine, "two fans", &mesh, 22);
    assert_eq!(open(engine, &mesh, 22).0.frozen_faces(), 4);
}

fn bad_arrays_are_refused(engine: &Engine) {
    let positions = engine.upload(&[Vec3::ZERO; 4]).unwrap();
    let faces = engine.upload(&[[0, 1, 2], [2, 1, 3], [1, 9, 4]]).unwrap();
    let got = Session::from_engine_arrays(&positions, &faces, 512).err();
    let index = PatchError::FaceIndex {
        face: 2,
        index: 9,
        vertex_count: 4,
    };
    assert_eq!(got, Some(Error::Patch(index)));
    let faces = engine.upload(&[[0u32, 1, 2]]).unwrap();
    let got = Session::from_engine_arrays(&positions, &faces, 0).err();
    assert_eq!(got, Some(Error::Patch(PatchError::PatchSize(0))));
    // An empty mesh is a mesh too.
    let none = engine.upload::<[u32; 3]>(&[]).unwrap();
    let (session, _) = Session::from_engine_arrays(&positions, &none, 512).unwrap();
    assert_eq!(session.count(Kind::Vertex).unwrap(), 4);
    assert_eq!(session.count(Kind::Face).unwrap(), 0);
}

/// Allocation fails after more and more allocations.
fn memory_that_is_not_there_is_told(engine: &Engine) {
    let mesh = generate::icosphere(1).unwrap();
    let faces = engine.upload(&mesh.faces).unwrap();
    let positions = engine.upload(&mesh.positions).unwrap();
    let mut left = 0;
    loop {
        engine.set_allocations_left(Some(left));
        let session = Session::from_engine_arrays(&positions, &faces, 32);
        engine.set_allocations_left(None);
        match session {
            Ok((session, _)) => {
                assert_eq!(session.validate().unwrap(), []);
                break;
            }
            Err(Error::Engine(EngineError::OutOfMemory { .. })) => left += 1,
            Err(e) => panic!("{left} allocations: {e}"),
        }
    }
    assert!(left > 10, "{left} allocations");
}

/// In the input's order as in that of patches: the target is reached, the result is valid, and about as near to the
/// input.
fn simplifies_as_from_patches(engine: &Engine) {
    let mut mesh = bumpy(engine);
    generate::shuffle(&mut mesh, 7);
    let options = SimplifyOptions::new(Target::Ratio(0.3));
    let (mut session, x) = open(engine, &mesh, 64);
    let report = algo::simplify(&mut session, x, &options).unwrap();
    assert_eq!(session.validate().unwrap(), []);
    assert_eq!(report.end, End::Reached, "{report:?}");
    let (mut patched, y) = simplify::open(engine, &mesh);
    let want = algo::simplify(&mut patched, y, &options).unwrap();
    assert_eq!([report.faces, report.target], [want.faces, want.target]);
    let (got, want) = (report.deviation.unwrap(), want.deviation.unwrap());
    assert!(got < 1.5 * want, "{got} against {want}");
    let closed = session.close(RepackOptions::default()).unwrap();
    assert_eq!(closed.mesh.count(Kind::Face), report.faces);
}

/// Foreign arrays are imported by their addresses.
fn arrays_of_somebody_else(engine: &Engine) {
    let mesh = generate::torus(12, 9, 1.0, 0.4).unwrap();
    let faces = engine.upload(&mesh.faces).unwrap();
    let positions = engine.upload(&mesh.positions).unwrap();
    // A foreign stream is not synchronised with ours: the data must be complete.
    engine.synchronize().unwrap();
    let [f, x] = [foreign(engine, &faces), foreign(engine, &positions)];
    // SAFETY: both arrays live to the end of this function, and nothing writes to them.
    let (session, y) = unsafe { Session::from_device::<Vec3>(engine, x, f, 64) }.unwrap();
    let (want, z) = open(engine, &mesh, 64);
    assert_eq!(session.to_host().unwrap(), want.to_host().unwrap());
    let values = |s: &Session, x| s.values(x).unwrap().read().unwrap();
    assert_eq!(values(&session, y), values(&want, z));
    let none = Foreign { address: 0, ..f };
    // SAFETY: nothing is read at an address that is refused.
    let got = unsafe { Session::from_device::<Vec3>(engine, x, none, 64) };
    assert!(got.is_err());
}
