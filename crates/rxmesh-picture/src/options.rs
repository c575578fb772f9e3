//! Options of a picture.

use crate::color::{LinearColor, Rgb};
use crate::error::PictureError;
use std::path::PathBuf;

/// Largest width or height of a picture, in pixels.
pub const MAX_SIDE: u32 = 16_384;
/// Largest number of pixels of a picture.
pub const MAX_PIXELS: u64 = 1 << 26;

/// Axis of the mesh that points upwards in the picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UpAxis {
    /// As in OBJ and glTF.
    #[default]
    Y,
    /// As in CAD, scans of landscapes and robotics.
    Z,
}

/// Direction from which the mesh is seen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Viewpoint {
    /// Degrees round the vertical axis, from the front to the right of the viewer.
    pub azimuth: f64,
    /// Degrees above the horizon, from -90 to 90.
    pub elevation: f64,
}

impl Default for Viewpoint {
    /// Returns a view from the front, half from the right and a little from above.
    fn default() -> Viewpoint {
        Viewpoint {
            azimuth: 30.0,
            elevation: 20.0,
        }
    }
}

/// Background of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Background {
    /// White.
    #[default]
    White,
    /// Nothing: the picture has an alpha channel.
    Transparent,
    /// One colour.
    Plain(Rgb),
}

impl Background {
    /// Returns its light.
    pub(crate) fn light(self) -> LinearColor {
        match self {
            Background::White | Background::Transparent => [1.0; 3],
            Background::Plain(color) => color.linear(),
        }
    }
}

/// Colour of the surface.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum Paint {
    /// Images and colours of the mesh's materials, else colours of the mesh, if it has any, else one colour.
    #[default]
    Usual,
    /// One colour.
    Plain(Rgb),
    /// Column of one value per vertex or face, mapped to colours, with a legend.
    Column(String),
    /// Checkers of the texture coordinates.
    Checker,
    /// An image, a PNG or JPEG file, placed by the texture coordinates.
    Texture(PathBuf),
    /// A colour per number of a face: [`Panel::labels`](crate::Panel::labels).
    Labels,
    /// A colour per group, object or material of the file.
    Groups,
    /// A colour per connected part.
    Parts,
}

/// Map from values to colours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ColorMap {
    /// [`Coolwarm`](Self::Coolwarm) for values of both signs, else [`Viridis`](Self::Viridis).
    #[default]
    Auto,
    /// From dark blue over green to yellow, lightness rising evenly (Smith and van der Walt 2015).
    Viridis,
    /// From blue over grey to red, the same lightness at both ends (Moreland 2009).
    Coolwarm,
}

/// Options of a picture.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureOptions {
    /// Width and height in pixels, at most [`MAX_SIDE`] each and [`MAX_PIXELS`] together.
    pub size: [u32; 2],
    /// Axis that points upwards.
    pub up: UpAxis,
    /// Direction of the viewer.
    pub view: Viewpoint,
    /// Magnification: at 1 the mesh fills the picture.
    pub zoom: f64,
    /// Background.
    pub background: Background,
    /// Colour of the surface.
    pub paint: Paint,
    /// Map of a column's values.
    pub map: ColorMap,
    /// Values at the ends of the map; by default those of the column, without outliers.
    pub range: Option<[f64; 2]>,
    /// Number of lines of equal value; needs a column.
    pub isolines: u32,
    /// `true` if each face has one normal.
    pub flat: bool,
    /// Draws the edges of the faces.
    pub edges: bool,
    /// Draws creases, whose faces meet at [`crease_angle`](Self::crease_angle) or more, and the boundary.
    pub creases: bool,
    /// Degrees between the normals of two faces from which on their edge is sharp.
    pub crease_angle: f64,
    /// Draws a soft shadow on the ground below the mesh.
    pub shadow: bool,
}

impl Default for PictureOptions {
    fn default() -> PictureOptions {
        PictureOptions {
            size: [1600, 1200],
            up: UpAxis::default(),
            view: Viewpoint::default(),
            zoom: 1.0,
            background: Background::default(),
            paint: Paint::default(),
            map: ColorMap::default(),
            range: None,
            isolines: 0,
            flat: false,
            edges: false,
            creases: false,
            crease_angle: 60.0,
            shadow: false,
        }
    }
}

impl PictureOptions {
    /// Returns the same options with some changed: `PictureOptions::default().with(|o| o.flat = true)`.
    #[must_use]
    pub fn with(mut self, change: impl FnOnce(&mut Self)) -> Self {
        change(&mut self);
        self
    }

    /// Refuses options that are out of range on every mesh.
    ///
    /// # Errors
    ///
    /// [`PictureError::Options`], which gives the fault and the possible values.
    pub fn check(&self) -> Result<(), PictureError> {
        let [width, height] = self.size;
        if !(1..=MAX_SIDE).contains(&width) || !(1..=MAX_SIDE).contains(&height) {
            return fault(format!(
                "the picture's size is {width} x {height}, but each side must be 1 to {MAX_SIDE} pixels"
            ));
        }
        if u64::from(width) * u64::from(height) > MAX_PIXELS {
            return fault(format!(
                "the picture's size is {width} x {height}, but it may have at most {MAX_PIXELS} pixels"
            ));
        }
        let Viewpoint { azimuth, elevation } = self.view;
        if !azimuth.is_finite() || !(-90.0..=90.0).contains(&elevation) {
            return fault(format!(
                "the view is {azimuth},{elevation}, but must be an angle in degrees and one of -90 to 90"
            ));
        }
        if !(0.05..=20.0).contains(&self.zoom) {
            return fault(format!("zoom is {}, but must be 0.05 to 20", self.zoom));
        }
        if !(0.0..=180.0).contains(&self.crease_angle) {
            return fault(format!(
                "the crease angle is {}, but must be 0 to 180 degrees",
                self.crease_angle
            ));
        }
        if let Some([low, high]) = self.range
            && !(low < high && low.is_finite() && high.is_finite())
        {
            return fault(format!(
                "the range is {low},{high}, but must be two finite numbers, the lower one first"
            ));
        }
        if self.isolines > 1000 {
            return fault(format!(
                "{} isolines are asked for, but at most 1000 can be drawn",
                self.isolines
            ));
        }
        if self.isolines > 0 && !matches!(self.paint, Paint::Column(_)) {
            return fault("isolines are lines of a column's values, and no column is named".into());
        }
        Ok(())
    }
}

/// Returns an error of the options.
pub(crate) fn fault<T>(what: String) -> Result<T, PictureError> {
    Err(PictureError::Options(what))
}
