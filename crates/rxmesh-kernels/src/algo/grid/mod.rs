//! Sparse grids of distances from a surface, and surfaces of them.
//!
//! A grid has cubic cells in *bricks* of [`SIDE`] cells along each axis. A brick that is near the surface is *active*:
//! it has a slot, and values at its grid vertices, those at its low sides included.

pub mod bricks;
pub mod cases;
pub mod contour;
pub mod crossings;
pub mod flood;
pub mod isosurface;
mod planes;

use crate::args;
use crate::edit::NONE;
use crate::math::add_rounded;
use crate::mem::Global;
use glam::Vec3;

kernel_list! {
    of [bricks::KERNELS, contour::KERNELS, crossings::KERNELS, flood::KERNELS, isosurface::KERNELS];
}

/// Cells of a brick along each axis.
pub const SIDE: u32 = 8;

/// Grid vertices of a brick.
pub const VERTICES: u32 = SIDE * SIDE * SIDE;

/// Words of a bit for each grid vertex of a brick.
pub const WORDS: u32 = VERTICES / 32;

args! {
    /// Cubic cells in bricks.
    pub struct BrickGrid {
        /// Place of the first grid vertex.
        pub origin: Vec3,
        /// Side of a cell.
        pub cell: f32,
        /// Bricks along x.
        pub nx: u32,
        /// Bricks along y.
        pub ny: u32,
        /// Bricks along z.
        pub nz: u32,
    }
}

impl BrickGrid {
    /// Returns the number of bricks.
    #[inline(always)]
    pub fn bricks(&self) -> u32 {
        self.nx * self.ny * self.nz
    }

    /// Returns the number of the brick at coordinates of bricks.
    #[inline(always)]
    pub fn brick(&self, x: u32, y: u32, z: u32) -> u32 {
        x + self.nx * (y + self.ny * z)
    }

    /// Returns the coordinates of a brick.
    #[inline(always)]
    pub fn coordinates(&self, brick: u32) -> [u32; 3] {
        let rest = brick / self.nx;
        [brick % self.nx, rest % self.ny, rest / self.ny]
    }

    /// Returns the place of a grid vertex, to the same bits on every engine.
    #[inline(always)]
    pub fn place(&self, [x, y, z]: [u32; 3]) -> Vec3 {
        add_rounded(
            self.origin,
            Vec3::new(x as f32, y as f32, z as f32),
            self.cell,
        )
    }
}

args! {
    /// Bricks that have slots.
    pub struct ActiveBricks {
        /// All bricks.
        pub grid: BrickGrid,
        /// Slot of each brick, [`NONE`] for one that is not active.
        pub slots: Global<u32>,
        /// Brick of each slot.
        pub bricks: Global<u32>,
    }
}

impl ActiveBricks {
    /// Returns the coordinates of the first grid vertex of a slot's brick.
    #[inline(always)]
    pub fn first(&self, slot: u32) -> [u32; 3] {
        let [x, y, z] = self.grid.coordinates(self.bricks.get(slot));
        [SIDE * x, SIDE * y, SIDE * z]
    }

    /// Returns the brick of a grid vertex, its slot, and the vertex's number in it.
    #[inline(always)]
    pub fn find(&self, [x, y, z]: [u32; 3]) -> (u32, u32, u32) {
        let brick = self.grid.brick(x / SIDE, y / SIDE, z / SIDE);
        let number = x % SIDE + SIDE * (y % SIDE) + SIDE * SIDE * (z % SIDE);
        (brick, self.slots.get(brick), number)
    }
}

/// Returns the coordinates of a grid vertex in its brick.
#[inline(always)]
pub fn within(number: u32) -> [u32; 3] {
    [number % SIDE, number / SIDE % SIDE, number / (SIDE * SIDE)]
}

args! {
    /// Grid vertices that lie outside of the surface.
    pub struct OutsideView {
        /// Bricks with a value for each grid vertex.
        pub active: ActiveBricks,
        /// A bit a grid vertex of each active brick, [`WORDS`] words a slot.
        pub bits: Global<u32>,
        /// Word of each brick: 1 if all of it is outside, for bricks that are not active.
        pub open: Global<u32>,
    }
}

impl OutsideView {
    /// Returns `true` if a grid vertex is outside.
    #[inline(always)]
    pub fn contains(&self, at: [u32; 3]) -> bool {
        let (brick, slot, number) = self.active.find(at);
        if slot == NONE {
            return self.open.get(brick) != 0;
        }
        self.bits.get(slot * WORDS + number / 32) >> (number % 32) & 1 != 0
    }
}
