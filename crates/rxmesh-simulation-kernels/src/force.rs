//! Forces and energies of cells.

use crate::assemble::{SumTables, Sums, THREADS};
use crate::body::finish;
use crate::cells::balanced;
use crate::energy::{Model, energy_kernels};
use crate::material::Materials;
use crate::staged::{BodyPositions, Staged};
use core::marker::PhantomData;
use glam::{DVec3, Vec3};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};
use rxmesh_kernels::query::CV;
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader};

energy_kernels!(forces);

/// Relations that all kernels over cells need.
pub(crate) const NEEDS: Needs = <CV as rxmesh_kernels::query::Relation>::NEEDS;

rxmesh_kernels::args! {
    /// Forces of cells on their corners, in newtons.
    pub struct Force<E> {
        /// Positions of the body.
        pub places: BodyPositions,
        /// Materials of its cells.
        pub materials: Materials,
        /// Three words per vertex.
        pub to: Sums,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

/// Shared memory of kernels over cells.
#[derive(Clone, Copy, Debug)]
pub struct CellTables {
    pub(crate) staged: Staged,
    pub(crate) tables: SumTables,
}

// SAFETY: a patch writes the sums of what it owns, and its parts, in phases separated by barriers; slots and ids are
// the mesh's (contracts U1 to U4).
unsafe impl<E: Model> PatchKernel for Force<E> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = CellTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> CellTables {
        CellTables {
            staged: self.places.carve(h, plan),
            tables: Sums::carve::<3>(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &CellTables) {
        let base = patch.base::<Cell>();
        b.phase(|p| self.places.load(p, patch, &t.staged));
        let cell = |c: u32, v: [u32; 4]| {
            let at = self.places.edges(&t.staged, v);
            let material = self.materials.of(base + c);
            let forces = if material.mu > 0.0 {
                E::forces(material, at.0, at.1)
            } else {
                [Vec3::ZERO; 3]
            };
            balanced(forces).map(|f| f.to_array())
        };
        self.to.run(b, patch, &t.tables, cell, |_, sum| sum);
    }
}

rxmesh_kernels::args! {
    /// Computes the energy of all cells in joules, in double precision and a fixed order.
    pub struct Elastic<E> {
        /// Positions of the body.
        pub places: BodyPositions,
        /// Materials of its cells.
        pub materials: Materials,
        /// Energy of each cell (linear id); empty if not needed.
        pub cells: GlobalMut<f32>,
        /// One part per patch.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The sum, at index 1.
        pub sum: GlobalMut<f64>,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

/// Returns the energy of a cell in joules.
#[inline(always)]
pub(crate) fn energy<E: Model>(
    materials: &Materials,
    cell: u32,
    (rest, d): ([DVec3; 3], [DVec3; 3]),
) -> f64 {
    let material = materials.of(cell);
    if material.mu > 0.0 {
        E::joules(material, rest, d)
    } else {
        0.0
    }
}

// SAFETY: a patch writes the energies of what it owns and its part of the sum; ids are the mesh's (contracts U1 to U4).
unsafe impl<E: Model> PatchKernel for Elastic<E> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = (Staged, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (self.places.carve(h, plan), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (staged, scratch): &Self::Tables) {
        let base = patch.base::<Cell>();
        b.phase(|p| self.places.load(p, patch, staged));
        let part = b.sum(patch.owned::<Cell>(), *scratch, |c| {
            let at = self.places.edges64(staged, patch.cell_vertices(c));
            let joules = energy::<E>(&self.materials, base + c, at);
            if !self.cells.is_empty() {
                self.cells.set(base + c, joules as f32);
            }
            joules
        });
        let (partials, arrived) = (self.partials, self.arrived);
        finish(b, patch.id(), *scratch, partials, arrived, part, |sum| {
            self.sum.set(1, sum);
        });
    }
}
