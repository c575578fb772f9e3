//! Meshes as programs hold them, and how operations run on them.

use crate::on::{Connectivity, Draft, Keep, PATCH_SIZE, Prepared, Vertices};
use crate::{Log, Operation, Result, Silent, Stage, ops, stage};
use rxmesh_host::algo::Options;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target};
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, ReadOptions, WriteOptions};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::{PatchOptions, build};
use std::ops::Deref;
use std::path::Path;

/// Triangle mesh with its attributes, and the engine that works on it.
#[derive(Clone, Debug)]
pub struct Mesh {
    mesh: TriMesh,
    engine: Engine,
}

impl Mesh {
    /// Takes a mesh, with the GPU as its engine if there is one, else the CPU.
    pub fn new(mesh: TriMesh) -> Mesh {
        Mesh::on(mesh, Engine::auto().0)
    }

    /// Takes a mesh with an engine.
    pub fn on(mesh: TriMesh, engine: Engine) -> Mesh {
        Mesh { mesh, engine }
    }

    /// Reads a mesh from a file, in any format that holds surfaces; polygons are cut into triangles.
    ///
    /// # Errors
    ///
    /// A file that cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Mesh> {
        let loaded = io::read(path.as_ref(), &ReadOptions::default())?;
        Ok(Mesh::new(loaded.mesh))
    }

    /// Writes the mesh to a file, in the format of the name's extension.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        io::write(path.as_ref(), &self.mesh, &WriteOptions::default())?;
        Ok(())
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns positions, faces and attributes.
    pub fn into_inner(self) -> TriMesh {
        self.mesh
    }
}

impl Deref for Mesh {
    type Target = TriMesh;

    fn deref(&self) -> &TriMesh {
        &self.mesh
    }
}

/// Number of faces as a target of [`simplify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Faces(pub u32);

/// Part of the faces as a target of [`simplify`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio(pub f64);

impl From<Faces> for SimplifyOptions {
    fn from(Faces(n): Faces) -> SimplifyOptions {
        SimplifyOptions::new(Target::Faces(n))
    }
}

impl From<Ratio> for SimplifyOptions {
    fn from(Ratio(part): Ratio) -> SimplifyOptions {
        SimplifyOptions::new(Target::Ratio(part))
    }
}

/// Simplifies a mesh: to a number of [`Faces`], a [`Ratio`] of them, or as options say.
///
/// # Errors
///
/// Options out of range, a mesh that is not sound, and errors of the engine.
pub fn simplify(
    mesh: &Mesh,
    target: impl Into<SimplifyOptions>,
) -> Result<(Mesh, ops::simplify::SimplifyOpReport)> {
    run::<ops::Simplify>(mesh, &target.into())
}

/// Runs an operation on a mesh, without a log.
///
/// # Errors
///
/// Options out of range, a mesh that is not sound, and errors of the engine.
pub fn run<O>(mesh: &Mesh, options: &O::Options) -> Result<(Mesh, O::Report)>
where
    O: Operation<On: Opens, Options: Clone>,
{
    run_on::<O>(mesh, options, &mut Silent::default())
}

/// Runs an operation on a mesh. Lengths in options and report are in the mesh's unit.
///
/// # Errors
///
/// As [`run`].
pub fn run_on<O>(mesh: &Mesh, options: &O::Options, log: &mut dyn Log) -> Result<(Mesh, O::Report)>
where
    O: Operation<On: Opens, Options: Clone>,
{
    options.check()?;
    let mut options = options.clone();
    let mut on = O::On::open::<O>(mesh, &options, log)?;
    let unit = on.unit();
    options.scale(1.0 / unit);
    let mut report = O::run(&mut on, &options, log)?;
    O::convert(&mut report, unit);
    let mesh = Mesh::on(on.close(log)?, mesh.engine.clone());
    Ok((mesh, report))
}

/// Form of a mesh that operations work on.
pub trait Opens: Sized {
    /// Moves a mesh to its engine.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, and errors of the engine.
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Self>;

    /// Returns the scale from working units to the user's (a power of two).
    fn unit(&self) -> f64;

    /// Copies the result back.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    fn close(self, log: &mut dyn Log) -> Result<TriMesh>;
}

impl Opens for Vertices {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        _options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Self> {
        let prepared = Prepared::new(mesh.mesh.clone(), None, O::JOINS_SEAMS, log)?;
        let options = PatchOptions::default().with(|o| o.patch_size = PATCH_SIZE);
        let set = stage(log, Stage::Patches, || {
            let shape = prepared.shape();
            Ok(build(shape.vertex_count(), &shape.faces, &options)?)
        })?;
        prepared.upload(&mesh.engine, set, log)
    }

    fn unit(&self) -> f64 {
        Vertices::unit(self)
    }

    fn close(self, _log: &mut dyn Log) -> Result<TriMesh> {
        Ok(self.mesh)
    }
}

impl Opens for Connectivity {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Self> {
        let mut draft = Draft::new(mesh.mesh.clone(), log)?;
        let mut lines = Keep::default().lines(O::holds_groups(options), O::KEEPS_GROUPS);
        if O::JOINS_SEAMS {
            draft.join_seams(&mut lines, log)?;
        }
        draft.open_on(&mesh.engine, &lines, log)
    }

    fn unit(&self) -> f64 {
        Connectivity::unit(self)
    }

    fn close(self, log: &mut dyn Log) -> Result<TriMesh> {
        Ok(self.download(false, log)?.finish().0)
    }
}
