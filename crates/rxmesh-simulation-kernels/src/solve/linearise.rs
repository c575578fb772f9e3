//! Forces of cells and their derivatives, once per Newton iteration.
//!
//! Derivatives are stored factored, up to 30 words per cell: a product with them needs neither singular values nor the
//! rest shape.

use super::newton::state::{Newton, NewtonScalar};
use crate::assemble::{Sums, THREADS};
use crate::cells::balanced;
use crate::energy::{Model, TANGENT_WORDS, Tangent, energy_kernels};
use crate::force::{CellTables, NEEDS};
use crate::material::Materials;
use crate::small::Symmetric;
use crate::staged::BodyPositions;
use core::marker::PhantomData;
use glam::Vec3;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader};

energy_kernels!(linearise);

/// Number of words per vertex that [`Linearise`] sums up: the force, and the symmetric block of the Hessian.
pub const SUMS: usize = 9;

/// Number of cells whose words are interleaved.
const TILE: u32 = 32;

/// Returns the number of words for the derivatives of `cells` cells.
pub const fn words(cells: u32) -> u64 {
    cells.div_ceil(TILE) as u64 * (TILE * TANGENT_WORDS) as u64
}

/// Returns the index of a cell's first word; the others follow at a stride of [`TILE`].
#[inline(always)]
fn place(cell: u32) -> u32 {
    cell / TILE * (TILE * TANGENT_WORDS) + cell % TILE
}

/// Returns the derivatives of a cell's forces that [`Linearise`] stored.
#[inline(always)]
pub fn kept<T: Tangent>(from: Global<f32>, cell: u32) -> T {
    let from = from.from(place(cell));
    T::read(|k| from.get(k * TILE))
}

#[inline(always)]
fn keep<T: Tangent>(tangent: &T, to: GlobalMut<f32>, cell: u32) {
    let to = to.from(place(cell));
    tangent.write(|k, word| to.set(k * TILE, word));
}

rxmesh_kernels::args! {
    /// Computes forces of all cells, their derivatives, and the diagonal blocks of these.
    pub struct Linearise<E> {
        /// Positions of the body.
        pub places: BodyPositions,
        /// Materials of its cells.
        pub materials: Materials,
        /// Derivatives of each cell ([`words`]).
        pub tangents: GlobalMut<f32>,
        /// [`SUMS`] words per vertex.
        pub to: Sums,
        /// Factor of the derivatives: `1 + scale` for positions that are extrapolated by `scale` times their own step.
        pub factor: f32,
        /// The solver's state.
        pub state: Newton,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

/// Returns the corner's nine words.
#[inline(always)]
fn nine(f: Vec3, m: Symmetric) -> [f32; SUMS] {
    [f.x, f.y, f.z, m[0], m[1], m[2], m[3], m[4], m[5]]
}

// SAFETY: a patch writes the derivatives and sums of what it owns, and its parts, in phases separated by barriers;
// slots and ids are the mesh's (contracts U1 to U4).
unsafe impl<E: Model> PatchKernel for Linearise<E> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = CellTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> CellTables {
        CellTables {
            staged: self.places.carve(h, plan),
            tables: Sums::carve::<SUMS>(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &CellTables) {
        if self.state.is(NewtonScalar::Stopped) {
            return;
        }
        let base = patch.base::<Cell>();
        b.phase(|p| self.places.load(p, patch, &t.staged));
        let cell = |c: u32, v: [u32; 4]| {
            let at = self.places.edges(&t.staged, v);
            let (forces, tangent) = self.linear(base + c, at);
            keep(&tangent, self.tangents, base + c);
            let (f, blocks) = (balanced(forces), tangent.blocks());
            [
                nine(f[0], blocks[0]),
                nine(f[1], blocks[1]),
                nine(f[2], blocks[2]),
                nine(f[3], blocks[3]),
            ]
        };
        self.to.run(b, patch, &t.tables, cell, |_, sum| sum);
    }
}

impl<E: Model> Linearise<E> {
    /// Computes a cell's forces and their derivatives.
    #[inline(always)]
    fn linear(&self, cell: u32, (rest, d): ([Vec3; 3], [Vec3; 3])) -> ([Vec3; 3], E::Tangent) {
        let material = self.materials.of(cell);
        if material.mu > 0.0 {
            E::linear(material, rest, d, self.factor)
        } else {
            ([Vec3::ZERO; 3], E::Tangent::NONE)
        }
    }
}
