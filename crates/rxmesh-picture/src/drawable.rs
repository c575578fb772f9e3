//! Meshes of any kind as pictures show them.

use crate::options::fault;
use crate::render::{animation_with_warnings, panels_with_warnings};
use crate::{
    CutPlane, EncodedPage, PageMesh, Paint, Panel, PictureError, PictureOptions, render_page,
};
use rxmesh_host::algo::hausdorff::{DistanceOptions, distance};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{EdgeTable, Extras, PolyMesh, TriMesh};
use rxmesh_host::patch::{self, PatchOptions};
use std::borrow::Cow;

/// A mesh as triangles, which can be drawn.
#[derive(Debug)]
pub struct Drawable<'a> {
    /// Triangles.
    pub mesh: Cow<'a, TriMesh>,
    /// Edges of the polygons that its faces were cut from.
    polygon_edges: Option<EdgeTable>,
    /// Text below it, if there are several.
    pub name: String,
}

impl<'a> Drawable<'a> {
    /// Returns a mesh of any kind as triangles: polygons are cut, a volume shows its boundary.
    ///
    /// # Errors
    ///
    /// Polygons that cannot be cut.
    pub fn new(
        model: Model<'a>,
        cut: Option<CutPlane>,
        name: String,
    ) -> Result<Drawable<'a>, PictureError> {
        let (mesh, polygon_edges) = match model {
            Model::Surface(MeshRef::Triangles(mesh)) => (Cow::Borrowed(mesh), None),
            Model::Surface(MeshRef::Polygons(mesh)) => {
                let edges = (mesh.largest_face() > 3).then(|| EdgeTable::of_polygons(mesh));
                // Warnings are for results: here sharpness is not used.
                let (mesh, _) = PolyMesh::clone(mesh).triangulate()?;
                (Cow::Owned(mesh), edges)
            }
            Model::Volume(mesh) => {
                let surface = match cut {
                    Some(cut) => cut.volume(mesh),
                    None => mesh.boundary().surface,
                };
                return Ok(Drawable {
                    mesh: Cow::Owned(surface),
                    polygon_edges: None,
                    name,
                });
            }
        };
        let mesh = match cut {
            Some(cut) if !mesh.faces.is_empty() => Cow::Owned(cut.surface(&mesh)),
            _ => mesh,
        };
        Ok(Drawable {
            mesh,
            polygon_edges,
            name,
        })
    }

    /// Returns the same with a copy of the mesh.
    pub fn into_owned(self) -> Drawable<'static> {
        Drawable {
            mesh: Cow::Owned(self.mesh.into_owned()),
            ..self
        }
    }

    /// Returns the patch of each face.
    ///
    /// # Errors
    ///
    /// A mesh that cannot be cut into patches.
    pub fn patches(&self) -> Result<Vec<u32>, PictureError> {
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

/// A picture as a PNG file.
#[derive(Clone, Debug)]
pub struct EncodedPicture {
    /// Bytes of the file.
    pub png: Vec<u8>,
    /// Width and height in pixels.
    pub size: [u32; 2],
    /// Images and material libraries that cannot be read, so that one colour is drawn in their place.
    pub warnings: Vec<String>,
}

/// Draws meshes beside each other, or after each other at a rate, with labels of their faces if there are any.
///
/// # Errors
///
/// A mesh that is not sound, and options that do not fit it.
pub fn draw(
    meshes: &[Drawable<'_>],
    labels: &[Vec<u32>],
    options: &PictureOptions,
    rate: Option<u16>,
) -> Result<EncodedPicture, PictureError> {
    let captions: Vec<String> = meshes.iter().map(Drawable::caption).collect();
    let panel = |i: usize| Panel {
        mesh: &meshes[i].mesh,
        polygon_edges: meshes[i].polygon_edges.as_ref(),
        labels: labels.get(i).map(Vec::as_slice),
        caption: (meshes.len() > 1 && rate.is_none()).then_some(&captions[i]),
        is_plain: false,
    };
    let panels: Vec<Panel<'_>> = (0..meshes.len()).map(panel).collect();
    let (png, warnings) = match rate {
        Some(rate) => animation_with_warnings(&panels, options, rate)?,
        None => {
            let (picture, warnings) = panels_with_warnings(&panels, options)?;
            (picture.to_png(), warnings)
        }
    };
    Ok(EncodedPicture {
        png,
        size: options.size,
        warnings,
    })
}

/// Draws a mesh, what became of it, and the mesh coloured by the distance of its vertices from the result.
///
/// # Errors
///
/// A mesh that is not sound, or without vertices.
pub fn draw_difference(
    input: &Drawable<'_>,
    result: &Drawable<'_>,
) -> Result<EncodedPicture, PictureError> {
    const NAME: &str = "distance";
    // Only distances of vertices are drawn, so that the fewest points on faces are enough.
    let options = DistanceOptions::default().with(|o| o.samples = Some(1));
    let measured = distance(&Engine::cpu(), &input.mesh, &result.mesh, &options);
    let (report, distances) = measured.map_err(|e| PictureError::Options(e.to_string()))?;
    let mut colored = TriMesh {
        extras: Extras::default(),
        ..TriMesh::clone(&input.mesh)
    };
    colored.add_vertex_column(NAME, distances.iter().map(|d| *d as f32).collect())?;
    let captions = [
        input.caption(),
        result.caption(),
        format!(
            "distance: at most {:?}",
            rounded(report.forward.vertices.max)
        ),
    ];
    let panel = |i: usize| {
        let (mesh, from): (&TriMesh, &Drawable<'_>) = match i {
            0 => (&input.mesh, input),
            1 => (&result.mesh, result),
            _ => (&colored, input),
        };
        Panel {
            polygon_edges: from.polygon_edges.as_ref(),
            caption: Some(&captions[i]),
            is_plain: i < 2,
            ..Panel::new(mesh)
        }
    };
    let options = PictureOptions::default().with(|o| {
        o.size = [2400, 800];
        o.shadow = true;
        o.paint = Paint::Column(NAME.into());
    });
    let (picture, warnings) = panels_with_warnings(&[0, 1, 2].map(panel), &options)?;
    Ok(EncodedPicture {
        png: picture.to_png(),
        size: options.size,
        warnings,
    })
}

/// Rounds a number to four digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

/// Returns a page that shows meshes, the first one first, with labels of their faces if there are any.
///
/// # Errors
///
/// As [`render_page`].
pub fn page(
    meshes: &[Drawable<'_>],
    labels: &[Vec<u32>],
    options: &PictureOptions,
) -> Result<EncodedPage, PictureError> {
    let page = |i: usize| PageMesh {
        polygon_edges: meshes[i].polygon_edges.as_ref(),
        labels: labels.get(i).map(Vec::as_slice),
        ..PageMesh::new(&meshes[i].name, &meshes[i].mesh)
    };
    let pages: Vec<PageMesh<'_>> = (0..meshes.len()).map(page).collect();
    render_page(title(meshes), &pages, options)
}

/// Returns a page that shows the motion of a mesh: the others are its frames.
///
/// # Errors
///
/// As [`render_page`]; meshes with other faces than the first.
pub fn motion_page(
    meshes: &[Drawable<'_>],
    options: &PictureOptions,
) -> Result<EncodedPage, PictureError> {
    let [first, rest @ ..] = meshes else {
        return Err(PictureError::Empty);
    };
    let is_frame = |other: &&Drawable<'_>| {
        let (a, b) = (&other.mesh, &first.mesh);
        a.faces == b.faces && a.vertex_count() == b.vertex_count() && a.placement == b.placement
    };
    if let Some(other) = rest.iter().find(|other| !is_frame(other)) {
        return fault(format!(
            "{} has other faces than {}, or another origin, so that it is no frame of its motion",
            other.name, first.name
        ));
    }
    let frames: Vec<_> = rest.iter().map(|m| m.mesh.positions.clone()).collect();
    let page = PageMesh {
        polygon_edges: first.polygon_edges.as_ref(),
        frames: &frames,
        ..PageMesh::new(&first.name, &first.mesh)
    };
    render_page(title(meshes), &[page], options)
}

fn title<'a>(meshes: &'a [Drawable<'_>]) -> &'a str {
    meshes.first().map_or("", |mesh| &mesh.name)
}
