//! Simplifies a mesh on the CPU engine: times, and the distance of the result from the input.
//!
//!     cargo run --release -p rxmesh-tests --example simplify -- MESH [LEVELS [RATIO [QUANTILE]]]
//!
//! LEVELS Loop subdivisions are applied first.

use glam::Vec3;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::ReadOptions;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::patch::PatchOptions;
use rxmesh_host::store::RxMesh;
use rxmesh_subdivision::{Options, Scheme, refine_triangles};
use rxmesh_tests::distance::distance;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let args: Vec<String> = std::env::args().collect();
    let number = |i: usize, default: f64| args.get(i).map_or(Ok(default), |a| a.parse::<f64>());
    let (levels, ratio, quantile) = (number(2, 0.0)? as u32, number(3, 0.1)?, number(4, 0.0)?);
    let mesh = rxmesh_host::io::read(args[1].as_ref(), &ReadOptions::default())?.mesh;
    let engine = Engine::cpu();
    let loops = Options {
        scheme: Scheme::Loop,
        levels,
        ..Options::default()
    };
    let mesh = refine_triangles(&engine, &mesh, &loops)?;
    let rx = RxMesh::new(
        &engine,
        mesh.vertex_count(),
        &mesh.faces,
        &PatchOptions::default(),
    )?;
    let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
    let mut options = SimplifyOptions::new(Target::Ratio(ratio));
    if quantile > 0.0 {
        options.quantile = quantile;
    }
    let start = Instant::now();
    let mut session = Session::open(&rx)?;
    let x = session.attach(&x)?;
    let opened = start.elapsed();
    let start = Instant::now();
    let report = simplify(&mut session, x, &options)?;
    let took = start.elapsed();
    println!("{report:?}\nopened in {opened:.1?}, simplified in {took:.1?}");
    let (after, _) = session.to_mesh(x)?;
    let d = distance(&mesh, &after, 200_000);
    println!(
        "RMS {:.5} %, max {:.4} % of the diagonal",
        100.0 * d.rms,
        100.0 * d.max
    );
    Ok(())
}
