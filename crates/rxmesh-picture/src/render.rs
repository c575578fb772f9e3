//! The whole picture: panels beside each other, captions and the legend.

use crate::camera::{Camera, Viewport};
use crate::canvas::Canvas;
use crate::coat::{Coat, texture_coordinates};
use crate::color::LinearColor;
use crate::error::PictureError;
use crate::film::Film;
use crate::font;
use crate::image::Picture;
use crate::legend::{Legend, shortened};
use crate::light::Lights;
use crate::marks::EdgeMarks;
use crate::normals::{CornerNormals, Scaled};
use crate::options::{Background, Paint, PictureOptions, fault};
use crate::points;
use crate::shadow::Shadow;
use crate::stages::{PictureStage, StageClock, StageTime};
use crate::surface::Surface;
use crate::texture::{MeshTextures, TextureLoader};
use crate::values::ValueScale;
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::{Column, EdgeTable, ElementKind, SplitSeams};
use std::borrow::Cow;
use std::ops::Range;

/// Most pixels of a picture with 16 samples a pixel; larger ones have 4.
const FINE: u64 = 1 << 20;

/// A mesh in a picture.
#[derive(Debug, Clone, Copy)]
pub struct Panel<'a> {
    /// The mesh; without faces its vertices are drawn as balls.
    pub mesh: &'a TriMesh,
    /// Edges of the polygons that the faces were cut from: the only ones that [`PictureOptions::edges`] draws.
    pub polygon_edges: Option<&'a EdgeTable>,
    /// A number per face, for [`Paint::Labels`].
    pub labels: Option<&'a [u32]>,
    /// Text below the mesh.
    pub caption: Option<&'a str>,
    /// `true` if the mesh is drawn in its own colours, or in one; [`PictureOptions::paint`] is for the others.
    pub is_plain: bool,
}

impl<'a> Panel<'a> {
    /// Returns a panel without anything beside the mesh.
    pub fn new(mesh: &'a TriMesh) -> Panel<'a> {
        Panel {
            mesh,
            polygon_edges: None,
            labels: None,
            caption: None,
            is_plain: false,
        }
    }
}

/// Draws a mesh.
///
/// # Errors
///
/// A mesh or options that are not valid, or do not fit each other; a picture that does not fit into memory.
pub fn render(mesh: &TriMesh, options: &PictureOptions) -> Result<Picture, PictureError> {
    render_panels(&[Panel::new(mesh)], options)
}

/// Draws a mesh and returns the times of the stages, too, for those who look for the longest.
///
/// # Errors
///
/// As [`render`].
pub fn render_timed(
    mesh: &TriMesh,
    options: &PictureOptions,
) -> Result<(Picture, Vec<StageTime>), PictureError> {
    let panels = [Panel::new(mesh)];
    let set = PanelSet::new(&panels, options, 1)?;
    let picture = set.page(0..1)?;
    Ok((picture, set.clock.times()))
}

/// Draws meshes beside each other, from the same place and with one scale of values.
///
/// # Errors
///
/// As [`render`]; no panel, or more than fit into the width.
pub fn render_panels(
    panels: &[Panel<'_>],
    options: &PictureOptions,
) -> Result<Picture, PictureError> {
    panels_with_warnings(panels, options).map(|(picture, _)| picture)
}

/// Returns the picture of [`render_panels`], and warnings of textures that are not drawn.
pub(crate) fn panels_with_warnings(
    panels: &[Panel<'_>],
    options: &PictureOptions,
) -> Result<(Picture, Vec<String>), PictureError> {
    options.check()?;
    let width = options.size[0];
    if panels.len() > width as usize {
        return fault(format!(
            "{} meshes do not fit into a picture of {width} pixels in width",
            panels.len()
        ));
    }
    let set = PanelSet::new(panels, options, panels.len())?;
    Ok((set.page(0..panels.len())?, set.warnings))
}

/// Draws meshes after each other, from the same place and with one scale of values, as an animated PNG file (APNG)
/// that shows `rate` of them a second. Programs that know no animation show the first.
///
/// # Errors
///
/// As [`render`]; no panel, or a rate that is not 1 to 240.
pub fn render_animation(
    panels: &[Panel<'_>],
    options: &PictureOptions,
    rate: u16,
) -> Result<Vec<u8>, PictureError> {
    animation_with_warnings(panels, options, rate).map(|(film, _)| film)
}

/// Returns the film of [`render_animation`], and warnings of textures that are not drawn.
pub(crate) fn animation_with_warnings(
    panels: &[Panel<'_>],
    options: &PictureOptions,
    rate: u16,
) -> Result<(Vec<u8>, Vec<String>), PictureError> {
    if !(1..=240).contains(&rate) {
        return fault(format!(
            "the rate is {rate} pictures a second, but must be 1 to 240"
        ));
    }
    let stage = PanelSet::new(panels, options, 1)?;
    let mut film = Film::new(options, panels.len() as u32, rate);
    for i in 0..panels.len() {
        film.push(stage.page(i..i + 1)?);
    }
    Ok((film.finish(), stage.warnings))
}

/// Everything that the pictures of some meshes have in common.
struct PanelSet<'a> {
    panels: &'a [Panel<'a>],
    meshes: Vec<Cow<'a, TriMesh>>,
    options: &'a PictureOptions,
    /// Textures of each mesh that has any.
    textures: Vec<Option<MeshTextures>>,
    warnings: Vec<String>,
    scale: Option<ValueScale>,
    legend: Option<Legend>,
    layout: PageLayout,
    camera: Camera,
    clock: StageClock,
}

impl<'a> PanelSet<'a> {
    /// Validates everything, and places the camera: `count` meshes stand beside each other.
    fn new(
        panels: &'a [Panel<'a>],
        options: &'a PictureOptions,
        count: usize,
    ) -> Result<PanelSet<'a>, PictureError> {
        options.check()?;
        if panels.is_empty() {
            return fault("there is no mesh to draw".into());
        }
        for panel in panels {
            panel.mesh.validate()?;
            if panel.mesh.positions.is_empty() {
                return Err(PictureError::Empty);
            }
        }
        let meshes = drawn(panels)?;
        let (textures, warnings) = textures(panels, &meshes, options)?;
        let scale = scale(panels, &meshes, options)?;
        let legend = scale
            .as_ref()
            .and_then(|scale| Legend::new(scale, options.size));
        let captions = panels.iter().any(|p| p.caption.is_some());
        let layout = PageLayout::new(options.size, count, legend.as_ref(), captions);
        let clock = StageClock::default();
        let camera = clock.time(PictureStage::Camera, || {
            Camera::new(&meshes, options, layout.viewport())
        });
        Ok(PanelSet {
            panels,
            meshes,
            options,
            textures,
            warnings,
            scale,
            legend,
            layout,
            camera,
            clock,
        })
    }

    /// Draws some of the meshes beside each other.
    fn page(&self, which: Range<usize>) -> Result<Picture, PictureError> {
        let [width, height] = self.options.size;
        let background = self.options.background;
        let (layout, ink) = (&self.layout, ink(background));
        let mut picture = Picture::plain(width, height, clear(background));
        for (place, i) in which.enumerate() {
            let panel = Panel {
                mesh: &self.meshes[i],
                ..self.panels[i]
            };
            let textures = self.textures[i].as_ref();
            let part = self.draw(&panel, textures, [layout.panel, height as usize])?;
            picture.paste(&part, [place * layout.panel, 0]);
            if let Some(caption) = panel.caption {
                layout.write(&mut picture, place, caption, ink);
            }
        }
        if let (Some(legend), Some(scale)) = (&self.legend, &self.scale) {
            legend.draw(&mut picture, scale, ink);
        }
        Ok(picture)
    }

    /// Draws one mesh.
    fn draw(
        &self,
        panel: &Panel<'_>,
        textures: Option<&MeshTextures>,
        size: [usize; 2],
    ) -> Result<Picture, PictureError> {
        let (options, camera, clock) = (self.options, &self.camera, &self.clock);
        let (mesh, scale) = (panel.mesh, self.scale.as_ref().filter(|_| !panel.is_plain));
        let coat = Coat::new(panel, options, scale, textures)?;
        let spots = clock.time(PictureStage::Camera, || camera.spots(mesh));
        let joined = joined_at_seams(mesh);
        let scale_of = |mesh| Scaled::new(mesh, camera.length(1.0));
        let scaled = scale_of(joined.as_ref().unwrap_or(mesh));
        let normals = clock.time(PictureStage::Normals, || {
            (!options.flat).then(|| CornerNormals::new(scaled, options.crease_angle))
        });
        let marks = clock.time(PictureStage::Marks, || {
            // Edges of polygons are named by the vertices of the file.
            let marked = panel.polygon_edges.map_or(scaled, |_| scale_of(mesh));
            EdgeMarks::new(marked, options, panel.polygon_edges)
        });
        let axes = &camera.axes;
        let surface = Surface {
            mesh,
            scaled,
            spots: &spots,
            axes: [axes.right, axes.up, axes.toward].map(|axis| axis.as_vec3()),
            normals,
            marks,
            lights: Lights::new(axes, scale.is_some()),
            coat,
        };
        let fine = u64::from(options.size[0]) * u64::from(options.size[1]) <= FINE;
        let canvas = match fine {
            true => Canvas::draw::<16>(&surface, size, clock)?,
            false => Canvas::draw::<4>(&surface, size, clock)?,
        };
        let shadow = clock.time(PictureStage::Shadow, || {
            options
                .shadow
                .then(|| Shadow::new(mesh, camera, options.up))
        });
        Ok(canvas.picture(camera, options.background, shadow.as_ref(), clock))
    }
}

/// Returns the meshes as they are drawn: points as balls.
fn drawn<'a>(panels: &[Panel<'a>]) -> Result<Vec<Cow<'a, TriMesh>>, PictureError> {
    let of = |panel: &Panel<'a>| match panel.mesh.faces.is_empty() {
        true => Ok(Cow::Owned(points::balls(panel.mesh)?)),
        false => Ok(Cow::Borrowed(panel.mesh)),
    };
    panels.iter().map(of).collect()
}

/// Returns the shape of a mesh whose vertices are split at seams of texture coordinates, as in glTF, with these joined:
/// there the surface is neither creased nor open.
fn joined_at_seams(mesh: &TriMesh) -> Option<TriMesh> {
    mesh.extras.column(ElementKind::Vertex, "s")?;
    Some(SplitSeams::find(mesh, None)?.shape(mesh))
}

/// Reads the textures of the meshes that are drawn with them. Returns warnings, too.
fn textures(
    panels: &[Panel<'_>],
    meshes: &[Cow<'_, TriMesh>],
    options: &PictureOptions,
) -> Result<(Vec<Option<MeshTextures>>, Vec<String>), PictureError> {
    let image = match &options.paint {
        Paint::Texture(path) => Some(TextureLoader::file(path)?),
        _ => None,
    };
    let mut loader = TextureLoader::default();
    let mut all = Vec::with_capacity(panels.len());
    for (panel, mesh) in panels.iter().zip(meshes) {
        all.push(match (&options.paint, &image) {
            (Paint::Texture(_), Some(image)) if !panel.is_plain => {
                texture_coordinates(mesh)?;
                Some(image.clone())
            }
            (paint, _) if panel.is_plain || *paint == Paint::Usual => loader.textures(mesh),
            _ => None,
        });
    }
    Ok((all, loader.warnings))
}

/// Returns the scale of the column that is drawn, over all meshes.
fn scale(
    panels: &[Panel<'_>],
    meshes: &[Cow<'_, TriMesh>],
    options: &PictureOptions,
) -> Result<Option<ValueScale>, PictureError> {
    let Paint::Column(name) = &options.paint else {
        return Ok(None);
    };
    let colored = panels
        .iter()
        .zip(meshes)
        .filter(|(panel, _)| !panel.is_plain);
    let columns = colored.map(|(_, mesh)| Coat::column(mesh, name));
    let columns = columns.collect::<Result<Vec<&Column>, PictureError>>()?;
    if columns.is_empty() {
        return Ok(None);
    }
    match ValueScale::new(&columns, options) {
        Some(scale) => Ok(Some(scale)),
        None => fault(format!("column '{name}' has no value that is a number")),
    }
}

/// Places of the panels in pixels.
struct PageLayout {
    panel: usize,
    height: usize,
    /// Height of the captions' line, and of their capitals.
    caption: f32,
    text: f32,
}

impl PageLayout {
    fn new(
        [width, height]: [u32; 2],
        count: usize,
        legend: Option<&Legend>,
        captions: bool,
    ) -> PageLayout {
        let text = (0.0185 * width.min(height) as f32).max(6.5);
        let legend = legend.map_or(0.0, |legend| legend.width);
        PageLayout {
            panel: ((width as f32 - legend) as usize / count).max(1),
            height: height as usize,
            caption: if captions { 3.4 * text } else { 0.0 },
            text,
        }
    }

    /// Returns the part of a panel that the mesh is drawn in.
    fn viewport(&self) -> Viewport {
        Viewport {
            left: 0.0,
            top: 0.0,
            width: self.panel as f64,
            height: (self.height as f64 - f64::from(self.caption)).max(1.0),
        }
    }

    /// Writes the caption of a panel.
    fn write(&self, picture: &mut Picture, panel: usize, caption: &str, ink: LinearColor) {
        let room = self.panel as f32 - 2.0 * self.text;
        let caption = shortened(caption, room, self.text);
        let free = self.panel as f32 - font::width(&caption, self.text);
        let at = [
            (panel * self.panel) as f32 + 0.5 * free,
            self.height as f32 - 1.5 * self.text,
        ];
        font::write(picture, &caption, at, self.text, ink);
    }
}

/// Returns a pixel of the background.
fn clear(background: Background) -> [u8; 4] {
    match background {
        Background::White => [255; 4],
        Background::Transparent => [0; 4],
        Background::Plain(color) => {
            let [r, g, b] = color.0;
            [r, g, b, 255]
        }
    }
}

/// Returns the colour of letters: dark, or light on a dark background.
fn ink(background: Background) -> LinearColor {
    let [r, g, b] = background.light();
    match 0.21 * r + 0.72 * g + 0.07 * b > 0.18 {
        true => [0.02, 0.021, 0.024],
        false => [0.82, 0.83, 0.85],
    }
}
