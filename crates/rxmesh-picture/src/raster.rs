//! The z-buffer of a tile: the nearest face at each sample.
//!
//! Places are whole numbers of 1/256 pixel and edges are decided in whole numbers, so that neighbours share a sample
//! neither twice nor never: on an edge itself it belongs to the face whose top or left edge it is. At equal depth the
//! lower face wins.

use crate::bins::{Lattice, TILE};
use crate::camera::{SUBPIXELS, Spot};
use std::ops::{Add, BitOr, Mul, Sub};

/// "No face", in [`TileBuffer::faces`].
pub(crate) const NO_FACE: u32 = u32::MAX;

/// Places of the `S` samples of a pixel, in [`SUBPIXELS`]: a turned grid, in which no two share a column or a row.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Pattern<const S: usize> {
    pub(crate) x: [i32; S],
    pub(crate) y: [i32; S],
}

impl<const S: usize> Pattern<S> {
    /// Returns the pattern; `S` is a square that divides 64.
    pub(crate) fn new() -> Pattern<S> {
        let side = S.isqrt();
        let place = |cell: usize, shift: usize| {
            let slot = cell * side + shift;
            (2 * slot as i32 + 1) * (SUBPIXELS / 2) / S as i32
        };
        Pattern {
            x: std::array::from_fn(|s| place(s % side, s / side)),
            y: std::array::from_fn(|s| place(s / side, side - 1 - s % side)),
        }
    }

    /// Returns the columns, or rows, of all samples.
    pub(crate) fn lattice() -> Lattice {
        let step = SUBPIXELS / S as i32;
        Lattice {
            first: step / 2,
            step,
        }
    }
}

/// Samples of a tile, pixel by pixel.
pub(crate) struct TileBuffer<const S: usize> {
    /// Nearest face.
    pub(crate) faces: Vec<[u32; S]>,
    /// Its [`Spot::near`]; 0 without a face.
    near: Vec<[f32; S]>,
    /// The farthest of the samples of each pixel.
    farthest: Vec<f32>,
    pattern: Pattern<S>,
}

/// Integers that edges are decided in.
trait Whole:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + BitOr<Output = Self>
    + PartialOrd
    + From<i32>
{
    /// Returns the nearest float.
    fn float(self) -> f32;
}

impl Whole for i32 {
    fn float(self) -> f32 {
        self as f32
    }
}

impl Whole for i64 {
    fn float(self) -> f32 {
        self as f32
    }
}

/// Side in subpixels up to which the products of a face's edges fit into 32 bits.
const SMALL: i32 = 62 * SUBPIXELS;

/// A face in the frame of a tile: corners turn clockwise in the picture, whose y points down.
struct Facet {
    x: [i32; 3],
    y: [i32; 3],
    near: [f32; 3],
    area: i64,
}

impl Facet {
    /// Returns `false` if all pixels of some columns and rows are outside of an edge.
    fn meets(&self, columns: [i32; 2], rows: [i32; 2]) -> bool {
        (0..3).all(|k| {
            let (p, q) = ((k + 1) % 3, (k + 2) % 3);
            let (dx, dy) = (self.x[q] - self.x[p], self.y[q] - self.y[p]);
            // The corner of the pixels that is farthest inside.
            let x = if dy < 0 { columns[1] + 1 } else { columns[0] };
            let y = if dx > 0 { rows[1] + 1 } else { rows[0] };
            let [x, y] = [x, y].map(|at| i64::from(at * SUBPIXELS));
            i64::from(dx) * (y - i64::from(self.y[p])) >= i64::from(dy) * (x - i64::from(self.x[p]))
        })
    }
}

impl<const S: usize> TileBuffer<S> {
    /// Returns an empty tile.
    pub(crate) fn new() -> TileBuffer<S> {
        TileBuffer {
            faces: vec![[NO_FACE; S]; TILE * TILE],
            near: vec![[0.0; S]; TILE * TILE],
            farthest: vec![0.0; TILE * TILE],
            pattern: Pattern::new(),
        }
    }

    /// Empties the tile.
    pub(crate) fn clear(&mut self) {
        self.faces.fill([NO_FACE; S]);
        self.near.fill([0.0; S]);
        self.farthest.fill(0.0);
    }

    /// Draws a face into the tile whose first pixel is `origin`.
    #[inline]
    pub(crate) fn draw(&mut self, face: u32, corners: [Spot; 3], origin: [i32; 2]) {
        let [left, top] = origin.map(|o| o * SUBPIXELS);
        let [mut a, mut b, c] = corners;
        let [x0, x1] = extent([a.x - left, b.x - left, c.x - left]);
        let [y0, y1] = extent([a.y - top, b.y - top, c.y - top]);
        let last = TILE as i32 - 1;
        let columns = [(x0 / SUBPIXELS).max(0), (x1 / SUBPIXELS).min(last)];
        let rows = [(y0 / SUBPIXELS).max(0), (y1 / SUBPIXELS).min(last)];
        if x1 < 0 || y1 < 0 || self.hides(a.near.max(b.near).max(c.near), columns, rows) {
            return;
        }
        let cross = |a: Spot, b: Spot| {
            i64::from(b.x - a.x) * i64::from(c.y - a.y)
                - i64::from(c.x - a.x) * i64::from(b.y - a.y)
        };
        let mut area = cross(a, b);
        if area < 0 {
            (a, b) = (b, a);
            area = -area;
        }
        let facet = Facet {
            x: [a.x - left, b.x - left, c.x - left],
            y: [a.y - top, b.y - top, c.y - top],
            near: [a.near, b.near, c.near],
            area,
        };
        if x1 - x0 <= SMALL && y1 - y0 <= SMALL {
            self.fill::<i32>(face, &facet, columns, rows);
        } else if facet.meets(columns, rows) {
            self.fill::<i64>(face, &facet, columns, rows);
        }
    }

    /// Returns `true` if all of a few pixels have nearer faces already than one whose nearest corner is at `near`.
    fn hides(&self, near: f32, columns: [i32; 2], rows: [i32; 2]) -> bool {
        /// Most columns or rows that are worth a look.
        const FEW: i32 = 3;
        if columns[1] - columns[0] >= FEW || rows[1] - rows[0] >= FEW {
            return false;
        }
        (rows[0]..=rows[1]).all(|row| {
            (columns[0]..=columns[1]).all(|column| {
                let farthest = self.farthest[row as usize * TILE + column as usize];
                near <= farthest
            })
        })
    }

    /// Draws the pixels of some columns and rows.
    #[inline]
    fn fill<N: Whole>(&mut self, face: u32, facet: &Facet, columns: [i32; 2], rows: [i32; 2]) {
        let Facet { x, y, near, area } = facet;
        let inverse = 1.0 / *area as f32;
        let slopes = [(near[1] - near[0]) * inverse, (near[2] - near[0]) * inverse];
        let origin = [columns[0], rows[0]].map(|p| p * SUBPIXELS);
        // Edge k is opposite corner k; its value is twice the area between it and the sample.
        let zero = N::from(0);
        let step = N::from(SUBPIXELS);
        let mut row = [[zero; S]; 3];
        let (mut right, mut down) = ([zero; 3], [zero; 3]);
        for k in 0..3 {
            let (p, q) = ((k + 1) % 3, (k + 2) % 3);
            let (dx, dy) = (x[q] - x[p], y[q] - y[p]);
            let owns = dy < 0 || (dy == 0 && dx > 0);
            let (px, py) = (N::from(origin[0] - x[p]), N::from(origin[1] - y[p]));
            let (dx, dy) = (N::from(dx), N::from(dy));
            let start = dx * py - dy * px - N::from(i32::from(!owns));
            let samples = self.pattern.x.iter().zip(&self.pattern.y);
            for (edge, (&px, &py)) in row[k].iter_mut().zip(samples) {
                *edge = start + dx * N::from(py) - dy * N::from(px);
            }
            right[k] = zero - dy * step;
            down[k] = dx * step;
        }
        for py in rows[0]..=rows[1] {
            let first = (py as usize * TILE).min(TILE * (TILE - 1));
            let faces = &mut self.faces[first..first + TILE];
            let nears = &mut self.near[first..first + TILE];
            let farthest = &mut self.farthest[first..first + TILE];
            let mut edges = row;
            for px in columns[0]..=columns[1] {
                let [e0, e1, e2] = &edges;
                let mut any = false;
                for s in 0..S {
                    any |= e0[s] | e1[s] | e2[s] >= zero;
                }
                if any {
                    let pixel = px as usize & (TILE - 1);
                    let (faces, nears) = (&mut faces[pixel], &mut nears[pixel]);
                    let mut least = f32::INFINITY;
                    for s in 0..S {
                        let inside = e0[s] | e1[s] | e2[s] >= zero;
                        let depth =
                            near[0] + (e1[s].float() * slopes[0] + e2[s].float() * slopes[1]);
                        let wins = inside & (depth > nears[s]);
                        nears[s] = if wins { depth } else { nears[s] };
                        faces[s] = if wins { face } else { faces[s] };
                        least = least.min(nears[s]);
                    }
                    farthest[pixel] = least;
                }
                advance(&mut edges, right);
            }
            advance(&mut row, down);
        }
    }
}

/// Moves the values of edges by one pixel. A plain loop: closures over arrays are calls where they are not inlined.
#[inline]
fn advance<N: Whole, const S: usize>(edges: &mut [[N; S]; 3], steps: [N; 3]) {
    for (edge, step) in edges.iter_mut().zip(steps) {
        for value in edge {
            *value = *value + step;
        }
    }
}

/// Returns the least and the greatest of three numbers.
fn extent([a, b, c]: [i32; 3]) -> [i32; 2] {
    [a.min(b).min(c), a.max(b).max(c)]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::mesh::Rng;

    /// Each sample of a torn square belongs to exactly one of its triangles, which turn either way.
    #[test]
    fn neighbours_share_samples_once() {
        for (cells, size) in [(1, 32), (4, 32), (23, 32), (90, 32), (3, 400)] {
            let mut rng = Rng::new(7);
            let n = cells + 1;
            let step = size * SUBPIXELS / cells;
            let spots: Vec<Spot> = (0..n * n)
                .map(|i| {
                    let (x, y) = (i % n, i / n);
                    let inside = |k: i32| k > 0 && k < cells;
                    let mut shift =
                        || (rng.next_u64() % (step as u64 / 2).max(1)) as i32 - step / 4;
                    let (dx, dy) = (shift(), shift());
                    Spot {
                        x: x * step + if inside(x) { dx } else { 0 },
                        y: y * step + if inside(y) { dy } else { 0 },
                        near: 1.0,
                    }
                })
                .collect();
            let mut count = vec![[0u32; 4]; TILE * TILE];
            let mut tile = TileBuffer::<4>::new();
            for i in 0..cells * cells {
                let (x, y) = (i % cells, i / cells);
                let [a, b, c, d] = [(0, 0), (1, 0), (0, 1), (1, 1)]
                    .map(|(dx, dy)| spots[((y + dy) * n + x + dx) as usize]);
                for corners in [[a, b, d], [d, a, c]] {
                    tile.clear();
                    tile.draw(0, corners, [0, 0]);
                    for (count, faces) in count.iter_mut().zip(&tile.faces) {
                        for s in 0..4 {
                            count[s] += u32::from(faces[s] == 0);
                        }
                    }
                }
            }
            let covered = (step * cells / SUBPIXELS).min(TILE as i32) as usize;
            let inside = (0..covered * covered).map(|i| count[i / covered * TILE + i % covered]);
            assert!(inside.into_iter().all(|c| c == [1; 4]), "{cells} cells");
        }
    }

    #[test]
    fn samples_share_no_column_or_row() {
        fn check<const S: usize>() {
            let Pattern { mut x, mut y } = Pattern::<S>::new();
            x.sort_unstable();
            y.sort_unstable();
            let Lattice { first, step } = Pattern::<S>::lattice();
            let want: [i32; S] = std::array::from_fn(|i| first + i as i32 * step);
            assert_eq!((x, y), (want, want));
        }
        check::<4>();
        check::<16>();
    }

    #[test]
    fn the_nearest_face_wins() {
        let spot = |x: i32, y: i32, near: f32| Spot {
            x: x * SUBPIXELS,
            y: y * SUBPIXELS,
            near,
        };
        let square = |near: f32| {
            [
                spot(-70, -70, near),
                spot(-70, 200, near),
                spot(200, -70, near),
            ]
        };
        let mut tile = TileBuffer::<4>::new();
        for (face, near) in [(0, 1.0), (1, 3.0), (2, 2.0), (3, 3.0)] {
            tile.draw(face, square(near), [0, 0]);
        }
        assert!(tile.faces.iter().all(|f| *f == [1; 4]));
    }
}
