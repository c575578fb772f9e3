//! Elastic bodies: forces, products and steps of cubes whose vertices are moved by up to a fifth of an edge.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::mesh::Rng;
use rxmesh_host::store::Attribute;
use rxmesh_kernels::topo::Vertex;
use rxmesh_simulation::solve::{Damping, Explicit, Implicit, ImplicitOptions};
use rxmesh_simulation::{Body, Elasticity, Forces, Material, Stiffness, Surroundings};

use super::{BodyBench, measured, meshes};
use crate::measure::{self, Effort};
use crate::subject::Measured;

/// Makes a body that is at rest in one shape and moved into another.
fn body(b: &BodyBench<'_>) -> Result<Body> {
    let mesh = meshes::volume(b.mesh)?;
    let edge = 1.0 / (mesh.cells.len() as f64 / 6.0).cbrt();
    let mut rng = Rng::new(2);
    let mut number = || (0.1 * edge * rng.signed_unit()) as f32;
    let moved: Vec<Vec3> = (mesh.positions.iter())
        .map(|p| *p + Vec3::new(number(), number(), number()))
        .collect();
    let mut body = Body::new(b.engine, &mesh, Material::default())?;
    body.set_positions(&moved)?;
    Ok(body)
}

pub(super) fn force(b: &BodyBench<'_>, elasticity: Elasticity) -> Result<Measured> {
    let body = body(b)?;
    let forces = Forces::new(&body, elasticity)?;
    let mut to: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    let times = measure::launches(b.engine, b.effort, || Ok(forces.forces(&body, &mut to)?))?;
    Ok(measured(&body, 2, times))
}

pub(super) fn explicit(b: &BodyBench<'_>) -> Result<Measured> {
    let mut body = body(b)?;
    let mut solver = Explicit::new(&body, Elasticity::NeoHookean, Damping::default())?;
    let around = Surroundings::new(b.engine)?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(solver.step(&mut body, &around, 1e-6)?)
    })?;
    Ok(measured(&body, 2, times))
}

/// Measures the product, completion of its sums included.
pub(super) fn product(b: &BodyBench<'_>) -> Result<Measured> {
    let body = body(b)?;
    let mut stiffness = Stiffness::new(&body, Elasticity::NeoHookean)?;
    stiffness.update(&body)?;
    let mut x: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    let mut y: Attribute<Vertex, Vec3> = body.mesh().attribute()?;
    x.download()?;
    x.host_mut()?.fill(Vec3::X);
    x.upload()?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(stiffness.times(&body, &x, &mut y)?)
    })?;
    Ok(measured(&body, 2, times))
}

/// Measures three Newton iterations of 50 iterations of conjugate gradients, whatever the residual.
pub(super) fn implicit(b: &BodyBench<'_>) -> Result<Measured> {
    let options = ImplicitOptions {
        newton: 3,
        tolerance: 0.0,
        linear: 50,
        linear_tolerance: 0.0,
        ..ImplicitOptions::default()
    };
    let mut body = body(b)?;
    let mut solver = Implicit::new(&body, options)?;
    let around = Surroundings::new(b.engine)?;
    let effort = Effort {
        batch: 1,
        ..b.effort
    };
    let times = measure::launches(b.engine, effort, || {
        Ok(solver.step(&mut body, &around, 0.01)?)
    })?;
    solver.report()?;
    Ok(measured(&body, solver.launches(), times))
}
