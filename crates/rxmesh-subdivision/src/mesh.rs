//! A polygon mesh on an engine.

mod connect;

use crate::faces::{DeviceFaces, Extras, FaceSource};
use crate::growable::GrowableBuffer;
use connect::ConnectBuffers;
pub(crate) use connect::{KnownTopology, Special};
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::PolyMesh;
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::topology::Topology;

/// A polygon mesh on an engine: its mesh matrix, with twins, edges and rows computed there. Positions and other values
/// are not part of it.
///
/// [`rebuild`](Mesh::rebuild) and [`rebuild_from`](Mesh::rebuild_from) replace the faces in existing memory; memory is
/// allocated only when it does not suffice, and is kept. After an error the mesh is empty, and may be rebuilt.
#[derive(Debug)]
pub struct Mesh {
    pub(crate) engine: Engine,
    pub(crate) size: u32,
    /// Empty if all faces have `size` corners.
    pub(crate) offsets: GrowableBuffer<u32>,
    /// Empty if all faces have `size` corners.
    pub(crate) faces: GrowableBuffer<u32>,
    pub(crate) corners: GrowableBuffer<u32>,
    pub(crate) twins: GrowableBuffer<u32>,
    pub(crate) edges: GrowableBuffer<u32>,
    pub(crate) halves: GrowableBuffer<u32>,
    pub(crate) starts: GrowableBuffer<u32>,
    pub(crate) entries: GrowableBuffer<u32>,
    pub(crate) around: GrowableBuffer<u32>,
    pub(crate) special: Special,
    work: ConnectBuffers,
}

impl Mesh {
    /// Uploads the faces of a mesh to an engine and computes their connectivity there.
    ///
    /// # Errors
    ///
    /// Errors of the mesh ([`PolyMesh::validate`]); a face that has a vertex twice, an edge of more than two faces, or
    /// of two that traverse it in the same direction: the first such place is named. No memory on the engine.
    pub fn new(engine: &Engine, mesh: &PolyMesh) -> Result<Mesh, Error> {
        Mesh::of(engine, &FaceSource::Host(mesh))
    }

    /// Makes a mesh as [`Mesh::new`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; a vertex that does not exist, buffers that are too short.
    pub fn from_faces(engine: &Engine, faces: &DeviceFaces) -> Result<Mesh, Error> {
        Mesh::of(engine, &FaceSource::Device(faces, Extras::default()))
    }

    /// Replaces the faces by those of another mesh. One wait, for errors and for the number of edges.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; the mesh is then empty.
    pub fn rebuild(&mut self, mesh: &PolyMesh) -> Result<(), Error> {
        self.make_of(&FaceSource::Host(mesh))
    }

    /// Rebuilds as [`Mesh::rebuild`], from faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Mesh::from_faces`]; the mesh is then empty.
    pub fn rebuild_from(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make_of(&FaceSource::Device(faces, Extras::default()))
    }

    /// Rebuilds as [`Mesh::rebuild_from`], from faces that the caller asserts to be a closed surface: nothing is waited
    /// for. The number of edges is half that of corners. [`Mesh::check`] waits, and verifies the assertion; before
    /// that, the mesh is safe to use but may give wrong values.
    ///
    /// # Errors
    ///
    /// Errors that are found without a wait; the mesh is then empty.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make_of(&FaceSource::Ahead(faces))
    }

    /// Waits, and refuses faces that differ from the assumption of [`Mesh::rebuild_ahead`].
    ///
    /// # Errors
    ///
    /// As [`Mesh::from_faces`]; faces with a boundary, or a vertex of several fans of them. The mesh is then empty.
    pub fn check(&mut self) -> Result<(), Error> {
        let checked = self.try_check();
        self.work.unread = false;
        self.settle(checked)
    }

    fn of(engine: &Engine, source: &FaceSource) -> Result<Mesh, Error> {
        let mut mesh = Mesh::empty(engine)?;
        mesh.make_of(source)?;
        Ok(mesh)
    }

    fn make_of(&mut self, source: &FaceSource) -> Result<(), Error> {
        let sizes = source.check();
        if sizes.is_err() {
            self.clear();
        }
        self.make(source, &sizes?)
    }

    /// Makes a mesh without faces and vertices.
    pub(crate) fn empty(engine: &Engine) -> Result<Mesh, Error> {
        crate::load(engine)?;
        let empty = || GrowableBuffer::empty(engine);
        Ok(Mesh {
            engine: engine.clone(),
            size: 4,
            offsets: empty()?,
            faces: empty()?,
            corners: empty()?,
            twins: empty()?,
            edges: empty()?,
            halves: empty()?,
            starts: GrowableBuffer::zeroed(engine, 1)?,
            entries: empty()?,
            around: empty()?,
            special: Special::default(),
            work: ConnectBuffers::empty(engine)?,
        })
    }

    /// Removes all faces and vertices; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.size = 4;
        self.starts.shrink(1);
        for buffer in [
            &mut self.offsets,
            &mut self.faces,
            &mut self.corners,
            &mut self.twins,
            &mut self.edges,
            &mut self.halves,
            &mut self.entries,
            &mut self.around,
        ] {
            buffer.shrink(0);
        }
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the view for kernels.
    pub fn topology(&self) -> Topology {
        Topology {
            size: self.size,
            offsets: self.offsets.global(),
            faces: self.faces.global(),
            corners: self.corners.global(),
            twins: self.twins.global(),
            edges: self.edges.global(),
            halves: self.halves.global(),
            starts: self.starts.global(),
            entries: self.entries.global(),
        }
    }

    /// Returns the neighbourhood of each vertex: [`Neighbourhood`](rxmesh_subdivision_kernels::build::Neighbourhood) as
    /// numbers.
    pub fn around(&self) -> Global<u32> {
        self.around.global()
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Returns the number of edges.
    pub fn edge_count(&self) -> u32 {
        self.halves.len() as u32
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> u32 {
        match self.size {
            0 => self.offsets.len() as u32 - 1,
            n => self.corners.len() as u32 / n,
        }
    }

    /// Returns the number of corners.
    pub fn corner_count(&self) -> u32 {
        self.corners.len() as u32
    }

    /// Returns `true` if no edge is at a boundary.
    pub(crate) fn is_closed(&self) -> bool {
        2 * self.halves.len() == self.corners.len()
    }

    /// Returns the number of bytes on the engine, including memory that is kept for rebuilding.
    pub fn bytes(&self) -> u64 {
        let rooms = [
            &self.offsets,
            &self.faces,
            &self.corners,
            &self.twins,
            &self.edges,
            &self.halves,
            &self.starts,
            &self.entries,
            &self.around,
        ];
        rooms.iter().map(|r| r.bytes()).sum::<u64>() + self.work.bytes()
    }

    /// Returns the number of corners of every face, if all have the same.
    pub fn face_size(&self) -> Option<u32> {
        (self.size != 0).then_some(self.size)
    }

    /// Allocates a level of these numbers of vertices, edges and corners, which a rule writes.
    pub(crate) fn level_room(
        engine: &Engine,
        size: u32,
        [vertices, edges, corners]: [u32; 3],
    ) -> Result<Mesh, Error> {
        let mut mesh = Mesh::empty(engine)?;
        mesh.size = size;
        mesh.starts.set_len(vertices as usize + 1)?;
        mesh.around.set_len(vertices as usize)?;
        mesh.halves.set_len(edges as usize)?;
        for buffer in [
            &mut mesh.corners,
            &mut mesh.twins,
            &mut mesh.edges,
            &mut mesh.entries,
        ] {
            buffer.set_len(corners as usize)?;
        }
        Ok(mesh)
    }
}

/// Everything that [`Mesh`] has on its engine, for tests and for other libraries. The fields are those of [`Topology`].
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "as in `Topology`")]
pub struct HostMesh {
    pub twins: Vec<u32>,
    pub edges: Vec<u32>,
    pub halves: Vec<u32>,
    pub starts: Vec<u32>,
    pub entries: Vec<u32>,
    pub around: Vec<u32>,
}

impl Mesh {
    /// Copies everything to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_host(&self) -> Result<HostMesh, EngineError> {
        Ok(HostMesh {
            twins: self.twins.read()?,
            edges: self.edges.read()?,
            halves: self.halves.read()?,
            starts: self.starts.read()?,
            entries: self.entries.read()?,
            around: self.around.read()?,
        })
    }
}
