//! Meshes of any kind as pictures show them.

use crate::{CutPlane, Panel, PictureError, PictureOptions, render_animation, render_panels};
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{EdgeTable, PolyMesh, TriMesh};
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
    };
    let panels: Vec<Panel<'_>> = (0..meshes.len()).map(panel).collect();
    let png = match rate {
        Some(rate) => render_animation(&panels, options, rate)?,
        None => render_panels(&panels, options)?.to_png(),
    };
    Ok(EncodedPicture {
        png,
        size: options.size,
    })
}
