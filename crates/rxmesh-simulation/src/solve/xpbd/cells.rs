//! XPBD of tetrahedra.

use super::{XpbdOptions, XpbdOrder, rate};
use crate::body::check_step;
use crate::colour::{self, Apart, Colouring, Turns};
use crate::launch::LaunchPatches;
use crate::solve::motion::{self, Pressed};
use crate::solve::{FromOptions, TimeStep};
use crate::{Body, Elasticity, Surroundings};
use glam::Vec2;
use rxmesh_host::engine::Buffer;
use rxmesh_host::store::{Attribute, RxMesh, Volume};
use rxmesh_host::volume::Distributor;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::query::CV;
use rxmesh_kernels::topo::{Cell, Kind, Vertex};
use rxmesh_simulation_kernels::solve::xpbd::cells;

/// XPBD of a body of tetrahedra with stable neo-Hookean cells: the energy density is `mu / 2 (|F|^2 - 3) - mu (J - 1) +
/// (lambda + mu) / 2 (J - 1)^2` (Macklin and Mueller 2021). The constraint of a cell is its deformation gradient, which
/// is linear in the positions: iterations converge to the step of implicit Euler.
///
/// The body's mesh needs only vertices and cells. Call [`XpbdCells::prepare`] after [`Body::pin`].
#[derive(Debug)]
pub struct XpbdCells {
    options: XpbdOptions,
    multipliers: Attribute<Cell, [f32; 9]>,
    /// Positions before the step.
    before: Buffer<Vec3>,
    pressed: Pressed,
    iteration: Iteration,
}

#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "one a solver")]
enum Iteration {
    Jacobi {
        /// Inverse masses, and inverse masses times the number of the vertex's cells.
        weights: Attribute<Vertex, Vec2>,
        moves: Distributor<CV, Vec3>,
        change: Attribute<Vertex, Vec3>,
    },
    Patches {
        colours: Buffer<u32>,
        count: u32,
        turns: Turns,
    },
}

impl XpbdCells {
    /// Prepares the solver.
    ///
    /// # Errors
    ///
    /// Options out of range, or no memory on the engine.
    pub fn new(body: &Body, options: XpbdOptions) -> Result<XpbdCells, Error> {
        options.check()?;
        let (rx, engine) = (body.mesh(), body.engine());
        let iteration = match options.order {
            XpbdOrder::Jacobi => Iteration::Jacobi {
                weights: rx.attribute()?,
                moves: Distributor::new(rx)?,
                change: rx.attribute()?,
            },
            XpbdOrder::PatchColours => {
                let Colouring { colours, count } = colour::patches(rx, Apart::OfCells);
                Iteration::Patches {
                    colours: engine.upload(&colours)?,
                    count,
                    turns: Turns::new(engine, &colour::cells_in_patches(rx))?,
                }
            }
        };
        let mut solver = XpbdCells {
            options,
            multipliers: rx.attribute()?,
            before: engine.zeroed(rx.linear_len(Kind::Vertex) as usize)?,
            pressed: Pressed::new(engine)?,
            iteration,
        };
        solver.prepare(body)?;
        Ok(solver)
    }

    /// Updates the solver after a change of the body's masses and pins. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn prepare(&mut self, body: &Body) -> Result<(), Error> {
        let Iteration::Jacobi { weights, .. } = &mut self.iteration else {
            return Ok(());
        };
        let inverse = body.inverse_mass.engine_values()?;
        let counts = cells_of_vertices(body.mesh());
        weights.download()?;
        let pairs = inverse.iter().zip(&counts);
        for (to, (w, n)) in weights.host_mut()?.iter_mut().zip(pairs) {
            *to = Vec2::new(*w, w * *n as f32);
        }
        Ok(weights.upload()?)
    }

    /// Returns the number of launches of an iteration.
    pub fn launches(&self) -> u32 {
        match &self.iteration {
            Iteration::Jacobi { .. } => 3,
            Iteration::Patches { count, .. } => *count,
        }
    }

    /// Advances the body by one step of `dt` seconds. Does not wait for the engine.
    ///
    /// # Errors
    ///
    /// A step that is not a positive number, a stale attribute, or an error of the engine.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let free = motion::Free::new(around, self.options.damping, dt);
        free.begin(body, around, &self.before, None)?;
        self.multipliers.clear()?;
        self.pressed.begin(body, around)?;
        for _ in 0..self.options.iterations {
            self.iterate(body, dt)?;
            self.pressed.press(body, around, (&self.before, None), dt)?;
        }
        free.end(body, &self.before)
    }

    /// Runs one iteration of a step of `dt` seconds that [`XpbdCells::step`] began.
    ///
    /// # Errors
    ///
    /// As [`XpbdCells::step`].
    pub fn iterate(&mut self, body: &mut Body, dt: f32) -> Result<(), Error> {
        match &mut self.iteration {
            Iteration::Jacobi {
                weights,
                moves,
                change,
            } => {
                let kernel = cells::XpbdCells {
                    x: body.position.staged()?,
                    rest: body.rest.staged()?,
                    weights: weights.staged()?,
                    materials: body.materials.view()?,
                    multipliers: self.multipliers.write()?,
                    rate: rate(dt),
                    relaxation: self.options.relaxation as f32,
                };
                moves.run(&body.rx, kernel, change)?;
                motion::add(body, change)
            }
            Iteration::Patches {
                colours,
                count,
                turns,
            } => {
                for colour in 0..*count {
                    body.rx.launch(cells::XpbdCellsSweep {
                        x: body.position.global_mut()?,
                        rest: body.rest.global()?,
                        inverse_mass: body.inverse_mass.global()?,
                        materials: body.materials.view()?,
                        multipliers: self.multipliers.global_mut()?,
                        colours: colours.global(),
                        colour,
                        turns: turns.view(),
                        rate: rate(dt),
                    })?;
                }
                Ok(())
            }
        }
    }
}

/// Returns the number of cells of each vertex, by linear id.
fn cells_of_vertices(rx: &RxMesh<Volume>) -> Vec<u32> {
    let mut counts = vec![0; rx.linear_len(Kind::Vertex) as usize];
    colour::each_cell(rx, |_, corners| {
        for v in corners {
            counts[v as usize] += 1;
        }
    });
    counts
}

impl TimeStep for XpbdCells {
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        XpbdCells::step(self, body, around, dt)
    }

    fn elasticity(&self) -> Elasticity {
        Elasticity::NeoHookean
    }

    fn update(&mut self, body: &Body) -> Result<(), Error> {
        self.prepare(body)
    }
}

impl FromOptions for XpbdCells {
    type Options = XpbdOptions;

    fn from_options(body: &Body, _dt: f32, options: XpbdOptions) -> Result<Self, Error> {
        XpbdCells::new(body, options)
    }
}
