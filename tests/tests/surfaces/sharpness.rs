//! Sharpness of edges and vertices on every engine.

use super::topology::mesh_of;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{SharpEdge, SharpVertex};
use rxmesh_subdivision::{Boundary, Mesh, Sharpness};
use rxmesh_tests::conformance;

conformance! { lists_become_tables, no_edge_is_named }

fn edge(ends: [u32; 2], sharpness: f32) -> SharpEdge {
    SharpEdge { ends, sharpness }
}

/// Returns two quads side by side: 0 1 2 over 3 4 5.
fn strip() -> Vec<Vec<u32>> {
    vec![vec![3, 4, 1, 0], vec![4, 5, 2, 1]]
}

fn lists_become_tables(engine: &Engine) {
    let mut poly = mesh_of(7, &strip());
    let mesh = Mesh::new(engine, &poly).unwrap();
    let halves = mesh.to_host().unwrap().halves;
    let smooth = Sharpness::new(&mesh, &poly, Boundary::EdgeOnly).unwrap();
    assert_eq!(smooth.to_host().unwrap(), [Vec::<f32>::new(), Vec::new()]);
    assert_eq!(smooth.bytes(), 0);
    let cornered = Sharpness::new(&mesh, &poly, Boundary::EdgeAndCorner).unwrap();
    let corners = vec![10.0, 0.0, 10.0, 10.0, 0.0, 10.0, 0.0];
    assert_eq!(cornered.to_host().unwrap(), [vec![], corners]);
    // The last value counts, in whichever direction it names the edge; boundary edges are sharp anyway.
    poly.sharp_edges = vec![edge([4, 1], 7.0), edge([0, 1], 2.0), edge([1, 4], 1.5)];
    poly.sharp_vertices = [(1, 3.0), (1, 0.5), (0, 2.0)]
        .map(|(vertex, sharpness)| SharpVertex { vertex, sharpness })
        .to_vec();
    let sharp = Sharpness::new(&mesh, &poly, Boundary::None).unwrap();
    let [edges, vertices] = sharp.to_host().unwrap();
    for (e, &h) in halves.iter().enumerate() {
        let inside = h == 1;
        assert_eq!(edges[e], if inside { 1.5 } else { 10.0 }, "edge {e}");
    }
    assert_eq!(vertices, [2.0, 0.5, 0.0, 0.0, 0.0, 0.0, 0.0]);
    assert_eq!(sharp.most(), 7.0);
    // Two fans at a vertex make it sharp under every rule.
    let fans = mesh_of(7, &[vec![0, 1, 2], vec![0, 3, 4]]);
    let mesh = Mesh::new(engine, &fans).unwrap();
    let sharp = Sharpness::new(&mesh, &fans, Boundary::None).unwrap();
    assert_eq!(sharp.to_host().unwrap()[1][..2], [10.0, 0.0]);
}

fn no_edge_is_named(engine: &Engine) {
    let mut poly = mesh_of(7, &strip());
    let mesh = Mesh::new(engine, &poly).unwrap();
    // The diagonal of a face is not an edge, nor is a pair with a vertex without faces.
    for ends in [[0, 4], [2, 6], [6, 2]] {
        poly.sharp_edges = vec![edge([1, 2], 1.0), edge(ends, 1.0), edge([3, 5], 1.0)];
        let error = Sharpness::new(&mesh, &poly, Boundary::EdgeOnly).unwrap_err();
        let text = error.to_string();
        let pair = format!("vertices {} and {}", ends[0], ends[1]);
        assert!(
            text.contains("sharp edge 1 ") && text.contains(&pair),
            "{text}"
        );
    }
}
