//! Options of pictures as flags of a command line.

use crate::drawable::{Drawable, EncodedPicture, draw, motion_page, page};
use crate::{
    Background, ColorMap, CutPlane, EncodedPage, Paint, PictureError, PictureOptions, Rgb, UpAxis,
    Viewpoint,
};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum, ValueHint};
use std::path::PathBuf;

/// Flags of a picture: their documentation is the help.
#[derive(Clone, Debug, Args)]
pub struct PictureArgs {
    /// Width and height in pixels [default: 1600x1200; of several meshes 800x800 each]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Side that is seen: front, back, left, right, top, bottom, or two angles in degrees, round the vertical axis and
    /// above the horizon
    #[arg(long, value_name = "SIDE|A,B", default_value = "30,20", allow_hyphen_values = true, value_parser = viewpoint)]
    view: Viewpoint,
    /// Axis of the mesh that points upwards
    #[arg(long, value_name = "AXIS", default_value = "y")]
    up: Upward,
    /// Magnification: at 1 the mesh fills the picture
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    zoom: f64,
    /// Background: white, transparent, or a colour such as #202428
    #[arg(long, value_name = "COLOUR", default_value = "white", value_parser = background)]
    background: Background,
    /// Column whose values are drawn as colours, with a legend; or a colour, such as #8fb3b0 [default: images and
    /// colours of the mesh, if it has any]
    #[arg(long, value_name = "COLUMN|COLOUR", group = "paint")]
    color: Option<String>,
    /// Colour each patch, as the patcher cuts the mesh
    #[arg(long, group = "paint")]
    patches: bool,
    /// Colour each group, object or material of the file
    #[arg(long, group = "paint")]
    groups: bool,
    /// Colour each connected part
    #[arg(long, group = "paint")]
    parts: bool,
    /// Draw checkers of the texture coordinates
    #[arg(long, group = "paint")]
    checker: bool,
    /// Draw an image, a PNG or JPEG file, by the texture coordinates [default: the images of the mesh's materials]
    #[arg(long, value_name = "FILE", group = "paint", value_hint = ValueHint::FilePath)]
    texture: Option<PathBuf>,
    /// Colours of a column's values [default: coolwarm for values of both signs, else viridis]
    #[arg(long, value_name = "MAP", value_enum, requires = "color")]
    map: Option<MapName>,
    /// Values at the ends of the colours [default: those of the column, without outliers]
    #[arg(long, value_name = "LOW,HIGH", requires = "color", allow_hyphen_values = true, value_parser = pair)]
    range: Option<[f64; 2]>,
    /// Number of lines of equal value, of a column of vertices
    #[arg(long, value_name = "N", requires = "color", default_value_t = 0)]
    isolines: u32,
    /// Light each face by its own normal
    #[arg(long)]
    flat: bool,
    /// Draw the edges of the faces
    #[arg(long)]
    edges: bool,
    /// Draw creases and the boundary
    #[arg(long)]
    creases: bool,
    /// Degrees between the normals of two faces from which on they meet in a crease
    #[arg(long, value_name = "DEGREES", default_value_t = 60.0)]
    crease_angle: f64,
    /// Leave out what lies beyond a plane across an axis, at a place from 0 to 1 along the mesh's box: z,0.5, or -z,0.5
    /// for what lies before it; of a volume whole cells
    #[arg(long, value_name = "AXIS,PLACE", allow_hyphen_values = true, value_parser = cut)]
    cut: Option<CutPlane>,
    /// Draw the meshes after each other, N a second, as an animated PNG file [default size: 800x600]
    #[arg(long, value_name = "N")]
    animate: Option<u16>,
    /// Draw no shadow on the ground
    #[arg(long)]
    no_shadow: bool,
}

/// Upward axis, as a flag.
#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Upward {
    Y,
    Z,
}

impl Upward {
    fn axis(self) -> UpAxis {
        match self {
            Upward::Y => UpAxis::Y,
            Upward::Z => UpAxis::Z,
        }
    }
}

/// Flags of a page: their documentation is the help.
#[derive(Clone, Debug, Args)]
pub struct PageArgs {
    /// Column whose values are shown first; or a colour, such as #8fb3b0
    #[arg(long, value_name = "COLUMN|COLOUR")]
    color: Option<String>,
    /// Side that is seen first: front, back, left, right, top, bottom, or two angles in degrees, round the vertical
    /// axis and above the horizon
    #[arg(long, value_name = "SIDE|A,B", default_value = "30,20", allow_hyphen_values = true, value_parser = viewpoint)]
    view: Viewpoint,
    /// Axis of the mesh that points upwards
    #[arg(long, value_name = "AXIS", default_value = "y")]
    up: Upward,
    /// Show flat faces first
    #[arg(long)]
    flat: bool,
    /// Show edges first
    #[arg(long)]
    edges: bool,
    /// Show the meshes as frames of a motion: all have the faces of the first
    #[arg(long)]
    frames: bool,
}

impl PageArgs {
    fn options(&self) -> PictureOptions {
        PictureOptions::default().with(|o| {
            o.paint = self.color.as_deref().map_or(Paint::Usual, paint);
            (o.view, o.up) = (self.view, self.up.axis());
            (o.flat, o.edges) = (self.flat, self.edges);
        })
    }

    /// Refuses options that are out of range on every mesh.
    ///
    /// # Errors
    ///
    /// As [`PictureOptions::check`].
    pub fn check(&self) -> Result<(), PictureError> {
        self.options().check()
    }

    /// Returns a page that shows meshes, the first one first.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, options that do not fit it, and meshes that are no frames of a motion.
    pub fn page(&self, meshes: &[Drawable<'_>]) -> Result<EncodedPage, PictureError> {
        if self.frames {
            motion_page(meshes, &self.options())
        } else {
            page(meshes, &[], &self.options())
        }
    }
}

/// Returns the paint of a colour such as `#8fb3b0`, or of a column of another name.
fn paint(text: &str) -> Paint {
    match Rgb::parse(text).filter(|_| text.starts_with('#')) {
        Some(color) => Paint::Plain(color),
        None => Paint::Column(text.to_owned()),
    }
}

/// Name of a map of colours, as a flag.
#[derive(Debug, Clone, Copy)]
struct MapName(ColorMap);

impl ValueEnum for MapName {
    fn value_variants<'a>() -> &'a [MapName] {
        &[MapName(ColorMap::Viridis), MapName(ColorMap::Coolwarm)]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        let name = match self.0 {
            ColorMap::Coolwarm => "coolwarm",
            _ => "viridis",
        };
        Some(PossibleValue::new(name))
    }
}

fn size(text: &str) -> Result<[u32; 2], String> {
    let wrong = || format!("'{text}' is no size such as 1600x1200");
    let (width, height) = text.split_once('x').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<u32>().map_err(|_| wrong());
    Ok([number(width)?, number(height)?])
}

fn pair(text: &str) -> Result<[f64; 2], String> {
    let wrong = || format!("'{text}' are no two numbers such as 0,1.5");
    let (low, high) = text.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.parse::<f64>().map_err(|_| wrong());
    Ok([number(low)?, number(high)?])
}

fn cut(text: &str) -> Result<CutPlane, String> {
    let wrong = || format!("'{text}' is no axis and place such as z,0.5 or -x,0.25");
    let (axis, at) = text.split_once(',').ok_or_else(wrong)?;
    let name = axis.strip_prefix('-').unwrap_or(axis);
    let number = ["x", "y", "z"]
        .iter()
        .position(|n| *n == name)
        .ok_or_else(wrong)?;
    let at = at
        .parse()
        .ok()
        .filter(|at| (0.0..=1.0).contains(at))
        .ok_or_else(wrong)?;
    Ok(CutPlane {
        axis: number,
        at,
        above: name == axis,
    })
}

fn viewpoint(text: &str) -> Result<Viewpoint, String> {
    let [azimuth, elevation] = match text {
        "front" => [0.0, 0.0],
        "back" => [180.0, 0.0],
        "right" => [90.0, 0.0],
        "left" => [-90.0, 0.0],
        "top" => [0.0, 90.0],
        "bottom" => [0.0, -90.0],
        angles => pair(angles).map_err(|_| {
            format!("'{text}' is neither a side (front, back, left, right, top, bottom) nor two angles such as 30,20")
        })?,
    };
    Ok(Viewpoint { azimuth, elevation })
}

fn background(text: &str) -> Result<Background, String> {
    match (text, Rgb::parse(text)) {
        ("white", _) => Ok(Background::White),
        ("transparent", _) => Ok(Background::Transparent),
        (_, Some(color)) => Ok(Background::Plain(color)),
        _ => Err(format!(
            "'{text}' is neither white, transparent nor a colour such as #202428"
        )),
    }
}

impl PictureArgs {
    /// Returns the options of a picture of some meshes.
    fn options(&self, meshes: usize) -> PictureOptions {
        let several = [800 * meshes.min(16) as u32, 800];
        let paint = match &self.color {
            Some(text) => paint(text),
            None if self.patches => Paint::Labels,
            None if self.groups => Paint::Groups,
            None if self.parts => Paint::Parts,
            None if self.checker => Paint::Checker,
            None => self.texture.clone().map_or(Paint::Usual, Paint::Texture),
        };
        PictureOptions::default().with(|o| {
            let one = o.size;
            o.size = self.size.unwrap_or(match self.animate {
                Some(_) => [800, 600],
                None if meshes > 1 => several,
                None => one,
            });
            o.view = self.view;
            o.up = self.up.axis();
            o.zoom = self.zoom;
            o.background = self.background;
            o.paint = paint;
            o.map = self.map.map_or(ColorMap::Auto, |name| name.0);
            o.range = self.range;
            o.isolines = self.isolines;
            o.flat = self.flat;
            o.edges = self.edges;
            o.creases = self.creases;
            o.crease_angle = self.crease_angle;
            o.shadow = !self.no_shadow;
        })
    }

    /// Refuses options that are out of range on every mesh.
    ///
    /// # Errors
    ///
    /// As [`PictureOptions::check`].
    pub fn check(&self) -> Result<(), PictureError> {
        self.options(1).check()
    }

    /// Returns the plane that cuts the meshes.
    pub fn cut(&self) -> Option<CutPlane> {
        self.cut
    }

    /// Draws meshes: with captions if several stand beside each other.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, and options that do not fit it.
    pub fn draw(&self, meshes: &[Drawable<'_>]) -> Result<EncodedPicture, PictureError> {
        let labels = self.labels(meshes)?;
        draw(meshes, &labels, &self.options(meshes.len()), self.animate)
    }

    /// Returns a page that shows meshes, or a motion if they are to be drawn after each other.
    ///
    /// # Errors
    ///
    /// As [`draw`](Self::draw); meshes that are no frames of a motion.
    pub fn page(&self, meshes: &[Drawable<'_>]) -> Result<EncodedPage, PictureError> {
        let options = self.options(meshes.len());
        match self.animate {
            Some(_) => motion_page(meshes, &options),
            None => page(meshes, &self.labels(meshes)?, &options),
        }
    }

    /// Returns the labels of the faces of each mesh, if these are its colours.
    fn labels(&self, meshes: &[Drawable<'_>]) -> Result<Vec<Vec<u32>>, PictureError> {
        if self.patches {
            meshes.iter().map(Drawable::patches).collect()
        } else {
            Ok(Vec::new())
        }
    }
}
