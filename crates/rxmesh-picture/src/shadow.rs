//! The soft shadow of a mesh on the ground below it, as on a day without sun.
//!
//! The lowest surface over each cell of a grid hides a part of the sky from each other cell: the form factor of two
//! small parallel patches, `A h^2 / (pi (d^2 + h^2)^2)` at height `h` and distance `d` along the ground.

use crate::camera::Camera;
use crate::options::UpAxis;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::UsedVertices;

/// Cells along a side.
const CELLS: usize = 72;
/// Free border of the grid round the mesh, as a share of the mesh's radius.
const BORDER: f64 = 0.3;

/// Most groups of vertices or faces, each of which has a grid.
const GROUPS: usize = 16;
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
        // Places are sums and products of coordinates, axis by axis, so the box of the places is that of the positions.
        let used = mesh.used_vertices();
        let (least, most) = extent(mesh, &used);
        let ([x0, y0], ground) = split(up, camera.ball(least));
        let ([x1, y1], _) = split(up, camera.ball(most));
        let low = [x0 - BORDER, y0 - BORDER];
        let cell = [x1 - x0, y1 - y0].map(|size| (size + 2.0 * BORDER) / CELLS as f64);
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
        let heights = shadow.heights(mesh, &used, camera);
        shadow.hidden = shadow.hide(&heights);
        shadow
    }

    /// Returns the height of the lowest surface over the middle of each cell.
    fn heights(&self, mesh: &TriMesh, used: &UsedVertices, camera: &Camera) -> Vec<f32> {
        // In cells from the middle of the first one, and the height.
        let cells = self.cell.map(|size| 1.0 / size);
        let corner = |p: &Vec3| {
            let ([x, y], height) = split(self.up, camera.ball(*p));
            let x = (x - self.low[0]) * cells[0] - 0.5;
            let y = (y - self.low[1]) * cells[1] - 0.5;
            [x as f32, y as f32, (height - self.ground) as f32]
        };
        let positions = mesh.positions.par_iter().with_min_len(1 << 12);
        let corners: Vec<[f32; 3]> = positions.map(corner).collect();
        // Small faces between the middles of cells count by their corners.
        let share = corners.len().div_ceil(GROUPS).max(1 << 14);
        let nearest = corners.par_chunks(share).enumerate().map(|(i, part)| {
            let mut heights = vec![f32::INFINITY; CELLS * CELLS];
            for (k, [x, y, height]) in part.iter().enumerate() {
                if used.contains(i * share + k) {
                    let [x, y] = [x, y].map(|x| ((x + 0.5).max(0.0) as usize).min(CELLS - 1));
                    lower(&mut heights[y * CELLS + x], *height);
                }
            }
            heights
        });
        let share = mesh.faces.len().div_ceil(GROUPS).max(1 << 14);
        let faces = mesh.faces.par_chunks(share).map(|part| {
            let mut heights = vec![f32::INFINITY; CELLS * CELLS];
            for face in part {
                let corners = face.map(|v| corners[v as usize]);
                scan(corners, |x, y, height| {
                    lower(&mut heights[y * CELLS + x], height);
                });
            }
            heights
        });
        let least = |mut a: Vec<f32>, b: Vec<f32>| {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = a.min(b));
            a
        };
        let empty = || vec![f32::INFINITY; CELLS * CELLS];
        nearest.chain(faces).reduce(empty, least)
    }

    /// Returns the hidden share of the sky at each cell.
    fn hide(&self, heights: &[f32]) -> Vec<f32> {
        /// Sums that grow side by side.
        const LANES: usize = 8;
        let [width, depth] = self.cell.map(|c| c as f32);
        let area = width * depth / std::f32::consts::PI;
        let least = 0.5 * width.min(depth);
        let place = |i: usize| [(i % CELLS) as f32 * width, (i / CELLS) as f32 * depth];
        let over: Vec<usize> = (0..heights.len())
            .filter(|&i| heights[i] < f32::INFINITY)
            .collect();
        // Patches of height 0 hide nothing and fill the last group; they are far away, so that nothing is divided by 0.
        let groups = over.chunks(LANES).map(|group| {
            let mut patches = [[1e9f32; LANES], [1e9; LANES], [0.0; LANES]];
            for (lane, &i) in group.iter().enumerate() {
                let height = heights[i].max(least);
                let [x, y] = place(i);
                (patches[0][lane], patches[1][lane]) = (x, y);
                patches[2][lane] = height * height;
            }
            patches
        });
        let groups: Vec<[[f32; LANES]; 3]> = groups.collect();
        let hidden = |i: usize| {
            let [x, y] = place(i);
            let mut sums = [0.0f32; LANES];
            for [xs, ys, squares] in &groups {
                for lane in 0..LANES {
                    let (dx, dy, square) = (xs[lane] - x, ys[lane] - y, squares[lane]);
                    let distance = dx * dx + dy * dy + square;
                    sums[lane] += square / (distance * distance);
                }
            }
            let sum: f32 = sums.iter().sum();
            // The far, faint part would end at a visible border.
            ((sum * area).min(1.0) - FAINT).max(0.0) * (1.0 / (1.0 - FAINT))
        };
        (0..heights.len())
            .into_par_iter()
            .with_min_len(CELLS)
            .map(hidden)
            .collect()
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

/// Keeps the lower of two heights.
fn lower(cell: &mut f32, height: f32) {
    *cell = cell.min(height);
}

/// Returns the corners of the box round the vertices that count; both are the origin if there is none.
fn extent(mesh: &TriMesh, used: &UsedVertices) -> (Vec3, Vec3) {
    let counted = (0..mesh.positions.len()).filter(|&v| used.contains(v));
    let each = counted.map(|v| (mesh.positions[v], mesh.positions[v]));
    each.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
        .unwrap_or_default()
}

/// Calls a function for every cell whose middle is in a triangle, with the height there.
fn scan([a, b, c]: [[f32; 3]; 3], mut visit: impl FnMut(usize, usize, f32)) {
    // From the first middle at or above the least place to the last one at or below the greatest.
    let range = |i: usize| {
        let low = a[i].min(b[i]).min(c[i]).max(0.0);
        let high = a[i].max(b[i]).max(c[i]).min((CELLS - 1) as f32);
        let first = low as usize;
        first + usize::from((first as f32) < low)..(high + 1.0).max(0.0) as usize
    };
    let (columns, rows) = (range(0), range(1));
    if columns.is_empty() || rows.is_empty() {
        return;
    }
    let cross = |p: [f32; 3], q: [f32; 3], x: f32, y: f32| {
        (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0])
    };
    let area = cross(a, b, c[0], c[1]);
    if area == 0.0 {
        return;
    }
    for row in rows {
        for column in columns.clone() {
            let (x, y) = (column as f32, row as f32);
            let weights = [
                cross(b, c, x, y) / area,
                cross(c, a, x, y) / area,
                cross(a, b, x, y) / area,
            ];
            if weights.iter().all(|&w| w >= 0.0) {
                let height = weights[0] * a[2] + weights[1] * b[2] + weights[2] * c[2];
                visit(column, row, height);
            }
        }
    }
}
