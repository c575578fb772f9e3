//! Surroundings of bodies: gravity, and solids that they touch.

use crate::contact::{Collider, ColliderShape};
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::{Error, Vec3};
use rxmesh_simulation_kernels::contact::{Contacts, Solid};

/// Gravity and colliders, on an engine.
#[derive(Debug)]
pub struct Surroundings {
    gravity: Vec3,
    /// Slip below which friction is smooth, in metres per second.
    slip: f32,
    colliders: Vec<Collider>,
    solids: Buffer<Solid>,
    grids: Buffer<f32>,
}

impl Surroundings {
    /// Makes surroundings with gravity along -z and no colliders.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(engine: &Engine) -> Result<Surroundings, Error> {
        Ok(Surroundings {
            gravity: Vec3::new(0.0, 0.0, -9.81),
            slip: 1e-3,
            colliders: Vec::new(),
            solids: engine.zeroed(0)?,
            grids: engine.zeroed(0)?,
        })
    }

    /// Returns the acceleration of all free vertices, in metres per second squared.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }

    /// Sets gravity.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for one that is not finite.
    pub fn set_gravity(&mut self, gravity: Vec3) -> Result<(), Error> {
        if !gravity.is_finite() {
            return Err(Error::Options(format!(
                "gravity is {gravity}, but must be finite"
            )));
        }
        self.gravity = gravity;
        Ok(())
    }

    /// Sets the slip in metres per second below which friction of implicit steps is smooth: bodies that should stick
    /// creep at about this speed. The default is 1e-3.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for one that is not positive.
    pub fn set_slip(&mut self, slip: f32) -> Result<(), Error> {
        if !(slip > 0.0 && slip.is_finite()) {
            return Err(Error::Options(format!(
                "the slip is {slip} m/s, but must be a positive number"
            )));
        }
        self.slip = slip;
        Ok(())
    }

    /// Returns the colliders.
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// Sets the colliders.
    ///
    /// # Errors
    ///
    /// [`Collider::check`] with the collider's number, which leaves all unchanged. Or no memory on the engine.
    pub fn set_colliders(&mut self, colliders: Vec<Collider>) -> Result<(), Error> {
        for (k, collider) in colliders.iter().enumerate() {
            collider
                .check()
                .map_err(|e| Error::Options(format!("collider {k}: {e}")))?;
        }
        let engine = self.solids.engine().clone();
        let grids = colliders.iter().filter_map(|c| match &c.shape {
            ColliderShape::Grid(grid) => Some(&grid.distances[..]),
            _ => None,
        });
        let grids: Vec<f32> = grids.flatten().copied().collect();
        let (solids, grids) = (engine.upload(&solids(&colliders))?, engine.upload(&grids)?);
        (self.solids, self.grids, self.colliders) = (solids, grids, colliders);
        Ok(())
    }

    /// Moves the colliders that have a velocity to their positions at the end of a step.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn advance(&mut self, dt: f32) -> Result<(), Error> {
        if self.colliders.iter().all(Collider::rests) {
            return Ok(());
        }
        self.colliders.iter_mut().for_each(|c| c.go(dt));
        Ok(self.solids.write(&solids(&self.colliders))?)
    }

    /// Returns `true` if any collider touches edges.
    pub(crate) fn touches_edges(&self) -> bool {
        self.colliders.iter().any(|c| c.edges)
    }

    /// Returns the view that kernels take.
    pub(crate) fn contacts(&self) -> Contacts {
        Contacts {
            solids: self.solids.global(),
            grids: self.grids.global(),
            slip: self.slip,
        }
    }
}

/// Returns the colliders in the form that kernels take.
fn solids(colliders: &[Collider]) -> Vec<Solid> {
    let mut first = 0;
    let solid = |c: &Collider| {
        let solid = c.solid(first);
        if let ColliderShape::Grid(grid) = &c.shape {
            first += grid.distances.len() as u32;
        }
        solid
    };
    colliders.iter().map(solid).collect()
}
