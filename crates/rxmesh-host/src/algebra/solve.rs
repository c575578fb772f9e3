//! Conjugate gradients with multigrid.

use super::matrix::Matrix;
use super::multigrid::Multigrid;
use crate::Error;
use crate::algo::Options;
use crate::algo::cg::Progress;
use crate::algo::measure::positive;
use crate::engine::{Buffer, Engine};
use glam::Vec3;
use rxmesh_kernels::algebra::matrix::ROWS;
use rxmesh_kernels::algebra::solve::{SolveDirection, SolveProduct, SolveResidual, SolveStep};
use rxmesh_kernels::algo::cg::{CgSums, SCALARS, Scalar, Scalars};
use rxmesh_kernels::mem::{Global, GlobalMut};

/// When to stop.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolveOptions {
    /// The residual's norm has shrunk by this factor.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

impl Default for SolveOptions {
    fn default() -> Self {
        SolveOptions {
            tolerance: 1e-6,
            max_iterations: 1000,
        }
    }
}

impl Options for SolveOptions {
    fn check(&self) -> Result<(), Error> {
        positive("the tolerance", self.tolerance)
    }

    fn scale(&mut self, _: f64) {}
}

/// What the solver did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Iterations done.
    pub iterations: u32,
    /// `|b - A x|` over what it was at the start, computed from the solution before that was rounded to `f32`; 0 when
    /// there was nothing to do.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// Iterations before the first look.
const FIRST_LOOK: u32 = 8;

/// The true residual must have shrunk to this part from one restart to the next: else `f32` has no better solution.
const LEAST_GAIN: f64 = 0.5;

/// Solves `A x = b`, for three right-hand sides together: the components. `x` is where to start, and the solution.
/// Multigrid is of the same matrix, which must be symmetric and positive definite, but for rows of zeroes, whose `x`
/// stay.
///
/// Residuals are computed anew, in `f64`, from a solution of twice 32 bits, when the solver's own says that it is done:
/// recurrences in `f32` drift where weights differ much.
///
/// # Errors
///
/// [`Error::Options`], [`Error::NotFinite`] when the solver leaves the numbers, vectors of other lengths, or what the
/// engine says.
pub fn solve(
    matrix: &Matrix,
    multigrid: &Multigrid,
    b: &Buffer<Vec3>,
    x: &mut Buffer<Vec3>,
    options: &SolveOptions,
) -> Result<SolveReport, Error> {
    options.check()?;
    matrix.fits(b)?;
    matrix.fits(x)?;
    if multigrid.sizes().first() != Some(&matrix.rows()) {
        let why = "the multigrid is of a matrix with another number of rows";
        return Err(Error::Options(why.to_string()));
    }
    let system = System {
        matrix,
        b: b.global(),
        origin: Global::empty(),
    };
    let progress = solve_system(&system, multigrid, x.global_mut(), options, None)?;
    Ok(SolveReport {
        iterations: progress.iterations,
        residual: progress.residual,
        converged: progress.done,
    })
}

/// `A x = b + excess origin`.
pub(crate) struct System<'a> {
    pub matrix: &'a Matrix,
    /// Empty for zero.
    pub b: Global<Vec3>,
    /// Empty for zero.
    pub origin: Global<Vec3>,
}

/// The vectors of a solver.
struct Work {
    engine: Engine,
    low: Buffer<Vec3>,
    r: Buffer<Vec3>,
    z: Buffer<Vec3>,
    d: Buffer<Vec3>,
    q: Buffer<Vec3>,
    partials: Buffer<f64>,
    arrived: Buffer<u32>,
    scalars: Buffer<f64>,
}

/// See [`solve`]. With `norm0`, the square of a norm, residuals are compared with it and not with the first.
pub(crate) fn solve_system(
    system: &System<'_>,
    multigrid: &Multigrid,
    x: GlobalMut<Vec3>,
    options: &SolveOptions,
    norm0: Option<f64>,
) -> Result<Progress, Error> {
    let rows = system.matrix.rows();
    if rows == 0 {
        return Ok(Progress {
            iterations: 0,
            residual: 0.0,
            done: true,
            first: 0.0,
        });
    }
    let work = Work::new(system.matrix, options, norm0)?;
    work.residual(system, x, norm0.is_none())?;
    let mut before = work.progress()?;
    let mut now = before;
    while !now.done && now.iterations < options.max_iterations {
        multigrid.cycle(
            system.matrix,
            work.r.global(),
            work.z.global_mut(),
            work.sums(),
            true,
        )?;
        let mut launched = 0;
        loop {
            let batch = (launched / 2)
                .max(FIRST_LOOK)
                .min(options.max_iterations - now.iterations);
            for _ in 0..batch {
                work.iterate(system, multigrid, x)?;
            }
            launched += batch;
            now = work.progress()?;
            if now.done || now.iterations >= options.max_iterations {
                break;
            }
        }
        work.residual(system, x, false)?;
        now = work.progress()?;
        if now.residual > LEAST_GAIN * before.residual {
            break;
        }
        before = now;
    }
    Ok(now)
}

impl Work {
    fn new(matrix: &Matrix, options: &SolveOptions, norm0: Option<f64>) -> Result<Work, Error> {
        let (engine, n) = (matrix.engine(), matrix.rows() as usize);
        let mut scalars = [0.0; SCALARS];
        scalars[Scalar::Tolerance2 as usize] = options.tolerance * options.tolerance;
        scalars[Scalar::Norm0 as usize] = norm0.unwrap_or(0.0);
        Ok(Work {
            engine: engine.clone(),
            low: engine.zeroed(n)?,
            r: engine.uninit(n)?,
            z: engine.uninit(n)?,
            d: engine.uninit(n)?,
            q: engine.uninit(n)?,
            partials: engine.zeroed(2 * matrix.rows().div_ceil(ROWS) as usize)?,
            arrived: engine.zeroed(2)?,
            scalars: engine.upload(&scalars)?,
        })
    }

    fn sums(&self) -> CgSums {
        CgSums {
            partials: self.partials.global_mut(),
            arrived: self.arrived.global_mut(),
            scalars: Scalars(self.scalars.global_mut()),
        }
    }

    fn blocks(&self) -> u32 {
        (self.r.len() as u32).div_ceil(ROWS)
    }

    fn residual(&self, system: &System<'_>, x: GlobalMut<Vec3>, first: bool) -> Result<(), Error> {
        let residual = SolveResidual {
            matrix: system.matrix.view(),
            b: system.b,
            origin: system.origin,
            x: x.read(),
            low: self.low.global(),
            r: self.r.global_mut(),
            sums: self.sums(),
            first: u32::from(first),
        };
        Ok(self.engine.launch_blocks(self.blocks(), residual)?)
    }

    fn iterate(
        &self,
        system: &System<'_>,
        multigrid: &Multigrid,
        x: GlobalMut<Vec3>,
    ) -> Result<(), Error> {
        let direction = SolveDirection {
            z: self.z.global(),
            d: self.d.global_mut(),
            scalars: self.scalars.global(),
        };
        self.engine.launch_flat(self.r.len() as u32, direction)?;
        let product = SolveProduct {
            matrix: system.matrix.view(),
            d: self.d.global(),
            q: self.q.global_mut(),
            sums: self.sums(),
        };
        self.engine.launch_blocks(self.blocks(), product)?;
        let step = SolveStep {
            x,
            low: self.low.global_mut(),
            r: self.r.global_mut(),
            d: self.d.global(),
            q: self.q.global(),
            sums: self.sums(),
        };
        self.engine.launch_blocks(self.blocks(), step)?;
        let (r, z) = (self.r.global(), self.z.global_mut());
        multigrid.cycle(system.matrix, r, z, self.sums(), false)
    }

    fn progress(&self) -> Result<Progress, Error> {
        Progress::of(&self.scalars.read()?)
    }
}
