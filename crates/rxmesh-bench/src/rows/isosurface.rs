//! Surfaces at a level of a grid's values: gyroids, which cross every part of the grid.

use std::f32::consts::TAU;

use anyhow::Result;
use glam::DVec3;
use rayon::prelude::*;
use rxmesh_host::algo::isosurface::{FirstAxis, GridValues, IsosurfaceOptions, isosurface};

use super::{Measured, Row, TriangleBench};
use crate::measure;

pub(super) const ROWS: &[Row] = &[
    Row::time(
        "isosurface-256",
        "surface of a gyroid of 8 periods, 256 points along each axis, on the wall clock",
        |b| row(b, 256),
    )
    .counts("the library's call, wall clock", "values", ""),
    Row::time(
        "isosurface-512",
        "surface of a gyroid of 8 periods, 512 points along each axis, on the wall clock",
        |b| row(b, 512),
    )
    .counts("the library's call, wall clock", "values", ""),
];

/// Periods of the gyroid along each axis.
const PERIODS: f32 = 8.0;

/// Returns the values of a gyroid with `n` points along each axis, x fastest.
fn gyroid(n: u32) -> Vec<f32> {
    let angle = |k: u32| (k as f32 * PERIODS * TAU / (n - 1) as f32).sin_cos();
    let layer = |z: u32| {
        let (sin_z, cos_z) = angle(z);
        (0..n * n).map(move |i| {
            let ((sin_x, cos_x), (sin_y, cos_y)) = (angle(i % n), angle(i / n));
            sin_x * cos_y + sin_y * cos_z + sin_z * cos_x
        })
    };
    (0..n).into_par_iter().flat_map_iter(layer).collect()
}

fn row(b: &TriangleBench<'_>, n: u32) -> Result<Measured> {
    let values = b.engine.upload(&gyroid(n))?;
    let grid = GridValues {
        values: &values,
        counts: [n; 3],
        origin: DVec3::ZERO,
        spacing: DVec3::ONE,
        first: FirstAxis::X,
    };
    let options = IsosurfaceOptions::default();
    let [before, _] = b.engine.allocated();
    b.engine.forget_most_allocated();
    let faces = isosurface(b.engine, grid, &options)?.faces.len();
    let [_, most] = b.engine.allocated();
    let times = measure::calls(b.engine, b.effort, || {
        isosurface(b.engine, grid, &options)?;
        Ok(())
    })?;
    Ok(Measured::times("point", u64::from(n).pow(3), times)
        .with("peak_bytes", most - before)
        .with("surface_faces", faces as u32))
}
