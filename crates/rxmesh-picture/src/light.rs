//! Lights: a soft key light from the upper left, a fill light from the right, a rim light from behind, and the sky.

use crate::camera::Axes;
use crate::color::LinearColor;
use crate::normals::unit;
use glam::{DVec3, Vec3};

/// Direction to a light, and its colour.
#[derive(Debug, Clone, Copy)]
struct Lamp {
    toward: Vec3,
    color: LinearColor,
    /// Share of the dark side that the light reaches, as that of a large lamp does, and 1 / (1 + share).
    wrap: f32,
    inverse: f32,
}

/// Lights of a picture, in the mesh's space.
#[derive(Debug, Clone)]
pub(crate) struct Lights {
    lamps: [Lamp; 3],
    up: Vec3,
    sky: LinearColor,
    ground: LinearColor,
    /// Middle between the directions to the key light and to the viewer.
    highlight: Vec3,
    viewer: Vec3,
    shine: f32,
}

impl Lights {
    /// Returns the lights of a camera: they turn with it. Colours of values are read from the picture, so their surface
    /// is lit more evenly and does not shine.
    pub(crate) fn new(axes: &Axes, even: bool) -> Lights {
        let place = |right: f64, up: f64, toward: f64| -> Vec3 {
            let v: DVec3 = axes.right * right + axes.up * up + axes.toward * toward;
            unit(v.as_vec3())
        };
        let lamp = |toward: Vec3, color: LinearColor, wrap: f32| Lamp {
            toward,
            color,
            wrap,
            inverse: 1.0 / (1.0 + wrap),
        };
        let key = place(-0.55, 0.75, 0.70);
        let viewer = place(0.0, 0.0, 1.0);
        let (strong, sky, ground) = match even {
            true => (0.46, [0.55, 0.55, 0.56], [0.32, 0.31, 0.31]),
            false => (0.92, [0.30, 0.32, 0.35], [0.10, 0.095, 0.09]),
        };
        Lights {
            lamps: [
                lamp(key, [strong, strong * 0.98, strong * 0.94], 0.25),
                lamp(place(0.85, 0.05, 0.55), [0.11, 0.12, 0.14], 0.35),
                lamp(place(0.35, 0.4, -0.75), [0.30, 0.32, 0.35], 0.15),
            ],
            up: place(0.0, 1.0, 0.15),
            sky,
            ground,
            highlight: unit(key + viewer),
            viewer,
            shine: if even { 0.02 } else { 0.07 },
        }
    }

    /// Returns the light that a surface of a colour sends to the viewer.
    #[inline]
    pub(crate) fn shade(&self, color: LinearColor, normal: Vec3) -> LinearColor {
        let high = 0.5 + 0.5 * normal.dot(self.up);
        let mut light: LinearColor =
            std::array::from_fn(|i| self.ground[i] + high * (self.sky[i] - self.ground[i]));
        for lamp in &self.lamps {
            let facing = (normal.dot(lamp.toward) + lamp.wrap) * lamp.inverse;
            let facing = facing.max(0.0);
            for (sum, part) in light.iter_mut().zip(lamp.color) {
                *sum += facing * part;
            }
        }
        // Thirty-second power, and a brighter border, as of any smooth surface (Schlick's fifth power).
        let mut gloss = normal.dot(self.highlight).max(0.0);
        for _ in 0..5 {
            gloss *= gloss;
        }
        let away = 1.0 - normal.dot(self.viewer).clamp(0.0, 1.0);
        let border = away * away * away * away * away;
        let shine = self.shine * (gloss + 1.2 * border);
        std::array::from_fn(|i| color[i] * light[i] + shine)
    }
}
