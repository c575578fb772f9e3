//! Polygon meshes into patches without a patcher.

use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{PolyMesh, generate};
use rxmesh_subdivision::Mesh;
use rxmesh_tests::conformance;

conformance! { labels_become_patches }

fn labels_become_patches(engine: &Engine) {
    let torus = generate::torus(24, 16, 1.0, 0.4).unwrap();
    let mut grid = generate::grid(9, 7).unwrap();
    grid.positions.push(Vec3::ONE);
    for mesh in [torus, grid] {
        let poly = PolyMesh::from(mesh.clone());
        let surface = Mesh::new(engine, &poly).unwrap();
        let labels: Vec<u32> = (0..mesh.face_count() as u32).map(|f| f / 50).collect();
        let count = labels[labels.len() - 1] + 1;
        let labels = engine.upload(&labels).unwrap();
        let made = surface.to_patches(&labels, count).unwrap();
        let set = made.mesh.patch_set().unwrap();
        let faults = set.validate(mesh.vertex_count(), &mesh.faces);
        assert!(faults.is_empty(), "{faults:?}");
        assert_eq!(made.mesh.count(Kind::Edge), surface.edge_count());
        // Positions follow.
        let x = engine.upload(&mesh.positions).unwrap();
        let mut moved = made
            .renumbering
            .attribute::<Vertex, Vec3>(&made.mesh, &x)
            .unwrap();
        assert_eq!(moved.to_input(&made.mesh).unwrap(), mesh.positions);
    }
    let quads = PolyMesh::new(vec![Vec3::ZERO; 4], &[4], vec![0, 1, 2, 3]).unwrap();
    let labels = engine.zeroed(1).unwrap();
    let refused = Mesh::new(engine, &quads)
        .unwrap()
        .to_patches(&labels, 1)
        .unwrap_err();
    assert!(refused.to_string().contains("triangles"), "{refused}");
}
