//! Textures: images on a surface, placed by texture coordinates.

mod decode;
mod load;
mod mip;

pub(crate) use load::{MeshTextures, TextureLoader};
pub(crate) use mip::MipImage;

use crate::color::LinearColor;
use crate::surface::Hit;
use rxmesh_host::mesh::{BaseTexture, TextureWrap};
use std::sync::Arc;

/// Most places along the longer side of a pixel's footprint at which an image is looked up.
const MOST_PROBES: f32 = 8.0;

/// An image with the rules for its coordinates.
#[derive(Debug, Clone)]
pub(crate) struct PlacedImage {
    pub(crate) image: Arc<MipImage>,
    pub(crate) wrap: [TextureWrap; 2],
    pub(crate) is_nearest: bool,
    /// Rows of the transform of coordinates that count from the upper edge; the last number is added.
    transform: [[f32; 3]; 2],
}

impl PlacedImage {
    /// Returns an image that is repeated.
    pub(crate) fn repeated(image: Arc<MipImage>) -> PlacedImage {
        PlacedImage {
            image,
            wrap: [TextureWrap::Repeat; 2],
            is_nearest: false,
            transform: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
        }
    }

    /// Returns an image with the rules of a material.
    pub(crate) fn new(image: Arc<MipImage>, texture: &BaseTexture) -> PlacedImage {
        let ([x, y], [right, down]) = (texture.scale, texture.offset);
        let (sin, cos) = (libm::sinf(texture.rotation), libm::cosf(texture.rotation));
        PlacedImage {
            image,
            wrap: texture.wrap,
            is_nearest: texture.is_nearest,
            transform: [[cos * x, sin * y, right], [-sin * x, cos * y, down]],
        }
    }

    /// Returns the colour of a place of a face, whose corners have texture coordinates that count from the lower edge;
    /// `None` if they are no numbers.
    pub(crate) fn color(&self, hit: &Hit, corners: &[[f32; 2]]) -> Option<LinearColor> {
        let (places, size) = (self.places(corners), self.image.size());
        let texels = [0, 1].map(|axis| places[axis].map(|x| x * size[axis]));
        let at = texels.map(|of| hit.blend(of));
        if !at.iter().all(|x| x.is_finite()) {
            return None;
        }
        let [du, dv] = texels.map(|of| hit.gradient(of));
        let sides = [[du[0], dv[0]], [du[1], dv[1]]];
        Some(self.filtered(at, sides))
    }

    /// Returns the places of three corners in the image along its upper side and downwards, each of length 1.
    fn places(&self, corners: &[[f32; 2]]) -> [[f32; 3]; 2] {
        self.transform.map(|[a, b, c]| {
            [0, 1, 2].map(|k| {
                let [u, v] = [corners[k][0], 1.0 - corners[k][1]];
                a * u + b * v + c
            })
        })
    }

    /// Returns the mean colour of a parallelogram round a place, in texels.
    fn filtered(&self, [u, v]: [f32; 2], sides: [[f32; 2]; 2]) -> LinearColor {
        let length = |[x, y]: [f32; 2]| (x * x + y * y).sqrt();
        let [across, down] = sides.map(length);
        let (long, most, least) = if across > down {
            (sides[0], across, down)
        } else {
            (sides[1], down, across)
        };
        if self.is_nearest && most < 1.0 {
            return self.image.nearest([u, v], self.wrap);
        }
        // Several round footprints along a long one: as many as its sides differ.
        let probes = (most / least.max(1.0)).ceil().clamp(1.0, MOST_PROBES);
        let level = libm::log2f((most / probes).max(least).max(1.0));
        let probes = probes as usize;
        let mut sum = [0.0; 3];
        for i in 0..probes {
            let t = (i as f32 + 0.5) / probes as f32 - 0.5;
            let color = self
                .image
                .at([u + t * long[0], v + t * long[1]], level, self.wrap);
            for (sum, channel) in sum.iter_mut().zip(color) {
                *sum += channel;
            }
        }
        sum.map(|s| s / probes as f32)
    }
}

/// Colour of the faces of one material.
#[derive(Debug, Clone)]
pub(crate) struct CoatMaterial {
    /// Colour that the image is multiplied by, or the only one.
    pub(crate) color: LinearColor,
    pub(crate) image: Option<PlacedImage>,
    /// Place of the texture coordinates among [`TextureCoat::sets`].
    pub(crate) set: usize,
    pub(crate) is_two_sided: bool,
}

/// Colours of a surface by materials.
#[derive(Debug)]
pub(crate) struct TextureCoat {
    /// The last one is for faces without a material.
    pub(crate) materials: Vec<CoatMaterial>,
    /// Material of each face; empty if all have the first.
    pub(crate) of_faces: Vec<u32>,
    /// Texture coordinates of the corners of all faces; `NaN` where there are none.
    pub(crate) sets: Vec<Vec<[f32; 2]>>,
    /// Colours of the vertices, which those of the materials are multiplied by; empty if there are none.
    pub(crate) colors: Vec<LinearColor>,
}

impl TextureCoat {
    fn material(&self, face: usize) -> &CoatMaterial {
        let place = self.of_faces.get(face).map_or(0, |&m| m as usize);
        &self.materials[place]
    }

    /// Returns the colour at a place.
    pub(crate) fn color(&self, hit: &Hit) -> LinearColor {
        let material = self.material(hit.face);
        let texture = material.image.as_ref().and_then(|image| {
            let set = self.sets.get(material.set)?;
            image.color(hit, set.get(3 * hit.face..3 * hit.face + 3)?)
        });
        let mut color = material.color;
        if let Some(texture) = texture {
            color = std::array::from_fn(|i| color[i] * texture[i]);
        }
        if !self.colors.is_empty() {
            let of = hit.corners.map(|v| self.colors[v as usize]);
            color = std::array::from_fn(|i| color[i] * hit.blend([of[0][i], of[1][i], of[2][i]]));
        }
        color
    }

    /// Returns the places of the corners of a face in its image, from the upper left corner, whose sides are 1; `None`
    /// without an image or coordinates.
    pub(crate) fn coordinates(&self, face: usize) -> Option<[[f32; 2]; 3]> {
        let material = self.material(face);
        let set = self.sets.get(material.set)?;
        let [u, v] = material
            .image
            .as_ref()?
            .places(set.get(3 * face..3 * face + 3)?);
        let corners = [0, 1, 2].map(|k| [u[k], v[k]]);
        corners
            .as_flattened()
            .iter()
            .all(|x| x.is_finite())
            .then_some(corners)
    }

    /// Returns `true` if the other side of a face looks as this one.
    pub(crate) fn is_two_sided(&self, face: usize) -> bool {
        self.material(face).is_two_sided
    }
}
