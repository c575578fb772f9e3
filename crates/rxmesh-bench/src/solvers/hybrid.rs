//! Copies of a body that fall on a grid.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_simulation::solve::{GridOptions, Hybrid, HybridOptions};
use rxmesh_simulation::{Body, Elasticity, Material, Materials, Surroundings};

use super::{BodyBench, measured, meshes};
use crate::measure::{self, Effort};
use crate::subject::Measured;

/// Distance from one copy to the next, in sizes of the body.
const APART: f32 = 1.2;

/// Returns the offsets of the copies: a grid along x, y and z that is as nearly cubic as possible.
fn offsets(copies: usize) -> Vec<Vec3> {
    let side = (1..).find(|n: &usize| n.pow(3) >= copies).unwrap_or(1);
    (0..copies)
        .map(|k| [k % side, k / side % side, k / side / side].map(|n| n as f32 * APART))
        .map(Vec3::from)
        .collect()
}

/// Returns the side of a cube of six average cells: the distance of the grid's nodes.
fn spacing(mesh: &TetMesh) -> f32 {
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let six = |&[a, b, c, d]: &[u32; 4]| (x(b) - x(a)).cross(x(c) - x(a)).dot(x(d) - x(a));
    let mean = mesh.cells.iter().map(six).sum::<f64>() / mesh.cells.len() as f64;
    mean.cbrt() as f32
}

/// Measures one substep of a frame, with all its parts: forces, sorting, both transfers.
pub(super) fn substep(b: &BodyBench<'_>) -> Result<Measured> {
    let (mesh, copies) = meshes::copies(b.mesh)?;
    let (engine, effort) = (b.engine, b.effort);
    let offsets = offsets(copies);
    let options = VolumeOptions::default();
    let materials = Materials::uniform(Material::default());
    let mut body = Body::copies(engine, &mesh, &materials, &options, &offsets)?;
    let extent = |of: &[Vec3]| {
        let all = of
            .iter()
            .fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
        (all.0, all.1)
    };
    let ((low, high), (first, last)) = (extent(&mesh.positions), extent(&offsets));
    let spacing = spacing(&mesh);
    let grid = GridOptions::new(spacing, low + first - 0.5, high + last + 0.5);
    let moves = HybridOptions {
        elasticity: Elasticity::Corotated,
        ..HybridOptions::default()
    };
    let mut hybrid = Hybrid::new(engine, &[(&body, moves)], grid)?;
    let around = Surroundings::new(engine)?;
    let (frame, batch) = if engine.is_cuda() {
        (16, 1)
    } else {
        (1, effort.batch)
    };
    let span = hybrid.longest_step() * frame as f32;
    let effort = Effort { batch, ..effort };
    let step = || Ok(hybrid.step(&mut [&mut body], &around, span)?);
    let mut times = measure::launches(engine, effort, step)?;
    let steps = f64::from(hybrid.report().steps.max(1));
    for all in [&mut times.ms, &mut times.single_ms, &mut times.wall_ms] {
        all.iter_mut().for_each(|ms| *ms /= steps);
    }
    Ok(measured(&body, hybrid.launches(), times))
}
