//! Mean curvature flow: iterations of its solver, and whole solves.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::lengths::mean_edge_length;
use rxmesh_host::algo::mcf::{McfIterations, McfOptions, mean_curvature_flow};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::measure::{self, Times};
use crate::mesh::Input;
use crate::reference::{Against, Goal};

/// Number of iterations that are timed together.
const ITERATIONS: u32 = 32;

const ASSEMBLED: [&str; 2] = [
    "MCF iteration, assembled CSR, cuSPARSE",
    "MCF iteration, assembled CSR, cuSPARSE, Jacobi",
];

const ITERATION: Row = Row::time(
    "mcf-iteration",
    "mean curvature flow: one conjugate-gradient iteration, weights computed anew",
    |b| iteration(b, true),
)
.counts(
    "32 iterations launched one after the other, over 32",
    "ribbon V, table of the corners, positions, six vectors",
    "four vectors",
)
.against(&[
    Against::new("RXMesh, assembled", "rxmesh-h200", &ASSEMBLED)
        .less("the product with a matrix that is ready"),
    Against::new(
        "RXMesh, matrix-free",
        "rxmesh-h200",
        &["MCF iteration, matrix-free"],
    )
    .less("weights are all one"),
    Against::new(
        "RXMesh, cotangent weights",
        "rxmesh-h200",
        &["MCF iteration, matrix-free, cotangent weights"],
    ),
])
.goals(&[Goal::gpu(20_000, 0.012), Goal::gpu(1_280_000, 0.065)]);

pub(super) const ROWS: &[Row] = &[
    ITERATION,
    ITERATION.on("mcf-iteration-shuffled", Input::Shuffled),
    ITERATION.on("mcf-iteration-sorted", Input::Sorted),
    Row::time(
        "mcf-iteration-assembled",
        "the same with the weights kept as a patch-local sparse matrix",
        |b| iteration(b, false),
    )
    .counts(
        "32 iterations launched one after the other, over 32",
        "ribbon V, table of VV, weights 8 E, six vectors",
        "four vectors",
    )
    .against(&[Against::new("RXMesh, assembled", "rxmesh-h200", &ASSEMBLED)])
    .goals(&[Goal::gpu(20_000, 0.012), Goal::gpu(1_280_000, 0.035)]),
    Row::time(
        "mcf-setup",
        "mean curvature flow: areas, weights and first residual, on the wall clock",
        setup,
    )
    .counts(
        "the call that makes a solver, relations prepared before, wall clock",
        "EV, FE, ribbon V, positions 12 V",
        "weights and areas 8 E + 4 V, residual and direction 24 V",
    ),
    Row::time(
        "mcf",
        "mean curvature flow: a whole solve to 1e-6 on the wall clock",
        solve,
    )
    .counts(
        "a whole solve to 1e-6, set-up included, wall clock",
        "",
        "no floor: the number of iterations depends on the mesh",
    )
    .against(&[
        Against::cpu("CHOLMOD", &["mcf, cholespy(CHOLMOD) factor+solve"]),
        Against::cpu("pmp, LDLT", &["mcf, pmp"]),
    ])
    .goals(&[Goal::cpu(1_280_000, 500.0)]),
];

/// Times one iteration of a solver that `start` makes: a number of them launched one after the other from the start,
/// without the set-up and without convergence checks. `progress` returns their number and the residual, which is
/// returned too.
pub(super) fn time_iterations<S>(
    b: &TriangleBench<'_>,
    start: impl Fn() -> Result<S>,
    iterate: impl Fn(&mut S) -> Result<()>,
    progress: impl Fn(&S) -> Result<(u32, f64)>,
) -> Result<(Times, f64)> {
    let mut residual = 0.0;
    let mut sample = |clock: fn(&_, &mut dyn FnMut() -> Result<()>) -> Result<f64>| {
        let mut solver = start()?;
        b.engine.synchronize()?;
        let ms = clock(b.engine, &mut || {
            (0..ITERATIONS).try_for_each(|_| iterate(&mut solver))
        })?;
        let (iterations, reached) = progress(&solver)?;
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

/// Returns the time step of the iterations that are timed: a large one converges slowly, so that the residual does not
/// approach the smallest floats.
pub(super) fn time_step(mean_edge: f64) -> f64 {
    1000.0 * mean_edge * mean_edge
}

/// Times one iteration ([`time_iterations`]).
fn iteration_times(
    b: &TriangleBench<'_>,
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    matrix_free: bool,
) -> Result<(Times, f64)> {
    let step = time_step(mean_edge_length(rx, x)?);
    let options = McfOptions::default().with(|o| {
        o.tolerance = 1e-30;
        o.matrix_free = matrix_free;
        o.preconditioner = false;
    });
    time_iterations(
        b,
        || Ok(McfIterations::new(rx, x, step, &options)?),
        |solver| Ok(solver.iterate()?),
        |solver| Ok(solver.progress()?),
    )
}

/// Times an iteration with recomputed weights on any mesh; also returns the residual after some.
pub(super) fn matrix_free_times(
    b: &TriangleBench<'_>,
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
) -> Result<(Times, f64)> {
    iteration_times(b, rx, x, true)
}

fn iteration(b: &TriangleBench<'_>, matrix_free: bool) -> Result<Measured> {
    let (times, residual) = iteration_times(b, b.rx, &b.positions()?, matrix_free)?;
    let vertices = b.count(Kind::Vertex);
    // Two passes, because the dot products separate them: d, r read and d, q written; then x, d, r, q read and x, r
    // written.
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

/// Measures the work of a solve before its first iteration, with the relation already prepared.
fn setup(b: &TriangleBench<'_>) -> Result<Measured> {
    let x = b.positions()?;
    let mean = mean_edge_length(b.rx, &x)?;
    let times = measure::calls(b.engine, b.effort, || {
        McfIterations::new(b.rx, &x, 10.0 * mean * mean, &McfOptions::default())?;
        Ok(())
    })?;
    let (v, e) = (b.count(Kind::Vertex), b.count(Kind::Edge));
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (12 * v, "positions read"),
            (8 * e + 4 * v, "weights and areas written"),
            (24 * v, "residual and direction written"),
        ],
    );
    Ok(b.of_vertices(floor, times))
}

/// Measures a whole solve with a step of ten squared mean edge lengths, which takes some tens of iterations.
fn solve(b: &TriangleBench<'_>) -> Result<Measured> {
    let start = b.positions()?;
    let mean = mean_edge_length(b.rx, &start)?;
    let options = McfOptions::default().with(|o| {
        o.time_step = Some(10.0 * mean * mean);
    });
    let mut x = b.positions()?;
    let mut last = mean_curvature_flow(b.rx, &mut x, &options)?;
    let ms = b.effort.samples(|| {
        x.copy_from(&start)?;
        b.engine.synchronize()?;
        measure::wall_ms(b.engine, || {
            last = mean_curvature_flow(b.rx, &mut x, &options)?;
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
