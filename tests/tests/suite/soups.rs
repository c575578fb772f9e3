//! Random face soups: repeated vertices, duplicate faces, edges with many faces. Every query against the oracles.

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use rxmesh_host::Error;
use rxmesh_host::algo::{boundary, kring};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::mem::FaultCode;
use rxmesh_host::kernels::query::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::query::{
    EEThroughFaces, EF, EV, FE, FF, FV, OrientedVV, Relation, VE, VF, VV,
};
use rxmesh_host::kernels::topo::{Element, Kind};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::engines::{Subject, run};
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::oracle::{Oracle, Sets};

#[derive(Clone, Debug)]
struct Soup {
    vertices: u32,
    faces: Vec<[u32; 3]>,
    patch_size: u32,
    seed: u64,
    slack: bool,
}

fn soups() -> impl Strategy<Value = Soup> {
    let shapes = (1..60u32, 0..120usize, 3..40u32, any::<u64>(), any::<bool>());
    shapes.prop_flat_map(|(vertices, n, patch_size, seed, slack)| {
        let face = [0..vertices, 0..vertices, 0..vertices];
        // Some faces are duplicates, in another order of corners.
        (
            proptest::collection::vec(face, n),
            proptest::collection::vec((any::<prop::sample::Index>(), 0..3usize), 0..8),
        )
            .prop_map(move |(mut faces, again)| {
                for (which, turn) in again.iter().filter(|_| n > 0) {
                    let mut face = *which.get(&faces);
                    face.rotate_left(*turn);
                    faces.push(face);
                }
                Soup {
                    vertices,
                    faces,
                    patch_size,
                    seed,
                    slack,
                }
            })
    })
}

fn same(name: &str, got: &[u32], want: &[u32], of: u32) -> Result<(), TestCaseError> {
    prop_assert_eq!(got, want, "{} of {}", name, of);
    Ok(())
}

fn relation<R: Relation>(
    rx: &RxMesh,
    ids: &InputIds,
    want: &Sets,
    ordered: bool,
) -> Result<(), TestCaseError>
where
    CountRows<R>: Entry,
    WriteRows<R>: Entry,
{
    let rows = rx.query::<R>().unwrap().read().unwrap();
    for (linear, &id) in ids
        .all(R::Source::KIND)
        .iter()
        .enumerate()
        .filter(|(_, id)| **id != u32::MAX)
    {
        let mut row: Vec<u32> = rows
            .row(linear)
            .iter()
            .map(|&x| ids.input(R::Target::KIND, x))
            .collect();
        if !ordered {
            row.sort_unstable();
        }
        same(R::NAME, &row, &want[id as usize], id)?;
    }
    Ok(())
}

fn check(engine: &Engine, soup: &Soup) -> Result<(), TestCaseError> {
    let growth = if soup.slack { 1.3 } else { 1.0 };
    let options = PatchOptions::default().with(|o| {
        o.patch_size = soup.patch_size;
        o.seed = soup.seed;
        o.growth = growth;
    });
    let rx = RxMesh::new(engine, soup.vertices as usize, &soup.faces, &options).unwrap();
    prop_assert_eq!(
        rx.patch_set()
            .unwrap()
            .validate(soup.vertices as usize, &soup.faces),
        vec![]
    );
    let oracle = Oracle::new(soup.vertices as usize, &soup.faces);
    prop_assert_eq!(rx.count(Kind::Edge) as usize, oracle.edges.len());
    let ids = InputIds::new(&rx, &oracle);
    relation::<VV>(&rx, &ids, &oracle.vv(), false)?;
    relation::<VE>(&rx, &ids, &oracle.ve(), false)?;
    relation::<VF>(&rx, &ids, &oracle.vf(), false)?;
    relation::<EV>(&rx, &ids, &oracle.ev(), true)?;
    relation::<EF>(&rx, &ids, &oracle.ef(), false)?;
    relation::<EEThroughFaces>(&rx, &ids, &oracle.ee(), false)?;
    relation::<FV>(&rx, &ids, &oracle.fv(), true)?;
    relation::<FE>(&rx, &ids, &oracle.fe(), true)?;
    relation::<FF>(&rx, &ids, &oracle.ff(), false)?;
    prop_assert_eq!(
        boundary::vertices(&rx).unwrap().to_input(&rx).unwrap(),
        oracle.boundary_vertices()
    );
    prop_assert_eq!(
        boundary::faces(&rx).unwrap().to_input(&rx).unwrap(),
        oracle.boundary_faces()
    );
    let (rings, want) = (
        kring::k_ring(&rx, 2).unwrap().read().unwrap(),
        oracle.rings(2),
    );
    for (linear, &v) in ids
        .all(Kind::Vertex)
        .iter()
        .enumerate()
        .filter(|(_, v)| **v != u32::MAX)
    {
        let mut row: Vec<u32> = rings
            .row(linear)
            .iter()
            .map(|&w| ids.input(Kind::Vertex, w))
            .collect();
        row.sort_unstable();
        same("2-ring", &row, &want[v as usize], v)?;
    }
    oriented(&rx, &oracle)
}

/// Checks that every vertex has a fan, or one that has not is named.
fn oriented(rx: &RxMesh, oracle: &Oracle) -> Result<(), TestCaseError> {
    let fans = oracle.fans();
    match rx.query::<OrientedVV>() {
        Ok(_) => prop_assert!(
            fans.iter().all(Option::is_some),
            "oriented VV of vertices that are no fans"
        ),
        Err(Error::Engine(EngineError::Fault {
            code: Some(FaultCode::NotOrientable),
            details: [v, _],
            ..
        })) => {
            let v = rx.patch_set().unwrap().vertex_source[v as usize];
            prop_assert!(fans[v as usize].is_none(), "vertex {} is a fan", v);
        }
        Err(other) => panic!("{other}"),
    }
    Ok(())
}

fn all(subject: Subject, cases: u32) {
    run(subject, &|engine| {
        let config = Config {
            cases,
            failure_persistence: None,
            ..Config::default()
        };
        TestRunner::new(config)
            .run(&soups(), |soup| check(engine, &soup))
            .unwrap_or_else(|e| panic!("{e}"));
    });
}

#[test]
fn solo() {
    all(Subject::Solo, 256);
}

#[test]
fn shuffled() {
    all(Subject::Shuffled, 256);
}

#[test]
fn team3() {
    all(Subject::Team(3), 6);
}

#[test]
fn cuda() {
    all(Subject::Cuda, 64);
}
