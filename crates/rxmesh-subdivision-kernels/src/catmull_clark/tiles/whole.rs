//! Tiles that are bicubic B-splines: all levels at once.

use super::{RefineTiles, Tile, TileTables, WIDE};
use crate::catmull_clark::ComponentCount;
use rxmesh_kernels::exec::{Block, Phase};

/// Returns the weights of four control points of a uniform cubic B-spline for the control point of its refinement to
/// knots of distance `h`, at `t` in 0 to 1: its blossom at t - h, t and t + h.
#[inline(always)]
fn weights(t: f32, h: f32) -> [f32; 4] {
    let s = 1.0 - t;
    let hh = h * h;
    // Blossoms of t^3 and t^2.
    let (cube, square) = (t * (t * t - hh), t * t - hh / 3.0);
    let (back_cube, back_square) = (s * (s * s - hh), s * s - hh / 3.0);
    let sixth = 1.0 / 6.0;
    [
        sixth * back_cube,
        0.5 * cube - square + 2.0 / 3.0,
        0.5 * back_cube - back_square + 2.0 / 3.0,
        sixth * cube,
    ]
}

impl<N: ComponentCount> RefineTiles<N> {
    /// Computes the weights of all positions along a side.
    #[inline(always)]
    pub(super) fn weigh<B: Block>(&self, p: Phase<B>, tables: &TileTables) {
        let side = self.cells(self.levels);
        p.each(side + 1, |i| {
            let h = 1.0 / side as f32;
            let w = weights(i as f32 * h, h);
            tables.weights.set(WIDE * i, w[0]);
            tables.weights.set(WIDE * i + 1, w[1]);
            tables.weights.set(WIDE * i + 2, w[2]);
            tables.weights.set(WIDE * i + 3, w[3]);
        });
    }

    /// Computes all levels of a block's tiles.
    #[inline(always)]
    pub(super) fn whole<B: Block>(&self, b: B, tables: &TileTables) {
        // Offset of the first sums: after the points.
        let (points, across) = (tables.grids, self.area(0) << self.log_tiles);
        let side = self.cells(self.levels);
        // Number of floats of a row of `across`.
        let pitch = (side + 1) * N::N;
        let sum =
            |w: [f32; 4], x: [f32; 4]| (w[0] * x[0] + w[1] * x[1]) + (w[2] * x[2] + w[3] * x[3]);
        // First along the rows of the 16 points, whose last positions follow the others ...
        b.phase(|p| {
            let ends = WIDE.div_ceil(side);
            self.each(p, tables, [WIDE + ends, side], |t, row, i| {
                let (row, i) = if row < WIDE {
                    (row, i)
                } else {
                    ((row - WIDE) * side + i, side)
                };
                if row >= WIDE {
                    return;
                }
                let at = (t.slot * WIDE + row) * WIDE * N::N;
                let w = tables.weights.get4(i);
                let to = across + (t.slot * WIDE + row) * pitch + i * N::N;
                for k in 0..N::N {
                    let x = |of: u32| points.get(at + k + of * N::N);
                    tables.grids.set(to + k, sum(w, [x(0), x(1), x(2), x(3)]));
                }
            });
        });
        // ... then down the columns: of a point, or of a float of a row.
        let floats = |t: &Tile, i: u32| {
            let at = |row: u32| tables.grids.get(across + (t.slot * WIDE + row) * pitch + i);
            [at(0), at(1), at(2), at(3)]
        };
        let column = |t: &Tile, i: u32, k: u32| floats(t, i * N::N + k);
        let value = |j: u32, x: [f32; 4]| sum(tables.weights.get4(j), x);
        b.last_phase(|p| {
            self.write_border(p, tables, |t, i, j, k| value(j, column(t, i, k)));
            if Phase::<B>::SOLO && self.out.width == N::N {
                self.write_rows(tables, |t, i, j| value(j, floats(t, i)));
                return;
            }
            let rows = side >> self.log_pieces;
            let step = ((side << self.from) - 1) * self.out.width;
            self.each_float(p, tables, [1 << self.log_pieces, side], |t, piece, i, k| {
                if i == 0 && t.x == 0 {
                    return;
                }
                let x = column(t, i, k);
                let start = piece * rows;
                let end = start + rows;
                // The face's first row is an edge.
                let start = if start == 0 && t.y == 0 { 1 } else { start };
                let mut to = self.inside(t, i, start, k);
                for j in start..end {
                    self.out.values.set(to, value(j, x));
                    to += step;
                }
            });
        });
    }

    /// Writes the rows of a block of one thread if they have no gaps: `value(tile, i, j)`, where i counts floats.
    #[inline(always)]
    fn write_rows(&self, tables: &TileTables, value: impl Fn(&Tile, u32, u32) -> f32) {
        let side = self.cells(self.levels);
        for slot in 0..1 << self.log_tiles {
            let Some(t) = self.tile(tables, slot) else {
                continue;
            };
            let (left, top) = (u32::from(t.x == 0), u32::from(t.y == 0));
            for j in top..side {
                let to = self.inside(&t, left, j, 0);
                let (from, n) = (left * N::N, (side - left) * N::N);
                self.out.values.fill(to, n, |i| value(&t, from + i, j));
            }
        }
    }
}
