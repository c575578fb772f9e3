//! Projective dynamics: one matrix for all frames; local and global steps alternate.

use super::motion::{self, Pressed};
use super::{FromOptions, TimeStep};
use crate::body::check_step;
use crate::launch::LaunchPatches;
use crate::{Body, Elasticity, Surroundings};
use glam::Vec2;
use rxmesh_host::algebra::cg::Cg;
use rxmesh_host::engine::Buffer;
use rxmesh_host::patch::VolumeKinds;
use rxmesh_host::store::{Attribute, RxMesh, Volume};
use rxmesh_host::volume::Distributor;
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::algo::mcf::McfAssembled;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::query::{CV, Prepared, VC, VV};
use rxmesh_kernels::topo::{Cell, Kind, Vertex};
use rxmesh_simulation_kernels::solve::projective::{PdChebyshev, PdLocal, PdMatrix, PdResidual};

/// Linear solver of the global step: iterations on one linear system.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum GlobalSolver {
    /// Conjugate gradients with a diagonal preconditioner: two launches per iteration, the fewest iterations.
    ConjugateGradients,
    /// Chebyshev's semi-iterative method: one launch and no dot products per iteration, which converges half as far.
    Chebyshev,
}

/// Options of [`Projective`].
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct ProjectiveOptions {
    /// Number of local and global steps per frame.
    pub rounds: u32,
    /// Number of iterations of the linear solver in each global step.
    pub iterations: u32,
    /// Linear solver.
    pub solver: GlobalSolver,
    /// Stiffness of the springs that hold pinned vertices, in N/m; without it they are fixed.
    pub attachment: Option<f64>,
    /// Drag: deceleration over velocity, in 1/s.
    pub damping: f64,
}

impl Default for ProjectiveOptions {
    fn default() -> Self {
        ProjectiveOptions {
            rounds: 5,
            iterations: 30,
            solver: GlobalSolver::ConjugateGradients,
            attachment: None,
            damping: 0.0,
        }
    }
}

impl ProjectiveOptions {
    fn check(&self) -> Result<(), Error> {
        motion::check(self.damping)?;
        if self.rounds == 0 || self.iterations == 0 {
            return Err(Error::Options(
                "a frame needs one round and one iteration at least".to_owned(),
            ));
        }
        match self.attachment {
            Some(k) if !(k > 0.0 && (k as f32).is_normal()) => Err(Error::Options(format!(
                "the attachment's stiffness is {k} N/m, but must be positive"
            ))),
            _ => Ok(()),
        }
    }
}

/// Ratio of the residual to the initial one at which conjugate gradients stop. Only bodies of a few cells reach it:
/// they would otherwise continue until the divisor is zero.
const ENOUGH: f64 = 1e-8;

/// Projective dynamics of a body of tetrahedra (Bouaziz et al. 2014; MeshTaichi 2022, section 8.4).
///
/// The energy density is `mu |F - R|^2` (as rigid as possible), where `R` is the rotation nearest to the deformation
/// gradient `F` and `mu` the shear modulus; Poisson's ratio is not used. Steps are implicit: stable for any length.
///
/// A frame of `n` rounds of `m` iterations takes `2 + n (3 + 2 m)` launches with conjugate gradients, `2 + n (3 + m)`
/// with Chebyshev, `n + 1` more with colliders, and no host read-back. The body's mesh must have edges. Call
/// [`Projective::prepare`] after [`Body::pin`] or a change of the masses; a step of another length calls it itself.
#[derive(Debug)]
pub struct Projective {
    options: ProjectiveOptions,
    vv: Prepared<VV>,
    matrix: ProjectiveMatrix,
    cg: Cg,
    forces: Distributor<CV, Vec3>,
    force: Attribute<Vertex, Vec3>,
    /// Rotations of the cells.
    rotation: Attribute<Cell, [f32; 4]>,
    /// Positions before the step.
    before: Buffer<Vec3>,
    /// Target positions of the vertices.
    target: Buffer<Vec3>,
    pressed: Pressed,
    chebyshev: Option<Chebyshev>,
}

/// Matrix for steps of one length.
#[derive(Debug)]
struct ProjectiveMatrix {
    dt: f32,
    weights: Buffer<f32>,
    mass: Buffer<f32>,
    /// Bounds of each row by [`PdMatrix::bounds`].
    bounds: Buffer<Vec2>,
    /// Bounds of the eigenvalues of the matrix preconditioned by its diagonal.
    eigenvalues: [f64; 2],
}

/// Changes of the positions, double-buffered.
#[derive(Debug)]
struct Chebyshev {
    changes: [Attribute<Vertex, Vec3>; 2],
    r: Buffer<Vec3>,
}

impl Projective {
    /// Prepares the solver for steps of `dt` seconds. Waits for the engine.
    ///
    /// # Errors
    ///
    /// Options out of range, a step that is not a positive number, a mesh without edges, or no memory on the engine.
    pub fn new(body: &Body, dt: f32, options: ProjectiveOptions) -> Result<Projective, Error> {
        options.check()?;
        check_step(dt)?;
        let (rx, engine) = (body.mesh(), body.engine());
        let (n, vv) = (rx.linear_len(Kind::Vertex) as usize, rx.prepare::<VV>()?);
        let chebyshev = match options.solver {
            GlobalSolver::ConjugateGradients => None,
            GlobalSolver::Chebyshev => Some(Chebyshev {
                changes: [rx.attribute()?, rx.attribute()?],
                r: engine.zeroed(n)?,
            }),
        };
        let mut solver = Projective {
            options,
            vv,
            matrix: ProjectiveMatrix {
                dt,
                weights: engine.zeroed(vv.len() as usize)?,
                mass: engine.zeroed(n)?,
                bounds: engine.zeroed(n)?,
                eigenvalues: [0.0, 1.0],
            },
            cg: Cg::new(rx, ENOUGH, true)?,
            forces: Distributor::new(rx)?,
            force: rx.attribute()?,
            rotation: rx.attribute()?,
            before: engine.zeroed(n)?,
            target: engine.zeroed(n)?,
            pressed: Pressed::new(engine)?,
            chebyshev,
        };
        solver.prepare(body, dt)?;
        Ok(solver)
    }

    /// Computes the matrix for steps of `dt` seconds, after a change of pins or masses. Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`Projective::new`].
    pub fn prepare(&mut self, body: &Body, dt: f32) -> Result<(), Error> {
        check_step(dt)?;
        let (rx, engine) = (body.mesh(), body.engine());
        let inertia = self.inertia(body, dt)?;
        let inertia = engine.upload(&inertia)?;
        rx.launch(PdMatrix {
            rest: body.rest.staged()?,
            materials: body.materials.view()?,
            vv: self.vv,
            vc: rx.prepare::<VC>()?,
            inertia: inertia.global(),
            weights: self.matrix.weights.global_mut(),
            mass: self.matrix.mass.global_mut(),
            inverse: self.cg.inverse_mut(),
            bounds: self.matrix.bounds.global_mut(),
        })?;
        let bounds = self.matrix.bounds.read()?;
        let [least, most] = bounds
            .iter()
            .fold([1.0f32; 2], |[a, b], r| [a.min(r.y), b.max(r.x)]);
        self.matrix.eigenvalues = [f64::from(least), f64::from(most)];
        self.matrix.dt = dt;
        Ok(())
    }

    /// Returns `m / dt^2` of each vertex, by linear id; for pinned ones the attachment's stiffness, or -1 if they are
    /// fixed.
    fn inertia(&self, body: &Body, dt: f32) -> Result<Vec<f32>, Error> {
        let (mass, inverse) = (
            body.mass.engine_values()?,
            body.inverse_mass.engine_values()?,
        );
        let pinned = self.options.attachment.map_or(-1.0, |k| k as f32);
        let of = |(m, w): (&f32, &f32)| if *w > 0.0 { m / (dt * dt) } else { pinned };
        Ok(mass.iter().zip(&inverse).map(of).collect())
    }

    /// Returns the time step for which the matrix is made, in seconds.
    pub fn time_step(&self) -> f32 {
        self.matrix.dt
    }

    /// Advances the body by one frame of `dt` seconds. Does not wait for the engine, unless `dt` has changed.
    ///
    /// # Errors
    ///
    /// A step that is not a positive number, a stale attribute, or an error of the engine.
    pub fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        if dt != self.matrix.dt {
            self.prepare(body, dt)?;
        }
        let free = motion::Free::new(around, self.options.damping, dt);
        free.begin(body, around, &self.before, Some(&self.target))?;
        self.pressed.begin(body, around)?;
        self.press(body, around, dt)?;
        for _ in 0..self.options.rounds {
            self.local_step(body)?;
            match self.chebyshev {
                None => self.conjugate_gradients(body)?,
                Some(_) => self.chebyshev(body)?,
            }
            self.press(body, around, dt)?;
        }
        free.end(body, &self.before)
    }

    fn press(&self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        let places = (&self.before, Some(&self.target));
        self.pressed.press(body, around, places, dt)
    }

    /// Returns the rotations of the cells as quaternions, in the order of the mesh; the next frame starts from them.
    /// Waits for the engine.
    pub(crate) fn rotations(&mut self, body: &Body) -> Result<Vec<[f32; 4]>, Error> {
        self.rotation.to_input(body.mesh())
    }

    /// Sets the rotations that [`Projective::rotations`] returned.
    pub(crate) fn set_rotations(&mut self, body: &Body, to: &[[f32; 4]]) -> Result<(), Error> {
        self.rotation = body.mesh().attribute_from(to)?;
        Ok(())
    }

    /// Computes the rotations, and the forces toward the rotated shapes.
    fn local_step(&mut self, body: &Body) -> Result<(), Error> {
        let local = PdLocal {
            x: body.position.staged()?,
            rest: body.rest.staged()?,
            materials: body.materials.view()?,
            rotation: self.rotation.write()?,
        };
        self.forces.run(body.mesh(), local, &mut self.force)
    }

    fn residual(
        &self,
        body: &Body,
        r: GlobalMut<Vec3>,
        [change, previous]: [GlobalMut<Vec3>; 2],
        step: f32,
    ) -> Result<(), Error> {
        Ok(body.mesh().launch(PdResidual {
            x: body.position.global()?,
            target: self.target.global(),
            force: self.force.global()?,
            mass: self.matrix.mass.global(),
            inverse: self.cg.inverse_mut().read(),
            r,
            change,
            previous,
            step,
            sums: self.cg.sums(),
        })?)
    }

    fn conjugate_gradients(&mut self, body: &mut Body) -> Result<(), Error> {
        let none = [GlobalMut::empty(), GlobalMut::empty()];
        let (_, r) = self.cg.start(Global::empty());
        self.residual(body, r, none, 0.0)?;
        for _ in 0..self.options.iterations {
            self.product(body.mesh())?;
            // SAFETY: an attribute of the mesh.
            unsafe { self.cg.step(&body.rx, body.position.global_mut()?)? };
        }
        Ok(())
    }

    /// Returns the number of launches of a step.
    pub fn launches(&self) -> u32 {
        let each = match self.options.solver {
            GlobalSolver::ConjugateGradients => 3 + 2 * self.options.iterations,
            GlobalSolver::Chebyshev => 3 + self.options.iterations,
        };
        2 + self.options.rounds * each
    }

    /// Computes the new direction, and the matrix times it.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn product(&self, rx: &RxMesh<Volume>) -> Result<(), Error> {
        let (d, q) = self.cg.direction();
        Ok(rx.launch(McfAssembled {
            d,
            vv: self.vv,
            weights: self.matrix.weights.global(),
            mass: self.matrix.mass.global(),
            q,
            sums: self.cg.sums(),
        })?)
    }

    /// Returns the interval of the method. Its upper end bounds all eigenvalues. Components below the lower end are
    /// damped less; with few iterations a smaller lower end would cost the others more.
    fn interval(&self) -> [f64; 2] {
        let [least, most] = self.matrix.eigenvalues;
        let fewest = 2.0 / f64::from(self.options.iterations);
        [least.max(most * (fewest * fewest).min(0.5)), most]
    }

    fn chebyshev(&mut self, body: &mut Body) -> Result<(), Error> {
        let [least, most] = self.interval();
        let (step, radius) = (2.0 / (most + least), (most - least) / (most + least));
        let Some(mut c) = self.chebyshev.take() else {
            return Ok(());
        };
        let done = self.iterate(body, &mut c, step as f32, radius);
        self.chebyshev = Some(c);
        done
    }

    fn iterate(
        &self,
        body: &mut Body,
        c: &mut Chebyshev,
        step: f32,
        radius: f64,
    ) -> Result<(), Error> {
        let [change, previous] = &mut c.changes;
        let both = [change.global_mut()?, previous.global_mut()?];
        self.residual(body, c.r.global_mut(), both, step)?;
        let mut omega = 2.0;
        for _ in 1..self.options.iterations {
            omega = 4.0 / (4.0 - radius * radius * omega);
            let [change, other] = &mut c.changes;
            body.rx.launch(PdChebyshev {
                change: change.staged()?,
                other: other.global_mut()?,
                r: c.r.global(),
                vv: self.vv,
                weights: self.matrix.weights.global(),
                mass: self.matrix.mass.global(),
                inverse: self.cg.inverse_mut().read(),
                step,
                omega: omega as f32,
            })?;
            c.changes.swap(0, 1);
        }
        motion::add(body, &c.changes[0])
    }
}

impl TimeStep for Projective {
    fn step(&mut self, body: &mut Body, around: &Surroundings, dt: f32) -> Result<(), Error> {
        Projective::step(self, body, around, dt)
    }

    fn elasticity(&self) -> Elasticity {
        Elasticity::Arap
    }

    fn update(&mut self, body: &Body) -> Result<(), Error> {
        self.prepare(body, self.time_step())
    }
}

impl FromOptions for Projective {
    type Options = ProjectiveOptions;
    const KINDS: VolumeKinds = VolumeKinds::Edges;

    fn from_options(body: &Body, dt: f32, options: ProjectiveOptions) -> Result<Self, Error> {
        Projective::new(body, dt, options)
    }
}
