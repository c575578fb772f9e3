//! Pages that show meshes in a browser: one HTML file with its own viewer, which needs no network.

mod columns;
mod materials;
mod pack;
#[cfg(test)]
mod tests;

use crate::error::PictureError;
use crate::labels;
use crate::options::{Paint, PictureOptions, UpAxis, fault};
use crate::points;
use columns::{
    DescribedColumn, RGB, describe_colors, describe_column, describe_labels, labels_name, scalars,
    table,
};
use glam::{DVec3, Vec3};
use materials::{CHECKER, MATERIALS, PageImages, PageMaterials};
use pack::{ArrayPlace, PackedArrays};
use rxmesh_host::TriMesh;
use rxmesh_host::io::base64;
use rxmesh_host::mesh::EdgeTable;
use serde::Serialize;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The viewer, with marks in the places of the title, the description and the arrays; without indentation and comments.
static VIEWER: LazyLock<String> = LazyLock::new(|| {
    let lines = include_str!("viewer.html").lines().map(str::trim_start);
    let kept: Vec<&str> = lines.filter(|line| !line.starts_with("//")).collect();
    kept.join("\n")
});

/// Largest whole number of a coordinate.
const COORDINATE_STEPS: f64 = 65_535.0;

/// A page as an HTML file.
#[derive(Debug, Clone)]
pub struct EncodedPage {
    /// Text of the file.
    pub html: String,
    /// Images and material libraries that cannot be read, so that one colour is shown in their place.
    pub warnings: Vec<String>,
}

/// Mesh of a page.
#[derive(Debug, Clone, Copy)]
pub struct PageMesh<'a> {
    /// Name in the list of meshes.
    pub name: &'a str,
    /// The mesh; without faces its vertices are drawn as balls. Its columns of one value per vertex or face can be
    /// chosen as colours.
    pub mesh: &'a TriMesh,
    /// Edges of the polygons that the faces were cut from: the only ones that the page draws.
    pub polygon_edges: Option<&'a EdgeTable>,
    /// A number per face, which is shown first as a colour: for [`Paint::Labels`].
    pub labels: Option<&'a [u32]>,
    /// Positions of further frames of a motion; each has as many as the mesh. Points without faces do not move.
    pub frames: &'a [Vec<Vec3>],
}

impl<'a> PageMesh<'a> {
    /// Returns a mesh without motion.
    pub fn new(name: &'a str, mesh: &'a TriMesh) -> PageMesh<'a> {
        PageMesh {
            name,
            mesh,
            polygon_edges: None,
            labels: None,
            frames: &[],
        }
    }
}

/// Returns a page in HTML that shows meshes in any browser with WebGL 2, to turn, move and zoom: with edges, smooth or
/// flat faces, columns as colours with a legend, images of materials, two meshes beside each other under a divider, and
/// frames of a motion. The first mesh is shown first. Coordinates have 16 bits in the box of each mesh. Image files are
/// in the page as they are.
///
/// It takes from the options the view, the vertical axis, smooth or flat faces, edges, the paint, and the map and range
/// of a column's values.
///
/// # Errors
///
/// Options or a mesh that are not valid; no mesh with vertices; frames with other numbers of vertices; a column that no
/// mesh has; [`Paint::Checker`] and [`Paint::Texture`] without texture coordinates, and an image of the latter that
/// cannot be read. Images of materials that cannot be read are warnings.
pub fn render_page(
    title: &str,
    meshes: &[PageMesh<'_>],
    options: &PictureOptions,
) -> Result<EncodedPage, PictureError> {
    options.check()?;
    for one in meshes {
        check_mesh(one)?;
    }
    let labels = meshes.iter().map(|one| face_labels(one, &options.paint));
    let labels = labels.collect::<Result<Vec<_>, PictureError>>()?;
    let balls = meshes.iter().map(|one| match one.mesh.faces.is_empty() {
        true if !one.mesh.positions.is_empty() => Ok(Some(points::balls(one.mesh)?)),
        _ => Ok(None),
    });
    let balls = balls.collect::<Result<Vec<Option<TriMesh>>, PictureError>>()?;
    let drawn = (0..meshes.len()).map(|i| match &balls[i] {
        Some(mesh) => PageMesh::new(meshes[i].name, mesh),
        None => PageMesh {
            labels: labels[i].as_deref(),
            ..meshes[i]
        },
    });
    let meshes: &[PageMesh<'_>] = &drawn.collect::<Vec<_>>();
    let Some(frame) = PageFrame::new(meshes) else {
        return Err(PictureError::Empty);
    };
    let materials = PageMaterials::load(meshes, options)?;
    let (mut arrays, mut images) = (PackedArrays::default(), PageImages::default());
    let mut described: Vec<DescribedMesh<'_>> = meshes
        .iter()
        .map(|one| frame.describe(one, (meshes, options), &mut arrays))
        .collect();
    for (i, (one, described)) in meshes.iter().zip(&mut described).enumerate() {
        let of = (i, one.mesh);
        let shown = materials.describe(of, &options.paint, &mut arrays, &mut images);
        described.columns.splice(0..0, shown);
    }
    let columns = described.iter().flat_map(|d| &d.columns);
    let column = match &options.paint {
        Paint::Column(name) => Some(name.as_str()),
        Paint::Texture(_) => Some(MATERIALS),
        Paint::Checker => Some(CHECKER),
        // The colours of the mesh itself; those of materials come first.
        Paint::Usual => columns
            .clone()
            .find(|c| [MATERIALS, RGB].contains(&c.map))
            .map(|c| c.name),
        paint => labels_name(paint),
    };
    if let Some(wanted) = column
        && !columns.clone().any(|c| c.name == wanted)
    {
        return fault(format!(
            "no column of one value per vertex or face is named '{wanted}'"
        ));
    }
    let mapped = columns.filter(|c| ![MATERIALS, RGB].contains(&c.map));
    let maps = mapped.map(|c| (c.map, table(c.map)));
    let head = PageHead {
        title,
        column,
        view: [options.view.azimuth, options.view.elevation],
        up: if options.up == UpAxis::Z { "z" } else { "y" },
        edges: options.edges,
        flat: options.flat,
        tone: match options.paint {
            Paint::Plain(color) => Some(color.0.map(|c| f32::from(c) / 255.0)),
            _ => None,
        },
        maps: maps.collect(),
        images: images.texts(),
        meshes: described,
    };
    let head = serde_json::to_string(&head).map_err(|e| PictureError::Options(e.to_string()))?;
    let html = fill(&[
        ("{{title}}", &escaped(title)),
        // A name must not end the element.
        ("{{head}}", &head.replace('<', "\\u003c")),
        ("{{data}}", &text_of(&arrays.pack())),
    ]);
    Ok(EncodedPage {
        html,
        warnings: materials.warnings,
    })
}

/// Returns the label of each face, if labels are to be shown.
fn face_labels<'a>(
    one: &PageMesh<'a>,
    paint: &Paint,
) -> Result<Option<Cow<'a, [u32]>>, PictureError> {
    if one.mesh.faces.is_empty() {
        return Ok(None);
    }
    Ok(match paint {
        Paint::Groups => Some(Cow::Owned(labels::groups(one.mesh)?)),
        Paint::Parts => Some(Cow::Owned(labels::parts(one.mesh))),
        Paint::Labels => {
            let (count, faces) = (one.labels.map_or(0, <[u32]>::len), one.mesh.face_count());
            if count != faces {
                return fault(format!("there are {count} labels for {faces} faces"));
            }
            one.labels.map(Cow::Borrowed)
        }
        _ => None,
    })
}

/// Refuses a mesh or frames that are not valid.
fn check_mesh(one: &PageMesh<'_>) -> Result<(), PictureError> {
    one.mesh.validate()?;
    let count = one.mesh.positions.len();
    for (i, frame) in one.frames.iter().enumerate() {
        if frame.len() != count {
            let (name, vertices) = (one.name, frame.len());
            return fault(format!(
                "frame {} of {name} has {vertices} vertices, but the mesh has {count}",
                i + 1
            ));
        }
        if let Some(vertex) = frame.iter().position(|p| !p.is_finite()) {
            return fault(format!(
                "vertex {vertex} of frame {} of {} is not finite",
                i + 1,
                one.name
            ));
        }
    }
    Ok(())
}

/// Returns the viewer with texts in place of marks, which come in this order.
fn fill(texts: &[(&str, &str)]) -> String {
    let length: usize = texts.iter().map(|(_, text)| text.len()).sum();
    let mut out = String::with_capacity(VIEWER.len() + length);
    let mut rest = VIEWER.as_str();
    for (mark, text) in texts {
        let (before, after) = rest.split_once(mark).unwrap_or((rest, ""));
        out += before;
        out += text;
        rest = after;
    }
    out + rest
}

/// Returns a text for HTML.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}

/// Returns bytes in base 64.
fn text_of(bytes: &[u8]) -> String {
    let mut text = Vec::new();
    base64::encode(bytes, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

/// Description of a page.
#[derive(Serialize)]
struct PageHead<'a> {
    title: &'a str,
    column: Option<&'a str>,
    view: [f64; 2],
    up: &'static str,
    edges: bool,
    flat: bool,
    tone: Option<[f32; 3]>,
    maps: BTreeMap<&'static str, String>,
    /// Image files in base 64.
    images: Vec<String>,
    meshes: Vec<DescribedMesh<'a>>,
}

/// Description of a mesh on a page.
#[derive(Serialize)]
struct DescribedMesh<'a> {
    name: &'a str,
    vertices: usize,
    triangles: usize,
    low: [f64; 3],
    high: [f64; 3],
    faces: ArrayPlace,
    /// Ends of the edges that are drawn, if these are not those of the faces.
    lines: Option<ArrayPlace>,
    /// Positions of each frame.
    positions: Vec<ArrayPlace>,
    columns: Vec<DescribedColumn<'a>>,
}

/// Frame of a page: all meshes lie in the unit ball round the origin.
struct PageFrame {
    middle: DVec3,
    radius: f64,
}

impl PageFrame {
    /// Returns the frame of all meshes, or `None` without a vertex.
    fn new(meshes: &[PageMesh<'_>]) -> Option<PageFrame> {
        let boxes = meshes
            .iter()
            .filter_map(|one| extent(one, |p| place(one, p)));
        let (low, high) = boxes.reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))?;
        let radius = 0.5 * (high - low).length();
        Some(PageFrame {
            middle: 0.5 * low + 0.5 * high,
            radius: if radius > 0.0 && radius.is_finite() {
                radius
            } else {
                1.0
            },
        })
    }

    /// Describes a mesh and adds its arrays.
    fn describe<'a>(
        &self,
        one: &PageMesh<'a>,
        (all, options): (&[PageMesh<'_>], &PictureOptions),
        arrays: &mut PackedArrays,
    ) -> DescribedMesh<'a> {
        let mesh = one.mesh;
        let to_page = |p: Vec3| (place(one, p) - self.middle) / self.radius;
        let (low, high) = extent(one, to_page).unwrap_or_default();
        let size = high - low;
        let steps = DVec3::select(
            size.cmpgt(DVec3::ZERO),
            COORDINATE_STEPS / size,
            DVec3::ZERO,
        );
        let pack = |positions: &Vec<Vec3>| {
            let whole = |p: &Vec3| {
                let place = (to_page(*p) - low) * steps;
                // The conversion keeps vertices of no face, which may lie outside, in the box.
                place.to_array().map(|x| (x + 0.5) as u16)
            };
            let numbers: Vec<[u16; 3]> = positions.iter().map(whole).collect();
            arrays.add_16(numbers.as_flattened(), 3)
        };
        let positions = frames(one).map(pack).collect();
        DescribedMesh {
            name: one.name,
            vertices: mesh.positions.len(),
            triangles: mesh.faces.len(),
            low: low.to_array(),
            high: high.to_array(),
            positions,
            faces: arrays.add_32(mesh.faces.as_flattened(), 3),
            lines: one
                .polygon_edges
                .map(|table| arrays.add_32(table.edges.as_flattened(), 2)),
            columns: one
                .labels
                .zip(labels_name(&options.paint))
                .map(|(labels, name)| describe_labels(name, labels, arrays))
                .into_iter()
                .chain(describe_colors(mesh, arrays))
                .chain(
                    scalars(mesh)
                        .filter_map(|column| describe_column(column, (all, options), arrays)),
                )
                .collect(),
        }
    }
}

/// Returns a position of a mesh where it lies in its file.
fn place(one: &PageMesh<'_>, p: Vec3) -> DVec3 {
    one.mesh.placement.world(p)
}

/// Returns the positions of all frames.
fn frames<'a>(one: &PageMesh<'a>) -> impl Iterator<Item = &'a Vec<Vec3>> {
    std::iter::once(&one.mesh.positions).chain(one.frames)
}

/// Returns the box round the vertices of faces in all frames, or `None` without one.
fn extent(one: &PageMesh<'_>, to: impl Fn(Vec3) -> DVec3) -> Option<(DVec3, DVec3)> {
    let used = one.mesh.used_vertices();
    let places = frames(one).flat_map(|positions| positions.iter().enumerate());
    places
        .filter(|(v, _)| used.contains(*v))
        .map(|(_, p)| (to(*p), to(*p)))
        .reduce(|a, b| (a.0.min(b.0), a.1.max(b.1)))
}
