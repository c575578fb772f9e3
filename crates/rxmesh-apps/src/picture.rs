//! Pictures of meshes: how a command draws its result.

use crate::cli::CommonArgs;
use crate::console::is_stdout;
use crate::input;
use crate::page;
use crate::record::{PictureRecord, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, anyhow, bail};
use rxmesh_host::files;
use rxmesh_host::io::{MeshRef, Model};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind};
use rxmesh_picture::{
    CutPlane, Drawable, EncodedPicture, Paint, PictureError, PictureOptions, draw, draw_difference,
};
use std::path::{Path, PathBuf};
use std::time::Instant;

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

/// Returns the first column of values of a result that is not in `known`.
fn new_column<'a>(meshes: &'a [Drawable<'_>], known: &[String]) -> Result<Option<&'a Column>> {
    let first = meshes
        .first()
        .ok_or_else(|| anyhow!("there is no mesh to draw"))?;
    let mut columns = first.mesh.extras.columns.iter().filter(|c| c.width == 1);
    Ok(columns.find(|c| !known.contains(&c.name)))
}

/// Draws the result of a command: the first column of values that is not in `known` is drawn as colours.
fn of_result(meshes: &[Drawable<'_>], known: &[String]) -> Result<EncodedPicture> {
    let meshes = &meshes[..meshes.len().min(MOST)];
    let new = new_column(meshes, known)?;
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

/// Picture and page that were asked for beside the result, until they are drawn.
#[derive(Debug)]
pub(crate) struct Portrait {
    picture: Option<PathBuf>,
    /// `true` if the picture shows input, result and their difference.
    shows_difference: bool,
    page: Option<PathBuf>,
    /// Columns of values of the input: others are results.
    known: Vec<String>,
    /// The mesh that was read last, for commands that write none.
    input: Option<Drawable<'static>>,
}

impl Portrait {
    /// Refuses files that could not be written, before any work is done.
    pub(crate) fn new(args: &CommonArgs) -> Result<Option<Portrait>> {
        let (picture, page) = (args.picture.as_deref(), args.html.as_deref());
        if let Some(path) = picture {
            if is_stdout(path) {
                bail!("--picture needs the name of a file; `render` writes pictures to stdout");
            }
            check(path)?;
        }
        page.map_or(Ok(()), page::check)?;
        let portrait = || Portrait {
            picture: picture.map(Path::to_owned),
            shows_difference: args.difference,
            page: page.map(Path::to_owned),
            known: Vec::new(),
            input: None,
        };
        Ok((picture.is_some() || page.is_some()).then(portrait))
    }

    /// Keeps a mesh that was read.
    pub(crate) fn read(&mut self, mesh: Model<'_>, path: &Path) -> Result<()> {
        self.known = scalar_columns(mesh);
        self.input = Some(Drawable::new(mesh, None, stem(path))?.into_owned());
        Ok(())
    }
}

/// Returns the name of a file without its extension.
pub(crate) fn stem(path: &Path) -> String {
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
        self.draw_into(portrait, each.collect::<Result<Vec<_>, _>>()?)
    }

    /// Shows a mesh on the page of the run, if there is one. A mesh that cannot be drawn is left out.
    pub(crate) fn show_live(&self, mesh: Model<'_>, path: &Path) {
        if let Some(live) = self.live.as_ref().filter(|live| live.can_show()) {
            let since = Instant::now();
            if let Ok(mesh) = Drawable::new(mesh, None, stem(path)) {
                live.show(shown(path), vec![mesh.into_owned()], since);
            }
        }
    }

    /// Returns the file of the page that was asked for, once.
    pub(crate) fn take_page(&mut self) -> Option<PathBuf> {
        self.portrait.as_mut()?.page.take()
    }

    /// Reads meshes of any kind as triangles.
    pub(crate) fn read_drawables(
        &mut self,
        names: &[PathBuf],
        cut: Option<CutPlane>,
    ) -> Result<Vec<Drawable<'static>>> {
        let mut meshes = Vec::with_capacity(names.len());
        for name in names {
            let mesh = match input::is_volume(name) {
                true => {
                    let input = self.read_tets(name)?;
                    Drawable::new((&input.loaded.mesh).into(), cut, stem(name))?.into_owned()
                }
                false => {
                    let input = self.read_poly(name, false)?;
                    Drawable::new((&input.loaded.mesh).into(), cut, stem(name))?.into_owned()
                }
            };
            meshes.push(mesh);
        }
        Ok(meshes)
    }

    /// Draws the mesh that was read last, if a picture was asked for and the command has written no mesh.
    pub(crate) fn draw_input(&mut self) -> Result<()> {
        match self.portrait.take() {
            Some(mut portrait) => {
                let input: Vec<_> = portrait.input.take().into_iter().collect();
                self.draw_into(portrait, input)
            }
            None => Ok(()),
        }
    }

    fn draw_into(&mut self, portrait: Portrait, mut meshes: Vec<Drawable<'_>>) -> Result<()> {
        let Portrait {
            picture,
            shows_difference,
            page,
            known,
            input,
        } = portrait;
        if let Some(path) = picture {
            let draw = || match (&input, &meshes[..]) {
                (Some(input), [result]) if shows_difference => {
                    drawn(draw_difference(input, result), &meshes)
                }
                _ if shows_difference => {
                    bail!("--difference is for commands that read one mesh and write another one")
                }
                _ => of_result(&meshes, &known),
            };
            let drawing = || {
                let picture = draw()?;
                Ok((write(&picture, &path)?, picture.warnings))
            };
            let ((record, warnings), ms) = self.stage("drawing", drawing)?;
            warnings.into_iter().for_each(|w| self.warn(w));
            self.record.timings_ms.picture = ms;
            self.record.picture = Some(record);
        }
        if let Some(path) = page {
            let options = PictureOptions::default().with(|o| {
                if let Ok(Some(column)) = new_column(&meshes, &known) {
                    o.paint = Paint::Column(column.name.clone());
                }
            });
            meshes.extend(input.and_then(|input| before(input, &meshes)));
            let text = || rxmesh_picture::page(&meshes, &[], &options);
            let write = || page::write(text(), &meshes, &path);
            let ((record, warnings), ms) = self.stage("writing the page", write)?;
            warnings.into_iter().for_each(|w| self.warn(w));
            self.record.timings_ms.page = ms;
            self.record.page = Some(record);
        }
        Ok(())
    }
}

/// Returns the input to be shown beside its results, unless they have the same shape.
fn before<'a>(mut input: Drawable<'a>, results: &[Drawable<'_>]) -> Option<Drawable<'a>> {
    let is_same = |result: &Drawable<'_>| {
        result.mesh.faces == input.mesh.faces && result.mesh.positions == input.mesh.positions
    };
    if results.iter().any(is_same) {
        return None;
    }
    input.name += " (input)";
    Some(input)
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
