//! Product of the implicit step's matrix with a vector.

use super::linearise::kept;
use super::newton::state::{Newton, NewtonScalar};
use crate::assemble::{SumTables, Sums, THREADS};
use crate::cells::balanced;
use crate::energy::{InFrame, SpringDerivatives, Tangent};
use crate::force::NEEDS;
use crate::small::{Symmetric, times};
use crate::staged::near;
use core::marker::PhantomData;
use glam::Vec3;
use rxmesh_kernels::algebra::cg::CgSums;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader, Vertex};

kernel_list! {
    patch sim_product: Product<InFrame>;
    patch sim_product_springs: Product<SpringDerivatives>;
}

rxmesh_kernels::args! {
    /// Computes the new direction `d = z + beta d`, its product with the matrix, and the step length (Shewchuk 1994,
    /// B3).
    pub struct Product<T> {
        /// Derivatives of each cell.
        pub tangents: Global<f32>,
        /// Diagonal blocks of the matrix other than the cells' part: mass and contact.
        pub diagonal: Global<Symmetric>,
        /// The preconditioned residual.
        pub z: Global<Vec3>,
        /// The old direction.
        pub old: Global<Vec3>,
        /// The new direction.
        pub new: GlobalMut<Vec3>,
        /// Product, three words per vertex.
        pub to: Sums,
        /// One part per patch of the dot product.
        pub dots: CgSums,
        /// Type of the derivatives.
        pub kind: PhantomData<T>,
    }
}

/// Shared memory of [`Product`].
#[derive(Clone, Copy, Debug)]
pub struct ProductTables {
    d: Shared<Vec3>,
    /// Each near vertex's part of `d . q`.
    dots: Shared<f32>,
    scratch: Shared<u32>,
    tables: SumTables,
}

// SAFETY: a patch writes the direction and sums of what it owns, and its parts, in phases separated by barriers; slots
// and ids are the mesh's (contracts U1 to U4).
unsafe impl<T: Tangent + Send + Sync + core::fmt::Debug + 'static> PatchKernel for Product<T> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = ProductTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> ProductTables {
        ProductTables {
            d: plan.take(near(h)),
            dots: plan.take(near(h)),
            scratch: plan.take(SCRATCH_WORDS),
            tables: Sums::carve::<3>(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &ProductTables) {
        if self.dots.scalars.done() || Newton(self.dots.scalars.0).is(NewtonScalar::Stopped) {
            return;
        }
        self.direction(b, patch, t.d);
        let (base, owned) = (patch.base::<Cell>(), patch.owned::<Vertex>());
        let first = patch.base::<Vertex>();
        let d = t.d;
        let cell = |c: u32, v: [u32; 4]| {
            let tangent = kept::<T>(self.tangents, base + c);
            let o = d.get(v[0]);
            let q = tangent.apply([d.get(v[1]) - o, d.get(v[2]) - o, d.get(v[3]) - o]);
            balanced(q).map(|q| q.to_array())
        };
        let last = |v: u32, sum: [f32; 3]| {
            let d = d.get(v);
            let mut q = Vec3::from_array(sum);
            if v < owned {
                q += times(self.diagonal.get(first + v), d);
            }
            t.dots.set(v, d.dot(q));
            q.to_array()
        };
        self.to.run(b, patch, &t.tables, cell, last);
        let dots = t.dots;
        let dq = b.sum(patch.near::<Vertex>(), t.scratch, |v| {
            f64::from(dots.get(v))
        });
        self.dots.alpha(b, patch.id(), t.scratch, dq);
    }
}

impl<T> Product<T> {
    /// Loads the new direction into shared memory; stores the owned part.
    #[inline(always)]
    fn direction<B: Block>(&self, b: B, patch: &Patch, d: Shared<Vec3>) {
        let beta = Newton(self.dots.scalars.0).get(NewtonScalar::Beta) as f32;
        let (owned, near) = (patch.owned::<Vertex>(), patch.near::<Vertex>());
        let base = 3 * patch.base::<Vertex>();
        let words = |v: Global<Vec3>| v.cast::<f32>().from(base);
        let (z, old, here) = (words(self.z), words(self.old), d.cast::<f32>());
        let new = self.new.cast::<f32>().from(base);
        let map = patch.map::<Vertex>();
        b.phase(|p| {
            p.each(3 * owned, |k| {
                let value = z.get(k) + beta * old.get(k);
                here.set(k, value);
                new.set(k, value);
            });
            p.each(near - owned, |i| {
                let v = map.linear(owned + i);
                d.set(owned + i, self.z.get(v) + self.old.get(v) * beta);
            });
        });
    }
}
