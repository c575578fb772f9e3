//! Every relation on every fixture, at every patch size, against naive oracles over the input's ids.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    Diamond, EEThroughFaces, EF, EV, FE, FF, FV, Relation, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Element, Kind};
use rxmesh_host::store::{HostRows, RxMesh};
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::{Fixture, each_mesh};
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::oracle::{Oracle, Sets};

conformance! { vv, ve, vf, ev, ef, ee, fv, fe, ff, diamond, rows_do_not_depend_on_the_engine, rows_are_written_twice }

fn query<R: Relation>(rx: &RxMesh, what: &str) -> HostRows
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = rx
        .query::<R>()
        .unwrap_or_else(|e| panic!("{} of {what}: {e}", R::NAME));
    rows.read()
        .unwrap_or_else(|e| panic!("{} of {what}: {e}", R::NAME))
}

/// Compares all rows with the oracle's: in the same order, or as sets.
fn relation<R: Relation>(engine: &Engine, ordered: bool, oracle: impl Fn(&Oracle) -> Sets)
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    each_mesh(engine, |what, fixture, rx| {
        let want = oracle(fixture.oracle());
        let rows = query::<R>(rx, what);
        let ids = InputIds::new(rx, fixture.oracle());
        let (from, to) = (R::Source::KIND, R::Target::KIND);
        assert_eq!(
            rows.starts.len(),
            rx.linear_len(from) as usize + 1,
            "{} of {what}",
            R::NAME
        );
        let mut seen = 0;
        for (linear, &id) in ids.all(from).iter().enumerate() {
            if id == u32::MAX {
                let nothing = rows.row(linear).iter().all(|&x| x == u32::MAX);
                assert!(nothing, "{} of {what}: slack row {linear}", R::NAME);
                continue;
            }
            let mut row: Vec<u32> = rows.row(linear).iter().map(|&x| ids.input(to, x)).collect();
            if !ordered {
                row.sort_unstable();
            }
            assert_eq!(row, want[id as usize], "{} of {what}: row of {id}", R::NAME);
            seen += 1;
        }
        assert_eq!(seen, want.len(), "{} of {what}: number of rows", R::NAME);
    });
}

fn vv(engine: &Engine) {
    relation::<VV>(engine, false, Oracle::vv);
}

fn ve(engine: &Engine) {
    relation::<VE>(engine, false, Oracle::ve);
}

fn vf(engine: &Engine) {
    relation::<VF>(engine, false, Oracle::vf);
}

fn ev(engine: &Engine) {
    relation::<EV>(engine, true, Oracle::ev);
}

fn ef(engine: &Engine) {
    relation::<EF>(engine, false, Oracle::ef);
}

fn ee(engine: &Engine) {
    relation::<EEThroughFaces>(engine, false, Oracle::ee);
}

fn fv(engine: &Engine) {
    relation::<FV>(engine, true, Oracle::fv);
}

fn fe(engine: &Engine) {
    relation::<FE>(engine, true, Oracle::fe);
}

fn ff(engine: &Engine) {
    relation::<FF>(engine, false, Oracle::ff);
}

fn diamond(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let (oracle, ids) = (fixture.oracle(), InputIds::new(rx, fixture.oracle()));
        let rows = query::<Diamond>(rx, what);
        let ef = oracle.ef();
        let order = |f: u32| rx.patch_set().unwrap().face_linear[f as usize];
        for (linear, &e) in ids
            .all(Kind::Edge)
            .iter()
            .enumerate()
            .filter(|(_, e)| **e != u32::MAX)
        {
            let got: Vec<u32> = rows
                .row(linear)
                .iter()
                .map(|&v| ids.input(Kind::Vertex, v))
                .collect();
            let (mut want, ordered) = oracle.diamond(e, &ef[e as usize], order);
            let [s, a, t, b] = *got else {
                panic!("a diamond has four")
            };
            let got = if ordered {
                [s, a, t, b]
            } else {
                [s, a.min(b), t, a.max(b)]
            };
            if !ordered {
                want = [want[0], want[1].min(want[3]), want[2], want[1].max(want[3])];
            }
            assert_eq!(
                got, want,
                "diamond of {what}: edge {e} {:?}",
                oracle.edges[e as usize]
            );
        }
    });
}

/// Rows are bitwise equal to the CPU engine's (in VV up to the order: a block of one thread leaves it in the order of
/// edges), and equal again on a second run.
fn rows_do_not_depend_on_the_engine(engine: &Engine) {
    fn same<R: Relation>(what: &str, here: &RxMesh, cpu: &RxMesh)
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
    {
        let (first, again) = (query::<R>(here, what), query::<R>(here, what));
        assert_eq!(first, again, "{} of {what}, again", R::NAME);
        let want = query::<R>(cpu, what);
        if R::NAME == "VV" {
            assert_eq!(first.starts, want.starts, "VV of {what}");
        } else {
            assert_eq!(first, want, "{} of {what}", R::NAME);
        }
    }
    let cpu = Engine::cpu();
    let check = |what: &str, fixture: &Fixture, rx: &RxMesh| {
        let other = fixture.on(&cpu, fixture.patch_sizes()[0]);
        same::<VV>(what, rx, &other);
        same::<VE>(what, rx, &other);
        same::<VF>(what, rx, &other);
        same::<EF>(what, rx, &other);
        same::<EEThroughFaces>(what, rx, &other);
        same::<FF>(what, rx, &other);
        same::<Diamond>(what, rx, &other);
    };
    for fixture in rxmesh_tests::fixtures::suited(engine) {
        check(
            &fixture.name,
            fixture,
            &fixture.on(engine, fixture.patch_sizes()[0]),
        );
    }
}

/// Writing into rows that hold an older result gives the same rows.
fn rows_are_written_twice(engine: &Engine) {
    let fixture = rxmesh_tests::fixtures::suited(engine)
        .find(|f| f.name == "small torus")
        .expect("a torus");
    let rx = fixture.on(engine, 16);
    let rows = rx.query::<VF>().expect("a query");
    let first = rows.read().expect("rows");
    rx.query_into(&rows).expect("a query");
    assert_eq!(rows.read().expect("rows"), first);
}
