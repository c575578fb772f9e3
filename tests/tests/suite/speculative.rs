//! The speculative scheduler against plain code on the host: results of operators in any order, and the rules between
//! patches after every run.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::delaunay::{DelaunayOptions, DelaunayReport, delaunay};
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::edit::{Claims, Seeds, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_speculative::{Speculative, SpeculativeOptions};
use rxmesh_tests::conformance;
use rxmesh_tests::edits::Edit;
use rxmesh_tests::engines::TestScheduler;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::marked::{Marked, attach_numbers, check, kept, numbers, patched};
use rxmesh_tests::places::{triangles, vertices};
use std::collections::BTreeMap;

conformance! {
    opening_changes_nothing,
    flips_make_meshes_delaunay,
    marked_edits_keep_the_surface,
    remeshing_ends_like_that_of_claims,
    crowded_blocks_end,
}

/// Opening and closing gives the same triangles, and keeps attributes of all kinds at their elements.
fn opening_changes_nothing(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        for patch_size in fixture.patch_sizes() {
            let what = format!("{} in patches of {patch_size}", fixture.name);
            let mesh = &fixture.mesh;
            let rx = patched(engine, mesh, patch_size);
            let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
            let mut session = match Session::<Speculative>::open_with(&rx) {
                Ok(session) => session,
                Err(e) => {
                    assert!(
                        e.to_string().contains("speculative scheduler"),
                        "{what}: {e}"
                    );
                    continue;
                }
            };
            let x = session.attach(&x).unwrap();
            let edges = attach_numbers::<Edge, _>(&mut session, &rx);
            let faces = attach_numbers::<Face, _>(&mut session, &rx);
            check(&session, &what);
            let (now, _) = session.to_mesh(x).unwrap();
            assert_eq!(triangles(&now), triangles(mesh), "{what}");
            let mut closed = session.close(RepackOptions::default()).unwrap();
            let count = |rx: &RxMesh| {
                [
                    rx.count(Vertex::KIND),
                    rx.count(Edge::KIND),
                    rx.count(Face::KIND),
                ]
            };
            assert_eq!(count(&closed.mesh), count(&rx), "{what}");
            for (mut got, mut want) in [
                (
                    closed.take(edges).unwrap().to_input(&closed.mesh).unwrap(),
                    numbers(&rx, Kind::Edge),
                ),
                (
                    closed.take(faces).unwrap().to_input(&closed.mesh).unwrap(),
                    numbers(&rx, Kind::Face),
                ),
            ] {
                got.sort_unstable();
                want.sort_unstable();
                assert_eq!(got, want, "{what}");
            }
        }
    }
}

/// Returns the sum of the opposite angles for each edge of two faces.
fn sums(mesh: &TriMesh) -> BTreeMap<[u32; 2], (f64, u32)> {
    let mut edges: BTreeMap<[u32; 2], (f64, u32)> = BTreeMap::new();
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    for f in &mesh.faces {
        for k in 0..3 {
            let (a, b, o) = (f[k], f[(k + 1) % 3], f[(k + 2) % 3]);
            let (u, v): (DVec3, DVec3) = (x(a) - x(o), x(b) - x(o));
            let edge = edges.entry([a.min(b), a.max(b)]).or_default();
            edge.0 += u.cross(v).length().atan2(u.dot(v));
            edge.1 += 1;
        }
    }
    edges
}

fn violations(mesh: &TriMesh) -> usize {
    sums(mesh)
        .values()
        .filter(|(sum, faces)| *faces == 2 && *sum > std::f64::consts::PI + 1e-4)
        .count()
}

fn noisy(engine: &Engine) -> TriMesh {
    let levels = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 2,
        (false, true) => 3,
        _ => extent(3, 4),
    };
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.35, 3).unwrap();
    mesh
}

fn flip(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> (TriMesh, DelaunayReport) {
    let rx = patched(engine, mesh, patch_size);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::<Speculative>::open_with(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    check(&session, "opened");
    let report = delaunay(&mut session, x, &DelaunayOptions::default()).unwrap();
    check(&session, "flipped");
    (session.to_mesh(x).unwrap().0, report)
}

/// Flips until the angles opposite every edge sum to at most pi, in patches of any size; no vertex moves, no triangle
/// is lost.
fn flips_make_meshes_delaunay(engine: &Engine) {
    let mut square = generate::grid(12, 9).unwrap();
    generate::noise(&mut square, 0.2, 4).unwrap();
    square.positions.iter_mut().for_each(|p| p.z = 0.0);
    for mesh in [noisy(engine), square] {
        let before = violations(&mesh);
        assert!(before > mesh.face_count() / 60, "{before}");
        for patch_size in [16, 64, 256] {
            let (after, report) = flip(engine, &mesh, patch_size);
            assert!(report.run.finished && report.run.done > 0, "{report:?}");
            assert!(
                violations(&after) <= report.left as usize,
                "{} {report:?}",
                violations(&after)
            );
            assert!(report.left as usize <= before / 20, "{report:?}");
            assert_eq!(after.face_count(), mesh.face_count());
            assert_eq!(vertices(&after), vertices(&mesh), "no vertex moves");
        }
    }
}

/// Marked seeds of every operator: the count of done edits agrees with the mesh, the surface keeps its topology, and
/// values stay with surviving elements.
fn marked_edits_keep_the_surface(engine: &Engine) {
    let levels = if is_slow(engine) { 2 } else { extent(3, 4) };
    let mut ball = generate::icosphere(levels).unwrap();
    generate::noise(&mut ball, 0.1, 5).unwrap();
    // Not regular: contractions could move a vertex exactly to the position of a former one.
    let mut sheet = generate::grid(14, 11).unwrap();
    generate::noise(&mut sheet, 0.1, 6).unwrap();
    for mesh in [ball, sheet] {
        for (i, edit) in Edit::ALL.into_iter().enumerate() {
            let what = format!("{} faces", mesh.face_count());
            let mut m = Marked::new(engine, &mesh, [16, 64, 200][i % 3]);
            let before = m.numbers();
            m.mark_some(edit, &mut Rng::new(7 + i as u64), 30, 5);
            let report = m.run_checked(edit, Seeds::All, &what);
            assert!(report.done > 0, "{what}, {edit:?}: {report:?}");
            for (kind, (before, after)) in before.iter().zip(&m.numbers()).enumerate() {
                let (kept, lost) = kept(before, after);
                // A flip may restore an edge that another one removed.
                let most = if edit == Edit::Flip && kind > 0 {
                    kept / 20
                } else {
                    0
                };
                assert!(
                    kept > 0 && lost <= most,
                    "{what}, {edit:?}: {lost} values lost of {kept}"
                );
            }
        }
    }
}

/// Returns the lengths of the edges.
fn lengths(mesh: &TriMesh) -> Vec<f32> {
    sums(mesh)
        .keys()
        .map(|e| {
            let [a, b] = e.map(|v| mesh.positions[v as usize]);
            (a - b).length()
        })
        .collect()
}

fn remeshed<C: TestScheduler>(engine: &Engine, mesh: &TriMesh) -> (TriMesh, f32) {
    let rx = patched(engine, mesh, 128);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::<C>::open_with(&rx).unwrap();
    let x = session.attach(&x).unwrap();
    let euler = session.euler_number().unwrap();
    let options = RemeshOptions::default().with(|o| {
        o.iterations = 2;
        o.keep_features = None;
        o.project = false;
    });
    let report = remesh(&mut session, x, &options).unwrap();
    assert!(report.run().finished, "{report:?}");
    check(&session, "remeshed");
    assert_eq!(session.euler_number().unwrap(), euler);
    (session.to_mesh(x).unwrap().0, report.target_length)
}

/// Remeshing on this engine gives about as many faces, and edges of about the same lengths, as on the other.
fn remeshing_ends_like_that_of_claims(engine: &Engine) {
    let mesh = noisy(engine);
    let (claims, _) = remeshed::<Claims>(engine, &mesh);
    let (ours, target) = remeshed::<Speculative>(engine, &mesh);
    let ratio = ours.face_count() as f64 / claims.face_count() as f64;
    assert!((0.85..1.15).contains(&ratio), "{ratio}");
    let near = |mesh: &TriMesh| {
        let all = lengths(mesh);
        let near = all
            .iter()
            .filter(|&&l| l > 0.7 * target && l < 1.4 * target)
            .count();
        near as f64 / all.len() as f64
    };
    assert!(
        near(&ours) > near(&claims) - 0.05,
        "{} {}",
        near(&ours),
        near(&claims)
    );
}

/// Tiny patches, more blocks than patches, everything concurrent and every neighbour locked first: it ends, and nothing
/// is lost.
fn crowded_blocks_end(engine: &Engine) {
    let mesh = noisy(engine);
    let runs = if is_slow(engine) { 2 } else { extent(2, 6) };
    for run in 0..runs {
        let mut m = Marked::new(engine, &mesh, 8);
        let options = SpeculativeOptions {
            blocks: Some(64),
            lock_all: run % 2 == 1,
        };
        Speculative::set_options(&mut m.session, options);
        let mut rng = Rng::new(100 + run);
        for edit in [Edit::Flip, Edit::Collapse, Edit::Split] {
            m.mark_some(edit, &mut rng, 30, 5);
            m.run_checked(edit, Seeds::All, "crowded");
        }
    }
}
