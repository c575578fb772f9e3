//! Patches of the speculative scheduler: they are cut, merged and increased in number; values and patches when a
//! session is closed; several operators one after the other.

use glam::Vec3;
use rxmesh_host::edit::{HostArrays, Seeds};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Kind;
use rxmesh_host::mesh::{Rng, TriMesh, generate};
use rxmesh_host::repack::{Labels, RepackOptions};
use rxmesh_host::store::RxMesh;
use rxmesh_speculative::Speculative;
use rxmesh_tests::conformance;
use rxmesh_tests::edits::{Edit, Plain};
use rxmesh_tests::engines::{is_slow, is_very_slow, suited};
use rxmesh_tests::extent::extent;
use rxmesh_tests::fixtures;
use rxmesh_tests::flat::Flat;
use rxmesh_tests::ids::InputIds;
use rxmesh_tests::marked::{Marked, Numbers, by_place, kept, key, patched};
use rxmesh_tests::oracle::Oracle;
use rxmesh_tests::places::triangles;

conformance! {
    full_patches_are_cut,
    patches_in_pieces_are_cut,
    small_patches_are_united,
    refused_seeds_come_up_again,
    operators_follow_each_other,
    values_arrive_where_their_elements_are,
}

fn ball(engine: &Engine) -> TriMesh {
    let levels = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 1,
        (_, true) => 2,
        _ => 3,
    };
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.05, 6).unwrap();
    mesh
}

/// Splits every edge, in an order that the engine chooses.
fn split_all(m: &mut Marked, what: &str) {
    let before = m.numbers();
    m.mark(Edit::Split, || 1);
    let mut report = m.run_checked(Edit::Split, Seeds::All, what);
    // Which patches are full at a time depends on the order of the edits, and some seeds are refused for it. They are
    // possible later.
    let mut refused = report.refused as usize;
    while refused > 0 && report.done > 0 {
        m.session.enqueue_refused().unwrap();
        report = m.run_checked(Edit::Split, Seeds::Queued, what);
        refused = report.refused as usize;
    }
    // A split is possible everywhere, but a patch around a vertex of many faces may have no half whose tables can name
    // the rest.
    let all = before[1].len();
    assert!(refused <= all / 50, "{what}: of {all}: {report:?}");
    let [vertices, edges, _] = m.numbers();
    assert_eq!(kept(&before[0], &vertices), (before[0].len(), 0));
    // Every other edge was split and does not exist.
    let (same, other) = kept(&before[1], &edges);
    assert!(same <= refused, "{what}: {same}: {report:?}");
    assert_eq!(other, 0, "edges that were not split");
}

/// Splits every edge, twice over: ten times as many faces, in patches of 32 faces with a capacity of twice that. They
/// are cut, and the session grows.
fn full_patches_are_cut(engine: &Engine) {
    let mesh = ball(engine);
    let mut m = Marked::new(engine, &mesh, 32);
    let (faces, bytes) = (mesh.face_count(), m.session.edits().patch_bytes());
    let capacity = m.session.capacity(Kind::Face);
    for round in 0..2 {
        split_all(&mut m, &format!("round {round}"));
    }
    let done = m.session.edits().speculation();
    assert!(done.sliced > 0, "{done:?}");
    let (now, _) = m.session.to_mesh(m.x).unwrap();
    assert!(now.face_count() >= 10 * faces, "{faces}");
    assert!(m.session.capacity(Kind::Face) > capacity);
    assert!(m.session.edits().patch_bytes() > bytes);
    close(m);
}

/// A patch of many small pieces is cut between them: one of them and all others are no halves.
fn patches_in_pieces_are_cut(engine: &Engine) {
    let mut mesh = generate::icosphere(if is_slow(engine) { 2 } else { 3 }).unwrap();
    generate::noise(&mut mesh, 0.05, 6).unwrap();
    // The faces at the corners of the icosahedron.
    let corners: Vec<Vec3> = mesh.positions[..12].to_vec();
    let (rx, mesh) = in_two_patches(engine, mesh, |of| {
        u32::from(!of.iter().any(|p| corners.contains(p)))
    });
    let mut m = Marked::<Speculative>::open(&rx, &mesh).unwrap();
    for round in 0..2 {
        split_all(&mut m, &format!("round {round}"));
    }
    let done = m.session.edits().speculation();
    assert!(done.sliced > 0, "{done:?}");
    close(m);
}

/// Puts a mesh into two patches by labels of the faces, which depend on the positions of the corners. Returns the mesh
/// in the order of the session, too.
fn in_two_patches(
    engine: &Engine,
    mut mesh: TriMesh,
    label: impl Fn([Vec3; 3]) -> u32,
) -> (RxMesh, TriMesh) {
    let whole = patched(engine, &mesh, mesh.face_count() as u32);
    let set = whole.patch_set().unwrap();
    assert_eq!(set.headers.len(), 1);
    // Session ids are the linear ids of `whole`, and the input order of the new mesh is theirs.
    let sources = set.vertex_source.iter();
    mesh.positions = sources.map(|&v| mesh.positions[v as usize]).collect();
    let mut flat = Flat::open(set);
    for (face, of) in flat.label.iter_mut().enumerate() {
        *of = label(
            [0, 1, 2].map(|k| mesh.positions[flat.ev[flat.fe[3 * face + k] as usize] as usize]),
        );
    }
    let options = RepackOptions::default().with(|o| {
        o.labels = Labels::Keep;
    });
    let on_engine = flat.upload(engine);
    let rx = on_engine.repack(engine, 2, options).unwrap().mesh;
    (rx, mesh)
}

/// Makes a ball in two patches: one has the faces at one vertex, the other all the rest. Returns the position of that
/// vertex.
fn with_a_tiny_patch(engine: &Engine) -> (RxMesh, TriMesh, Vec3) {
    let mut mesh = generate::icosphere(if is_slow(engine) { 1 } else { 2 }).unwrap();
    generate::noise(&mut mesh, 0.05, 6).unwrap();
    let place = mesh.positions[0];
    let (rx, mesh) = in_two_patches(engine, mesh, |of| u32::from(of.contains(&place)));
    let owned = rx.headers().iter().map(|h| h.owned[0]);
    assert_eq!(owned.min(), Some(1), "a vertex alone");
    (rx, mesh, place)
}

/// A patch that owns one vertex must be merged with its neighbour after any edit.
fn small_patches_are_united(engine: &Engine) {
    let (rx, mesh, tiny) = with_a_tiny_patch(engine);
    let mut m = Marked::<Speculative>::open(&rx, &mesh).unwrap();
    // An edge far away, so that no edit needs the small patch.
    let arrays = m.session.to_host().unwrap();
    let x = m.session.values(m.x).unwrap().read().unwrap();
    let distance = |edge: usize| match arrays.lives(Kind::Edge, edge as u32) {
        true => x[arrays.ev[2 * edge] as usize].distance(tiny),
        false => 0.0,
    };
    let edges = arrays.ev.len() / 2;
    let far = (0..edges).max_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let mut slot = 0..edges;
    m.mark(Edit::Split, || u32::from(slot.next() == far));
    let report = m.run_checked(Edit::Split, Seeds::All, "far away");
    assert_eq!(report.done, 1, "{report:?}");
    let did = m.session.edits().speculation();
    assert_eq!(did.merged, 1, "{did:?}");
    let arrays = m.session.to_host().unwrap();
    let mut labels: Vec<u32> = (0..arrays.fp.len())
        .filter(|&f| arrays.lives(Kind::Face, f as u32))
        .map(|f| arrays.fp[f])
        .collect();
    labels.sort_unstable();
    labels.dedup();
    assert_eq!(labels.len(), 1, "one patch is left: {labels:?}");
    // The merged patches can be edited further.
    let mut rng = Rng::new(8);
    for edit in [Edit::Split, Edit::Flip, Edit::Split, Edit::Collapse] {
        m.mark_some(edit, &mut rng, 60, 3);
        m.run_checked(edit, Seeds::All, "united");
    }
    close(m);
}

/// Returns the edges that still have their first number, by session id.
fn old_edges(m: &Marked, arrays: &HostArrays, first: &Numbers) -> Vec<u32> {
    let x = m.session.values(m.x).unwrap().read().unwrap();
    let numbers = m.session.values(m.numbers.1).unwrap().read().unwrap();
    let plain = Plain::new(arrays);
    let is_old = |&e: &u32| {
        let ends = [0, 1].map(|k| x[arrays.ev[2 * e as usize + k] as usize]);
        first.get(&key(ends)) == Some(&numbers[e as usize])
    };
    plain.edge_slots().filter(is_old).collect()
}

/// Flips whose edge exists are refused. They are retried until none of them is possible: plain code agrees.
fn refused_seeds_come_up_again(engine: &Engine) {
    let mut bipyramid = fixtures::high_valence(if is_slow(engine) { 12 } else { 40 });
    generate::noise(&mut bipyramid, 0.01, 2).unwrap();
    let mut ball = generate::icosphere(if is_slow(engine) { 1 } else { 2 }).unwrap();
    generate::noise(&mut ball, 0.05, 6).unwrap();
    for mesh in [fixtures::tetrahedron(), bipyramid, ball] {
        let what = format!("{} faces", mesh.face_count());
        let mut m = Marked::new(engine, &mesh, 16);
        let first = m.numbers()[1].clone();
        m.mark(Edit::Flip, || 1);
        let report = m.run_checked(Edit::Flip, Seeds::All, &what);
        let mut refused = report.refused;
        loop {
            let n = m.session.enqueue_refused().unwrap();
            let report = m.run_checked(Edit::Flip, Seeds::Queued, &what);
            refused = refused.max(report.refused);
            if report.done == 0 {
                assert_eq!(u64::from(n), report.refused, "{what}: {report:?}");
                break;
            }
        }
        assert!(refused > 0, "{what}: no flip was refused");
        let arrays = m.session.to_host().unwrap();
        let x = m.session.values(m.x).unwrap().read().unwrap();
        let seeds = old_edges(&m, &arrays, &first).into_iter().collect();
        let marks = vec![1; m.session.capacity(Kind::Edge) as usize];
        let left = Plain::new(&arrays).round(Edit::Flip, &seeds, &marks, &x);
        assert_eq!(left.done, 0, "{what}: flips that are possible were left");
    }
}

/// All operators in one session, each followed by its refused seeds.
fn operators_follow_each_other(engine: &Engine) {
    let meshes = [
        ball(engine),
        generate::grid(9, 7).unwrap(),
        fixtures::cylinder(),
    ];
    let rounds = suited(engine, [extent(1, 3), extent(1, 3), 1]);
    for mesh in meshes {
        if is_slow(engine) && mesh.face_count() > 330 {
            continue;
        }
        let mut m = Marked::new(engine, &mesh, 24);
        let mut rng = Rng::new(mesh.face_count() as u64);
        let (mut done, mut again) = ([0; 5], 0);
        for round in 0..rounds {
            for (i, edit) in Edit::ALL.into_iter().enumerate() {
                let what = format!("{} faces, round {round}", mesh.face_count());
                m.mark_some(edit, &mut rng, 40, 4);
                done[i] += m.run_checked(edit, Seeds::All, &what).done;
                if m.session.enqueue_refused().unwrap() > 0 {
                    again += 1;
                    m.run_checked(edit, Seeds::Queued, &format!("{what}, refused ones"));
                }
            }
        }
        assert!(done.iter().all(|&n| n > 0), "{done:?}");
        assert!(again > 0, "nothing was refused");
        // The work queue is empty: there is nothing to do.
        let before = m.session.to_host().unwrap();
        let report = m.run_checked(Edit::Remove, Seeds::Queued, "nothing");
        assert_eq!(report.done, 0);
        assert!(m.session.to_host().unwrap() == before);
        close(m);
    }
}

/// After edits, values are at their elements: elements from the beginning have their original values.
fn values_arrive_where_their_elements_are(engine: &Engine) {
    let levels = if is_slow(engine) { 2 } else { 3 };
    let mut mesh = generate::icosphere(levels - u32::from(is_very_slow(engine))).unwrap();
    generate::noise(&mut mesh, 0.05, 6).unwrap();
    for (i, edits) in [
        vec![Edit::Split],
        vec![Edit::Collapse],
        vec![Edit::Remove],
        vec![Edit::SplitFace, Edit::Collapse, Edit::Split],
    ]
    .into_iter()
    .enumerate()
    {
        let mut m = Marked::new(engine, &mesh, [8, 32, 128][i % 3]);
        let first = m.numbers();
        for &edit in &edits {
            m.mark_some(edit, &mut Rng::new(i as u64), 5, 3);
            m.run_checked(edit, Seeds::All, &format!("{edits:?}"));
        }
        let (now, _) = m.session.to_mesh(m.x).unwrap();
        for (kind, (before, after)) in first.iter().zip(&close(m)).enumerate() {
            let (same, other) = kept(before, after);
            assert!(same * 20 > before.len(), "{edits:?}: kind {kind}: {same}");
            // Removals may join two vertices that were joined before.
            let most = if edits == [Edit::Remove] && kind > 0 {
                same / 20
            } else {
                0
            };
            assert!(
                other <= most,
                "{edits:?}: {other} values of {kind} are lost"
            );
        }
        assert_ne!(triangles(&now), triangles(&mesh), "{edits:?}");
    }
}

/// Closes a session and checks its patches, and that every element has the value that it had in the session. Returns
/// these values.
fn close(m: Marked) -> [Numbers; 3] {
    let want = m.numbers();
    let (mesh, _) = m.session.to_mesh(m.x).unwrap();
    let mut closed = m.session.close(RepackOptions::default()).unwrap();
    let set = closed.mesh.patch_set().unwrap();
    assert_eq!(set.validate(mesh.vertex_count(), &mesh.faces), []);
    let oracle = Oracle::new(mesh.vertex_count(), &mesh.faces);
    let edge_ids = InputIds::new(&closed.mesh, &oracle);
    let at = closed.take(m.x).unwrap().to_input(&closed.mesh).unwrap();
    assert_eq!(at, mesh.positions, "positions");
    let of_vertices = closed
        .take(m.numbers.0)
        .unwrap()
        .to_input(&closed.mesh)
        .unwrap();
    let of_faces = closed
        .take(m.numbers.2)
        .unwrap()
        .to_input(&closed.mesh)
        .unwrap();
    let mut of_edges = closed.take(m.numbers.1).unwrap();
    of_edges.download().unwrap();
    let of_edges = of_edges.host().unwrap();
    let x = |v: u32| at[v as usize];
    let ends = |e: u32| {
        let (a, b) = oracle.edges[e as usize];
        key([x(a), x(b)])
    };
    let edges = edge_ids.all(Kind::Edge).iter().zip(of_edges);
    let got = [
        by_place(at.iter().zip(&of_vertices).map(|(&p, &n)| (key([p]), n))),
        by_place(
            edges
                .filter(|(e, _)| **e != u32::MAX)
                .map(|(&e, &n)| (ends(e), n)),
        ),
        by_place((mesh.faces.iter().zip(&of_faces)).map(|(f, &n)| (key(f.map(x)), n))),
    ];
    for (kind, (got, want)) in got.iter().zip(&want).enumerate() {
        assert_eq!(got.len(), want.len(), "elements of kind {kind}");
        let (_, lost) = kept(want, got);
        assert_eq!(lost, 0, "values of kind {kind}, of {}", want.len());
        assert!(got == want, "kind {kind}");
    }
    got
}
