//! The soft shadow of a mesh on the ground below it, as on a day without sun.
//!
//! The lowest surface over each cell of a grid hides a part of the sky from each other cell: the form factor of two
//! small parallel patches, `A h^2 / (pi (d^2 + h^2)^2)` at height `h` and distance `d` along the ground.

use crate::camera::Camera;
use crate::options::UpAxis;
use glam::DVec3;
use rayon::prelude::*;
use rxmesh_host::TriMesh;

/// Cells along a side.
const CELLS: usize = 72;
/// Free border of the grid round the mesh, as a share of the mesh's radius.
const BORDER: f64 = 0.3;

/// Hidden share of the sky that makes no shadow.
const FAINT: f32 = 0.025;

/// Shadow on the ground.
pub(crate) struct Shadow {
    up: UpAxis,
    /// Height of the ground, and the first corner and size of the cells, in the camera's unit ball.
    ground: f64,
    low: [f64; 2],
    cell: [f64; 2],
    /// Hidden share of the sky at each cell.
    hidden: Vec<f32>,
}

/// Returns the places along the ground, and the height.
fn split(up: UpAxis, p: DVec3) -> ([f64; 2], f64) {
    match up {
        UpAxis::Y => ([p.x, p.z], p.y),
        UpAxis::Z => ([p.x, p.y], p.z),
    }
}

impl Shadow {
    /// Computes the shadow of a mesh.
    pub(crate) fn new(mesh: &TriMesh, camera: &Camera, up: UpAxis) -> Shadow {
        let corner = |v: u32| split(up, camera.ball(mesh.positions[v as usize]));
        let none = [
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
            f64::INFINITY,
        ];
        let smaller = |a: [f64; 5], b: [f64; 5]| std::array::from_fn(|i| a[i].min(b[i]));
        // The largest places are the smallest of the opposites.
        let reach = |f: &[u32; 3]| {
            let each = f.map(corner).map(|([x, y], h)| [x, y, -x, -y, h]);
            smaller(each[0], smaller(each[1], each[2]))
        };
        let faces = mesh.faces.par_iter().with_min_len(1 << 12);
        let [x0, y0, x1, y1, ground] = faces.map(reach).reduce(|| none, smaller);
        let low = [x0 - BORDER, y0 - BORDER];
        let cell = [-x1 - x0, -y1 - y0].map(|size| (size + 2.0 * BORDER) / CELLS as f64);
        let mut shadow = Shadow {
            up,
            ground,
            low,
            cell,
            hidden: Vec::new(),
        };
        if mesh.faces.is_empty() {
            return shadow;
        }
        let heights = shadow.heights(mesh, corner);
        shadow.hidden = shadow.hide(&heights);
        shadow
    }

    /// Returns the height of the lowest surface over the middle of each cell.
    fn heights(&self, mesh: &TriMesh, corner: impl Fn(u32) -> ([f64; 2], f64) + Sync) -> Vec<f32> {
        let empty = || vec![f32::INFINITY; CELLS * CELLS];
        let lower = |mut all: Vec<f32>, face: &[u32; 3]| {
            let corners = face.map(&corner);
            let places =
                corners.map(|(p, _)| [0, 1].map(|i| (p[i] - self.low[i]) / self.cell[i] - 0.5));
            let heights = corners.map(|(_, h)| h - self.ground);
            let mut put = |x: usize, y: usize, h: f64| {
                let cell = &mut all[y * CELLS + x];
                *cell = cell.min(h as f32);
            };
            // Small faces between the middles of cells count by their corners.
            for (p, h) in places.into_iter().zip(heights) {
                let [x, y] = p.map(|x| ((x + 0.5).max(0.0) as usize).min(CELLS - 1));
                put(x, y, h);
            }
            scan(places, |x, y, [a, b, c]| {
                put(x, y, a * heights[0] + b * heights[1] + c * heights[2])
            });
            all
        };
        let least = |mut a: Vec<f32>, b: Vec<f32>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = a.min(b));
            a
        };
        let share = mesh.faces.len().div_ceil(16).max(1 << 14);
        let parts = mesh
            .faces
            .par_chunks(share)
            .map(|part| part.iter().fold(empty(), lower));
        parts.reduce(empty, least)
    }

    /// Returns the hidden share of the sky at each cell.
    fn hide(&self, heights: &[f32]) -> Vec<f32> {
        let [width, depth] = self.cell.map(|c| c as f32);
        let area = width * depth / std::f32::consts::PI;
        let least = 0.5 * width.min(depth);
        let over: Vec<[f32; 3]> = (0..heights.len())
            .filter(|&i| heights[i] < f32::INFINITY)
            .map(|i| {
                let (x, y) = (i % CELLS, i / CELLS);
                let height = heights[i].max(least);
                [x as f32 * width, y as f32 * depth, height * height]
            })
            .collect();
        let hidden = |i: usize| {
            let (x, y) = ((i % CELLS) as f32 * width, (i / CELLS) as f32 * depth);
            let mut sum = 0.0f32;
            for [ox, oy, square] in &over {
                let (dx, dy) = (ox - x, oy - y);
                let distance = dx * dx + dy * dy + square;
                sum += square / (distance * distance);
            }
            // The far, faint part would end at a visible border.
            ((sum * area).min(1.0) - FAINT).max(0.0) * (1.0 / (1.0 - FAINT))
        };
        (0..heights.len()).into_par_iter().map(hidden).collect()
    }

    /// Returns the hidden share of the sky at the place of the ground that is seen at a pixel, 0 for none.
    pub(crate) fn at(&self, camera: &Camera, [x, y]: [f64; 2]) -> f32 {
        let (origin, direction) = camera.ray(x, y);
        let (start, height) = split(self.up, origin);
        let (along, fall) = split(self.up, direction);
        let above = height - self.ground;
        if self.hidden.is_empty() || !(fall < -1e-3 && above > 1e-3) {
            return 0.0;
        }
        let reach = above / -fall;
        let [x, y] =
            [0, 1].map(|i| (start[i] + reach * along[i] - self.low[i]) / self.cell[i] - 0.5);
        let last = (CELLS - 1) as f64;
        if !(x > 0.0 && y > 0.0 && x < last && y < last) {
            return 0.0;
        }
        let (column, row) = (x as usize, y as usize);
        let (fx, fy) = ((x - column as f64) as f32, (y - row as f64) as f32);
        let of = |dx: usize, dy: usize| self.hidden[(row + dy) * CELLS + column + dx];
        let top = of(0, 0) + fx * (of(1, 0) - of(0, 0));
        let bottom = of(0, 1) + fx * (of(1, 1) - of(0, 1));
        let value = top + fy * (bottom - top);
        // It ends at the border of the grid, and fades towards it.
        let border = x.min(y).min(last - x).min(last - y) as f32;
        let fade = (border * (1.0 / 10.0)).min(1.0);
        value * fade * fade * (3.0 - 2.0 * fade)
    }
}

/// Calls a function for every cell whose middle is in a triangle, with the weights of the corners.
fn scan(places: [[f64; 2]; 3], mut visit: impl FnMut(usize, usize, [f64; 3])) {
    let [a, b, c] = places;
    let cross = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0])
    };
    let area = cross(a, b, c);
    if area == 0.0 {
        return;
    }
    let range = |i: usize| {
        let low = a[i].min(b[i]).min(c[i]).max(0.0);
        let high = a[i].max(b[i]).max(c[i]).min((CELLS - 1) as f64);
        low as usize..=high.max(0.0) as usize
    };
    for y in range(1) {
        for x in range(0) {
            let p = [x as f64, y as f64];
            let weights = [
                cross(b, c, p) / area,
                cross(c, a, p) / area,
                cross(a, b, p) / area,
            ];
            if weights.iter().all(|&w| w >= 0.0) {
                visit(x, y, weights);
            }
        }
    }
}
