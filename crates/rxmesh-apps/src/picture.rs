//! Pictures of meshes: how a command draws its result.

use crate::console::is_stdout;
use crate::input;
use crate::record::{PictureRecord, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, anyhow, bail};
use rxmesh_host::files;
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{Column, ColumnData, EdgeTable, ElementKind, PolyMesh, TriMesh};
use rxmesh_host::patch::{self, PatchOptions};
use rxmesh_picture::{CutPlane, Paint, Panel, PictureOptions, render_animation, render_panels};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Most meshes beside each other in the picture of a command.
pub(crate) const MOST: usize = 6;

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
    pub(crate) fn new(
        model: Model<'a>,
        cut: Option<CutPlane>,
        name: String,
    ) -> Result<Drawable<'a>> {
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
    pub(crate) fn into_owned(self) -> Drawable<'static> {
        Drawable {
            mesh: Cow::Owned(self.mesh.into_owned()),
            ..self
        }
    }

    /// Returns the patch of each face.
    pub(crate) fn patches(&self) -> Result<Vec<u32>> {
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

/// A picture as a file.
#[derive(Debug)]
pub(crate) struct PictureFile {
    png: Vec<u8>,
    size: [u32; 2],
}

impl PictureFile {
    /// Writes the file. Returns what the record says of it.
    pub(crate) fn write(&self, path: &Path) -> Result<PictureRecord> {
        match is_stdout(path) {
            true => crate::console::to_stdout(&self.png)?,
            false => files::write_bytes(path, &self.png)
                .with_context(|| format!("{}: cannot be written", path.display()))?,
        }
        let [width, height] = self.size;
        Ok(PictureRecord {
            path: shown(path),
            width,
            height,
            bytes: self.png.len() as u64,
        })
    }
}

/// Draws meshes beside each other, or after each other at a rate, with labels of their faces if there are any.
pub(crate) fn draw(
    meshes: &[Drawable<'_>],
    labels: &[Vec<u32>],
    options: &PictureOptions,
    rate: Option<u16>,
) -> Result<PictureFile> {
    let captions: Vec<String> = meshes.iter().map(Drawable::caption).collect();
    let panel = |i: usize| Panel {
        mesh: &meshes[i].mesh,
        polygon_edges: meshes[i].polygon_edges.as_ref(),
        labels: labels.get(i).map(Vec::as_slice),
        caption: (meshes.len() > 1 && rate.is_none()).then_some(&captions[i]),
    };
    let panels: Vec<Panel<'_>> = (0..meshes.len()).map(panel).collect();
    let png = match rate {
        Some(rate) => render_animation(&panels, options, rate),
        None => render_panels(&panels, options).map(|picture| picture.to_png()),
    };
    let what = || {
        meshes
            .first()
            .map_or(String::new(), |mesh| mesh.name.clone())
    };
    Ok(PictureFile {
        png: png.with_context(what)?,
        size: options.size,
    })
}

/// Draws the result of a command: the first column of values that is not in `known` is drawn as colours.
fn of_result(meshes: &[Drawable<'_>], known: &[String]) -> Result<PictureFile> {
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
    draw(meshes, &labels, &options, None)
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
        self.input = Some(Drawable::new(mesh, None, stem(path))?.into_owned());
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
            .map(|(path, mesh)| Drawable::new(*mesh, None, stem(path)));
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
        let (record, ms) = self.stage("drawing", || of_result(meshes, known)?.write(path))?;
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
