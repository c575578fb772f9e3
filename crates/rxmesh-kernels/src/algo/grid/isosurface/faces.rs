//! Vertices and triangles of an isosurface.

use super::super::{ActiveBricks, VERTICES, within};
use super::cells::{CROSSED_SHIFT, LIST_SHIFT};
use super::table::{CellTable, CellTriangles, FIRST_CENTRE};
use super::{BrickValues, LevelGrid, REACHED, crossing};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    block isosurface_faces: WriteCells;
}

kernel! {
    /// Writes the vertices and the triangles of each cell of a brick. A block a slot.
    pub struct WriteCells: Block {
        /// Values.
        pub grid: LevelGrid,
        /// Active bricks.
        pub active: ActiveBricks,
        /// Triangles of cells.
        pub table: CellTable,
        /// See [`CountCells::cells`](super::cells::CountCells).
        pub cells: Global<u32>,
        /// First vertex of each slot.
        pub vertices: Global<u32>,
        /// First triangle of each slot.
        pub triangles: Global<u32>,
        /// Place of each vertex.
        pub places: GlobalMut<Vec3>,
        /// Corners of the triangles, three each.
        pub faces: GlobalMut<u32>,
    }
}

args! {
    /// Shared memory of [`WriteCells`].
    pub struct WriteTables {
        /// Values of the brick.
        pub brick: BrickValues,
        /// Numbers of triangles.
        pub starts: Shared<u32>,
        /// For sums.
        pub scratch: Shared<u32>,
    }
}

/// Returns the coordinates in its cell of the point at which an edge begins.
#[inline(always)]
fn beginning(edge: u32) -> [u32; 3] {
    let (axis, s, t) = (edge / 4, edge % 2, edge / 2 % 2);
    if axis == 0 {
        [0, s, t]
    } else if axis == 1 {
        [t, 0, s]
    } else {
        [s, t, 0]
    }
}

impl WriteCells {
    /// Returns the place, in cells, of the vertex of an edge. `here` are the coordinates of the brick in the grid, `at`
    /// those of the beginning of the edge in the brick.
    #[inline(always)]
    fn on_edge(&self, brick: &BrickValues, here: [u32; 3], at: [u32; 3], axis: u32) -> [f64; 3] {
        let number = BrickValues::number(at);
        let value = |number: u32| brick.values.get(number);
        let (from, to) = (value(number), value(BrickValues::next(number, axis)));
        let part = crossing(self.grid.level, from, to);
        let along = |k: u32, point: u32| f64::from(point) + if k == axis { part } else { 0.0 };
        [
            along(0, here[0] + at[0]),
            along(1, here[1] + at[1]),
            along(2, here[2] + at[2]),
        ]
    }

    /// Returns the place, in cells, of a vertex in the interior of a cell: the mean of those on its edges with which it
    /// has triangles.
    #[inline(always)]
    fn centre(
        &self,
        brick: &BrickValues,
        here: [u32; 3],
        [u, v, w]: [u32; 3],
        (list, label): (CellTriangles, u32),
    ) -> [f64; 3] {
        let (mut sum, mut count, mut k) = ([0.0; 3], 0.0, 0);
        while k < list.count() {
            let [a, b, c] = self.table.triangle(list.first() + k);
            if a == label || b == label || c == label {
                let mut add = |edge: u32| {
                    if edge < FIRST_CENTRE {
                        let [i, j, l] = beginning(edge);
                        let at = [u + i, v + j, w + l];
                        let p = self.on_edge(brick, here, at, edge / 4);
                        sum = [sum[0] + p[0], sum[1] + p[1], sum[2] + p[2]];
                        count += 1.0;
                    }
                };
                add(a);
                add(b);
                add(c);
            }
            k += 1;
        }
        [sum[0] / count, sum[1] / count, sum[2] / count]
    }

    /// Writes the place of a vertex.
    #[inline(always)]
    fn write_place(&self, vertex: u32, [x, y, z]: [f64; 3]) {
        let grid = &self.grid;
        let (x, y, z) = (
            grid.coordinate(x, grid.dx, grid.ox),
            grid.coordinate(y, grid.dy, grid.oy),
            grid.coordinate(z, grid.dz, grid.oz),
        );
        let place = if grid.swapped != 0 {
            Vec3::new(z, y, x)
        } else {
            Vec3::new(x, y, z)
        };
        self.places.set(vertex, place);
    }

    /// Returns the number of a vertex of a cell by its label. `at` are the coordinates of the cell in the grid.
    #[inline(always)]
    fn vertex(&self, at: [u32; 3], label: u32) -> u32 {
        let is_edge = label < FIRST_CENTRE;
        let from = if is_edge { beginning(label) } else { [0; 3] };
        let at = [at[0] + from[0], at[1] + from[1], at[2] + from[2]];
        let (_, slot, number) = self.active.find(at);
        let cell = self.cells.get(slot * VERTICES + number);
        let crossed = cell >> CROSSED_SHIFT & 7;
        let before = if is_edge {
            (crossed & ((1 << (label / 4)) - 1)).count_ones()
        } else {
            crossed.count_ones() + (label - FIRST_CENTRE)
        };
        self.vertices.get(slot) + (cell & ((1 << CROSSED_SHIFT) - 1)) + before
    }
}

// SAFETY: blocks write apart, because starts are prefix sums, in phases that barriers part; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for WriteCells {
    type Tables = WriteTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> WriteTables {
        WriteTables {
            brick: BrickValues {
                values: plan.take(REACHED),
            },
            starts: plan.take(VERTICES),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, tables: &WriteTables) {
        let here = self.active.first(slot);
        let grid = &self.grid;
        tables.brick.load(b, grid, here);
        b.each(VERTICES, |i| {
            let list = self.cells.get(slot * VERTICES + i) >> LIST_SHIFT;
            tables.starts.set(i, self.table.list(list).count());
        });
        b.scan(tables.starts, VERTICES, tables.scratch);
        let (vertices, triangles) = (self.vertices.get(slot), self.triangles.get(slot));
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let cell = self.cells.get(slot * VERTICES + i);
                let (at, crossed) = (within(i), cell >> CROSSED_SHIFT & 7);
                let mut vertex = vertices + (cell & ((1 << CROSSED_SHIFT) - 1));
                let mut axis = 0;
                while axis < 3 {
                    if crossed >> axis & 1 != 0 {
                        self.write_place(vertex, self.on_edge(&tables.brick, here, at, axis));
                        vertex += 1;
                    }
                    axis += 1;
                }
                let list = self.table.list(cell >> LIST_SHIFT);
                let mut label = FIRST_CENTRE;
                while label < FIRST_CENTRE + list.centres() {
                    let place = self.centre(&tables.brick, here, at, (list, label));
                    self.write_place(vertex, place);
                    vertex += 1;
                    label += 1;
                }
                let at = [here[0] + at[0], here[1] + at[1], here[2] + at[2]];
                let (first, mut k) = (triangles + tables.starts.get(i), 0);
                while k < list.count() {
                    let [a, b, c] = self.table.triangle(list.first() + k);
                    // Changed places of axes turn the surface over.
                    let (b, c) = if grid.swapped != 0 { (c, b) } else { (b, c) };
                    let to = 3 * (first + k);
                    self.faces.set(to, self.vertex(at, a));
                    self.faces.set(to + 1, self.vertex(at, b));
                    self.faces.set(to + 2, self.vertex(at, c));
                    k += 1;
                }
            });
        });
    }
}
