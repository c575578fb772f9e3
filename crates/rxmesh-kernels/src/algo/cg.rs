//! Conjugate gradients (Shewchuk 1994, appendix B2) with all scalars on the device.
//!
//! The host launches iterations without waiting; once the residual is small enough the `done` word makes the
//! rest of them do nothing, so that the iteration count is exact however seldom the host looks.

use crate::attr::Field;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel, PatchKernel};
use crate::mem::{Bind, Global, GlobalMut, Piece, Plan, Shared};
use crate::topo::{Patch, PatchHeader, Vertex};
use glam::Vec3;

/// The solver's scalars, as `f64` in these places.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Scalar {
    /// r . r
    Delta = 1,
    /// r . r at the start
    Delta0 = 2,
    /// Step length
    Alpha = 3,
    /// Weight of the old direction
    Beta = 4,
    /// Iterations done
    Iterations = 5,
    /// Not zero when the solver has finished
    Done = 6,
    /// Squared relative tolerance
    Tolerance2 = 7,
}

/// Number of places for scalars.
pub const SCALARS: usize = 8;

/// The solver's scalars in global memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Scalars(pub GlobalMut<f64>);

impl Field for Scalars {}
impl Bind for Scalars {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        self.0.visit(piece);
    }
}

impl Scalars {
    /// The value of a scalar.
    #[inline(always)]
    pub fn get(self, s: Scalar) -> f64 {
        self.0.get(s as u32)
    }

    /// Sets a scalar.
    #[inline(always)]
    pub fn set(self, s: Scalar, v: f64) {
        self.0.set(s as u32, v);
    }

    /// Whether the solver has finished.
    #[inline(always)]
    pub fn done(self) -> bool {
        self.get(Scalar::Done) != 0.0
    }
}

#[inline(always)]
fn total<B: Block>(b: B, partials: Global<f64>, scratch: Shared<u32>) -> f64 {
    b.sum(partials.len(), scratch, |i| partials.get(i))
}

kernel! {
    /// Start: `delta = delta_0 = r . r` from the partial products.
    pub struct CgStart: Block {
        /// One r . r a patch.
        pub partials: Global<f64>,
        /// The solver's scalars.
        pub scalars: Scalars,
    }
}

impl BlockKernel for CgStart {
    const THREADS: u32 = 512;
    type Tables = Shared<u32>;
    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &scratch: &Shared<u32>) {
        let delta = total(b, self.partials, scratch);
        let s = self.scalars;
        b.last_phase(|p| {
            p.lead(|| {
                s.set(Scalar::Delta, delta);
                s.set(Scalar::Delta0, delta);
                // A zero residual is solved; a residual that is not finite cannot be.
                let solvable = delta > 0.0 && delta < f64::INFINITY;
                if !solvable {
                    s.set(Scalar::Done, 1.0);
                }
            });
        });
    }
}

kernel! {
    /// `alpha = delta / (d . q)`.
    pub struct CgAlpha: Block {
        /// One d . q a patch.
        pub partials: Global<f64>,
        /// The solver's scalars.
        pub scalars: Scalars,
    }
}

impl BlockKernel for CgAlpha {
    const THREADS: u32 = 512;
    type Tables = Shared<u32>;
    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &scratch: &Shared<u32>) {
        let s = self.scalars;
        if s.done() {
            return;
        }
        let dq = total(b, self.partials, scratch);
        b.last_phase(|p| p.lead(|| s.set(Scalar::Alpha, s.get(Scalar::Delta) / dq)));
    }
}

kernel! {
    /// `x += alpha d`, `r -= alpha q`, and one `r . r` a patch.
    pub struct CgStep: Patch {
        /// Solution.
        pub x: GlobalMut<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Direction.
        pub d: Global<Vec3>,
        /// Matrix times direction.
        pub q: Global<Vec3>,
        /// One r . r a patch.
        pub partials: GlobalMut<f64>,
        /// The solver's scalars.
        pub scalars: Scalars,
    }
}

impl PatchKernel for CgStep {
    const THREADS: u32 = 128;
    type Tables = Shared<u32>;
    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        if self.scalars.done() {
            return;
        }
        let alpha = self.scalars.get(Scalar::Alpha) as f32;
        let base = 3 * patch.base::<Vertex>();
        let (x, r) = (
            self.x.cast::<f32>().from(base),
            self.r.cast::<f32>().from(base),
        );
        let (d, q) = (
            self.d.cast::<f32>().from(base),
            self.q.cast::<f32>().from(base),
        );
        let rr = b.sum(3 * patch.owned::<Vertex>(), scratch, |i| {
            x.set(i, x.get(i) + alpha * d.get(i));
            let ri = r.get(i) - alpha * q.get(i);
            r.set(i, ri);
            f64::from(ri) * f64::from(ri)
        });
        let (partials, id) = (self.partials, patch.id());
        b.last_phase(|p| p.lead(|| partials.set(id, rr)));
    }
}

kernel! {
    /// `delta`, `beta`, the iteration count, and whether the solver has finished.
    pub struct CgBeta: Block {
        /// One r . r a patch.
        pub partials: Global<f64>,
        /// The solver's scalars.
        pub scalars: Scalars,
    }
}

impl BlockKernel for CgBeta {
    const THREADS: u32 = 512;
    type Tables = Shared<u32>;
    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &scratch: &Shared<u32>) {
        let s = self.scalars;
        if s.done() {
            return;
        }
        let delta = total(b, self.partials, scratch);
        b.last_phase(|p| {
            p.lead(|| {
                let old = s.get(Scalar::Delta);
                s.set(Scalar::Delta, delta);
                s.set(Scalar::Beta, delta / old);
                s.set(Scalar::Iterations, s.get(Scalar::Iterations) + 1.0);
                // A residual that is zero or not a number ends the iteration too.
                let target = s.get(Scalar::Tolerance2) * s.get(Scalar::Delta0);
                let goes_on = delta >= target && delta > 0.0 && delta < f64::INFINITY;
                if !goes_on {
                    s.set(Scalar::Done, 1.0);
                }
            });
        });
    }
}

kernel! {
    /// `d = r + beta d`, one component an index.
    pub struct CgDirection: Flat {
        /// Residual.
        pub r: Global<f32>,
        /// Direction.
        pub d: GlobalMut<f32>,
        /// The solver's scalars.
        pub scalars: Scalars,
    }
}

impl FlatKernel for CgDirection {
    #[inline(always)]
    fn run(&self, i: u32) {
        if !self.scalars.done() {
            let beta = self.scalars.get(Scalar::Beta) as f32;
            self.d.set(i, self.r.get(i) + beta * self.d.get(i));
        }
    }
}
