//! Tiles at special vertices and sharp edges: level by level.

use super::{IN, OUT, RefineTiles, SIDES, TAKEN, Tile, TileTables};
use crate::catmull_clark::taps::{Taps, creased};
use crate::catmull_clark::{ComponentCount, next, prev};
use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, Phase};

/// Returns the new point between two points of a curve.
#[inline(always)]
fn between(x: [f32; 3]) -> f32 {
    0.5 * (x[0] + x[1])
}

/// Returns the new point at the second of three points of a curve.
#[inline(always)]
fn above(x: [f32; 3]) -> f32 {
    0.125 * (x[0] + x[2]) + 0.75 * x[1]
}

impl<N: ComponentCount> RefineTiles<N> {
    /// Computes all levels of a block's tiles.
    #[inline(always)]
    pub(super) fn in_steps<B: Block>(&self, b: B, tables: &TileTables) {
        for step in 0..self.levels - 1 {
            b.phase(|p| self.refine(p, tables, step));
            b.phase(|p| self.mend(p, tables, step));
        }
        self.write(b, tables);
    }

    /// Returns the offset in [`TileTables::grids`] of the points after `step` levels; an offset and not a view, because
    /// a choice between views would be made in memory.
    #[inline(always)]
    fn held(&self, step: u32) -> u32 {
        let last = self.levels - 1;
        let first = self.area(0);
        let at = if step == 0 {
            0
        } else if (last - step) & 1 == 0 {
            first
        } else {
            first + self.area(last)
        };
        at << self.log_tiles
    }

    /// Loads the rings of all levels, and the sharpness of the sides.
    #[inline(always)]
    pub(super) fn load_rings<B: Block>(&self, p: Phase<B>, tables: &TileTables) {
        let rows = (self.levels - 1) * SIDES;
        if rows > 0 {
            self.each_float(p, tables, [rows, TAKEN], |t, row, point, k| {
                let (step, corner) = (row / SIDES + 1, row % SIDES);
                if t.on_special(corner) {
                    let at = (t.slot * rows + row) * TAKEN + point;
                    let x = self.ring(t.face, corner, self.from + step, point, k);
                    tables.rings.set(at * N::N + k, x);
                }
            });
        }
        if self.creases.smooth == 0 {
            p.each(SIDES << self.log_tiles, |i| {
                if let Some(t) = self.tile(tables, i / SIDES) {
                    let side = i % SIDES;
                    let s = if t.on_edge(side) {
                        self.creases.base.edge(&self.mesh, 4 * t.face + side)
                    } else {
                        0.0
                    };
                    tables.sharp.set(i, s);
                }
            });
        }
    }

    /// Returns a component of one of the [`TAKEN`] points of a base face's corner.
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

    /// Computes the level after `step + 1` levels as if nothing were special: four points per index.
    #[inline(always)]
    fn refine<B: Block>(&self, p: Phase<B>, tables: &TileTables, step: u32) {
        let (from, to) = (self.held(step), self.held(step + 1));
        let grids = tables.grids;
        let (pitch, new_pitch) = (self.pitch(step), self.pitch(step + 1));
        let places = self.cells(step) + 2;
        self.each_float(p, tables, [places, places], |t, y, x, k| {
            let at = from + t.slot * self.area(step) + y * pitch + x * N::N + k;
            // For the last index the new point above the second one does not exist, nor does the third one.
            let (right, down) = (x + 1 < places, y + 1 < places);
            let third = if right { 2 * N::N } else { N::N };
            let row = |y: u32| {
                let at = at + y * pitch;
                let x = [grids.get(at), grids.get(at + N::N), grids.get(at + third)];
                [between(x), above(x)]
            };
            let rows = [row(0), row(1), row(if down { 2 } else { 1 })];
            let column = |i: usize| [rows[0][i], rows[1][i], rows[2][i]];
            let (left, middle) = (column(0), column(1));
            let new = to + t.slot * self.area(step + 1) + 2 * y * new_pitch + 2 * x * N::N + k;
            grids.set(new, between(left));
            if right {
                grids.set(new + N::N, between(middle));
            }
            if down {
                grids.set(new + new_pitch, above(left));
                if right {
                    grids.set(new + new_pitch + N::N, above(middle));
                }
            }
        });
    }

    /// Corrects the special points of the level after `step + 1` levels: special vertices with their adjacent points,
    /// and sharp base edges.
    #[inline(always)]
    fn mend<B: Block>(&self, p: Phase<B>, tables: &TileTables, step: u32) {
        let to = self.held(step + 1);
        let (area, pitch) = (self.area(step + 1), self.pitch(step + 1));
        let side = self.cells(step + 1) + 3;
        let far = side - 2;
        self.each_float(p, tables, [SIDES, TAKEN], |t, c, point, k| {
            if t.on_special(c) {
                let row = (t.slot * (self.levels - 1) + step) * SIDES + c;
                let value = tables.rings.get((row * TAKEN + point) * N::N + k);
                let (right, top) = (c == 1 || c == 2, c >= 2);
                let (x, y) = (if right { far } else { 1 }, if top { far } else { 1 });
                let (beside, beyond) = (
                    if right { far + 1 } else { 0 },
                    if top { far + 1 } else { 0 },
                );
                // The out-edges of corners 0 and 2 lie along rows, so the point above is across them.
                let along_row = c & 1 == 0;
                let (x, y) = match point {
                    0 => (x, y),
                    1 if along_row => (x, beyond),
                    1 => (beside, y),
                    _ if along_row => (beside, y),
                    _ => (x, beyond),
                };
                let at = to + t.slot * area + y * pitch + x * N::N + k;
                tables.grids.set(at, value);
            }
        });
        if self.creases.smooth != 0 {
            return;
        }
        self.each_float(p, tables, [SIDES, side], |t, c, i, k| {
            if tables.sharp.get(t.slot * SIDES + c) <= 0.0 {
                return;
            }
            // Ends of the side, including the ring that continues it.
            let (low, high) = match c {
                0 => (0, 1),
                1 => (1, 2),
                2 => (3, 2),
                _ => (0, 3),
            };
            let near = (i <= 1 && t.on_special(low)) || (i >= far && t.on_special(high));
            if near {
                return;
            }
            let at = match c {
                0 => [i, 1],
                1 => [far, i],
                2 => [i, far],
                _ => [1, i],
            };
            let value = self.point(tables, t, step, at, k);
            let at = to + t.slot * area + at[1] * pitch + at[0] * N::N + k;
            tables.grids.set(at, value);
        });
    }

    /// Computes a component of the point at (a, b) of a tile, including the ring, after `step + 1` levels, from the
    /// points after `step`. Special vertices and their adjacent points are not computed here.
    #[inline(always)]
    fn point(&self, tables: &TileTables, t: &Tile, step: u32, [a, b]: [u32; 2], k: u32) -> f32 {
        let (grid, pitch) = (tables.grids, self.pitch(step));
        let from = self.held(step) + t.slot * self.area(step) + k;
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
        let log = step + 1;
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
        creased([&across, &down], side, weight, smooth, at)
    }

    /// Writes the last level: points on base edges that start with this face, and points inside.
    #[inline(always)]
    fn write<B: Block>(&self, b: B, tables: &TileTables) {
        let step = self.levels - 1;
        let side = self.cells(self.levels);
        b.last_phase(|p| {
            self.write_border(p, tables, |t, i, j, k| {
                self.point(tables, t, step, [i + 1, j + 1], k)
            });
            // A thread goes down a column.
            let log = step.saturating_sub(self.log_pieces);
            let pieces = step - log;
            let width = ((side << self.from) - 1) * self.out.width;
            self.each_float(p, tables, [1 << pieces, side], |t, piece, x, k| {
                if x == 0 && t.x == 0 {
                    return;
                }
                let (held, pitch) = (tables.grids, self.pitch(step));
                let from = self.held(step) + t.slot * self.area(step) + k;
                let taps = Taps::new(x + 1);
                let row = |y: u32| taps.sum(|x| held.get(from + y * pitch + x * N::N));
                let start = piece << log;
                let (mut above, mut here) = (row(start), row(start + 1));
                let mut to = self.inside(t, x, 2 * start, k);
                for y in start..start + (1 << log) {
                    let below = row(y + 2);
                    if y > 0 || t.y > 0 {
                        let value = 0.125 * (above + below) + 0.75 * here;
                        self.out.values.set(to, value);
                    }
                    to = to.wrapping_add(width);
                    self.out.values.set(to, 0.5 * (here + below));
                    to = to.wrapping_add(width);
                    (above, here) = (here, below);
                }
            });
        });
    }
}
