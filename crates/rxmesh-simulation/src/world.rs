//! [`World`]: bodies, their solvers and their surroundings.

use crate::body::{SumBuffers, check_step};
use crate::contact::{Displaced, Outline, touch_edges};
use crate::energy::elastic_energy;
use crate::launch::LaunchSimulation;
use crate::solve::{GridOptions, Hybrid, Projective, Solver, XpbdCloth};
use crate::{Body, Surroundings};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::store::Surface;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_simulation_kernels::body::SUM_VERTICES;
use rxmesh_simulation_kernels::contact::Contacts;
use rxmesh_simulation_kernels::external::External;

/// Energies by kind, in joules.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Energies {
    /// Kinetic energy.
    pub kinetic: f64,
    /// Elastic energy of the cells. That of cloth is not included: its constraints may have no compliance.
    pub elastic: f64,
    /// Potential energy of gravity, relative to the rest shapes.
    pub gravity: f64,
    /// Energy of contact, without friction.
    pub contact: f64,
    /// Sum of all.
    pub total: f64,
}

impl std::ops::AddAssign for Energies {
    fn add_assign(&mut self, other: Energies) {
        self.kinetic += other.kinetic;
        self.elastic += other.elastic;
        self.gravity += other.gravity;
        self.contact += other.contact;
        self.total += other.total;
    }
}

/// Body in a world.
#[derive(Debug)]
struct WorldBody {
    body: Body,
    solver: Solver,
    elastic: SumBuffers,
    external: SumBuffers,
}

/// Cloth in a world.
#[derive(Debug)]
struct Drape {
    body: Body<Surface>,
    solver: XpbdCloth,
    external: SumBuffers,
}

/// Bodies with their solvers in common surroundings, and the simulated time.
///
/// ```
/// use rxmesh_host::{Vec3, engine::Engine, mesh::generate};
/// use rxmesh_simulation::solve::{Implicit, ImplicitOptions};
/// use rxmesh_simulation::{Body, Collider, Material, Solver, World};
///
/// let engine = Engine::cpu();
/// let mut world = World::new(&engine)?;
/// let ground = Collider::plane(Vec3::new(0.0, 0.0, -0.5), Vec3::Z);
/// world.surroundings_mut().set_colliders(vec![ground])?;
/// let body = Body::new(&engine, &generate::tet_box([2; 3], [1.0; 3])?, Material::default())?;
/// let solver = Implicit::new(&body, ImplicitOptions::default())?;
/// let cube = world.add(body, Solver::Implicit(Box::new(solver)))?;
/// world.step_n(3, 0.01)?;
/// let fallen = world.body_mut(cube)?.positions()?[0].z;
/// assert!((fallen + 9.81 * 6.0 * 1e-4).abs() < 1e-4);
/// assert!(world.energies()?.kinetic > 0.0);
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
#[derive(Debug)]
pub struct World {
    engine: Engine,
    pub(crate) around: Surroundings,
    members: Vec<WorldBody>,
    drapes: Vec<Drape>,
    /// Grid of the bodies whose solver it is.
    hybrid: Option<Hybrid>,
    /// Simulated time in seconds.
    pub(crate) time: f64,
    pub(crate) steps: u64,
    /// `true` while a call changes several bodies: it stays set if the call panics.
    pub(crate) void: bool,
}

impl World {
    /// Makes a world with gravity along -z and nothing else.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(engine: &Engine) -> Result<World, Error> {
        Ok(World {
            engine: engine.clone(),
            around: Surroundings::new(engine)?,
            members: Vec::new(),
            drapes: Vec::new(),
            hybrid: None,
            time: 0.0,
            steps: 0,
            void: false,
        })
    }

    /// Adds a body; returns its number.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn add(&mut self, body: Body, solver: Solver) -> Result<usize, Error> {
        let patches = body.mesh().headers().len();
        if matches!(solver, Solver::Hybrid(_)) {
            self.hybrid = None;
        }
        self.members.push(WorldBody {
            elastic: SumBuffers::new(body.engine(), patches)?,
            external: self.external_sum(body.vertex_count())?,
            body,
            solver,
        });
        Ok(self.members.len() - 1)
    }

    /// Adds a cloth; returns its number among the cloths.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn add_cloth(&mut self, body: Body<Surface>, solver: XpbdCloth) -> Result<usize, Error> {
        self.drapes.push(Drape {
            external: self.external_sum(body.vertex_count())?,
            body,
            solver,
        });
        Ok(self.drapes.len() - 1)
    }

    fn external_sum(&self, vertices: usize) -> Result<SumBuffers, Error> {
        let blocks = vertices.div_ceil(SUM_VERTICES as usize);
        Ok(SumBuffers {
            partials: self.engine.zeroed(2 * blocks)?,
            sum: self.engine.zeroed(3)?,
            ..SumBuffers::new(&self.engine, 0)?
        })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the number of bodies of tetrahedra.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Returns the number of cloths.
    pub fn cloth_count(&self) -> usize {
        self.drapes.len()
    }

    /// Returns `true` if there are no bodies and no cloths.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty() && self.drapes.is_empty()
    }

    /// Returns a body.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] when there is no such body.
    pub fn body(&self, number: usize) -> Result<&Body, Error> {
        let there = self.members.get(number);
        there.map(|m| &m.body).ok_or_else(|| no_body(number))
    }

    /// Returns a body, mutably.
    ///
    /// # Errors
    ///
    /// As [`World::body`].
    pub fn body_mut(&mut self, number: usize) -> Result<&mut Body, Error> {
        let there = self.members.get_mut(number);
        there.map(|m| &mut m.body).ok_or_else(|| no_body(number))
    }

    /// Returns a body's solver.
    ///
    /// # Errors
    ///
    /// As [`World::body`].
    pub fn solver(&self, number: usize) -> Result<&Solver, Error> {
        let there = self.members.get(number);
        there.map(|m| &m.solver).ok_or_else(|| no_body(number))
    }

    /// Returns a cloth.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] when there is no such cloth.
    pub fn cloth(&self, number: usize) -> Result<&Body<Surface>, Error> {
        let there = self.drapes.get(number);
        there.map(|d| &d.body).ok_or_else(|| no_cloth(number))
    }

    /// Returns a cloth, mutably.
    ///
    /// # Errors
    ///
    /// As [`World::cloth`].
    pub fn cloth_mut(&mut self, number: usize) -> Result<&mut Body<Surface>, Error> {
        let there = self.drapes.get_mut(number);
        there.map(|d| &mut d.body).ok_or_else(|| no_cloth(number))
    }

    /// Gives all bodies whose solver is [`Solver::Hybrid`] a common grid; call it after all of them have been added.
    /// Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`Hybrid::new`].
    pub fn set_grid(&mut self, grid: GridOptions) -> Result<(), Error> {
        let hybrids = self.members.iter().filter_map(|m| match m.solver {
            Solver::Hybrid(options) => Some((&m.body, options)),
            _ => None,
        });
        let hybrids: Vec<_> = hybrids.collect();
        self.hybrid = Some(Hybrid::new(&self.engine, &hybrids, grid)?);
        Ok(())
    }

    /// Returns the solver of all bodies on the grid, if there is one.
    pub fn hybrid(&self) -> Option<&Hybrid> {
        self.hybrid.as_ref()
    }

    /// Returns the solver of the bodies on the grid, and these bodies.
    pub(crate) fn on_grid(&mut self) -> (Option<&mut Hybrid>, Vec<&mut Body>) {
        (self.hybrid.as_mut(), gridded(&mut self.members))
    }

    /// Updates all solvers after a change of pins. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn prepare(&mut self) -> Result<(), Error> {
        for member in &mut self.members {
            member.solver.prepare(&member.body)?;
        }
        for drape in &mut self.drapes {
            drape.solver.prepare(&drape.body)?;
        }
        Ok(())
    }

    /// Returns the surroundings.
    pub fn surroundings(&self) -> &Surroundings {
        &self.around
    }

    /// Returns the surroundings, mutably.
    pub fn surroundings_mut(&mut self) -> &mut Surroundings {
        &mut self.around
    }

    /// Returns the simulated time in seconds.
    pub fn time(&self) -> f64 {
        self.time
    }

    /// Returns the number of steps done.
    pub fn steps(&self) -> u64 {
        self.steps
    }

    /// Advances all bodies by one step, one after the other, those on the grid together. Does not wait for the engine,
    /// unless a collider moves or there are bodies on a grid.
    ///
    /// # Errors
    ///
    /// A time step that is not positive, bodies on a grid without [`World::set_grid`], the errors of [`Hybrid::step`],
    /// or an error of the engine. [`Error::VoidSimulation`] after a panic in an earlier step, until [`World::restore`]
    /// has set the whole state.
    pub fn step(&mut self, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        self.sound()?;
        self.void = true;
        let result = self.go_on(dt);
        self.void = false;
        result
    }

    /// Refuses a simulation in which an earlier step panicked.
    ///
    /// # Errors
    ///
    /// [`Error::VoidSimulation`].
    pub(crate) fn sound(&self) -> Result<(), Error> {
        if self.void {
            return Err(Error::VoidSimulation);
        }
        Ok(())
    }

    /// Runs [`World::step`] of a world that is sound.
    fn go_on(&mut self, dt: f32) -> Result<(), Error> {
        self.around.advance(dt)?;
        for member in &mut self.members {
            if !matches!(member.solver, Solver::Hybrid(_)) {
                member.solver.step(&mut member.body, &self.around, dt)?;
            }
        }
        self.step_on_grid(dt)?;
        for drape in &mut self.drapes {
            drape.solver.step(&mut drape.body, &self.around, dt)?;
        }
        self.time += f64::from(dt);
        self.steps += 1;
        Ok(())
    }

    fn step_on_grid(&mut self, dt: f32) -> Result<(), Error> {
        let mut bodies = gridded(&mut self.members);
        match &mut self.hybrid {
            Some(hybrid) => hybrid.step(&mut bodies, &self.around, dt),
            None if bodies.is_empty() => Ok(()),
            None => Err(Error::Options(
                "bodies whose solver is `Solver::Hybrid` need `World::set_grid`".into(),
            )),
        }
    }

    /// Runs several steps, then checks that all energies are finite.
    ///
    /// # Errors
    ///
    /// As [`World::step`] and [`World::energies`].
    pub fn step_n(&mut self, steps: u32, dt: f32) -> Result<(), Error> {
        for _ in 0..steps {
            self.step(dt)?;
        }
        self.energies().map(drop)
    }

    /// Returns the energies of all bodies, summed. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the state of a body is not finite, or an error of the engine.
    pub fn energies(&self) -> Result<Energies, Error> {
        self.sound()?;
        let mut all = Energies::default();
        for number in 0..self.members.len() {
            all += self.energies_of(number)?;
        }
        for number in 0..self.drapes.len() {
            all += self.energies_of_cloth(number)?;
        }
        Ok(all)
    }

    /// Returns the energies of a body. Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`World::energies`], and as [`World::body`].
    pub fn energies_of(&self, number: usize) -> Result<Energies, Error> {
        let member = self.members.get(number).ok_or_else(|| no_body(number))?;
        member.solver.check()?;
        let body = &member.body;
        let elasticity = member.solver.elasticity();
        let elastic = elastic_energy(body, elasticity, GlobalMut::empty(), &member.elastic)?;
        let mut contacts = self.around.contacts();
        if matches!(member.solver, Solver::Hybrid(_)) {
            // Solids act on the grid's nodes, without a penalty.
            contacts.solids = Global::empty();
        }
        self.balance(body, elastic, &member.external, contacts)
    }

    /// Returns the energies of a cloth, without that of its constraints. Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`World::energies`], and as [`World::cloth`].
    pub fn energies_of_cloth(&self, number: usize) -> Result<Energies, Error> {
        let drape = self.drapes.get(number).ok_or_else(|| no_cloth(number))?;
        self.balance(&drape.body, 0.0, &drape.external, self.around.contacts())
    }

    fn balance<D: Outline>(
        &self,
        body: &Body<D>,
        elastic: f64,
        external: &SumBuffers,
        contacts: Contacts,
    ) -> Result<Energies, Error> {
        let [gravity, contact] = self.external(body, external, contacts)?;
        let kinetic = body.kinetic_energy()?;
        let total = kinetic + elastic + gravity + contact;
        if !total.is_finite() {
            return Err(Error::NotFinite {
                what: "the energy of a body",
            });
        }
        Ok(Energies {
            kinetic,
            elastic,
            gravity,
            contact,
            total,
        })
    }

    fn external<D: Outline>(
        &self,
        body: &Body<D>,
        sum: &SumBuffers,
        contacts: Contacts,
    ) -> Result<[f64; 2], Error> {
        let still = Displaced {
            u: Global::empty(),
            change: Global::empty(),
            length: 0.0,
        };
        let edges = match contacts.solids.is_empty() {
            true => Global::empty(),
            false => touch_edges(body, &self.around, still, 0.0)?,
        };
        let kernel = External {
            x: body.position.global()?,
            rest: body.rest.global()?,
            mass: body.mass.global()?,
            contacts,
            edges,
            gravity: self.around.gravity(),
            partials: sum.partials.global_mut(),
            arrived: sum.arrived.global_mut(),
            sums: sum.sum.global_mut(),
        };
        let blocks = sum.partials.len() as u32 / 2;
        body.engine().launch_blocks(blocks, kernel)?;
        let sums: &Buffer<f64> = &sum.sum;
        let sums = sums.read()?;
        Ok([sums[1], sums[2]])
    }

    /// Returns all bodies of tetrahedra.
    pub(crate) fn bodies(&mut self) -> impl Iterator<Item = &mut Body> {
        self.members.iter_mut().map(|m| &mut m.body)
    }

    /// Returns all bodies that move by projective dynamics, with their solvers.
    pub(crate) fn projective(&mut self) -> impl Iterator<Item = (&Body, &mut Projective)> {
        self.members.iter_mut().filter_map(|m| match &mut m.solver {
            Solver::Projective(solver) => Some((&m.body, &mut **solver)),
            _ => None,
        })
    }

    /// Returns all cloths.
    pub(crate) fn cloths(&mut self) -> impl Iterator<Item = &mut Body<Surface>> {
        self.drapes.iter_mut().map(|d| &mut d.body)
    }
}

/// Returns the bodies that move on the grid.
fn gridded(members: &mut [WorldBody]) -> Vec<&mut Body> {
    let there = |m: &&mut WorldBody| matches!(m.solver, Solver::Hybrid(_));
    let members = members.iter_mut().filter(there);
    members.map(|m| &mut m.body).collect()
}

fn no_cloth(number: usize) -> Error {
    Error::Options(format!("there is no cloth {number}"))
}

fn no_body(number: usize) -> Error {
    Error::Options(format!("there is no body {number}"))
}
