//! Line search along the change of the displacement.

use super::inertia::Inertia;
use super::range;
use super::state::{Newton, NewtonScalar};
use crate::body::finish;
use crate::energy::Model;
use crate::force::{NEEDS, energy};
use crate::material::Materials;
use crate::staged::{BodyPositions, Staged};
use core::marker::PhantomData;
use glam::Vec3;
use rxmesh_kernels::algebra::cg;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, PatchKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader, Vertex};

rxmesh_kernels::args! {
    /// Computes the energy at `u + length * change` and accepts the length if it has fallen; or, to begin, the energy
    /// at `u`.
    pub struct Trial<E> {
        /// Positions of the body; `add` is the displacement.
        pub places: BodyPositions,
        /// The change of the displacement.
        pub change: Global<Vec3>,
        /// Step length; 0 to begin.
        pub length: f32,
        /// Materials of its cells.
        pub materials: Materials,
        /// Forces other than those of cells.
        pub inertia: Inertia,
        /// One part per patch.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The solver's state.
        pub state: Newton,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

// SAFETY: a patch writes its part of the sum; ids are the mesh's (contracts U1 to U4).
unsafe impl<E: Model> PatchKernel for Trial<E> {
    const THREADS: u32 = crate::assemble::THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = (Staged, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (self.places.carve(h, plan), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (staged, scratch): &Self::Tables) {
        let state = self.state;
        if state.is(NewtonScalar::Stopped) || state.is(NewtonScalar::Accepted) {
            return;
        }
        let (base, first) = (patch.base::<Cell>(), patch.base::<Vertex>());
        b.phase(|p| {
            self.places
                .load_moved(p, patch, staged, self.change, self.length)
        });
        let cells = b.sum(patch.owned::<Cell>(), *scratch, |c| {
            let at = self.places.edges64(staged, patch.cell_vertices(c));
            energy::<E>(&self.materials, base + c, at)
        });
        let vertices = b.sum(patch.owned::<Vertex>(), *scratch, |v| {
            if self.inertia.inverse_mass.get(first + v) > 0.0 {
                self.inertia.energy(first + v, self.places.added(staged, v))
            } else {
                0.0
            }
        });
        let part = cells / f64::from(self.places.scale) + vertices;
        let (partials, arrived) = (self.partials, self.arrived);
        finish(b, patch.id(), *scratch, partials, arrived, part, |sum| {
            self.judge(sum)
        });
    }
}

impl<E: Model> Trial<E> {
    /// Accepts the length if the energy has fallen. That of contact is rounded to 32 bits.
    #[inline(always)]
    fn judge(&self, sum: f64) {
        let state = self.state;
        let finite = sum > f64::NEG_INFINITY && sum < f64::INFINITY;
        if self.length == 0.0 {
            state.set(NewtonScalar::Energy, sum);
            state.set(NewtonScalar::Energy0, sum);
            if !finite {
                state.set(NewtonScalar::Failed, 1.0);
                state.set(NewtonScalar::Stopped, 1.0);
            }
            return;
        }
        let rounding = if self.inertia.contacts.solids.is_empty() {
            1e-12
        } else {
            1e-7
        };
        let most = state.get(NewtonScalar::Energy);
        let size = if most < 0.0 { -most } else { most };
        if finite && sum <= most + rounding * size {
            state.set(NewtonScalar::Energy, sum);
            state.set(NewtonScalar::Length, self.length.into());
            state.set(NewtonScalar::Accepted, 1.0);
        }
    }
}

kernel! {
    /// Adds the change to the displacement, times the length that was found; without one Newton's method has finished,
    /// except before the first iteration.
    pub struct Move: Block {
        /// The displacement.
        pub u: GlobalMut<Vec3>,
        /// Change of the displacement.
        pub change: Global<Vec3>,
        /// One element per block.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The solver's state.
        pub state: Newton,
        /// 1 before the first iteration, else 0.
        pub begin: u32,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Move {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = self.state;
        if state.is(NewtonScalar::Stopped) {
            return;
        }
        let (first, n) = range(block, self.u.len());
        let (found, length) = (
            state.is(NewtonScalar::Accepted),
            state.get(NewtonScalar::Length) as f32,
        );
        if found {
            b.each(n, |i| {
                let v = first + i;
                self.u.set(v, self.u.get(v) + self.change.get(v) * length);
            });
        }
        finish(b, block, scratch, self.partials, self.arrived, 0.0, |_| {
            state.set(NewtonScalar::Accepted, 0.0);
            if self.begin != 0 {
                state.set(NewtonScalar::Energy0, state.get(NewtonScalar::Energy));
                return;
            }
            state.set(
                NewtonScalar::Iterations,
                state.get(NewtonScalar::Iterations) + 1.0,
            );
            let linear = self.state.0.get(cg::Scalar::Iterations as u32);
            state.set(
                NewtonScalar::Linear,
                state.get(NewtonScalar::Linear) + linear,
            );
            if !found {
                state.set(NewtonScalar::Stopped, 1.0);
            }
        });
    }
}
