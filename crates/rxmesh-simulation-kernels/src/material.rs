//! Materials of cells: a short table, and each cell's index in it.

use rxmesh_kernels::attr::{Field, Typed};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Cell, Id};

/// Lamé's parameters of a material, in pascals; both zero for cells that have no stiffness.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Lame {
    /// Second parameter: the shear modulus.
    pub mu: f32,
    /// First parameter.
    pub lambda: f32,
}

rxmesh_kernels::args! {
    /// Materials of a body's cells.
    pub struct Materials {
        /// Different materials.
        pub table: Global<Lame>,
        /// Index of each cell's material (by linear id) in the table; empty when all cells have the first.
        pub index: Global<u16>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Materials {}
// SAFETY: only reads, and [`Materials::of_cell`] takes a cell of the mesh; the host makes it only from a body's table
// and indices.
unsafe impl Typed for Materials {}

impl Materials {
    /// Returns the material of a cell.
    #[inline(always)]
    pub fn of_cell(&self, cell: impl Id<Cell>) -> Lame {
        self.of(cell.linear())
    }

    /// Returns the material of a cell, by its linear id.
    #[inline(always)]
    pub fn of(&self, cell: u32) -> Lame {
        let place = if self.index.is_empty() {
            0
        } else {
            u32::from(self.index.get(cell))
        };
        self.table.get(place)
    }
}
