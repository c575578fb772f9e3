//! Reads a mesh, smooths it by mean curvature flow, writes it.
//!
//! `cargo run --release -p rxmesh-host --example smooth -- data/bunny.obj smooth.ply`

use rxmesh_host::algo::mcf::{McfOptions, mean_curvature_flow};
use rxmesh_host::io::{self, ReadOptions, WriteOptions};
use rxmesh_host::{Engine, Error, RxMesh, Vertex};
use std::path::Path;
use std::process::ExitCode;

fn smooth(from: &Path, to: &Path) -> Result<(), Error> {
    let mut mesh = io::read(from, &ReadOptions::default())?.mesh;
    let (engine, _why_not_the_gpu) = Engine::auto();
    let rx = RxMesh::from_mesh(&engine, &mesh)?;
    let mut x = rx.attribute_from::<Vertex, _>(&mesh.positions)?;
    let report = mean_curvature_flow(&rx, &mut x, &McfOptions::default())?;
    println!("{} iterations on {}", report.iterations, engine.name());

    mesh.positions = x.to_input(&rx)?; // in the order of the file
    io::write(to, &mesh, &WriteOptions::default())?;
    Ok(())
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let done = match &args[..] {
        [from, to] => smooth(Path::new(from), Path::new(to)).map_err(|e| e.to_string()),
        _ => Err("usage: smooth <mesh> <output>".to_owned()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}
