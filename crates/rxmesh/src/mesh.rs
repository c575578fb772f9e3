//! Meshes as programs hold them, and how operations run on them.

use crate::on::{Connectivity, Draft, EngineArrays, Keep, Lines, MeshPatches, Prepared, Vertices};
use crate::{Error, Log, Operation, Result, Silent, Stage, ops, stage};
use rxmesh_host::Vec3;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target};
use rxmesh_host::edit::{Column as EditColumn, Session};
use rxmesh_host::engine::{Engine, Foreign};
use rxmesh_host::io::{self, ReadOptions, WriteOptions};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use rxmesh_host::units::InUnits;
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Triangle mesh with its attributes, and the engine that works on it.
///
/// An operation gives a new mesh and leaves the one that it works on as it is. Once an operation has moved vertices or
/// computed values, patches and positions stay on the engine, for further operations on the mesh and on the result:
/// these cut nothing into patches and copy no position, until something asks for the mesh on the host:
///
/// - [`Mesh::positions`], [`Mesh::to_host`], [`Mesh::into_inner`], [`Mesh::write`];
/// - an operation that changes the connectivity, whose result comes back to the host. The next operation on the result
///   cuts it into patches; one on the mesh itself uses the patches that are there;
/// - operations that read positions on the host: `components` (areas), `spring` (size, pins), `geodesic` from points.
///
/// Vertices that a file has split along seams are joined for operations that move vertices: such a mesh has other
/// patches for these than for measures. Clones are the same mesh.
#[derive(Clone)]
pub struct Mesh {
    engine: Engine,
    copies: Arc<Copies>,
}

/// Copies of a mesh. At least one holds its positions.
#[derive(Default)]
struct Copies {
    counts: [usize; 2],
    /// Copy on the host.
    host: OnceLock<Arc<TriMesh>>,
    /// Arrays on the engine that the mesh was made of.
    arrays: Option<EngineArrays>,
    /// Copy on the engine.
    resident: Mutex<Option<Vertices>>,
}

impl std::fmt::Debug for Mesh {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [vertices, faces] = self.copies.counts;
        let engine = self.engine.name();
        write!(f, "Mesh({vertices} vertices, {faces} faces, {engine})")
    }
}

impl Mesh {
    /// Takes a mesh, with the GPU as its engine if there is one, else the CPU.
    pub fn new(mesh: TriMesh) -> Mesh {
        Mesh::on(mesh, Engine::auto().0)
    }

    /// Takes a mesh with an engine.
    pub fn on(mesh: TriMesh, engine: Engine) -> Mesh {
        let counts = [mesh.vertex_count(), mesh.face_count()];
        Mesh::of(engine, counts, OnceLock::from(Arc::new(mesh)), None)
    }

    /// Takes arrays that are in an engine's memory. Operations cut them into patches there, and results stay there:
    /// the host has no copy until something asks for it, as [`Mesh`] lists. Positions are computed with as they are:
    /// move a mesh that lies far from the origin there before. Vertices that a file has split along seams stay apart.
    ///
    /// The first operation checks the faces' corners.
    pub fn from_engine(arrays: EngineArrays) -> Mesh {
        Mesh {
            engine: arrays.positions.engine().clone(),
            copies: Arc::new(Copies {
                counts: arrays.counts(),
                arrays: Some(arrays),
                ..Copies::default()
            }),
        }
    }

    /// Works like [`Mesh::from_engine`], for arrays that another library keeps in the engine's memory, such as tensors
    /// on a GPU. They are copied on their streams and not needed afterwards: the call waits for that.
    ///
    /// # Errors
    ///
    /// As [`Engine::copy_of`].
    ///
    /// # Safety
    ///
    /// As [`Engine::copy_of`], for both.
    pub unsafe fn from_device(engine: &Engine, positions: Foreign, faces: Foreign) -> Result<Mesh> {
        // SAFETY: the caller's.
        let (positions, faces) = unsafe { (engine.copy_of(positions)?, engine.copy_of(faces)?) };
        engine.synchronize()?;
        Ok(Mesh::from_engine(EngineArrays::new(positions, faces)))
    }

    /// Returns the arrays of a mesh that is in its engine's memory ([`Mesh::from_engine`] and results of operations on
    /// such a mesh), complete when the call returns; `None` of a mesh that has come from the host.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn engine_arrays(&self) -> Result<Option<EngineArrays>> {
        if let Some(arrays) = &self.copies.arrays {
            return Ok(Some(arrays.clone()));
        }
        let resident = self.resident();
        let arrays = resident.as_ref().map(Vertices::to_arrays).transpose()?;
        let arrays = arrays.flatten();
        if arrays.is_some() {
            self.engine.synchronize()?;
        }
        Ok(arrays)
    }

    fn of(
        engine: Engine,
        counts: [usize; 2],
        host: OnceLock<Arc<TriMesh>>,
        resident: Option<Vertices>,
    ) -> Mesh {
        let copies = Arc::new(Copies {
            counts,
            host,
            arrays: None,
            resident: Mutex::new(resident),
        });
        Mesh { engine, copies }
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
    /// A file that cannot be written, and errors of the engine.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<()> {
        io::write(path.as_ref(), self.to_host()?, &WriteOptions::default())?;
        Ok(())
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.copies.counts[0]
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.copies.counts[1]
    }

    /// Returns the positions. Copies them back from the engine if they are there only.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn positions(&self) -> Result<&[Vec3]> {
        Ok(&self.to_host()?.positions)
    }

    /// Returns positions, faces and attributes. Copies positions back from the engine if they are there only.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn to_host(&self) -> Result<&TriMesh> {
        Ok(self.host(&mut self.resident(), &mut Silent::default())?)
    }

    /// Returns positions, faces and attributes, as [`Mesh::to_host`].
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn into_inner(self) -> Result<TriMesh> {
        let mesh = self
            .host(&mut self.resident(), &mut Silent::default())?
            .clone();
        // Copies that nothing else holds share the mesh.
        drop(self);
        Ok(Arc::unwrap_or_clone(mesh))
    }

    /// Returns the patches of the mesh on its engine, for attributes and kernels of a program. Cuts the mesh into
    /// patches if an operation has not done so; vertices that a file has split along seams are apart.
    ///
    /// # Errors
    ///
    /// A mesh that cannot be cut, and errors of the engine.
    pub fn patches(&self) -> Result<Arc<RxMesh>> {
        let mut resident = self.resident();
        Ok(self
            .on_engine(&mut resident, false, &mut Silent::default())?
            .rx
            .clone())
    }

    /// Changes the connectivity by work of the program, such as an operator: `work` gets the mesh open for edits, the
    /// column of its positions, and the factor from the lengths there to those of the mesh (a power of two). Attributes
    /// go along, and borders between groups are kept.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, and those of the work and of the engine.
    pub fn edit<T>(
        &self,
        work: impl FnOnce(&mut Session, EditColumn<Vertex, Vec3>, f64) -> Result<T>,
    ) -> Result<(Mesh, T)> {
        let log = &mut Silent::default();
        let mut on = self.open(Keep::default().lines(false, true), true, log)?;
        let unit = on.unit();
        let result = on.work(log, "editing", |session, x| match session.claims() {
            Some(session) => work(session, x, unit),
            None => Err(Error::Message(
                "edits run under the scheduler of claims".into(),
            )),
        })?;
        Ok((on.close(&self.engine, log)?, result))
    }

    /// Opens the mesh for edits that treat some edges as lines.
    pub(crate) fn open(
        &self,
        mut lines: Lines,
        joins_seams: bool,
        log: &mut dyn Log,
    ) -> Result<Connectivity> {
        let mut resident = self.resident();
        if self.copies.host.get().is_none() {
            if let Some(on) = resident.as_ref().filter(|on| on.is_of_arrays()) {
                return Connectivity::of_vertices(on, log);
            }
            if let Some(arrays) = &self.copies.arrays {
                return Connectivity::of_arrays(arrays, log);
            }
        }
        let host = TriMesh::clone(self.host(&mut resident, log)?);
        let mut draft = Draft::new(host, log)?;
        if joins_seams {
            draft.join_seams(&mut lines, log)?;
        }
        let apart = resident.as_ref().filter(|on| on.seams().is_none());
        draft.open_on(&self.engine, apart.map(|on| on.rx.clone()), &lines, log)
    }

    /// Takes the result of an operation, which stays on the engine unless its connectivity has changed.
    fn from_vertices(mut on: Vertices, engine: &Engine, log: &mut dyn Log) -> Result<Mesh> {
        let counts = [on.vertex_count(), on.face_count()];
        let host = OnceLock::new();
        let stays = on.serves(false) || on.serves(true);
        let is_engine_only = stays && on.is_of_arrays();
        if !on.is_moved() && !is_engine_only {
            _ = host.set(on.shared_mesh(log)?.clone());
        }
        Ok(Mesh::of(engine.clone(), counts, host, stays.then_some(on)))
    }

    fn resident(&self) -> MutexGuard<'_, Option<Vertices>> {
        let resident = &self.copies.resident;
        resident.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn host(&self, resident: &mut Option<Vertices>, log: &mut dyn Log) -> Result<&Arc<TriMesh>> {
        let host = &self.copies.host;
        if let Some(mesh) = host.get() {
            return Ok(mesh);
        }
        let mesh = match (resident.as_mut(), &self.copies.arrays) {
            (Some(on), _) => on.shared_mesh(log)?.clone(),
            (None, Some(arrays)) => Arc::new(stage(log, Stage::Download, || arrays.to_host())?),
            (None, None) => unreachable!("a mesh that is not on the host is on the engine"),
        };
        Ok(host.get_or_init(|| mesh))
    }

    /// Returns the copy on the engine. It is made if there is none, or if it has split vertices joined and should not,
    /// or the other way round.
    fn on_engine<'a>(
        &self,
        resident: &'a mut Option<Vertices>,
        joins_seams: bool,
        log: &mut dyn Log,
    ) -> Result<&'a mut Vertices> {
        let here = resident.take_if(|on| on.serves(joins_seams));
        let on = match here {
            Some(on) => {
                if let Some(seams) = on.seams() {
                    log.warn(seams.message());
                }
                on
            }
            None => {
                if let (Some(arrays), None) = (&self.copies.arrays, self.copies.host.get()) {
                    return Ok(resident.insert(Vertices::from_arrays(arrays, log)?));
                }
                let host = self.host(resident, log)?.clone();
                let prepared = Prepared::new((*host).clone(), None, joins_seams, log)?;
                let patches = MeshPatches::usual(&self.engine, prepared.shape(), log)?;
                let mut on = prepared.upload(&self.engine, patches, log)?;
                on.keep_on_engine(host);
                on
            }
        };
        Ok(resident.insert(on))
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
    O: Operation<On: Opens>,
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
    O: Operation<On: Opens>,
{
    options.check()?;
    let mut options = options.clone();
    let mut on = O::On::open::<O>(mesh, &options, log)?;
    let unit = on.unit();
    options.scale(1.0 / unit);
    let mut report = O::run(&mut on, &options, log)?;
    report.scale(unit);
    Ok((on.close(mesh.engine(), log)?, report))
}

/// Form of a mesh that operations work on.
pub trait Opens: Sized {
    /// Moves a mesh to its engine, or takes the copy that is there.
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

    /// Returns the result.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    fn close(self, engine: &Engine, log: &mut dyn Log) -> Result<Mesh>;
}

impl Opens for Vertices {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        _options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Self> {
        let mut resident = mesh.resident();
        mesh.on_engine(&mut resident, O::JOINS_SEAMS, log)?.copy()
    }

    fn unit(&self) -> f64 {
        Vertices::unit(self)
    }

    fn close(self, engine: &Engine, log: &mut dyn Log) -> Result<Mesh> {
        Mesh::from_vertices(self, engine, log)
    }
}

impl Opens for Connectivity {
    fn open<O: Operation<On = Self>>(
        mesh: &Mesh,
        options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Self> {
        let lines = Keep::default().lines(O::holds_groups(options), O::KEEPS_GROUPS);
        mesh.open(lines, O::JOINS_SEAMS, log)
    }

    fn unit(&self) -> f64 {
        Connectivity::unit(self)
    }

    fn close(self, engine: &Engine, log: &mut dyn Log) -> Result<Mesh> {
        if self.carried.is_none() {
            return Ok(Mesh::from_engine(self.into_arrays(log)?));
        }
        let mesh = self.download(false, log)?.finish().0;
        Ok(Mesh::on(mesh, engine.clone()))
    }
}
