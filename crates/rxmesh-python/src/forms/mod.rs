//! Operations on meshes in memory: for each form of a mesh, the way from arguments to results.

mod bodies;
mod edits;
mod shared;
mod tools;
mod vertices;

pub use bodies::{copy, opened};
pub use shared::{EditKeywords, EngineKeyword, FrameKeywords, PatchKeywords, SceneKeywords};

use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{ArgMatches, Args, Command};
use rxmesh::host::edit::ElementMap;
use rxmesh::host::mesh::PolyMesh;
use rxmesh::on::{AnyMesh, GridArray};
use rxmesh::{Engine, Error, Grid, Log, Mesh, Message, Operation, TriMesh};
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::PathBuf;

/// Positional arguments of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// Vertices and triangles; several meshes if the operation takes them.
    Surface,
    /// Vertices and faces of any size.
    Polygons,
    /// A surface or a volume.
    Any,
    /// Vertices and tetrahedra.
    Volume,
    /// A surface, and the one that it is compared with.
    Pair,
    /// List of surfaces.
    List,
    /// File or text of a scene.
    Scene,
    /// Values at the points of a grid.
    Grid,
}

/// Mesh that a function is called with, or gives.
#[derive(Debug)]
#[expect(clippy::large_enum_variant, reason = "a call has few of them")]
pub enum CallMesh {
    /// Mesh in memory.
    Memory(AnyMesh),
    /// Mesh that stays on its engine.
    Resident(Mesh),
}

/// Scene that a function is called with.
#[derive(Clone, Debug)]
pub enum SceneSource {
    /// File.
    File(PathBuf),
    /// Text in the format of scenes.
    Text(String),
}

/// Positional arguments of a call.
#[derive(Debug, Default)]
pub struct CallSubject {
    /// Meshes, in the order in which they were given.
    pub meshes: Vec<CallMesh>,
    /// `true` if they were given as a list.
    pub listed: bool,
    /// Mesh that the first is compared with.
    pub reference: Option<CallMesh>,
    /// Scene.
    pub scene: Option<SceneSource>,
    /// Grid.
    pub grid: Option<GridArray>,
    /// Engine that a part of a call runs on, in place of that of meshes and keyword arguments.
    pub engine: Option<Engine>,
    /// Number of the first mesh, if it is a part of a list.
    pub first: usize,
}

/// Bodies of a scene, or a surface, at one time.
#[derive(Debug)]
pub struct CallFrame {
    /// Number of the step.
    pub step: u64,
    /// Meshes with their names.
    pub bodies: Vec<(String, AnyMesh)>,
}

/// Result of a call.
#[derive(Debug)]
pub struct Finished {
    /// Meshes: one for each that was given, the bodies of a scene, or none.
    pub meshes: Vec<CallMesh>,
    /// Names of the meshes, of a scene.
    pub names: Vec<String>,
    /// Grid, if that is the result.
    pub grid: Option<Grid>,
    /// Report of the operation, with the keys of records.
    pub report: Map<String, Value>,
    /// Description for people, warnings and outcome.
    pub message: Message,
    /// Map of the elements of the input to those of the result, if it was asked for.
    pub map: Option<ElementMap>,
    /// Frames, if they were asked for.
    pub frames: Vec<CallFrame>,
}

/// Reason why a call fails.
#[derive(Debug)]
pub enum Failure {
    /// Keyword arguments that cannot be used.
    Usage(clap::Error),
    /// Error of the operation.
    Work(Error),
}

impl From<clap::Error> for Failure {
    fn from(e: clap::Error) -> Failure {
        Failure::Usage(e)
    }
}

macro_rules! from_errors {
    ($($error:ty),*) => {
        $(impl From<$error> for Failure {
            fn from(e: $error) -> Failure {
                Failure::Work(e.into())
            }
        })*
    };
}
from_errors!(Error, rxmesh::host::Error, rxmesh::host::mesh::MeshError);

/// Result of a part of a call.
pub type Answer<T> = std::result::Result<T, Failure>;

/// Form of a mesh that operations work on, as functions call them.
pub trait CallForm: Sized {
    /// Keyword arguments beside the operation's options.
    type Shared: Args;

    /// Positional arguments.
    const TAKES: Takes;

    /// Runs an operation.
    ///
    /// # Errors
    ///
    /// Options that conflict, and those of the operation.
    fn call<O>(matches: &ArgMatches, subject: CallSubject, log: &mut dyn Log) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>;
}

/// Options of a call: as the user gave them, and the same to be converted to working units.
struct BothOptions<T> {
    given: T,
    local: T,
}

impl<T: Args + Clone + rxmesh::host::algo::Options> BothOptions<T> {
    fn new<O: Operation<Options = T>>(matches: &ArgMatches, seed: u64) -> Answer<Self> {
        let mut given = T::from_arg_matches(matches)?;
        given.check()?;
        O::prepare(&mut given, seed)?;
        Ok(BothOptions {
            local: given.clone(),
            given,
        })
    }
}

/// Returns the keys of a report, as records have them. Numbers have the shortest digits that are unique in their type.
pub fn keys(report: &impl Serialize) -> Map<String, Value> {
    let text = serde_json::to_string(report).unwrap_or_default();
    match serde_json::from_str(&text) {
        Ok(Value::Object(keys)) => keys,
        _ => Map::new(),
    }
}

/// Returns `true` if the caller gave one of these keyword arguments.
fn is_given(matches: &ArgMatches, ids: &[&str]) -> bool {
    let given = |id: &&str| matches.value_source(id) == Some(ValueSource::CommandLine);
    ids.iter().any(given)
}

impl Finished {
    fn new<O: Operation>(
        report: &O::Report,
        options: &O::Options,
        meshes: Vec<CallMesh>,
    ) -> Finished {
        Finished {
            meshes,
            names: Vec::new(),
            grid: None,
            report: keys(report),
            message: O::describe(report, options),
            map: None,
            frames: Vec::new(),
        }
    }
}

/// Names of several meshes, for warnings and reports.
fn names(first: usize, count: usize) -> Vec<String> {
    (first..first + count)
        .map(|i| format!("mesh {i}"))
        .collect()
}

impl CallSubject {
    /// Returns the engine of the first mesh that has one, else the chosen one.
    fn engine(&self, matches: &ArgMatches, keyword: &EngineKeyword) -> Answer<Engine> {
        if let Some(engine) = &self.engine {
            return Ok(engine.clone());
        }
        let resident = self.meshes.iter().find_map(|mesh| match mesh {
            CallMesh::Resident(mesh) => Some(mesh.engine().clone()),
            CallMesh::Memory(_) => None,
        });
        match resident {
            Some(_) if is_given(matches, &["engine"]) => Err(usage(
                "engine: the mesh has its own engine already; `Mesh(…, engine=…)` chooses it",
            )),
            Some(engine) => Ok(engine),
            None => Ok(crate::engines::engine(keyword.engine)?),
        }
    }

    /// Returns the only mesh.
    fn one(&mut self) -> Answer<CallMesh> {
        match (self.meshes.pop(), self.meshes.is_empty()) {
            (Some(mesh), true) => Ok(mesh),
            _ => Err(usage("one mesh is needed")),
        }
    }

    /// Returns the engine of results: that of a mesh on an engine.
    fn home(&self) -> Option<Engine> {
        match self.meshes.first() {
            Some(CallMesh::Resident(mesh)) => Some(mesh.engine().clone()),
            _ => None,
        }
    }
}

/// Returns the error of arguments that cannot be used.
pub(crate) fn usage(why: impl std::fmt::Display) -> Failure {
    Failure::Usage(Command::new("").error(ErrorKind::ArgumentConflict, why))
}

impl CallMesh {
    /// Takes a result in memory: to the engine of the mesh that it was made of, if that is on one.
    fn settled(mesh: AnyMesh, home: Option<&Engine>) -> CallMesh {
        match (mesh, home) {
            (AnyMesh::Surface(mesh), Some(engine)) => {
                CallMesh::Resident(Mesh::on(mesh, engine.clone()))
            }
            (mesh, _) => CallMesh::Memory(mesh),
        }
    }

    /// Returns a surface of triangles: polygons are cut, with the warnings of that.
    fn into_surface(self, log: &mut dyn Log) -> Answer<TriMesh> {
        match self {
            CallMesh::Memory(AnyMesh::Surface(mesh)) => Ok(mesh),
            CallMesh::Memory(AnyMesh::Polygons(mesh)) => {
                let (mesh, warnings) = mesh.triangulate()?;
                warnings.into_iter().for_each(|warning| log.warn(warning));
                Ok(mesh)
            }
            CallMesh::Memory(AnyMesh::Volume(_)) => Err(wrong_kind("a volume", "a surface")),
            CallMesh::Resident(mesh) => Ok(mesh.to_host()?.clone()),
        }
    }

    /// Returns a surface of polygons.
    pub(crate) fn into_polygons(self) -> Answer<PolyMesh> {
        match self {
            CallMesh::Memory(AnyMesh::Surface(mesh)) => Ok(mesh.into()),
            CallMesh::Memory(AnyMesh::Polygons(mesh)) => Ok(mesh),
            CallMesh::Memory(AnyMesh::Volume(_)) => Err(wrong_kind("a volume", "a surface")),
            CallMesh::Resident(mesh) => Ok(mesh.to_host()?.clone().into()),
        }
    }
}

fn wrong_kind(is: &str, needed: &str) -> Failure {
    usage(format_args!("the mesh is {is}, and {needed} is needed"))
}
