//! Conjugate gradients: the common part of all preconditioners, and the residuals that decide.

use super::cycles::Cycles;
use super::diagonal::Diagonal;
use super::matrix::Matrix;
use super::multigrid::Multigrid;
use crate::Error;
use crate::algebra::cg::Progress;
use crate::engine::Buffer;
use crate::options::{Options, positive};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{CgSums, SCALARS, Scalar, Scalars};
use rxmesh_kernels::algebra::matrix::{ROWS, Weight};
use rxmesh_kernels::algebra::solve::SolveResidual;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Stopping criteria.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SolveOptions {
    /// Factor by which the residual's norm has to shrink.
    pub tolerance: f64,
    /// Most iterations.
    pub max_iterations: u32,
}

units!(SolveOptions {});

changeable!(SolveOptions);

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
}

/// Results of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// Iterations done.
    pub iterations: u32,
    /// `|b - A x|` over its value at the start, computed from the solution before that was rounded to `f32`; 0 if there
    /// was nothing to do.
    pub residual: f64,
    /// `true` if the tolerance was reached.
    pub converged: bool,
}

/// Preconditioner, which brings the residual nearer to the error, so that iterations are fewer: a [`Multigrid`] of the
/// same matrix, [`Jacobi`], or [`Identity`].
pub trait Preconditioner<W: Weight>: sealed::Preconditions<W> {}

impl<W: Weight, P: sealed::Preconditions<W>> Preconditioner<W> for P {}

/// No preconditioner.
#[derive(Clone, Copy, Debug)]
pub struct Identity;

/// One over the diagonal, or over its blocks.
#[derive(Clone, Copy, Debug)]
pub struct Jacobi;

mod sealed {
    use super::{Error, Matrix, Method, Weight};

    pub trait Preconditions<W: Weight> {
        /// Returns the solver that uses it.
        fn method<'a>(&'a self, matrix: &'a Matrix<W>) -> Result<Box<dyn Method<W> + 'a>, Error>;
    }
}

impl<W: Weight> sealed::Preconditions<W> for Identity {
    fn method<'a>(&'a self, matrix: &'a Matrix<W>) -> Result<Box<dyn Method<W> + 'a>, Error> {
        let inverse = matrix.engine().zeroed(0)?;
        Ok(Box::new(Diagonal::new(matrix, inverse)?))
    }
}

impl<W: Weight> sealed::Preconditions<W> for Jacobi {
    fn method<'a>(&'a self, matrix: &'a Matrix<W>) -> Result<Box<dyn Method<W> + 'a>, Error> {
        Ok(Box::new(Diagonal::new(matrix, matrix.inverse()?)?))
    }
}

impl sealed::Preconditions<f32> for Multigrid {
    fn method<'a>(&'a self, matrix: &'a Matrix) -> Result<Box<dyn Method<f32> + 'a>, Error> {
        if self.sizes().first() != Some(&matrix.rows()) {
            let why = "the multigrid is of a matrix with another number of rows";
            return Err(Error::Options(why.to_string()));
        }
        Ok(Box::new(Cycles::new(matrix, self)?))
    }
}

/// The true residual must have shrunk to this part from one restart to the next: else `f32` has no better solution.
const LEAST_GAIN: f64 = 0.5;

/// Solves `A x = b`, for three right-hand sides together: the components. `x` is where to start, and the solution. The
/// matrix must be symmetric and positive definite, but for rows of zeroes, whose `x` stay.
///
/// Residuals are recomputed, in `f64`, from a solution of twice 32 bits, when the solver's recurrence says that it is
/// done: recurrences in `f32` drift if weights differ much. Without multigrid a GPU that can hold all rows at a time,
/// of 131,072 at most, solves a system in one launch; a larger one takes two an iteration.
///
/// # Errors
///
/// [`Error::Options`], [`Error::NotFinite`] if the solver produces a number that is not finite, vectors of other
/// lengths, or any error of the engine.
pub fn solve<W: Weight>(
    matrix: &Matrix<W>,
    preconditioner: &impl Preconditioner<W>,
    b: &Buffer<Vec3>,
    x: &mut Buffer<Vec3>,
    options: &SolveOptions,
) -> Result<SolveReport, Error> {
    options.check()?;
    matrix.fits(b)?;
    matrix.fits(x)?;
    let system = System {
        matrix,
        b: b.global(),
        origin: Global::empty(),
        x: x.global_mut(),
    };
    let progress = solve_system(system, preconditioner, options, None)?;
    Ok(SolveReport {
        iterations: progress.iterations,
        residual: progress.residual,
        converged: progress.done,
    })
}

/// `A x = b + excess origin`.
#[derive(Clone, Copy)]
pub struct System<'a, W: Weight = f32> {
    pub matrix: &'a Matrix<W>,
    /// Empty for zero.
    pub b: Global<Vec3>,
    /// Empty for zero.
    pub origin: Global<Vec3>,
    /// Start of the iterations, and then the solution.
    pub x: GlobalMut<Vec3>,
}

/// Works like [`solve`]. With `norm0`, the square of a norm, residuals are compared with it and not with the first.
pub(crate) fn solve_system<W: Weight>(
    system: System<'_, W>,
    preconditioner: &impl Preconditioner<W>,
    options: &SolveOptions,
    norm0: Option<f64>,
) -> Result<Progress, Error> {
    let method = preconditioner.method(system.matrix)?;
    if system.matrix.rows() == 0 {
        return Ok(Progress {
            iterations: 0,
            residual: 0.0,
            done: true,
            first: 0.0,
        });
    }
    let work = SolverBuffers::new(system.matrix, options.tolerance, norm0.unwrap_or(0.0))?;
    work.residual(&system, norm0.is_none())?;
    let (mut before, mut done) = (f64::INFINITY, 0);
    loop {
        method.run(&system, &work, options.max_iterations - done)?;
        work.residual(&system, false)?;
        let now = work.progress()?;
        let gains = now.residual <= LEAST_GAIN * before;
        if now.done || now.iterations >= options.max_iterations || !gains {
            return Ok(now);
        }
        (before, done) = (now.residual, now.iterations);
    }
}

/// Works like [`solve_system`] preconditioned by one over the diagonal, or not if that is empty, to a residual that the
/// iterations update by recurrence: it may be far from the true one if weights differ much.
pub(crate) fn iterate_system<W: Weight>(
    system: System<'_, W>,
    inverse: Buffer<W>,
    options: &SolveOptions,
) -> Result<Progress, Error> {
    let method = Diagonal::new(system.matrix, inverse)?;
    let work = SolverBuffers::new(system.matrix, options.tolerance, 0.0)?;
    work.residual(&system, true)?;
    method.run(&system, &work, options.max_iterations)?;
    work.progress()
}

/// Returns a solver that uses a preconditioner.
pub(crate) fn method_of<'a, W: Weight>(
    preconditioner: &'a impl Preconditioner<W>,
    matrix: &'a Matrix<W>,
) -> Result<Box<dyn Method<W> + 'a>, Error> {
    preconditioner.method(matrix)
}

/// A solve whose end is not that of all rows: the caller reads the residual between phases and sets the target of the
/// next one. Phases may be of different solvers.
pub(crate) struct Phases<'a, W: Weight = f32> {
    system: System<'a, W>,
    work: SolverBuffers,
    iterations: u32,
}

impl<'a, W: Weight> Phases<'a, W> {
    /// Computes the first residual.
    ///
    /// # Errors
    ///
    /// No memory, or any error of the engine.
    pub(crate) fn new(system: System<'a, W>) -> Result<Self, Error> {
        let work = SolverBuffers::new(system.matrix, 1.0, 0.0)?;
        work.residual(&system, true)?;
        Ok(Phases {
            system,
            work,
            iterations: 0,
        })
    }

    /// Returns the residual, recomputed from the solution after each phase. Rows that the caller sets to zero before a
    /// phase rest in it, if all rows that they have entries with are zero too: neither `x` nor its part beyond `f32`
    /// changes there.
    pub(crate) fn residual(&self) -> GlobalMut<Vec3> {
        self.work.r.global_mut()
    }

    /// Returns the number of iterations done, in all phases.
    pub(crate) fn iterations(&self) -> u32 {
        self.iterations
    }

    /// Iterates until the squared norm of the residual, by its recurrence, is below `target`, or `iterations` times.
    ///
    /// # Errors
    ///
    /// Any error of the engine. A residual that is not finite ends the phase; the caller finds its place.
    pub(crate) fn run(
        &mut self,
        method: &dyn Method<W>,
        target: f64,
        iterations: u32,
    ) -> Result<(), Error> {
        let mut scalars = [0.0; SCALARS];
        scalars[Scalar::Tolerance2 as usize] = 1.0;
        scalars[Scalar::Norm0 as usize] = target;
        scalars[Scalar::Iterations as usize] = f64::from(self.iterations);
        self.work.scalars.write(&scalars)?;
        method.run(&self.system, &self.work, iterations)?;
        self.work.residual(&self.system, false)?;
        let scalars = self.work.scalars.read()?;
        self.iterations = scalars[Scalar::Iterations as usize] as u32;
        Ok(())
    }
}

/// A solver that knows the residual by recurrences.
pub trait Method<W: Weight> {
    /// Launches `iterations` iterations, or fewer if the residual seems small enough.
    fn run(
        &self,
        system: &System<'_, W>,
        work: &SolverBuffers,
        iterations: u32,
    ) -> Result<(), Error>;
}

/// Buffers that all solvers share: the residual, the part of the solution beyond `f32`, and the scalars.
#[derive(Debug)]
pub struct SolverBuffers {
    pub low: Buffer<Vec3>,
    pub r: Buffer<Vec3>,
    partials: Buffer<f64>,
    arrived: Buffer<u32>,
    scalars: Buffer<f64>,
}

impl SolverBuffers {
    pub(crate) fn new<W: Weight>(
        matrix: &Matrix<W>,
        tolerance: f64,
        norm0: f64,
    ) -> Result<SolverBuffers, Error> {
        let (engine, rows) = (matrix.engine(), matrix.rows());
        let n = rows as usize;
        let mut scalars = [0.0; SCALARS];
        scalars[Scalar::Tolerance2 as usize] = tolerance * tolerance;
        scalars[Scalar::Norm0 as usize] = norm0;
        Ok(SolverBuffers {
            low: engine.zeroed(n)?,
            r: engine.uninit(n)?,
            partials: engine.zeroed(2 * rows.div_ceil(ROWS) as usize)?,
            arrived: engine.zeroed(2)?,
            scalars: engine.upload(&scalars)?,
        })
    }

    /// Recomputes the residual.
    fn residual<W: Weight>(&self, system: &System<'_, W>, first: bool) -> Result<(), Error> {
        let residual = SolveResidual {
            matrix: system.matrix.view(),
            b: system.b,
            origin: system.origin,
            x: system.x.read(),
            low: self.low.global(),
            r: self.r.global_mut(),
            sums: self.sums(),
            first: u32::from(first),
        };
        let blocks = system.matrix.rows().div_ceil(ROWS);
        Ok(system.matrix.engine().launch_blocks(blocks, residual)?)
    }

    pub(super) fn sums(&self) -> CgSums {
        CgSums {
            partials: self.partials.global_mut(),
            arrived: self.arrived.global_mut(),
            scalars: self.scalars(),
        }
    }

    pub(crate) fn scalars(&self) -> Scalars {
        Scalars(self.scalars.global_mut())
    }

    /// Reads the progress by the method's recurrence, or by the recomputed residual. Waits for the engine.
    pub(crate) fn progress(&self) -> Result<Progress, Error> {
        Progress::of(&self.scalars.read()?)
    }
}
