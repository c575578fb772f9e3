//! Active blocks, and particles sorted by grid cell, within a cell by their numbers: the same order on every run.

use super::clock::{Clock, NEEDED, StepFault};
use super::grid::{Blocks, Grid, NONE};
use crate::assemble::SplitSums;
use glam::{Mat3, Vec3};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_mpm_activate: Activate;
    flat sim_mpm_list: List;
    flat sim_mpm_count: Count;
    flat sim_mpm_place: Place;
    flat sim_mpm_order: Order;
}

/// Maximum number of particles of a grid cell.
pub const MOST: u32 = 4096;

/// Words of a sorted particle: position in its stencil and mass, momentum, and the affine momentum by columns.
pub const WORDS: u32 = 16;

kernel! {
    /// Marks the blocks that particles reach.
    pub struct Activate: Flat {
        /// The grid.
        pub grid: Grid,
        /// Positions of a body's vertices.
        pub x: Global<Vec3>,
        /// Number of its first particle.
        pub first: u32,
        /// One word per block, initially 0.
        pub marks: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: indices mark blocks of the grid atomically and read their own vertex; launches are as long as the array
// (contracts U3, U4).
unsafe impl FlatKernel for Activate {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.clock.stopped() {
            return;
        }
        let x = self.x.get(i);
        let Some(s) = self.grid.stencil(x) else {
            let fault = if x.is_finite() {
                StepFault::Outside
            } else {
                StepFault::NotFinite
            };
            self.clock.fail(fault, self.first + i);
            return;
        };
        // The first and the last node along each axis suffice: the one between them is in one of their blocks.
        let mut corner = 0;
        while corner < 8 {
            let (a, b, c) = (corner & 1, corner >> 1 & 1, corner >> 2);
            let block = self.grid.block(s.x + 2 * a, s.y + 2 * b, s.z + 2 * c);
            if self.marks.load(block) == 0 {
                self.marks.store(block, 1);
            }
            corner += 1;
        }
    }
}

kernel! {
    /// Lists the active blocks; one index per block.
    pub struct List: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// Index of each active block in the grid, as far as the capacity allows.
        pub list: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: each active block has its own element in the list, and one index writes the clock (contracts U3, U4).
unsafe impl FlatKernel for List {
    #[inline(always)]
    fn run(&self, block: u32) {
        let (number, room) = (self.blocks.number(block), self.list.len());
        if number < room {
            self.list.set(number, block);
        }
        if block == 0 {
            let needed = self.blocks.numbers.get(self.blocks.numbers.len() - 1);
            if needed > room {
                self.clock.words.store(NEEDED, needed);
                self.clock.fail(StepFault::Blocks, NONE);
            }
        }
    }
}

kernel! {
    /// Counts the particles of grid cells, those of active blocks one after the other.
    pub struct Count: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// Positions of a body's vertices.
        pub x: Global<Vec3>,
        /// Number of particles of each cell, initially 0.
        pub counts: GlobalMut<u32>,
        /// Cell of each of the body's particles.
        pub cells: GlobalMut<u32>,
        /// Rank of each of them in its cell, in arbitrary order.
        pub turns: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: indices count atomically and write their own particle; cells are of active blocks, which have memory unless
// the clock reports a fault (contracts U3, U4).
unsafe impl FlatKernel for Count {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.clock.stopped() {
            return;
        }
        let Some(s) = self.blocks.grid.stencil(self.x.get(i)) else {
            return;
        };
        let cell = self.blocks.place(s.x, s.y, s.z);
        self.cells.set(i, cell);
        self.turns.set(i, self.counts.fetch_add(cell, 1));
    }
}

kernel! {
    /// Stores the numbers of particles by cell, in arbitrary order within a cell.
    pub struct Place: Flat {
        /// Cell of each particle.
        pub cells: Global<u32>,
        /// Rank of each particle in its cell.
        pub turns: Global<u32>,
        /// Offset of each cell's particles.
        pub starts: Global<u32>,
        /// Numbers of particles by cell.
        pub ids: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: each particle has its own element; launches are as long as the arrays (contracts U3, U4).
unsafe impl FlatKernel for Place {
    #[inline(always)]
    fn run(&self, p: u32) {
        if !self.clock.stopped() {
            let start = self.starts.get(self.cells.get(p));
            self.ids.set(start + self.turns.get(p), p);
        }
    }
}

kernel! {
    /// Stores a body's particles in sorted order: within a cell by their numbers.
    pub struct Order: Flat {
        /// The grid.
        pub grid: Grid,
        /// Positions.
        pub x: Global<Vec3>,
        /// Velocities.
        pub v: Global<Vec3>,
        /// Velocity gradients times the grid spacing: columns, in metres per second.
        pub affine: Global<Mat3>,
        /// Masses.
        pub mass: Global<f32>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
        /// Forces of the cells.
        pub force: SplitSums,
        /// Deceleration divided by velocity, in one over seconds; implicit.
        pub drag: f32,
        /// Number of the body's first particle.
        pub first: u32,
        /// Cell of each of its particles.
        pub cells: Global<u32>,
        /// Offset of each cell's particles.
        pub starts: Global<u32>,
        /// Numbers of particles by cell.
        pub ids: Global<u32>,
        /// Particles in order, [`WORDS`] words each.
        pub sorted: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: each particle has its own element; launches are as long as the body's arrays (contracts U3, U4).
unsafe impl FlatKernel for Order {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.clock.stopped() {
            return;
        }
        let (particle, cell) = (self.first + i, self.cells.get(i));
        let (start, end) = (self.starts.get(cell), self.starts.get(cell + 1));
        if end - start > MOST {
            self.clock.fail(StepFault::Crowded, particle);
            return;
        }
        let (mut at, mut place) = (start, start);
        while at < end {
            place += u32::from(self.ids.get(at) < particle);
            at += 1;
        }
        let Some(s) = self.grid.stencil(self.x.get(i)) else {
            return;
        };
        let mass = self.mass.get(i);
        let mut momentum = self.v.get(i) * mass;
        let mut affine = Mat3::ZERO;
        if self.inverse_mass.get(i) > 0.0 {
            let dt = self.clock.step();
            momentum += Vec3::from_array(self.force.total(i)) * dt;
            momentum *= 1.0 / (1.0 + self.drag * dt);
            let a = self.affine.get(i);
            affine = Mat3::from_cols(a.x_axis * mass, a.y_axis * mass, a.z_axis * mass);
        }
        let put = |quarter: u32, a: f32, b: f32, c: f32, d: f32| {
            let bits = [a.to_bits(), b.to_bits(), c.to_bits(), d.to_bits()];
            self.sorted.set4(WORDS / 4 * place + quarter, bits);
        };
        let (x, y, z) = (affine.x_axis, affine.y_axis, affine.z_axis);
        put(0, s.at.x, s.at.y, s.at.z, mass);
        put(1, momentum.x, momentum.y, momentum.z, x.x);
        put(2, x.y, x.z, y.x, y.y);
        put(3, y.z, z.x, z.y, z.z);
    }
}
