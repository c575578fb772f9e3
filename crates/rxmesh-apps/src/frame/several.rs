//! Several meshes in one run: joined, processed together, and split again.

use crate::app::Application;
use crate::cli::ComputeArgs;
use crate::input::{self, Input};
use crate::output::{OutputKind, OutputTarget, default_format};
use crate::record::shown;
use crate::run::Run;
use anyhow::{Context, Result, bail};
use rxmesh_host::batch::Batch;
use rxmesh_host::io::Format;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, TriMesh};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The column that holds the number of each vertex's mesh.
const MESH: &str = "rxmesh_number_of_the_mesh";

/// The meshes of a run.
#[derive(Debug)]
pub(crate) struct Several {
    /// Names that the user gave them.
    pub(crate) names: Vec<PathBuf>,
    batch: Batch,
    targets: Vec<OutputTarget>,
    folder: Arc<Folder>,
}

/// One of several meshes, with its name, its file and that of its result.
#[derive(Debug)]
pub(super) struct SeveralMesh {
    pub(super) name: PathBuf,
    pub(super) input: Input,
    pub(super) target: OutputTarget,
}

impl Several {
    /// Returns the names of the meshes, and the number of its mesh for each vertex of the joined one.
    pub(super) fn shared(&self) -> rxmesh::on::Several {
        rxmesh::on::Several {
            names: self.names.iter().map(|name| shown(name)).collect(),
            labels: self.batch.labels(),
        }
    }

    /// Joins the meshes of a batch.
    pub(super) fn join(
        run: &mut Run,
        meshes: Vec<SeveralMesh>,
        folder: Arc<Folder>,
    ) -> Result<(TriMesh, Several)> {
        let (mut names, mut paths) = (Vec::new(), Vec::new());
        let (mut targets, mut joined) = (Vec::new(), Vec::new());
        for mesh in meshes {
            names.push(mesh.name);
            paths.push(mesh.input.path);
            targets.push(mesh.target);
            joined.push(mesh.input.loaded.mesh);
        }
        let (mesh, batch) = Batch::join(joined)?;
        for (what, without) in &batch.left_out {
            run.warn(format!(
                "{what} is left out: {} has none like it",
                paths[*without].display()
            ));
        }
        let several = Several {
            names,
            batch,
            targets,
            folder,
        };
        Ok((mesh, several))
    }

    /// Returns a path that stands for all of them in messages.
    pub(super) fn path(&self) -> PathBuf {
        PathBuf::from(format!("{} meshes", self.names.len()))
    }

    /// Returns the target of the first mesh.
    pub(super) fn target(&self) -> OutputTarget {
        self.targets[0].clone()
    }

    /// Adds a column with the number of the mesh of each vertex to the joined mesh. One mesh needs none: values that
    /// are carried along edits are looked up on the input.
    pub(super) fn mark(&self, mesh: &mut TriMesh) -> Result<()> {
        if self.batch.len() == 1 {
            return Ok(());
        }
        Ok(mesh.add_column(Column {
            name: MESH.into(),
            element: ElementKind::Vertex,
            width: 1,
            data: ColumnData::U32(self.batch.labels()),
        })?)
    }

    /// Splits a marked joined mesh into its parts, each in its original frame, and removes the marks.
    pub(super) fn part(&self, mesh: &mut TriMesh) -> Result<Vec<TriMesh>> {
        if self.batch.len() == 1 {
            return Ok(self.batch.part(mesh, &vec![0; mesh.vertex_count()]));
        }
        let columns = &mut mesh.extras.columns;
        let at = columns.iter().position(|c| c.name == MESH);
        let labels = at.map(|at| columns.remove(at).data);
        let Some(ColumnData::U32(labels)) = labels else {
            bail!("the meshes cannot be distinguished; this is a bug in rxmesh");
        };
        Ok(self.batch.part(mesh, &labels))
    }

    /// Splits a joined mesh whose vertices are those that were read into its parts.
    pub(super) fn part_unchanged(&self, mesh: &TriMesh) -> Vec<TriMesh> {
        self.batch.part(mesh, &self.batch.labels())
    }

    /// Writes each mesh to a separate file.
    pub(super) fn write(self, run: &mut Run, meshes: &[TriMesh]) -> Result<()> {
        let folder = self.folder.path.clone();
        run.write_all(&self.targets, meshes, &folder.unwrap_or_else(|| ".".into()))
    }
}

/// Returns the target of each mesh.
pub(super) fn targets<A: Application>(
    run: &Run,
    args: &ComputeArgs,
    kind: OutputKind,
    paths: &[PathBuf],
    folder: &Folder,
) -> Result<Vec<OutputTarget>> {
    let mut targets = Vec::with_capacity(paths.len());
    let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
    for path in paths {
        let output = folder.path.as_ref().zip(path.file_name());
        let output = output.map(|(folder, name)| {
            let input = input::format(path).unwrap_or(Format::Obj);
            let format = args.encoding.format.unwrap_or(default_format(kind, input));
            match args.encoding.format.is_none() && format == input {
                true => folder.join(name),
                false => {
                    let mut name = input::stem(path);
                    name.push(format!(".{}", format.extension()));
                    folder.join(name)
                }
            }
        });
        let files = (path.as_path(), output.as_deref());
        let record = run.console.json_file();
        let target =
            OutputTarget::for_input(A::NAME, files, &args.encoding, kind, record)?.unnamed()?;
        if is_same(&target.path, path) {
            bail!("{}: the result would take its place", path.display());
        }
        if let Some(other) = taken.insert(target.path.clone(), path) {
            bail!(
                "{} and {}: both results would be written to {}",
                other.display(),
                path.display(),
                target.path.display()
            );
        }
        targets.push(target);
    }
    Ok(targets)
}

/// Returns `true` if two paths lead to the same existing file.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The folder for results. If it was made for them and stays empty, it is removed at the end.
#[derive(Debug)]
pub(super) struct Folder {
    /// `None` for the current one, where names get the command's.
    path: Option<PathBuf>,
    made: bool,
}

impl Folder {
    pub(super) fn new(path: Option<&Path>) -> Result<Folder> {
        let Some(path) = path else {
            return Ok(Folder {
                path: None,
                made: false,
            });
        };
        let made = !path.exists();
        if made {
            let what = || format!("{}: the folder cannot be made", path.display());
            std::fs::create_dir(path).with_context(what)?;
        } else if !path.is_dir() {
            bail!(
                "{}: the output of several meshes is a folder, and this is a file",
                path.display()
            );
        }
        Ok(Folder {
            path: Some(path.to_owned()),
            made,
        })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let (true, Some(path)) = (self.made, &self.path) {
            // Fails if the folder is not empty, as intended.
            let _ = std::fs::remove_dir(path);
        }
    }
}
