//! Beginning and end of a step of implicit Euler, shared by the solvers that find the positions in between.

use crate::contact::{Outline, kick_edges};
use crate::launch::LaunchSimulation;
use crate::{Body, Surroundings};
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::store::{Attribute, Dimension};
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Kind, Vertex};
use rxmesh_simulation_kernels::solve::motion::{Add, Follow, Predict, Press};

/// Parameters of the free motion of vertices, without forces between them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Free {
    /// Acceleration of vertices that are not pinned, in m/s^2.
    pub(super) gravity: Vec3,
    /// Drag: deceleration over velocity, in 1/s.
    pub(super) damping: f64,
    /// Time step, in s.
    pub(super) dt: f32,
}

impl Free {
    pub(super) fn new(around: &Surroundings, damping: f64, dt: f32) -> Free {
        Free {
            gravity: around.gravity(),
            damping,
            dt,
        }
    }

    /// Moves vertices to their positions without forces between them; stores the old positions, and the new ones in
    /// `target` if given.
    pub(super) fn begin<D: Outline>(
        self,
        body: &mut Body<D>,
        around: &Surroundings,
        before: &Buffer<Vec3>,
        target: Option<&Buffer<Vec3>>,
    ) -> Result<(), Error> {
        let kernel = Predict {
            x: body.position.global_mut()?,
            v: body.velocity.global()?,
            before: before.global_mut(),
            target: target.map_or(GlobalMut::empty(), Buffer::global_mut),
            inverse_mass: body.inverse_mass.global()?,
            kicks: kick_edges(body, around, self.dt)?,
            gravity: self.gravity,
            dt: self.dt,
        };
        let n = body.mesh().linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, kernel)?)
    }

    /// Computes velocities from the displacements of the vertices.
    pub(super) fn end<D: Dimension>(
        self,
        body: &mut Body<D>,
        before: &Buffer<Vec3>,
    ) -> Result<(), Error> {
        let dt = f64::from(self.dt);
        let kernel = Follow {
            x: body.position.global()?,
            before: before.global(),
            v: body.velocity.global_mut()?,
            inverse_mass: body.inverse_mass.global()?,
            rate: (1.0 / (dt * (1.0 + self.damping * dt))) as f32,
        };
        let n = body.mesh().linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, kernel)?)
    }
}

/// Displacements of vertices by each solid in a step so far.
#[derive(Debug)]
pub(super) struct Pressed(Buffer<Vec3>);

impl Pressed {
    /// Makes the buffer for a body that has touched nothing.
    pub(super) fn new(engine: &Engine) -> Result<Pressed, Error> {
        Ok(Pressed(engine.zeroed(0)?))
    }

    /// Begins a step.
    pub(super) fn begin<D: Dimension>(
        &mut self,
        body: &Body<D>,
        around: &Surroundings,
    ) -> Result<(), Error> {
        let n = body.mesh().linear_len(Kind::Vertex) as usize * around.colliders().len();
        if self.0.len() == n {
            return Ok(self.0.clear()?);
        }
        self.0 = body.engine().zeroed(n)?;
        Ok(())
    }

    /// Projects a body out of the solids, and the positions in `target` along with it: one launch, none without solids.
    pub(super) fn press<D: Dimension>(
        &self,
        body: &mut Body<D>,
        around: &Surroundings,
        (before, target): (&Buffer<Vec3>, Option<&Buffer<Vec3>>),
        dt: f32,
    ) -> Result<(), Error> {
        if self.0.is_empty() {
            return Ok(());
        }
        let kernel = Press {
            x: body.position.global_mut()?,
            target: target.map_or(GlobalMut::empty(), Buffer::global_mut),
            before: before.global(),
            inverse_mass: body.inverse_mass.global()?,
            contacts: around.contacts(),
            moved: self.0.global_mut(),
            dt,
        };
        let n = body.mesh().linear_len(Kind::Vertex);
        Ok(body.engine().launch_flat(n, kernel)?)
    }
}

/// Adds a change to the positions.
pub(super) fn add<D: Dimension>(
    body: &mut Body<D>,
    change: &Attribute<Vertex, Vec3>,
) -> Result<(), Error> {
    let kernel = Add {
        x: body.position.global_mut()?.cast(),
        change: change.global()?.cast(),
    };
    let n = 3 * body.mesh().linear_len(Kind::Vertex);
    Ok(body.engine().launch_flat(n, kernel)?)
}

/// Refuses damping out of range.
pub(super) fn check(damping: f64) -> Result<(), Error> {
    if damping >= 0.0 && damping.is_finite() {
        return Ok(());
    }
    Err(Error::Options(format!(
        "the damping is {damping} 1/s, but must not be negative"
    )))
}
