//! Runs a kernel of the program: the mean distance of each vertex from its neighbours.
//!
//! `cargo run --release -p rxmesh --example own_kernel`; for the GPU see `examples/custom-kernel`.

use rxmesh::kernels::{ForEach, Neighbours, Owned, Read, VV, Write, kernel, kernels, math};
use rxmesh::{Engine, Mesh, Result, Vec3, Vertex, generate, reduce};

kernel! {
    struct Spacing: ForEach<VV> {
        x: Read<Vertex, Vec3>,
        mean: Write<Vertex, f32>,
    }
}

impl ForEach<VV> for Spacing {
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let away = |w| math::length(self.x.get(w) - self.x.get(v));
        let sum: f32 = ring.iter().map(away).sum();
        self.mean.set(v, sum / ring.len().max(1) as f32);
    }
}

kernels! { KERNELS = "own_kernel_fingerprint"; patch own_spacing: Spacing; }

fn main() -> Result<()> {
    let ball = Mesh::on(generate::icosphere(4)?, Engine::cpu());
    let rx = ball.patches()?;
    let x = rx.attribute_from::<Vertex, Vec3>(ball.positions()?)?;
    let mut mean = rx.attribute::<Vertex, f32>()?;
    let (x, y) = (x.read()?, mean.write()?);
    rx.run(Spacing { x, mean: y })?;
    let (least, most) = (reduce::min(&rx, &mean)?, reduce::max(&rx, &mean)?);
    println!("neighbours are {least:.4} to {most:.4} away");
    Ok(())
}
