//! Prepared relations: the rows are those that are computed on the fly, and kernels give the same results with either.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::algo::laplacian::SmoothUniform;
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::mem::FaultCode;
use rxmesh_host::kernels::query::prepare::WritePrepared;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    Corners, Diamond, EEThroughFaces, EF, EV, FE, FF, FV, OrientedVV, Relation, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Element, Kind, PatchHeader, Vertex};
use rxmesh_host::store::{Attribute, HostRows, RelationChoice, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{self, Fixture, each_mesh};
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::launch::LaunchPatches;

conformance! { rows, corners, choices, relations_that_are_stored, release, a_fault_leaves_nothing }

/// Writes the rows from the prepared relation over other values, and compares.
fn same_rows<R: Relation>(rx: &RxMesh, what: &str)
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
    WritePrepared<R>: Entry,
{
    let rows = rx.query::<R>().unwrap();
    let want = rows.read().unwrap();
    if let Err(Error::TooLarge { .. }) = rx.prepare::<R>() {
        assert!(
            largest_table::<R>(rx, &want) > 65_535,
            "{} of {what}",
            R::NAME
        );
        return;
    }
    let again = rx.allocate_rows::<R>().unwrap();
    rx.query_into(&again).unwrap();
    let blank = vec![7u32; again.values().len()];
    let mut values = rx.engine().upload(&blank).unwrap();
    rx.launch(WritePrepared::<R> {
        starts: again.starts().global(),
        values: values.global_mut(),
        relation: rx.prepare().unwrap(),
    })
    .unwrap();
    rx.engine().synchronize().unwrap();
    let got = values.read().unwrap();
    values.write(&blank).unwrap();
    // Slack rows are not written.
    for (at, (got, want)) in got.iter().zip(&want.values).enumerate() {
        assert!(
            got == want || (*want == u32::MAX && *got == 7),
            "{} of {what}: {got} instead of {want} at {at}",
            R::NAME
        );
    }
    rx.query_prepared_into(&again).unwrap();
    assert_eq!(again.read().unwrap(), want, "{} of {what}", R::NAME);
}

/// Returns the number of entries in the owned rows of the patch with the most.
fn largest_table<R: Relation>(rx: &RxMesh, rows: &HostRows) -> u32 {
    let kind = R::Source::KIND as usize;
    let owned = |h: &PatchHeader| {
        let first = h.base[kind] as usize;
        rows.starts[first + usize::from(h.owned[kind])] - rows.starts[first]
    };
    rx.headers().iter().map(owned).max().unwrap_or(0)
}

fn rows(engine: &Engine) {
    each_mesh(engine, |what, _, rx| {
        same_rows::<VV>(rx, what);
        same_rows::<VE>(rx, what);
        same_rows::<VF>(rx, what);
        same_rows::<EF>(rx, what);
        same_rows::<EEThroughFaces>(rx, what);
        same_rows::<FV>(rx, what);
        same_rows::<FF>(rx, what);
        same_rows::<Diamond>(rx, what);
        same_rows::<Corners>(rx, what);
    });
    let f = Fixture::new("torus", fixtures::torus(8, 8));
    same_rows::<OrientedVV>(&f.on(engine, 16), "torus");
}

/// Compares the rows of `Corners` with the faces.
fn corners(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let ids = InputIds::new(rx, fixture.oracle());
        let rows = rx.query::<Corners>().unwrap().read().unwrap();
        let vf = fixture.oracle().vf();
        for (linear, &v) in ids.all(Kind::Vertex).iter().enumerate() {
            if v == u32::MAX {
                continue;
            }
            let mut want: Vec<[u32; 2]> = vf[v as usize]
                .iter()
                .map(|&f| {
                    let [a, b, c] = fixture.mesh.faces[f as usize];
                    match v {
                        _ if v == a => [b, c],
                        _ if v == b => [c, a],
                        _ => [a, b],
                    }
                })
                .collect();
            let mut got: Vec<[u32; 2]> = rows
                .row(linear)
                .chunks(2)
                .map(|c| [c[0], c[1]].map(|x| ids.input(Kind::Vertex, x)))
                .collect();
            want.sort_unstable();
            got.sort_unstable();
            assert_eq!(got, want, "corners of {what}: vertex {v}");
        }
    });
}

fn smoothed(rx: &RxMesh, x: &[Vec3], run: impl Fn(SmoothUniform)) -> Vec<Vec3> {
    let x: Attribute<Vertex, Vec3> = rx.attribute_from(x).unwrap();
    let fixed = rx.attribute().unwrap();
    let mut y = rx.attribute().unwrap();
    run(SmoothUniform {
        x: x.staged().unwrap(),
        fixed: fixed.read().unwrap(),
        y: y.write().unwrap(),
        factor: 0.5,
    });
    y.to_input(rx).unwrap()
}

/// A kernel gives the same bits with either; the automatic choice prepares at the third run.
fn choices(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let x = &fixture.mesh.positions;
        let want = smoothed(rx, x, |k| rx.run(k).unwrap());
        assert!(rx.prepared_sizes().is_empty(), "{what}");
        for run in 1..=4 {
            let got = smoothed(rx, x, |k| rx.run_for_each(k).unwrap());
            assert_eq!(got, want, "{what}: run {run}");
            let names: Vec<_> = rx.prepared_sizes().iter().map(|s| s.relation).collect();
            let prepared: &[&str] = if run < 3 { &[] } else { &["VV"] };
            assert_eq!(names, prepared, "{what}: run {run}");
        }
    });
    let f = Fixture::new("torus", fixtures::torus(8, 8));
    let x = &f.mesh.positions;
    let rx = f.on(engine, 16);
    rx.set_relation_choice(RelationChoice::OnTheFly);
    for _ in 0..5 {
        smoothed(&rx, x, |k| rx.run_for_each(k).unwrap());
    }
    assert!(rx.prepared_sizes().is_empty());
    rx.set_relation_choice(RelationChoice::Prepared);
    smoothed(&rx, x, |k| rx.run_for_each(k).unwrap());
    let sizes = rx.prepared_sizes();
    // Six neighbours and the end of a row per vertex, 2 bytes each, and one word per patch.
    assert_eq!(sizes[0].relation, "VV");
    assert!(
        sizes[0].bytes >= 64 * 14 && sizes[0].bytes <= 64 * 14 + 32 * rx.headers().len(),
        "{sizes:?}"
    );
}

/// EV and FE have no tables: the patches store them.
fn relations_that_are_stored(engine: &Engine) {
    let rx = Fixture::new("torus", fixtures::torus(8, 8)).on(engine, 16);
    assert!(rx.prepare::<EV>().unwrap().is_empty());
    assert!(rx.prepare::<FE>().unwrap().is_empty());
}

fn release(engine: &Engine) {
    let f = Fixture::new("torus", fixtures::torus(8, 8));
    let mut rx = f.on(engine, 16);
    let rows = rx.query::<VV>().unwrap();
    let old = rx.prepare::<VV>().unwrap();
    rx.release_prepared();
    assert!(rx.prepared_sizes().is_empty());
    // A released table is refused, not read.
    let stale = rx.launch(WritePrepared::<VV> {
        starts: rows.starts().global(),
        values: rows.values().global_mut(),
        relation: old,
    });
    assert!(
        matches!(stale, Err(EngineError::NotLive { .. })),
        "{stale:?}"
    );
    rx.query_prepared_into(&rows).unwrap();
}

/// A relation that cannot be computed is an error, each time.
fn a_fault_leaves_nothing(engine: &Engine) {
    let f = Fixture::new("fin", fixtures::fin(false));
    let rx = f.on(engine, 16);
    for _ in 0..2 {
        let got = rx.prepare::<OrientedVV>();
        let fault = matches!(
            &got,
            Err(Error::Engine(EngineError::Fault {
                code: Some(FaultCode::NotOrientable),
                ..
            }))
        );
        assert!(fault, "{got:?}");
        assert!(rx.prepared_sizes().is_empty());
        engine.synchronize().unwrap();
    }
}
