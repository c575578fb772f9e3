//! Transfer between particles and nodes by quadratic B-splines: mass, momentum and angular momentum are conserved in
//! both directions (Jiang et al. 2015, sections 4 and 5). Divided by the inertia of the spline, a quarter of the
//! squared spacing, the affine part needs no gradient of weights (Hu et al. 2018).

use super::clock::Clock;
use super::grid::{Blocks, NODES, NONE, SIDE, weight, within};
use super::sort::WORDS;
use crate::contact::Contacts;
use crate::small::add_outer;
use glam::{Mat3, Vec3};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block sim_mpm_nodes: Nodes;
    flat sim_mpm_back: Back;
}

kernel! {
    /// Computes mass and velocity of the nodes of active blocks: from particles, then gravity, solids and walls.
    pub struct Nodes: Block {
        /// The active blocks.
        pub blocks: Blocks,
        /// Index of each active block in the grid.
        pub list: Global<u32>,
        /// Offset of each cell's particles.
        pub starts: Global<u32>,
        /// Particles in order, [`WORDS`] words each.
        pub sorted: Global<u32>,
        /// Velocity and mass of nodes, four words each.
        pub nodes: GlobalMut<u32>,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Acceleration of everything, in m/s^2.
        pub gravity: Vec3,
        /// The clock.
        pub clock: Clock,
    }
}

/// Mass in kilograms below which a node does not move: divided by less, momentum has no digits left. Its contribution
/// to a particle is as negligible.
const LIGHT: f32 = 1e-30;

/// Mass and momentum.
#[derive(Clone, Copy)]
struct MassMomentum {
    mass: f32,
    momentum: Vec3,
}

/// Number of cells along an axis whose particles reach a block: its own and two before.
const REACH: u32 = SIDE + 2;

/// Number of all such cells.
const CELLS: u32 = REACH * REACH * REACH;

impl Nodes {
    /// Returns the range of particles of one of the [`CELLS`] of the block with this first node.
    #[inline(always)]
    fn cell(&self, i: u32, (x, y, z): (u32, u32, u32)) -> (u32, u32) {
        let (x, y, z) = (
            x + i % REACH,
            y + i / REACH % REACH,
            z + i / (REACH * REACH),
        );
        if x < 2 || y < 2 || z < 2 {
            return (0, 0);
        }
        let (x, y, z) = (x - 2, y - 2, z - 2);
        let number = self.blocks.number(self.blocks.grid.block(x, y, z));
        if number == NONE {
            return (0, 0);
        }
        let cell = number * NODES + within(x, y, z);
        (self.starts.get(cell), self.starts.get(cell + 1))
    }

    /// Sums the contributions of all particles to a node of a block.
    #[inline(always)]
    fn sum(
        &self,
        (x, y, z): (u32, u32, u32),
        starts: Shared<u32>,
        ends: Shared<u32>,
    ) -> MassMomentum {
        let mut sum = MassMomentum {
            mass: 0.0,
            momentum: Vec3::ZERO,
        };
        let mut k = 0;
        while k < 27 {
            let (a, b, c) = (k % 3, k / 3 % 3, k / 9);
            let cell = x + 2 - a + REACH * (y + 2 - b + REACH * (z + 2 - c));
            let (mut p, end) = (starts.get(cell), ends.get(cell));
            while p < end {
                sum = self.add(p, (a, b, c), sum);
                p += 1;
            }
            k += 1;
        }
        sum
    }

    /// Returns the velocity of a node at the end of the step.
    #[inline(always)]
    fn velocity(&self, node: (u32, u32, u32), sum: MassMomentum) -> Vec3 {
        if sum.mass <= LIGHT {
            return Vec3::ZERO;
        }
        let grid = &self.blocks.grid;
        let v = sum.momentum * (1.0 / sum.mass) + self.gravity * self.clock.step();
        let at = Vec3::new(node.0 as f32, node.1 as f32, node.2 as f32) * grid.spacing;
        grid.keep_in(node, self.contacts.keep_out(grid.low + at, v))
    }

    /// Adds a particle's contribution to the node of its stencil at this offset from the first.
    #[inline(always)]
    fn add(&self, p: u32, far: (u32, u32, u32), mut sum: MassMomentum) -> MassMomentum {
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

// SAFETY: blocks write their own nodes, in phases separated by a barrier; the blocks are those of the list, which has
// an element for each block of the launch (contracts U1 to U4).
unsafe impl BlockKernel for Nodes {
    const THREADS: u32 = NODES;
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(CELLS), plan.take(CELLS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(starts, ends): &Self::Tables) {
        let active = self.blocks.numbers.get(self.blocks.numbers.len() - 1);
        if self.clock.stopped() || block >= active {
            return;
        }
        let first = self.blocks.grid.first(self.list.get(block));
        b.each(CELLS, |i| {
            let (start, end) = self.cell(i, first);
            starts.set(i, start);
            ends.set(i, end);
        });
        b.last_phase(|p| {
            p.each(NODES, |i| {
                let local = (i % SIDE, i / SIDE % SIDE, i / (SIDE * SIDE));
                let sum = self.sum(local, starts, ends);
                let node = (first.0 + local.0, first.1 + local.1, first.2 + local.2);
                let v = self.velocity(node, sum);
                let bits = [
                    v.x.to_bits(),
                    v.y.to_bits(),
                    v.z.to_bits(),
                    sum.mass.to_bits(),
                ];
                self.nodes.set4(block * NODES + i, bits);
            });
        });
    }
}

kernel! {
    /// Computes the velocities of a body's vertices from the nodes around them, then moves them. Pinned vertices keep
    /// theirs.
    pub struct Back: Flat {
        /// The active blocks.
        pub blocks: Blocks,
        /// Velocity and mass of nodes, four words each.
        pub nodes: Global<u32>,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Velocity gradients times the grid spacing.
        pub affine: GlobalMut<Mat3>,
        /// One over the mass; 0 for pinned vertices.
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
