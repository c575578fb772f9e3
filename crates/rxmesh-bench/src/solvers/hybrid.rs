//! Copies of a body that fall on a grid.

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_simulation::solve::{GridOptions, Hybrid, HybridOptions};
use rxmesh_simulation::{Body, Elasticity, Material, Materials, Surroundings};

use super::{BodyBench, measured, meshes};
use crate::measure::{self, Effort, median};
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

/// Returns the corners of the box around points.
fn extent(of: &[Vec3]) -> (Vec3, Vec3) {
    of.iter()
        .fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)))
}

/// Substeps of a frame of MeshTaichi 2022, Figure 1.
const FRAME: f64 = 300.0;

/// Returns the offsets of copies in a box as nearly cubic as possible, at this distance along each axis.
fn packed(copies: usize, apart: Vec3) -> Vec<Vec3> {
    let side = (copies as f32 * apart.element_product()).cbrt();
    let [x, y] = [apart.x, apart.y].map(|a| (side / a).ceil().max(1.0) as usize);
    (0..copies)
        .map(|k| [k % x, k / x % y, k / (x * y)].map(|n| n as f32))
        .map(|at| Vec3::from(at) * apart)
        .collect()
}

/// Measures a substep of copies that fall onto the floor of a box (MeshTaichi 2022, section 8.6), with the memory and
/// the time of a frame.
pub(super) fn scene(b: &BodyBench<'_>) -> Result<Measured> {
    let start = std::time::Instant::now();
    let [before, _] = b.engine.allocated();
    b.engine.forget_most_allocated();
    let (mesh, copies) = meshes::copies(b.mesh, b.copies)?;
    let spacing = spacing(&mesh);
    let (low, high) = extent(&mesh.positions);
    // Two nodes between the boxes of neighbours: they do not touch at first.
    let offsets = packed(copies, high - low + 2.0 * spacing);
    let options = VolumeOptions::default();
    let materials = Materials::uniform(Material::default());
    let mut body = Body::copies(b.engine, &mesh, &materials, &options, &offsets)?;
    let (first, last) = extent(&offsets);
    let floor = Vec3::splat(2.0 * spacing);
    let grid = GridOptions::new(spacing, low + first - floor, high + last + floor);
    let moves = HybridOptions {
        elasticity: Elasticity::Corotated,
        ..HybridOptions::default()
    };
    let mut hybrid = Hybrid::new(b.engine, &[(&body, moves)], grid)?;
    let around = Surroundings::new(b.engine)?;
    let steps = if b.engine.is_cuda() { 16 } else { 1 };
    let length = hybrid.longest_step();
    let mut step =
        || -> Result<()> { Ok(hybrid.step(&mut [&mut body], &around, length * steps as f32)?) };
    // Allocates the blocks of the grid.
    step()?;
    let setup = start.elapsed().as_secs_f64();
    let mut count = 0;
    let effort = Effort {
        batch: 1,
        ..b.effort
    };
    let mut times = measure::launches(b.engine, effort, || {
        count += 1;
        step()
    })?;
    let report = hybrid.report();
    for all in [&mut times.ms, &mut times.single_ms, &mut times.wall_ms] {
        all.iter_mut()
            .for_each(|ms| *ms /= f64::from(report.steps.max(1)));
    }
    let [_, most] = b.engine.allocated();
    let substep = median(&times.ms);
    Ok(measured(&body, hybrid.launches(), times)
        .with("copies", copies)
        .with("vertices", body.vertex_count())
        .with("device_bytes", most - before)
        .with("grid_blocks", report.blocks)
        .with("steps_run", count * report.steps)
        .with("step_s", report.least)
        .with("substeps_a_frame", FRAME)
        .with("frame_s", substep * FRAME / 1e3)
        .with("setup_s", setup))
}

/// Measures one substep of a frame, with all its parts: forces, sorting, both transfers.
pub(super) fn substep(b: &BodyBench<'_>) -> Result<Measured> {
    let (mesh, copies) = meshes::copies(b.mesh, b.copies)?;
    let (engine, effort) = (b.engine, b.effort);
    let offsets = offsets(copies);
    let options = VolumeOptions::default();
    let materials = Materials::uniform(Material::default());
    let mut body = Body::copies(engine, &mesh, &materials, &options, &offsets)?;
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
