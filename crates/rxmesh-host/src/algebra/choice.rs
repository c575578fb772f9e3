//! Choice of the solver for a system over the vertices of a mesh, whose products an algorithm computes over patches:
//! conjugate gradients over patches, or over a matrix in one launch, and multigrid.

use super::cg::{Cg, Products, Progress};
use super::diagonal::{Diagonal, solves_in_one};
use super::matrix::{Matrix, MatrixArrays};
use super::multigrid::Multigrid;
use super::solve::{
    Identity, Jacobi, Method, SolveOptions, SolverBuffers, System, iterate_system, method_of,
    solve_system,
};
use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::store::{Attribute, Dimension, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{CgSums, CgVector, Scalars};
use rxmesh_kernels::algebra::matrix::Weight;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Kind, Vertex};

/// When to do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "lowercase")
)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum When {
    /// After many iterations without it; never without a matrix.
    Auto,
    /// From the beginning.
    Always,
    /// Not at all.
    Never,
}

#[cfg(feature = "cli")]
impl std::fmt::Display for When {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            When::Auto => "auto",
            When::Always => "always",
            When::Never => "never",
        })
    }
}

/// Iterations after which multigrid is tried: meshes of well-shaped triangles take fewer.
const PATIENCE: u32 = 128;

/// Iterations that are launched before the first read-back of the solver's scalars.
const FIRST_LOOK: u32 = 8;

/// Returns the number of iterations to launch before the next read-back, which costs about as much as an iteration on a
/// small mesh; launches after the end cost little.
pub(crate) fn batch(launched: u32, left: u32) -> u32 {
    (launched / 2).max(FIRST_LOOK).min(left)
}

/// Products that come with their matrix: `A x = excess origin`.
pub(crate) trait Assembled: Products {
    /// Returns the start of the iterations, and the origin.
    fn origin(&self) -> Result<Global<Vec3>, Error>;

    /// Returns the matrix over linear ids.
    fn matrix(&self) -> Result<Matrix, Error>;
}

/// Options of a solve.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VertexSolveOptions {
    pub(crate) tolerance: f64,
    pub(crate) max_iterations: u32,
    /// `true` to precondition by one over the diagonal.
    pub(crate) jacobi: bool,
    pub(crate) multigrid: When,
    /// `true` if there is no matrix.
    pub(crate) matrix_free: bool,
}

impl VertexSolveOptions {
    /// Returns the number of iterations without multigrid, of `most` altogether.
    pub(crate) fn plain(&self, most: u32) -> u32 {
        match self.multigrid {
            When::Always => 0,
            When::Auto if !self.matrix_free => most.min(PATIENCE),
            _ => most,
        }
    }

    /// Returns the solver without multigrid for a matrix.
    pub(crate) fn plain_method<'a>(
        &self,
        matrix: &'a Matrix,
    ) -> Result<Box<dyn Method<f32> + 'a>, Error> {
        if self.jacobi {
            method_of(&Jacobi, matrix)
        } else {
            method_of(&Identity, matrix)
        }
    }

    fn limits(&self, max_iterations: u32) -> SolveOptions {
        SolveOptions::default().with(|o| {
            o.tolerance = self.tolerance;
            o.max_iterations = max_iterations;
        })
    }
}

/// Solver of one system over the vertices of a surface.
pub(crate) struct VertexSolver<'a> {
    rx: &'a RxMesh,
    options: VertexSolveOptions,
    plain: PlainSolver,
}

/// Method before multigrid is tried.
enum PlainSolver {
    /// Conjugate gradients by two launches per iteration, over patches.
    Patches(Box<Cg>),
    /// Conjugate gradients by one launch, with one over the diagonal: empty without a preconditioner.
    InOne(Buffer<f32>),
}

impl<'a> VertexSolver<'a> {
    /// Chooses the method for a mesh.
    pub(crate) fn new(rx: &'a RxMesh, options: VertexSolveOptions) -> Result<Self, Error> {
        let (n, jacobi) = (rx.linear_len(Kind::Vertex), options.jacobi);
        let plain = if !options.matrix_free && solves_in_one::<f32>(rx.engine(), n)? {
            PlainSolver::InOne(rx.engine().zeroed(if jacobi { n as usize } else { 0 })?)
        } else {
            PlainSolver::Patches(Box::new(Cg::new(rx, options.tolerance, jacobi)?))
        };
        Ok(VertexSolver { rx, options, plain })
    }

    /// Returns one over the diagonal, to fill in.
    pub(crate) fn inverse(&self) -> GlobalMut<f32> {
        match &self.plain {
            PlainSolver::Patches(cg) => cg.inverse_mut(),
            PlainSolver::InOne(inverse) => inverse.global_mut(),
        }
    }

    /// Solves a system from the values of `x` on, which become the solution. Returns the progress and the number of
    /// cycles of multigrid.
    pub(crate) fn solve(
        self,
        system: &dyn Assembled,
        x: &mut Attribute<Vertex, Vec3>,
    ) -> Result<(Progress, u32), Error> {
        let (options, most) = (self.options, self.options.max_iterations);
        let plain = options.plain(most);
        if plain == 0 {
            return multigrid(system, x, &options, None);
        }
        let progress = match self.plain {
            PlainSolver::Patches(cg) => over_patches(self.rx, *cg, system, x, plain)?,
            PlainSolver::InOne(inverse) => {
                let matrix = system.matrix()?;
                let equations = equations(system, &matrix, x)?;
                iterate_system(equations, inverse, &options.limits(plain))?
            }
        };
        if progress.done || plain == most {
            return Ok((progress, 0));
        }
        multigrid(system, x, &options, Some(progress))
    }
}

/// Runs up to `most` iterations, two launches each.
fn over_patches(
    rx: &RxMesh,
    mut cg: Cg,
    system: &dyn Assembled,
    x: &mut Attribute<Vertex, Vec3>,
    most: u32,
) -> Result<Progress, Error> {
    cg.begin(system, system.origin()?)?;
    let mut launched = 0;
    loop {
        let batch = batch(launched, most - launched);
        for _ in 0..batch {
            // SAFETY: an attribute of the mesh.
            unsafe { cg.iterate(rx, system, x.global_mut()?)? };
        }
        launched += batch;
        let progress = cg.progress()?;
        if progress.done || launched == most {
            return Ok(progress);
        }
    }
}

/// Continues with multigrid, from the solution so far.
fn multigrid(
    system: &dyn Assembled,
    x: &mut Attribute<Vertex, Vec3>,
    options: &VertexSolveOptions,
    before: Option<Progress>,
) -> Result<(Progress, u32), Error> {
    let matrix = system.matrix()?;
    let multigrid = Multigrid::new(&matrix)?;
    let done = before.map_or(0, |p| p.iterations);
    let limits = options.limits(options.max_iterations - done);
    let equations = equations(system, &matrix, x)?;
    let first = before.map(|p| p.first);
    let mut progress = solve_system(equations, &multigrid, &limits, first)?;
    let cycles = progress.iterations;
    progress.iterations += done;
    Ok((progress, cycles))
}

fn equations<'m>(
    system: &dyn Assembled,
    matrix: &'m Matrix,
    x: &mut Attribute<Vertex, Vec3>,
) -> Result<System<'m>, Error> {
    Ok(System {
        matrix,
        b: Global::empty(),
        origin: system.origin()?,
        x: x.global_mut()?,
    })
}

/// Products whose matrix changes with every solve, and its pattern does not.
pub(crate) trait Rewritten<W: Weight>: Products {
    /// Writes the matrix.
    fn assemble(&self, parts: &MatrixArrays<W>) -> Result<(), Error>;
}

/// Solver of a system for each time step, without a preconditioner. It keeps the matrix, whose blocks are computed once
/// a step, where one launch solves the system or a coefficient costs more than its bytes.
#[derive(Debug)]
pub(crate) struct StepSolver<W: Weight> {
    cg: Cg,
    kept: Option<StepMatrix<W>>,
}

/// A matrix and its solver.
#[derive(Debug)]
struct StepMatrix<W: Weight> {
    matrix: Matrix<W>,
    work: SolverBuffers,
    method: Diagonal<W>,
}

/// Buffers that an algorithm fills before a [`StepSolver`] runs.
pub(crate) struct StepStart {
    /// To be set for the tolerance.
    pub(crate) scalars: Scalars,
    /// To be set to zero.
    pub(crate) zero: GlobalMut<Vec3>,
    /// Arguments of the product that computes the first residual, into [`StepStart::r`].
    pub(crate) sums: CgSums,
    pub(crate) vector: CgVector,
    pub(crate) r: GlobalMut<Vec3>,
}

impl<W: Weight> StepSolver<W> {
    /// Creates a solver of systems with that many entries beside the diagonal.
    pub(crate) fn new(rx: &RxMesh<impl Dimension>, entries: u32) -> Result<Self, Error> {
        let (n, engine) = (rx.linear_len(Kind::Vertex), rx.engine());
        let keeps = !engine.computes_anew() || solves_in_one::<W>(engine, n)?;
        let kept = keeps.then(|| StepMatrix::new(engine, n as usize, entries as usize));
        Ok(StepSolver {
            cg: Cg::new(rx, 0.0, false)?,
            kept: kept.transpose()?,
        })
    }

    /// Returns the buffers of a solve of which `right` gives the first residual.
    pub(crate) fn start(&self, right: Global<Vec3>) -> StepStart {
        let (vector, r) = self.cg.start(right);
        let (scalars, zero, r) = match &self.kept {
            None => (self.cg.scalars(), self.cg.first_direction(), r),
            Some(StepMatrix { work, .. }) => {
                let (low, r) = (work.low.global_mut(), work.r.global_mut());
                (work.scalars(), low, r)
            }
        };
        StepStart {
            scalars,
            zero,
            sums: CgSums {
                scalars,
                ..self.cg.sums()
            },
            vector,
            r,
        }
    }

    /// Runs iterations after the first residual.
    ///
    /// # Safety
    ///
    /// As [`Cg::step`].
    pub(crate) unsafe fn run(
        &mut self,
        rx: &RxMesh<impl Dimension>,
        system: &dyn Rewritten<W>,
        x: GlobalMut<Vec3>,
        iterations: u32,
    ) -> Result<(), Error> {
        let Some(kept) = &self.kept else {
            return (0..iterations).try_for_each(|_| {
                // SAFETY: the caller's.
                unsafe { self.cg.iterate(rx, system, x) }
            });
        };
        system.assemble(kept.matrix.parts())?;
        let equations = System {
            matrix: &kept.matrix,
            b: Global::empty(),
            origin: Global::empty(),
            x,
        };
        kept.method.run(&equations, &kept.work, iterations)
    }

    /// Reads the progress back. Waits for the engine.
    pub(crate) fn progress(&self) -> Result<Progress, Error> {
        match &self.kept {
            Some(kept) => kept.work.progress(),
            None => self.cg.progress(),
        }
    }
}

impl<W: Weight> StepMatrix<W> {
    fn new(engine: &Engine, rows: usize, entries: usize) -> Result<Self, Error> {
        let parts = MatrixArrays {
            // Ids that no vertex has have no entries.
            starts: engine.zeroed(rows)?,
            ends: engine.zeroed(rows)?,
            columns: engine.uninit(entries)?,
            weights: engine.uninit(entries)?,
            excess: engine.zeroed(rows)?,
        };
        let matrix = Matrix::from_parts(engine, parts);
        Ok(StepMatrix {
            work: SolverBuffers::new(&matrix, 0.0, 0.0)?,
            method: Diagonal::new(&matrix, engine.zeroed(0)?)?,
            matrix,
        })
    }
}
