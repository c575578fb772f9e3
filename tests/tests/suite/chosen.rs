//! Changes of chosen edges on every engine: the connectivity, the outcomes and the bits of the CPU engine.

use glam::Vec3;
use rxmesh_host::algo::chosen::{ChosenColumns, EdgeChange, EdgeOutcome, change_edges};
use rxmesh_host::edit::{HostArrays, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};

conformance! { edges_are_changed_as_on_the_cpu_engine, rounds_are_limited, other_edges_are_refused }

/// Mesh after some changes, and their outcomes.
#[derive(Debug, PartialEq)]
struct ChangedMesh {
    arrays: HostArrays,
    mesh: TriMesh,
    outcomes: Vec<Vec<EdgeOutcome>>,
}

fn meshes(engine: &Engine) -> [TriMesh; 2] {
    let [levels, n] = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => [1, 4],
        (false, true) => [2, 8],
        _ => [4, 40],
    };
    let mut ball = generate::icosphere(levels).unwrap();
    generate::noise(&mut ball, 0.1, 3).unwrap();
    [ball, generate::grid(n, n).unwrap()]
}

/// Changes every `step`th edge in several ways, one after the other.
fn change(engine: &Engine, mesh: &TriMesh, step: usize, max_rounds: u32) -> ChangedMesh {
    let options = PatchOptions::default().with(|o| o.patch_size = 64);
    let rx = RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    let columns = ChosenColumns::new(&mut session).unwrap();
    let mut all = Vec::new();
    for how in [
        EdgeChange::Flip,
        EdgeChange::Split,
        EdgeChange::Collapse,
        EdgeChange::Flip,
    ] {
        let ends = session.to_host().unwrap().ev;
        let live = (0..).zip(ends.as_chunks::<2>().0);
        let live = live.filter(|(_, ends)| ends[0] != u32::MAX).step_by(step);
        let chosen: Vec<u32> = live.map(|(edge, _)| edge).collect();
        let changed = change_edges(&mut session, x, columns, how, &chosen, max_rounds);
        let (report, outcomes) = changed.unwrap();
        let done = outcomes.iter().filter(|o| **o == EdgeOutcome::Done).count();
        assert_eq!(done as u64, report.done, "{how:?}");
        assert_eq!(outcomes.len(), chosen.len());
        let wrong = session.validate().unwrap();
        assert!(wrong.is_empty(), "{how:?}: {wrong:?}");
        all.push(outcomes);
    }
    ChangedMesh {
        arrays: session.to_host().unwrap(),
        mesh: session.to_mesh(x).unwrap().0,
        outcomes: all,
    }
}

fn edges_are_changed_as_on_the_cpu_engine(engine: &Engine) {
    for mesh in meshes(engine) {
        for step in [1, 3] {
            let here = change(engine, &mesh, step, u32::MAX);
            let there = change(&Engine::cpu(), &mesh, step, u32::MAX);
            assert_eq!(here.outcomes, there.outcomes);
            assert_eq!(here.mesh, there.mesh);
            assert_eq!(here.arrays.ev, there.arrays.ev);
            let [flips, splits, collapses, _] = &here.outcomes[..] else {
                panic!("four changes");
            };
            let has = |all: &[EdgeOutcome], what| all.contains(&what);
            assert!(has(flips, EdgeOutcome::Done) && !has(flips, EdgeOutcome::Conflict));
            assert!(splits.iter().all(|o| *o == EdgeOutcome::Done));
            assert!(has(collapses, EdgeOutcome::Done));
        }
    }
}

fn rounds_are_limited(engine: &Engine) {
    let [ball, _] = meshes(engine);
    let one = change(engine, &ball, 1, 1);
    assert_eq!(one.outcomes, change(&Engine::cpu(), &ball, 1, 1).outcomes);
    for outcomes in &one.outcomes {
        assert!(outcomes.contains(&EdgeOutcome::Conflict));
        assert!(outcomes.contains(&EdgeOutcome::Done));
    }
    let none = change(engine, &ball, 1, 0);
    let none = none.outcomes.iter().flatten();
    assert!(none.clone().count() > 0);
    assert!(none.copied().all(|o| o == EdgeOutcome::Conflict));
}

/// No edge of a tetrahedron can be flipped or contracted, and none of a single triangle.
fn other_edges_are_refused(engine: &Engine) {
    let corners = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
    for faces in [&corners[..], &corners[..1]] {
        let options = PatchOptions::default();
        let rx = RxMesh::new(engine, 4, faces, &options).unwrap();
        let places = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let x = rx.attribute_from::<Vertex, Vec3>(&places).unwrap();
        let mut session = Session::open(&rx).unwrap();
        let x = session.attach(&x).unwrap();
        let columns = ChosenColumns::new(&mut session).unwrap();
        let ends = session.to_host().unwrap().ev;
        let live = (0..).zip(ends.as_chunks::<2>().0);
        let live = live.filter(|(_, ends)| ends[0] != u32::MAX);
        let edges: Vec<u32> = live.map(|(edge, _)| edge).collect();
        assert!(edges.len() >= 3);
        for how in [EdgeChange::Flip, EdgeChange::Collapse] {
            let changed = change_edges(&mut session, x, columns, how, &edges, u32::MAX);
            let (report, outcomes) = changed.unwrap();
            assert_eq!(report.done, 0);
            assert!(outcomes.iter().all(|o| *o == EdgeOutcome::Refused));
        }
        let beyond = session.capacity(rxmesh_host::kernels::topo::Kind::Edge);
        let how = EdgeChange::Split;
        assert!(change_edges(&mut session, x, columns, how, &[beyond], 1).is_err());
    }
}
