//! The materials of cells: a short table, and for each cell its place in it.

use rxmesh_kernels::attr::{Field, Typed};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::{Cell, Id};

/// Lamé's parameters of a material, in pascals; both zero for cells that have no stiffness.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Lame {
    /// The second: the shear modulus.
    pub mu: f32,
    /// The first.
    pub lambda: f32,
}

rxmesh_kernels::args! {
    /// The materials of a body's cells.
    pub struct Materials {
        /// The table.
        pub table: Global<Lame>,
        /// For each cell (linear id) its place in the table; empty when all cells have the first.
        pub index: Global<u16>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Materials {}
// SAFETY: only reads, and [`Materials::of_cell`] takes a cell of the mesh; the host makes it of a body's table and
// places alone.
unsafe impl Typed for Materials {}

impl Materials {
    /// The material of a cell.
    #[inline(always)]
    pub fn of_cell(&self, cell: impl Id<Cell>) -> Lame {
        self.of(cell.linear())
    }

    /// The material of a cell, by its linear id.
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
