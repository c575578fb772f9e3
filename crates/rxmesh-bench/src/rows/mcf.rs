//! Mean curvature flow: iterations of its solver, and whole solves.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::mcf::{McfIterations, McfOptions, mean_curvature_flow, mean_edge_length};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::apps::positions;
use super::{Bench, Measured};
use crate::floor::Part::Ribbon;
use crate::measure::{self, Times};

/// Iterations that are timed together.
const ITERATIONS: u32 = 32;

/// One iteration: a number of them launched one after the other from the start, without the set-up and without looks at the
/// convergence.
fn iteration_times(
    b: &Bench<'_>,
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    matrix_free: bool,
) -> Result<(Times, f64)> {
    // A large step converges slowly: the residual stays far from the smallest numbers.
    let mean = mean_edge_length(rx, x)?;
    let options = McfOptions {
        tolerance: 1e-30,
        matrix_free,
        preconditioner: false,
        ..McfOptions::default()
    };
    let mut residual = 0.0;
    let mut sample = |clock: fn(&_, &mut dyn FnMut() -> Result<()>) -> Result<f64>| {
        let mut solver = McfIterations::new(rx, x, 1000.0 * mean * mean, &options)?;
        b.engine.synchronize()?;
        let ms = clock(b.engine, &mut || {
            (0..ITERATIONS).try_for_each(|_| Ok(solver.iterate()?))
        })?;
        let (iterations, reached) = solver.progress()?;
        residual = reached;
        ensure!(
            iterations == ITERATIONS && residual > 1e-20,
            "the solver stopped early: after {iterations} iterations at {residual}"
        );
        Ok(ms / f64::from(ITERATIONS))
    };
    sample(|engine, work| measure::wall_ms(engine, work))?;
    let mut times = Times {
        ms: b
            .effort
            .samples(|| sample(|engine, work| measure::engine_ms(engine, work)))?,
        ..Times::default()
    };
    if b.engine.is_cuda() {
        times.wall_ms = b
            .effort
            .samples(|| sample(|engine, work| measure::wall_ms(engine, work)))?;
    }
    Ok((times, residual))
}

/// An iteration with weights computed anew on any mesh: its times, and the residual after some.
pub(super) fn matrix_free_times(
    b: &Bench<'_>,
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
) -> Result<(Times, f64)> {
    iteration_times(b, rx, x, true)
}

fn iteration(b: &Bench<'_>, matrix_free: bool) -> Result<Measured> {
    let (times, residual) = iteration_times(b, b.rx, &positions(b)?, matrix_free)?;
    let vertices = b.count(Kind::Vertex);
    // Two passes, because the dot products stand between them: d, r read and d, q written; then x, d, r, q read and x, r written.
    let vectors = (
        12 * 10 * vertices + 4 * vertices,
        "ten vectors and the areas",
    );
    let floor = match matrix_free {
        true => b.parts.floor(
            &[Ribbon(Kind::Vertex)],
            &[
                vectors,
                (12 * vertices, "positions"),
                (b.prepared_bytes("fans"), "table of the corners"),
            ],
        ),
        false => b.parts.floor(
            &[Ribbon(Kind::Vertex)],
            &[
                vectors,
                (b.prepared_bytes("VV"), "table of VV"),
                (8 * b.count(Kind::Edge), "weights"),
            ],
        ),
    };
    let mut measured = Measured {
        per: "vertex",
        elements: vertices,
        floor,
        times,
        ..Measured::default()
    };
    measured
        .figures
        .insert("residual".to_owned(), residual.into());
    Ok(measured)
}

pub(super) fn matrix_free(b: &Bench<'_>) -> Result<Measured> {
    iteration(b, true)
}

pub(super) fn assembled(b: &Bench<'_>) -> Result<Measured> {
    iteration(b, false)
}

/// A whole solve with the defaults of the command line.
pub(super) fn solve(b: &Bench<'_>) -> Result<Measured> {
    let start = positions(b)?;
    let mut x = positions(b)?;
    let mut last = mean_curvature_flow(b.rx, &mut x, &McfOptions::default())?;
    let ms = b.effort.samples(|| {
        x.copy_from(&start)?;
        b.engine.synchronize()?;
        measure::wall_ms(b.engine, || {
            last = mean_curvature_flow(b.rx, &mut x, &McfOptions::default())?;
            Ok(())
        })
    })?;
    ensure!(last.converged, "the solver did not converge: {last:?}");
    let mut measured = Measured {
        per: "vertex",
        elements: b.count(Kind::Vertex),
        times: Times {
            ms,
            ..Times::default()
        },
        ..Measured::default()
    };
    measured
        .figures
        .insert("iterations".to_owned(), last.iterations.into());
    measured
        .figures
        .insert("residual".to_owned(), last.residual.into());
    Ok(measured)
}
