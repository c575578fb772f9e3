//! Implicit Euler steps.

use super::{Damping, FromOptions, TimeStep};
use crate::body::{SumBuffers, check_step};
use crate::contact::{Displaced, touch_edges};
use crate::energy::{places, with_energy};
use crate::launch::{LaunchPatches, LaunchSimulation};
use crate::{Body, Elasticity, Stiffness, Surroundings};
use rxmesh_host::engine::Buffer;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation_kernels::small::Symmetric;
use rxmesh_simulation_kernels::solve::newton::VERTICES;
use rxmesh_simulation_kernels::solve::newton::inertia::Inertia;
use rxmesh_simulation_kernels::solve::newton::linear::{Begin, Step};
use rxmesh_simulation_kernels::solve::newton::search::{Move, Trial};
use rxmesh_simulation_kernels::solve::newton::state::NewtonScalar;
use rxmesh_simulation_kernels::solve::newton::time_step::{End, Start, Stay};
use rxmesh_simulation_kernels::staged::BodyPositions;
use std::marker::PhantomData;

/// Positions of a body, the forces on it other than elastic ones, and its surroundings.
type Moves<'a> = (BodyPositions, Inertia, &'a Surroundings);

/// Limits on the work of an implicit step.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ImplicitOptions {
    /// Energy of the cells.
    pub elasticity: Elasticity,
    /// Damping.
    pub damping: Damping,
    /// Maximum number of Newton iterations per step.
    pub newton: u32,
    /// Ratio of the residual force to the initial one at which Newton's method stops.
    pub tolerance: f64,
    /// Maximum number of iterations of conjugate gradients per Newton iteration.
    pub linear: u32,
    /// Ratio of the residual to the initial one at which conjugate gradients stop.
    pub linear_tolerance: f64,
    /// Maximum number of step lengths that are tried along a direction, each half of the one before.
    pub trials: u32,
}

impl Default for ImplicitOptions {
    fn default() -> Self {
        ImplicitOptions {
            elasticity: Elasticity::default(),
            damping: Damping::default(),
            newton: 5,
            tolerance: 1e-4,
            linear: 100,
            linear_tolerance: 1e-2,
            trials: 8,
        }
    }
}

impl ImplicitOptions {
    /// Refuses values out of range.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        self.damping.check()?;
        let counts = [
            ("Newton iterations", self.newton),
            ("iterations of conjugate gradients", self.linear),
            ("trials", self.trials),
        ];
        for (what, n) in counts {
            if n == 0 {
                return Err(Error::Options(format!(
                    "the number of {what} is 0, but must be 1 or more"
                )));
            }
        }
        for (what, x) in [
            ("tolerance", self.tolerance),
            ("linear tolerance", self.linear_tolerance),
        ] {
            if !(0.0..1.0).contains(&x) {
                return Err(Error::Options(format!(
                    "the {what} is {x}, but must be at least 0 and below 1"
                )));
            }
        }
        Ok(())
    }
}

/// Report of the last implicit step.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ImplicitReport {
    /// Number of Newton iterations.
    pub newton: u32,
    /// Total number of iterations of conjugate gradients.
    pub linear: u32,
    /// Ratio of the residual force to the initial one.
    pub residual: f64,
    /// Incremental potential (inertia, elasticity and contact) in joules, before the first iteration and after the
    /// last, relative to that of no displacement.
    pub energy: [f64; 2],
}

/// Implicit Euler by Newton's method: no limit on the time step, and the incremental potential of a step never rises.
#[derive(Debug)]
pub struct Implicit {
    options: ImplicitOptions,
    stiffness: Stiffness,
    u: Buffer<Vec3>,
    change: Buffer<Vec3>,
    r: Buffer<Vec3>,
    z: Buffer<Vec3>,
    inverse: Buffer<Symmetric>,
    /// Dot products of launches over vertices: two numbers per block.
    dots: Buffer<f64>,
    moved: SumBuffers,
}

impl Implicit {
    /// Prepares the solver for a body: about 120 bytes per cell and 250 per vertex.
    ///
    /// # Errors
    ///
    /// Options out of range, or no memory on the engine.
    pub fn new(body: &Body, options: ImplicitOptions) -> Result<Implicit, Error> {
        options.check()?;
        let (rx, engine) = (&body.rx, body.engine());
        let n = rx.linear_len(Kind::Vertex) as usize;
        let blocks = n.div_ceil(VERTICES as usize);
        let vector = || engine.zeroed::<Vec3>(n);
        Ok(Implicit {
            options,
            stiffness: Stiffness::new(body, options.elasticity)?,
            u: vector()?,
            change: vector()?,
            r: vector()?,
            z: vector()?,
            inverse: engine.zeroed(n)?,
            dots: engine.zeroed(2 * blocks)?,
            moved: SumBuffers::new(engine, blocks)?,
        })
    }

    /// Returns the options.
    pub fn options(&self) -> &ImplicitOptions {
        &self.options
    }

    /// Returns the number of launches of a step.
    pub fn launches(&self) -> u32 {
        let o = &self.options;
        // Per Newton iteration: derivatives, the residual, two for each linear iteration, trials, the move.
        8 + o.newton * (3 + 2 * o.linear + o.trials)
    }

    /// Advances the body by one step. Does not wait for the engine; a step whose result is not finite leaves the body
    /// unchanged, which [`Implicit::report`] shows.
    ///
    /// # Errors
    ///
    /// A time step that is not positive, a body of another mesh, or an error of the engine.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let n = body.rx.linear_len(Kind::Vertex);
        if n == 0 {
            return Ok(());
        }
        let inertia = self.inertia(body, around, dt)?;
        let at = self.places(body, dt)?;
        let moves = (at, inertia, around);
        let start = Start {
            inertia,
            u: self.u.global_mut(),
            change: self.change.global_mut(),
            state: self.stiffness.state(),
            tolerance2: self.options.tolerance * self.options.tolerance,
            linear_tolerance2: self.options.linear_tolerance * self.options.linear_tolerance,
        };
        body.engine().launch_flat(n, start)?;
        self.attempt(body, moves, 0.0)?;
        // Starts from free fall, which is exact for bodies that fall freely; for those that hang or lie, staying is a
        // better start.
        self.attempt(body, moves, 1.0)?;
        self.advance(body, true)?;
        let stay = Stay {
            u: self.u.global(),
            change: self.change.global_mut(),
            inverse_mass: body.inverse_mass.global()?,
        };
        body.engine().launch_flat(n, stay)?;
        self.attempt(body, moves, 1.0)?;
        self.advance(body, true)?;
        for _ in 0..self.options.newton {
            self.iterate(body, moves)?;
        }
        let end = End {
            x: body.position.global_mut()?,
            v: body.velocity.global_mut()?,
            inverse_mass: body.inverse_mass.global()?,
            u: self.u.global(),
            state: self.stiffness.state(),
            dt,
        };
        Ok(body.engine().launch_flat(n, end)?)
    }

    /// Runs one Newton iteration.
    fn iterate(&mut self, body: &Body, moves: Moves<'_>) -> Result<(), Error> {
        let (at, inertia, around) = moves;
        self.stiffness.linearise(body, at)?;
        let begin = Begin {
            cells: self.stiffness.forces(),
            inertia: self.with_edges(body, around, inertia, 0.0)?,
            u: self.u.global(),
            r: self.r.global_mut(),
            z: self.z.global_mut(),
            change: self.change.global_mut(),
            direction: self.stiffness.directions[0].global_mut(),
            inverse: self.inverse.global_mut(),
            diagonal: self.stiffness.diagonal.global_mut(),
            dots: self.stiffness.dots(self.dots.global_mut(), &self.moved),
        };
        let blocks = self.moved.partials.len() as u32;
        body.engine().launch_blocks(blocks, begin)?;
        for _ in 0..self.options.linear {
            self.stiffness.multiply(body, self.z.global())?;
            let step = Step {
                change: self.change.global_mut(),
                r: self.r.global_mut(),
                z: self.z.global_mut(),
                d: self.stiffness.directions[1].global(),
                q: self.stiffness.products(),
                inverse: self.inverse.global(),
                dots: self.stiffness.dots(self.dots.global_mut(), &self.moved),
            };
            body.engine().launch_blocks(blocks, step)?;
            self.stiffness.directions.swap(0, 1);
        }
        let mut length = 1.0;
        for _ in 0..self.options.trials {
            self.attempt(body, moves, length)?;
            length *= 0.5;
        }
        self.advance(body, false)
    }

    /// Moves by the step length that was found.
    fn advance(&self, body: &Body, begin: bool) -> Result<(), Error> {
        let step = Move {
            u: self.u.global_mut(),
            change: self.change.global(),
            partials: self.moved.partials.global_mut(),
            arrived: self.moved.arrived.global_mut(),
            state: self.stiffness.state(),
            begin: begin.into(),
        };
        let blocks = self.moved.partials.len() as u32;
        Ok(body.engine().launch_blocks(blocks, step)?)
    }

    /// Tries a step length.
    fn attempt(&self, body: &Body, moves: Moves<'_>, length: f32) -> Result<(), Error> {
        let (at, inertia, around) = moves;
        let inertia = self.with_edges(body, around, inertia, length)?;
        with_energy!(self.options.elasticity, E => body.rx.launch(Trial::<E> {
            places: at,
            change: self.change.global(),
            length,
            materials: body.materials.view()?,
            inertia,
            partials: self.stiffness.patches.partials.global_mut(),
            arrived: self.stiffness.patches.arrived.global_mut(),
            state: self.stiffness.state(),
            energy: PhantomData,
        })?);
        Ok(())
    }

    fn inertia(&self, body: &Body, around: &Surroundings, dt: f32) -> Result<Inertia, Error> {
        Ok(Inertia {
            x: body.position.global()?,
            v: body.velocity.global()?,
            mass: body.mass.global()?,
            inverse_mass: body.inverse_mass.global()?,
            contacts: around.contacts(),
            edges: Global::empty(),
            gravity: around.gravity(),
            drag: self.options.damping.mass as f32,
            dt,
        })
    }

    /// Adds the contact response of edges at `length` times the change.
    fn with_edges(
        &self,
        body: &Body,
        around: &Surroundings,
        inertia: Inertia,
        length: f32,
    ) -> Result<Inertia, Error> {
        let at = Displaced {
            u: self.u.global(),
            change: self.change.global(),
            length,
        };
        let edges = touch_edges(body, around, at, inertia.dt)?;
        Ok(Inertia { edges, ..inertia })
    }

    /// Returns the positions at which elastic forces are evaluated: ahead of the end of the step by the damping's time.
    fn places(&self, body: &Body, dt: f32) -> Result<BodyPositions, Error> {
        Ok(BodyPositions {
            add: self.u.global(),
            scale: 1.0 + self.options.damping.stiffness as f32 / dt,
            ..places(body)?
        })
    }

    /// Returns the report of the last step. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the result of the step was not finite, or an error of the engine.
    pub fn report(&self) -> Result<ImplicitReport, Error> {
        let s = self.stiffness.scalars.read()?;
        let get = |k: NewtonScalar| s[k as usize];
        if get(NewtonScalar::Failed) != 0.0 {
            return Err(Error::NotFinite {
                what: "the energy of an implicit step",
            });
        }
        let (norm, norm0) = (get(NewtonScalar::Norm), get(NewtonScalar::Norm0));
        Ok(ImplicitReport {
            newton: get(NewtonScalar::Iterations) as u32,
            linear: get(NewtonScalar::Linear) as u32,
            residual: if norm0 > 0.0 {
                (norm / norm0).sqrt()
            } else {
                0.0
            },
            energy: [get(NewtonScalar::Energy0), get(NewtonScalar::Energy)],
        })
    }
}

impl TimeStep for Implicit {
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        Implicit::step(self, body, around, dt)
    }

    fn elasticity(&self) -> Elasticity {
        self.options.elasticity
    }

    fn check(&self) -> Result<(), Error> {
        self.report().map(drop)
    }
}

impl FromOptions for Implicit {
    type Options = ImplicitOptions;

    fn from_options(body: &Body, _dt: f32, options: ImplicitOptions) -> Result<Self, Error> {
        Implicit::new(body, options)
    }
}
