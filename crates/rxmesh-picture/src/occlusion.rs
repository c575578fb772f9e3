//! Ambient occlusion from the distances of the picture: how much of the sky the surface near a pixel hides from it.
//!
//! An estimator of McGuire, Mara and Luebke, Scalable Ambient Obscurance, 2012: points along a spiral around the pixel
//! are looked up, and each hides the more of the sky the higher it stands over the pixel's tangent plane and the nearer
//! it is. Spirals of neighbours are turned against each other, and a small blur averages each turn once.

use crate::camera::Camera;
use rayon::prelude::*;

/// Points that are looked up for each pixel.
const POINTS: usize = 20;
/// Turns of the spiral.
const TURNS: f64 = 7.0;
/// Largest distance, over the radius of the mesh, from which a point hides the sky.
const REACH: f32 = 0.5;
/// Strength of the occlusion.
const STRENGTH: f32 = 3.2;
/// Cosine to the normal up to which a point hides nothing: facets of a smooth surface would.
const BIAS: f32 = 0.06;
/// Side of the square of pixels whose spirals differ.
const BLOCK: usize = 4;

/// Points of a pixel's spiral, as shares of the radius in the picture.
type Spiral = [[f32; 2]; POINTS];

/// Distances and normals of a picture, row by row.
pub(crate) struct Depths<'a> {
    pub(crate) width: usize,
    /// Distance along the camera's axis; infinite without a surface.
    pub(crate) distance: &'a [f32],
    /// Normals in the frame of the picture: right, up, toward the viewer.
    pub(crate) normals: &'a [[i16; 3]],
}

fn spirals() -> Vec<Spiral> {
    let turns = BLOCK * BLOCK;
    let tau = 2.0 * std::f64::consts::PI;
    let spiral = |k: usize| -> Spiral {
        std::array::from_fn(|i| {
            // Neighbours differ by an odd number of sixteenths, in angle and along the spiral.
            let turn = (k * 7 % turns) as f64 / turns as f64;
            let along = (i as f64 + 0.25 + 0.5 * turn) / POINTS as f64;
            let angle = tau * (along * TURNS + turn);
            let radius = along * libm::sqrt(along);
            [
                (radius * libm::cos(angle)) as f32,
                (radius * libm::sin(angle)) as f32,
            ]
        })
    };
    (0..turns).map(spiral).collect()
}

/// Returns the share of light that reaches each pixel, from 0 to 1; 1 without a surface.
pub(crate) fn occlusion(depths: &Depths<'_>, camera: &Camera) -> Vec<f32> {
    let width = depths.width;
    let spirals = spirals();
    let mut raw = vec![1.0f32; depths.distance.len()];
    raw.par_chunks_mut(width).enumerate().for_each(|(y, row)| {
        for (x, open) in row.iter_mut().enumerate() {
            if depths.distance[y * width + x] < f32::INFINITY {
                let spiral = &spirals[(y % BLOCK) * BLOCK + x % BLOCK];
                *open = depths.open(camera, [x, y], spiral);
            }
        }
    });
    let mut smooth = vec![1.0f32; raw.len()];
    smooth
        .par_chunks_mut(width)
        .enumerate()
        .for_each(|(y, row)| {
            for (x, open) in row.iter_mut().enumerate() {
                if depths.distance[y * width + x] < f32::INFINITY {
                    *open = depths.blurred(&raw, [x, y]);
                }
            }
        });
    smooth
}

impl Depths<'_> {
    fn height(&self) -> usize {
        self.distance.len() / self.width
    }

    /// Returns the share of light that reaches a pixel with a surface.
    fn open(&self, camera: &Camera, [x, y]: [usize; 2], spiral: &Spiral) -> f32 {
        let (width, height) = (self.width as f32, self.height() as f32);
        let inverse = 1.0 / camera.focal as f32;
        let centre = camera.centre.map(|c| c as f32);
        let at = y * self.width + x;
        let depth = self.distance[at];
        let normal = self.normals[at].map(|n| f32::from(n) * (1.0 / f32::from(i16::MAX)));
        let (cx, cy) = (x as f32 + 0.5, y as f32 + 0.5);
        let place = |x: f32, y: f32, depth: f32| {
            let scale = depth * inverse;
            [(x - centre[0]) * scale, (centre[1] - y) * scale, -depth]
        };
        let own = place(cx, cy, depth);
        let radius = REACH / (depth * inverse);
        let mut hidden = 0.0f32;
        for [dx, dy] in spiral {
            let (px, py) = (cx + dx * radius, cy + dy * radius);
            if !(px >= 0.0 && py >= 0.0 && px < width && py < height) {
                continue;
            }
            let (px, py) = (px as usize, py as usize);
            let far = self.distance[py * self.width + px];
            if far == f32::INFINITY {
                continue;
            }
            let other = place(px as f32 + 0.5, py as f32 + 0.5, far);
            let v: [f32; 3] = std::array::from_fn(|i| other[i] - own[i]);
            let square = v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
            let over = v[0] * normal[0] + v[1] * normal[1] + v[2] * normal[2];
            let cosine = over / square.max(1e-12).sqrt();
            let fade = (1.0 - square * (1.0 / (REACH * REACH))).max(0.0);
            hidden += (cosine - BIAS).max(0.0) * fade;
        }
        (1.0 - STRENGTH / POINTS as f32 * hidden).max(0.0)
    }

    /// Returns the mean over a block of pixels, of those at a similar distance.
    fn blurred(&self, raw: &[f32], [x, y]: [usize; 2]) -> f32 {
        let depth = self.distance[y * self.width + x];
        let near = 0.02 * depth;
        let (mut sum, mut weight) = (0.0f32, 0.0f32);
        let half = BLOCK / 2;
        for py in y.saturating_sub(half - 1)..(y + half + 1).min(self.height()) {
            for px in x.saturating_sub(half - 1)..(x + half + 1).min(self.width) {
                let at = py * self.width + px;
                if (self.distance[at] - depth).abs() < near {
                    sum += raw[at];
                    weight += 1.0;
                }
            }
        }
        // The pixel itself is always there.
        sum / weight
    }
}
