//! Flood from outside over free grid vertices, brick by brick, along the edges of the grid.

use super::{ActiveBricks, WORDS};
use crate::edit::NONE;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

kernel_list! {
    flat grid_flood: FloodBricks;
}

/// Layers of a brick, of 64 grid vertices each.
const LAYERS: usize = 8;

/// Grid vertices of a layer with x = 0.
const LEFT: u64 = 0x0101_0101_0101_0101;

/// Grid vertices of a layer with y = 0.
const FRONT: u64 = 0xff;

kernel! {
    /// Continues the flood in the bricks that are due, and makes those due next into which it may go on. One index per
    /// brick. The result does not depend on the order of the bricks: a flood ends in one way only.
    pub struct FloodBricks: Flat {
        /// Active bricks.
        pub active: ActiveBricks,
        /// Free grid vertices of active bricks ([`BrickDistances::free`](super::bricks::BrickDistances)).
        pub free: Global<u32>,
        /// Grid vertices of active bricks that the flood has reached.
        pub bits: GlobalMut<u32>,
        /// 1 if the flood has reached a brick that is not active.
        pub open: GlobalMut<u32>,
        /// 1 for bricks that are due; 0 afterwards.
        pub due: GlobalMut<u32>,
        /// 1 for bricks that are due in the next launch.
        pub due_next: GlobalMut<u32>,
        /// Number of the launch.
        pub launch: u32,
        /// Word 1: number of the last launch in which the flood went on.
        pub last: GlobalMut<u32>,
    }
}

impl FloodBricks {
    /// Returns a layer of the reached grid vertices of a brick.
    #[inline(always)]
    fn layer(&self, slot: u32, z: usize) -> u64 {
        let at = slot * WORDS + 2 * z as u32;
        u64::from(self.bits.load(at)) | u64::from(self.bits.load(at + 1)) << 32
    }

    /// Returns the reached grid vertices of all layers of a brick.
    #[inline(always)]
    fn layers(&self, brick: u32) -> [u64; LAYERS] {
        let slot = self.active.slots.get(brick);
        if slot == NONE {
            let all = if self.open.load(brick) != 0 {
                u64::MAX
            } else {
                0
            };
            return [all; LAYERS];
        }
        let l = |z: usize| self.layer(slot, z);
        [l(0), l(1), l(2), l(3), l(4), l(5), l(6), l(7)]
    }

    /// Returns the grid vertices of a brick that have a reached neighbour in another brick.
    #[inline(always)]
    fn seeds(&self, brick: u32) -> [u64; LAYERS] {
        let grid = &self.active.grid;
        let [x, y, z] = grid.coordinates(brick);
        let (in_row, in_layer) = (grid.nx, grid.nx * grid.ny);
        let mut seeds = [0; LAYERS];
        let mut take = |other: u32, of: fn(u64) -> u64| {
            let layers = self.layers(other);
            let mut k = 0;
            while k < LAYERS {
                seeds[k] |= of(layers[k]);
                k += 1;
            }
        };
        if x > 0 {
            take(brick - 1, |l| l >> 7 & LEFT);
        }
        if x + 1 < grid.nx {
            take(brick + 1, |l| (l & LEFT) << 7);
        }
        if y > 0 {
            take(brick - in_row, |l| l >> 56 & FRONT);
        }
        if y + 1 < grid.ny {
            take(brick + in_row, |l| (l & FRONT) << 56);
        }
        if z > 0 {
            seeds[0] |= self.layers(brick - in_layer)[LAYERS - 1];
        }
        if z + 1 < grid.nz {
            seeds[LAYERS - 1] |= self.layers(brick + in_layer)[0];
        }
        seeds
    }

    /// Makes the neighbours of a brick due.
    #[inline(always)]
    fn go_on(&self, brick: u32) {
        let grid = &self.active.grid;
        let [x, y, z] = grid.coordinates(brick);
        let (in_row, in_layer) = (grid.nx, grid.nx * grid.ny);
        let due = |is_there: bool, other: u32| {
            if is_there {
                self.due_next.raise(other, 1);
            }
        };
        due(x > 0, brick.wrapping_sub(1));
        due(x + 1 < grid.nx, brick + 1);
        due(y > 0, brick.wrapping_sub(in_row));
        due(y + 1 < grid.ny, brick + in_row);
        due(z > 0, brick.wrapping_sub(in_layer));
        due(z + 1 < grid.nz, brick + in_layer);
        self.last.raise(1, self.launch);
    }
}

/// Floods the free grid vertices of a brick from some of them.
#[inline(always)]
fn flood(free: [u64; LAYERS], seeds: [u64; LAYERS]) -> [u64; LAYERS] {
    let mut reached = seeds;
    let mut k = 0;
    while k < LAYERS {
        reached[k] &= free[k];
        k += 1;
    }
    loop {
        let mut grown = 0;
        let mut k = 0;
        while k < LAYERS {
            let r = reached[k];
            let mut next = r | (r & !(LEFT << 7)) << 1 | (r & !LEFT) >> 1 | r << 8 | r >> 8;
            if k > 0 {
                next |= reached[k - 1];
            }
            if k + 1 < LAYERS {
                next |= reached[k + 1];
            }
            next &= free[k];
            grown |= next & !r;
            reached[k] = next;
            k += 1;
        }
        if grown == 0 {
            return reached;
        }
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for FloodBricks {
    #[inline(always)]
    fn run(&self, brick: u32) {
        if self.due.get(brick) == 0 {
            return;
        }
        self.due.set(brick, 0);
        let slot = self.active.slots.get(brick);
        let seeds = self.seeds(brick);
        if slot == NONE {
            let any = seeds[0] | seeds[1] | seeds[2] | seeds[3] | seeds[4] | seeds[5] | seeds[6];
            if any | seeds[7] != 0 && self.open.load(brick) == 0 {
                self.open.store(brick, 1);
                self.go_on(brick);
            }
            return;
        }
        let (mut free, mut start) = ([0; LAYERS], seeds);
        let before = self.layers(brick);
        let mut k = 0;
        while k < LAYERS {
            let at = slot * WORDS + 2 * k as u32;
            free[k] = u64::from(self.free.get(at)) | u64::from(self.free.get(at + 1)) << 32;
            start[k] |= before[k];
            k += 1;
        }
        let reached = flood(free, start);
        let (mut k, mut new) = (0, 0);
        while k < LAYERS {
            let at = slot * WORDS + 2 * k as u32;
            if reached[k] != before[k] {
                self.bits.store(at, reached[k] as u32);
                self.bits.store(at + 1, (reached[k] >> 32) as u32);
            }
            new |= reached[k] & !before[k];
            k += 1;
        }
        if new != 0 {
            self.go_on(brick);
        }
    }
}
