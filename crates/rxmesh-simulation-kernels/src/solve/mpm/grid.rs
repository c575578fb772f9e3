//! Grid of nodes in blocks, of which those near particles have memory, and the weights of particles at nodes.

use glam::Vec3;
use rxmesh_kernels::mem::Global;

/// Number of nodes along each side of a block.
pub const SIDE: u32 = 4;

/// Number of nodes of a block.
pub const NODES: u32 = SIDE * SIDE * SIDE;

/// Result of [`Blocks::number`] for a block that is not active.
pub const NONE: u32 = u32::MAX;

rxmesh_kernels::args! {
    /// Box of nodes.
    pub struct Grid {
        /// Position of the first node, in metres.
        pub low: Vec3,
        /// Distance of neighbouring nodes in metres.
        pub spacing: f32,
        /// Number of nodes along x.
        pub x: u32,
        /// Number of nodes along y.
        pub y: u32,
        /// Number of nodes along z.
        pub z: u32,
    }
}

/// The 27 nodes that exchange values with a particle.
#[derive(Clone, Copy, Debug)]
pub struct Stencil {
    /// First of its three nodes along x; the three first nodes are the particle's cell.
    pub x: u32,
    /// First node along y.
    pub y: u32,
    /// First node along z.
    pub z: u32,
    /// Position of the particle relative to that node, as a multiple of the spacing: 0.5 to 1.5 along each axis.
    pub at: Vec3,
}

impl Grid {
    /// Returns the stencil of a position; none if a node of it would be outside, or the position is NaN.
    #[inline(always)]
    pub fn stencil(&self, x: Vec3) -> Option<Stencil> {
        let place = (x - self.low) * (1.0 / self.spacing);
        let most = Vec3::new(self.x as f32, self.y as f32, self.z as f32) - 1.5;
        let inside = place.x >= 0.5
            && place.y >= 0.5
            && place.z >= 0.5
            && place.x < most.x
            && place.y < most.y
            && place.z < most.z;
        if !inside {
            return None;
        }
        let (i, j, k) = (
            (place.x - 0.5) as u32,
            (place.y - 0.5) as u32,
            (place.z - 0.5) as u32,
        );
        Some(Stencil {
            x: i,
            y: j,
            z: k,
            at: place - Vec3::new(i as f32, j as f32, k as f32),
        })
    }

    /// Returns the number of blocks.
    #[inline(always)]
    pub fn blocks(&self) -> u32 {
        self.x.div_ceil(SIDE) * self.y.div_ceil(SIDE) * self.z.div_ceil(SIDE)
    }

    /// Returns the block of a node.
    #[inline(always)]
    pub fn block(&self, x: u32, y: u32, z: u32) -> u32 {
        let (row, column) = (self.x.div_ceil(SIDE), self.y.div_ceil(SIDE));
        x / SIDE + row * (y / SIDE + column * (z / SIDE))
    }

    /// Returns the first node of a block.
    #[inline(always)]
    pub fn first(&self, block: u32) -> (u32, u32, u32) {
        let (row, column) = (self.x.div_ceil(SIDE), self.y.div_ceil(SIDE));
        let above = block / row;
        (
            block % row * SIDE,
            above % column * SIDE,
            above / column * SIDE,
        )
    }
}

/// Returns the index of a node in its block.
#[inline(always)]
pub fn within(x: u32, y: u32, z: u32) -> u32 {
    x % SIDE + SIDE * (y % SIDE + SIDE * (z % SIDE))
}

rxmesh_kernels::args! {
    /// Active blocks of a grid.
    pub struct Blocks {
        /// The grid.
        pub grid: Grid,
        /// Number of active blocks before each block; one more than there are blocks.
        pub numbers: Global<u32>,
    }
}

impl Blocks {
    /// Returns the number of a block among the active ones, or [`NONE`].
    #[inline(always)]
    pub fn number(&self, block: u32) -> u32 {
        let number = self.numbers.get(block);
        if self.numbers.get(block + 1) > number {
            number
        } else {
            NONE
        }
    }

    /// Returns the index of a node of an active block.
    #[inline(always)]
    pub fn place(&self, x: u32, y: u32, z: u32) -> u32 {
        self.numbers.get(self.grid.block(x, y, z)) * NODES + within(x, y, z)
    }
}

/// Returns the quadratic B-spline's weight of node 0, 1 or 2 of a stencil, for a position of 0.5 to 1.5 relative to
/// node 0.
#[inline(always)]
pub fn weight(node: u32, at: f32) -> f32 {
    let d = at - node as f32;
    let far = 1.5 - if d < 0.0 { -d } else { d };
    if node == 1 {
        0.75 - d * d
    } else {
        0.5 * far * far
    }
}
