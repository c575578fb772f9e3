//! Surfaces through the points of a regular grid of values at which the values have a level: marching cubes (Lorensen
//! and Cline 1987) with the topology of the trilinear interpolant (Chernyaev 1995, "Marching cubes 33"; Custodio et al.
//! 2013), as manifolds.
//!
//! Points are in bricks of [`SIDE`] along each axis; a brick is *active* if the surface crosses it or its border.

pub mod cells;
pub mod connections;
pub mod faces;
pub mod table;

use super::SIDE;
use crate::args;
use crate::exec::Block;
use crate::math::product_f64;
use crate::mem::{Global, Shared};

kernel_list! {
    of [cells::KERNELS, faces::KERNELS];
}

/// Points along each axis of a brick with those of the next ones that its cells reach.
pub const REACH: u32 = SIDE + 1;

/// Points of a brick and of the next ones that its cells reach.
pub const REACHED: u32 = REACH * REACH * REACH;

/// Least distance of a vertex from the ends of its edge, as part of the edge: no face is without area.
pub const LEAST_PART: f64 = 1.0 / 1024.0;

args! {
    /// Values at the points of a regular grid, with a level.
    pub struct LevelGrid {
        /// Value of each point, x fastest, without those of the border.
        pub values: Global<f32>,
        /// Points along x, those of the border included.
        pub nx: u32,
        /// Points along y.
        pub ny: u32,
        /// Points along z.
        pub nz: u32,
        /// Layers of points outside around the grid, which close the surface: 0 or 1.
        pub border: u32,
        /// Level; of the negated values if those above are inside.
        pub level: f32,
        /// 1 if values above the level are inside, in place of those below.
        pub above: u32,
        /// 1 if x and z of the result change places: the values are stored z fastest.
        pub swapped: u32,
        /// Distance of points along x.
        pub dx: f64,
        /// Distance of points along y.
        pub dy: f64,
        /// Distance of points along z.
        pub dz: f64,
        /// Place of the first point without those of the border.
        pub ox: f64,
        /// See `ox`.
        pub oy: f64,
        /// See `ox`.
        pub oz: f64,
    }
}

impl LevelGrid {
    /// Returns `true` for coordinates of a point.
    #[inline(always)]
    pub fn exists(&self, [x, y, z]: [u32; 3]) -> bool {
        x < self.nx && y < self.ny && z < self.nz
    }

    /// Returns the value of a point; infinity for one of the border and for one that has no value.
    #[inline(always)]
    pub fn value(&self, [x, y, z]: [u32; 3]) -> f32 {
        let b = self.border;
        // Below zero they are the greatest numbers.
        let (x, y, z) = (x.wrapping_sub(b), y.wrapping_sub(b), z.wrapping_sub(b));
        let (nx, ny, nz) = (self.nx - 2 * b, self.ny - 2 * b, self.nz - 2 * b);
        if x >= nx || y >= ny || z >= nz {
            return f32::INFINITY;
        }
        let value = self.values.get(x + nx * (y + ny * z));
        let value = if self.above != 0 { -value } else { value };
        if value.is_nan() { f32::INFINITY } else { value }
    }

    /// Returns the coordinate of a place between points.
    #[inline(always)]
    fn coordinate(&self, at: f64, distance: f64, first: f64) -> f32 {
        (first + product_f64(at - f64::from(self.border), distance)) as f32
    }
}

/// Returns the part of an edge at which its values reach the level.
#[expect(clippy::manual_clamp, reason = "`clamp` panics, which kernels cannot")]
#[inline(always)]
pub fn crossing(level: f32, from: f32, to: f32) -> f64 {
    let (level, from, to) = (f64::from(level), f64::from(from), f64::from(to));
    let part = if !from.is_infinite() {
        (level - from) / (to - from)
    } else if to.is_infinite() {
        0.5
    } else {
        1.0
    };
    part.max(LEAST_PART).min(1.0 - LEAST_PART)
}

args! {
    /// Shared memory of a brick: values of its points, and of those that its cells reach.
    pub struct BrickValues {
        /// Values, infinity where there is no point.
        pub values: Shared<f32>,
    }
}

impl BrickValues {
    /// Loads the values of the brick that begins at coordinates in the grid.
    #[inline(always)]
    pub fn load<B: Block>(&self, b: B, grid: &LevelGrid, [x, y, z]: [u32; 3]) {
        b.each(REACHED, |i| {
            let (u, v, w) = (i % REACH, i / REACH % REACH, i / (REACH * REACH));
            self.values.set(i, grid.value([x + u, y + v, z + w]));
        });
    }

    /// Returns the number of a point by coordinates in its brick.
    #[inline(always)]
    pub fn number([u, v, w]: [u32; 3]) -> u32 {
        u + REACH * (v + REACH * w)
    }

    /// Returns the number of the point that is a step along an axis behind another one.
    #[inline(always)]
    pub fn next(number: u32, axis: u32) -> u32 {
        if axis == 0 {
            number + 1
        } else if axis == 1 {
            number + REACH
        } else {
            number + REACH * REACH
        }
    }

    /// Returns the value of a corner of a cell.
    #[inline(always)]
    pub fn corner(&self, cell: u32, corner: u32) -> f32 {
        let (x, y, z) = (corner & 1, corner >> 1 & 1, corner >> 2 & 1);
        self.values.get(cell + BrickValues::number([x, y, z]))
    }
}
