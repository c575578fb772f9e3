//! The surface at a place of the picture: which point of a face is seen, and its colour.

use crate::camera::{SUBPIXELS, Spot};
use crate::coat::Coat;
use crate::color::{LinearColor, mix};
use crate::light::Lights;
use crate::marks::EdgeMarks;
use crate::normals::{CornerNormals, Scaled};
use glam::Vec3;
use rxmesh_host::TriMesh;

/// Everything that decides the colour of a place.
pub(crate) struct Surface<'a> {
    /// The mesh as it is coloured.
    pub(crate) mesh: &'a TriMesh,
    /// Its shape, the same faces, whose vertices at seams of textures are joined.
    pub(crate) scaled: Scaled<'a>,
    pub(crate) spots: &'a [Spot],
    /// Directions of the picture: right, up, toward the viewer.
    pub(crate) axes: [Vec3; 3],
    /// `None` for flat faces.
    pub(crate) normals: Option<CornerNormals>,
    pub(crate) coat: Coat,
    pub(crate) marks: EdgeMarks,
    pub(crate) lights: Lights,
}

/// A point of a face that is seen.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    pub(crate) face: usize,
    pub(crate) corners: [u32; 3],
    /// Weights of the corners, which sum to 1.
    pub(crate) weights: [f32; 3],
    /// Corners in the picture.
    spots: [Spot; 3],
    /// Twice the areas between the place and the edges opposite the corners, in square subpixels.
    parts: [f32; 3],
    /// Twice the area in the picture, in square pixels; negative for faces seen from behind.
    pub(crate) area: f32,
    pub(crate) near: f32,
}

/// A subpixel in pixels.
const PIXEL: f32 = 1.0 / SUBPIXELS as f32;

impl Hit {
    /// Returns the places of the corners, in pixels, relative to the first.
    pub(crate) fn places(&self) -> [[f32; 2]; 3] {
        let first = self.spots[0];
        self.spots
            .map(|s| [s.x - first.x, s.y - first.y].map(|d| d as f32 * PIXEL))
    }

    /// Returns the value at the place, of the values at the corners.
    pub(crate) fn blend(&self, values: [f32; 3]) -> f32 {
        let [a, b, c] = self.weights;
        a * values[0] + b * values[1] + c * values[2]
    }

    /// Returns the change of a value per pixel to the right and down, as it is in space: at most the difference of the
    /// values at the corners, which is as far as the face goes.
    pub(crate) fn gradient(&self, values: [f32; 3]) -> [f32; 2] {
        let spots = &self.spots;
        let here = self.blend(values);
        let (mut sum, mut change) = (f32::MIN_POSITIVE, [0.0; 2]);
        for (k, value) in values.into_iter().enumerate() {
            let (p, q) = (spots[(k + 1) % 3], spots[(k + 2) % 3]);
            let near = spots[k].near;
            sum += self.parts[k] * near;
            change[0] -= (q.y - p.y) as f32 * near * (value - here);
            change[1] += (q.x - p.x) as f32 * near * (value - here);
        }
        let [a, b, c] = values;
        let most = a.max(b).max(c) - a.min(b).min(c);
        let scale = self.area.signum() * SUBPIXELS as f32 / sum;
        change.map(|c| (c * scale).clamp(-most, most))
    }

    /// Returns the lengths of the edges opposite the corners, in pixels.
    pub(crate) fn lengths(&self) -> [f32; 3] {
        let places = self.places();
        std::array::from_fn(|k| {
            let (p, q) = (places[(k + 1) % 3], places[(k + 2) % 3]);
            let (dx, dy) = (q[0] - p[0], q[1] - p[1]);
            (dx * dx + dy * dy).sqrt().max(PIXEL)
        })
    }

    /// Returns the distance to the edge opposite a corner, in pixels, if the edge has a length.
    pub(crate) fn distance(&self, k: usize, length: f32) -> f32 {
        self.parts[k] * (PIXEL * PIXEL) / length
    }
}

/// Colour and geometry of a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shaded {
    pub(crate) light: LinearColor,
    /// Normal in the frame of the picture: right, up, toward the viewer.
    pub(crate) normal: [f32; 3],
    pub(crate) distance: f32,
}

impl Surface<'_> {
    /// Finds the point of a face that is seen at a place, in [`SUBPIXELS`]; the nearest one if it is beside the face.
    pub(crate) fn hit(&self, face: u32, [x, y]: [i32; 2]) -> Hit {
        let corners = self.mesh.faces[face as usize];
        let spots = corners.map(|v| self.spots[v as usize]);
        let [a, b, c] = spots;
        let cross = |p: Spot, q: Spot, [x, y]: [i32; 2]| {
            i64::from(q.x - p.x) * i64::from(y - p.y) - i64::from(q.y - p.y) * i64::from(x - p.x)
        };
        let area = cross(a, b, [c.x, c.y]);
        let sign = area.signum();
        let edges = [(b, c), (c, a), (a, b)];
        let parts = edges.map(|(p, q)| (cross(p, q, [x, y]) * sign).max(0) as f32);
        // In the picture weights are those of the places; in space, those over the distances.
        let deep: [f32; 3] = std::array::from_fn(|k| parts[k] * spots[k].near);
        let sum = (deep[0] + deep[1] + deep[2]).max(f32::MIN_POSITIVE);
        let flat = (parts[0] + parts[1] + parts[2]).max(f32::MIN_POSITIVE);
        Hit {
            face: face as usize,
            corners,
            weights: deep.map(|d| d * (1.0 / sum)),
            spots,
            parts,
            area: area as f32 * (PIXEL * PIXEL),
            near: sum / flat,
        }
    }

    /// Returns colour and geometry of a face at a place.
    pub(crate) fn shade(&self, face: u32, place: [i32; 2]) -> Shaded {
        let hit = self.hit(face, place);
        // The picture's y points down: areas of faces that turn counter-clockwise are negative there.
        let back = hit.area > 0.0;
        let normal = match &self.normals {
            None => self.scaled.normal(hit.face),
            Some(normals) => {
                let mut sum = Vec3::ZERO;
                let corners = self.scaled.mesh.faces[hit.face];
                for (v, weight) in corners.into_iter().zip(hit.weights) {
                    sum += normals.corner(self.scaled, v, hit.face) * weight;
                }
                crate::normals::unit(sum)
            }
        };
        let normal = if back { -normal } else { normal };
        let color = self.coat.color(&hit);
        let is_other = back && !self.coat.is_two_sided(hit.face);
        let color = if is_other { behind(color) } else { color };
        let light = self.lights.shade(color, normal);
        let light = self.coat.lines(&hit, light);
        let light = self.marks.draw(&hit, light);
        let along = self.axes.map(|axis| normal.dot(axis));
        Shaded {
            light,
            normal: along,
            distance: 1.0 / hit.near,
        }
    }
}

/// Returns the tone of the other side of a surface: darker, and towards the colour of clay.
fn behind(color: LinearColor) -> LinearColor {
    mix(color.map(|c| 0.55 * c), [0.42, 0.19, 0.11], 0.55)
}
