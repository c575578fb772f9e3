//! Several levels in one launch: a block refines squares of cells in its shared memory, and writes the last level only.
//!
//! A tile is a square of cells of a base face's grid, with one ring of points round it. Its points are refined by the
//! regular masks, which are products of those of cubic B-spline curves. Corners of the base face and the two points of
//! the ring beside each come from [`Rings`] at each level. Points on base edges are blended with the rule of creases. A
//! tile writes its points at (0, 0) to (n - 1, n - 1), of those on a base edge only if the edge starts with this face.

use super::creases::Creases;
use super::rings::{IN, OUT, Rings};
use super::{Components, Grid, Output, next, prev};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, Plan, Shared};

kernel_list! {
    block catmull_clark_tiles3: RefineTiles<super::Three>;
    block catmull_clark_tiles1: RefineTiles<super::One>;
}

/// Sides and corners of a tile.
const SIDES: u32 = 4;
/// Points of [`Rings`] that a corner takes at a level: its own, the one across its out-edge, the one across its
/// in-edge.
const TAKEN: u32 = 3;

/// What a tile's block keeps in shared memory.
#[derive(Clone, Copy)]
pub struct Tables {
    /// The level that is there, and the one that is made of it, in turns; a tile's points with the ring, row by row.
    grids: [Shared<f32>; 2],
    /// For each tile, each level after the first, and each corner: [`TAKEN`] points.
    rings: Shared<f32>,
    /// For each tile and side: sharpness of the base edge that it lies on, 0 where it lies on none.
    sharp: Shared<f32>,
}

args! {
    /// Refines tiles: 2^`log_tiles` a block.
    pub struct RefineTiles<N: Components> {
        /// The mesh of quads.
        pub mesh: Topology,
        /// How sharp it is.
        pub creases: Creases,
        /// The points round base vertices.
        pub rings: Rings,
        /// The level that is there.
        pub from: u32,
        /// Values at that level, as many components as are taken; nothing at level 0.
        pub grid: Global<f32>,
        /// Levels to go, at least 1.
        pub levels: u32,
        /// 2^`log_cells` cells are on a side of a tile.
        pub log_cells: u32,
        /// 2^`log_tiles` tiles are a block's.
        pub log_tiles: u32,
        /// Pieces of a tile's columns, a power of two, that different threads write.
        pub log_pieces: u32,
        /// The result at level `from + levels`; the base vertices' rows are left alone.
        pub out: Output,
        /// How many components.
        pub components: N,
    }
}

/// One tile.
#[derive(Clone, Copy)]
struct Tile {
    /// Its number in the block.
    slot: u32,
    face: u32,
    /// Its column and row among the tiles of the face.
    x: u32,
    y: u32,
    /// The last column and row.
    last: u32,
}

impl Tile {
    /// Whether a side lies on an edge of the base face.
    #[inline(always)]
    fn on_edge(&self, side: u32) -> bool {
        match side {
            0 => self.y == 0,
            1 => self.x == self.last,
            2 => self.y == self.last,
            _ => self.x == 0,
        }
    }

    /// Whether a corner is one of the base face.
    #[inline(always)]
    fn on_corner(&self, corner: u32) -> bool {
        self.on_edge(corner) && self.on_edge((corner + 3) & 3)
    }
}

/// Three weights on neighbouring points of a curve, for the new point at place `a` of a row that begins with an odd
/// one; the first of the points, and the steps to the others.
#[derive(Clone, Copy)]
pub(super) struct Taps {
    pub(super) at: [u32; 3],
    weights: [f32; 3],
}

impl Taps {
    #[inline(always)]
    pub(super) fn new(a: u32) -> Taps {
        let (first, even) = (a / 2, a & 1);
        // Of two points the second is taken twice, by halves.
        let (w0, w1) = if even == 1 {
            (0.125, 0.75)
        } else {
            (0.5, 0.25)
        };
        Taps {
            at: [first, first + 1, first + 1 + even],
            weights: [w0, w1, 1.0 - w0 - w1],
        }
    }

    #[inline(always)]
    pub(super) fn sum(&self, x: impl Fn(u32) -> f32) -> f32 {
        let (a, w) = (&self.at, &self.weights);
        w[0] * x(a[0]) + w[1] * x(a[1]) + w[2] * x(a[2])
    }
}

impl<N: Components> RefineTiles<N> {
    /// Cells on a side of a tile after `step` levels.
    #[inline(always)]
    fn cells(&self, step: u32) -> u32 {
        1 << (self.log_cells + step)
    }

    /// Floats of a row of a tile after `step` levels.
    #[inline(always)]
    fn pitch(&self, step: u32) -> u32 {
        (self.cells(step) + 3) * N::N
    }

    /// Floats of a tile after `step` levels.
    #[inline(always)]
    fn area(&self, step: u32) -> u32 {
        (self.cells(step) + 3) * self.pitch(step)
    }

    /// The grid that holds what is there after `step` levels.
    #[inline(always)]
    fn held(&self, tables: &Tables, step: u32) -> Shared<f32> {
        if (self.levels - step) & 1 == 1 {
            tables.grids[0]
        } else {
            tables.grids[1]
        }
    }

    #[inline(always)]
    fn tile(&self, first: u32, slot: u32) -> Option<Tile> {
        let log = self.from - self.log_cells;
        let id = first + slot;
        let face = id >> (2 * log);
        let last = (1 << log) - 1;
        (face < self.mesh.face_count()).then_some(Tile {
            slot,
            face,
            x: id & last,
            y: (id >> log) & last,
            last,
        })
    }

    /// Runs `f(tile, row, column, component)` for the points of `rows` rows of `columns` columns of all tiles.
    #[inline(always)]
    fn each<B: Block>(
        &self,
        p: Phase<B>,
        first: u32,
        [rows, columns]: [u32; 2],
        f: impl Fn(&Tile, u32, u32, u32),
    ) {
        if Phase::<B>::SOLO {
            // One thread has no places to divide among others.
            for tile in (0..1 << self.log_tiles).filter_map(|slot| self.tile(first, slot)) {
                for row in 0..rows {
                    for column in 0..columns {
                        for component in 0..N::N {
                            f(&tile, row, column, component);
                        }
                    }
                }
            }
            return;
        }
        // Columns are filled up to a power of two, so that nothing is divided by but N.
        let log = 32 - (columns - 1).leading_zeros();
        let width = N::N << log;
        p.each((rows * width) << self.log_tiles, |i| {
            let rest = (i >> log) / N::N;
            let at = i - rest * width;
            let (column, component) = (at / N::N, at % N::N);
            let slot = rest & ((1 << self.log_tiles) - 1);
            if column < columns
                && let Some(tile) = self.tile(first, slot)
            {
                f(&tile, rest >> self.log_tiles, column, component);
            }
        });
    }

    /// A component of the point at (i, j), -1 to n + 1, of a face at level `level`; 0 where there is none.
    #[inline(always)]
    fn ring_or_grid(&self, f: u32, level: u32, [i, j]: [i32; 2], k: u32) -> f32 {
        let m = &self.mesh;
        let n = 1 << level;
        let inside = |x: i32| x >= 0 && x <= n;
        let end = |x: i32| x == 0 || x == n;
        if inside(i) && inside(j) {
            if end(i) && end(j) {
                let v = m.corners.get(4 * f + corner_at(i > 0, j > 0));
                return self.rings.centre(m, N::N, v, level, k);
            }
            let id = Grid { mesh: *m, level }.point(f, i as u32, j as u32);
            return self.grid.get(id * N::N + k);
        }
        // Across an edge of the face: the half-edge, and how far along it.
        let (side, s) = if j < 0 && inside(i) {
            (0, i)
        } else if i > n && inside(j) {
            (1, j)
        } else if j > n && inside(i) {
            (2, n - i)
        } else if i < 0 && inside(j) {
            (3, n - j)
        } else {
            return 0.0;
        };
        let other = m.twin(4 * f + side);
        if other == NONE {
            0.0
        } else if s == 0 {
            self.rings.corner(m, N::N, next(other), level, OUT, k)
        } else if s == n {
            self.rings.corner(m, N::N, other, level, IN, k)
        } else {
            let id = Grid { mesh: *m, level }.beside(other, (n - s) as u32);
            self.grid.get(id * N::N + k)
        }
    }

    /// Brings what is there at the first level, and the rings of all levels.
    #[inline(always)]
    fn load<B: Block>(&self, b: B, first: u32, tables: &Tables) {
        let side = self.cells(0) + 3;
        let grid = self.held(tables, 0);
        b.phase(|p| {
            self.each(p, first, [side, side], |t, row, column, k| {
                let place = |tile: u32, at: u32| ((tile << self.log_cells) + at) as i32 - 1;
                let at = [place(t.x, column), place(t.y, row)];
                let x = self.ring_or_grid(t.face, self.from, at, k);
                let to = t.slot * self.area(0) + row * self.pitch(0) + column * N::N + k;
                grid.set(to, x);
            });
            let rows = (self.levels - 1) * SIDES;
            self.each(p, first, [rows, TAKEN], |t, row, point, k| {
                let (step, corner) = (row / SIDES + 1, row % SIDES);
                if t.on_corner(corner) {
                    let at = (t.slot * rows + row) * TAKEN + point;
                    let x = self.ring(t.face, corner, self.from + step, point, k);
                    tables.rings.set(at * N::N + k, x);
                }
            });
            if self.creases.smooth == 0 {
                p.each(SIDES << self.log_tiles, |i| {
                    if let Some(t) = self.tile(first, i / SIDES) {
                        let side = i % SIDES;
                        let on = t.on_edge(side);
                        let h = 4 * t.face + side;
                        let s = if on {
                            self.creases.base.edge(&self.mesh, h)
                        } else {
                            0.0
                        };
                        tables.sharp.set(i, s);
                    }
                });
            }
        });
    }

    /// A component of one of the [`TAKEN`] points of a base face's corner.
    #[inline(always)]
    fn ring(&self, face: u32, corner: u32, level: u32, point: u32, k: u32) -> f32 {
        let m = &self.mesh;
        let h = 4 * face + corner;
        let other = match point {
            0 => return self.rings.centre(m, N::N, m.corners.get(h), level, k),
            1 => m.twin(h),
            _ => m.twin(prev(h)),
        };
        match (other, point) {
            (NONE, _) => 0.0,
            (_, 1) => self.rings.corner(m, N::N, next(other), level, OUT, k),
            _ => self.rings.corner(m, N::N, other, level, IN, k),
        }
    }

    /// A component of the point at place (a, b) of a tile, ring included, after `step + 1` levels, of what is there
    /// after `step`. Corners of the base face and what is beside them are not made here.
    #[inline(always)]
    fn point(&self, tables: &Tables, t: &Tile, step: u32, [a, b]: [u32; 2], k: u32) -> f32 {
        let grid = self.held(tables, step);
        let pitch = self.pitch(step);
        let from = t.slot * self.area(step) + k;
        let at = |x: u32, y: u32| grid.get(from + y * pitch + x * N::N);
        let (across, down) = (Taps::new(a), Taps::new(b));
        let smooth = down.sum(|y| across.sum(|x| at(x, y)));
        let far = self.cells(step + 1) + 1;
        if self.creases.smooth != 0 || (a != 1 && a != far && b != 1 && b != far) {
            return smooth;
        }
        // On a side of the tile, or on its continuation.
        let (vertical, horizontal) = (
            if a == 1 {
                3
            } else if a == far {
                1
            } else {
                NONE
            },
            if b == 1 {
                0
            } else if b == far {
                2
            } else {
                NONE
            },
        );
        let sharp = |side: u32| {
            if side == NONE {
                0.0
            } else {
                tables.sharp.get(t.slot * SIDES + side)
            }
        };
        let (upright, level) = (sharp(vertical), sharp(horizontal));
        let log = self.log_cells + step + 1;
        let (down_the_side, along_the_side) = (
            (t.y << log).wrapping_add(b.wrapping_sub(1)),
            (t.x << log).wrapping_add(a.wrapping_sub(1)),
        );
        let (side, s, place) = if upright > 0.0 {
            (vertical, upright, down_the_side)
        } else if level > 0.0 {
            (horizontal, level, along_the_side)
        } else {
            return smooth;
        };
        let n = 2 << (self.from + step);
        let along = if side < 2 { place } else { n - place };
        let h = 4 * t.face + side;
        let weight = self
            .creases
            .weight(&self.mesh, h, s, self.from + step, along);
        if weight <= 0.0 {
            return smooth;
        }
        let crease = if side & 1 == 1 {
            down.sum(|y| at(across.at[1], y))
        } else {
            across.sum(|x| at(x, down.at[1]))
        };
        if weight == 1.0 {
            crease
        } else {
            smooth + weight * (crease - smooth)
        }
    }

    /// The level after `step` levels and one more.
    #[inline(always)]
    fn refine<B: Block>(&self, b: B, first: u32, tables: &Tables, step: u32) {
        let to = self.held(tables, step + 1);
        let (area, pitch) = (self.area(step + 1), self.pitch(step + 1));
        let side = self.cells(step + 1) + 3;
        let far = side - 2;
        b.phase(|p| {
            self.each(p, first, [side, side], |t, y, x, k| {
                let corner = corner_at(x > 1, y > 1);
                let near = (x <= 1 || x >= far) && (y <= 1 || y >= far);
                let value = if near && t.on_corner(corner) {
                    let (beside, above) = (x == 0 || x > far, y == 0 || y > far);
                    let point = match (beside, above) {
                        (false, false) => 0,
                        (true, true) => {
                            return to.set(t.slot * area + y * pitch + x * N::N + k, 0.0);
                        }
                        // The out-edges of corners 0 and 2 lie along rows, so what is above is across them.
                        _ if above == (corner & 1 == 0) => 1,
                        _ => 2,
                    };
                    let row = (t.slot * (self.levels - 1) + step) * SIDES + corner;
                    tables.rings.get((row * TAKEN + point) * N::N + k)
                } else {
                    self.point(tables, t, step, [x, y], k)
                };
                to.set(t.slot * area + y * pitch + x * N::N + k, value);
            });
        });
    }

    /// The last level: points on base edges that start with this face, and points inside.
    #[inline(always)]
    fn write<B: Block>(&self, b: B, first: u32, tables: &Tables) {
        let step = self.levels - 1;
        let grid = Grid {
            mesh: self.mesh,
            level: self.from + self.levels,
        };
        let (side, n) = (self.cells(self.levels), grid.cells());
        b.last_phase(|p| {
            self.each(p, first, [SIDES, side], |t, c, x, k| {
                if t.on_edge(c) {
                    self.write_on_edge(tables, t, &grid, c, x, k);
                }
            });
            // A thread goes down a column.
            let log = self.log_cells + step - self.log_pieces;
            self.each(p, first, [1 << self.log_pieces, side], |t, piece, x, k| {
                if x == 0 && t.x == 0 {
                    return;
                }
                let held = self.held(tables, step);
                let pitch = self.pitch(step);
                let from = t.slot * self.area(step) + k;
                let taps = Taps::new(x + 1);
                let row = |y: u32| taps.sum(|x| held.get(from + y * pitch + x * N::N));
                let start = piece << log;
                let (mut above, mut here) = (row(start), row(start + 1));
                let (i, j) = (t.x * side + x, t.y * side + 2 * start);
                // Row 0 of the face is on an edge: its place, one row before the face's first, is not written to.
                let width = (n - 1) * self.out.width;
                let row_before = j.wrapping_sub(1).wrapping_mul(n - 1);
                let first = grid
                    .face(t.face)
                    .wrapping_add(row_before)
                    .wrapping_add(i - 1);
                let mut to = first
                    .wrapping_mul(self.out.width)
                    .wrapping_add(self.out.first + k);
                for y in start..start + (1 << log) {
                    let below = row(y + 2);
                    if y > 0 || t.y > 0 {
                        self.out
                            .values
                            .set(to, 0.125 * (above + below) + 0.75 * here);
                    }
                    to = to.wrapping_add(width);
                    self.out.values.set(to, 0.5 * (here + below));
                    to = to.wrapping_add(width);
                    (above, here) = (here, below);
                }
            });
        });
    }

    /// Point `x` of a side that lies on a base edge.
    #[inline(always)]
    fn write_on_edge(&self, tables: &Tables, t: &Tile, grid: &Grid, c: u32, x: u32, k: u32) {
        let h = 4 * t.face + c;
        let (side, n) = (self.cells(self.levels), grid.cells());
        // Both are reckoned before one is chosen: a choice of places would have to have them in memory.
        let along = [t.x * side + x, t.y * side + x];
        let s = along[0].wrapping_add((c & 1) * along[1].wrapping_sub(along[0]));
        if s == 0 || h > self.mesh.twin(h) {
            return;
        }
        let place = match c {
            0 => [x + 1, 1],
            1 => [side + 1, x + 1],
            2 => [x + 1, side + 1],
            _ => [1, x + 1],
        };
        let value = self.point(tables, t, self.levels - 1, place, k);
        let at = if c < 2 { s } else { n - s };
        let id = grid.edge(self.mesh.edges.get(h)) + at - 1;
        self.out.set(id, k, value);
    }
}

/// The corner of a face at one end or the other of its rows and columns.
#[inline(always)]
fn corner_at(right: bool, top: bool) -> u32 {
    match (right, top) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

// SAFETY: shared memory is written in phases that barriers part, each place once; a tile writes the points inside it
// and those of base edges that start with its face, so that each is written once; loops around phases depend on the
// kernel's fields (contracts U1 to U4).
unsafe impl<N: Components> BlockKernel for RefineTiles<N> {
    const THREADS: u32 = 192;
    type Tables = Tables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Tables {
        let tiles = 1 << self.log_tiles;
        let last = self.levels - 1;
        let before = if last == 0 { 0 } else { self.area(last - 1) };
        Tables {
            grids: [
                plan.take(self.area(last) * tiles),
                plan.take(before * tiles),
            ],
            rings: plan.take(last * SIDES * TAKEN * N::N * tiles),
            sharp: plan.take(SIDES * tiles),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, tables: &Tables) {
        let first = block << self.log_tiles;
        self.load(b, first, tables);
        for step in 0..self.levels - 1 {
            self.refine(b, first, tables, step);
        }
        self.write(b, first, tables);
    }
}
