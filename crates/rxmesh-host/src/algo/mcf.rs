//! Mean curvature flow: one implicit step, solved by matrix-free conjugate gradients.

use super::cg::{Cg, Progress};
use super::measure::{positive, power_of_two, transform};
use super::{Options, reduce};
use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::cg::CgVector;
use rxmesh_kernels::algo::mcf::{McfAssembled, McfFans, McfProduct, McfSetup, REGULAR};
use rxmesh_kernels::algo::measure::EdgeLengths;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::query::{Fans, Prepared, VE, VV};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// How to smooth.
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
    /// Compute the cotangent weights anew in each iteration, in shared memory, instead of keeping a matrix: less
    /// memory, more time.
    #[cfg_attr(feature = "cli", arg(long))]
    pub matrix_free: bool,
    /// Whether to precondition by one over the diagonal (Jacobi): fewer iterations where triangles differ in size and
    /// shape.
    #[cfg_attr(feature = "cli", arg(long = "no-preconditioner", action = clap::ArgAction::SetFalse,
        help = "Plain conjugate gradients, without Jacobi's preconditioner"))]
    pub preconditioner: bool,
}

impl Default for McfOptions {
    fn default() -> Self {
        McfOptions {
            time_step: None,
            tolerance: 1e-6,
            max_iterations: 1000,
            matrix_free: false,
            preconditioner: true,
        }
    }
}

/// What the solver did.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct McfReport {
    /// Time step in squared length units of the mesh.
    pub time_step: f64,
    /// Iterations done.
    pub iterations: u32,
    /// `sqrt(r . r / r0 . r0)` at the end; 0 when there was nothing to do.
    pub residual: f64,
    /// Whether the tolerance was reached.
    pub converged: bool,
}

/// The time step in squared mean edge lengths, unless one is given.
pub const TIME_STEP: f64 = 0.1;

/// Iterations that are launched before the first look at the solver's scalars.
const FIRST_LOOK: u32 = 8;

/// Moves `x` by one implicit step of mean curvature flow: solves
/// `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j = 2 A_i x0_i` for the three coordinates together, with clamped
/// cotangent weights and mixed Voronoi areas of the starting positions (RXMesh 2021, listing 4). Boundary edges use
/// their single cotangent; vertices without a face of positive area stay.
///
/// # Errors
///
/// [`Error::Options`] for a time step or tolerance that is not a number or not positive, [`Error::NotFinite`] when the
/// mesh has such coordinates or proportions that the solver leaves the numbers, or what the engine says. On an error
/// `x` may hold an unfinished result.
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
        });
    }
    let frame = Frame::of(rx, x)?;
    frame.enter(rx, x)?;
    let time_step = match options.time_step {
        Some(dt) => dt,
        None => {
            let mean = mean_edge_length(rx, x)? / frame.scale;
            TIME_STEP * mean * mean
        }
    };
    let scaled = time_step * frame.scale * frame.scale;
    let solved = Solver::new(rx, x, scaled, options)
        .and_then(|mut solver| solver.solve(x, options.max_iterations));
    frame.leave(rx, x)?;
    let progress = solved?;
    Ok(McfReport {
        time_step,
        iterations: progress.iterations,
        residual: progress.residual,
        converged: progress.done,
    })
}

impl Options for McfOptions {
    fn check(&self) -> Result<(), Error> {
        if let Some(dt) = self.time_step {
            positive("the time step", dt)?;
        }
        positive("the tolerance", self.tolerance)
    }

    fn scale(&mut self, factor: f64) {
        self.time_step = self.time_step.map(|dt| dt * factor * factor);
    }
}

/// Mean length of all edges.
///
/// # Errors
///
/// What the engine says.
pub fn mean_edge_length(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    let mut length = rx.attribute::<Edge, f32>()?;
    rx.run(EdgeLengths {
        x: x.read()?,
        length: length.write()?,
    })?;
    Ok(reduce::sum(rx, &length)? / f64::from(rx.count(Kind::Edge).max(1)))
}

/// A frame in which coordinates are near one: the flow commutes with moving and scaling, and `f32` keeps all its digits
/// for the shape, however small, large or far away it is.
struct Frame {
    origin: Vec3,
    scale: f64,
}

impl Frame {
    fn of(rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<Frame, Error> {
        let origin = x.buffer().read_range(rx.headers()[0].base[0] as usize, 1)?[0];
        let frame = Frame { origin, scale: 1.0 };
        frame.enter(rx, x)?;
        let size = reduce::max(rx, x)?.max(-reduce::min(rx, x)?);
        frame.leave(rx, x)?;
        if !size.is_finite() {
            return Err(Error::NotFinite {
                what: "a vertex coordinate",
            });
        }
        Ok(Frame {
            origin,
            scale: power_of_two(size),
        })
    }

    fn enter(&self, rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        transform(rx, x, self.origin, self.scale, Vec3::ZERO)
    }

    fn leave(&self, rx: &RxMesh, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        transform(rx, x, Vec3::ZERO, 1.0 / self.scale, self.origin)
    }
}

/// Mean curvature flow's system and its solver.
struct Solver<'a> {
    rx: &'a RxMesh,
    cg: Cg,
    matrix_free: bool,
    x0: Attribute<Vertex, Vec3>,
    mass: Attribute<Vertex, f32>,
    /// A value for each entry of the prepared VV; empty when the weights are not kept.
    kept: Buffer<f32>,
    regular: Buffer<u32>,
    ve: Prepared<VE>,
    /// Used when the weights are kept.
    vv: Prepared<VV>,
    /// Used when they are not.
    fans: Prepared<Fans>,
    /// Whether there are patches that are regular, and others.
    patches: (bool, bool),
    dt: f32,
}

impl<'a> Solver<'a> {
    fn new(
        rx: &'a RxMesh,
        x: &Attribute<Vertex, Vec3>,
        dt: f64,
        options: &McfOptions,
    ) -> Result<Self, Error> {
        let mut x0 = rx.attribute()?;
        x0.copy_from(x)?;
        let (vv, fans) = match options.matrix_free {
            true => (Prepared::empty(), rx.prepare()?),
            false => (rx.prepare()?, Prepared::empty()),
        };
        let mut solver = Solver {
            rx,
            cg: Cg::new(rx, options.tolerance, options.preconditioner)?,
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
        solver.setup()?;
        Ok(solver)
    }

    fn setup(&mut self) -> Result<(), Error> {
        self.rx.run(McfSetup {
            x0: self.x0.staged()?,
            ve: self.ve,
            vv: self.vv,
            fans: self.fans,
            mass: self.mass.global_mut()?,
            inverse: self.cg.inverse_mut(),
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

    fn solve(
        &mut self,
        x: &mut Attribute<Vertex, Vec3>,
        max_iterations: u32,
    ) -> Result<Progress, Error> {
        self.start()?;
        let mut launched = 0;
        loop {
            // A look costs about as much as an iteration on a small mesh; launches after the end cost little.
            let batch = (launched / 2)
                .max(FIRST_LOOK)
                .min(max_iterations - launched);
            for _ in 0..batch {
                self.iterate(x)?;
            }
            launched += batch;
            let progress = self.cg.progress()?;
            if progress.done || launched == max_iterations {
                return Ok(progress);
            }
        }
    }

    /// The first residual.
    fn start(&self) -> Result<(), Error> {
        let (vector, r) = self.cg.start(self.x0.global()?);
        self.product(vector, r)
    }

    /// One iteration: two launches, no waiting.
    fn iterate(&mut self, x: &mut Attribute<Vertex, Vec3>) -> Result<(), Error> {
        let (vector, q) = self.cg.direction();
        self.product(vector, q)?;
        self.cg.step(self.rx, x.global_mut()?)
    }

    fn product(&self, d: CgVector, q: GlobalMut<Vec3>) -> Result<(), Error> {
        let (mass, sums) = (self.mass.global()?, self.cg.sums());
        match self.matrix_free {
            true => {
                let (x0, regular, dt) = (self.x0.staged()?, self.regular.global(), self.dt);
                let (some_are, some_are_not) = self.patches;
                if some_are {
                    self.rx.run(McfFans {
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
                    self.rx.run(McfProduct {
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
            false => self.rx.run(McfAssembled {
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

/// The solver of a flow, for measurements: how long one iteration takes.
pub struct McfIterations<'a> {
    solver: Solver<'a>,
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
        let solver = Solver::new(rx, x, dt, options)?;
        solver.start()?;
        Ok(McfIterations { solver, x: copy })
    }

    /// Launches one iteration, which does nothing once the tolerance is reached.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn iterate(&mut self) -> Result<(), Error> {
        self.solver.iterate(&mut self.x)
    }

    /// Iterations done, and `sqrt(r . r / r0 . r0)`. Waits for the engine.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn progress(&self) -> Result<(u32, f64), Error> {
        let progress = self.solver.cg.progress()?;
        Ok((progress.iterations, progress.residual))
    }
}

impl std::fmt::Debug for McfIterations<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "McfIterations({:?})", self.solver.rx)
    }
}
