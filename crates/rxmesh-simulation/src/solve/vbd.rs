//! Vertex block descent: minimises over one vertex at a time.

use super::motion::{self, Free};
use super::{FromOptions, TimeStep};
use crate::body::check_step;
use crate::colour::{self, Apart, Colouring, Turns};
use crate::launch::LaunchPatches;
use crate::{Body, Elasticity, Surroundings};
use rxmesh_host::engine::Buffer;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::query::{Prepared, VC};
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation_kernels::solve::vbd::{VbdBody, VbdPatches, VbdVertices};

/// Order in which vertices are updated.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum VbdOrder {
    /// All vertices of a colour in one launch: as many launches per iteration as colours of vertices.
    Vertices,
    /// All patches of a colour in one launch, their vertices colour by colour in shared memory: as many launches as
    /// colours of patches, and positions are loaded once per iteration.
    Patches,
}

/// Options of [`VertexBlockDescent`].
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct VbdOptions {
    /// Number of iterations per step; each updates all vertices.
    pub iterations: u32,
    /// Order of the updates.
    pub order: VbdOrder,
    /// Drag: deceleration over velocity, in 1/s.
    pub damping: f64,
}

impl Default for VbdOptions {
    fn default() -> Self {
        VbdOptions {
            iterations: 20,
            order: VbdOrder::Vertices,
            damping: 0.0,
        }
    }
}

/// Vertex block descent of a body of tetrahedra (Chen et al. 2024) with stable neo-Hookean cells: the energy density is
/// `mu / 2 (|F|^2 - 3) - mu (J - 1) + (lambda + mu) / 2 (J - 1)^2` (Macklin and Mueller 2021). Steps of implicit Euler;
/// the objective falls with every update, unless a step is so long that the quadratic model misleads.
///
/// An iteration takes one launch per colour, without host read-back. The body's mesh needs only vertices and cells.
#[derive(Debug)]
pub struct VertexBlockDescent {
    options: VbdOptions,
    vc: Prepared<VC>,
    turns: Turns,
    /// Colours of patches and their number, if patches are coloured.
    patches: Option<(Buffer<u32>, u32)>,
    /// Positions before the step.
    before: Buffer<Vec3>,
    /// Positions of vertices without forces between them.
    target: Buffer<Vec3>,
}

impl VertexBlockDescent {
    /// Prepares the solver: colours on the host, lists on the engine.
    ///
    /// # Errors
    ///
    /// Options out of range, or no memory on the engine.
    pub fn new(body: &Body, options: VbdOptions) -> Result<VertexBlockDescent, Error> {
        motion::check(options.damping)?;
        if options.iterations == 0 {
            return Err(Error::Options(
                "a step needs one iteration at least".to_owned(),
            ));
        }
        let (rx, engine) = (body.mesh(), body.engine());
        let vertices = colour::vertices(rx);
        let n = rx.linear_len(Kind::Vertex) as usize;
        let patches = match options.order {
            VbdOrder::Vertices => None,
            VbdOrder::Patches => {
                let Colouring { colours, count } = colour::patches(rx, Apart::Owned);
                Some((engine.upload(&colours)?, count))
            }
        };
        Ok(VertexBlockDescent {
            options,
            vc: rx.prepare()?,
            turns: Turns::new(engine, &colour::vertices_in_patches(rx, &vertices))?,
            patches,
            before: engine.zeroed(n)?,
            target: engine.zeroed(n)?,
        })
    }

    /// Returns the number of launches of an iteration: colours of vertices, or of patches.
    pub fn colours(&self) -> u32 {
        match self.patches {
            Some((_, count)) => count,
            None => self.turns.colours,
        }
    }

    /// Advances the body by one step of `dt` seconds. Does not wait for the engine.
    ///
    /// # Errors
    ///
    /// A step that is not a positive number, a stale attribute, or an error of the engine.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let free = Free::new(around, self.options.damping, dt);
        free.begin(body, around, &self.before, Some(&self.target))?;
        for _ in 0..self.options.iterations {
            self.iterate(body, around, dt)?;
        }
        free.end(body, &self.before)
    }

    /// Updates all vertices once, toward the end of a step of `dt` seconds that [`VertexBlockDescent::step`] began.
    ///
    /// # Errors
    ///
    /// As [`VertexBlockDescent::step`].
    pub fn iterate(
        &mut self,
        body: &mut Body,
        around: &Surroundings,
        dt: f32,
    ) -> Result<(), Error> {
        let view = VbdBody {
            rest: body.rest.global()?,
            target: self.target.global(),
            before: self.before.global(),
            contacts: around.contacts(),
            mass: body.mass.global()?,
            inverse_mass: body.inverse_mass.global()?,
            materials: body.materials.view()?,
            vc: self.vc,
            turns: self.turns.view(),
            rate: 1.0 / (dt * dt),
            dt,
        };
        for colour in 0..self.colours() {
            let x = body.position.global_mut()?;
            match &self.patches {
                None => body.rx.launch(VbdVertices {
                    body: view,
                    x,
                    colour,
                })?,
                Some((colours, _)) => body.rx.launch(VbdPatches {
                    body: view,
                    x,
                    colours: colours.global(),
                    colour,
                })?,
            }
        }
        Ok(())
    }
}

impl TimeStep for VertexBlockDescent {
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        VertexBlockDescent::step(self, body, around, dt)
    }

    fn elasticity(&self) -> Elasticity {
        Elasticity::NeoHookean
    }
}

impl FromOptions for VertexBlockDescent {
    type Options = VbdOptions;

    fn from_options(body: &Body, _dt: f32, options: VbdOptions) -> Result<Self, Error> {
        VertexBlockDescent::new(body, options)
    }
}
