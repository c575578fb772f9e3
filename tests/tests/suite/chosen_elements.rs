//! Changes of chosen faces and vertices, and deletions, on every engine: against plain code where they do not overlap,
//! and against the bits of the CPU engine where they do.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::chosen::{
    ChosenColumns, ChosenOutcome, FaceChange, SplitColumns, VertexSplit, change_faces,
    delete_elements, remove_vertices, split_vertices,
};
use rxmesh_host::edit::{Column, HostArrays, RunReport, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Edge, Face, Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_tests::cavities::PlainSurface;
use rxmesh_tests::chosen::{ALL, ChosenChange, some_split};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures;
use rxmesh_tests::marked::{check, patched};
use rxmesh_tests::places::triangles;
use std::collections::BTreeSet;

conformance! {
    elements_apart_are_changed_as_by_plain_code, crowded_elements_are_changed_as_on_the_cpu_engine,
    rounds_of_elements_are_limited, kept_edges_hold_faces_and_vertices
}

/// Session with columns for all changes.
struct ChosenSession {
    session: Session,
    x: Column<Vertex, Vec3>,
    edges: ChosenColumns<Edge>,
    faces: ChosenColumns<Face>,
    vertices: ChosenColumns<Vertex>,
    splits: SplitColumns,
}

impl ChosenSession {
    fn open(engine: &Engine, mesh: &TriMesh) -> ChosenSession {
        let rx = patched(engine, mesh, 64);
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
        let mut session = Session::open(&rx).unwrap();
        ChosenSession {
            x: session.attach(&x).unwrap(),
            edges: ChosenColumns::new(&mut session).unwrap(),
            faces: ChosenColumns::new(&mut session).unwrap(),
            vertices: ChosenColumns::new(&mut session).unwrap(),
            splits: SplitColumns::new(&mut session).unwrap(),
            session,
        }
    }

    fn surface(&self) -> (PlainSurface, Vec<Vec3>) {
        let x = self.session.values(self.x).unwrap().read().unwrap();
        (PlainSurface::new(&self.session.to_host().unwrap()), x)
    }

    fn try_run(
        &mut self,
        change: ChosenChange,
        chosen: &[u32],
        splits: &[VertexSplit],
        rounds: u32,
    ) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
        let (s, x) = (&mut self.session, self.x);
        let (faces, vertices) = (self.faces, self.vertices);
        match change {
            ChosenChange::DeleteVertices => delete_elements(s, vertices, chosen, rounds),
            ChosenChange::DeleteEdges => delete_elements(s, self.edges, chosen, rounds),
            ChosenChange::DeleteFaces => delete_elements(s, faces, chosen, rounds),
            ChosenChange::RemoveVertices => remove_vertices(s, vertices, chosen, rounds),
            ChosenChange::SplitVertices => split_vertices(s, x, self.splits, splits, rounds),
            ChosenChange::CollapseFaces => {
                change_faces(s, x, faces, FaceChange::Collapse, chosen, rounds)
            }
            ChosenChange::SplitInThree => {
                change_faces(s, x, faces, FaceChange::SplitInThree, chosen, rounds)
            }
            ChosenChange::SplitInFour => {
                change_faces(s, x, faces, FaceChange::SplitInFour, chosen, rounds)
            }
        }
    }

    fn run(
        &mut self,
        change: ChosenChange,
        chosen: &[u32],
        splits: &[VertexSplit],
        rounds: u32,
    ) -> (RunReport, Vec<ChosenOutcome>) {
        let (report, outcomes) = self.try_run(change, chosen, splits, rounds).unwrap();
        let done = count(&outcomes, ChosenOutcome::Done);
        assert_eq!(done, report.done, "{change:?}: {report:?}");
        (report, outcomes)
    }
}

fn count(outcomes: &[ChosenOutcome], wanted: ChosenOutcome) -> u64 {
    outcomes.iter().filter(|o| **o == wanted).count() as u64
}

/// Moves every vertex, so that no new vertex lies where another one is.
fn jittered(mut mesh: TriMesh, seed: u64) -> TriMesh {
    let mut rng = Rng::new(seed);
    let mut small = || rng.signed_unit() as f32 * 0.02;
    for p in &mut mesh.positions {
        *p += Vec3::new(small(), small(), small());
    }
    mesh
}

fn meshes(engine: &Engine) -> Vec<(&'static str, TriMesh)> {
    let (level, n) = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => (1, 5),
        (false, true) => (2, 8),
        _ => (3, 14),
    };
    let mut pages = fixtures::with_boundary(n, 7);
    let shift = pages.positions.len() as u32;
    let fins = fixtures::non_manifold_edge(3, 4);
    pages.positions.extend(fins.positions);
    let fins = fins.faces.iter().map(|f| f.map(|v| v + shift));
    pages.faces.extend(fins);
    vec![
        ("ball", jittered(generate::icosphere(level).unwrap(), 1)),
        ("sheet", jittered(generate::grid(n, n).unwrap(), 2)),
        ("torus", jittered(fixtures::torus(n, n - 1), 3)),
        ("tetrahedron", fixtures::tetrahedron()),
        ("triangle", fixtures::one_triangle()),
        ("fan", jittered(fixtures::open_fan(9), 4)),
        ("grid and pages", jittered(pages, 5)),
    ]
}

fn elements_apart_are_changed_as_by_plain_code(engine: &Engine) {
    for change in ALL {
        let (mut done, mut impossible) = (0, 0);
        for (name, mesh) in meshes(engine) {
            let what = format!("{change:?}, {name}");
            let mut s = ChosenSession::open(engine, &mesh);
            // The second time beside what the first one has made.
            for _ in 0..2 {
                let (surface, x) = s.surface();
                let mut seeds = change.seeds(&surface);
                seeds.sort_by_key(|&seed| hash(seed));
                let (mut used, mut cavities) = (BTreeSet::new(), Vec::new());
                let (mut chosen, mut splits) = (Vec::new(), Vec::new());
                let (mut made, mut new_vertices) = (Vec::new(), 0);
                let mut others = Vec::new();
                for seed in seeds {
                    let Some(cavity) = change.cavity(&surface, seed) else {
                        others.push(seed);
                        continue;
                    };
                    let reach = surface.reach(&cavity);
                    if !used.is_disjoint(&reach) {
                        continue;
                    }
                    used.extend(reach);
                    let split = some_split(seed, &cavity, &x);
                    let (new, vertices) = change.fill(&surface, seed, &cavity, &split, &x);
                    made.extend(new);
                    new_vertices += vertices;
                    chosen.push(seed);
                    splits.push(split);
                    cavities.push(cavity);
                }
                let before = triangles(&s.session.to_mesh(s.x).unwrap().0);
                if change != ChosenChange::SplitVertices {
                    let (report, outcomes) = s.run(change, &others, &[], u32::MAX);
                    assert!(report.finished, "{what}: {report:?}");
                    let refused = |o: &ChosenOutcome| *o == ChosenOutcome::Refused;
                    assert!(outcomes.iter().all(refused), "{what}: {outcomes:?}");
                    assert_eq!(triangles(&s.session.to_mesh(s.x).unwrap().0), before);
                    impossible += others.len();
                }
                let (report, outcomes) = s.run(change, &chosen, &splits, u32::MAX);
                check(&s.session, &what);
                assert!(report.finished, "{what}: {report:?}");
                let all = count(&outcomes, ChosenOutcome::Done);
                assert_eq!(all, chosen.len() as u64, "{what}: {outcomes:?}");
                let want = surface.refill(&cavities, &made, new_vertices, &x);
                let after = triangles(&s.session.to_mesh(s.x).unwrap().0);
                assert_eq!(after, want.triangles, "{what}");
                assert_eq!(s.session.euler_number().unwrap(), want.euler, "{what}");
                done += chosen.len();
            }
        }
        assert!(done > 10, "{change:?}: {done}");
        assert!(
            impossible > 0 || change == ChosenChange::SplitVertices,
            "{change:?}"
        );
    }
}

/// Mesh after a change, and its outcomes.
#[derive(Debug, PartialEq)]
struct ChangedElements {
    arrays: HostArrays,
    mesh: TriMesh,
    outcomes: Vec<ChosenOutcome>,
    rounds: u32,
}

/// Changes every `step`th element.
fn crowd(
    engine: &Engine,
    mesh: &TriMesh,
    change: ChosenChange,
    step: usize,
    rounds: u32,
) -> ChangedElements {
    let what = format!("{change:?}, {} faces, every {step}th", mesh.face_count());
    let mut s = ChosenSession::open(engine, mesh);
    let (surface, x) = s.surface();
    let mut chosen: Vec<u32> = change.seeds(&surface).into_iter().step_by(step).collect();
    let mut splits = Vec::new();
    if change == ChosenChange::SplitVertices {
        chosen.retain(|&v| change.cavity(&surface, v).is_some());
        for &v in &chosen {
            splits.extend(change.cavity(&surface, v).map(|c| some_split(v, &c, &x)));
        }
    }
    let counts = |s: &ChosenSession| {
        [Kind::Vertex, Kind::Face].map(|kind| i64::from(s.session.count(kind).unwrap()))
    };
    let (before, euler) = (counts(&s), s.session.euler_number().unwrap());
    let (report, outcomes) = s.run(change, &chosen, &splits, rounds);
    check(&s.session, &what);
    let (after, done) = (counts(&s), report.done as i64);
    let (vertices, faces) = (after[0] - before[0], after[1] - before[1]);
    let deletes = matches!(
        change,
        ChosenChange::DeleteVertices | ChosenChange::DeleteEdges | ChosenChange::DeleteFaces
    );
    assert!(
        deletes || s.session.euler_number().unwrap() == euler,
        "{what}"
    );
    let expected = match change {
        ChosenChange::DeleteVertices | ChosenChange::RemoveVertices => -done,
        ChosenChange::DeleteEdges | ChosenChange::DeleteFaces => 0,
        ChosenChange::SplitVertices | ChosenChange::SplitInThree => done,
        ChosenChange::CollapseFaces => -2 * done,
        ChosenChange::SplitInFour => 3 * done,
    };
    assert_eq!(vertices, expected, "{what}");
    match change {
        ChosenChange::DeleteFaces => assert_eq!(faces, -done, "{what}"),
        ChosenChange::SplitVertices | ChosenChange::SplitInThree => {
            assert_eq!(faces, 2 * done, "{what}")
        }
        ChosenChange::SplitInFour => assert!((3 * done..=6 * done).contains(&faces), "{what}"),
        _ => assert!(faces < 0 || done == 0, "{what}"),
    }
    ChangedElements {
        arrays: s.session.to_host().unwrap(),
        mesh: s.session.to_mesh(s.x).unwrap().0,
        outcomes,
        rounds: report.rounds,
    }
}

fn crowded_elements_are_changed_as_on_the_cpu_engine(engine: &Engine) {
    let cpu = Engine::cpu_with_threads(1).unwrap();
    for (_, mesh) in meshes(engine).into_iter().take(2) {
        for change in ALL {
            for step in [1, 3] {
                let here = crowd(engine, &mesh, change, step, u32::MAX);
                let there = crowd(&cpu, &mesh, change, step, u32::MAX);
                assert_eq!(here.outcomes, there.outcomes, "{change:?}");
                assert_eq!(here.mesh, there.mesh, "{change:?}");
                assert!(here.arrays == there.arrays, "{change:?}: the arrays differ");
                assert!(here.outcomes.contains(&ChosenOutcome::Done), "{change:?}");
            }
        }
    }
}

fn rounds_of_elements_are_limited(engine: &Engine) {
    let (_, ball) = meshes(engine).swap_remove(0);
    for change in ALL {
        let one = crowd(engine, &ball, change, 1, 1);
        assert_eq!(one.rounds, 1, "{change:?}");
        assert!(one.outcomes.contains(&ChosenOutcome::Done), "{change:?}");
        // Faces that are split in three do not overlap.
        let overlaps = change != ChosenChange::SplitInThree;
        assert_eq!(
            one.outcomes.contains(&ChosenOutcome::Conflict),
            overlaps,
            "{change:?}"
        );
        let none = crowd(engine, &ball, change, 1, 0);
        let conflict = |o: &ChosenOutcome| *o == ChosenOutcome::Conflict;
        assert!(
            !none.outcomes.is_empty() && none.outcomes.iter().all(conflict),
            "{change:?}"
        );
        let mut s = ChosenSession::open(engine, &ball);
        let split = VertexSplit {
            vertex: u32::MAX,
            neighbours: [0, 1],
            place: Vec3::ZERO,
        };
        let wrong = s.try_run(change, &[u32::MAX], &[split], 1);
        assert!(
            matches!(wrong, Err(Error::Options(_))),
            "{change:?}: {wrong:?}"
        );
    }
}

/// Faces at kept edges are not contracted, vertices there neither removed nor split; both halves of the sides of a face
/// that is split are kept.
fn kept_edges_hold_faces_and_vertices(engine: &Engine) {
    let (_, ball) = meshes(engine).swap_remove(0);
    for change in [
        ChosenChange::CollapseFaces,
        ChosenChange::RemoveVertices,
        ChosenChange::SplitVertices,
        ChosenChange::SplitInThree,
        ChosenChange::SplitInFour,
    ] {
        let mut s = ChosenSession::open(engine, &ball);
        let kept = s.session.column::<Edge, u32>().unwrap();
        s.session.keep_edges(kept).unwrap();
        let (surface, x) = s.surface();
        let seed = (change.seeds(&surface).into_iter())
            .find(|&seed| change.cavity(&surface, seed).is_some())
            .unwrap();
        let cavity = change.cavity(&surface, seed).unwrap();
        let split = some_split(seed, &cavity, &x);
        // A side of the face, or an edge at the vertex.
        let touches = |ends: [u32; 2]| match change {
            ChosenChange::RemoveVertices | ChosenChange::SplitVertices => ends.contains(&seed),
            _ => ends.iter().all(|v| surface.faces[&seed].contains(v)),
        };
        let edge = surface.edges.iter().find(|(_, ends)| touches(**ends));
        let (&edge, &ends) = edge.unwrap();
        // Slots that are free have marks of others.
        let slots = s.session.capacity(Kind::Edge);
        let is_marked = |e: u32| e == edge || !surface.edges.contains_key(&e);
        let marks: Vec<u32> = (0..slots).map(|e| u32::from(is_marked(e))).collect();
        s.session.set(kept, &marks).unwrap();
        let (_, outcomes) = s.run(change, &[seed], &[split], u32::MAX);
        let splits = matches!(
            change,
            ChosenChange::SplitInThree | ChosenChange::SplitInFour
        );
        let expected = if splits {
            ChosenOutcome::Done
        } else {
            ChosenOutcome::Refused
        };
        assert_eq!(outcomes, [expected], "{change:?}");
        let (surface, x) = s.surface();
        let marks = s.session.values(kept).unwrap().read().unwrap();
        let mut kept: Vec<[Vec3; 2]> = (surface.edges.iter())
            .filter(|(e, _)| marks[**e as usize] != 0)
            .map(|(_, ends)| ends.map(|v| x[v as usize]))
            .collect();
        let [a, b] = ends.map(|v| x[v as usize]);
        if change == ChosenChange::SplitInFour {
            let middle = (a + b) * 0.5;
            let length: f32 = kept.iter().map(|[a, b]| a.distance(*b)).sum();
            assert_eq!(kept.len(), 2, "{change:?}");
            assert!(kept.iter().all(|ends| ends.contains(&middle)), "{kept:?}");
            assert!((length - a.distance(b)).abs() < 1e-6);
        } else {
            assert_eq!(kept.len(), 1, "{change:?}");
            kept[0].sort_by(|p, q| p.x.total_cmp(&q.x));
            let mut ends = [a, b];
            ends.sort_by(|p, q| p.x.total_cmp(&q.x));
            assert_eq!(kept[0], ends, "{change:?}");
        }
    }
}
