//! Keeps arrays of the program on the engine: uploads them, runs an algorithm and a reduction on them, downloads them.
//!
//! `cargo run --release -p rxmesh --example device_arrays`

use rxmesh::algo::laplacian;
use rxmesh::{Mesh, Result, SmoothOptions, Vec3, Vertex, reduce};

fn main() -> Result<()> {
    let bunny = Mesh::read("data/bunny.obj")?;
    let rx = bunny.patches()?;

    // One value for each vertex, in the order of the file: here a colour, red on half of the bunny.
    let colour = |p: &Vec3| if p.x < 0.0 { Vec3::X } else { Vec3::Y };
    let colours: Vec<Vec3> = bunny.positions()?.iter().map(colour).collect();
    let mut colours = rx.attribute_from::<Vertex, Vec3>(&colours)?;

    // An algorithm that moves vertices takes any vectors: it blurs the border of the colours.
    laplacian::smooth(&rx, &mut colours, &SmoothOptions::default())?;
    let sum = reduce::sum(&rx, &colours)?;

    let blurred: Vec<Vec3> = colours.to_input(&rx)?;
    let mixed = blurred.iter().filter(|c| c.x > 0.0 && c.y > 0.0).count();
    println!(
        "{mixed} of {} vertices have both colours, sum {sum:.0}",
        blurred.len()
    );
    Ok(())
}
