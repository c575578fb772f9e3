//! Bars and boxes that several checks use.

use glam::DVec3;
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TetMesh, generate};
use rxmesh_simulation::solve::{Implicit, ImplicitOptions};
use rxmesh_simulation::{Body, Material, Surroundings};

/// Makes a bar of cubes along x.
pub(super) fn bar(n: [u32; 3], size: [f32; 3]) -> TetMesh {
    generate::tet_box(n, size).unwrap()
}

pub(super) const RUBBER: Material = Material {
    young: 1e5,
    poisson: 0.3,
    density: 1000.0,
};

pub(super) fn at_x(mesh: &TetMesh, x: f32) -> Vec<u32> {
    let there = |&v: &u32| (mesh.positions[v as usize].x - x).abs() < 1e-5;
    (0..mesh.vertex_count() as u32).filter(there).collect()
}

pub(super) fn random(n: usize, seed: u64, size: f32) -> Vec<Vec3> {
    let mut rng = Rng::new(seed);
    let mut number = || rng.signed_unit() as f32 * size;
    (0..n)
        .map(|_| Vec3::new(number(), number(), number()))
        .collect()
}

pub(super) fn weightless(engine: &Engine) -> Surroundings {
    let mut around = Surroundings::new(engine).unwrap();
    around.set_gravity(Vec3::ZERO).unwrap();
    around
}

/// Computes linear and angular momentum.
pub(super) fn momentum(body: &mut Body) -> [DVec3; 2] {
    let (x, v, m) = (
        body.positions().unwrap(),
        body.velocities().unwrap(),
        body.masses().unwrap(),
    );
    let mut sums = [DVec3::ZERO; 2];
    for ((x, v), m) in x.iter().zip(&v).zip(&m) {
        let p = v.as_dvec3() * f64::from(*m);
        sums[0] += p;
        sums[1] += x.as_dvec3().cross(p);
    }
    sums
}

/// Steps until nothing moves: with long steps, in which inertia counts for little.
pub(super) fn settle(
    body: &mut Body,
    around: &Surroundings,
    options: ImplicitOptions,
    steps: u32,
    dt: f32,
) -> Implicit {
    let mut solver = Implicit::new(body, options).unwrap();
    for _ in 0..steps {
        solver.step(body, around, dt).unwrap();
    }
    solver
}

/// Returns the mean position of vertices.
pub(super) fn mean(x: &[Vec3], of: &[u32]) -> DVec3 {
    let sum: DVec3 = of.iter().map(|&v| x[v as usize].as_dvec3()).sum();
    sum / of.len() as f64
}
