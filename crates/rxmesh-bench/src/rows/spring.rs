//! Mass-spring steps (MeshTaichi 2022, section 8.1), through the library's calls.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::spring::{SpringForces, SpringOptions, Springs};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Ribbon};
use crate::measure::{self, Times};
use crate::reference::{Against, Goal};

/// Number of conjugate-gradient iterations of an implicit step.
const ITERATIONS: u32 = 10;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "spring-gather",
        "mass-spring system: one explicit step, forces gathered over VV",
        |b| explicit(b, SpringForces::Gather),
    )
    .counts(
        "a whole explicit step: forces and integration",
        "EV, ribbon V, positions, rest, velocities and pins 40 V",
        "positions, velocities 24 V",
    )
    .against(&[Against::taichi(&[
        "spring forces, gather, kernel",
        "spring forces, gather, wall",
    ])
    .less("forces alone")])
    .goals(&[Goal::gpu(1_280_000, 0.015)]),
    Row::time(
        "spring-scatter",
        "the same, forces scattered over EV",
        |b| explicit(b, SpringForces::Scatter),
    )
    .counts(
        "a whole explicit step: forces and integration",
        "EV, ribbon V, positions, rest, velocities and pins 40 V",
        "positions, velocities 24 V",
    )
    .against(&[Against::taichi(&[
        "spring forces, scatter, kernel",
        "spring forces, scatter, wall",
    ])
    .less("forces alone")])
    .goals(&[Goal::gpu(1_280_000, 0.030)]),
    Row::time(
        "spring-implicit",
        "mass-spring system: one implicit step of 10 conjugate-gradient iterations",
        implicit,
    )
    .counts(
        "a whole implicit step of 10 conjugate-gradient iterations",
        "ten times EV, ribbon V and seven vectors with pins",
        "ten times four vectors",
    )
    .against(&[Against::taichi(&[
        "spring step, implicit, scalars on the host",
        "spring step, implicit, scalars on the device",
    ])])
    .goals(&[Goal::gpu(20_000, 0.1), Goal::gpu(1_280_000, 0.4)]),
];

/// Makes a stretched mesh, pinned at its first vertex and under gravity: it keeps moving while it is measured.
fn system<'a>(b: &TriangleBench<'a>) -> Result<Springs<'a>> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?;
    let mut pins = vec![0u32; b.mesh.vertex_count()];
    pins[0] = 1;
    let fixed = b.rx.attribute_from::<Vertex, u32>(&pins)?;
    let options = SpringOptions::default().with(|o| {
        o.damping = 0.0;
    });
    let mut springs = Springs::new(b.rx, &x, &fixed, &options)?;
    let longer: Vec<Vec3> = b.mesh.positions.iter().map(|&p| p * 1.02).collect();
    *springs.positions() = b.rx.attribute_from(&longer)?;
    Ok(springs)
}

fn measured(b: &TriangleBench<'_>, times: Times, vectors: u64, what: &str) -> Measured {
    let v = b.count(Kind::Vertex);
    Measured {
        per: "vertex",
        elements: v,
        floor: b
            .parts
            .floor(&[Ev, Ribbon(Kind::Vertex)], &[(vectors * v, what)]),
        times,
        ..Measured::default()
    }
}

fn explicit(b: &TriangleBench<'_>, forces: SpringForces) -> Result<Measured> {
    let mut springs = system(b)?;
    let times = measure::launches(b.engine, b.effort, || Ok(springs.step_explicit(forces)?))?;
    springs.energy()?; // an error if a value is not finite
    let what = "positions, rest, velocities and pins read, positions and velocities written";
    Ok(measured(b, times, 64, what))
}

fn implicit(b: &TriangleBench<'_>) -> Result<Measured> {
    let mut springs = system(b)?;
    let times = measure::launches(b.engine, b.effort, || {
        Ok(springs.step_implicit(ITERATIONS, 0.0)?)
    })?;
    let solve = springs.last_solve()?;
    ensure!(
        solve.is_some_and(|s| s.iterations == ITERATIONS),
        "the solver stopped early: {solve:?}"
    );
    springs.energy()?;
    // Two passes per iteration, as in mean curvature flow: positions, rest, pins, d, r and the change read, d, q and
    // the change written; then q and r read and r written. The topology is read in each.
    let mut m = measured(
        b,
        times,
        136,
        "the vectors and pins of an iteration; all ten times",
    );
    m.floor.bytes *= u64::from(ITERATIONS);
    if let Some(s) = solve {
        m.figures.insert("residual".to_owned(), s.residual.into());
    }
    Ok(m)
}
