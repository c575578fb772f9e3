//! Changes of chosen edges on every engine: the connectivity, the outcomes and the bits of the CPU engine.

use glam::Vec3;
use rxmesh_host::algo::chosen::{
    ChosenColumns, ChosenOutcome, EdgeChange, change_edges, change_flagged_edges,
};
use rxmesh_host::edit::{HostArrays, Session};
use rxmesh_host::engine::{Engine, Foreign};
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{TriMesh, generate};
use rxmesh_host::parallel::convert::ForeignList;
use rxmesh_host::parallel::flags;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};

conformance! {
    edges_are_changed_as_on_the_cpu_engine, rounds_are_limited, other_edges_are_refused,
    flagged_edges_are_changed_like_listed_ones, masks_and_indices_become_flags
}

/// Mesh after some changes, and their outcomes.
#[derive(Debug, PartialEq)]
struct ChangedMesh {
    arrays: HostArrays,
    mesh: TriMesh,
    outcomes: Vec<Vec<ChosenOutcome>>,
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
        let done = outcomes
            .iter()
            .filter(|o| **o == ChosenOutcome::Done)
            .count();
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
            let has = |all: &[ChosenOutcome], what| all.contains(&what);
            assert!(has(flips, ChosenOutcome::Done) && !has(flips, ChosenOutcome::Conflict));
            assert!(splits.iter().all(|o| *o == ChosenOutcome::Done));
            assert!(has(collapses, ChosenOutcome::Done));
        }
    }
}

fn rounds_are_limited(engine: &Engine) {
    let [ball, _] = meshes(engine);
    let one = change(engine, &ball, 1, 1);
    assert_eq!(one.outcomes, change(&Engine::cpu(), &ball, 1, 1).outcomes);
    for outcomes in &one.outcomes {
        assert!(outcomes.contains(&ChosenOutcome::Conflict));
        assert!(outcomes.contains(&ChosenOutcome::Done));
    }
    let none = change(engine, &ball, 1, 0);
    let none = none.outcomes.iter().flatten();
    assert!(none.clone().count() > 0);
    assert!(none.copied().all(|o| o == ChosenOutcome::Conflict));
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
            assert!(outcomes.iter().all(|o| *o == ChosenOutcome::Refused));
        }
        let beyond = session.capacity(rxmesh_host::kernels::topo::Kind::Edge);
        let how = EdgeChange::Split;
        assert!(change_edges(&mut session, x, columns, how, &[beyond], 1).is_err());
    }
}

fn flagged_edges_are_changed_like_listed_ones(engine: &Engine) {
    for mesh in meshes(engine) {
        let positions = engine.upload(&mesh.positions).unwrap();
        let faces = engine.upload(&mesh.faces).unwrap();
        let open = || Session::from_engine_arrays::<Vec3>(&positions, &faces, 64).unwrap();
        let ((mut listed, x), (mut flagged, y)) = (open(), open());
        let of_listed = ChosenColumns::new(&mut listed).unwrap();
        let of_flagged = ChosenColumns::new(&mut flagged).unwrap();
        for (how, step, rounds) in [
            (EdgeChange::Flip, 2, u32::MAX),
            (EdgeChange::Split, 3, u32::MAX),
            (EdgeChange::Collapse, 1, u32::MAX),
            (EdgeChange::Collapse, 1, 1),
        ] {
            let ends = listed.to_host().unwrap().ev;
            let live = (0..).zip(ends.as_chunks::<2>().0);
            let live = live.filter(|(_, ends)| ends[0] != u32::MAX);
            let slots: Vec<u32> = live.map(|(slot, _)| slot).collect();
            let flags: Vec<u32> = (0..slots.len()).map(|i| u32::from(i % step == 0)).collect();
            let chosen: Vec<u32> = slots.into_iter().step_by(step).collect();
            let changed = change_edges(&mut listed, x, of_listed, how, &chosen, rounds).unwrap();
            let flags = engine.upload(&flags).unwrap();
            let (report, outcomes) =
                change_flagged_edges(&mut flagged, y, of_flagged, how, &flags, rounds).unwrap();
            assert_eq!(report.rounds, changed.0.rounds);
            let count = |wanted| changed.1.iter().filter(|o| **o == wanted).count() as u64;
            assert_eq!(outcomes.asked, chosen.len() as u64);
            assert_eq!(outcomes.done, count(ChosenOutcome::Done));
            assert_eq!(outcomes.refused, count(ChosenOutcome::Refused));
            let done = outcomes.changed.read().unwrap();
            let done = done.into_iter().step_by(step);
            let expected = changed
                .1
                .iter()
                .map(|o| u32::from(*o == ChosenOutcome::Done));
            assert!(done.eq(expected), "{how:?}");
            let (shape, _) = listed.to_mesh(x).unwrap();
            assert_eq!(
                flagged.to_engine_values(y).unwrap().read().unwrap(),
                shape.positions
            );
            assert_eq!(
                flagged.to_engine_faces().unwrap().read().unwrap(),
                shape.faces
            );
            let edges = flagged.to_engine_edges().unwrap();
            assert_eq!(edges.len() as u32, flagged.live_count(Kind::Edge).unwrap());
            assert_eq!(edges.len() as u32, listed.count(Kind::Edge).unwrap());
        }
        let none = engine.zeroed::<u32>(1).unwrap();
        let how = EdgeChange::Split;
        assert!(change_flagged_edges(&mut flagged, y, of_flagged, how, &none, 1).is_err());
    }
}

/// Arrays of the engine stand for those of another library.
fn masks_and_indices_become_flags(engine: &Engine) {
    let most = if is_very_slow(engine) { 50 } else { 5000 };
    for count in [0u32, 1, 5, most] {
        let wanted: Vec<u32> = (0..count).map(|i| u32::from(i % 3 == 1)).collect();
        let mask: Vec<u8> = wanted.iter().map(|&flag| flag as u8).collect();
        // Each one is named twice.
        let chosen = (0..2 * count).map(|i| u64::from(i % count));
        let chosen: Vec<u64> = chosen.filter(|i| i % 3 == 1).collect();
        let (mask, chosen) = (
            engine.upload(&mask).unwrap(),
            engine.upload(&chosen).unwrap(),
        );
        let array = |address: usize, len| Foreign {
            address: address as u64,
            len,
            stream: engine.stream(),
        };
        // An array without values is nowhere.
        let address = match count {
            0 => 0,
            _ => engine.address(mask.global_mut()).unwrap(),
        };
        let there = array(address, mask.len());
        // SAFETY: the buffer lives, and no launch writes it.
        let flags = unsafe { flags::of_mask(engine, there) }.unwrap();
        assert_eq!(flags.read().unwrap(), wanted);
        let back = flags::to_mask(&flags).unwrap().read().unwrap();
        let bytes: &[u8] = bytemuck::cast_slice(&back);
        assert_eq!(bytes[..count as usize], mask.read().unwrap());
        if !chosen.is_empty() {
            let address = engine.address(chosen.global_mut()).unwrap();
            let there = array(address, chosen.len());
            let list = ForeignList::new(there, 8, 8).unwrap();
            // SAFETY: as above.
            let flags = unsafe { flags::of_indices(engine, list, count as usize) }.unwrap();
            assert_eq!(flags.unwrap().read().unwrap(), wanted);
            // SAFETY: as above.
            let wrong = unsafe { flags::of_indices(engine, list, 1) }.unwrap();
            assert_eq!(wrong.unwrap_err().at, 0);
        }
    }
}
