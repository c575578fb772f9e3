//! Boundary flags against the oracle.

use rxmesh_host::algo::boundary;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Kind;
use rxmesh_tests::conformance;
use rxmesh_tests::fixtures::each_mesh;
use rxmesh_tests::ids::InputIds;

conformance! { vertices, edges, faces }

fn vertices(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let flags = boundary::vertices(rx)
            .and_then(|mut a| a.to_input(rx))
            .expect("flags");
        assert_eq!(
            flags,
            fixture.oracle().boundary_vertices(),
            "vertices of {what}"
        );
    });
}

fn edges(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let flags = boundary::edges(rx)
            .and_then(|mut a| a.to_input(rx))
            .expect("flags");
        let want = fixture.oracle().boundary_edges();
        let ids = InputIds::new(rx, fixture.oracle());
        // Edges come in linear order, without slack.
        let order: Vec<u32> = ids
            .all(Kind::Edge)
            .iter()
            .copied()
            .filter(|&e| e != u32::MAX)
            .collect();
        assert_eq!(flags.len(), want.len(), "edges of {what}");
        for (flag, &e) in flags.iter().zip(&order) {
            assert_eq!(
                *flag,
                want[e as usize],
                "edge {:?} of {what}",
                fixture.oracle().edges[e as usize]
            );
        }
    });
}

fn faces(engine: &Engine) {
    each_mesh(engine, |what, fixture, rx| {
        let flags = boundary::faces(rx)
            .and_then(|mut a| a.to_input(rx))
            .expect("flags");
        assert_eq!(flags, fixture.oracle().boundary_faces(), "faces of {what}");
    });
}
