use rxmesh_host::{
    Vec3, algo::delaunay::*, edit::Session, engine::Engine, kernels::topo::Vertex, mesh::generate,
    patch::PatchOptions, store::RxMesh,
};
use std::time::Instant;
fn main() {
    let levels: u32 = std::env::args().nth(1).map_or(4, |a| a.parse().unwrap());
    let engine = Engine::cpu();
    let mut mesh = generate::icosphere(levels).unwrap();
    generate::noise(&mut mesh, 0.25, 1).unwrap();
    let rx = RxMesh::new(
        &engine,
        mesh.positions.len(),
        &mesh.faces,
        &PatchOptions::default(),
    )
    .unwrap();
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions).unwrap();
    for _ in 0..3 {
        let t = Instant::now();
        let mut s = Session::open(&rx).unwrap();
        let c = s.attach(&x).unwrap();
        let o = t.elapsed();
        let t = Instant::now();
        let r = delaunay(&mut s, c, &DelaunayOptions::default()).unwrap();
        println!(
            "{} faces, open {o:?}, delaunay {:?} {r:?}",
            mesh.faces.len(),
            t.elapsed()
        );
        if levels < 7 {
            println!("{:?}", s.validate().unwrap());
        }
    }
}
