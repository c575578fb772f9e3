//! smoke
use rxmesh_host::{algo, engine::Engine, kernels::query::*, mesh::generate, patch::PatchOptions, store::RxMesh};
#[test]
fn smoke() {
    for engine in [Engine::cpu(), Engine::shuffled(3), Engine::team(7)] {
        let mesh = generate::icosphere(3).unwrap();
        let rx = RxMesh::new(&engine, mesh.vertex_count(), &mesh.faces, &PatchOptions { patch_size: 64, ..Default::default() }).unwrap();
        let vv = rx.query::<VV>().unwrap().read().unwrap();
        println!("{:?} {:?} VV {}", rx, engine.info(), vv.values.len());
        assert_eq!(vv.values.len() as u32, 2 * rx.count(rxmesh_host::kernels::topo::Kind::Edge));
        rx.query::<OrientedVV>().unwrap().read().unwrap();
        assert_eq!(rx.query::<FF>().unwrap().read().unwrap().values.len() as u32, 3 * mesh.face_count() as u32);
        assert_eq!(rx.query::<EE>().unwrap().read().unwrap().values.len() as u32, 6 * mesh.face_count() as u32);
        let mut x = rx.attribute_from(&mesh.positions).unwrap();
        let r = algo::mcf::mean_curvature_flow(&rx, &mut x, &Default::default()).unwrap();
        println!("{r:?}");
        let y = x.to_input(&rx).unwrap();
        println!("{:?} {:?}", y[0], mesh.positions[0]);
        let r2 = algo::kring::k_ring(&rx, 2).unwrap().read().unwrap();
        println!("{}", r2.values.len());
    }
}
