//! Cavities of every template, cavities that stay open and 1:4 splits, on both schedulers of edits, against plain code;
//! attributes of new vertices by a user's kernel.

use glam::Vec3;
use rxmesh_host::edit::{Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::edit::DEAD;
use rxmesh_host::kernels::math::hash;
use rxmesh_host::kernels::topo::{Face, Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_test_kernels::templates::{Generations, SplitFour};
use rxmesh_tests::cavities::PlainSurface;
use rxmesh_tests::conformance_of_schedulers;
use rxmesh_tests::engines::is_slow;
use rxmesh_tests::fixtures;
use rxmesh_tests::launch::{Launch, Round};
use rxmesh_tests::marked::{check, patched};
use rxmesh_tests::places::triangles;
use rxmesh_tests::templates::{TemplateEdit, TemplateScheduler, TemplateSession};
use std::collections::BTreeSet;

conformance_of_schedulers! {
    templates_are_refilled_as_by_plain_code,
    holes_stay_open_as_by_plain_code,
    one_to_four_as_by_plain_code,
    crowded_templates_keep_the_surface,
    crowded_holes_leave_a_valid_mesh,
    crowded_splits_in_four_cover_the_same,
}

mod on_claims {
    rxmesh_tests::conformance! { a_hook_sees_the_births }
    use super::a_hook_sees_the_births;
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

/// Returns meshes with their names: closed, of genus one, with a boundary, and not manifold.
fn meshes(engine: &Engine) -> Vec<(&'static str, TriMesh)> {
    let n = if is_slow(engine) { 1 } else { 2 };
    let size = 5 + 4 * n;
    let mut pages = fixtures::with_boundary(size, 7);
    let shift = pages.positions.len() as u32;
    let fins = fixtures::non_manifold_edge(3, 4);
    pages.positions.extend(fins.positions);
    let fins = fins.faces.iter().map(|f| f.map(|v| v + shift));
    pages.faces.extend(fins);
    vec![
        ("sphere", jittered(fixtures::closed(n + 1), 1)),
        ("torus", jittered(fixtures::torus(size, size - 2), 2)),
        ("grid", jittered(fixtures::with_boundary(size, size), 3)),
        ("tetrahedron", fixtures::tetrahedron()),
        ("triangle", fixtures::one_triangle()),
        ("fan", jittered(fixtures::high_valence(20), 4)),
        ("grid and pages", jittered(pages, 5)),
    ]
}

/// Calls `f` with a session on each mesh that a scheduler can work on, and what it is.
fn each<C: TemplateScheduler>(engine: &Engine, mut f: impl FnMut(&mut TemplateSession<C>, &str)) {
    let mut opened = 0;
    for (i, (name, mesh)) in meshes(engine).into_iter().enumerate() {
        let what = format!("{name} by {}", C::NAME);
        match TemplateSession::open(engine, &mesh, [16, 64, 200][i % 3]) {
            Ok(mut session) => {
                opened += 1;
                f(&mut session, &what);
            }
            Err(e) => assert!(
                e.to_string().contains("speculative scheduler"),
                "{what}: {e}"
            ),
        }
    }
    assert!(opened > 3);
}

fn seeds_of(edit: TemplateEdit, surface: &PlainSurface) -> Vec<u32> {
    let mut seeds: Vec<u32> = match edit.kind() {
        Kind::Vertex => surface.vertices.iter().copied().collect(),
        Kind::Edge => surface.edges.keys().copied().collect(),
        Kind::Face | Kind::Cell => surface.faces.keys().copied().collect(),
    };
    seeds.sort_by_key(|&seed| hash(seed));
    seeds
}

/// Asks for cavities that are not possible, which changes nothing; then carries out cavities without a common vertex,
/// and compares the mesh with plain code. Returns the number of cavities.
fn compare<C: TemplateScheduler>(
    s: &mut TemplateSession<C>,
    edit: TemplateEdit,
    what: &str,
) -> usize {
    let what = format!("{edit:?}, {what}");
    let (surface, _) = s.surface();
    let mut impossible = seeds_of(edit, &surface);
    impossible.retain(|&seed| edit.cavity(&surface, seed).is_none());
    let impossible: Vec<(u32, u32)> = impossible.into_iter().map(|seed| (seed, 1)).collect();
    let before = triangles(&s.session.to_mesh(s.x).unwrap().0);
    s.mark(edit, &impossible);
    let report = s.run(edit).unwrap();
    assert!(report.finished && report.done == 0, "{what}: {report:?}");
    assert_eq!(
        triangles(&s.session.to_mesh(s.x).unwrap().0),
        before,
        "{what}"
    );
    // The scheduler may have numbered the elements anew.
    let (surface, x) = s.surface();
    let (mut used, mut chosen, mut cavities) = (BTreeSet::new(), Vec::new(), Vec::new());
    let (mut made, mut new_vertices) = (Vec::new(), 0);
    for seed in seeds_of(edit, &surface) {
        let Some(cavity) = edit.cavity(&surface, seed) else {
            continue;
        };
        let reach = surface.reach(&cavity);
        if !used.is_disjoint(&reach) {
            continue;
        }
        used.extend(reach);
        let (triangles, vertices) = edit.fill(&surface, seed, &cavity, &x);
        made.extend(triangles);
        new_vertices += vertices;
        chosen.push((seed, 1));
        cavities.push(cavity);
    }
    s.mark(edit, &chosen);
    let report = s.run(edit).unwrap();
    check(&s.session, &what);
    assert!(report.finished, "{what}: {report:?}");
    assert_eq!(report.done, chosen.len() as u64, "{what}: {report:?}");
    let expected = surface.refill(&cavities, &made, new_vertices, &x);
    let after = triangles(&s.session.to_mesh(s.x).unwrap().0);
    assert_eq!(after, expected.triangles, "{what}");
    assert_eq!(s.session.euler_number().unwrap(), expected.euler, "{what}");
    chosen.len()
}

fn templates_are_refilled_as_by_plain_code<C: TemplateScheduler>(engine: &Engine) {
    for edit in TemplateEdit::REFILLS {
        let mut done = 0;
        each::<C>(engine, |s, what| done += compare(s, edit, what));
        assert!(done > 5, "{edit:?}: {done}");
    }
}

fn holes_stay_open_as_by_plain_code<C: TemplateScheduler>(engine: &Engine) {
    for edit in TemplateEdit::PUNCHES {
        let mut done = 0;
        // Holes beside holes, whose edges and vertices go.
        each::<C>(engine, |s, what| {
            for _ in 0..4 {
                done += compare(s, edit, what);
            }
        });
        assert!(done > 20, "{edit:?}: {done}");
    }
}

fn one_to_four_as_by_plain_code<C: TemplateScheduler>(engine: &Engine) {
    let mut done = 0;
    each::<C>(engine, |s, what| {
        for _ in 0..2 {
            done += compare(s, TemplateEdit::Four, what);
        }
    });
    assert!(done > 5, "{done}");
}

/// Shares of the seeds, in percent, that tests of cavities which overlap mark.
const CROWDS: [u64; 2] = [30, 100];

/// Marks a share of the seeds, whose cavities overlap.
fn crowd<C: TemplateScheduler>(s: &mut TemplateSession<C>, edit: TemplateEdit, share: u64) {
    let (surface, _) = s.surface();
    let mut rng = Rng::new(edit as u64);
    let mut seeds = Vec::new();
    for seed in seeds_of(edit, &surface) {
        let mark = 1 + rng.below(5) as u32;
        if rng.below(100) < share {
            seeds.push((seed, mark));
        }
    }
    s.mark(edit, &seeds);
}

/// Carries out an operator on a share of the seeds, until none of them is left. Returns the number of cavities.
fn run_crowd<C: TemplateScheduler>(
    s: &mut TemplateSession<C>,
    edit: TemplateEdit,
    share: u64,
    what: &str,
) -> u64 {
    crowd(s, edit, share);
    let report = s.run(edit).unwrap();
    check(&s.session, what);
    assert!(report.finished, "{what}: {report:?}");
    report.done
}

fn crowded_templates_keep_the_surface<C: TemplateScheduler>(engine: &Engine) {
    for edit in TemplateEdit::REFILLS {
        let mut done = 0;
        for share in CROWDS {
            each::<C>(engine, |s, what| {
                let what = format!("{edit:?}, {share} %, {what}");
                let euler = s.session.euler_number().unwrap();
                done += run_crowd(s, edit, share, &what);
                assert_eq!(s.session.euler_number().unwrap(), euler, "{what}");
            });
        }
        assert!(done > 5, "{edit:?}: {done}");
    }
}

fn crowded_holes_leave_a_valid_mesh<C: TemplateScheduler>(engine: &Engine) {
    for edit in TemplateEdit::PUNCHES {
        let (mut sum, mut least) = (0, u64::MAX);
        for share in CROWDS {
            each::<C>(engine, |s, what| {
                let what = format!("{edit:?}, {share} %, {what}");
                let faces = s.session.count(Kind::Face).unwrap();
                let done = run_crowd(s, edit, share, &what);
                let left = s.session.count(Kind::Face).unwrap();
                let lost = u64::from(faces - left);
                match edit {
                    TemplateEdit::PunchF => assert_eq!(lost, done, "{what}"),
                    _ => assert!(lost >= done, "{what}: {lost} faces, {done} cavities"),
                }
                least = least.min(u64::from(left) * 100 / u64::from(faces));
                sum += done;
            });
        }
        assert!(sum > 20 && least < 90, "{edit:?}: {sum}, {least} %");
    }
}

/// Returns the area of a mesh in the plane, none of whose faces has turned over.
fn area(mesh: &TriMesh) -> f32 {
    let x = |v: u32| mesh.positions[v as usize];
    let double = |f: &[u32; 3]| (x(f[1]) - x(f[0])).cross(x(f[2]) - x(f[0])).z;
    assert!(
        mesh.faces.iter().all(|f| double(f) > 0.0),
        "a face has turned over"
    );
    mesh.faces.iter().map(double).sum::<f32>() * 0.5
}

fn crowded_splits_in_four_cover_the_same<C: TemplateScheduler>(engine: &Engine) {
    let mut done = 0;
    for share in CROWDS {
        each::<C>(engine, |s, what| {
            let (euler, before) = (s.session.euler_number().unwrap(), s.session.live().unwrap());
            let splits = run_crowd(s, TemplateEdit::Four, share, what) as u32;
            let after = s.session.live().unwrap();
            assert_eq!(after[0], before[0] + 3 * splits, "{what}");
            assert_eq!(after[2], before[2] + 6 * splits, "{what}");
            assert_eq!(s.session.euler_number().unwrap(), euler, "{what}");
            done += splits;
        });
    }
    assert!(done > 5, "{done}");
    let mesh = generate::grid(8, 7).unwrap();
    let mut s: TemplateSession<C> = TemplateSession::open(engine, &mesh, 64).unwrap();
    let splits = run_crowd(&mut s, TemplateEdit::Four, 100, "grid");
    assert!(splits > 2, "{splits}");
    let after = s.session.to_mesh(s.x).unwrap().0;
    assert!((area(&after) - 1.0).abs() < 1e-5);
}

fn a_hook_sees_the_births(engine: &Engine) {
    let mesh = generate::grid(8, 7).unwrap();
    let rx = patched(engine, &mesh, 64);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    let generation = session.column::<Vertex, u32>().unwrap();
    let marks = session.column::<Face, u32>().unwrap();
    session.after_births(move |s, births, n| {
        let of = s.write(generation)?;
        Ok(s.engine().launch_flat(n, Generations { births, of })?)
    });
    for round in 1..3 {
        let before = session.live().unwrap()[0];
        let slots = session.capacity(Kind::Face);
        let all: Vec<u32> = (0..slots).map(|f| hash(f) % 2).collect();
        session.set(marks, &all).unwrap();
        session
            .round(Seeds::All, |s| {
                Ok(SplitFour {
                    marks: s.write(marks)?,
                    x: s.write(x)?,
                })
            })
            .unwrap();
        let after = session.live().unwrap()[0];
        let host = session.to_host().unwrap();
        let values = session.values(generation).unwrap().read().unwrap();
        let alive = (0..values.len()).filter(|&v| host.ve[v] != DEAD);
        let born = alive.clone().filter(|&v| values[v] > 0).count() as u32;
        assert_eq!(
            born,
            session.live().unwrap()[0] - mesh.vertex_count() as u32
        );
        assert!(after > before && alive.map(|v| values[v]).max() <= Some(round));
    }
    assert_eq!(session.live().unwrap().len(), Kind::ALL.len());
}
