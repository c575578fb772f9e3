//! Mean curvature flow: one implicit step, solved by conjugate gradients.

mod batch;

pub use batch::{McfBatchReport, mean_curvature_flow_batch};

use crate::Error;
pub use crate::algebra::When;
use crate::algebra::cg::{Cg, Products, Progress};
use crate::algebra::{Assembled, Matrix, MatrixArrays, VertexSolveOptions, VertexSolver};
use crate::algo::Options;
use crate::algo::measure::frame::UnitFrame;
use crate::algo::measure::lengths::mean_edge_length;
use crate::engine::Buffer;
use crate::options::positive;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{CgSums, CgVector};
use rxmesh_kernels::algo::smooth::mcf::{
    McfAssembled, McfFans, McfMatrix, McfProduct, McfSetup, REGULAR,
};
use rxmesh_kernels::mem::{Global, GlobalMut};
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

units!(McfOptions { time_step: Area });

changeable!(McfOptions);

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

units!(McfReport { time_step: Area });

/// Time step in squared mean edge lengths, unless one is given.
pub const TIME_STEP: f64 = 0.1;

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
    let solver = VertexSolver::new(rx, options.solver())?;
    let system = FlowSystem::new(rx, x, dt, options, solver.inverse())?;
    solver.solve(&system, x)
}

impl McfOptions {
    fn solver(&self) -> VertexSolveOptions {
        VertexSolveOptions {
            tolerance: self.tolerance,
            max_iterations: self.max_iterations,
            jacobi: self.preconditioner,
            multigrid: self.multigrid,
            matrix_free: self.matrix_free,
        }
    }
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
}

/// Mean curvature flow's system.
struct FlowSystem<'a> {
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

impl<'a> FlowSystem<'a> {
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
        let mut system = FlowSystem {
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
        system.setup(inverse)?;
        Ok(system)
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
}

impl Assembled for FlowSystem<'_> {
    fn origin(&self) -> Result<Global<Vec3>, Error> {
        Ok(self.x0.global()?)
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
}

impl Products for FlowSystem<'_> {
    fn product(&self, sums: CgSums, d: CgVector, q: GlobalMut<Vec3>) -> Result<(), Error> {
        let mass = self.mass.global()?;
        if self.matrix_free {
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
        } else {
            self.rx.launch(McfAssembled {
                d,
                vv: self.vv,
                weights: self.kept.global(),
                mass,
                q,
                sums,
            })?;
        }
        Ok(())
    }
}

/// Solver of a flow, to measure the time of one iteration.
pub struct McfIterations<'a> {
    system: FlowSystem<'a>,
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
        let system = FlowSystem::new(rx, x, dt, options, cg.inverse_mut())?;
        cg.begin(&system, system.x0.global()?)?;
        Ok(McfIterations {
            system,
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
        let x = self.x.global_mut()?;
        // SAFETY: an attribute of the mesh.
        unsafe { self.cg.iterate(self.system.rx, &self.system, x) }
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
        write!(f, "McfIterations({:?})", self.system.rx)
    }
}
