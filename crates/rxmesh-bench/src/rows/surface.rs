//! Applications that are measured through the library's calls: smoothing, filtering, curvature, geodesic distances.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::curvature::curvature;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, bilateral_filter};
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic, level_sets};
use rxmesh_host::algo::smooth::{SmoothOptions, SmoothWeights, smooth};
use rxmesh_host::store::Attribute;
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Bench, Measured};
use crate::floor::Floor;
use crate::floor::Part::{Ev, Fe, Ribbon};
use crate::measure::{self, Times};

/// Steps of the two runs whose difference is taken.
const SMOOTHINGS: [u32; 2] = [10, 110];
const FILTERINGS: [u32; 2] = [1, 3];

fn of_vertices(b: &Bench<'_>, floor: Floor, times: Times) -> Measured {
    Measured {
        per: "vertex",
        elements: b.count(Kind::Vertex),
        floor,
        times,
        ..Measured::default()
    }
}

/// Times one of the steps that `work` is told to do on positions that are the mesh's again before each run.
fn steps(
    b: &Bench<'_>,
    counts: [u32; 2],
    work: impl Fn(&mut Attribute<Vertex, Vec3>, u32) -> Result<()>,
) -> Result<Times> {
    let start = b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?;
    let x = RefCell::new(b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?);
    let reset = || Ok(x.borrow_mut().copy_from(&start)?);
    measure::repetitions(b.engine, b.effort, counts, reset, |n| {
        work(&mut x.borrow_mut(), n)
    })
}

fn smoothing(b: &Bench<'_>, weights: SmoothWeights) -> Result<Measured> {
    let times = steps(b, SMOOTHINGS, |x, iterations| {
        let options = SmoothOptions {
            iterations,
            weights,
            ..SmoothOptions::default()
        };
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
    Ok(of_vertices(b, floor, times))
}

pub(super) fn smooth_step(b: &Bench<'_>) -> Result<Measured> {
    smoothing(b, SmoothWeights::Uniform)
}

pub(super) fn smooth_cotangent(b: &Bench<'_>) -> Result<Measured> {
    smoothing(b, SmoothWeights::Cotangent)
}

fn filtering(b: &Bench<'_>, sigma_c: Closeness) -> Result<Measured> {
    let large = RefCell::new(0);
    let times = steps(b, FILTERINGS, |x, iterations| {
        let options = FilterOptions {
            iterations,
            sigma_c,
            ..FilterOptions::default()
        };
        let report = bilateral_filter(b.rx, x, &options)?;
        ensure!(report.iterations == iterations, "{report:?}");
        *large.borrow_mut() = report.large_balls;
        Ok(())
    })?;
    let (v, e) = (b.count(Kind::Vertex), b.count(Kind::Edge));
    // Normals first, then the balls over the one-rings that were written out once.
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (24 * v, "positions read, normals written"),
            (8 * e + 4 * v, "one-rings read"),
            (24 * v, "positions and normals read"),
            (12 * v, "positions written"),
        ],
    );
    let mut measured = of_vertices(b, floor, times);
    measured
        .figures
        .insert("large_balls".to_owned(), large.into_inner().into());
    Ok(measured)
}

pub(super) fn filter_iteration(b: &Bench<'_>) -> Result<Measured> {
    filtering(b, Closeness::ShortestEdge)
}

pub(super) fn filter_mean(b: &Bench<'_>) -> Result<Measured> {
    filtering(b, Closeness::MeanEdge)
}

pub(super) fn curvatures(b: &Bench<'_>) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?;
    let mut total = 0.0;
    let times = measure::calls(b.engine, b.effort, || {
        total = curvature(b.rx, &x)?.1.total_gaussian_curvature;
        Ok(())
    })?;
    // The measured mesh is a torus.
    ensure!(total.abs() < 0.1, "the total Gaussian curvature is {total}");
    let v = b.count(Kind::Vertex);
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[
            (12 * v, "positions read"),
            (16 * v, "four values a vertex written"),
        ],
    );
    Ok(of_vertices(b, floor, times))
}

/// From the first vertex of the input. The number of iterations depends on the mesh: no floor.
pub(super) fn geodesics(b: &Bench<'_>) -> Result<Measured> {
    let x = b.rx.attribute_from::<Vertex, Vec3>(&b.mesh.positions)?;
    let options = GeodesicOptions::default();
    let mut last = geodesic(b.rx, &x, &[0], &options)?.1;
    let times = measure::calls(b.engine, b.effort, || {
        last = geodesic(b.rx, &x, &[0], &options)?.1;
        Ok(())
    })?;
    ensure!(
        last.converged && u64::from(last.reached) == b.count(Kind::Vertex),
        "{last:?}"
    );
    let mut measured = of_vertices(b, Floor::default(), times);
    for (key, value) in [("levels", last.levels), ("iterations", last.iterations)] {
        measured.figures.insert(key.to_owned(), value.into());
    }
    Ok(measured)
}

pub(super) fn levels(b: &Bench<'_>) -> Result<Measured> {
    let times = measure::calls(b.engine, b.effort, || {
        level_sets(b.rx, &[0])?;
        Ok(())
    })?;
    Ok(of_vertices(b, Floor::default(), times))
}
