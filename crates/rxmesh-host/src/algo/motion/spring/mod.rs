//! Mass-spring systems: explicit and implicit time steps.

mod motion;

pub use motion::{MotionOptions, MotionReport, SpringMethod, simulate};

use crate::Error;
use crate::algebra::cg::Products;
use crate::algebra::{MatrixArrays, Rewritten, StepSolver};
use crate::algo::Options;
use crate::engine::Buffer;
use crate::options::{not_negative, positive};
use crate::store::reduce;
use crate::store::{Attribute, Dimension, RxMesh, Surface};
use glam::{Mat3, Vec3};
use rxmesh_kernels::algebra::cg::{CgSums, CgVector};
use rxmesh_kernels::algo::motion::spring::{
    Constants, Motion, SpringBegin, SpringEnd, SpringEnergies, SpringGather, SpringHeights,
    SpringLengths, SpringMatrix, SpringProduct, SpringScatter,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::query::{Prepared, VV};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Constants of a mass-spring system, in any consistent units; those named here are of the default.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SpringOptions {
    /// Length of a time step, in seconds; explicit steps are stable only well below sqrt(mass / (valence * stiffness)).
    #[cfg_attr(feature = "cli", arg(long, value_name = "DT", default_value_t = Self::default().time_step))]
    pub time_step: f64,
    /// Force of a spring over its elongation, in newtons a metre; the same for every edge.
    #[cfg_attr(feature = "cli", arg(long, value_name = "K", default_value_t = Self::default().stiffness))]
    pub stiffness: f64,
    /// Mass of a vertex, in kilograms.
    #[cfg_attr(feature = "cli", arg(long, value_name = "M", default_value_t = Self::default().mass))]
    pub mass: f64,
    /// Drag: deceleration over velocity, in one over seconds.
    #[cfg_attr(feature = "cli", arg(long, value_name = "C", default_value_t = Self::default().damping))]
    pub damping: f64,
    /// Acceleration of free vertices, in metres over squared seconds.
    #[cfg_attr(feature = "cli", arg(long, value_name = "X,Y,Z", default_value_t = Self::default().gravity,
        value_parser = motion::vector, allow_hyphen_values = true))]
    pub gravity: Vec3,
}

units!(SpringOptions {
    gravity: Acceleration
});

changeable!(SpringOptions);

impl Options for SpringOptions {
    fn check(&self) -> Result<(), Error> {
        positive("the time step", self.time_step)?;
        positive("the mass", self.mass)?;
        not_negative("the stiffness", self.stiffness)?;
        not_negative("the damping", self.damping)?;
        if self.gravity.is_finite() {
            return Ok(());
        }
        Err(Error::Options(format!(
            "gravity is {}, but must be finite",
            self.gravity
        )))
    }
}

impl Default for SpringOptions {
    fn default() -> Self {
        let gravity = Vec3::new(0.0, 0.0, -9.81);
        SpringOptions {
            time_step: 1e-3,
            stiffness: 100.0,
            mass: 0.01,
            damping: 0.1,
            gravity,
        }
    }
}

/// Method by which an explicit step sums up the forces. The results agree up to rounding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SpringForces {
    /// Each vertex over its neighbours (VV): one kernel a step, each spring computed twice, always in the same order.
    #[default]
    Gather,
    /// Each spring to its two ends (EV): each spring computed once, into shared memory, where its ends find it.
    Scatter,
}

/// Energy of a system, in joules if the options are in SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SpringEnergy {
    /// Energy of the motion.
    pub kinetic: f64,
    /// Energy of the springs.
    pub elastic: f64,
    /// Energy of the heights, relative to the positions at rest.
    pub gravity: f64,
    /// Sum of all three.
    pub total: f64,
}

units!(SpringEnergy {
    kinetic: Energy,
    elastic: Energy,
    gravity: Energy,
    total: Energy
});

/// Results of the last implicit step's solver.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct SpringSolve {
    /// Iterations done.
    pub iterations: u32,
    /// `sqrt(r . r / r0 . r0)` at the end; 0 when there was nothing to do.
    pub residual: f64,
}

/// A mass-spring system whose springs are the edges of a mesh (MeshTaichi 2022, section 8.1), a surface or a volume
/// that keeps edges.
///
/// No step waits for the engine: faults there show at the next read.
#[derive(Debug)]
pub struct Springs<'a, D: Dimension = Surface> {
    rx: &'a RxMesh<D>,
    constants: Constants,
    rest: Attribute<Vertex, Vec3>,
    fixed: Attribute<Vertex, u32>,
    x: Attribute<Vertex, Vec3>,
    v: Attribute<Vertex, Vec3>,
    /// New positions.
    spare: Attribute<Vertex, Vec3>,
    vv: Prepared<VV>,
    /// Lengths at rest, a value for each entry of `vv`.
    lengths: Buffer<f32>,
    solver: Option<SpringSolver>,
}

/// Implicit step's solver and the changes of the velocities that it finds.
#[derive(Debug)]
struct SpringSolver {
    steps: StepSolver<Mat3>,
    change: Buffer<Vec3>,
}

impl<'a, D: Dimension> Springs<'a, D> {
    /// Creates a system at rest at `x`. Vertices whose `fixed` is not zero never move by themselves. Copies of a body
    /// have the lengths of the first.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for constants that are not numbers or out of range, [`Error::NotFinite`] for a coordinate
    /// that is not finite, or any error of the engine.
    pub fn new(
        rx: &'a RxMesh<D>,
        x: &Attribute<Vertex, Vec3>,
        fixed: &Attribute<Vertex, u32>,
        options: &SpringOptions,
    ) -> Result<Self, Error> {
        options.check()?;
        if !reduce::dot(rx, x, x)?.is_finite() {
            return Err(Error::NotFinite {
                what: "a vertex coordinate",
            });
        }
        let constants = Constants {
            gravity: options.gravity,
            stiffness: options.stiffness as f32,
            mass: options.mass as f32,
            damping: options.damping as f32,
            dt: options.time_step as f32,
        };
        let copy = || -> Result<_, Error> {
            let mut a = rx.attribute()?;
            a.copy_from(x)?;
            Ok(a)
        };
        let mut held = rx.attribute()?;
        held.copy_from(fixed)?;
        let (v, spare) = (rx.attribute()?, rx.attribute()?);
        let (rest, vv) = (copy()?, rx.prepare::<VV>()?);
        let lengths = rx.engine().zeroed(vv.len() as usize)?;
        rx.launch_on_body(SpringLengths {
            rest: rest.staged()?,
            vv,
            lengths: lengths.global_mut(),
        })?;
        Ok(Springs {
            rx,
            constants,
            rest,
            fixed: held,
            x: copy()?,
            v,
            spare,
            vv,
            lengths,
            solver: None,
        })
    }

    /// Returns the positions, to read or to change.
    pub fn positions(&mut self) -> &mut Attribute<Vertex, Vec3> {
        &mut self.x
    }

    /// Returns the velocities, to read or to change. Those of fixed vertices become zero at the next step.
    pub fn velocities(&mut self) -> &mut Attribute<Vertex, Vec3> {
        &mut self.v
    }

    /// Runs one semi-implicit Euler step: new velocities from the forces, then new positions from them. The drag is
    /// implicit.
    ///
    /// # Errors
    ///
    /// A stale attribute, or any error of the engine.
    pub fn step_explicit(&mut self, forces: SpringForces) -> Result<(), Error> {
        let (rx, constants) = (self.rx, self.constants);
        let ve = match forces {
            SpringForces::Gather => None,
            SpringForces::Scatter => Some(rx.prepare()?),
        };
        let motion = Motion {
            fixed: self.fixed.global()?,
            v: self.v.global_mut()?,
            y: self.spare.global_mut()?,
            constants,
        };
        let (x, rest) = (self.x.staged()?, self.rest.staged()?);
        match ve {
            None => rx.launch(SpringGather {
                x,
                vv: self.vv,
                lengths: self.lengths.global(),
                motion,
            })?,
            Some(ve) => rx.launch(SpringScatter {
                x,
                rest,
                ve,
                motion,
            })?,
        }
        std::mem::swap(&mut self.x, &mut self.spare);
        Ok(())
    }

    /// Runs one implicit Euler step, linearised once (Baraff and Witkin 1998, equation 6). It takes at most
    /// `iterations` matrix-free conjugate gradient iterations, fewer once the residual has fallen to `tolerance` times
    /// its start (0 for all of them).
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a tolerance that is not a number or negative, a stale attribute, or any error of the
    /// engine.
    pub fn step_implicit(&mut self, iterations: u32, tolerance: f64) -> Result<(), Error> {
        not_negative("the tolerance", tolerance)?;
        if self.rx.count(Kind::Vertex) == 0 {
            return Ok(());
        }
        let mut solver = match self.solver.take() {
            Some(solver) => solver,
            None => SpringSolver::new(self.rx, self.vv.len())?,
        };
        let done = self.solve(&mut solver, iterations, tolerance);
        self.solver = Some(solver);
        done
    }

    fn solve(
        &mut self,
        s: &mut SpringSolver,
        iterations: u32,
        tolerance: f64,
    ) -> Result<(), Error> {
        let (engine, n) = (self.rx.engine(), self.rx.linear_len(Kind::Vertex));
        let start = s.steps.start(self.v.global()?);
        let begin = SpringBegin {
            v: self.v.global_mut()?,
            change: s.change.global_mut(),
            zero: start.zero,
            fixed: self.fixed.global()?,
            scalars: start.scalars,
            tolerance2: tolerance * tolerance,
        };
        engine.launch_flat(n, begin)?;
        self.product(start.sums, start.vector, start.r)?;
        let change = s.change.global_mut();
        // SAFETY: a change for each vertex.
        unsafe { s.steps.run(self.rx, &*self, change, iterations)? };
        let end = SpringEnd {
            x: self.x.global_mut()?,
            v: self.v.global_mut()?,
            change: s.change.global(),
            dt: self.constants.dt,
        };
        Ok(engine.launch_flat(n, end)?)
    }

    /// Returns the results of the last implicit step's solver; `None` before the first. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the solver produced a number that is not finite, or any error of the engine.
    pub fn last_solve(&self) -> Result<Option<SpringSolve>, Error> {
        let Some(solver) = &self.solver else {
            return Ok(None);
        };
        let progress = solver.steps.progress()?;
        Ok(Some(SpringSolve {
            iterations: progress.iterations,
            residual: progress.residual,
        }))
    }

    /// Computes the system's energy. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the motion produced a number that is not finite (the time step is too long), or any
    /// error of the engine.
    pub fn energy(&self) -> Result<SpringEnergy, Error> {
        let (rx, c) = (self.rx, self.constants);
        let mut edges = rx.attribute::<Edge, f32>()?;
        rx.run(SpringEnergies {
            x: self.x.read()?,
            rest: self.rest.read()?,
            energy: edges.write()?,
        })?;
        let mut height = rx.attribute::<Vertex, f32>()?;
        let heights = SpringHeights {
            x: self.x.global()?,
            rest: self.rest.global()?,
            height: height.global_mut()?,
            direction: -c.gravity,
        };
        rx.engine()
            .launch_flat(rx.linear_len(Kind::Vertex), heights)?;
        let kinetic = 0.5 * f64::from(c.mass) * reduce::dot(rx, &self.v, &self.v)?;
        let elastic = f64::from(c.stiffness) * reduce::sum(rx, &edges)?;
        let gravity = f64::from(c.mass) * reduce::sum(rx, &height)?;
        let total = kinetic + elastic + gravity;
        if !total.is_finite() {
            return Err(Error::NotFinite {
                what: "the energy of the springs",
            });
        }
        Ok(SpringEnergy {
            kinetic,
            elastic,
            gravity,
            total,
        })
    }
}

impl<D: Dimension> Products for Springs<'_, D> {
    fn product(&self, sums: CgSums, d: CgVector, q: GlobalMut<Vec3>) -> Result<(), Error> {
        Ok(self.rx.launch(SpringProduct {
            x: self.x.staged()?,
            d,
            vv: self.vv,
            lengths: self.lengths.global(),
            fixed: self.fixed.read()?,
            q,
            sums,
            constants: self.constants,
        })?)
    }
}

impl<D: Dimension> Rewritten<Mat3> for Springs<'_, D> {
    fn assemble(&self, parts: &MatrixArrays<Mat3>) -> Result<(), Error> {
        Ok(self.rx.launch(SpringMatrix {
            x: self.x.staged()?,
            vv: self.vv,
            lengths: self.lengths.global(),
            fixed: self.fixed.read()?,
            starts: parts.starts.global_mut(),
            ends: parts.ends.global_mut(),
            columns: parts.columns.global_mut(),
            weights: parts.weights.global_mut(),
            excess: parts.excess.global_mut(),
            constants: self.constants,
        })?)
    }
}

impl SpringSolver {
    /// Creates a solver of `entries` springs, counted at both their ends.
    fn new(rx: &RxMesh<impl Dimension>, entries: u32) -> Result<SpringSolver, Error> {
        let n = rx.linear_len(Kind::Vertex) as usize;
        Ok(SpringSolver {
            steps: StepSolver::new(rx, entries)?,
            change: rx.engine().zeroed(n)?,
        })
    }
}
