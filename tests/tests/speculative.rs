//! The speculative engine against plain code on the host: what operators make of a mesh, whoever comes first, and the rules between patches after every run.

use glam::{DVec3, Vec3};
use rxmesh_host::algo::delaunay::{DelaunayOptions, DelaunayReport, delaunay};
use rxmesh_host::algo::remesh::{RemeshOptions, remesh};
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::{Column, RunReport, Session};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::cavity::marked::{
    CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked,
};
use rxmesh_host::kernels::edit::NONE;
use rxmesh_host::kernels::topo::{Edge, Element, Face, Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::repack::RepackOptions;
use rxmesh_host::speculative::{Conflicts, SpeculativeOptions};
use rxmesh_host::store::RxMesh;
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::edits::Edit;
use rxmesh_tests::fixtures;
use std::collections::{BTreeMap, HashMap};

conformance! {
    opening_changes_nothing,
    flips_make_meshes_delaunay,
    marked_edits_keep_the_surface,
    remeshing_ends_like_that_of_claims,
    tracking_keeps_the_rules,
    crowded_blocks_end,
}

fn patched(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> RxMesh {
    let options = PatchOptions {
        patch_size,
        ..PatchOptions::default()
    };
    RxMesh::new(engine, mesh.vertex_count(), &mesh.faces, &options).unwrap()
}

#[track_caller]
fn check(session: &Session, what: &str) {
    let wrong = session.validate().unwrap();
    assert!(
        wrong.is_empty(),
        "{what}: {} violations, first {:?}",
        wrong.len(),
        &wrong[..wrong.len().min(8)]
    );
}

/// The triangles by the positions of their corners, each from its least corner on, sorted: the same for every numbering.
fn triangles(mesh: &TriMesh) -> Vec<[[u32; 3]; 3]> {
    let bits = |v: u32| mesh.positions[v as usize].to_array().map(f32::to_bits);
    let mut all: Vec<_> = mesh
        .faces
        .iter()
        .map(|f| {
            let c = f.map(bits);
            let k = (0..3).min_by_key(|&k| c[k]).unwrap();
            [c[k], c[(k + 1) % 3], c[(k + 2) % 3]]
        })
        .collect();
    all.sort_unstable();
    all
}

/// Numbers every element by where it lies, attaches that to it, and tells afterwards whether it is still so.
fn numbers<K: Element>(rx: &RxMesh) -> Vec<u32> {
    (0..rx.count(K::KIND)).map(|i| i.wrapping_mul(0x9e37_79b9)).collect()
}

fn attach_numbers<K: Element>(session: &mut Session, rx: &RxMesh) -> Column<K, u32> {
    let values = numbers::<K>(rx);
    let x = rx.attribute_from::<K, u32>(&values).unwrap();
    session.attach(&x).unwrap()
}

/// Opening and closing gives the same triangles, and attributes of all kinds where they were.
fn opening_changes_nothing(engine: &Engine) {
    for fixture in fixtures::suited(engine) {
        for patch_size in fixture.patch_sizes() {
            let what = format!("{} in patches of {patch_size}", fixture.name);
            let mesh = &fixture.mesh;
            let rx = patched(engine, mesh, patch_size);
            let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
            let mut session = match Session::open_with(&rx, Conflicts::Speculative) {
                Ok(session) => session,
                Err(e) => {
                    assert!(e.to_string().contains("speculative engine"), "{what}: {e}");
                    continue;
                }
            };
            let x = session.attach(&x).unwrap();
            let edges = attach_numbers::<Edge>(&mut session, &rx);
            let faces = attach_numbers::<Face>(&mut session, &rx);
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
                    closed.take(edges).to_input(&closed.mesh).unwrap(),
                    numbers::<Edge>(&rx),
                ),
                (
                    closed.take(faces).to_input(&closed.mesh).unwrap(),
                    numbers::<Face>(&rx),
                ),
            ] {
                got.sort_unstable();
                want.sort_unstable();
                assert_eq!(got, want, "{what}");
            }
        }
    }
}

/// For each edge of two faces, the sum of the angles opposite it.
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
        _ => 4,
    };
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.35, 3).unwrap();
    mesh
}

fn flip(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> (TriMesh, DelaunayReport) {
    let rx = patched(engine, mesh, patch_size);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open_with(&rx, Conflicts::Speculative).unwrap();
    let x = session.attach(&x).unwrap();
    check(&session, "opened");
    let report = delaunay(&mut session, x, &DelaunayOptions::default()).unwrap();
    check(&session, "flipped");
    (session.to_mesh(x).unwrap().0, report)
}

/// Flips until the angles opposite every edge sum to at most pi, in patches of any size; no vertex moves, no triangle is lost.
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
            let sorted = |m: &TriMesh| {
                let mut all: Vec<_> = m
                    .positions
                    .iter()
                    .map(|p| p.to_array().map(f32::to_bits))
                    .collect();
                all.sort_unstable();
                all
            };
            assert_eq!(sorted(&after), sorted(&mesh), "no vertex moves");
        }
    }
}

/// A session with its positions, a second copy of them that is interpolated, and a number for every edge and face.
struct Marked {
    session: Session,
    x: Column<Vertex, Vec3>,
    copy: Column<Vertex, Vec3>,
    edges: Column<Edge, u32>,
    faces: Column<Face, u32>,
}

impl Marked {
    fn new(engine: &Engine, mesh: &TriMesh, patch_size: u32) -> Marked {
        let rx = patched(engine, mesh, patch_size);
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
        let mut session = Session::open_with(&rx, Conflicts::Speculative).unwrap();
        let edges = attach_numbers::<Edge>(&mut session, &rx);
        let faces = attach_numbers::<Face>(&mut session, &rx);
        let (x, copy) = (session.attach(&x).unwrap(), session.attach(&x).unwrap());
        session.interpolate(copy);
        Marked {
            session,
            x,
            copy,
            edges,
            faces,
        }
    }

    /// The numbers of faces and edges, by the positions of their vertices. Those of new ones are whatever their slots held.
    fn numbers(&self) -> (HashMap<Vec<[u32; 3]>, u32>, HashMap<Vec<[u32; 3]>, u32>) {
        let arrays = self.session.to_host().unwrap();
        let x = self.session.values(self.x).read().unwrap();
        let (of_edges, of_faces) = (
            self.session.values(self.edges).read().unwrap(),
            self.session.values(self.faces).read().unwrap(),
        );
        let place = |v: u32| x[v as usize].to_array().map(f32::to_bits);
        let key = |vs: &[u32]| {
            let mut key: Vec<_> = vs.iter().map(|&v| place(v)).collect();
            key.sort_unstable();
            key
        };
        let mut faces = HashMap::new();
        for (f, sides) in arrays.fe.chunks_exact(3).enumerate() {
            if sides[0] != NONE {
                let corners = [0, 1, 2].map(|k| arrays.ev[sides[k] as usize]);
                faces.insert(key(&corners), of_faces[f]);
            }
        }
        let mut edges = HashMap::new();
        for (e, ends) in arrays.ev.chunks_exact(2).enumerate() {
            if ends[0] != NONE {
                edges.insert(key(ends), of_edges[e]);
            }
        }
        (edges, faces)
    }

    fn run(&mut self, edit: Edit, seed: u64) -> RunReport {
        let mut rng = Rng::new(seed);
        let mut marks = |session: &Session, kind: Kind| -> Vec<u32> {
            (0..session.capacity(kind))
                .map(|_| {
                    if rng.below(10) < 3 {
                        1 + rng.below(5) as u32
                    } else {
                        0
                    }
                })
                .collect()
        };
        let (session, x) = (&mut self.session, self.x);
        macro_rules! run {
            ($kind:ty, |$s:ident, $m:ident| $op:expr) => {{
                let $m = session.column::<$kind, u32>().unwrap();
                let values = marks(session, <$kind as Element>::KIND);
                session.set($m, &values).unwrap();
                session.run(10_000, |$s| $op).unwrap()
            }};
        }
        match edit {
            Edit::Flip => run!(Edge, |s, m| FlipMarked { marks: s.write(m) }),
            Edit::Split => run!(Edge, |s, m| SplitMarked {
                marks: s.write(m),
                x: s.write(x)
            }),
            Edit::Collapse => run!(Edge, |s, m| CollapseMarked {
                marks: s.write(m),
                x: s.write(x)
            }),
            Edit::SplitFace => run!(Face, |s, m| SplitFaceMarked {
                marks: s.write(m),
                x: s.write(x)
            }),
            Edit::Remove => run!(Vertex, |s, m| RemoveMarked { marks: s.write(m) }),
        }
    }
}

/// Marked seeds of every operator: what is counted as done is what the mesh shows, the surface stays what it was, and values stay with what stays.
fn marked_edits_keep_the_surface(engine: &Engine) {
    let levels = if is_slow(engine) { 2 } else { 4 };
    let mut ball = generate::icosphere(levels).unwrap();
    generate::noise(&mut ball, 0.1, 5).unwrap();
    let sheet = generate::grid(14, 11).unwrap();
    for mesh in [ball, sheet] {
        for (i, edit) in Edit::ALL.into_iter().enumerate() {
            let what = format!("{edit:?} on {} faces", mesh.face_count());
            let mut m = Marked::new(engine, &mesh, [16, 64, 200][i % 3]);
            let euler = m.session.euler_number().unwrap();
            let vertices = m.session.count(Kind::Vertex).unwrap();
            let before = m.numbers();
            let report = m.run(edit, 7 + i as u64);
            check(&m.session, &what);
            assert!(report.finished && report.done > 0, "{what}: {report:?}");
            assert_eq!(m.session.euler_number().unwrap(), euler, "{what}");
            let now = m.session.count(Kind::Vertex).unwrap();
            let change = i64::from(now) - i64::from(vertices);
            let done = report.done as i64;
            let expected = match edit {
                Edit::Flip => 0,
                Edit::Split | Edit::SplitFace => done,
                Edit::Collapse | Edit::Remove => -done,
            };
            assert_eq!(change, expected, "{what}: {report:?}");
            let after = m.numbers();
            let kept = |before: &HashMap<_, u32>, after: &HashMap<_, u32>| {
                before
                    .iter()
                    .filter_map(|(k, n)| after.get(k).map(|now| (n, now)))
                    .fold((0, 0), |(kept, lost), (n, now)| {
                        if n == now { (kept + 1, lost) } else { (kept, lost + 1) }
                    })
            };
            for (kept, lost) in [kept(&before.0, &after.0), kept(&before.1, &after.1)] {
                // A flip may bring back an edge that another one took away.
                let most = if edit == Edit::Flip { kept / 20 } else { 0 };
                assert!(kept > 0 && lost <= most, "{what}: {lost} values lost of {kept}");
            }
            let (x, copy) = (
                m.session.values(m.x).read().unwrap(),
                m.session.values(m.copy).read().unwrap(),
            );
            let live = m.session.to_mesh(m.x).unwrap().1;
            for v in live {
                let (a, b) = (x[v as usize], copy[v as usize]);
                assert!((a - b).length() <= 1e-5, "{what}: vertex {v}: {a} {b}");
            }
        }
    }
}

/// Lengths of the edges.
fn lengths(mesh: &TriMesh) -> Vec<f32> {
    sums(mesh)
        .keys()
        .map(|e| {
            let [a, b] = e.map(|v| mesh.positions[v as usize]);
            (a - b).length()
        })
        .collect()
}

fn remeshed(engine: &Engine, mesh: &TriMesh, conflicts: Conflicts) -> (TriMesh, f32) {
    let rx = patched(engine, mesh, 128);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open_with(&rx, conflicts).unwrap();
    let x = session.attach(&x).unwrap();
    let euler = session.euler_number().unwrap();
    let options = RemeshOptions {
        iterations: 2,
        ..RemeshOptions::default()
    };
    let report = remesh(&mut session, x, &options).unwrap();
    assert!(report.run().finished, "{report:?}");
    check(&session, "remeshed");
    assert_eq!(session.euler_number().unwrap(), euler);
    (session.to_mesh(x).unwrap().0, report.target_length)
}

/// Remeshing on this engine gives about as many faces, and edges of about the same lengths, as on the other.
fn remeshing_ends_like_that_of_claims(engine: &Engine) {
    let mesh = noisy(engine);
    let (claims, _) = remeshed(engine, &mesh, Conflicts::Claims);
    let (ours, target) = remeshed(engine, &mesh, Conflicts::Speculative);
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

/// Frames of tracking, each checked.
fn tracking_keeps_the_rules(engine: &Engine) {
    let n = if is_slow(engine) { 8 } else { 24 };
    let mesh = generate::grid(n, n).unwrap();
    let rx = patched(engine, &mesh, 100);
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    let mut session = Session::open_with(&rx, Conflicts::Speculative).unwrap();
    let x = session.attach(&x).unwrap();
    let euler = session.euler_number().unwrap();
    let options = TrackOptions {
        frames: 4,
        ..TrackOptions::default()
    };
    let report = track(&mut session, x, &options, |frame, session| {
        check(session, &format!("frame {frame}"));
        assert_eq!(session.euler_number().unwrap(), euler);
        Ok::<(), rxmesh_host::Error>(())
    })
    .unwrap();
    assert!(report.run().finished, "{report:?}");
}

/// Tiny patches, more blocks than patches, everything at once and every neighbour locked first: it ends, and nothing is lost.
fn crowded_blocks_end(engine: &Engine) {
    let mesh = noisy(engine);
    let runs = if is_slow(engine) { 2 } else { 6 };
    for run in 0..runs {
        let mut m = Marked::new(engine, &mesh, 8);
        m.session.set_speculative_options(SpeculativeOptions {
            blocks: Some(64),
            lock_all: run % 2 == 1,
        });
        let euler = m.session.euler_number().unwrap();
        for edit in [Edit::Flip, Edit::Collapse, Edit::Split] {
            let report = m.run(edit, 100 + run);
            assert!(report.finished, "{edit:?}: {report:?}");
        }
        check(&m.session, "crowded");
        assert_eq!(m.session.euler_number().unwrap(), euler);
    }
}
