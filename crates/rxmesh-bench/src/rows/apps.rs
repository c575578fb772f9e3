//! Applications.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_host::algo::mcf::{McfOptions, McfReport, mean_curvature_flow, mean_edge_length};
use rxmesh_host::algo::{normals::vertex_normals, reduce};
use rxmesh_host::store::Attribute;
use rxmesh_kernels::algo::cg::{CgAlpha, CgBeta, CgDirection, CgStep, Scalars};
use rxmesh_kernels::algo::mcf::McfProduct;
use rxmesh_kernels::algo::normals::VertexNormals;
use rxmesh_kernels::algo::reduce::{ReducePartials, ReducePatches, Reduction};
use rxmesh_kernels::topo::{Kind, Vertex};

use super::{Bench, Measured, block_kernel, flat_kernel};
use crate::floor::Part::{Ev, Fe, Ribbon};
use crate::measure::{self, Times};
use crate::record::KernelRecord;

/// Iterations of the two solves whose difference is taken.
const SOLVES: [u32; 2] = [8, 40];

fn positions(b: &Bench<'_>) -> Result<Attribute<Vertex, Vec3>> {
    Ok(b.rx.attribute_from(&b.mesh.positions)?)
}

pub(super) fn normals(b: &Bench<'_>) -> Result<Measured> {
    let x = positions(b)?;
    let mut n = b.rx.attribute::<Vertex, Vec3>()?;
    let times = measure::launches(b.engine, b.effort, || Ok(vertex_normals(b.rx, &x, &mut n)?))?;
    let vertices = b.count(Kind::Vertex);
    let kernel = VertexNormals {
        x: x.staged()?,
        n: n.staged_sum()?,
    };
    Ok(Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(
            &[Ev, Fe, Ribbon(Kind::Vertex)],
            &[
                (12 * vertices, "positions read"),
                (12 * vertices, "normals written"),
            ],
        ),
        times,
        kernels: vec![b.patch_kernel(&kernel)],
        ..Measured::default()
    })
}

/// One iteration: the difference of a long and a short solve over the difference of their iterations, so that what a solve
/// costs once drops out and looks at the convergence stay in.
pub(super) fn mcf_iteration(b: &Bench<'_>) -> Result<Measured> {
    let start = positions(b)?;
    let x = RefCell::new(positions(b)?);
    // A large step converges slowly: the residual stays far from the smallest numbers.
    let mean = mean_edge_length(b.rx, &start)?;
    let solve = |iterations| -> Result<McfReport> {
        let options = McfOptions {
            time_step: Some(1000.0 * mean * mean),
            tolerance: 1e-30,
            max_iterations: iterations,
        };
        let report = mean_curvature_flow(b.rx, &mut x.borrow_mut(), &options)?;
        ensure!(
            report.iterations == iterations && report.residual > 1e-20,
            "the solver stopped early: {report:?}"
        );
        Ok(report)
    };
    let reset = || -> Result<()> {
        x.borrow_mut().copy_from(&start)?;
        Ok(b.engine.synchronize()?)
    };
    let [short, long] = SOLVES;
    reset()?;
    let report = solve(long)?;
    let iterations = f64::from(long - short);
    let difference = |clock: &dyn Fn(u32) -> Result<f64>| -> Result<f64> {
        reset()?;
        let short = clock(short)?;
        reset()?;
        Ok((clock(long)? - short) / iterations)
    };
    let by_engine = |n| measure::engine_ms(b.engine, || solve(n).map(drop));
    let by_wall = |n| measure::wall_ms(b.engine, || solve(n).map(drop));
    let mut times = Times {
        ms: b.effort.samples(|| difference(&by_engine))?,
        ..Times::default()
    };
    if b.engine.is_cuda() {
        times.wall_ms = b.effort.samples(|| difference(&by_wall))?;
    }
    let kernels = iteration_kernels(b)?;
    let vertices = b.count(Kind::Vertex);
    // Two passes, because the dot products stand between them: x0, d, r, x read and d, x, q written; then q, r read and r written.
    let floor = b.parts.floor(
        &[Ev, Fe, Ribbon(Kind::Vertex)],
        &[(120 * vertices, "ten vectors of the fused iteration")],
    );
    let mut measured = Measured {
        per: "vertex",
        elements: vertices,
        floor,
        times,
        kernels,
        ..Measured::default()
    };
    measured
        .figures
        .insert("residual".to_owned(), report.residual.into());
    Ok(measured)
}

/// The kernels of an iteration, with any arguments: their block widths and shared memory are asked for.
fn iteration_kernels(b: &Bench<'_>) -> Result<Vec<KernelRecord>> {
    let (x0, d) = (positions(b)?, positions(b)?);
    let (mut q, mut first) = (b.rx.attribute()?, b.rx.attribute()?);
    let doubles = b.engine.zeroed::<f64>(8)?;
    let scalars = Scalars(doubles.global_mut());
    let product = McfProduct {
        x0: x0.staged()?,
        d: d.staged()?,
        q: Attribute::<Vertex, Vec3>::global_mut(&mut q)?,
        first: Attribute::<Vertex, Vec3>::global_mut(&mut first)?,
        partials: doubles.global_mut(),
        scalars,
        dt: 1.0,
        start: 0,
    };
    let step = CgStep {
        x: q.global_mut()?,
        r: first.global_mut()?,
        d: d.global()?,
        q: x0.global()?,
        partials: doubles.global_mut(),
        scalars,
    };
    Ok(vec![
        b.patch_kernel(&product),
        block_kernel::<CgAlpha>(),
        b.patch_kernel(&step),
        block_kernel::<CgBeta>(),
        flat_kernel::<CgDirection>(),
    ])
}

/// A whole solve with the defaults of the command line.
pub(super) fn mcf(b: &Bench<'_>) -> Result<Measured> {
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

pub(super) fn dot(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (positions(b)?, positions(b)?);
    let partials = b.engine.zeroed::<f64>(b.rx.patch_set().headers.len())?;
    let result = b.engine.zeroed::<f64>(1)?;
    let patches = ReducePatches {
        x: x.global()?.cast(),
        y: y.global()?.cast(),
        partials: partials.global_mut(),
        components: 3,
        kind: Kind::Vertex as u32,
        reduction: Reduction::Dot as u32,
    };
    let all = ReducePartials {
        partials: partials.global(),
        result: result.global_mut(),
        reduction: Reduction::Dot as u32,
    };
    let times = measure::launches(b.engine, b.effort, || {
        b.rx.run(patches)?;
        Ok(b.engine.launch_blocks(1, all)?)
    })?;
    Ok(Measured {
        times,
        kernels: vec![b.patch_kernel(&patches), block_kernel::<ReducePartials>()],
        ..dot_sizes(b)
    })
}

pub(super) fn dot_call(b: &Bench<'_>) -> Result<Measured> {
    let (x, y) = (positions(b)?, positions(b)?);
    let times = measure::calls(b.engine, b.effort, || {
        reduce::dot(b.rx, &x, &y)?;
        Ok(())
    })?;
    Ok(Measured {
        times,
        ..dot_sizes(b)
    })
}

fn dot_sizes(b: &Bench<'_>) -> Measured {
    let vertices = b.count(Kind::Vertex);
    Measured {
        per: "vertex",
        elements: vertices,
        floor: b.parts.floor(&[], &[(24 * vertices, "two vectors read")]),
        ..Measured::default()
    }
}
