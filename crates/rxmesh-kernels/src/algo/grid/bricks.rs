//! Bricks near a surface, and the distances of their grid vertices from it.
//!
//! Each triangle finds the bricks within reach in two steps: first blocks of [`BLOCK`] bricks along each axis, then the
//! bricks of each. Triangles of a brick are counted and written with atomic additions; their order differs from run to
//! run, the nearest of them does not: of equally near triangles it is that with the smallest number.

use super::{ActiveBricks, BrickGrid, SIDE, VERTICES, WORDS, within};
use crate::algo::closest::closest_on_triangle;
use crate::algo::tree::IndexedTriangles;
use crate::edit::NONE;
use crate::exec::Block;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::math::{dot_rounded, sqrt};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    flat grid_blocks: BlocksOfTriangles;
    flat grid_bricks: BricksOfTriangles;
    flat grid_slots: SlotBricks;
    block grid_distances: BrickDistances;
}

/// Bricks along each axis of the blocks in which bricks are searched for.
pub const BLOCK: u32 = 8;

/// Range of boxes along an axis.
#[derive(Clone, Copy)]
struct Span {
    low: u32,
    end: u32,
}

impl Span {
    /// Returns the boxes, of a size, that have points between two numbers in them, at least `first` and below `end`.
    #[inline(always)]
    fn new(low: f32, high: f32, size: f32, first: u32, end: u32) -> Span {
        // A box is closed: one that ends where the range begins belongs to it.
        let from = ((low / size) - 1e-3).max(0.0) as u32;
        let to = ((high / size) + 1e-3).max(0.0) as u32 + 1;
        Span {
            low: from.max(first),
            end: to.min(end),
        }
    }
}

/// Calls `visit` with the coordinates of each box of a grid that is within reach of a triangle. Boxes have a number of
/// bricks along each axis; `first` and `end` bound them. Some boxes a little out of reach are among them.
#[inline(always)]
fn each_box(
    grid: &BrickGrid,
    corners: [Vec3; 3],
    reach: f32,
    bricks: u32,
    first: [u32; 3],
    end: [u32; 3],
    mut visit: impl FnMut([u32; 3]),
) {
    let [a, b, c] = corners;
    let low = a.min(b).min(c) - grid.origin - Vec3::splat(reach);
    let high = a.max(b).max(c) - grid.origin + Vec3::splat(reach);
    let size = grid.cell * (SIDE * bricks) as f32;
    let xs = Span::new(low.x, high.x, size, first[0], end[0]);
    let ys = Span::new(low.y, high.y, size, first[1], end[1]);
    let zs = Span::new(low.z, high.z, size, first[2], end[2]);
    // A sphere around the box; a little more, for the rounding.
    let near = (0.8661 * size + reach) * 1.001;
    let mut z = zs.low;
    while z < zs.end {
        let mut y = ys.low;
        while y < ys.end {
            let mut x = xs.low;
            while x < xs.end {
                let centre = Vec3::new(x as f32 + 0.5, y as f32 + 0.5, z as f32 + 0.5);
                let p = grid.origin + centre * size;
                let d = closest_on_triangle(p, a, b, c) - p;
                if dot_rounded(d, d) <= near * near {
                    visit([x, y, z]);
                }
                x += 1;
            }
            y += 1;
        }
        z += 1;
    }
}

kernel! {
    /// Finds the blocks of bricks within reach of each triangle: counts them if `to_blocks` is empty, else writes them.
    /// One index per triangle.
    pub struct BlocksOfTriangles: Flat {
        /// Bricks.
        pub grid: BrickGrid,
        /// Triangles of the surface.
        pub triangles: IndexedTriangles,
        /// Distance from the surface that bricks are wanted to.
        pub reach: f32,
        /// Number of blocks of each triangle; afterwards its exclusive prefix sums.
        pub counts: GlobalMut<u32>,
        /// Block of each pair.
        pub to_blocks: GlobalMut<u32>,
        /// Triangle of each pair.
        pub to_triangles: GlobalMut<u32>,
    }
}

impl BlocksOfTriangles {
    /// Returns the number of blocks along each axis.
    #[inline(always)]
    fn blocks(grid: &BrickGrid) -> [u32; 3] {
        [
            grid.nx.div_ceil(BLOCK),
            grid.ny.div_ceil(BLOCK),
            grid.nz.div_ceil(BLOCK),
        ]
    }
}

// SAFETY: indices of one launch write apart, because the counts are of the same triangles; the host launches no more of
// them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for BlocksOfTriangles {
    #[inline(always)]
    fn run(&self, i: u32) {
        let blocks = BlocksOfTriangles::blocks(&self.grid);
        let corners = self.triangles.corners(i);
        let (counts_only, mut count) = (self.to_blocks.is_empty(), 0);
        let first = if counts_only { 0 } else { self.counts.get(i) };
        each_box(
            &self.grid,
            corners,
            self.reach,
            BLOCK,
            [0; 3],
            blocks,
            |[x, y, z]| {
                if !counts_only {
                    let to = first + count;
                    self.to_blocks.set(to, x + blocks[0] * (y + blocks[1] * z));
                    self.to_triangles.set(to, i);
                }
                count += 1;
            },
        );
        if counts_only {
            self.counts.set(i, count);
        }
    }
}

kernel! {
    /// Finds the bricks within reach of each pair of a triangle and a block: counts the triangles of each brick if
    /// `to_triangles` is empty, else writes them. One index per pair.
    pub struct BricksOfTriangles: Flat {
        /// Bricks.
        pub grid: BrickGrid,
        /// Triangles of the surface.
        pub triangles: IndexedTriangles,
        /// See [`BlocksOfTriangles::reach`].
        pub reach: f32,
        /// Block of each pair.
        pub blocks: Global<u32>,
        /// Triangle of each pair.
        pub of: Global<u32>,
        /// Number of triangles of each brick; afterwards the place of its next triangle.
        pub counts: GlobalMut<u32>,
        /// Triangles of each brick.
        pub to_triangles: GlobalMut<u32>,
    }
}

// SAFETY: places come from atomic additions, so that indices of one launch write apart; the host launches no more of
// them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for BricksOfTriangles {
    #[inline(always)]
    fn run(&self, i: u32) {
        let grid = &self.grid;
        let [nx, ny, _] = BlocksOfTriangles::blocks(grid);
        let (block, triangle) = (self.blocks.get(i), self.of.get(i));
        let rest = block / nx;
        let first = [
            BLOCK * (block % nx),
            BLOCK * (rest % ny),
            BLOCK * (rest / ny),
        ];
        let end = [
            (first[0] + BLOCK).min(grid.nx),
            (first[1] + BLOCK).min(grid.ny),
            (first[2] + BLOCK).min(grid.nz),
        ];
        let corners = self.triangles.corners(triangle);
        let counts_only = self.to_triangles.is_empty();
        each_box(grid, corners, self.reach, 1, first, end, |[x, y, z]| {
            let at = self.counts.fetch_add(grid.brick(x, y, z), 1);
            if !counts_only {
                self.to_triangles.set(at, triangle);
            }
        });
    }
}

kernel! {
    /// Gives bricks with triangles their slots. One index per brick.
    pub struct SlotBricks: Flat {
        /// Number of triangles of each brick.
        pub counts: Global<u32>,
        /// Exclusive prefix sums of the flags of bricks with triangles; becomes the slot of each brick, [`NONE`] of the
        /// others.
        pub slots: GlobalMut<u32>,
        /// Brick of each slot.
        pub bricks: GlobalMut<u32>,
    }
}

// SAFETY: slots are prefix sums, so that indices of one launch write apart; the host launches no more of them than the
// views hold (contracts U3, U4).
unsafe impl FlatKernel for SlotBricks {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.counts.get(i) > 0 {
            self.bricks.set(self.slots.get(i), i);
        } else {
            self.slots.set(i, NONE);
        }
    }
}

/// Triangles that a block has in shared memory at a time.
const STAGED: u32 = 64;

kernel! {
    /// Computes the distance of each grid vertex of active bricks from the surface, as far as it is in reach. A block a
    /// slot.
    pub struct BrickDistances: Block {
        /// Active bricks.
        pub active: ActiveBricks,
        /// Triangles of the surface.
        pub triangles: IndexedTriangles,
        /// Place behind the last triangle of each brick in `of`.
        pub ends: Global<u32>,
        /// Number of triangles of each brick.
        pub counts: Global<u32>,
        /// Triangles of the bricks.
        pub of: Global<u32>,
        /// Squared distance up to which a triangle counts.
        pub reach_square: f32,
        /// Squared distance beyond which a grid vertex is free.
        pub free_square: f32,
        /// Squared distance of each grid vertex, infinity beyond reach; [`VERTICES`] a slot.
        pub squares: GlobalMut<f32>,
        /// Nearest triangle of each grid vertex, [`NONE`] beyond reach.
        pub nearest: GlobalMut<u32>,
        /// A bit a grid vertex: 1 if it is free. [`WORDS`] words a slot.
        pub free: GlobalMut<u32>,
    }
}

args! {
    /// Shared memory of [`BrickDistances`].
    pub struct DistanceTables {
        /// Squared distance of each grid vertex.
        pub squares: Shared<f32>,
        /// Nearest triangle of each grid vertex.
        pub nearest: Shared<u32>,
        /// Numbers of the staged triangles.
        pub numbers: Shared<u32>,
        /// Corners of the staged triangles, then the least and the greatest corner of their boxes.
        pub places: Shared<Vec3>,
    }
}

/// Points of a staged triangle in [`DistanceTables::places`].
const POINTS: u32 = 5;

impl BrickDistances {
    /// Returns the place of grid vertex `i` of the brick that begins at `first`.
    #[inline(always)]
    fn place(&self, [x, y, z]: [u32; 3], i: u32) -> Vec3 {
        let [u, v, w] = within(i);
        self.active.grid.place([x + u, y + v, z + w])
    }

    /// Compares the staged triangle `k` with the nearest one so far of a place. Returns the squared distance of the
    /// nearer one, and its number.
    #[inline(always)]
    fn nearer(tables: &DistanceTables, p: Vec3, k: u32, best: (f32, u32)) -> (f32, u32) {
        let at = |j: u32| tables.places.get(POINTS * k + j);
        let off = (at(3) - p).max(p - at(4)).max(Vec3::ZERO);
        // The box is no farther than the triangle, but for the rounding of both.
        if dot_rounded(off, off) > best.0 * 1.000_01 {
            return best;
        }
        let d = closest_on_triangle(p, at(0), at(1), at(2)) - p;
        let (d, number) = (dot_rounded(d, d), tables.numbers.get(k));
        if d < best.0 || d == best.0 && number < best.1 {
            (d, number)
        } else {
            best
        }
    }

    /// Compares the staged triangle `k` with the nearest ones so far of all grid vertices in reach of its box.
    #[inline(always)]
    fn update_near(&self, tables: &DistanceTables, first: [u32; 3], k: u32) {
        let grid = &self.active.grid;
        let reach = Vec3::splat(sqrt(self.reach_square));
        let at = |j: u32| tables.places.get(POINTS * k + j);
        let start = grid.place(first);
        let scale = 1.0 / grid.cell;
        let (low, high) = (
            (at(3) - reach - start) * scale,
            (at(4) + reach - start) * scale,
        );
        // A little more, for the rounding.
        let from = |low: f32| (low - 0.01).max(0.0) as u32;
        let end = |high: f32| ((high + 1.01).max(0.0) as u32).min(SIDE);
        let mut w = from(low.z);
        while w < end(high.z) {
            let mut v = from(low.y);
            while v < end(high.y) {
                let mut u = from(low.x);
                while u < end(high.x) {
                    let i = u + SIDE * (v + SIDE * w);
                    let before = (tables.squares.get(i), tables.nearest.get(i));
                    let best = BrickDistances::nearer(tables, self.place(first, i), k, before);
                    if best != before {
                        tables.squares.set(i, best.0);
                        tables.nearest.set(i, best.1);
                    }
                    u += 1;
                }
                v += 1;
            }
            w += 1;
        }
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for BrickDistances {
    type Tables = DistanceTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> DistanceTables {
        DistanceTables {
            squares: plan.take(VERTICES),
            nearest: plan.take(VERTICES),
            numbers: plan.take(STAGED),
            places: plan.take(POINTS * STAGED),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, &tables: &DistanceTables) {
        let brick = self.active.bricks.get(slot);
        let [x, y, z] = self.active.first(slot);
        let count = self.counts.get(brick);
        let first = self.ends.get(brick) - count;
        b.each(VERTICES, |i| {
            tables.squares.set(i, self.reach_square);
            tables.nearest.set(i, NONE);
        });
        let mut done = 0;
        while done < count {
            let n = (count - done).min(STAGED);
            b.each(n, |k| {
                let triangle = self.of.get(first + done + k);
                let [a, b, c] = self.triangles.corners(triangle);
                let to = POINTS * k;
                tables.numbers.set(k, triangle);
                tables.places.set(to, a);
                tables.places.set(to + 1, b);
                tables.places.set(to + 2, c);
                tables.places.set(to + 3, a.min(b).min(c));
                tables.places.set(to + 4, a.max(b).max(c));
            });
            if B::SOLO {
                // Only the grid vertices in reach of each triangle's box.
                let mut k = 0;
                while k < n {
                    self.update_near(&tables, [x, y, z], k);
                    k += 1;
                }
            } else {
                b.each(VERTICES, |i| {
                    let p = self.place([x, y, z], i);
                    let mut best = (tables.squares.get(i), tables.nearest.get(i));
                    let mut k = 0;
                    while k < n {
                        best = BrickDistances::nearer(&tables, p, k, best);
                        k += 1;
                    }
                    tables.squares.set(i, best.0);
                    tables.nearest.set(i, best.1);
                });
            }
            done += n;
        }
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let nearest = tables.nearest.get(i);
                let square = if nearest == NONE {
                    f32::INFINITY
                } else {
                    tables.squares.get(i)
                };
                self.squares.set(slot * VERTICES + i, square);
                self.nearest.set(slot * VERTICES + i, nearest);
            });
            p.each(WORDS, |word| {
                let (mut bits, mut k) = (0, 0);
                while k < 32 {
                    let i = 32 * word + k;
                    let is_free =
                        tables.nearest.get(i) == NONE || tables.squares.get(i) > self.free_square;
                    bits |= u32::from(is_free) << k;
                    k += 1;
                }
                self.free.set(slot * WORDS + word, bits);
            });
        });
    }
}
