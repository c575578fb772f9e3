//! Oriented relations on meshes whose vertices all are fans.

use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::rows::{CountRows, WriteRows};
use rxmesh_host::kernels::kernel::Entry;
use rxmesh_host::kernels::query::{OrientedVE, OrientedVF, OrientedVV, Relation};
use rxmesh_host::kernels::topo::{Element, Kind};
use rxmesh_tests::conformance;
use rxmesh_tests::fan::Fan;
use rxmesh_tests::fixtures::{each_mesh, suited};
use rxmesh_tests::ids::InputIds;

conformance! { vv, ve, vf, some_fixtures_qualify }

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

/// The checks above have something to check: open and closed fans, one of high valence.
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
