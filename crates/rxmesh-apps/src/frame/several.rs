//! Several meshes in one run: joined, worked on at once, and parted again.

use super::{EditFlags, Editing};
use crate::app::Application;
use crate::input;
use crate::output::{Gives, Target};
use crate::run::Run;
use anyhow::{Context, Result, bail};
use rxmesh_host::batch::Batch;
use rxmesh_host::edit::Column as SessionColumn;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Placement, TriMesh, quality};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The column in which vertices take the number of their mesh along.
const MESH: &str = "rxmesh: number of the mesh";

/// The meshes of a run.
pub(crate) struct Several {
    /// What the user calls them.
    pub(crate) names: Vec<PathBuf>,
    /// Which of them each vertex of the session is of.
    pub(crate) labels: SessionColumn<Vertex, u32>,
    batch: Batch,
    targets: Vec<Target>,
    folder: Folder,
}

impl Several {
    /// Reads the meshes, joins them and opens them as one.
    pub(super) fn open<A: Application<Frame = Editing>>(flags: EditFlags) -> Result<Editing> {
        let args = &flags.compute;
        let mut names = vec![args.input.mesh.clone()];
        names.extend(flags.more);
        if !A::SEVERAL {
            bail!("`{}` takes one mesh, not {}", A::NAME, names.len());
        }
        if names.iter().any(|name| input::is_stdin(name)) {
            bail!("several meshes must come from files, not from stdin");
        }
        let mut run = Run::new(A::NAME, &args.common)?;
        let paths = names.iter().map(|name| input::find(name));
        let paths = paths.collect::<Result<Vec<PathBuf>>>()?;
        let folder = Folder::new(args.output.as_deref())?;
        let mut targets = Vec::with_capacity(paths.len());
        let mut taken: HashMap<PathBuf, &Path> = HashMap::new();
        for path in &paths {
            let output = folder.path.as_ref().zip(path.file_name());
            let output = output.map(|(folder, name)| {
                let output = folder.join(name);
                match args.encoding.format {
                    Some(format) => output.with_extension(format.extension()),
                    None => output,
                }
            });
            let files = (path.as_path(), output.as_deref());
            let record = run.console.json_file();
            let target = Target::for_input(A::NAME, files, &args.encoding, Gives::Mesh, record)?;
            if is_same(&target.path, path) {
                bail!("{}: the result would take its place", path.display());
            }
            if let Some(other) = taken.insert(target.path.clone(), path) {
                bail!(
                    "{} and {}: both results would come into {}",
                    other.display(),
                    path.display(),
                    target.path.display()
                );
            }
            targets.push(target);
        }
        run.start_engine(args.engine.engine);
        let meshes = run.read_all(&paths, args.input.triangulate.triangulate)?;
        for (mesh, path) in meshes.iter().zip(&paths) {
            mesh.validate()
                .with_context(|| path.display().to_string())?;
        }
        let (mut mesh, batch) = Batch::join(meshes)?;
        for (what, without) in &batch.left_out {
            run.warn(format!(
                "{what} is left out: {} has none like it",
                paths[*without].display()
            ));
        }
        let before = quality(&mesh);
        let labels = batch.labels();
        mesh.add_column(Column {
            name: MESH.into(),
            element: ElementKind::Vertex,
            width: 1,
            data: ColumnData::U32(labels.clone()),
        })?;
        let unit = mesh.placement.scale;
        let home = Placement {
            scale: 1.0,
            ..mesh.placement
        };
        // The engine starts meanwhile.
        let path = PathBuf::from(format!("{} meshes", names.len()));
        let set = run.patch(&mesh, &path, &args.patch, flags.conflicts.patch_size())?;
        let engine = run.engine(args.engine.engine)?;
        let (_, (session, carried, labels)) = run.upload(&engine, set, |rx| {
            let (mut session, carried) =
                flags.conflicts.open(rx, mesh, flags.keep_groups, false)?;
            let labels = rx.attribute_from::<Vertex, u32>(&labels)?;
            let labels = super::on_session!(&mut session, |s| s.attach(&labels))?;
            Ok((session, carried, labels))
        })?;
        Ok(Editing {
            run,
            session,
            x: carried.positions(),
            carried: Rc::new(carried),
            // Of one of them; all are in their own list.
            target: targets[0].clone(),
            several: Some(Several {
                names,
                labels,
                batch,
                targets,
                folder,
            }),
            before,
            validate: flags.validate,
            map: None,
            target_length: None,
            home,
            unit,
            path,
        })
    }

    /// The meshes of a joined one, each in the frame that it came in. The joined one loses its labels.
    pub(super) fn part(&self, mesh: &mut TriMesh) -> Result<Vec<TriMesh>> {
        let columns = &mut mesh.extras.columns;
        let at = columns.iter().position(|c| c.name == MESH);
        let labels = at.map(|at| columns.remove(at).data);
        let Some(ColumnData::U32(labels)) = labels else {
            bail!("the meshes can no longer be told apart; this is a bug in rxmesh");
        };
        Ok(self.batch.part(mesh, &labels))
    }

    /// Writes each mesh into a file of its own.
    pub(super) fn write(self, run: &mut Run, meshes: &[TriMesh]) -> Result<()> {
        let folder = self.folder.path.clone();
        run.write_all(&self.targets, meshes, &folder.unwrap_or_else(|| ".".into()))
    }
}

/// Whether two paths lead to the same file, which is there.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}

/// The folder for results. One that was made for them goes again when nothing came into it.
struct Folder {
    /// `None` for the current one, where names get the command's.
    path: Option<PathBuf>,
    made: bool,
}

impl Folder {
    fn new(path: Option<&Path>) -> Result<Folder> {
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
                "{}: several meshes come into a folder, and this is none",
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
            // Fails where something is in it, as it shall.
            let _ = std::fs::remove_dir(path);
        }
    }
}
