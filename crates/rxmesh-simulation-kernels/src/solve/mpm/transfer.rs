//! Particles to nodes and back, by quadratic B-splines: what a particle has of mass, momentum and angular momentum, the
//! grid has afterwards, and the other way round (Jiang et al. 2015, sections 4 and 5). Over the inertia of the spline,
//! a quarter of the squared distance of nodes, the affine part needs no gradient of weights (Hu et al. 2018).

use super::clock::Clock;
use super::grid::{Blocks, NODES, NONE, SIDE, weight, within};
use super::sort::WORDS;
use crate::contact::Contacts;
use crate::small::add_outer;
use glam::{Mat3, Vec3};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_mpm_nodes: Nodes;
    flat sim_mpm_back: Back;
}

kernel! {
    /// Mass and velocity of the nodes of active blocks: from particles, then gravity, solids and walls.
    pub struct Nodes: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// Which ones they are.
        pub list: Global<u32>,
        /// For each cell where its particles start.
        pub starts: Global<u32>,
        /// Particles in order, [`WORDS`] words each.
        pub sorted: Global<u32>,
        /// Velocity and mass of nodes, four words each.
        pub nodes: GlobalMut<u32>,
        /// What bodies touch.
        pub contacts: Contacts,
        /// Acceleration of everything, in m/s^2.
        pub gravity: Vec3,
        /// The clock.
        pub clock: Clock,
    }
}

/// Kilograms below which a node does not move: over less, momentum has no digits left. What it could give to a particle
/// is as little a part of that.
const LIGHT: f32 = 1e-30;

/// Mass and momentum.
#[derive(Clone, Copy)]
struct Sum {
    mass: f32,
    momentum: Vec3,
}

/// Cells of a row that give to a node.
#[derive(Clone, Copy)]
struct Row {
    /// The first cell, and how many there are.
    first: u32,
    count: u32,
    /// How far the node is from the first cell along each axis.
    far: (u32, u32, u32),
}

impl Nodes {
    /// Cells that are `far.0` and less before a node along x, in its own block (part 0) or the one before (part 1). The
    /// other distances are given.
    #[inline(always)]
    fn row(&self, part: u32, (x, y, z): (u32, u32, u32), (b, c): (u32, u32)) -> Option<Row> {
        let local = x % SIDE;
        let beyond = part == 1;
        if y < b || z < c || beyond && (local > 1 || x < SIDE) {
            return None;
        }
        let first = if beyond {
            local + 2
        } else {
            local.saturating_sub(2)
        };
        let side = if beyond { x - SIDE } else { x };
        let number = self
            .blocks
            .number(self.blocks.grid.block(side, y - b, z - c));
        if number == NONE {
            return None;
        }
        Some(Row {
            first: number * NODES + within(first, y - b, z - c),
            count: if beyond { 2 - local } else { local - first + 1 },
            far: (if beyond { 2 } else { local - first }, b, c),
        })
    }

    /// Adds what the particles of a row give.
    #[inline(always)]
    fn add_row(&self, row: Row, mut sum: Sum) -> Sum {
        let (mut p, last) = (self.starts.get(row.first), row.first + row.count);
        if p == self.starts.get(last) {
            return sum;
        }
        let mut k = 0;
        while k < row.count {
            let end = self.starts.get(row.first + k + 1);
            while p < end {
                sum = self.add(p, (row.far.0 - k, row.far.1, row.far.2), sum);
                p += 1;
            }
            k += 1;
        }
        sum
    }

    /// Adds what a particle gives to a node of its stencil: the one so far from the first along each axis.
    #[inline(always)]
    fn add(&self, p: u32, far: (u32, u32, u32), mut sum: Sum) -> Sum {
        let get = |quarter: u32| {
            let [a, b, c, d] = self.sorted.get4(WORDS / 4 * p + quarter);
            (
                f32::from_bits(a),
                f32::from_bits(b),
                f32::from_bits(c),
                f32::from_bits(d),
            )
        };
        let (at, momentum, second, third) = (get(0), get(1), get(2), get(3));
        let w = weight(far.0, at.0) * weight(far.1, at.1) * weight(far.2, at.2);
        let d = Vec3::new(far.0 as f32, far.1 as f32, far.2 as f32) - Vec3::new(at.0, at.1, at.2);
        let (x, y, z) = (
            Vec3::new(momentum.3, second.0, second.1),
            Vec3::new(second.2, second.3, third.0),
            Vec3::new(third.1, third.2, third.3),
        );
        let moved = Vec3::new(momentum.0, momentum.1, momentum.2) + x * d.x + y * d.y + z * d.z;
        sum.mass += w * at.3;
        sum.momentum += moved * w;
        sum
    }
}

// SAFETY: an index writes its own node; blocks are those of the list, which has room for as many as the launch has
// blocks (contracts U3, U4).
unsafe impl FlatKernel for Nodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (number, local) = (i / NODES, i % NODES);
        let active = self.blocks.numbers.get(self.blocks.numbers.len() - 1);
        if self.clock.stopped() || number >= active {
            return;
        }
        let (x, y, z) = self.blocks.grid.first(self.list.get(number));
        let (x, y, z) = (
            x + local % SIDE,
            y + local / SIDE % SIDE,
            z + local / (SIDE * SIDE),
        );
        let mut sum = Sum {
            mass: 0.0,
            momentum: Vec3::ZERO,
        };
        let mut k = 0;
        while k < 18 {
            if let Some(row) = self.row(k % 2, (x, y, z), (k / 2 % 3, k / 6)) {
                sum = self.add_row(row, sum);
            }
            k += 1;
        }
        let mut v = Vec3::ZERO;
        if sum.mass > LIGHT {
            let dt = self.clock.step();
            v = sum.momentum * (1.0 / sum.mass) + self.gravity * dt;
            let grid = &self.blocks.grid;
            let at = grid.low + Vec3::new(x as f32, y as f32, z as f32) * grid.spacing;
            v = grid.keep_in((x, y, z), self.contacts.keep_out(at, v));
        }
        let bits = [
            v.x.to_bits(),
            v.y.to_bits(),
            v.z.to_bits(),
            sum.mass.to_bits(),
        ];
        self.nodes.set4(i, bits);
    }
}

kernel! {
    /// Velocities of a body's vertices from the nodes around them, then a step along them. Pinned vertices keep theirs.
    pub struct Back: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// Velocity and mass of nodes, four words each.
        pub nodes: Global<u32>,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Changes of velocity over places, times the distance of nodes.
        pub affine: GlobalMut<Mat3>,
        /// One over the mass; 0 of pinned vertices.
        pub inverse_mass: Global<f32>,
        /// The clock.
        pub clock: Clock,
    }
}

// SAFETY: an index accesses its own vertex and reads nodes, all of active blocks; launches are as long as the body's
// arrays (contracts U3, U4).
unsafe impl FlatKernel for Back {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.clock.stopped() {
            return;
        }
        let x = self.x.get(i);
        let Some(s) = self.blocks.grid.stencil(x) else {
            return;
        };
        let dt = self.clock.step();
        if self.inverse_mass.get(i) <= 0.0 {
            let v = self.v.get(i);
            self.clock.run_at(v);
            self.x.set(i, x + v * dt);
            return;
        }
        let (mut v, mut affine) = (Vec3::ZERO, Mat3::ZERO);
        let mut k = 0;
        while k < 27 {
            let (a, b, c) = (k % 3, k / 3 % 3, k / 9);
            let w = weight(a, s.at.x) * weight(b, s.at.y) * weight(c, s.at.z);
            let node = self.blocks.place(s.x + a, s.y + b, s.z + c);
            let [vx, vy, vz, _] = self.nodes.get4(node);
            let there = Vec3::new(f32::from_bits(vx), f32::from_bits(vy), f32::from_bits(vz)) * w;
            v += there;
            let d = Vec3::new(a as f32, b as f32, c as f32) - s.at;
            affine = add_outer(affine, there, d * 4.0);
            k += 1;
        }
        self.clock.run_at(v);
        self.v.set(i, v);
        self.affine.set(i, affine);
        self.x.set(i, x + v * dt);
    }
}
