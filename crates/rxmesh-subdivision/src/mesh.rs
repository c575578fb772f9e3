//! A polygon mesh on an engine.

use rxmesh_host::Error;
use rxmesh_host::algo::scan;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::build::{
    BAD_EDGE, BAD_FACE, BAD_WORDS, Columns, CountEntries, Edges, FaceOfCorners, FillEntries,
    LookAround, NumberEdges, ROWS, SortEntries, SortLongRows, Twins,
};
use rxmesh_subdivision_kernels::topology::{NONE, Topology};

/// A polygon mesh on an engine: its mesh matrix, with twins, edges and rows made there. Positions and other values are
/// not part of it.
#[derive(Debug)]
pub struct Mesh {
    pub(crate) engine: Engine,
    pub(crate) size: u32,
    pub(crate) offsets: Option<Buffer<u32>>,
    pub(crate) faces: Option<Buffer<u32>>,
    pub(crate) corners: Buffer<u32>,
    pub(crate) twins: Buffer<u32>,
    pub(crate) edges: Buffer<u32>,
    pub(crate) halves: Buffer<u32>,
    pub(crate) starts: Buffer<u32>,
    pub(crate) entries: Buffer<u32>,
    pub(crate) around: Buffer<u32>,
}

impl Mesh {
    /// Brings the faces of a mesh to an engine and finds out there how they hang together.
    ///
    /// # Errors
    ///
    /// What is wrong with the mesh ([`PolyMesh::validate`]); a face that has a vertex twice, an edge of more than two
    /// faces, or of two that walk it alike: the first such place is named. No memory on the engine.
    pub fn new(engine: &Engine, mesh: &PolyMesh) -> Result<Mesh, Error> {
        mesh.validate()?;
        crate::load(engine)?;
        let corners = engine.upload(&mesh.corners)?;
        let (size, offsets) = match &mesh.faces {
            Faces::Same(n) => (*n, None),
            Faces::Offsets(offsets) => (0, Some(engine.upload(offsets)?)),
        };
        Mesh::of_buffers(engine, mesh.vertex_count() as u32, size, offsets, corners)
    }

    /// As [`Mesh::new`], for faces that are on the engine already: `size` corners each, or as `offsets` says when it
    /// is 0. Ids are below `vertices`.
    pub(crate) fn of_buffers(
        engine: &Engine,
        vertices: u32,
        size: u32,
        offsets: Option<Buffer<u32>>,
        corners: Buffer<u32>,
    ) -> Result<Mesh, Error> {
        let n = corners.len() as u32;
        let faces = match &offsets {
            None => None,
            Some(offsets) => {
                let faces = engine.zeroed(n as usize)?;
                let kernel = FaceOfCorners {
                    offsets: offsets.global(),
                    faces: faces.global_mut(),
                };
                engine.launch_flat(offsets.len() as u32 - 1, kernel)?;
                Some(faces)
            }
        };
        let (starts, entries) = rows(engine, vertices, &corners)?;
        let twins = engine.zeroed(n as usize)?;
        let around = engine.zeroed(vertices as usize)?;
        let bad = engine.upload(&[NONE; BAD_WORDS])?;
        let columns = Columns {
            size,
            offsets: view(&offsets),
            faces: view(&faces),
            corners: corners.global(),
        };
        engine.launch_flat(
            n,
            Twins {
                columns,
                starts: starts.global(),
                entries: entries.global(),
                twins: twins.global_mut(),
                bad: bad.global_mut(),
            },
        )?;
        engine.launch_flat(
            vertices,
            LookAround {
                columns,
                starts: starts.global(),
                entries: entries.global(),
                twins: twins.global(),
                around: around.global_mut(),
                bad: bad.global_mut(),
            },
        )?;
        let before = engine.zeroed(n as usize)?;
        engine.launch_flat(
            n,
            Edges {
                twins: twins.global(),
                marks: before.global_mut(),
            },
        )?;
        let count = scan::exclusive(engine, &before)?;
        let bad = bad.read()?;
        if let Some(what) = [BAD_FACE, BAD_EDGE]
            .into_iter()
            .find(|&w| bad[w as usize] != NONE)
        {
            return Err(place(
                what,
                bad[what as usize],
                size,
                faces.as_ref(),
                &corners,
            )?);
        }
        let edges = engine.zeroed(n as usize)?;
        let halves = engine.zeroed(count as usize)?;
        engine.launch_flat(
            n,
            NumberEdges {
                twins: twins.global(),
                before: before.global(),
                edges: edges.global_mut(),
                halves: halves.global_mut(),
            },
        )?;
        Ok(Mesh {
            engine: engine.clone(),
            size,
            offsets,
            faces,
            corners,
            twins,
            edges,
            halves,
            starts,
            entries,
            around,
        })
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What kernels see.
    pub fn topology(&self) -> Topology {
        Topology {
            size: self.size,
            offsets: view(&self.offsets),
            faces: view(&self.faces),
            corners: self.corners.global(),
            twins: self.twins.global(),
            edges: self.edges.global(),
            halves: self.halves.global(),
            starts: self.starts.global(),
            entries: self.entries.global(),
        }
    }

    /// What is round each vertex: [`Around`](rxmesh_subdivision_kernels::build::Around) as numbers.
    pub fn around(&self) -> Global<u32> {
        self.around.global()
    }

    /// Vertex of each corner.
    pub(crate) fn corners(&self) -> &Buffer<u32> {
        &self.corners
    }

    /// Number of vertices.
    pub fn vertex_count(&self) -> u32 {
        self.starts.len() as u32 - 1
    }

    /// Number of edges.
    pub fn edge_count(&self) -> u32 {
        self.halves.len() as u32
    }

    /// Number of faces.
    pub fn face_count(&self) -> u32 {
        match &self.offsets {
            Some(offsets) => offsets.len() as u32 - 1,
            None => self.corners.len() as u32 / self.size,
        }
    }

    /// Number of corners.
    pub fn corner_count(&self) -> u32 {
        self.corners.len() as u32
    }

    /// Bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let some = |b: &Option<Buffer<u32>>| b.as_ref().map_or(0, Buffer::len);
        let all = [
            &self.corners,
            &self.twins,
            &self.edges,
            &self.halves,
            &self.starts,
            &self.entries,
            &self.around,
        ];
        let words: usize = all.iter().map(|b| b.len()).sum();
        4 * (words + some(&self.offsets) + some(&self.faces)) as u64
    }

    /// Corners of every face, when all have the same number.
    pub fn face_size(&self) -> Option<u32> {
        (self.size != 0).then_some(self.size)
    }
}

fn view(buffer: &Option<Buffer<u32>>) -> Global<u32> {
    buffer.as_ref().map_or(Global::empty(), Buffer::global)
}

/// The error that names a place that is no surface: a corner, or the half-edge that leaves it.
fn place(
    what: u32,
    corner: u32,
    size: u32,
    faces: Option<&Buffer<u32>>,
    corners: &Buffer<u32>,
) -> Result<Error, EngineError> {
    let face = match faces {
        Some(faces) => faces.read_range(corner as usize, 1)?[0],
        None => corner / size,
    };
    let vertex = corners.read_range(corner as usize, 1)?[0];
    let error = match what {
        BAD_FACE => MeshError::RepeatedVertex { face, vertex },
        _ => MeshError::NoSurface { face, vertex },
    };
    Ok(error.into())
}

/// The rows of the mesh matrix: where each starts, and the corners in them, ascending.
fn rows(
    engine: &Engine,
    vertices: u32,
    corners: &Buffer<u32>,
) -> Result<(Buffer<u32>, Buffer<u32>), Error> {
    let n = corners.len() as u32;
    let starts = engine.zeroed(vertices as usize + 1)?;
    engine.launch_flat(
        n,
        CountEntries {
            corners: corners.global(),
            counts: starts.global_mut(),
        },
    )?;
    scan::exclusive(engine, &starts)?;
    let taken = engine.zeroed(vertices as usize)?;
    let entries = engine.zeroed(n as usize)?;
    engine.launch_flat(
        n,
        FillEntries {
            corners: corners.global(),
            starts: starts.global(),
            taken: taken.global_mut(),
            entries: entries.global_mut(),
        },
    )?;
    let (starts_view, entries_view) = (starts.global(), entries.global_mut());
    engine.launch_flat(
        vertices,
        SortEntries {
            starts: starts_view,
            entries: entries_view,
        },
    )?;
    engine.launch_blocks(
        vertices.div_ceil(ROWS),
        SortLongRows {
            starts: starts_view,
            entries: entries_view,
        },
    )?;
    Ok((starts, entries))
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
    /// Brings everything to the host.
    ///
    /// # Errors
    ///
    /// What the engine says.
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
