//! Limits of the speculative scheduler: errors that give the reason, sessions that stay unchanged, faces that stay
//! frozen.

use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::Seeds;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::edit::NONE;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_host::repack::RepackOptions;
use rxmesh_speculative::Speculative;
use rxmesh_tests::conformance;
use rxmesh_tests::edits::Edit;
use rxmesh_tests::engines::{is_slow, is_very_slow};
use rxmesh_tests::fixtures;
use rxmesh_tests::marked::{Marked, check, patched};
use rxmesh_tests::places::{Place, place, triangle, triangles};

conformance! {
    fans_beyond_a_patch,
    meshes_without_faces,
    isolated_vertices_stay,
    frozen_faces_stay,
}

/// A vertex with more faces than the capacity of a patch: opened or refused for a reason, and valid if opened.
fn fans_beyond_a_patch(engine: &Engine) {
    let most = match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => 100,
        (_, true) => 400,
        _ => 5000,
    };
    for valence in [40, 100, 400, 5000].into_iter().filter(|&n| n <= most) {
        let mesh = fixtures::high_valence(valence);
        for patch_size in [16, 64, 512] {
            let what = format!("a fan of {valence} in patches of {patch_size}");
            let rx = patched(engine, &mesh, patch_size);
            let mut m = match Marked::<Speculative>::open(&rx, &mesh) {
                Ok(m) => m,
                Err(Error::Options(why)) if why.contains("speculative scheduler") => {
                    // The owner of the vertex has its faces: many patches border on it, and it is large.
                    assert!(valence > patch_size, "{what}: {why}");
                    continue;
                }
                Err(e) => panic!("{what}: {e:?}"),
            };
            check(&m.session, &what);
            let mut rng = Rng::new(u64::from(valence + patch_size));
            for edit in [Edit::Flip, Edit::Split, Edit::Collapse] {
                m.mark_some(edit, &mut rng, 30, 5);
                m.run_checked(edit, Seeds::All, &what);
            }
        }
    }
}

fn meshes_without_faces(engine: &Engine) {
    for (mesh, vertices) in [(fixtures::empty(), 0), (fixtures::no_faces(5), 5)] {
        let mut m = Marked::new(engine, &mesh, 64);
        for edit in Edit::ALL {
            m.mark(edit, || 1);
            let report = m.run_checked(edit, Seeds::All, "no faces");
            assert_eq!(report.done, 0, "{report:?}");
        }
        assert_eq!(m.session.enqueue_refused().unwrap(), 0);
        let x = m.x;
        let report = delaunay(&mut m.session, x, &DelaunayOptions::default()).unwrap();
        assert!(report.run.finished && report.run.done == 0);
        let mut closed = m.session.close(RepackOptions::default()).unwrap();
        assert_eq!(Kind::ALL.map(|k| closed.mesh.count(k)), [vertices, 0, 0]);
        let mut at = closed.take(x).unwrap().to_input(&closed.mesh).unwrap();
        let mut want = mesh.positions.clone();
        for list in [&mut at, &mut want] {
            list.sort_by_key(|&x| place(x));
        }
        assert_eq!(at, want);
    }
}

fn isolated_vertices_stay(engine: &Engine) {
    let mesh = fixtures::isolated_vertices();
    let mut named = vec![false; mesh.vertex_count()];
    mesh.faces
        .iter()
        .flatten()
        .for_each(|&v| named[v as usize] = true);
    let isolated: Vec<Vec3> = (mesh.positions.iter().zip(&named))
        .filter(|(_, named)| !**named)
        .map(|(x, _)| *x)
        .collect();
    assert_eq!(isolated.len(), 3);
    for patch_size in [4, 64] {
        let mut m = Marked::new(engine, &mesh, patch_size);
        let mut rng = Rng::new(3);
        // Vertices last: only they have isolated seeds.
        for edit in Edit::ALL {
            m.mark_some(
                edit,
                &mut rng,
                if edit == Edit::Remove { 100 } else { 40 },
                3,
            );
            m.run_checked(edit, Seeds::All, "isolated vertices");
            let (now, _) = m.session.to_mesh(m.x).unwrap();
            for &x in &isolated {
                assert!(now.positions.contains(&x), "{edit:?}: {x} is gone");
            }
        }
        let (now, _) = m.session.to_mesh(m.x).unwrap();
        let closed = m.session.close(RepackOptions::default()).unwrap();
        assert_eq!(
            closed.mesh.count(Kind::Vertex) as usize,
            now.positions.len()
        );
    }
}

/// Returns the triangles that no operator may change, sorted.
fn frozen(m: &Marked) -> Vec<[Place; 3]> {
    let arrays = m.session.to_host().unwrap();
    let x = m.session.values(m.x).unwrap().read().unwrap();
    let mut all: Vec<_> = (arrays.fe.chunks_exact(3).zip(&arrays.frozen))
        .filter(|(sides, frozen)| sides[0] != NONE && **frozen)
        .map(|(sides, _)| triangle([0, 1, 2].map(|k| x[arrays.ev[sides[k] as usize] as usize])))
        .collect();
    all.sort_unstable();
    all
}

/// Meshes with non-manifold or unoriented places: every operator leaves those unchanged.
fn frozen_faces_stay(engine: &Engine) {
    let n = if is_slow(engine) { 5 } else { 12 };
    let meshes: [(&str, TriMesh); 6] = [
        ("book", fixtures::non_manifold_edge(3, 4)),
        ("two tetrahedra", fixtures::non_manifold_vertex()),
        ("fin", fixtures::fin(false)),
        ("Moebius strip", fixtures::moebius(9)),
        ("mixed", fixtures::mixed_orientation(n, n, 7)),
        ("soup", fixtures::soup(11, 4 * n, 10 * n as usize)),
    ];
    for (name, mesh) in meshes {
        for patch_size in [8, 64] {
            let rx = patched(engine, &mesh, patch_size);
            let mut m = Marked::<Speculative>::open(&rx, &mesh).unwrap();
            let before = frozen(&m);
            assert_eq!(before.len(), m.session.frozen_faces() as usize, "{name}");
            assert!(!before.is_empty(), "{name} has no frozen face");
            let mut rng = Rng::new(u64::from(patch_size));
            let x = m.x;
            let report = delaunay(&mut m.session, x, &DelaunayOptions::default()).unwrap();
            assert!(report.run.finished, "{name}: {report:?}");
            check(&m.session, name);
            assert_eq!(frozen(&m), before, "{name}");
            for edit in Edit::ALL {
                m.mark_some(edit, &mut rng, 50, 3);
                m.run_checked(edit, Seeds::All, name);
                assert_eq!(frozen(&m), before, "{name}, {edit:?}");
            }
            // The patches that are made of it contain all of them.
            let (now, _) = m.session.to_mesh(m.x).unwrap();
            let mut closed = m.session.close(RepackOptions::default()).unwrap();
            let x = closed
                .take::<Vertex, Vec3>(x)
                .unwrap()
                .to_input(&closed.mesh)
                .unwrap();
            assert_eq!(x.len(), now.positions.len(), "{name}");
            let all = triangles(&now);
            for t in &before {
                assert!(all.binary_search(t).is_ok(), "{name}: {t:?} is gone");
            }
        }
    }
}
