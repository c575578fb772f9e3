//! The bricks that an isosurface crosses, and the triangles of each of their cells.

use super::super::{ActiveBricks, SIDE, VERTICES, within};
use super::connections::{connects_inside, interior_connects_inside, interior_connects_outside};
use super::table::{CellTable, INSIDE_CONNECTED, LISTS, OUTSIDE_CONNECTED};
use super::{BrickValues, LevelGrid, REACH, REACHED};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::math::product_f64;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::{args, kernel};

kernel_list! {
    block isosurface_bricks: CrossedBricks;
    block isosurface_cells: CountCells;
}

kernel! {
    /// Finds the bricks that have points inside and outside. A block a brick.
    pub struct CrossedBricks: Block {
        /// Values.
        pub grid: LevelGrid,
        /// Bricks along x.
        pub bricks_x: u32,
        /// Bricks along y.
        pub bricks_y: u32,
        /// 1 for each brick with points on both sides, else 0.
        pub crossed: GlobalMut<u32>,
    }
}

impl CrossedBricks {
    /// Returns the sides on which the points of a row of a brick are, as bits: 1 for inside, 2 for outside.
    #[inline(always)]
    fn sides(&self, [x, y, z]: [u32; 3]) -> u32 {
        let (mut sides, mut u) = (0, 0);
        while u < REACH {
            let at = [x + u, y, z];
            if self.grid.exists(at) {
                let is_inside = self.grid.value(at) < self.grid.level;
                sides |= if is_inside { 1 } else { 2 };
            }
            u += 1;
        }
        sides
    }
}

// SAFETY: each block writes a word of its own, in a phase after barriers; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for CrossedBricks {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(2 + REACH * REACH)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, brick: u32, &rows: &Shared<u32>) {
        let rest = brick / self.bricks_x;
        let (x, y, z) = (
            SIDE * (brick % self.bricks_x),
            SIDE * (rest % self.bricks_y),
            SIDE * (rest / self.bricks_y),
        );
        b.each(REACH * REACH, |row| {
            let at = [x, y + row % REACH, z + row / REACH];
            rows.set(2 + row, self.sides(at));
        });
        b.last_phase(|p| {
            p.lead(|| {
                let (mut sides, mut row) = (0, 0);
                while row < REACH * REACH {
                    sides |= rows.get(2 + row);
                    row += 1;
                }
                self.crossed.set(brick, u32::from(sides == 3));
            });
        });
    }
}

/// Positions of the crossed edges and of the list of triangles in a packed cell; its first vertex in the brick is
/// below.
pub(super) const CROSSED_SHIFT: u32 = 12;
pub(super) const LIST_SHIFT: u32 = CROSSED_SHIFT + 3;

kernel! {
    /// Finds the triangles of each cell of a brick, and counts vertices and triangles. A block a slot.
    pub struct CountCells: Block {
        /// Values.
        pub grid: LevelGrid,
        /// Active bricks.
        pub active: ActiveBricks,
        /// Triangles of cells.
        pub table: CellTable,
        /// First vertex of each cell's point in its brick, the axes along which its edges are crossed, and its list;
        /// [`VERTICES`] a slot.
        pub cells: GlobalMut<u32>,
        /// Number of vertices of each slot.
        pub vertices: GlobalMut<u32>,
        /// Number of triangles of each slot.
        pub triangles: GlobalMut<u32>,
    }
}

args! {
    /// Shared memory of [`CountCells`].
    pub struct CountTables {
        /// Values of the brick.
        pub brick: BrickValues,
        /// Packed cells without their first vertices.
        pub cells: Shared<u32>,
        /// Numbers of vertices.
        pub starts: Shared<u32>,
        /// For sums.
        pub scratch: Shared<u32>,
    }
}

impl BrickValues {
    /// Returns the value of a corner of a cell minus the level.
    #[inline(always)]
    fn height(&self, cell: u32, corner: u32, level: f32) -> f64 {
        f64::from(self.corner(cell, corner)) - f64::from(level)
    }

    /// Returns `true` if a face of a cell whose corners are inside and outside in turns connects the inside ones.
    #[inline(always)]
    fn face_connects(&self, cell: u32, face: u32, level: f32) -> bool {
        let axis = face / 2;
        let low = (face % 2) << axis;
        let (u, v) = (1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3));
        let height = |corner: u32| self.height(cell, corner, level);
        let first = product_f64(height(low), height(low | u | v));
        let second = product_f64(height(low | u), height(low | v));
        if height(low) < 0.0 {
            connects_inside(first, second)
        } else {
            connects_inside(second, first)
        }
    }

    /// Returns the list of the triangles of a cell.
    #[inline(always)]
    fn list(&self, table: &CellTable, cell: u32, level: f32) -> u32 {
        let (mut corners, mut k) = (0, 0);
        while k < 8 {
            corners |= u32::from(self.corner(cell, k) < level) << k;
            k += 1;
        }
        let set = table.set(corners);
        let (mut ways, mut bit, mut face) = (0, 0, 0);
        while set.faces() >> face != 0 {
            if set.faces() >> face & 1 != 0 {
                ways |= u32::from(self.face_connects(cell, face, level)) << bit;
                bit += 1;
            }
            face += 1;
        }
        let list = set.first() + LISTS * ways;
        let tests = table.list(list).tests();
        if tests == 0 {
            return list;
        }
        let h = |corner: u32| self.height(cell, corner, level);
        let heights = [h(0), h(1), h(2), h(3), h(4), h(5), h(6), h(7)];
        if tests & 1 != 0 && interior_connects_inside(&heights) {
            list + INSIDE_CONNECTED
        } else if tests & 2 != 0 && interior_connects_outside(&heights) {
            list + OUTSIDE_CONNECTED
        } else {
            list
        }
    }

    /// Returns the axes along which the edges from a point are crossed, as bits. `at` are its coordinates in the grid.
    #[inline(always)]
    fn crossed(&self, grid: &LevelGrid, number: u32, at: [u32; 3]) -> u32 {
        if !grid.exists(at) {
            return 0;
        }
        let is_inside = |number: u32| self.values.get(number) < grid.level;
        let here = is_inside(number);
        let [x, y, z] = at;
        let has_next = [x + 1 < grid.nx, y + 1 < grid.ny, z + 1 < grid.nz];
        let along = |axis: u32, exists: bool| {
            let differs = exists && is_inside(BrickValues::next(number, axis)) != here;
            u32::from(differs) << axis
        };
        along(0, has_next[0]) | along(1, has_next[1]) | along(2, has_next[2])
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for CountCells {
    type Tables = CountTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CountTables {
        CountTables {
            brick: BrickValues {
                values: plan.take(REACHED),
            },
            cells: plan.take(VERTICES),
            starts: plan.take(VERTICES),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, tables: &CountTables) {
        let [x, y, z] = self.active.first(slot);
        let grid = &self.grid;
        tables.brick.load(b, grid, [x, y, z]);
        b.each(VERTICES, |i| {
            let [u, v, w] = within(i);
            let (number, at) = (BrickValues::number([u, v, w]), [x + u, y + v, z + w]);
            let crossed = tables.brick.crossed(grid, number, at);
            let is_cell = grid.exists([x + u + 1, y + v + 1, z + w + 1]);
            let list = if is_cell {
                tables.brick.list(&self.table, number, grid.level)
            } else {
                // That of a cell without corners inside.
                0
            };
            let cell = crossed << CROSSED_SHIFT | list << LIST_SHIFT;
            tables.cells.set(i, cell);
            let vertices = crossed.count_ones() + self.table.list(list).centres();
            tables.starts.set(i, vertices);
        });
        let vertices = b.scan(tables.starts, VERTICES, tables.scratch);
        let of_cell = |i: u32| {
            let list = tables.cells.get(i) >> LIST_SHIFT;
            f64::from(self.table.list(list).count())
        };
        let triangles = b.sum(VERTICES, tables.scratch, of_cell) as u32;
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let cell = tables.cells.get(i) | tables.starts.get(i);
                self.cells.set(slot * VERTICES + i, cell);
            });
            p.lead(|| {
                self.vertices.set(slot, vertices);
                self.triangles.set(slot, triangles);
            });
        });
    }
}
