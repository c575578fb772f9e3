//! Several levels in one launch: a block refines cells in its shared memory, and writes only the last level.
//!
//! A tile is a cell of a base face's grid, with one ring of points around it: 16 points. A tile that touches nothing
//! special is a bicubic B-spline, whose points at the last level are weighted sums of the 16 (`whole`). The others are
//! refined level by level (`steps`). A tile writes its points at (0, 0) to (n - 1, n - 1), of those on a base edge only
//! if the edge starts with this face, and the regular base vertices that the face owns ([`super::neighbours::Flags`]).

mod steps;
mod whole;

use super::creases::Creases;
use super::neighbours::{FACES, Flags, Neighbours, POINTS};
use super::rings::points::RingPoints;
use super::rings::{IN, OUT};
use super::{ComponentCount, LevelGrid, Output, next, prev};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, Plan, Shared};

kernel_list! {
    block catmull_clark_tiles3: RefineTiles<super::Three>;
    block catmull_clark_tiles1: RefineTiles<super::One>;
}

/// Number of sides and of corners of a tile.
const SIDES: u32 = 4;
/// Points of [`RingPoints`] that a corner uses at a level: its own, the one across its out-edge, the one across its
/// in-edge.
const TAKEN: u32 = 3;
/// Number of words of a tile in [`TileTables::tiles`].
const WORDS: u32 = 3;
/// Number of points on the side of a tile with its ring.
const WIDE: u32 = 4;

/// Shared memory of a block of tiles.
#[derive(Clone, Copy)]
pub struct TileTables {
    /// For each tile its number among all, its face, and the face's flags: [`WORDS`] words; [`NONE`] for no face.
    tiles: Shared<u32>,
    /// Points of the tiles with the ring around them, row by row: the first level, which is four rows of four points,
    /// then the last level but one and those before it, alternating between two buffers ([`RefineTiles::held`]).
    grids: Shared<f32>,
    /// For each tile, each level after the first, and each corner: [`TAKEN`] points.
    rings: Shared<f32>,
    /// For each tile and side: sharpness of the base edge on which it lies, 0 if there is none.
    sharp: Shared<f32>,
    /// For each position along a side at the last level: four weights.
    weights: Shared<f32>,
}

args! {
    /// Refines tiles: 2^`log_tiles` per block.
    pub struct RefineTiles<N: ComponentCount> {
        /// Mesh of quads.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Neighbourhoods of faces.
        pub neighbours: Neighbours,
        /// Points around special vertices.
        pub rings: RingPoints,
        /// Known level: tiles are its cells.
        pub from: u32,
        /// Values at that level, of the components that are processed; empty at level 0.
        pub grid: Global<f32>,
        /// Number of levels to compute, at least 1.
        pub levels: u32,
        /// Logarithm of the number of tiles per block: 0 if `from` is not 0.
        pub log_tiles: u32,
        /// Logarithm of the number of pieces of a tile's columns, which different threads write.
        pub log_pieces: u32,
        /// Result at level `from + levels`; rows of special vertices are not written.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

/// A tile.
#[derive(Clone, Copy)]
struct Tile {
    /// Number in the block.
    slot: u32,
    face: u32,
    flags: Flags,
    /// Column and row among the tiles of the face.
    x: u32,
    y: u32,
    /// Last column and row.
    last: u32,
}

impl Tile {
    /// Returns `true` if a side lies on an edge of the base face.
    #[inline(always)]
    fn on_edge(&self, side: u32) -> bool {
        match side {
            0 => self.y == 0,
            1 => self.x == self.last,
            2 => self.y == self.last,
            _ => self.x == 0,
        }
    }

    /// Returns `true` if a corner is one of the base face.
    #[inline(always)]
    fn on_corner(&self, corner: u32) -> bool {
        self.on_edge(corner) && self.on_edge((corner + 3) & 3)
    }

    /// Returns `true` if a corner is a special vertex.
    #[inline(always)]
    fn on_special(&self, corner: u32) -> bool {
        self.flags.special(corner) && self.on_corner(corner)
    }
}

impl<N: ComponentCount> RefineTiles<N> {
    /// Returns the number of cells on a side of a tile after `step` levels.
    #[inline(always)]
    fn cells(&self, step: u32) -> u32 {
        1 << step
    }

    /// Returns the number of floats of a row of a tile after `step` levels.
    #[inline(always)]
    fn pitch(&self, step: u32) -> u32 {
        (self.cells(step) + 3) * N::N
    }

    /// Returns the number of floats of a tile after `step` levels.
    #[inline(always)]
    fn area(&self, step: u32) -> u32 {
        (self.cells(step) + 3) * self.pitch(step)
    }

    /// Returns the points at the last level.
    #[inline(always)]
    fn last_grid(&self) -> LevelGrid {
        LevelGrid {
            mesh: self.mesh,
            level: self.from + self.levels,
        }
    }

    /// Returns the number of tiles of special faces, which come first.
    #[inline(always)]
    fn special_tiles(&self) -> u32 {
        self.neighbours.counts.get(FACES) << (2 * self.from)
    }

    /// Finds a block's tiles. A block has tiles of special faces or of regular ones, never both, so that the
    /// computation of a tile does not depend on the others in its block.
    #[inline(always)]
    fn find<B: Block>(&self, p: Phase<B>, block: u32, tables: &TileTables) {
        p.each(1 << self.log_tiles, |slot| {
            let special = self.special_tiles();
            let blocks = special.div_ceil(1 << self.log_tiles);
            let (id, end) = if block < blocks {
                ((block << self.log_tiles) + slot, special)
            } else {
                let other = ((block - blocks) << self.log_tiles) + slot;
                (special + other, self.mesh.face_count() << (2 * self.from))
            };
            let (mut face, mut flags) = (NONE, 0);
            if id < end {
                face = self.neighbours.order.get(id >> (2 * self.from));
                flags = self.neighbours.flags.get(face);
            }
            tables.tiles.set(WORDS * slot, id);
            tables.tiles.set(WORDS * slot + 1, face);
            tables.tiles.set(WORDS * slot + 2, flags);
        });
    }

    #[inline(always)]
    fn tile(&self, tables: &TileTables, slot: u32) -> Option<Tile> {
        let word = |i: u32| tables.tiles.get(WORDS * slot + i);
        let (id, face) = (word(0), word(1));
        let last = (1 << self.from) - 1;
        (face != NONE).then(|| Tile {
            slot,
            face,
            flags: Flags(word(2)),
            x: id & last,
            y: (id >> self.from) & last,
            last,
        })
    }

    /// Returns `true` if the tiles of a block are parts of bicubic B-splines.
    #[inline(always)]
    fn regular(&self, block: u32, tables: &TileTables) -> bool {
        if block << self.log_tiles >= self.special_tiles() {
            return true;
        }
        if self.from == 0 {
            return false;
        }
        let Some(t) = self.tile(tables, 0) else {
            return true;
        };
        let mut special = false;
        for side in 0..SIDES {
            special |= t.on_special(side);
            if self.creases.smooth == 0 && t.on_edge(side) {
                special |= self.creases.base.edge(&self.mesh, 4 * t.face + side) > 0.0;
            }
        }
        !special
    }

    /// Calls `f(tile, row, column)` for `rows` rows of `columns` columns of all tiles.
    #[inline(always)]
    fn each<B: Block>(
        &self,
        p: Phase<B>,
        tables: &TileTables,
        [rows, columns]: [u32; 2],
        f: impl Fn(&Tile, u32, u32),
    ) {
        if Phase::<B>::SOLO {
            // A single thread does not divide the work.
            for slot in 0..1 << self.log_tiles {
                let Some(tile) = self.tile(tables, slot) else {
                    continue;
                };
                for row in 0..rows {
                    for column in 0..columns {
                        f(&tile, row, column);
                    }
                }
            }
            return;
        }
        // Columns are padded to a power of two, so that no division is needed.
        let log = 32 - (columns - 1).leading_zeros();
        p.each((rows << log) << self.log_tiles, |i| {
            let (column, rest) = (i & ((1 << log) - 1), i >> log);
            let slot = rest & ((1 << self.log_tiles) - 1);
            if column < columns
                && let Some(tile) = self.tile(tables, slot)
            {
                f(&tile, rest >> self.log_tiles, column);
            }
        });
    }

    /// Calls `f(tile, row, column, component)` with adjacent components; otherwise as [`RefineTiles::each`].
    #[inline(always)]
    fn each_float<B: Block>(
        &self,
        p: Phase<B>,
        tables: &TileTables,
        [rows, columns]: [u32; 2],
        f: impl Fn(&Tile, u32, u32, u32),
    ) {
        if Phase::<B>::SOLO {
            return self.each(p, tables, [rows, columns], |t, row, column| {
                for k in 0..N::N {
                    f(t, row, column, k);
                }
            });
        }
        let log = 32 - (columns - 1).leading_zeros();
        let width = N::N << log;
        p.each((rows * width) << self.log_tiles, |i| {
            let rest = (i >> log) / N::N;
            let at = i - rest * width;
            let (column, component) = (at / N::N, at % N::N);
            let slot = rest & ((1 << self.log_tiles) - 1);
            if column < columns
                && let Some(tile) = self.tile(tables, slot)
            {
                f(&tile, rest >> self.log_tiles, column, component);
            }
        });
    }

    /// Loads the points of the first level, including the ring around them.
    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, tables: &TileTables) {
        let grid = tables.grids;
        self.each(p, tables, [WIDE, WIDE], |t, row, column| {
            let to = ((t.slot * WIDE + row) * WIDE + column) * N::N;
            if self.from == 0 {
                let at = POINTS * t.face + WIDE * row + column;
                let v = self.neighbours.points.get(at);
                for k in 0..N::N {
                    let x = if v == NONE {
                        0.0
                    } else {
                        self.rings.base.get(v, k)
                    };
                    grid.set(to + k, x);
                }
            } else {
                let place = |tile: u32, at: u32| (tile + at) as i32 - 1;
                let at = [place(t.x, column), place(t.y, row)];
                for k in 0..N::N {
                    grid.set(to + k, self.ring_or_grid(t, at, k));
                }
            }
        });
    }

    /// Returns a component of the point at (i, j), -1 to n + 1, of a face at level `from`; 0 if there is none.
    #[inline(always)]
    fn ring_or_grid(&self, t: &Tile, [i, j]: [i32; 2], k: u32) -> f32 {
        let (m, f, level) = (&self.mesh, t.face, self.from);
        let n = 1 << level;
        let inside = |x: i32| x >= 0 && x <= n;
        let end = |x: i32| x == 0 || x == n;
        let grid = LevelGrid { mesh: *m, level };
        let at = |id: u32| self.grid.get(id * N::N + k);
        if inside(i) && inside(j) {
            let c = corner_at(i > 0, j > 0);
            if end(i) && end(j) && t.flags.special(c) {
                return self
                    .rings
                    .centre(m, N::N, m.corners.get(4 * f + c), level, k);
            }
            return at(grid.point(f, i as u32, j as u32));
        }
        // Across an edge of the face: the half-edge, and the position along it.
        let (side, s) = if j < 0 && inside(i) {
            (0, i)
        } else if i > n && inside(j) {
            (1, j)
        } else if j > n && inside(i) {
            (2, n - i)
        } else if i < 0 && inside(j) {
            (3, n - j)
        } else {
            let c = corner_at(i > 0, j > 0);
            if t.flags.special(c) {
                return 0.0;
            }
            // Across a regular vertex.
            let opposite = m.twin(prev(m.twin(prev(4 * f + c))));
            return at(grid.beside(opposite, 1));
        };
        let other = m.twin(4 * f + side);
        // Ends of the side: the corner it leaves, and the one it goes to.
        if other == NONE {
            0.0
        } else if s == 0 && t.flags.special(side) {
            self.rings.corner(m, N::N, next(other), level, OUT, k)
        } else if s == n && t.flags.special((side + 1) & 3) {
            self.rings.corner(m, N::N, other, level, IN, k)
        } else {
            at(grid.beside(other, (n - s) as u32))
        }
    }

    /// Writes the points on base edges that start with the tile's face, and the base vertices that it owns:
    /// `value(tile, i, j, component)` at positions 0 to n of the tile.
    #[inline(always)]
    fn write_border<B: Block>(
        &self,
        p: Phase<B>,
        tables: &TileTables,
        value: impl Fn(&Tile, u32, u32, u32) -> f32,
    ) {
        let grid = self.last_grid();
        let (side, n) = (self.cells(self.levels), grid.cells());
        // A side from its half-edge's origin on.
        self.each(p, tables, [SIDES, side], |t, c, x| {
            if !t.on_edge(c) {
                return;
            }
            let (i, j) = match c {
                0 => (x, 0),
                1 => (side, x),
                2 => (side - x, side),
                _ => (0, side - x),
            };
            let (right, down) = (t.x * side + i, t.y * side + j);
            let s = match c {
                0 => right,
                1 => down,
                2 => n - right,
                _ => n - down,
            };
            let (h, at_vertex) = (4 * t.face + c, s == 0);
            let owned = if at_vertex {
                t.flags.owns_vertex(c)
            } else {
                t.flags.owns_edge(c)
            };
            if !owned {
                return;
            }
            let id = if at_vertex {
                self.mesh.corners.get(h)
            } else {
                grid.edge(self.mesh.edges.get(h)) + s - 1
            };
            for k in 0..N::N {
                self.out.set(id, k, value(t, i, j, k));
            }
        });
    }

    /// Returns the index of the point at (x, y) of a tile in the result's values, for points inside the base face. In
    /// row 0 of the face, which is an edge, it is an index that is never written.
    #[inline(always)]
    fn inside(&self, t: &Tile, x: u32, y: u32, k: u32) -> u32 {
        let grid = self.last_grid();
        let (side, n) = (self.cells(self.levels), grid.cells());
        let row_before = (t.y * side + y).wrapping_sub(1).wrapping_mul(n - 1);
        grid.face(t.face)
            .wrapping_add(row_before)
            .wrapping_add((t.x * side + x).wrapping_sub(1))
            .wrapping_mul(self.out.width)
            .wrapping_add(self.out.first + k)
    }
}

/// Returns the corner of a face at one end or the other of its rows and columns.
#[inline(always)]
fn corner_at(right: bool, top: bool) -> u32 {
    match (right, top) {
        (false, false) => 0,
        (true, false) => 1,
        (true, true) => 2,
        (false, true) => 3,
    }
}

// SAFETY: shared memory is written in phases separated by barriers, each element once; a tile writes the points inside
// it, those of base edges that start with its face, and vertices that its face owns, so that each is written once;
// branches and loops around phases depend on the kernel's fields and on the block's tiles (contracts U1 to U4).
unsafe impl<N: ComponentCount> BlockKernel for RefineTiles<N> {
    const THREADS: u32 = 96;
    type Tables = TileTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> TileTables {
        let tiles = 1 << self.log_tiles;
        let last = self.levels - 1;
        let before = if last == 0 { 0 } else { self.area(last - 1) };
        TileTables {
            tiles: plan.take(WORDS * tiles),
            grids: plan.take((self.area(0) + self.area(last) + before) * tiles),
            rings: plan.take(last * SIDES * TAKEN * N::N * tiles),
            sharp: plan.take(SIDES * tiles),
            weights: plan.take(WIDE * (self.cells(self.levels) + 1)),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, tables: &TileTables) {
        b.phase(|p| self.find(p, block, tables));
        let regular = self.regular(block, tables);
        b.phase(|p| {
            self.load(p, tables);
            if regular {
                self.weigh(p, tables);
            } else {
                self.load_rings(p, tables);
            }
        });
        if regular {
            self.whole(b, tables);
        } else {
            self.in_steps(b, tables);
        }
    }
}
