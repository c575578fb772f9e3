//! Conjugate gradients for the change of the displacement.

use super::inertia::Inertia;
use super::range;
use super::state::{Newton, NewtonScalar};
use crate::assemble::SplitSums;
use crate::small::{Symmetric, inverse, times};
use crate::solve::linearise::SUMS;
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{self, CgSums};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

#[inline(always)]
fn dot(a: Vec3, b: Vec3) -> f64 {
    f64::from(a.x) * f64::from(b.x)
        + f64::from(a.y) * f64::from(b.y)
        + f64::from(a.z) * f64::from(b.z)
}

kernel! {
    /// Computes the residual and the preconditioner from the cells' sums and the other forces; then tests the
    /// convergence of Newton's method.
    pub struct Begin: Block {
        /// Forces and blocks of the cells.
        pub cells: SplitSums,
        /// Forces other than those of cells.
        pub inertia: Inertia,
        /// The displacement.
        pub u: Global<Vec3>,
        /// The residual: the force.
        pub r: GlobalMut<Vec3>,
        /// The preconditioned residual.
        pub z: GlobalMut<Vec3>,
        /// Change of the displacement; set to zero.
        pub change: GlobalMut<Vec3>,
        /// Old direction; set to zero.
        pub direction: GlobalMut<Vec3>,
        /// Inverse diagonal blocks; zero for pinned vertices.
        pub inverse: GlobalMut<Symmetric>,
        /// Contributions of mass and contact to the diagonal.
        pub diagonal: GlobalMut<Symmetric>,
        /// One part per block of the dot products.
        pub dots: CgSums,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Begin {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = Newton(self.dots.scalars.0);
        if state.is(NewtonScalar::Stopped) {
            return;
        }
        let (first, n) = range(block, self.u.len());
        // Separate from the sums, whose body the device compiler would otherwise call from two places.
        b.each(n, |i| self.vertex(first + i));
        let load = |i: u32| (self.r.get(first + i), self.z.get(first + i));
        let parts = b.sum2(n, scratch, load, |_, (r, z)| (dot(r, z), dot(r, r)));
        self.dots
            .finish(b, block, scratch, true, parts, |s, rz, rr| {
                s.set(cg::Scalar::Delta, rz);
                s.set(cg::Scalar::Norm, rr);
                s.set(cg::Scalar::Norm0, rr);
                s.set(cg::Scalar::Beta, 0.0);
                s.set(cg::Scalar::Iterations, 0.0);
                if state.get(NewtonScalar::Iterations) == 0.0 {
                    state.set(NewtonScalar::Norm0, rr);
                }
                state.set(NewtonScalar::Norm, rr);
                let target = state.get(NewtonScalar::Tolerance2) * state.get(NewtonScalar::Norm0);
                let solvable = rr > 0.0 && rr < f64::INFINITY;
                let solved = rr < target;
                if !solvable || solved {
                    state.set(NewtonScalar::Stopped, 1.0);
                }
                // Zero is solved; NaN cannot be.
                if rr.is_nan() || rr == f64::INFINITY {
                    state.set(NewtonScalar::Failed, 1.0);
                }
                s.set(cg::Scalar::Done, if solvable { 0.0 } else { 1.0 });
            });
    }
}

impl Begin {
    /// Sets all values of a vertex.
    #[inline(always)]
    fn vertex(&self, v: u32) {
        let free = self.inertia.inverse_mass.get(v) > 0.0;
        let [fx, fy, fz, k @ ..]: [f32; SUMS] = self.cells.total(v);
        let (force, on) = self.inertia.force(v, self.u.get(v));
        let sum = [
            k[0] + on[0],
            k[1] + on[1],
            k[2] + on[2],
            k[3] + on[3],
            k[4] + on[4],
            k[5] + on[5],
        ];
        let (r, inverse) = if free {
            (force + Vec3::new(fx, fy, fz), inverse(sum))
        } else {
            (Vec3::ZERO, [0.0; 6])
        };
        let z = times(inverse, r);
        self.r.set(v, r);
        self.z.set(v, z);
        self.change.set(v, Vec3::ZERO);
        self.direction.set(v, Vec3::ZERO);
        self.inverse.set(v, inverse);
        self.diagonal.set(v, on);
    }
}

kernel! {
    /// Computes `change += alpha d`, `r -= alpha q`, `z` from `r`; then `beta`, and tests the convergence of conjugate
    /// gradients.
    pub struct Step: Block {
        /// The change of the displacement.
        pub change: GlobalMut<Vec3>,
        /// The residual.
        pub r: GlobalMut<Vec3>,
        /// The preconditioned residual.
        pub z: GlobalMut<Vec3>,
        /// The direction.
        pub d: Global<Vec3>,
        /// The product.
        pub q: SplitSums,
        /// Inverse diagonal blocks.
        pub inverse: Global<Symmetric>,
        /// One part per block of the dot products.
        pub dots: CgSums,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Step {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = Newton(self.dots.scalars.0);
        if self.dots.scalars.done() || state.is(NewtonScalar::Stopped) {
            return;
        }
        let alpha = state.get(NewtonScalar::Alpha) as f32;
        let (first, n) = range(block, self.d.len());
        let parts = b.sum2(
            n,
            scratch,
            |i| self.inverse.get(first + i),
            |i, inverse| {
                let v = first + i;
                // Only pinned vertices have a zero block.
                if inverse[0] == 0.0 {
                    return (0.0, 0.0);
                }
                let q = Vec3::from_array(self.q.total(v));
                self.change
                    .set(v, self.change.get(v) + self.d.get(v) * alpha);
                let r = self.r.get(v) - q * alpha;
                let z = times(inverse, r);
                self.r.set(v, r);
                self.z.set(v, z);
                (dot(r, z), dot(r, r))
            },
        );
        self.dots.beta(b, block, scratch, parts);
    }
}
