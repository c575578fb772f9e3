//! Oriented relations on meshes all of whose vertices have fans.

use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::mem::FaultCode;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{OrientedVE, OrientedVF, OrientedVV, Relation, VF, VV};
use rxmesh_host::kernels::topo::{Element, Kind};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::fan::Fan;
use rxmesh_tests::fixtures::{each_mesh, suited};
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::oracle::Oracle;

conformance! {
    vv, ve, vf, some_fixtures_qualify, a_pole_of_very_many_edges, a_patch_of_more_corners_than_16_bits_count
}

fn relation<R: Relation>(engine: &Engine, row: impl Fn(&Fan) -> &[u32])
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    each_mesh(engine, |what, fixture, rx| {
        let Some(fans) = fixture
            .oracle()
            .fans()
            .into_iter()
            .collect::<Option<Vec<Fan>>>()
        else {
            return;
        };
        let rows = rx
            .query::<R>()
            .unwrap_or_else(|e| panic!("{} of {what}: {e}", R::NAME));
        let rows = rows
            .read()
            .unwrap_or_else(|e| panic!("{} of {what}: {e}", R::NAME));
        let ids = InputIds::new(rx, fixture.oracle());
        for (linear, &v) in ids
            .all(Kind::Vertex)
            .iter()
            .enumerate()
            .filter(|(_, v)| **v != u32::MAX)
        {
            let got: Vec<u32> = rows
                .row(linear)
                .iter()
                .map(|&x| ids.input(R::Target::KIND, x))
                .collect();
            let fan = &fans[v as usize];
            let mut want = row(fan).to_vec();
            if let (true, Some(first)) = (fan.closed, got.first()) {
                // A closed fan may start anywhere.
                let at = want.iter().position(|x| x == first).unwrap_or(0);
                want.rotate_left(at);
            }
            assert_eq!(got, want, "{} of {what}: vertex {v}", R::NAME);
        }
    });
}

fn vv(engine: &Engine) {
    relation::<OrientedVV>(engine, |fan| &fan.vertices);
}

fn ve(engine: &Engine) {
    relation::<OrientedVE>(engine, |fan| &fan.edges);
}

fn vf(engine: &Engine) {
    relation::<OrientedVF>(engine, |fan| &fan.faces);
}

/// The checks above cover open and closed fans, and one of high valence.
fn some_fixtures_qualify(engine: &Engine) {
    let fans = |f: &&rxmesh_tests::fixtures::Fixture| f.oracle().fans().iter().all(Option::is_some);
    let names: Vec<&str> = suited(engine)
        .filter(fans)
        .map(|f| f.name.as_str())
        .collect();
    for name in [
        "empty",
        "no faces",
        "one triangle",
        "tetrahedron",
        "small torus",
        "small grid",
        "fan of 30",
        "open fan",
    ] {
        assert!(
            names.contains(&name),
            "{name} is not made of fans, but {names:?} are"
        );
    }
}

/// A vertex of a valence at which quadratic steps would not end, in a patch that nearly fills a GPU's shared memory.
/// Relations whose rows are sorted have that row too.
fn a_pole_of_very_many_edges(engine: &Engine) {
    let n: u32 = match engine.name().as_str() {
        "cpu" => 16_000,
        "shuffled" => 2000,
        "cuda" => 9000,
        _ => 150,
    };
    // An open fan, whose faces come in a mixed order.
    let mut faces: Vec<[u32; 3]> = (1..=n).map(|i| [0, i, i + 1]).collect();
    let mut state = 1u32;
    for i in (1..faces.len()).rev() {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        faces.swap(i, (state >> 8) as usize % (i + 1));
    }
    let rx = RxMesh::new(engine, n as usize + 2, &faces, &PatchOptions::default()).unwrap();
    let pole = rx
        .patch_set()
        .unwrap()
        .vertex_source
        .iter()
        .position(|&v| v == 0);
    let pole = pole.unwrap();
    let ids = InputIds::new(&rx, &Oracle::new(n as usize + 2, &faces));
    let ring: Vec<u32> = (1..=n + 1).collect();
    let row = rx.query::<OrientedVV>().unwrap().read().unwrap();
    let row: Vec<u32> = row
        .row(pole)
        .iter()
        .map(|&x| ids.input(Kind::Vertex, x))
        .collect();
    assert!(row == ring, "oriented VV");
    let row = rx.query::<OrientedVF>().unwrap().read().unwrap();
    let row = row
        .row(pole)
        .iter()
        .map(|&x| faces[ids.input(Kind::Face, x) as usize]);
    assert!(row.eq((1..=n).map(|i| [0, i, i + 1])), "oriented VF");
    let rows = rx.query::<VV>().unwrap().read().unwrap();
    let mut row: Vec<u32> = rows
        .row(pole)
        .iter()
        .map(|&x| ids.input(Kind::Vertex, x))
        .collect();
    row.sort_unstable();
    assert!(row == ring, "VV");
    let rows = rx.query::<VF>().unwrap().read().unwrap();
    let mut row: Vec<u32> = rows
        .row(pole)
        .iter()
        .map(|&x| ids.input(Kind::Face, x))
        .collect();
    row.sort_unstable();
    assert!(row == (0..n).collect::<Vec<_>>(), "VF");
}

/// Triplicate faces form no fans, even in a patch of only these that is too large for short slots.
fn a_patch_of_more_corners_than_16_bits_count(engine: &Engine) {
    let n: u32 = if engine.name() == "cpu" { 8000 } else { 40 };
    let faces: Vec<[u32; 3]> = (0..3 * n).map(|i| [0, 1 + i % n, 2 + i % n]).collect();
    let rx = RxMesh::new(engine, n as usize + 2, &faces, &PatchOptions::default()).unwrap();
    let largest = rx.headers().iter().map(|h| h.total[2]).max().unwrap();
    assert!(engine.name() != "cpu" || 3 * u32::from(largest) > u32::from(u16::MAX));
    match rx.query::<OrientedVV>().and_then(|rows| Ok(rows.read()?)) {
        Err(Error::Engine(EngineError::Fault {
            code: Some(FaultCode::NotOrientable),
            ..
        })) => {}
        other => panic!("{:?}", other.map(|rows| rows.values.len())),
    }
}
