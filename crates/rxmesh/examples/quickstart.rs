//! Reads a mesh, simplifies it, and writes it.
//!
//! `cargo run --release -p rxmesh --example quickstart`

use rxmesh::{Faces, Mesh, Result, simplify};

fn main() -> Result<()> {
    let bunny = Mesh::read("data/bunny.obj")?;
    let (small, report) = simplify(&bunny, Faces(1000))?;
    println!("{} of {} faces", report.faces(), bunny.face_count());
    small.write("small.ply")
}
