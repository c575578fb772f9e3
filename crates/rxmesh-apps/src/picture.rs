//! Pictures of meshes: their flags, and how a command draws its result.

use crate::console::is_stdout;
use crate::input;
use crate::record::{PictureRecord, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, anyhow, bail};
use clap::builder::PossibleValue;
use clap::{Args, ValueEnum};
use rxmesh_host::files;
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{Column, ColumnData, EdgeTable, ElementKind, PolyMesh, TriMesh};
use rxmesh_host::patch::{self, PatchOptions};
use rxmesh_picture::{
    Background, ColorMap, Paint, Panel, Picture, PictureOptions, Rgb, UpAxis, Viewpoint,
    render_panels,
};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Most meshes beside each other in the picture of a command.
const MOST: usize = 6;

/// Flags of a picture.
#[derive(Debug, Args)]
pub(crate) struct PictureArgs {
    /// Width and height in pixels [default: 1600x1200; of several meshes 800x800 each]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Side that is seen: front, back, left, right, top, bottom, or two angles in degrees, round the vertical axis and
    /// above the horizon
    #[arg(long, value_name = "SIDE|A,B", default_value = "30,20", value_parser = viewpoint)]
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
    /// Column whose values are drawn as colours, with a legend; or a colour, such as #8fb3b0 [default: the colours of
    /// the mesh, if it has any]
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
    /// Colours of a column's values [default: coolwarm for values of both signs, else viridis]
    #[arg(long, value_name = "MAP", value_enum, requires = "color")]
    map: Option<MapName>,
    /// Values at the ends of the colours [default: those of the column, without outliers]
    #[arg(long, value_name = "LOW,HIGH", requires = "color", value_parser = pair)]
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
            Some(text) => match Rgb::parse(text).filter(|_| text.starts_with('#')) {
                Some(color) => Paint::Plain(color),
                None => Paint::Column(text.clone()),
            },
            None if self.patches => Paint::Labels,
            None if self.groups => Paint::Groups,
            None if self.parts => Paint::Parts,
            None if self.checker => Paint::Checker,
            None => Paint::Usual,
        };
        PictureOptions::default().with(|o| {
            let one = o.size;
            o.size = self.size.unwrap_or(if meshes > 1 { several } else { one });
            o.view = self.view;
            o.up = if self.up == Upward::Z {
                UpAxis::Z
            } else {
                UpAxis::Y
            };
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
    pub(crate) fn check(&self) -> Result<(), rxmesh_host::Error> {
        self.options(1)
            .check()
            .map_err(|e| rxmesh_host::Error::Options(e.to_string()))
    }

    /// Draws meshes beside each other, with captions if there are several.
    pub(crate) fn draw(&self, meshes: &[Drawable<'_>]) -> Result<Picture> {
        let labels = match self.patches {
            true => meshes
                .iter()
                .map(Drawable::patches)
                .collect::<Result<Vec<_>>>()?,
            false => Vec::new(),
        };
        draw(meshes, &labels, &self.options(meshes.len()))
    }
}

/// A mesh as triangles, which can be drawn.
#[derive(Debug)]
pub(crate) struct Drawable<'a> {
    pub(crate) mesh: Cow<'a, TriMesh>,
    /// Edges of the polygons that its faces were cut from.
    polygon_edges: Option<EdgeTable>,
    /// Text below it, if there are several.
    pub(crate) name: String,
}

impl<'a> Drawable<'a> {
    /// Returns a mesh of any kind as triangles: polygons are cut, a volume shows its boundary.
    pub(crate) fn new(model: Model<'a>, name: String) -> Result<Drawable<'a>> {
        let (mesh, polygon_edges) = match model {
            Model::Surface(MeshRef::Triangles(mesh)) => (Cow::Borrowed(mesh), None),
            Model::Surface(MeshRef::Polygons(mesh)) => {
                let edges = (mesh.largest_face() > 3).then(|| EdgeTable::of_polygons(mesh));
                // Warnings are for results: here sharpness is not used.
                let (mesh, _) = PolyMesh::clone(mesh).triangulate()?;
                (Cow::Owned(mesh), edges)
            }
            Model::Volume(mesh) => (Cow::Owned(mesh.boundary().surface), None),
        };
        Ok(Drawable {
            mesh,
            polygon_edges,
            name,
        })
    }

    /// Returns the same with a copy of the mesh.
    pub(crate) fn into_owned(self) -> Drawable<'static> {
        Drawable {
            mesh: Cow::Owned(self.mesh.into_owned()),
            ..self
        }
    }

    /// Returns the patch of each face.
    fn patches(&self) -> Result<Vec<u32>> {
        let (vertices, faces) = (self.mesh.vertex_count(), &self.mesh.faces);
        let set = patch::build(vertices, faces, &PatchOptions::default())?;
        let of_faces = 2; // place of faces among the kinds of elements
        let patch = |&linear: &u32| set.headers.partition_point(|h| h.base[of_faces] <= linear) - 1;
        Ok(set
            .face_linear
            .iter()
            .map(|linear| patch(linear) as u32)
            .collect())
    }

    fn caption(&self) -> String {
        let (vertices, faces) = (self.mesh.vertex_count(), self.mesh.face_count());
        match faces {
            0 => format!("{}: {vertices} points", self.name),
            _ => format!("{}: {faces} faces", self.name),
        }
    }
}

/// Draws meshes with numbers of their faces, if there are any.
fn draw(meshes: &[Drawable<'_>], labels: &[Vec<u32>], options: &PictureOptions) -> Result<Picture> {
    let captions: Vec<String> = meshes.iter().map(Drawable::caption).collect();
    let panel = |i: usize| Panel {
        mesh: &meshes[i].mesh,
        polygon_edges: meshes[i].polygon_edges.as_ref(),
        labels: labels.get(i).map(Vec::as_slice),
        caption: (meshes.len() > 1).then_some(&captions[i]),
    };
    let panels: Vec<Panel<'_>> = (0..meshes.len()).map(panel).collect();
    let what = || {
        meshes
            .first()
            .map_or(String::new(), |mesh| mesh.name.clone())
    };
    render_panels(&panels, options).with_context(what)
}

/// Draws the result of a command: the first column of values that is not in `known` is drawn as colours.
fn of_result(meshes: &[Drawable<'_>], known: &[String]) -> Result<Picture> {
    let meshes = &meshes[..meshes.len().min(MOST)];
    let first = meshes
        .first()
        .ok_or_else(|| anyhow!("there is no mesh to draw"))?;
    let columns = first.mesh.extras.columns.iter().filter(|c| c.width == 1);
    let new = columns.clone().find(|c| !known.contains(&c.name));
    let labels: Vec<Vec<u32>> = match new.and_then(labels_of) {
        Some(_) => {
            let of = |mesh: &Drawable<'_>| {
                let column = mesh.mesh.extras.column(ElementKind::Face, &new?.name)?;
                labels_of(column)
            };
            meshes.iter().filter_map(of).collect()
        }
        None => Vec::new(),
    };
    let options = PictureOptions::default().with(|o| {
        if meshes.len() > 1 {
            o.size = [800 * meshes.len() as u32, 800];
        }
        o.shadow = true;
        o.paint = match new {
            Some(_) if !labels.is_empty() => Paint::Labels,
            Some(column) => Paint::Column(column.name.clone()),
            None => Paint::Usual,
        };
    });
    draw(meshes, &labels, &options)
}

/// Returns the whole numbers of a column of faces, which are names and not sizes.
fn labels_of(column: &Column) -> Option<Vec<u32>> {
    match (column.element, &column.data) {
        (ElementKind::Face, ColumnData::U32(labels)) => Some(labels.clone()),
        _ => None,
    }
}

/// Returns the names of the columns of one value.
fn scalar_columns(model: Model<'_>) -> Vec<String> {
    let extras = match model {
        Model::Surface(MeshRef::Triangles(mesh)) => &mesh.extras,
        Model::Surface(MeshRef::Polygons(mesh)) => &mesh.extras,
        Model::Volume(mesh) => &mesh.extras,
    };
    let scalar = extras.columns.iter().filter(|c| c.width == 1);
    scalar.map(|c| c.name.clone()).collect()
}

/// Picture that was asked for beside the result, until it is drawn.
#[derive(Debug)]
pub(crate) struct Portrait {
    path: PathBuf,
    /// Columns of values of the input: others are results.
    known: Vec<String>,
    /// The mesh that was read last, for commands that write none.
    input: Option<Drawable<'static>>,
}

impl Portrait {
    /// Refuses a file that could not be written, before any work is done.
    pub(crate) fn new(path: &Path) -> Result<Portrait> {
        if is_stdout(path) {
            bail!("--picture needs the name of a file; `render` writes pictures to stdout");
        }
        check(path)?;
        Ok(Portrait {
            path: path.to_owned(),
            known: Vec::new(),
            input: None,
        })
    }

    /// Keeps a mesh that was read.
    pub(crate) fn read(&mut self, mesh: Model<'_>, path: &Path) -> Result<()> {
        self.known = scalar_columns(mesh);
        self.input = Some(Drawable::new(mesh, stem(path))?.into_owned());
        Ok(())
    }
}

/// Returns the name of a file without its extension.
fn stem(path: &Path) -> String {
    let stem = input::stem(path).to_string_lossy().into_owned();
    text::named(&stem, "stdin").to_owned()
}

impl Run {
    /// Draws meshes that were written, if a picture was asked for.
    pub(crate) fn draw(&mut self, written: &[(&PathBuf, Model<'_>)]) -> Result<()> {
        let Some(portrait) = self.portrait.take() else {
            return Ok(());
        };
        let each = written
            .iter()
            .map(|(path, mesh)| Drawable::new(*mesh, stem(path)));
        self.draw_into(&portrait, &each.collect::<Result<Vec<_>>>()?)
    }

    /// Draws the mesh that was read last, if a picture was asked for and the command has written no mesh.
    pub(crate) fn draw_input(&mut self) -> Result<()> {
        match self.portrait.take() {
            Some(mut portrait) => {
                let input: Vec<_> = portrait.input.take().into_iter().collect();
                self.draw_into(&portrait, &input)
            }
            None => Ok(()),
        }
    }

    fn draw_into(&mut self, portrait: &Portrait, meshes: &[Drawable<'_>]) -> Result<()> {
        let Portrait { path, known, .. } = portrait;
        let (record, ms) = self.stage("drawing", || write(path, &of_result(meshes, known)?))?;
        self.record.timings_ms.picture = ms;
        self.record.picture = Some(record);
        Ok(())
    }
}

/// Refuses a file of a picture that could not be written.
pub(crate) fn check(path: &Path) -> Result<()> {
    let png = path
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("png"));
    if !is_stdout(path) && !png {
        bail!(
            "{}: pictures are PNG files, so the name must end in .png",
            path.display()
        );
    }
    if is_stdout(path) {
        return Ok(());
    }
    files::check(path).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Writes a picture. Returns what the record says of it.
pub(crate) fn write(path: &Path, picture: &Picture) -> Result<PictureRecord> {
    let png = picture.to_png();
    match is_stdout(path) {
        true => crate::console::to_stdout(&png)?,
        false => files::write_bytes(path, &png)
            .with_context(|| format!("{}: cannot be written", path.display()))?,
    }
    Ok(PictureRecord {
        path: shown(path),
        width: picture.width,
        height: picture.height,
        bytes: png.len() as u64,
    })
}
