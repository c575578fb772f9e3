//! Laplacian smoothing, and steps of iterated algorithms.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::laplacian::{SmoothOptions, SmoothWeights, smooth};
use rxmesh_host::store::Attribute;
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Measured, Row, TriangleBench};
use crate::floor::TopologyPart::{Ev, Fe, Ribbon};
use crate::measure::{self, Times};
use crate::reference::{Against, Goal};

/// Steps of the two runs whose difference is taken.
const SMOOTHINGS: [u32; 2] = [10, 110];

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "smooth-step",
        "Laplacian smoothing: one step, uniform weights",
        |b| smoothing(b, SmoothWeights::Uniform),
    )
    .counts(
        "difference of calls of 110 and 10 steps over 100",
        "EV, ribbon V, positions and boundary flags 16 V",
        "positions 12 V",
    )
    .against(&[
        Against::rxmesh(&["smoothing step", "smoothing step, gradient by hand"])
            .more("a gradient step on squared edge lengths, with the energy"),
    ])
    .goals(&[Goal::gpu(1_280_000, 0.020)]),
    Row::time("smooth-cotangent", "the same with cotangent weights", |b| {
        smoothing(b, SmoothWeights::Cotangent)
    })
    .counts(
        "difference of calls of 110 and 10 steps over 100",
        "EV, FE, ribbon V, positions and boundary flags 16 V",
        "positions 12 V",
    ),
];

/// Times one of the steps of `work`, on positions that are reset to the mesh's before each run.
pub(super) fn steps(
    b: &TriangleBench<'_>,
    counts: [u32; 2],
    work: impl Fn(&mut Attribute<Vertex, Vec3>, u32) -> Result<()>,
) -> Result<Times> {
    let start = b.positions()?;
    let x = RefCell::new(b.positions()?);
    let reset = || Ok(x.borrow_mut().copy_from(&start)?);
    measure::repetitions(b.engine, b.effort, counts, reset, |n| {
        work(&mut x.borrow_mut(), n)
    })
}

fn smoothing(b: &TriangleBench<'_>, weights: SmoothWeights) -> Result<Measured> {
    let times = steps(b, SMOOTHINGS, |x, iterations| {
        let options = SmoothOptions::default().with(|o| {
            o.iterations = iterations;
            o.weights = weights;
        });
        let report = smooth(b.rx, x, &options)?;
        ensure!(report.steps == iterations, "{report:?}");
        Ok(())
    })?;
    let v = b.count(Kind::Vertex);
    let moved = [
        (16 * v, "positions and boundary flags read"),
        (12 * v, "positions written"),
    ];
    let floor = match weights {
        SmoothWeights::Uniform => b.parts.floor(&[Ev, Ribbon(Kind::Vertex)], &moved),
        SmoothWeights::Cotangent => b.parts.floor(&[Ev, Fe, Ribbon(Kind::Vertex)], &moved),
    };
    Ok(b.of_vertices(floor, times))
}
