//! Bodies of tetrahedra that interact on a grid: finite elements with the material point method.

mod buffers;
mod clock;
mod counts;
mod options;

pub use clock::HybridReport;
pub use options::{GridOptions, HybridOptions};

use crate::body::check_step;
use crate::energy::places;
use crate::launch::{LaunchPatches, LaunchSimulation};
use crate::{Body, Forces, Surroundings};
use buffers::GridBuffers;
use clock::{Clock, Look};
use glam::Mat3;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::store::Attribute;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Kind, Vertex};
use rxmesh_simulation_kernels::material::Lame;
use rxmesh_simulation_kernels::solve::mpm::clock::{Fastest, StepFault};
use rxmesh_simulation_kernels::solve::mpm::sort::{MOST, WORDS};
use rxmesh_simulation_kernels::solve::mpm::sound::Sound;

/// Smallest part of the time of [`Hybrid::step`] that a step may take: a shorter one means that a body has become
/// unstable.
const LEAST: f32 = 1e-6;

/// Steps that are launched between two host read-backs of the clock.
const BATCH: u32 = 64;

/// Bodies on a common grid. Their vertices are the particles of the material point method: elastic forces come from the
/// cells, and the grid carries momentum (affine particle-in-cell, Jiang et al. 2015). Hence bodies, and parts of one
/// body, do not pass through each other; where they touch, they stick while they are pressed together. Solids act on
/// nodes: the velocity into them is removed, with Coulomb's friction, and their stiffness and thickness are not used.
/// The grid's own walls are frictionless.
///
/// Steps are symplectic Euler steps. Their length is chosen on the engine: vertices move less than the grid spacing,
/// and less than elastic waves. Sums are in a fixed order: every run on an engine gives the same bits.
#[derive(Debug)]
pub struct Hybrid {
    options: GridOptions,
    members: Vec<GridBody>,
    buffers: GridBuffers,
    clock: Clock,
    /// Longest step that elastic waves allow, in seconds.
    elastic: f32,
    report: HybridReport,
    /// `true` while a step runs: it stays set if the step panics.
    void: bool,
}

/// Body on the grid.
#[derive(Debug)]
struct GridBody {
    forces: Forces,
    /// Velocity gradients times the grid spacing: part of the state.
    affine: Attribute<Vertex, Mat3>,
    options: HybridOptions,
    /// Index of its first particle, and number of its particles.
    first: u32,
    particles: u32,
}

impl GridBody {
    /// Returns this body's part of a buffer for all particles.
    fn mine<T: bytemuck::Pod>(&self, of: &Buffer<T>) -> Global<T> {
        of.global().part(self.first, self.particles)
    }

    fn mine_mut<T: bytemuck::Pod>(&self, of: &Buffer<T>) -> GlobalMut<T> {
        of.global_mut().part(self.first, self.particles)
    }
}

impl Hybrid {
    /// Prepares the solver for these bodies; its steps take the same ones, in the same order. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Options out of range, more than 2^28 - 1 vertices, or no memory on the engine.
    pub fn new(
        engine: &Engine,
        bodies: &[(&Body, HybridOptions)],
        options: GridOptions,
    ) -> Result<Hybrid, Error> {
        let grid = options.grid()?;
        let mut members = Vec::new();
        let (mut particles, mut elastic) = (0u32, f32::INFINITY);
        for (body, options_) in bodies {
            options_.damping.check()?;
            let n = body.rx.linear_len(Kind::Vertex);
            members.push(GridBody {
                forces: Forces::new(body, options_.elasticity)?,
                affine: body.rx.attribute()?,
                options: *options_,
                first: particles,
                particles: n,
            });
            particles = particles
                .checked_add(n)
                // 16 words of a vertex are numbered together with those of all others.
                .filter(|&n| n <= u32::MAX / WORDS)
                .ok_or_else(|| {
                    Error::Options("bodies on a grid have more than 2^28 - 1 vertices".into())
                })?;
            let step = longest_step(body, options.spacing)?;
            elastic = elastic.min(damped(step, options_.damping.stiffness as f32));
        }
        Ok(Hybrid {
            options,
            members,
            buffers: GridBuffers::new(engine, grid, particles)?,
            clock: Clock::new(engine)?,
            elastic: elastic * options.elastic,
            report: HybridReport::default(),
            void: false,
        })
    }

    /// Returns the options of the grid.
    pub fn options(&self) -> &GridOptions {
        &self.options
    }

    /// Returns the longest step in seconds that elastic waves allow; infinite without stiff cells.
    pub fn longest_step(&self) -> f32 {
        self.elastic
    }

    /// Returns the number of launches of a step.
    pub fn launches(&self) -> u32 {
        self.buffers.launches() + 5 * self.members.len() as u32 + 1
    }

    /// Returns the report of the last [`Hybrid::step`].
    pub fn report(&self) -> HybridReport {
        self.report
    }

    /// Returns the velocity gradient at each vertex of a body (affine particle-in-cell), in one over seconds, in the
    /// order of the input. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] when there is no such body; a body that does not have this number, or an error of the engine.
    pub fn gradients(&mut self, number: usize, body: &Body) -> Result<Vec<Mat3>, Error> {
        let count = self.members.len();
        let member = self.members.get_mut(number).ok_or_else(|| {
            Error::Options(format!(
                "there is no body {number}: {count} are on the grid"
            ))
        })?;
        let all = member.affine.to_input(&body.rx)?;
        let per = 1.0 / self.options.spacing;
        Ok(all.iter().map(|&a| a * per).collect())
    }

    /// Passes to `put` the state other than positions and velocities, body by body in the order of the input. Waits for
    /// the engine.
    pub(crate) fn put_affine(
        &mut self,
        bodies: &[&mut Body],
        put: &mut impl FnMut(&[f32]),
    ) -> Result<(), Error> {
        for (member, body) in self.members.iter_mut().zip(bodies) {
            let all = member.affine.to_input(&body.rx)?;
            all.iter().for_each(|a| put(&a.to_cols_array()));
        }
        Ok(())
    }

    /// Sets the state that [`Hybrid::put_affine`] returned; the whole state is set with it, so the solver is sound
    /// again.
    pub(crate) fn set_affine(
        &mut self,
        bodies: &[&mut Body],
        next: &mut impl FnMut() -> f32,
    ) -> Result<(), Error> {
        for (member, body) in self.members.iter_mut().zip(bodies) {
            let mut one = || Mat3::from_cols_array(&[(); 9].map(|()| next()));
            let all: Vec<Mat3> = (0..body.vertex_count()).map(|_| one()).collect();
            member.affine = body.rx.attribute_from(&all)?;
        }
        self.void = false;
        Ok(())
    }

    /// Advances by `span` seconds, in the number of steps that stability requires. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a time that is not positive, other bodies, a vertex outside of the grid, too many
    /// vertices in one of its cells, or steps that would be too short; [`Error::NotFinite`] if the state of a vertex is
    /// not finite: the bodies then have the state before the step that failed. Or an error of the engine, in particular
    /// no memory for the grid. [`Error::VoidSimulation`] after a panic in an earlier step.
    pub fn step(
        &mut self,
        bodies: &mut [&mut Body],
        around: &Surroundings,
        span: f32,
    ) -> Result<(), Error> {
        if std::mem::replace(&mut self.void, true) {
            return Err(Error::VoidSimulation);
        }
        let result = self.go_on(bodies, around, span);
        self.void = false;
        result
    }

    /// Runs [`Hybrid::step`] of a solver that is sound.
    fn go_on(
        &mut self,
        bodies: &mut [&mut Body],
        around: &Surroundings,
        span: f32,
    ) -> Result<(), Error> {
        check_step(span)?;
        let sizes = self.members.iter().map(|m| m.particles);
        if !sizes.eq(bodies.iter().map(|b| b.rx.linear_len(Kind::Vertex))) {
            return Err(Error::Options("the grid was made for other bodies".into()));
        }
        self.clock.reset()?;
        for body in bodies.iter() {
            let fastest = Fastest {
                v: body.velocity.global()?,
                clock: self.clock.view(),
            };
            let n = body.rx.linear_len(Kind::Vertex);
            body.engine().launch_flat(n, fastest)?;
        }
        self.tick(span)?;
        let mut look = self.clock.look()?;
        while !look.stopped {
            self.judge(&look, bodies)?;
            let done = look.steps;
            for _ in 0..self.batch(&look, span) {
                self.substep(bodies, around)?;
                self.tick(span)?;
            }
            look = self.clock.look()?;
            debug_assert!(look.stopped || look.fault != 0 || look.steps > done);
        }
        self.report = HybridReport {
            steps: look.steps,
            least: look.least,
            blocks: self.buffers.blocks(),
        };
        Ok(())
    }

    /// Estimates the number of steps that are left.
    fn batch(&self, look: &Look, span: f32) -> u32 {
        let all = (span / look.step).ceil();
        let left = (all as u32).saturating_sub(look.steps);
        left.clamp(1, BATCH)
    }

    fn tick(&self, span: f32) -> Result<(), Error> {
        let reach = self.options.cfl * self.options.spacing;
        self.clock.tick(span, self.elastic, reach)
    }

    /// Runs one step, unless the clock has stopped.
    fn substep(&mut self, bodies: &mut [&mut Body], around: &Surroundings) -> Result<(), Error> {
        for (body, member) in bodies.iter().zip(&self.members) {
            let mut at = places(body)?;
            if member.options.damping.stiffness > 0.0 {
                at.add = body.velocity.global()?;
                at.scale = member.options.damping.stiffness as f32;
            }
            member.forces.launch(body, at)?;
        }
        self.buffers.activate(&self.clock, bodies, &self.members)?;
        self.buffers.sort(&self.clock, bodies, &self.members)?;
        self.buffers
            .transfer(&self.clock, around, bodies, &mut self.members)
    }

    /// Grows the memory if that was the fault; else returns the error.
    fn judge(&mut self, look: &Look, bodies: &[&mut Body]) -> Result<(), Error> {
        let fault = look.fault;
        if fault == StepFault::None as u32 {
            return Ok(());
        }
        if fault == StepFault::Blocks as u32 {
            self.buffers.grow(look.needed)?;
            return self.clock.forgive();
        }
        if fault == StepFault::NotFinite as u32 {
            let what = "the position or the velocity of a vertex on the grid";
            return Err(Error::NotFinite { what });
        }
        if fault == StepFault::Step as u32 {
            return Err(Error::Options(
                "a step on the grid would take less than a millionth of the time to go: vertices are too fast, or \
                    cells too stiff or too small"
                    .into(),
            ));
        }
        let (k, vertex) = self.name(look.who, bodies);
        Err(Error::Options(if fault == StepFault::Crowded as u32 {
            format!(
                "vertex {vertex} of body {k} shares a cell of the grid with more than {MOST} others: its spacing is \
                    too large"
            )
        } else {
            format!("vertex {vertex} of body {k} is outside of the grid")
        }))
    }

    /// Returns the body of a particle, and its vertex in the order of the input.
    fn name(&self, particle: u32, bodies: &[&mut Body]) -> (usize, u32) {
        let after = self.members.partition_point(|m| m.first <= particle);
        let k = after.saturating_sub(1);
        let vertex = particle - self.members[k].first;
        let names = &bodies[k].rx.volume_set().vertex_source;
        (k, names.get(vertex as usize).copied().unwrap_or(vertex))
    }
}

/// Returns the longest step of a body without damping, in seconds.
fn longest_step(body: &Body, spacing: f32) -> Result<f32, Error> {
    let of_kilogram = |m: &crate::Material| {
        let Lame { mu, lambda } = m.lame();
        Lame {
            mu: (f64::from(mu) / m.density) as f32,
            lambda: (f64::from(lambda) / m.density) as f32,
        }
    };
    let mut table: Vec<Lame> = body.materials().table().iter().map(of_kilogram).collect();
    let mut materials = body.materials.view()?;
    table.resize(materials.table.len() as usize, Lame::default());
    let table = body.engine().upload(&table)?;
    materials.table = table.global();
    let least = body.engine().upload(&[f32::INFINITY.to_bits(); 2])?;
    let sound = Sound {
        places: places(body)?,
        materials,
        spacing,
        least: least.global_mut(),
    };
    body.rx.launch(sound)?;
    Ok(f32::from_bits(least.read()?[1]).sqrt())
}

/// Returns the longest step with damping by stiffness: `2 / w (sqrt(1 + z^2) - z)` with `z = w t / 2`.
fn damped(step: f32, time: f32) -> f32 {
    if time > 0.0 && step.is_finite() {
        let z = time / step;
        step / ((1.0 + z * z).sqrt() + z)
    } else {
        step
    }
}
