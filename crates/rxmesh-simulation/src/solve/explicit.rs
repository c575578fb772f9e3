//! Symplectic Euler steps.

use super::{Damping, FromOptions, TimeStep};
use crate::body::check_step;
use crate::contact::kick_edges;
use crate::energy::places;
use crate::launch::LaunchSimulation;
use crate::{Body, Elasticity, Forces, Surroundings};
use rxmesh_host::Error;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation_kernels::solve::explicit;

/// Options of explicit steps.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ExplicitOptions {
    /// Energy of the cells.
    pub elasticity: Elasticity,
    /// Damping.
    pub damping: Damping,
}

/// Solver by explicit steps: two launches each, stable only for time steps below about the time in which sound crosses
/// the smallest cell.
#[derive(Debug)]
pub struct Explicit {
    forces: Forces,
    damping: Damping,
}

impl Explicit {
    /// Prepares the solver for a body.
    ///
    /// # Errors
    ///
    /// Damping out of range, or no memory on the engine.
    pub fn new(body: &Body, elasticity: Elasticity, damping: Damping) -> Result<Explicit, Error> {
        damping.check()?;
        Ok(Explicit {
            forces: Forces::new(body, elasticity)?,
            damping,
        })
    }

    /// Returns the elastic forces.
    pub fn forces(&self) -> &Forces {
        &self.forces
    }

    /// Advances the body by one step. Does not wait for the engine.
    ///
    /// # Errors
    ///
    /// A time step that is not positive, a body of another mesh, or an error of the engine.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let mut at = places(body)?;
        if self.damping.stiffness > 0.0 {
            at.add = body.velocity.global()?;
            at.scale = self.damping.stiffness as f32;
        }
        self.forces.launch(body, at)?;
        let kernel = explicit::Explicit {
            x: body.position.global_mut()?,
            v: body.velocity.global_mut()?,
            inverse_mass: body.inverse_mass.global()?,
            force: self.forces.parts(),
            contacts: around.contacts(),
            kicks: kick_edges(body, around, dt)?,
            gravity: around.gravity(),
            drag: self.damping.mass as f32,
            dt,
        };
        let n = body.rx.linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, kernel)?)
    }
}

impl TimeStep for Explicit {
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        Explicit::step(self, body, around, dt)
    }

    fn elasticity(&self) -> Elasticity {
        self.forces.elasticity()
    }
}

impl FromOptions for Explicit {
    type Options = ExplicitOptions;

    fn from_options(body: &Body, _dt: f32, options: ExplicitOptions) -> Result<Self, Error> {
        Explicit::new(body, options.elasticity, options.damping)
    }
}
