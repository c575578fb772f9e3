//! Conjugate gradients (Shewchuk 1994, appendix B3) in two launches per iteration, with all scalars on the device.
//!
//! The product's kernel makes the new direction `d = z + beta d` as it loads it, ribbon included, so that no launch is
//! spent on it; the last block of a launch to finish adds up the dot products and computes the next scalar. With a
//! diagonal preconditioner `z = r / diag`, without one `z = r`.
//!
//! The host launches iterations without waiting; once the residual is small enough the `done` word makes the rest of
//! them do nothing, so that the iteration count is exact however seldom the host reads back.

use crate::attr::Field;
use crate::exec::{Block, Phase, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{Access, Bind, Global, GlobalMut, Piece, Plan, Shared};
use crate::topo::{Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    block cg_step: CgStep;
}

/// Solver's scalars, as `f64` in these places.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Scalar {
    /// r . z. Not at 0: the device compiler takes the very address of an argument for one that could be anywhere.
    Delta = 1,
    /// r . r at the start
    Norm0 = 2,
    /// Step length
    Alpha = 3,
    /// Weight of the old direction
    Beta = 4,
    /// Iterations done
    Iterations = 5,
    /// Nonzero when the solver has finished
    Done = 6,
    /// Squared relative tolerance
    Tolerance2 = 7,
    /// r . r
    Norm = 8,
    /// r . z of odd iterations, where all blocks need that of the iteration before
    OddDelta = 9,
    /// Nonzero when all blocks have seen that the solver has finished
    Stopped = 10,
}

/// Number of places for scalars.
pub const SCALARS: usize = 11;

/// Solver's scalars in global memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Scalars(pub GlobalMut<f64>);

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Scalars {}
// SAFETY: one view.
unsafe impl Bind for Scalars {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.0.visit(resolve) }
    }
}

impl Scalars {
    /// Returns the value of a scalar.
    #[inline(always)]
    pub fn get(self, s: Scalar) -> f64 {
        self.0.get(s as u32)
    }

    /// Sets a scalar.
    #[inline(always)]
    pub fn set(self, s: Scalar, v: f64) {
        self.0.set(s as u32, v);
    }

    /// Returns `true` if the solver has finished.
    #[inline(always)]
    pub fn done(self) -> bool {
        self.get(Scalar::Done) != 0.0
    }
}

crate::args! {
    /// Dot products of a launch: one partial result per block, added up by the last block to finish.
    pub struct CgSums {
        /// Two numbers per block: the first of all blocks, then the second of all.
        pub partials: GlobalMut<f64>,
        /// A word that is not used, and the number of blocks that have finished.
        pub arrived: GlobalMut<u32>,
        /// Solver's scalars.
        pub scalars: Scalars,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for CgSums {}

impl CgSums {
    /// Hands in the block's parts of one or two sums; the last block runs `then` with the sums, on one thread.
    #[inline(always)]
    pub fn finish<B: Block>(
        self,
        b: B,
        patch: u32,
        scratch: Shared<u32>,
        two: bool,
        parts: (f64, f64),
        then: impl FnOnce(Scalars, f64, f64),
    ) {
        let (partials, patches) = (self.partials, self.partials.len() / 2);
        let hand_in = || {
            partials.set(patch, parts.0);
            if two {
                partials.set(patches + patch, parts.1);
            }
        };
        if !b.arrive(self.arrived, patches, scratch, hand_in) {
            return;
        }
        let load = |i: u32| {
            let second = if two { partials.load(patches + i) } else { 0.0 };
            (partials.load(i), second)
        };
        let (first, second) = b.sum2(patches, scratch, load, |_, parts| parts);
        b.last_phase(|p| p.lead(|| then(self.scalars, first, second)));
    }

    /// Ends the launch that computed the first residual, from the patch's part of `r . z` and `r . r`.
    #[inline(always)]
    pub fn start<B: Block>(self, b: B, patch: u32, scratch: Shared<u32>, parts: (f64, f64)) {
        self.finish(b, patch, scratch, true, parts, |s, rz, rr| {
            s.set(Scalar::Delta, rz);
            s.set(Scalar::Norm, rr);
            s.set(Scalar::Norm0, rr);
            s.set(Scalar::Beta, 0.0);
            s.set(Scalar::Iterations, 0.0);
            // A zero residual is solved; a residual that is not finite cannot be.
            let solvable = rr > 0.0 && rr < f64::INFINITY;
            s.set(Scalar::Done, if solvable { 0.0 } else { 1.0 });
        });
    }

    /// Ends a product's launch, from the patch's part of `d . q`: `alpha = delta / (d . q)`.
    #[inline(always)]
    pub fn alpha<B: Block>(self, b: B, patch: u32, scratch: Shared<u32>, dq: f64) {
        self.finish(b, patch, scratch, false, (dq, 0.0), |s, dq, _| {
            s.set(Scalar::Alpha, s.get(Scalar::Delta) / dq);
        });
    }

    /// Ends an iteration, from the patch's part of `r . z` and `r . r` (the same without a preconditioner): computes
    /// `beta`, the iteration count, and the flag that the solver has finished.
    #[inline(always)]
    pub fn beta<B: Block>(self, b: B, block: u32, scratch: Shared<u32>, parts: (f64, f64)) {
        self.finish(b, block, scratch, true, parts, |s, rz, rr| {
            s.set(Scalar::Beta, rz / s.get(Scalar::Delta));
            s.set(Scalar::Delta, rz);
            s.set(Scalar::Norm, rr);
            s.set(Scalar::Iterations, s.get(Scalar::Iterations) + 1.0);
            // A residual that is zero or not a number ends the iteration too.
            let target = s.get(Scalar::Tolerance2) * s.get(Scalar::Norm0);
            let goes_on = rr >= target && rr > 0.0 && rr < f64::INFINITY;
            if !goes_on {
                s.set(Scalar::Done, 1.0);
            }
        });
    }
}

/// Vector that a product's kernel multiplies, in shared memory, ribbon included: the new direction, which it also
/// writes, or, to start the solver, any vector.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CgVector {
    /// Residual; to start, the vector.
    pub r: Global<Vec3>,
    /// One over the matrix's diagonal; empty without a preconditioner.
    pub inverse: Global<f32>,
    /// Old direction.
    pub old: Global<Vec3>,
    /// New direction.
    pub new: GlobalMut<Vec3>,
    /// Solver's scalars.
    pub scalars: Scalars,
    /// 1 to start the solver, 0 for a product.
    pub start: u32,
    here: Shared<Vec3>,
}

// SAFETY: all views; `here` is shared memory.
unsafe impl Bind for CgVector {
    #[inline(always)]
    fn bind(&self) {
        self.r.bind();
        self.inverse.bind();
        self.old.bind();
        self.new.bind();
        self.scalars.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.r.visit(resolve);
            self.inverse.visit(resolve);
            self.old.visit(resolve);
            self.new.visit(resolve);
            // `CgSums`, which every kernel that takes this has too, writes them after all blocks have read them.
            self.scalars.0.visit_as(Access::Again, resolve);
        }
    }
}

impl CgVector {
    /// Creates the vector of a product: the new direction from the residual and the old direction.
    pub fn direction(
        r: Global<Vec3>,
        inverse: Global<f32>,
        old: Global<Vec3>,
        new: GlobalMut<Vec3>,
        scalars: Scalars,
    ) -> Self {
        CgVector {
            r,
            inverse,
            old,
            new,
            scalars,
            start: 0,
            here: Shared::empty(),
        }
    }

    /// Creates the vector that starts the solver: `x`.
    pub fn start(x: Global<Vec3>, inverse: Global<f32>, scalars: Scalars) -> Self {
        CgVector {
            r: x,
            inverse,
            old: Global::empty(),
            new: GlobalMut::empty(),
            scalars,
            start: 1,
            here: Shared::empty(),
        }
    }

    /// Returns `true` if there is nothing to do: the solver has finished.
    #[inline(always)]
    pub fn done(&self) -> bool {
        self.start == 0 && self.scalars.done()
    }

    /// Returns the value at a local vertex.
    #[inline(always)]
    pub fn at(&self, local: u32) -> Vec3 {
        self.here.get(local)
    }

    /// Ends a product's launch, from the patch's part of `d . q`; or, to start the solver, from that of `r . r`, with
    /// the residual in `q`.
    #[inline(always)]
    pub fn finish<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        q: GlobalMut<Vec3>,
        sums: CgSums,
        scratch: Shared<u32>,
        product: f64,
    ) {
        if self.start == 0 {
            sums.alpha(b, patch.id(), scratch, product);
            return;
        }
        let base = patch.base::<Vertex>();
        let rz = if self.inverse.is_empty() {
            product
        } else {
            b.sum(patch.owned::<Vertex>(), scratch, |v| {
                let r = q.get(base + v);
                f64::from(r.dot(self.precondition(r, base + v)))
            })
        };
        sums.start(b, patch.id(), scratch, (rz, product));
    }

    /// Returns `z` for a residual: it over the matrix's diagonal at a vertex (linear id).
    #[inline(always)]
    pub fn precondition(&self, r: Vec3, v: u32) -> Vec3 {
        if self.inverse.is_empty() {
            r
        } else {
            r * self.inverse.get(v)
        }
    }
}

// SAFETY: the prologue writes the owned part of `new` and reads the ribbon of the others; `here` is as long as the
// patch.
unsafe impl Field for CgVector {
    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        self.here = plan.take(u32::from(header.total[0]));
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let (owned, total) = (patch.owned::<Vertex>(), patch.total::<Vertex>());
        let (base, map, here) = (patch.base::<Vertex>(), patch.map::<Vertex>(), self.here);
        if self.start != 0 {
            p.each(total, |v| here.set(v, self.r.get(map.linear(v))));
            return;
        }
        let beta = self.scalars.get(Scalar::Beta) as f32;
        let plain = self.inverse.is_empty();
        // Word by word, so that neighbouring threads touch neighbouring words.
        let words = |v: Global<Vec3>| v.cast::<f32>().from(3 * base);
        let (r, old) = (words(self.r), words(self.old));
        let (new, local) = (
            self.new.cast::<f32>().from(3 * base),
            self.here.cast::<f32>(),
        );
        let load = |k: u32| {
            let scale = if plain {
                1.0
            } else {
                self.inverse.get(base + k / 3)
            };
            (r.get(k), old.get(k), scale)
        };
        p.each_loaded(3 * owned, load, |k, (r, old, scale)| {
            let d = r * scale + beta * old;
            local.set(k, d);
            new.set(k, d);
        });
        let load = |i: u32| {
            let v = map.linear(owned + i);
            (self.precondition(self.r.get(v), v), self.old.get(v))
        };
        p.each_loaded(total - owned, load, |i, (z, old)| {
            // As above, so that owner and ribbon have the same bits.
            here.set(owned + i, z + beta * old);
        });
    }
}

kernel! {
    /// Computes `x += alpha d`, `r -= alpha q`; then `beta` and the flag that the solver has finished. Runs over all
    /// linear ids, 16 bytes at a time: a block takes [`STEP_WORDS`] words.
    pub struct CgStep: Block {
        /// Solution.
        pub x: GlobalMut<Vec3>,
        /// Residual.
        pub r: GlobalMut<Vec3>,
        /// Direction.
        pub d: Global<Vec3>,
        /// Matrix times direction.
        pub q: Global<Vec3>,
        /// One over the matrix's diagonal; empty without a preconditioner.
        pub inverse: Global<f32>,
        /// Destination of the dot products.
        pub sums: CgSums,
    }
}

/// Words of a vector that a block of [`CgStep`] takes.
pub const STEP_WORDS: u32 = 2048;

/// Four words of x, r, d and q.
type Fours = ([u32; 4], [u32; 4], [u32; 4], [u32; 4]);

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for CgStep {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;
    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let scalars = self.sums.scalars;
        if scalars.done() {
            return;
        }
        let alpha = scalars.get(Scalar::Alpha) as f32;
        let (first, words) = (block * STEP_WORDS, 3 * self.x.len());
        let end = if words - first < STEP_WORDS {
            words
        } else {
            first + STEP_WORDS
        };
        let (x, r) = (self.x.cast::<u32>(), self.r.cast::<u32>());
        let (d, q) = (self.d.cast::<u32>(), self.q.cast::<u32>());
        let from = first / 4;
        let load = |i: u32| -> Fours {
            let g = from + i;
            (x.get4(g), r.get4(g), d.get4(g), q.get4(g))
        };
        let step = |i: u32, (x4, r4, d4, q4): Fours| {
            let g = from + i;
            let (mut x4, mut r4) = (x4, r4);
            let (mut rz, mut rr) = (0.0, 0.0);
            let mut k = 0;
            while k < 4 {
                let (xk, rk) = self.step(alpha, [x4[k], r4[k], d4[k], q4[k]]);
                (x4[k], r4[k]) = (xk.to_bits(), rk.to_bits());
                let parts = self.parts(rk, 4 * g + k as u32);
                rz += parts.0;
                rr += parts.1;
                k += 1;
            }
            x.set4(g, x4);
            r.set4(g, r4);
            (rz, rr)
        };
        let (mut rz, mut rr) = b.sum2((end - first) / 4, scratch, load, step);
        // The last words of the vector, up to three.
        let (rest, base) = ((end - first) % 4, end - (end - first) % 4);
        if rest > 0 {
            let load = |i: u32| {
                let at = base + i;
                [x.get(at), r.get(at), d.get(at), q.get(at)]
            };
            let step = |i: u32, old: [u32; 4]| {
                let (xi, ri) = self.step(alpha, old);
                x.set(base + i, xi.to_bits());
                r.set(base + i, ri.to_bits());
                self.parts(ri, base + i)
            };
            let parts = b.sum2(rest, scratch, load, step);
            rz += parts.0;
            rr += parts.1;
        }
        self.sums.beta(b, block, scratch, (rz, rr));
    }
}

impl CgStep {
    /// Returns new values of one component from those of x, r, d and q.
    #[inline(always)]
    fn step(&self, alpha: f32, [x, r, d, q]: [u32; 4]) -> (f32, f32) {
        let [x, r, d, q] = [x, r, d, q].map(f32::from_bits);
        (x + alpha * d, r - alpha * q)
    }

    /// Returns the contributions of a component of the residual to `r . z` and `r . r`.
    #[inline(always)]
    fn parts(&self, r: f32, word: u32) -> (f64, f64) {
        let rr = f64::from(r) * f64::from(r);
        let rz = if self.inverse.is_empty() {
            rr
        } else {
            rr * f64::from(self.inverse.get(word / 3))
        };
        (rz, rr)
    }
}

crate::hashed! { [] Scalars, [] CgVector }
