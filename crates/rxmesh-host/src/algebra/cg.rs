//! Host half of the conjugate gradient solver: its vectors and scalars, and the launches of an iteration.
#![doc(hidden)]

use crate::Error;
use crate::engine::Buffer;
use crate::store::{Dimension, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{CgStep, CgSums, CgVector, SCALARS, STEP_WORDS, Scalar, Scalars};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::Kind;

/// Progress of the solver.
#[derive(Clone, Copy, Debug)]
pub struct Progress {
    /// Iterations done.
    pub iterations: u32,
    /// `sqrt(r . r / r0 . r0)`; 0 when there was nothing to do.
    pub residual: f64,
    /// `true` if the solver has finished by itself.
    pub done: bool,
    /// `r0 . r0`, with which residuals are compared.
    pub first: f64,
}

/// Symmetric system over the vertices of a mesh, of which an algorithm computes products.
pub trait Products {
    /// Launches the product of the matrix and a vector, `d`, into `q`, with its dot products.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    fn product(&self, sums: CgSums, d: CgVector, q: GlobalMut<Vec3>) -> Result<(), Error>;
}

/// Vectors and scalars of a solve over the vertices of a mesh.
#[derive(Debug)]
pub struct Cg {
    r: Buffer<Vec3>,
    /// Old and new direction, in turns.
    directions: [Buffer<Vec3>; 2],
    q: Buffer<Vec3>,
    /// One over the diagonal; empty without a preconditioner.
    inverse: Buffer<f32>,
    /// Partial sums of the product's launch: two numbers per patch.
    partials: Buffer<f64>,
    /// Partial sums of the step's launch: two numbers per block.
    step_partials: Buffer<f64>,
    arrived: Buffer<u32>,
    scalars: Buffer<f64>,
}

impl Cg {
    /// Creates a solver for one mesh; with `jacobi` the diagonal has to be filled in ([`Cg::inverse_mut`]) before the
    /// start.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new<D: Dimension>(rx: &RxMesh<D>, tolerance: f64, jacobi: bool) -> Result<Cg, Error> {
        let engine = rx.engine();
        let n = rx.linear_len(Kind::Vertex) as usize;
        let step_blocks = (3 * n).div_ceil(STEP_WORDS as usize);
        let mut scalars = [0.0; SCALARS];
        scalars[Scalar::Tolerance2 as usize] = tolerance * tolerance;
        Ok(Cg {
            r: engine.zeroed(n)?,
            directions: [engine.zeroed(n)?, engine.zeroed(n)?],
            q: engine.zeroed(n)?,
            inverse: engine.zeroed(if jacobi { n } else { 0 })?,
            partials: engine.zeroed(2 * rx.headers().len())?,
            step_partials: engine.zeroed(2 * step_blocks)?,
            arrived: engine.zeroed(2)?,
            scalars: engine.upload(&scalars)?,
        })
    }

    /// Returns the solver's scalars.
    pub fn scalars(&self) -> Scalars {
        Scalars(self.scalars.global_mut())
    }

    /// Returns one over the diagonal, to fill in.
    pub fn inverse_mut(&self) -> GlobalMut<f32> {
        self.inverse.global_mut()
    }

    /// Returns the direction that the next product reads: it has to be zero, or finite at least, when the solver
    /// starts.
    pub fn first_direction(&self) -> GlobalMut<Vec3> {
        self.directions[0].global_mut()
    }

    /// Returns the destination of the dot products of a product's launch.
    pub fn sums(&self) -> CgSums {
        CgSums {
            partials: self.partials.global_mut(),
            arrived: self.arrived.global_mut(),
            scalars: self.scalars(),
        }
    }

    /// Returns the arguments of a product's kernel that computes the first residual, from `x`, into the second value.
    pub fn start(&self, x: Global<Vec3>) -> (CgVector, GlobalMut<Vec3>) {
        let vector = CgVector::start(x, self.inverse.global(), self.scalars());
        (vector, self.r.global_mut())
    }

    /// Returns the arguments of a product's kernel in an iteration: the vector, and the destination of the product.
    pub fn direction(&self) -> (CgVector, GlobalMut<Vec3>) {
        let [old, new] = &self.directions;
        let vector = CgVector::direction(
            self.r.global(),
            self.inverse.global(),
            old.global(),
            new.global_mut(),
            self.scalars(),
        );
        (vector, self.q.global_mut())
    }

    /// Returns the residual by the iterations' recurrence.
    pub fn residual(&self) -> Global<Vec3> {
        self.r.global()
    }

    /// Makes the solver continue, after its start, until the squared norm of the residual is below `target`.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn set_target(&mut self, target: f64) -> Result<(), Error> {
        let mut scalars = self.scalars.read()?;
        scalars[Scalar::Tolerance2 as usize] = 1.0;
        scalars[Scalar::Norm0 as usize] = target;
        Ok(self.scalars.write(&scalars)?)
    }

    /// Launches the rest of an iteration, after the product.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    ///
    /// # Safety
    ///
    /// `x` has a value for each linear id of the vertices, and its words have no other use (contract U4 of
    /// docs/inside/unsafe.md).
    pub unsafe fn step<D: Dimension>(
        &mut self,
        rx: &RxMesh<D>,
        x: GlobalMut<Vec3>,
    ) -> Result<(), Error> {
        let step = CgStep {
            x,
            r: self.r.global_mut(),
            d: self.directions[1].global(),
            q: self.q.global(),
            inverse: self.inverse.global(),
            sums: CgSums {
                partials: self.step_partials.global_mut(),
                ..self.sums()
            },
        };
        let blocks = self.step_partials.len() as u32 / 2;
        rx.engine().launch_blocks(blocks, step)?;
        self.directions.swap(0, 1);
        Ok(())
    }

    /// Launches the computation of the first residual, from `x`.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn begin(&self, system: &(impl Products + ?Sized), x: Global<Vec3>) -> Result<(), Error> {
        let (vector, r) = self.start(x);
        system.product(self.sums(), vector, r)
    }

    /// Launches one iteration: two launches, no waiting.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    ///
    /// # Safety
    ///
    /// As [`Cg::step`].
    pub unsafe fn iterate<D: Dimension>(
        &mut self,
        rx: &RxMesh<D>,
        system: &(impl Products + ?Sized),
        x: GlobalMut<Vec3>,
    ) -> Result<(), Error> {
        let (vector, q) = self.direction();
        system.product(self.sums(), vector, q)?;
        // SAFETY: the caller's.
        unsafe { self.step(rx, x) }
    }

    /// Reads the progress back. Waits for the engine.
    ///
    /// # Errors
    ///
    /// [`Error::NotFinite`] if the solver produced a number that is not finite, or any error of the engine.
    pub fn progress(&self) -> Result<Progress, Error> {
        Progress::of(&self.scalars.read()?)
    }
}

impl Progress {
    /// Reads the progress from the scalars ([`Scalar`]).
    pub(crate) fn of(s: &[f64]) -> Result<Progress, Error> {
        let (norm, norm0) = (s[Scalar::Norm as usize], s[Scalar::Norm0 as usize]);
        if !norm.is_finite() {
            return Err(Error::NotFinite {
                what: "the solver's residual",
            });
        }
        Ok(Progress {
            iterations: s[Scalar::Iterations as usize] as u32,
            residual: relative(norm, norm0),
            done: s[Scalar::Done as usize] != 0.0,
            first: norm0,
        })
    }
}

/// Returns one norm over another, given their squares; 0 if there was nothing to do.
pub(crate) fn relative(now: f64, first: f64) -> f64 {
    if first > 0.0 {
        (now / first).sqrt()
    } else {
        0.0
    }
}
