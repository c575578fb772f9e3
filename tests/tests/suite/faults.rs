//! Faults that kernels report as errors; the engine works afterwards.

use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::mem::FaultCode;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{OrientedVE, OrientedVF, OrientedVV, Relation, VV};
use rxmesh_host::patch::{PatchError, PatchOptions};
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, Fixture, each_mesh, suited};

conformance! {
    no_fan_no_orientation, the_engine_works_after_a_fault, missing_vertex, patch_sizes_out_of_range,
    too_much_shared_memory
}

/// Returns the vertex that a query's fault names, as an input id.
fn refused<R: Relation>(rx: &RxMesh, what: &str) -> u32
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let error = match rx.query::<R>() {
        Err(e) => e,
        Ok(rows) => rows
            .read()
            .map(|_| ())
            .expect_err(&format!("{} of {what} is refused", R::NAME))
            .into(),
    };
    match error {
        Error::Engine(EngineError::Fault {
            code: Some(FaultCode::NotOrientable),
            details: [vertex, patch],
            ..
        }) => {
            assert!(
                (patch as usize) < rx.headers().len(),
                "{what}: patch {patch}"
            );
            rx.patch_set().unwrap().vertex_source[vertex as usize]
        }
        other => panic!("{} of {what}: {other}", R::NAME),
    }
}

fn no_fan_no_orientation(engine: &Engine) {
    let mut refusals = 0;
    each_mesh(engine, |what, fixture, rx| {
        let fans = fixture.oracle().fans();
        if fans.iter().all(Option::is_some) {
            return;
        }
        for v in [
            refused::<OrientedVV>(rx, what),
            refused::<OrientedVE>(rx, what),
            refused::<OrientedVF>(rx, what),
        ] {
            assert_eq!(fans[v as usize], None, "{what}: vertex {v} is a fan");
        }
        refusals += 1;
    });
    assert!(
        refusals > 10,
        "only {refusals} meshes have a vertex that is not a fan"
    );
}

/// Each vertex without a fan is found when it is the only one: the mesh is its star.
#[test]
fn every_bad_star_is_found() {
    let engine = Engine::cpu();
    for fixture in fixtures::all()
        .iter()
        .filter(|f| f.mesh.face_count() < 1000)
    {
        let oracle = fixture.oracle();
        let rows = oracle.vf();
        for (v, fan) in oracle
            .fans()
            .iter()
            .enumerate()
            .filter(|(_, fan)| fan.is_none())
            .take(40)
        {
            assert_eq!(*fan, None);
            let faces: Vec<[u32; 3]> = rows[v].iter().map(|&f| oracle.faces[f as usize]).collect();
            let rx = RxMesh::new(&engine, oracle.vertices, &faces, &PatchOptions::default())
                .expect("a mesh");
            refused::<OrientedVV>(&rx, &format!("star of {v} in {}", fixture.name));
        }
    }
}

fn the_engine_works_after_a_fault(engine: &Engine) {
    let bad = Fixture::new("two tetrahedra", fixtures::non_manifold_vertex());
    let good = suited(engine)
        .find(|f| f.name == "tetrahedron")
        .expect("a tetrahedron");
    let (bad, good) = (bad.on(engine, 16), good.on(engine, 16));
    for _ in 0..3 {
        assert_eq!(refused::<OrientedVV>(&bad, "two tetrahedra"), 0);
        assert_eq!(engine.synchronize(), Ok(()), "a fault is reported once");
        let rows = good
            .query::<OrientedVV>()
            .expect("a query")
            .read()
            .expect("rows");
        assert_eq!(rows.values.len(), 12);
        assert_eq!(
            bad.query::<VV>()
                .expect("a query")
                .read()
                .expect("rows")
                .values
                .len(),
            24
        );
    }
}

fn missing_vertex(engine: &Engine) {
    let e = RxMesh::new(engine, 3, &[[0, 1, 2], [1, 3, 2]], &PatchOptions::default())
        .expect_err("vertex 3 is missing");
    assert_eq!(
        e,
        Error::Patch(PatchError::FaceIndex {
            face: 1,
            index: 3,
            vertex_count: 3
        })
    );
}

fn patch_sizes_out_of_range(engine: &Engine) {
    for patch_size in [0, 65536] {
        let options = PatchOptions::default().with(|o| {
            o.patch_size = patch_size;
        });
        let e = RxMesh::new(engine, 3, &[[0, 1, 2]], &options).expect_err("no such patch size");
        assert_eq!(e, Error::Patch(PatchError::PatchSize(patch_size)));
    }
}

/// A patch that does not fit a GPU's shared memory is refused before the launch; the CPU has no such limit.
fn too_much_shared_memory(engine: &Engine) {
    if !engine.is_cuda() {
        return;
    }
    let m = rxmesh_host::mesh::generate::grid(90, 90).expect("a grid");
    let options = PatchOptions::default().with(|o| {
        o.patch_size = 20_000;
    });
    let rx = RxMesh::new(engine, m.vertex_count(), &m.faces, &options).expect("one patch");
    match rx.query::<OrientedVV>() {
        Err(Error::Engine(EngineError::SharedMemory {
            needed, available, ..
        })) => assert!(needed > available),
        other => panic!("a patch of 16200 faces: {other:?}"),
    }
}
