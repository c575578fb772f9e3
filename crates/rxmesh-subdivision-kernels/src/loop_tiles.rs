//! Loop surfaces in tiles: a block takes some base triangles with their neighbourhoods through all levels in shared
//! memory and writes the last level once.
//!
//! A tile is a triangle of points with one row of points outside along each side. The next level of these rows depends
//! on themselves and on the side; only their ends, and the triangle's corners, come from [`RingTable`].

use crate::barycentric::{TriangleGrid, inside};
use crate::catmull_clark::creases::Creases;
use crate::columns::{Columns, One, Rows, RowsMut, Three, Two};
use crate::loop_rings::RingTable;
use crate::spokes::{ACROSS, HALO_WORDS, NEAR, SHARP};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, Plan, Shared};

kernel_list! {
    block loop_tiles_1: Tiles<One>;
    block loop_tiles_2: Tiles<Two>;
    block loop_tiles_3: Tiles<Three>;
}

/// Maximum number of levels of a tile.
pub const MOST_LEVELS: u32 = 7;

/// Number of points of a tile at a level that come from rings: three corners, and two ends of each of three rows
/// outside.
const SPECIAL: u32 = 9;

/// Number of points from which a tile starts: three corners, and the vertices across its sides.
const START: u32 = 6;

/// Derivation of each point of a tile from the level before. The table [`Tiles::recipes`] has one word per point: the
/// points inside, row after row; those on each side, from the origin of its half-edge on; those in the rows outside
/// except their ends. Level 1 comes first.
///
/// A word is the point's index at its level (13 bits), the index at the level before of its reference point (13 bits),
/// its position relative to that (2 bits: at it, or between neighbours across x, y or both), and 0, or 1 plus its side,
/// or 4 plus its row outside.
pub mod recipe {
    /// Number of bits of an index.
    pub const PLACE: u32 = 13;

    /// Returns the number of indices per row of a tile with `n` parts per side.
    pub const fn pitch(n: u32) -> u32 {
        n + 3
    }

    /// Returns the index of a point; rows outside have coordinates -1 and n + 1.
    pub const fn place(n: u32, x: i32, y: i32) -> u32 {
        (y + 1) as u32 * pitch(n) + (x + 1) as u32
    }

    /// Returns the point `s` steps along side `c` in the row outside of it.
    pub const fn outside(n: u32, c: u32, s: u32) -> (i32, i32) {
        let (n, s) = (n as i32, s as i32);
        match c {
            0 => (s, -1),
            1 => (n + 1 - s, s),
            _ => (-1, n + 1 - s),
        }
    }

    /// Returns the number of words of the level with `n` parts per side; the last level needs no rows outside.
    pub const fn count(n: u32, last: bool) -> u32 {
        super::inside(n) + 3 * (n - 1) + if last { 0 } else { 3 * (n - 2) }
    }

    /// Returns the offset of the words of a level.
    pub const fn start(level: u32) -> u32 {
        let (mut sum, mut l) = (0, 1);
        while l < level {
            sum += count(1 << l, false);
            l += 1;
        }
        sum
    }

    /// Returns the word of a point.
    pub const fn word(n: u32, x: i32, y: i32, side: u32) -> u32 {
        let how = (x & 1 | (y & 1) << 1) as u32;
        let mask = (1 << PLACE) - 1;
        // Indices of the last level are not used.
        place(n, x, y) & mask
            | place(n / 2, x >> 1, y >> 1) << PLACE
            | how << (2 * PLACE)
            | side << (2 * PLACE + 2)
    }
}

args! {
    /// Computes tiles of base triangles through some levels.
    pub struct Tiles<Q: Columns> {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Points at the last level.
        pub grid: TriangleGrid,
        /// Number of levels: 1 to [`MOST_LEVELS`].
        pub levels: u32,
        /// Number of tiles per block.
        pub tiles: u32,
        /// Neighbours across sides, as [`OrderSpokes::halo`](crate::spokes::OrderSpokes::halo).
        pub halo: Global<u32>,
        /// Words of [`recipe`].
        pub recipes: Global<u32>,
        /// Values of the base vertices.
        pub x: Rows<Q>,
        /// Base vertices and the points next to them at the intermediate levels.
        pub rings: RingTable<Q>,
        /// Values of all points but base vertices at the last level.
        pub y: RowsMut<Q>,
    }
}

/// Shared memory of a block.
#[derive(Clone, Copy)]
pub struct Pieces {
    corners: Shared<u32>,
    lines: Shared<u32>,
    halo: Shared<u32>,
    rings: Shared<f32>,
    /// Points of the tiles at even levels and at odd ones.
    points: [Shared<f32>; 2],
}

/// Points of a level in shared memory.
#[derive(Clone, Copy)]
struct TilePoints {
    values: Shared<f32>,
    parts: u32,
}

impl TilePoints {
    /// Returns the number of indices of a tile.
    #[inline(always)]
    fn size(self) -> u32 {
        recipe::pitch(self.parts) * recipe::pitch(self.parts)
    }
}

/// Returns the number of indices of a tile at a level.
const fn places(level: u32) -> u32 {
    let pitch = recipe::pitch(1 << level);
    pitch * pitch
}

impl<Q: Columns> Tiles<Q> {
    /// Returns the number of words of shared memory of a tile.
    pub fn words(levels: u32) -> u32 {
        let rings = SPECIAL * (levels - 1) * Q::N;
        6 + 3 * HALO_WORDS + rings + Q::N * (Self::room(levels, 0) + Self::room(levels, 1))
    }

    /// Returns the number of indices for the even, or odd, levels before the last.
    #[inline(always)]
    fn room(levels: u32, odd: u32) -> u32 {
        match levels {
            1 if odd == 1 => 0,
            _ if (levels - 1) & 1 == odd => places(levels - 1),
            _ => places(levels - 2),
        }
    }
}

// SAFETY: tiles write their own points, edges those of the lower half-edge; phases are separated by barriers and read
// only the level before; all branches around phases are uniform in the block (contracts U1 to U4).
unsafe impl<Q: Columns> BlockKernel for Tiles<Q> {
    type Tables = Pieces;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Pieces {
        let (levels, n) = (self.levels, self.tiles);
        Pieces {
            corners: plan.take(3 * n),
            lines: plan.take(3 * n),
            halo: plan.take(3 * HALO_WORDS * n),
            rings: plan.take(n * SPECIAL * (levels - 1) * Q::N),
            points: [
                plan.take(n * Q::N * Self::room(levels, 0)),
                plan.take(n * Q::N * Self::room(levels, 1)),
            ],
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, pieces: &Pieces) {
        let first = block * self.tiles;
        let faces = self.grid.corners.len() / 3;
        let n = self.tiles.min(faces - first);
        self.load(b, first, n, pieces);
        let mut level = 1;
        while level < self.levels {
            self.step(b, first, n, level, pieces);
            level += 1;
        }
        self.finish(b, first, n, pieces);
    }
}

impl<Q: Columns> Tiles<Q> {
    #[inline(always)]
    fn points(&self, pieces: &Pieces, level: u32) -> TilePoints {
        TilePoints {
            // Not by index: that would be a local array on a GPU.
            values: if level & 1 == 0 {
                pieces.points[0]
            } else {
                pieces.points[1]
            },
            parts: 1 << level,
        }
    }

    /// Loads base points, and everything that comes from rings.
    #[inline(always)]
    fn load<B: Block>(&self, b: B, first: u32, n: u32, pieces: &Pieces) {
        let Pieces {
            corners,
            lines,
            halo,
            rings,
            ..
        } = *pieces;
        b.phase(|p| {
            p.each(3 * n, |i| {
                corners.set(i, self.grid.corners.get(3 * first + i));
                lines.set(i, self.grid.lines.get(3 * first + i));
            });
            let words = 3 * HALO_WORDS;
            p.each(words * n, |i| halo.set(i, self.halo.get(words * first + i)));
        });
        let start = self.points(pieces, 0);
        let between = self.levels - 1;
        let divisor = between.max(1);
        b.phase(|p| {
            p.each(START * n * Q::N, |i| {
                let (q, c) = (i / Q::N, i % Q::N);
                let (tile, k) = (q / START, q % START);
                let (vertex, x, y) = match k {
                    0 => (corners.get(3 * tile), 0, 0),
                    1 => (corners.get(3 * tile + 1), 1, 0),
                    2 => (corners.get(3 * tile + 2), 0, 1),
                    _ => {
                        let side = k - 3;
                        let (x, y) = recipe::outside(1, side, 1);
                        (halo.get(HALO_WORDS * (3 * tile + side) + ACROSS), x, y)
                    }
                };
                let value = if vertex == NONE {
                    0.0
                } else {
                    self.x.get(vertex, c)
                };
                let at = tile * start.size() + recipe::place(1, x, y);
                start.values.set(at * Q::N + c, value);
            });
            p.each(SPECIAL * between * n * Q::N, |i| {
                let (q, c) = (i / Q::N, i % Q::N);
                let (rest, k) = (q / SPECIAL, q % SPECIAL);
                let (tile, level) = (rest / divisor, rest % divisor + 1);
                let value = if k < 3 {
                    self.rings.vertex(level, corners.get(3 * tile + k), c)
                } else {
                    // The far spoke's word follows that of the near one.
                    let (side, which) = ((k - 3) / 2, NEAR + (k - 3) % 2);
                    let spoke = halo.get(HALO_WORDS * (3 * tile + side) + which);
                    if spoke == NONE {
                        0.0
                    } else {
                        self.rings.spoke(level, spoke, c)
                    }
                };
                rings.set(i, value);
            });
        });
    }

    /// Computes a level that is not the last.
    #[inline(always)]
    fn step<B: Block>(&self, b: B, first: u32, n: u32, level: u32, pieces: &Pieces) {
        let (from, to) = (self.points(pieces, level - 1), self.points(pieces, level));
        let count = recipe::count(to.parts, false);
        let recipes = self.recipes.from(recipe::start(level));
        let magic = u32::MAX / count + 1;
        let between = self.levels - 1;
        let mask = (1 << recipe::PLACE) - 1;
        b.phase(|p| {
            p.each(n * count * Q::N, |i| {
                let (q, c) = (i / Q::N, i % Q::N);
                let tile = self.tile(q, magic);
                let k = q - tile * count;
                let word = recipes.get(k);
                let side = word >> (2 * recipe::PLACE + 2);
                if side > 3 && pieces.across(tile, side - 4) == NONE {
                    return;
                }
                let item = Item { tile, k, word, c };
                let value = self.point(pieces, from, first, item, level);
                let at = tile * to.size() + (word & mask);
                to.values.set(at * Q::N + c, value);
            });
            p.each(SPECIAL * n * Q::N, |i| {
                let (q, c) = (i / Q::N, i % Q::N);
                let (tile, k) = (q / SPECIAL, q % SPECIAL);
                let parts = to.parts as i32;
                let (x, y) = match k {
                    0 => (0, 0),
                    1 => (parts, 0),
                    2 => (0, parts),
                    _ => {
                        let s = if (k - 3) % 2 == 0 { 1 } else { to.parts };
                        recipe::outside(to.parts, (k - 3) / 2, s)
                    }
                };
                let from = (tile * between + level - 1) * SPECIAL + k;
                let at = tile * to.size() + recipe::place(to.parts, x, y);
                to.values
                    .set(at * Q::N + c, pieces.rings.get(from * Q::N + c));
            });
        });
    }

    /// Computes the last level.
    #[inline(always)]
    fn finish<B: Block>(&self, b: B, first: u32, n: u32, pieces: &Pieces) {
        let level = self.levels;
        let from = self.points(pieces, level - 1);
        let parts = 1 << level;
        let (inner, count) = (inside(parts), recipe::count(parts, true));
        let recipes = self.recipes.from(recipe::start(level));
        let magic = u32::MAX / count + 1;
        b.last_phase(|p| {
            p.each(n * count * Q::N, |i| {
                let (q, c) = (i / Q::N, i % Q::N);
                let tile = self.tile(q, magic);
                let k = q - tile * count;
                let word = recipes.get(k);
                let side = word >> (2 * recipe::PLACE + 2);
                let id = if side == 0 {
                    self.grid.face_start(first + tile) + k
                } else {
                    let line = pieces.lines.get(3 * tile + side - 1);
                    if line & 1 != 0 {
                        return;
                    }
                    let s = k - inner - (side - 1) * (parts - 1);
                    self.grid.line_start(line >> 1) + s
                };
                let item = Item { tile, k, word, c };
                let value = self.point(pieces, from, first, item, level);
                self.y.set(id, c, value);
            });
        });
    }

    /// Returns the tile of an item: `magic` is 2^32 divided by the number of items of a tile, rounded up, and there are
    /// fewer than 2^16 items.
    #[inline(always)]
    fn tile(&self, item: u32, magic: u32) -> u32 {
        if self.tiles == 1 {
            0
        } else {
            ((u64::from(item) * u64::from(magic)) >> 32) as u32
        }
    }

    /// Computes a point by its recipe; `first` is the block's first base face.
    #[inline(always)]
    fn point(&self, pieces: &Pieces, from: TilePoints, first: u32, item: Item, level: u32) -> f32 {
        let Item { tile, k, word, c } = item;
        let mask = (1 << recipe::PLACE) - 1;
        let place = tile * from.size() + (word >> recipe::PLACE & mask);
        let how = word >> (2 * recipe::PLACE) & 3;
        let side = word >> (2 * recipe::PLACE + 2);
        let star = TileStar {
            values: from.values,
            at: place * Q::N + c,
            dx: Q::N,
            dy: recipe::pitch(from.parts) * Q::N,
        };
        if side == 0 || side > 3 {
            return star.smooth(how);
        }
        let side = side - 1;
        let sharp = pieces.halo.get(HALO_WORDS * (3 * tile + side) + SHARP);
        let parts = 2 * from.parts;
        let s = k - inside(parts) - side * (parts - 1) + 1;
        let h = 3 * (first + tile) + side;
        let w = self
            .creases
            .weight(&self.mesh, h, f32::from_bits(sharp), level - 1, s);
        if w <= 0.0 {
            star.smooth(how)
        } else if w != 1.0 {
            w * star.line(how, side) + (1.0 - w) * star.smooth(how)
        } else {
            star.line(how, side)
        }
    }
}

/// Column of a point of a tile, and its recipe.
#[derive(Clone, Copy)]
struct Item {
    tile: u32,
    k: u32,
    word: u32,
    c: u32,
}

impl Pieces {
    #[inline(always)]
    fn across(&self, tile: u32, side: u32) -> u32 {
        self.halo.get(HALO_WORDS * (3 * tile + side) + ACROSS)
    }
}

/// Points around a reference point.
#[derive(Clone, Copy)]
struct TileStar {
    values: Shared<f32>,
    at: u32,
    dx: u32,
    dy: u32,
}

impl TileStar {
    #[inline(always)]
    fn get(self, by: u32) -> f32 {
        self.values.get(self.at.wrapping_add(by))
    }

    /// Applies the smooth rule: of a vertex, or of an edge across x, y or both.
    #[inline(always)]
    fn smooth(self, how: u32) -> f32 {
        let TileStar { dx, dy, .. } = self;
        let down = dx.wrapping_sub(dy);
        if how == 0 {
            let ring = (self.get(dx) + self.get(dx.wrapping_neg()))
                + (self.get(dy) + self.get(dy.wrapping_neg()))
                + (self.get(down) + self.get(down.wrapping_neg()));
            return 0.625 * self.get(0) + 0.0625 * ring;
        }
        let (a, b, c, d) = match how {
            1 => (0, dx, dy, down),
            2 => (0, dy, dx, down.wrapping_neg()),
            _ => (dx, dy, 0, dx + dy),
        };
        0.375 * (self.get(a) + self.get(b)) + 0.125 * (self.get(c) + self.get(d))
    }

    /// Applies the crease rule along a side.
    #[inline(always)]
    fn line(self, how: u32, side: u32) -> f32 {
        let TileStar { dx, dy, .. } = self;
        if how == 0 {
            let along = match side {
                0 => dx,
                1 => dy.wrapping_sub(dx),
                _ => dy,
            };
            let ends = self.get(along) + self.get(along.wrapping_neg());
            return 0.75 * self.get(0) + 0.125 * ends;
        }
        let (a, b) = match how {
            1 => (0, dx),
            2 => (0, dy),
            _ => (dx, dy),
        };
        0.5 * (self.get(a) + self.get(b))
    }
}
