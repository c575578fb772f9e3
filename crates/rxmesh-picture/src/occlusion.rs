//! Ambient occlusion from the distances of the picture: how much of the sky the surface near a pixel hides from it.
//!
//! An estimator of McGuire, Mara and Luebke, Scalable Ambient Obscurance, 2012: points along a spiral around the pixel
//! are looked up, and each hides the more of the sky the higher it stands over the pixel's tangent plane and the nearer
//! it is. Spirals of neighbours are turned against each other, and a small blur averages each turn once. In large
//! pictures this is done for one pixel in four, since most of the time goes into looking up distances far apart.

use crate::camera::Camera;
use rayon::prelude::*;
use std::ops::Range;

/// Points that are looked up for each cell.
const POINTS: usize = 20;
/// Turns of the spiral.
const TURNS: f64 = 7.0;
/// Largest distance, over the radius of the mesh, from which a point hides the sky.
const REACH: f32 = 0.5;
/// Strength of the occlusion.
const STRENGTH: f32 = 3.2;
/// Cosine to the normal up to which a point hides nothing: facets of a smooth surface would.
const BIAS: f32 = 0.06;
/// Side of the square of cells whose spirals differ.
const BLOCK: usize = 4;

/// Points of a cell's spiral, as shares of the radius in the picture.
struct Spiral {
    x: [f32; POINTS],
    y: [f32; POINTS],
}

/// Distances and normals of a picture, row by row.
pub(crate) struct Depths<'a> {
    pub(crate) width: usize,
    /// Distance along the camera's axis; infinite without a surface.
    pub(crate) distance: &'a [f32],
    /// Normals in the frame of the picture: right, up, toward the viewer.
    pub(crate) normals: &'a [[i16; 3]],
}

/// Largest difference of distances, over the distance, at which pixels count as parts of one surface.
const SIMILAR: f32 = 0.02;

fn are_similar(a: f32, b: f32) -> bool {
    (a - b).abs() < SIMILAR * b
}

/// Depths of one pixel in each cell of `step` by `step` pixels: the first, if a surface is seen there.
struct Cells {
    step: usize,
    /// Pixels of the picture.
    size: [usize; 2],
    /// Cells in a row.
    width: usize,
    distance: Vec<f32>,
    normals: Vec<[i16; 3]>,
}

impl Cells {
    fn new(depths: &Depths<'_>, step: usize) -> Cells {
        let size = [depths.width, depths.distance.len() / depths.width];
        let [width, height] = size.map(|s| s.div_ceil(step));
        let mut distance = vec![f32::INFINITY; width * height];
        let mut normals = vec![[0i16; 3]; width * height];
        let rows = distance
            .par_chunks_mut(width)
            .zip(normals.par_chunks_mut(width));
        rows.enumerate().for_each(|(y, (distance, normals))| {
            let rows = y * step..((y + 1) * step).min(size[1]);
            for x in 0..width {
                let columns = x * step..((x + 1) * step).min(size[0]);
                let pixels = rows.clone().flat_map(|y| {
                    let first = y * size[0];
                    columns.clone().map(move |x| first + x)
                });
                let mut seen = pixels.filter(|&at| depths.distance[at] < f32::INFINITY);
                if let Some(at) = seen.next() {
                    (distance[x], normals[x]) = (depths.distance[at], depths.normals[at]);
                }
            }
        });
        Cells {
            step,
            size,
            width,
            distance,
            normals,
        }
    }
}

/// Occlusion of a picture.
pub(crate) struct Occlusion {
    cells: Cells,
    /// Share of light that reaches each cell, from 0 to 1; 1 without a surface.
    open: Vec<f32>,
}

fn spirals() -> Vec<Spiral> {
    let turns = BLOCK * BLOCK;
    let tau = 2.0 * std::f64::consts::PI;
    let point = |k: usize, i: usize| {
        // Neighbours differ by an odd number of sixteenths, in angle and along the spiral.
        let turn = (k * 7 % turns) as f64 / turns as f64;
        let along = (i as f64 + 0.25 + 0.5 * turn) / POINTS as f64;
        let angle = tau * (along * TURNS + turn);
        let radius = along * libm::sqrt(along);
        [radius * libm::cos(angle), radius * libm::sin(angle)]
    };
    let spiral = |k: usize| Spiral {
        x: std::array::from_fn(|i| point(k, i)[0] as f32),
        y: std::array::from_fn(|i| point(k, i)[1] as f32),
    };
    (0..turns).map(spiral).collect()
}

impl Occlusion {
    /// Computes the occlusion, once for each cell of `step` by `step` pixels.
    pub(crate) fn new(depths: &Depths<'_>, camera: &Camera, step: usize) -> Occlusion {
        let cells = Cells::new(depths, step);
        let width = cells.width;
        let spirals = spirals();
        let mut raw = vec![1.0f32; cells.distance.len()];
        raw.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
            for x in cells.span(y) {
                if cells.distance[y * width + x] < f32::INFINITY {
                    let spiral = &spirals[(y % BLOCK) * BLOCK + x % BLOCK];
                    row[x] = cells.open(camera, [x, y], spiral);
                }
            }
        });
        let mut open = vec![1.0f32; raw.len()];
        let rows = open.par_chunks_mut(width).enumerate();
        rows.for_each_init(RowSums::default, |sums, (y, row)| {
            sums.add(&cells, &raw, y);
            for x in cells.span(y) {
                row[x] = sums.mean(x);
            }
        });
        Occlusion { cells, open }
    }

    /// Returns the share of light that reaches a pixel whose surface is at a distance: the mean of the nearest cells at
    /// a similar distance.
    pub(crate) fn at(&self, [x, y]: [usize; 2], distance: f32) -> f32 {
        let cells = &self.cells;
        let own = y / cells.step * cells.width + x / cells.step;
        // Cells are seen at their first pixel.
        let (right, down) = (x % cells.step, y % cells.step);
        if (right | down) == 0 {
            return self.open[own];
        }
        let columns = if right > 0 && x / cells.step + 1 < cells.width {
            2
        } else {
            1
        };
        let rows = if down > 0 && own + cells.width < self.open.len() {
            2
        } else {
            1
        };
        let (mut sum, mut count) = (0.0f32, 0.0f32);
        for row in 0..rows {
            for column in 0..columns {
                let at = own + row * cells.width + column;
                if are_similar(cells.distance[at], distance) {
                    sum += self.open[at];
                    count += 1.0;
                }
            }
        }
        if count > 0.0 {
            sum / count
        } else {
            self.open[own]
        }
    }
}

/// Sums over the blocks round the cells of a row.
#[derive(Default)]
struct RowSums {
    light: Vec<f32>,
    count: Vec<f32>,
}

impl RowSums {
    /// Adds the cells at a similar distance in the block round each cell of a row.
    fn add(&mut self, cells: &Cells, raw: &[f32], y: usize) {
        let (width, height) = (cells.width, cells.distance.len() / cells.width);
        for sums in [&mut self.light, &mut self.count] {
            sums.clear();
            sums.resize(width, 0.0);
        }
        let span = cells.span(y);
        let own = &cells.distance[y * width..(y + 1) * width];
        let half = BLOCK / 2;
        for py in y.saturating_sub(half - 1)..(y + half + 1).min(height) {
            let first = py * width;
            for shift in 0..BLOCK {
                // From `half - 1` cells to the left to `half` to the right.
                let start = span.start.max((half - 1).saturating_sub(shift));
                let end = span.end.min((width + half - 1).saturating_sub(shift));
                if start >= end {
                    continue;
                }
                let from = first + start + shift + 1 - half;
                let to = from + end - start;
                let others = cells.distance[from..to].iter().zip(&raw[from..to]);
                let sums = self.light[start..end].iter_mut();
                let sums = sums.zip(&mut self.count[start..end]);
                for (((light, count), depth), (other, raw)) in
                    sums.zip(&own[start..end]).zip(others)
                {
                    let near = are_similar(*other, *depth);
                    *light += if near { *raw } else { 0.0 };
                    *count += if near { 1.0 } else { 0.0 };
                }
            }
        }
    }

    /// Returns the mean over the block round a cell; 1 without a surface.
    fn mean(&self, x: usize) -> f32 {
        if self.count[x] > 0.0 {
            self.light[x] / self.count[x]
        } else {
            1.0
        }
    }
}

impl Cells {
    /// Returns the columns from the first to the last cell with a surface in a row.
    fn span(&self, y: usize) -> Range<usize> {
        let row = &self.distance[y * self.width..(y + 1) * self.width];
        let is_seen = |d: &f32| *d < f32::INFINITY;
        let first = row.iter().position(is_seen).unwrap_or(0);
        let end = row.iter().rposition(is_seen).map_or(0, |last| last + 1);
        first..end
    }

    /// Returns the share of light that reaches a cell with a surface.
    fn open(&self, camera: &Camera, [x, y]: [usize; 2], spiral: &Spiral) -> f32 {
        let step = self.step as f32;
        let [width, height] = self.size.map(|s| s as f32);
        let inverse = 1.0 / camera.focal as f32;
        let centre = camera.centre.map(|c| c as f32);
        let own = y * self.width + x;
        let depth = self.distance[own];
        let normal = self.normals[own].map(|n| f32::from(n) * (1.0 / f32::from(i16::MAX)));
        let (cx, cy) = (x as f32 * step + 0.5, y as f32 * step + 0.5);
        let inverse_step = 1.0 / step;
        let radius = REACH / (depth * inverse);
        // Several points are handled at a time: first their places, then their distances, then what they hide.
        let (mut xs, mut ys) = ([0.0f32; POINTS], [0.0f32; POINTS]);
        let mut at = [0i32; POINTS];
        for i in 0..POINTS {
            let (px, py) = (cx + spiral.x[i] * radius, cy + spiral.y[i] * radius);
            let inside = (px >= 0.0) & (py >= 0.0) & (px < width) & (py < height);
            // Outside of the picture the cell itself is looked up, which hides nothing.
            let (px, py) = if inside { (px, py) } else { (cx, cy) };
            let (px, py) = ((px * inverse_step) as i32, (py * inverse_step) as i32);
            (xs[i], ys[i]) = (px as f32 * step + 0.5, py as f32 * step + 0.5);
            at[i] = py * self.width as i32 + px;
        }
        let far = at.map(|at| self.distance[at as usize]);
        let scale = depth * inverse;
        let (x, y) = ((cx - centre[0]) * scale, (centre[1] - cy) * scale);
        let mut hidden = [0.0f32; POINTS];
        for i in 0..POINTS {
            // Without a surface there the numbers are infinite or none, and the maximum is 0.
            let scale = far[i] * inverse;
            let v = [
                (xs[i] - centre[0]) * scale - x,
                (centre[1] - ys[i]) * scale - y,
                depth - far[i],
            ];
            let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let over = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
            let cosine = over / square.max(1e-12).sqrt();
            let fade = (1.0 - square * (1.0 / (REACH * REACH))).max(0.0);
            hidden[i] = (cosine - BIAS).max(0.0) * fade;
        }
        let hidden: f32 = hidden.iter().sum();
        (1.0 - STRENGTH / POINTS as f32 * hidden).max(0.0)
    }
}
