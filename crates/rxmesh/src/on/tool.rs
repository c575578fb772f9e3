//! Meshes as they come from files.

use crate::Mesh;
use rxmesh_host::engine::Engine;
use rxmesh_host::grid::Grid;
use rxmesh_host::io::Model;
use rxmesh_host::mesh::{PolyMesh, TetMesh, TriMesh};

/// Input of an operation as it comes from files, in file units, and the result.
#[derive(Debug)]
pub struct Tool<I> {
    /// Input.
    pub input: I,
    /// Names of the input's meshes, in their order.
    pub names: Vec<String>,
    /// Mesh that the operation made.
    pub result: Option<AnyMesh>,
    /// Surface that the operation made in the engine's memory, where its input was, in place of a result.
    pub resident: Option<Mesh>,
    /// Grid that the operation made.
    pub grid: Option<Grid>,
    /// Number of edges, and of faces, of the input, if the operation counted them.
    pub counted: [Option<u64>; 2],
    /// Number of vertices at the place of another one that the operation made.
    pub copies: u64,
    engine: Option<Engine>,
}

/// Mesh of any kind.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyMesh {
    /// Surface of triangles.
    Surface(TriMesh),
    /// Surface of polygons.
    Polygons(PolyMesh),
    /// Volume.
    Volume(TetMesh),
}

/// Mesh and the one that it is compared with.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Mesh.
    pub mesh: TriMesh,
    /// Mesh that it is compared with.
    pub reference: TriMesh,
}

/// Triangles of any kind, which an engine works on.
#[derive(Clone, Debug, Default)]
pub struct AnyTriangles(pub TriMesh);

impl<'a> From<&'a AnyMesh> for Model<'a> {
    fn from(mesh: &'a AnyMesh) -> Model<'a> {
        match mesh {
            AnyMesh::Surface(mesh) => mesh.into(),
            AnyMesh::Polygons(mesh) => mesh.into(),
            AnyMesh::Volume(mesh) => mesh.into(),
        }
    }
}

impl AnyMesh {
    /// Returns the number of vertices, and of faces or cells.
    pub(crate) fn counts(&self) -> [usize; 2] {
        match self {
            AnyMesh::Surface(mesh) => [mesh.vertex_count(), mesh.face_count()],
            AnyMesh::Polygons(mesh) => [mesh.vertex_count(), mesh.face_count()],
            AnyMesh::Volume(mesh) => [mesh.vertex_count(), mesh.cell_count()],
        }
    }
}

impl<I> Tool<I> {
    /// Takes the input, with the names of its meshes.
    pub fn new(input: I, names: Vec<String>) -> Tool<I> {
        Tool {
            input,
            names,
            result: None,
            resident: None,
            grid: None,
            counted: [None; 2],
            copies: 0,
            engine: None,
        }
    }

    /// Sets the engine.
    pub fn set_engine(&mut self, engine: Engine) {
        self.engine = Some(engine);
    }

    /// Returns the engine: the GPU if there is one, else the CPU, unless one was set.
    pub fn engine(&mut self) -> &Engine {
        self.engine.get_or_insert_with(|| Engine::auto().0)
    }

    /// Returns the name of a mesh of the input.
    pub(crate) fn name(&self, number: usize) -> String {
        self.names.get(number).cloned().unwrap_or_default()
    }
}
