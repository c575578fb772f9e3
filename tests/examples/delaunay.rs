//! Times Delaunay flips and the opening of a session on the CPU engine.
//!
//!     cargo run --release -p rxmesh-tests --example delaunay -- MESH [LEVELS [NOISE]]
//!
//! LEVELS Loop subdivisions are applied first, then noise of NOISE mean edge lengths.

use glam::Vec3;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::ReadOptions;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::generate::noise;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_subdivision::{Options, Scheme, refine_triangles};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: f64| args.get(i).map_or(Ok(default), |a| a.parse::<f64>());
    let mesh = rxmesh_host::io::read(args[1].as_ref(), &ReadOptions::default())?.mesh;
    let engine = Engine::cpu();
    let loops = Options {
        scheme: Scheme::Loop,
        levels: number(2, 0.0)? as u32,
        ..Options::default()
    };
    let mut mesh = refine_triangles(&engine, &mesh, &loops)?;
    noise(&mut mesh, number(3, 0.25)? as f32, 1)?;
    let rx = RxMesh::new(
        &engine,
        mesh.vertex_count(),
        &mesh.faces,
        &PatchOptions::default(),
    )?;
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let options = DelaunayOptions::default().with(|o| {
        o.count_left = false;
    });
    for _ in 0..5 {
        let start = Instant::now();
        let mut session = Session::open(&rx)?;
        let x = session.attach(&x)?;
        let opened = start.elapsed();
        let start = Instant::now();
        let report = delaunay(&mut session, x, &options)?;
        println!(
            "opened in {opened:.1?}, {} flips in {:.1?}, {} rounds, {} conflicts, {} refused",
            report.run.done,
            start.elapsed(),
            report.run.rounds,
            report.run.conflicts,
            report.run.refused
        );
    }
    Ok(())
}
