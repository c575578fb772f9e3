//! Mean curvature flow: one implicit step, solved by conjugate gradients.

mod batch;

pub use batch::{McfBatchReport, mean_curvature_flow_batch};

use crate::Error;
use crate::algebra::cg::{Cg, Progress};
use crate::algebra::{
    Matrix, MatrixArrays, Multigrid, SolveOptions, System, iterate_system, solve_system,
    solves_in_one,
};
use crate::algo::Options;
use crate::algo::measure::frame::{power_of_two, transform};
use crate::algo::measure::lengths::mean_edge_length;
use crate::engine::Buffer;
use crate::options::positive;
use crate::store::reduce::{Term, several};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{CgSums, CgVector};
use rxmesh_kernels::algo::smooth::mcf::{
    McfAssembled, McfFans, McfMatrix, McfProduct, McfSetup, REGULAR,
};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::query::{Fans, Prepared, VE, VV};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Options of smoothing.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct McfOptions {
    /// Time step in squared length units of the mesh [default: a tenth of the squared mean edge
    /// length, which smooths and takes about a percent of the volume; 10 times it melts].
    #[cfg_attr(feature = "cli", arg(long, value_name = "DT"))]
    pub time_step: Option<f64>,
    /// The solver stops when the residual's norm has shrunk by this factor.
    #[cfg_attr(feature = "cli", arg(long = "tol", value_name = "TOL", default_value_t = Self::default().tolerance))]
    pub tolerance: f64,
    /// Most iterations of the solver.
    #[cfg_attr(feature = "cli", arg(long = "max-iter", value_name = "N",
        default_value_t = Self::default().max_iterations))]
    pub max_iterations: u32,
    /// Recompute the cotangent weights in each iteration, in shared memory, instead of keeping a matrix: less memory,
    /// more time.
    #[cfg_attr(feature = "cli", arg(long))]
    pub matrix_free: bool,
    /// `true` to precondition by one over the diagonal (Jacobi): fewer iterations if triangles differ in size and
    /// shape.
    #[cfg_attr(feature = "cli", arg(long = "no-preconditioner", action = clap::ArgAction::SetFalse,
        help = "Plain conjugate gradients, without Jacobi's preconditioner"))]
    pub preconditioner: bool,
    /// Precondition by multigrid instead, which takes fewer iterations if triangles are needles, of more work each.
    /// Needs the matrix.
    #[cfg_attr(feature = "cli", arg(long, value_name = "WHEN", default_value_t = Self::default().multigrid))]
    pub multigrid: When,
}

changeable!(McfOptions);

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

impl Default for McfOptions {
    fn default() -> Self {
        McfOptions {
            time_step: None,
            tolerance: 1e-6,
            max_iterations: 1000,
            matrix_free: false,
            preconditioner: true,
            multigrid: When::Auto,
        }
    }
}

/// Results of the solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct McfReport {
    /// Time step in squared length units of the mesh.
    pub time_step: f64,
    /// Iterations done.
    pub iterations: u32,
    /// `sqrt(r . r / r0 . r0)` at the end; 0 if there was nothing to do. With multigrid recomputed from the solution,
    /// before that is rounded to 32 bits; without by the iterations' recurrence.
    pub residual: f64,
    /// `true` if the tolerance was reached.
    pub converged: bool,
    /// Number of iterations that were preconditioned by a cycle of multigrid.
    pub cycles: u32,
}

/// Time step in squared mean edge lengths, unless one is given.
pub const TIME_STEP: f64 = 0.1;

/// Iterations after which multigrid is tried: meshes of well-shaped triangles take fewer.
const PATIENCE: u32 = 128;

/// Iterations that are launched before the first read-back of the solver's scalars.
const FIRST_LOOK: u32 = 8;

/// Moves `x` by one implicit step of mean curvature flow (RXMesh 2021, listing 4). Solves
/// `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j = 2 A_i x0_i` for the three coordinates together, with clamped
/// cotangent weights and mixed Voronoi areas of the starting positions. Boundary edges use their single cotangent;
/// vertices without a face of positive area stay.
///
/// # Errors
///
/// [`Error::Options`] for a time step or tolerance that is not a number or not positive, [`Error::NotFinite`] if the
/// mesh has such coordinates or proportions that the solver produces a number that is not finite, or any error of the
/// engine. On an error `x` may hold an unfinished result.
pub fn mean_curvature_flow(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    options: &McfOptions,
) -> Result<McfReport, Error> {
    options.check()?;
    if rx.count(Kind::Vertex) == 0 || rx.count(Kind::Face) == 0 {
        let time_step = options.time_step.unwrap_or(0.0);
        return Ok(McfReport {
            time_step,
            iterations: 0,
            residual: 0.0,
            converged: true,
            cycles: 0,
        });
    }
    let frame = UnitFrame::enter(rx, x)?;
    let time_step = match options.time_step {
        Some(dt) => dt,
        None => {
            let mean = mean_edge_length(rx, x)? / frame.scale;
            TIME_STEP * mean * mean
        }
    };
    let scaled = time_step * frame.scale * frame.scale;
    let solved = solve(rx, x, scaled, options);
    frame.leave(rx, x)?;
    let (progress, cycles) = solved?;
    Ok(McfReport {
        time_step,
        iterations: progress.iterations,
        residual: progress.residual,
        converged: progress.done,
        cycles,
    })
}

fn solve(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    dt: f64,
    options: &McfOptions,
) -> Result<(Progress, u32), Error> {
    let way = SolverKind::new(rx, options)?;
    FlowSolver::new(rx, x, dt, options, way.inverse())?.solve(way, x, options)
}

impl Options for McfOptions {
    fn check(&self) -> Result<(), Error> {
        if let Some(dt) = self.time_step {
            positive("the time step", dt)?;
        }
        if self.matrix_free && self.multigrid == When::Always {
            let why = "multigrid needs the matrix, which matrix-free products do without";
            return Err(Error::Options(why.to_string()));
        }
        positive("the tolerance", self.tolerance)
    }

    fn scale(&mut self, factor: f64) {
        self.time_step = self.time_step.map(|dt| dt * factor * factor);
    }
}

/// A frame in which coordinates are near one: the flow commutes with moving and scaling, and `f32` keeps all its digits
/// for the shape, however small, large or far away it is.
struct UnitFrame {
    origin: Vec3,
    scale: f64,
}

impl UnitFrame {
    /// Converts positions to their frame, and returns it.
    fn enter(rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<UnitFrame, Error> {
        let origin = x.buffer().read_range(rx.headers()[0].base[0] as usize, 1)?[0];
        let mut frame = UnitFrame { origin, scale: 1.0 };
        transform(rx, x, origin, 1.0, Vec3::ZERO)?;
        let [most, least] = several(
            rx,
            [Term::of(x, Reduction::Max)?, Term::of(x, Reduction::Min)?],
        )?;
        let size = most.max(-least);
        if !size.is_finite() {
            frame.leave(rx, x)?;
            return Err(Error::NotFinite {
                what: "a vertex coordinate",
            });
        }
        frame.scale = power_of_two(size);
        transform(rx, x, Vec3::ZERO, frame.scale, Vec3::ZERO)?;
        Ok(frame)
    }

    fn leave(&self, rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        transform(rx, x, Vec3::ZERO, 1.0 / self.scale, self.origin)
    }
}

/// Method of solving a system before multigrid is tried.
enum SolverKind {
    /// Conjugate gradients by two launches per iteration, over patches.
    Patches(Box<Cg>),
    /// Conjugate gradients by one launch, with one over the diagonal: empty without a preconditioner.
    InOne(Buffer<f32>),
}

impl SolverKind {
    /// Chooses the method for a mesh.
    fn new(rx: &RxMesh, options: &McfOptions) -> Result<SolverKind, Error> {
        let (n, jacobi) = (rx.linear_len(Kind::Vertex), options.preconditioner);
        if !options.matrix_free && solves_in_one::<f32>(rx.engine(), n)? {
            let inverse = rx.engine().zeroed(if jacobi { n as usize } else { 0 })?;
            return Ok(SolverKind::InOne(inverse));
        }
        Ok(SolverKind::Patches(Box::new(Cg::new(
            rx,
            options.tolerance,
            jacobi,
        )?)))
    }

    /// Returns one over the diagonal, to fill in.
    fn inverse(&self) -> GlobalMut<f32> {
        match self {
            SolverKind::Patches(cg) => cg.inverse_mut(),
            SolverKind::InOne(inverse) => inverse.global_mut(),
        }
    }
}

/// Mean curvature flow's system and its solver.
struct FlowSolver<'a> {
    rx: &'a RxMesh,
    matrix_free: bool,
    x0: Attribute<Vertex, Vec3>,
    mass: Attribute<Vertex, f32>,
    /// A value for each entry of the prepared VV; empty when the weights are not kept.
    kept: Buffer<f32>,
    regular: Buffer<u32>,
    ve: Prepared<VE>,
    /// Neighbours, used if the weights are kept.
    vv: Prepared<VV>,
    /// Fans, used if they are not.
    fans: Prepared<Fans>,
    /// `true` if some patches are regular, and `true` if some are not.
    patches: (bool, bool),
    dt: f32,
}

impl<'a> FlowSolver<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        dt: f64,
        options: &McfOptions,
        inverse: GlobalMut<f32>,
    ) -> Result<Self, Error> {
        let mut x0 = rx.attribute()?;
        x0.copy_from(x)?;
        let (vv, fans) = match options.matrix_free {
            true => (Prepared::empty(), rx.prepare()?),
            false => (rx.prepare()?, Prepared::empty()),
        };
        let mut solver = FlowSolver {
            rx,
            matrix_free: options.matrix_free,
            x0,
            mass: rx.attribute()?,
            kept: rx.engine().zeroed(vv.len() as usize)?,
            regular: rx.engine().zeroed(rx.headers().len())?,
            ve: rx.prepare::<VE>()?,
            vv,
            fans,
            patches: (false, false),
            dt: dt as f32,
        };
        solver.setup(inverse)?;
        Ok(solver)
    }

    fn setup(&mut self, inverse: GlobalMut<f32>) -> Result<(), Error> {
        self.rx.launch(McfSetup {
            x0: self.x0.staged()?,
            ve: self.ve,
            vv: self.vv,
            fans: self.fans,
            mass: self.mass.global_mut()?,
            inverse,
            weights: self.kept.global_mut(),
            regular: self.regular.global_mut(),
            dt: self.dt,
        })?;
        if self.matrix_free {
            let regular = self.regular.read()?;
            let is_regular = |r: &u32| *r == REGULAR;
            self.patches = (
                regular.iter().any(is_regular),
                !regular.iter().all(is_regular),
            );
        }
        Ok(())
    }

    /// Solves the system. Returns the progress and the number of cycles of multigrid.
    fn solve(
        &self,
        way: SolverKind,
        x: &mut Attribute<Vertex, Vec3>,
        options: &McfOptions,
    ) -> Result<(Progress, u32), Error> {
        let most = options.max_iterations;
        let plain = match options.multigrid {
            When::Always => 0,
            When::Auto if !self.matrix_free => most.min(PATIENCE),
            _ => most,
        };
        if plain == 0 {
            return self.multigrid(x, options, None);
        }
        let progress = match way {
            SolverKind::Patches(cg) => self.over_patches(*cg, x, plain)?,
            SolverKind::InOne(inverse) => self.in_one_launch(inverse, x, options, plain)?,
        };
        if progress.done || plain == most {
            return Ok((progress, 0));
        }
        self.multigrid(x, options, Some(progress))
    }

    /// Runs up to `most` iterations, two launches each.
    fn over_patches(
        &self,
        mut cg: Cg,
        x: &mut Attribute<Vertex, Vec3>,
        most: u32,
    ) -> Result<Progress, Error> {
        self.start(&cg)?;
        let mut launched = 0;
        loop {
            // A read-back costs about as much as an iteration on a small mesh; launches after the end cost little.
            let batch = (launched / 2).max(FIRST_LOOK).min(most - launched);
            for _ in 0..batch {
                self.iterate(&mut cg, x)?;
            }
            launched += batch;
            let progress = cg.progress()?;
            if progress.done || launched == most {
                return Ok(progress);
            }
        }
    }

    /// Runs up to `most` iterations in one launch, over the kept weights as a matrix.
    fn in_one_launch(
        &self,
        inverse: Buffer<f32>,
        x: &mut Attribute<Vertex, Vec3>,
        options: &McfOptions,
        most: u32,
    ) -> Result<Progress, Error> {
        let matrix = self.matrix()?;
        let (system, limits) = self.system(&matrix, x, options, most)?;
        iterate_system(system, inverse, &limits)
    }

    /// Continues with multigrid, from the solution so far.
    fn multigrid(
        &self,
        x: &mut Attribute<Vertex, Vec3>,
        options: &McfOptions,
        before: Option<Progress>,
    ) -> Result<(Progress, u32), Error> {
        let matrix = self.matrix()?;
        let multigrid = Multigrid::new(&matrix)?;
        let done = before.map_or(0, |p| p.iterations);
        let (system, limits) = self.system(&matrix, x, options, options.max_iterations - done)?;
        let first = before.map(|p| p.first);
        let mut progress = solve_system(system, &multigrid, &limits, first)?;
        let cycles = progress.iterations;
        progress.iterations += done;
        Ok((progress, cycles))
    }

    /// Returns the system of the kept weights, and the options of the solver.
    fn system<'m>(
        &self,
        matrix: &'m Matrix,
        x: &mut Attribute<Vertex, Vec3>,
        options: &McfOptions,
        max_iterations: u32,
    ) -> Result<(System<'m>, SolveOptions), Error> {
        let system = System {
            matrix,
            b: Global::empty(),
            origin: self.x0.global()?,
            x: x.global_mut()?,
        };
        let limits = SolveOptions::default().with(|o| {
            o.tolerance = options.tolerance;
            o.max_iterations = max_iterations;
        });
        Ok((system, limits))
    }

    /// Returns the kept weights as a matrix over linear ids.
    fn matrix(&self) -> Result<Matrix, Error> {
        let (rx, engine) = (self.rx, self.rx.engine());
        let (n, entries) = (self.mass.buffer().len(), self.kept.len());
        let parts = MatrixArrays {
            // Ids that no vertex has have no entries.
            starts: engine.zeroed(n)?,
            ends: engine.zeroed(n)?,
            columns: engine.uninit(entries)?,
            weights: self.kept.copied_from(0)?,
            excess: self.mass.buffer().copied_from(0)?,
        };
        rx.launch(McfMatrix {
            vv: self.vv,
            starts: parts.starts.global_mut(),
            ends: parts.ends.global_mut(),
            columns: parts.columns.global_mut(),
        })?;
        Ok(Matrix::from_parts(engine, parts))
    }

    /// Computes the first residual.
    fn start(&self, cg: &Cg) -> Result<(), Error> {
        let (vector, r) = cg.start(self.x0.global()?);
        self.product(cg.sums(), vector, r)
    }

    /// Launches one iteration: two launches, no waiting.
    fn iterate(&self, cg: &mut Cg, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        let (vector, q) = cg.direction();
        self.product(cg.sums(), vector, q)?;
        // SAFETY: an attribute of the mesh.
        unsafe { cg.step(self.rx, x.global_mut()?) }
    }

    fn product(&self, sums: CgSums, d: CgVector, q: GlobalMut<Vec3>) -> Result<(), Error> {
        let mass = self.mass.global()?;
        match self.matrix_free {
            true => {
                let (x0, regular, dt) = (self.x0.staged()?, self.regular.global(), self.dt);
                let (some_are, some_are_not) = self.patches;
                if some_are {
                    self.rx.launch(McfFans {
                        x0,
                        d,
                        fans: self.fans,
                        mass,
                        regular,
                        q,
                        sums,
                        dt,
                    })?;
                }
                if some_are_not {
                    self.rx.launch(McfProduct {
                        x0,
                        d,
                        ve: self.ve,
                        mass,
                        regular,
                        q,
                        sums,
                        dt,
                    })?;
                }
            }
            false => self.rx.launch(McfAssembled {
                d,
                vv: self.vv,
                weights: self.kept.global(),
                mass,
                q,
                sums,
            })?,
        }
        Ok(())
    }
}

/// Solver of a flow, to measure the time of one iteration.
pub struct McfIterations<'a> {
    solver: FlowSolver<'a>,
    cg: Cg,
    x: Attribute<Vertex, Vec3>,
}

impl<'a> McfIterations<'a> {
    /// Sets up the system at `x` with a given time step, in squared length units.
    ///
    /// # Errors
    ///
    /// As [`mean_curvature_flow`].
    pub fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        dt: f64,
        options: &McfOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        let mut copy = rx.attribute()?;
        copy.copy_from(x)?;
        let cg = Cg::new(rx, options.tolerance, options.preconditioner)?;
        let solver = FlowSolver::new(rx, x, dt, options, cg.inverse_mut())?;
        solver.start(&cg)?;
        Ok(McfIterations {
            solver,
            cg,
            x: copy,
        })
    }

    /// Launches one iteration, which does nothing once the tolerance is reached.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn iterate(&mut self) -> Result<(), Error> {
        self.solver.iterate(&mut self.cg, &mut self.x)
    }

    /// Returns the iterations done, and `sqrt(r . r / r0 . r0)`. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn progress(&self) -> Result<(u32, f64), Error> {
        let progress = self.cg.progress()?;
        Ok((progress.iterations, progress.residual))
    }
}

impl std::fmt::Debug for McfIterations<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "McfIterations({:?})", self.solver.rx)
    }
}
