//! k-rings against breadth-first search.

use rxmesh_host::algo::kring::k_ring;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Kind;
use rxmesh_tests::conformance;
use rxmesh_tests::extent::{extent, is_long};
use rxmesh_tests::fixtures::each_mesh;
use rxmesh_tests::ids::InputIds;

conformance! { zero, one, two, three }

fn rings(engine: &Engine, k: u32) {
    each_mesh(engine, |what, fixture, rx| {
        if k > 2 && fixture.mesh.face_count() > extent(330, 1000) {
            return;
        }
        // All vertices are within two edges of each other: a million ids, a thousand times those of one ring.
        if k > 1 && fixture.name == "fan of 1000" && !is_long() {
            return;
        }
        let want = fixture.oracle().rings(k);
        let ids = InputIds::new(rx, fixture.oracle());
        let rows = k_ring(rx, k)
            .and_then(|r| Ok(r.read()?))
            .unwrap_or_else(|e| panic!("{k}-ring of {what}: {e}"));
        for (linear, &v) in ids.all(Kind::Vertex).iter().enumerate() {
            let row = rows.row(linear);
            assert!(
                row.is_sorted(),
                "{k}-ring of {what}: row {linear} is not in linear order: {row:?}"
            );
            let mut got: Vec<u32> = row.iter().map(|&w| ids.input(Kind::Vertex, w)).collect();
            got.sort_unstable();
            let want: &[u32] = if v == u32::MAX {
                &[]
            } else {
                &want[v as usize]
            };
            assert_eq!(got, want, "{k}-ring of {what}: vertex {v}");
        }
    });
}

fn zero(engine: &Engine) {
    rings(engine, 0);
}

fn one(engine: &Engine) {
    rings(engine, 1);
}

fn two(engine: &Engine) {
    rings(engine, 2);
}

fn three(engine: &Engine) {
    rings(engine, 3);
}
