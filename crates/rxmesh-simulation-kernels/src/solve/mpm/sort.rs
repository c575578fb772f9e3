//! Which blocks are active, and the particles in the order of the grid's cells, inside a cell in that of their numbers:
//! the same on every run.

use super::clock::{Clock, Fault, NEEDED};
use super::grid::{Blocks, Grid, NONE};
use crate::assemble::Parts;
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

/// The most particles of a grid cell.
pub const MOST: u32 = 4096;

/// Words of a sorted particle: place in its stencil and mass, momentum, and the affine momentum by columns.
pub const WORDS: u32 = 16;

kernel! {
    /// Marks the blocks that particles reach.
    pub struct Activate: Flat {
        /// The grid.
        pub grid: Grid,
        /// Positions of a body's vertices.
        pub x: Global<Vec3>,
        /// The number of its first particle.
        pub first: u32,
        /// One word a block, 0 before.
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
                Fault::Outside
            } else {
                Fault::NotFinite
            };
            self.clock.fail(fault, self.first + i);
            return;
        };
        // The first and the last node along each axis: the one between them is in one of their blocks.
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
    /// Lists the active blocks; an index a block.
    pub struct List: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// For each active block which one it is, as far as there is room.
        pub list: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: an active block has a place of its own in the list, and one index speaks for all (contracts U3, U4).
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
                self.clock.fail(Fault::Blocks, NONE);
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
        /// Number of particles of each cell, 0 before.
        pub counts: GlobalMut<u32>,
        /// For each of the body's particles its cell.
        pub cells: GlobalMut<u32>,
        /// For each of them how many came before, in no certain order.
        pub turns: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: indices count atomically and write their own particle; cells are of active blocks, for which there is room
// unless the clock says otherwise (contracts U3, U4).
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
    /// Puts the numbers of particles where their cells start.
    pub struct Place: Flat {
        /// For each particle its cell.
        pub cells: Global<u32>,
        /// For each particle its place in the cell.
        pub turns: Global<u32>,
        /// For each cell where its particles start.
        pub starts: Global<u32>,
        /// Particles by cells.
        pub ids: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: a particle has a place of its own; launches are as long as the arrays (contracts U3, U4).
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
    /// Puts a body's particles where they belong: in a cell in the order of their numbers.
    pub struct Order: Flat {
        /// The grid.
        pub grid: Grid,
        /// Positions.
        pub x: Global<Vec3>,
        /// Velocities.
        pub v: Global<Vec3>,
        /// Changes of velocity over places, times the distance of nodes: columns, in metres a second.
        pub affine: Global<Mat3>,
        /// Masses.
        pub mass: Global<f32>,
        /// One over the mass; 0 of pinned vertices.
        pub inverse_mass: Global<f32>,
        /// Forces of the cells.
        pub force: Parts,
        /// Deceleration over velocity, in one over seconds; implicit.
        pub drag: f32,
        /// The number of the body's first particle.
        pub first: u32,
        /// For each of its particles the cell.
        pub cells: Global<u32>,
        /// For each cell where its particles start.
        pub starts: Global<u32>,
        /// Particles by cells.
        pub ids: Global<u32>,
        /// Particles in order, [`WORDS`] words each.
        pub sorted: GlobalMut<u32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: a particle has a place of its own; launches are as long as the body's arrays (contracts U3, U4).
unsafe impl FlatKernel for Order {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.clock.stopped() {
            return;
        }
        let (particle, cell) = (self.first + i, self.cells.get(i));
        let (start, end) = (self.starts.get(cell), self.starts.get(cell + 1));
        if end - start > MOST {
            self.clock.fail(Fault::Crowded, particle);
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
