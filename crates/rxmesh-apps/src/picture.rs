//! Pictures of meshes: how a command draws its result.

use crate::console::is_stdout;
use crate::input;
use crate::record::{PictureRecord, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, anyhow, bail};
use rxmesh_host::files;
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind};
use rxmesh_picture::{Drawable, EncodedPicture, Paint, PictureError, PictureOptions, draw};
use std::path::{Path, PathBuf};

/// Most meshes beside each other in the picture of a command.
pub(crate) const MOST: usize = 6;

/// Writes a picture to a file. Returns its entry in the record.
pub(crate) fn write(picture: &EncodedPicture, path: &Path) -> Result<PictureRecord> {
    match is_stdout(path) {
        true => crate::console::to_stdout(&picture.png)?,
        false => files::write_bytes(path, &picture.png)
            .with_context(|| format!("{}: cannot be written", path.display()))?,
    }
    let [width, height] = picture.size;
    Ok(PictureRecord {
        path: shown(path),
        width,
        height,
        bytes: picture.png.len() as u64,
    })
}

/// Names the first mesh of a picture that cannot be drawn.
pub(crate) fn drawn(
    picture: Result<EncodedPicture, PictureError>,
    meshes: &[Drawable<'_>],
) -> Result<EncodedPicture> {
    let first = meshes.first().map(|mesh| mesh.name.clone());
    picture.with_context(|| first.unwrap_or_default())
}

/// Draws the result of a command: the first column of values that is not in `known` is drawn as colours.
fn of_result(meshes: &[Drawable<'_>], known: &[String]) -> Result<EncodedPicture> {
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
    drawn(draw(meshes, &labels, &options, None), meshes)
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
        self.draw_into(&portrait, &each.collect::<Result<Vec<_>, _>>()?)
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
        let (record, ms) = self.stage("drawing", || write(&of_result(meshes, known)?, path))?;
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
