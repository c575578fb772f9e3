//! Upper bound of a step by the speed of elastic waves.

use crate::cells::RestCell;
use crate::force::NEEDS;
use crate::material::Materials;
use crate::staged::{BodyPositions, Staged};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::math::sqrt;
use rxmesh_kernels::mem::{GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader};

kernel_list! {
    patch sim_mpm_sound: Sound;
}

rxmesh_kernels::args! {
    /// Computes the smallest squared step of all cells.
    ///
    /// With lumped masses the highest frequency of a cell is at most `2 c sqrt(sum 1 / h_i^2)`, where `c` is the speed
    /// of pressure waves and `h_i` are its heights. Frequencies of the whole are not higher, and the grid's are not
    /// higher than those of the vertices, because its kinetic energy is never smaller. Where cells are small against
    /// the grid, the motions of the grid have a gradient of about two over the spacing; the nonlinear part of these
    /// within a cell adds a term of squared length over height.
    pub struct Sound {
        /// Positions at rest.
        pub places: BodyPositions,
        /// Materials of the cells, moduli divided by densities.
        pub materials: Materials,
        /// Grid spacing in metres.
        pub spacing: f32,
        /// Bits of the smallest value, at index 1.
        pub least: GlobalMut<u32>,
    }
}

// SAFETY: patches update one word atomically, in phases separated by barriers; ids are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for Sound {
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
        let least = b.min(patch.owned::<Cell>(), *scratch, |c| {
            let material = self.materials.of(base + c);
            let ([x, y, z], _) = self.places.edges(staged, patch.cell_vertices(c));
            let shape = RestCell::new([x, y, z]);
            let k = shape.cofactors;
            let first = k.x_axis + k.y_axis + k.z_axis;
            let squares = k.x_axis.dot(k.x_axis) + k.y_axis.dot(k.y_axis) + k.z_axis.dot(k.z_axis);
            let gradients = sqrt(squares + first.dot(first)) / shape.six;
            let longest = x.dot(x).max(y.dot(y)).max(z.dot(z));
            let rough = longest * gradients / (self.spacing * self.spacing);
            let coarse = 2.0 / self.spacing + rough;
            let steepest = if coarse < gradients {
                coarse
            } else {
                gradients
            };
            let modulus = material.lambda + 2.0 * material.mu;
            if material.mu > 0.0 {
                f64::from(1.0 / (steepest * steepest * modulus))
            } else {
                f64::INFINITY
            }
        });
        let word = self.least;
        b.last_phase(|p| {
            p.lead(|| {
                word.fetch_min(1, (least as f32).to_bits());
            })
        });
    }
}
