//! A polygon mesh on an engine.

use crate::faces::{DeviceFaces, Extras, Source};
use crate::room::Room;
use crate::scan::Scan;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_subdivision_kernels::build::{
    BAD_EDGE, BAD_FACE, BAD_ID, CORNERS, Columns, CountEntries, EDGES, FANS, FillEntries, ITEMS,
    NumberEdges, REPORT, ScanParts, Twins,
};
use rxmesh_subdivision_kernels::topology::{NONE, Topology};

/// A polygon mesh on an engine: its mesh matrix, with twins, edges and rows made there. Positions and other values are
/// not part of it.
///
/// [`rebuild`](Mesh::rebuild) and [`rebuild_from`](Mesh::rebuild_from) put other faces in their place, in the memory
/// that is there; memory is taken only when there is too little, and stays. After an error the mesh is empty, and may
/// be built again.
#[derive(Debug)]
pub struct Mesh {
    pub(crate) engine: Engine,
    pub(crate) size: u32,
    /// No values where all faces have `size` corners.
    pub(crate) offsets: Room<u32>,
    /// As `offsets`.
    pub(crate) faces: Room<u32>,
    pub(crate) corners: Room<u32>,
    pub(crate) twins: Room<u32>,
    pub(crate) edges: Room<u32>,
    pub(crate) halves: Room<u32>,
    pub(crate) starts: Room<u32>,
    pub(crate) entries: Room<u32>,
    pub(crate) around: Room<u32>,
    pub(crate) special: Special,
    work: Work,
}

/// Whether there are vertices whose surroundings surfaces have rules for.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Special {
    /// Vertices of one face.
    pub(crate) corners: bool,
    /// Vertices of several fans.
    pub(crate) fans: bool,
}

/// What is known of a mesh before it is made, so that nobody waits for it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Told {
    pub(crate) edges: u32,
    pub(crate) special: Special,
}

/// What the making of a mesh needs on the way.
#[derive(Debug)]
struct Work {
    /// Rows in any order.
    rows: Room<u32>,
    /// Lower half-edges before each.
    before: Room<u32>,
    /// Zero at each vertex between two makings.
    counts: Room<u32>,
    scan: Scan,
    /// [`REPORT`] between two makings, but for the numbers in it.
    report: Room<u32>,
    /// Whether nobody has looked at the report of the last making.
    unread: bool,
}

impl Work {
    fn empty(engine: &Engine) -> Result<Work, EngineError> {
        Ok(Work {
            rows: Room::empty(engine)?,
            before: Room::empty(engine)?,
            counts: Room::empty(engine)?,
            scan: Scan::empty(engine)?,
            report: Room::upload(engine, &REPORT)?,
            unread: false,
        })
    }

    fn bytes(&self) -> u64 {
        let rooms = [&self.rows, &self.before, &self.counts, &self.report];
        rooms.iter().map(|r| r.bytes()).sum::<u64>() + self.scan.bytes()
    }
}

impl Mesh {
    /// Brings the faces of a mesh to an engine and finds out there how they hang together.
    ///
    /// # Errors
    ///
    /// What is wrong with the mesh ([`PolyMesh::validate`]); a face that has a vertex twice, an edge of more than two
    /// faces, or of two that walk it alike: the first such place is named. No memory on the engine.
    pub fn new(engine: &Engine, mesh: &PolyMesh) -> Result<Mesh, Error> {
        Mesh::of(engine, &Source::Host(mesh))
    }

    /// As [`Mesh::new`], of faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; a vertex that does not exist, buffers that are too short.
    pub fn from_faces(engine: &Engine, faces: &DeviceFaces) -> Result<Mesh, Error> {
        Mesh::of(engine, &Source::Device(faces, Extras::default()))
    }

    /// Puts the faces of another mesh in place of those that are there. One wait, for what is wrong and for the number
    /// of edges.
    ///
    /// # Errors
    ///
    /// As [`Mesh::new`]; the mesh is empty then.
    pub fn rebuild(&mut self, mesh: &PolyMesh) -> Result<(), Error> {
        self.make_of(&Source::Host(mesh))
    }

    /// As [`Mesh::rebuild`], of faces that are on the engine already.
    ///
    /// # Errors
    ///
    /// As [`Mesh::from_faces`]; the mesh is empty then.
    pub fn rebuild_from(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make_of(&Source::Device(faces, Extras::default()))
    }

    /// As [`Mesh::rebuild_from`], of faces that are known to be a closed surface: nothing is waited for. Their edges are
    /// half as many as corners. [`Mesh::check`] waits, and tells whether it was so; before, the mesh is one whose use
    /// can go wrong only by giving wrong values.
    ///
    /// # Errors
    ///
    /// What can be seen without a wait; the mesh is empty then.
    pub fn rebuild_ahead(&mut self, faces: &DeviceFaces) -> Result<(), Error> {
        self.make_of(&Source::Ahead(faces))
    }

    /// Waits, and refuses faces that [`Mesh::rebuild_ahead`] took at their word.
    ///
    /// # Errors
    ///
    /// As [`Mesh::from_faces`]; faces with a boundary, or a vertex of several fans of them. The mesh is empty then.
    pub fn check(&mut self) -> Result<(), Error> {
        let checked = self.try_check();
        self.work.unread = false;
        self.settle(checked)
    }

    fn try_check(&self) -> Result<(), Error> {
        if self.corners.len() == 0 {
            return Ok(self.engine.synchronize()?);
        }
        let report = self.work.report.read()?;
        if let Some(error) = self.fault(&report, None)? {
            return Err(error);
        }
        let boundary = report[EDGES as usize] as usize != self.halves.len();
        let fans = report[FANS as usize] != 0 && !self.special.fans;
        let what = match (boundary, fans) {
            (true, _) => "a boundary",
            (_, true) => "a vertex that several fans of them meet in",
            _ => return Ok(()),
        };
        let what = format!("the faces were said to be a closed surface, but have {what}");
        Err(MeshError::Extras { what }.into())
    }

    fn of(engine: &Engine, source: &Source) -> Result<Mesh, Error> {
        let mut mesh = Mesh::empty(engine)?;
        mesh.make_of(source)?;
        Ok(mesh)
    }

    fn make_of(&mut self, source: &Source) -> Result<(), Error> {
        let sizes = source.check();
        if sizes.is_err() {
            self.clear();
        }
        self.make(source, &sizes?)
    }

    /// No faces and no vertices.
    pub(crate) fn empty(engine: &Engine) -> Result<Mesh, Error> {
        crate::load(engine)?;
        let room = || Room::empty(engine);
        Ok(Mesh {
            engine: engine.clone(),
            size: 4,
            offsets: room()?,
            faces: room()?,
            corners: room()?,
            twins: room()?,
            edges: room()?,
            halves: room()?,
            starts: Room::zeroed(engine, 1)?,
            entries: room()?,
            around: room()?,
            special: Special::default(),
            work: Work::empty(engine)?,
        })
    }

    /// Forgets all faces and vertices; the memory stays.
    pub(crate) fn clear(&mut self) {
        self.size = 4;
        self.starts.shrink(1);
        for room in [
            &mut self.offsets,
            &mut self.faces,
            &mut self.corners,
            &mut self.twins,
            &mut self.edges,
            &mut self.halves,
            &mut self.entries,
            &mut self.around,
        ] {
            room.shrink(0);
        }
    }

    /// Makes the mesh of checked faces.
    pub(crate) fn make(&mut self, source: &Source, sizes: &Faces) -> Result<(), Error> {
        let made = self.try_make(source, sizes);
        self.settle(made)
    }

    fn try_make(&mut self, source: &Source, sizes: &Faces) -> Result<(), Error> {
        self.set_sizes(sizes)?;
        let told = source.told(sizes)?;
        match source {
            Source::Host(mesh) => {
                self.corners.fill(&mesh.corners)?;
                self.connect(mesh.vertex_count() as u32, None, None)
            }
            Source::Device(given, _) | Source::Ahead(given) => {
                self.corners.set_len(source.corner_count(sizes) as usize)?;
                self.connect(given.vertices, Some(given.corners), told)
            }
        }
    }

    fn set_sizes(&mut self, sizes: &Faces) -> Result<(), Error> {
        match sizes {
            Faces::Same(n) => {
                self.size = *n;
                self.offsets.shrink(0);
            }
            Faces::Offsets(offsets) => {
                self.size = 0;
                self.offsets.fill(offsets)?;
            }
        }
        Ok(())
    }

    /// Makes the mesh of faces of `size` corners that `write` puts into the memory it is given; ids are below
    /// `vertices`. Nobody waits.
    pub(crate) fn make_with(
        &mut self,
        vertices: u32,
        (size, corners): (u32, u32),
        told: Told,
        write: impl FnOnce(GlobalMut<u32>) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        let made = self.try_make_with(vertices, (size, corners), told, write);
        self.settle(made)
    }

    fn try_make_with(
        &mut self,
        vertices: u32,
        (size, corners): (u32, u32),
        told: Told,
        write: impl FnOnce(GlobalMut<u32>) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        self.set_sizes(&Faces::Same(size))?;
        self.corners.set_len(corners as usize)?;
        write(self.corners.global_mut())?;
        self.connect(vertices, None, Some(told))
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
        let mut mesh = Mesh::empty(engine)?;
        mesh.size = size;
        if let Some(offsets) = offsets {
            mesh.offsets = Room::from(offsets);
        }
        mesh.corners = Room::from(corners);
        mesh.connect(vertices, None, None)?;
        Ok(mesh)
    }

    /// After a failure there is no mesh, and what the next making relies on is as it was.
    fn settle(&mut self, made: Result<(), Error>) -> Result<(), Error> {
        if made.is_err() {
            self.clear();
            self.work.counts.clear()?;
            self.work.report.fill(&REPORT)?;
        }
        made
    }

    /// How the faces hang together. Corners are those that are there, or the given ones, which are checked.
    fn connect(
        &mut self,
        vertices: u32,
        given: Option<&Buffer<u32>>,
        told: Option<Told>,
    ) -> Result<(), Error> {
        let n = self.corners.len();
        self.faces.set_len(if self.size == 0 { n } else { 0 })?;
        self.twins.set_len(n)?;
        self.edges.set_len(n)?;
        self.entries.set_len(n)?;
        self.starts.set_len(vertices as usize + 1)?;
        self.around.set_len(vertices as usize)?;
        self.special = Special::default();
        if n == 0 {
            self.halves.shrink(0);
            self.starts.clear()?;
            return Ok(self.around.clear()?);
        }
        // As many edges as a closed mesh has, if nobody told; there may be memory for more.
        let closed = n.div_ceil(2).max(self.halves.capacity());
        self.halves
            .set_len(told.map_or(closed, |t| t.edges as usize))?;
        if std::mem::take(&mut self.work.unread) {
            self.work.report.fill(&REPORT)?;
        }
        self.launch_rows(vertices, given)?;
        self.launch_edges(told)?;
        if let Some(told) = told {
            self.special = told.special;
            self.work.unread = true;
            return Ok(());
        }
        let mut report = self.work.report.read()?;
        let edges = report[EDGES as usize] as usize;
        if let Some(error) = self.fault(&report, given)? {
            return Err(error);
        }
        if edges > self.halves.len() {
            self.halves.set_len(edges)?;
            self.launch_numbers(None)?;
            report = self.work.report.read()?;
        }
        self.halves.shrink(edges);
        self.special = Special {
            corners: report[CORNERS as usize] != 0,
            fans: report[FANS as usize] != 0,
        };
        Ok(())
    }

    /// The rows of the mesh matrix, in any order.
    fn launch_rows(&mut self, vertices: u32, given: Option<&Buffer<u32>>) -> Result<(), Error> {
        let n = self.corners.len() as u32;
        let work = &mut self.work;
        work.rows.set_len(n as usize)?;
        work.before.set_len(n as usize)?;
        work.counts.set_len(vertices as usize)?;
        work.scan.reserve(n)?;
        self.engine.launch_flat(
            n,
            CountEntries {
                vertices,
                given: given.map_or(self.corners.global(), |g| g.global().part(0, n)),
                corners: given.map_or(GlobalMut::empty(), |_| self.corners.global_mut()),
                offsets: self.offsets.global(),
                faces: self.faces.global_mut(),
                counts: work.counts.global_mut(),
                report: work.report.global_mut(),
            },
        )?;
        let (parts, blocks) = work.scan.parts(vertices)?;
        // Where vertices stand is what is round them later.
        let sums = &self.around;
        self.engine.launch_blocks(
            blocks,
            ScanParts {
                values: work.counts.global(),
                sums: sums.global_mut(),
                parts,
            },
        )?;
        self.engine.launch_flat(
            n.max(vertices + 1),
            FillEntries {
                corners: self.corners.global(),
                sums: sums.global(),
                log_chunk: parts.log_chunk,
                before: parts.sums.read(),
                counts: work.counts.global_mut(),
                starts: self.starts.global_mut(),
                rows: work.rows.global_mut(),
            },
        )?;
        Ok(())
    }

    /// Twins, ordered rows and edges.
    fn launch_edges(&mut self, told: Option<Told>) -> Result<(), Error> {
        let n = self.corners.len() as u32;
        let (parts, blocks) = self.work.scan.parts(n)?;
        let work = &self.work;
        let twins = Twins {
            columns: self.columns(),
            starts: self.starts.global(),
            rows: work.rows.global(),
            entries: self.entries.global_mut(),
            twins: self.twins.global_mut(),
            before: work.before.global_mut(),
            parts,
            report: work.report.global_mut(),
        };
        self.engine.launch_blocks(blocks, twins)?;
        self.launch_numbers(told)
    }

    /// Numbers of edges, long rows, and what is round vertices.
    fn launch_numbers(&mut self, told: Option<Told>) -> Result<(), Error> {
        let n = self.corners.len() as u32;
        let (parts, _) = self.work.scan.parts(n)?;
        let work = &self.work;
        let numbers = NumberEdges {
            columns: self.columns(),
            told: told.map_or(NONE, |t| t.edges),
            starts: self.starts.global_mut(),
            rows: work.rows.global(),
            entries: self.entries.global_mut(),
            twins: self.twins.global_mut(),
            before: work.before.global(),
            log_chunk: parts.log_chunk,
            sums: parts.sums.read(),
            edges: self.edges.global_mut(),
            halves: self.halves.global_mut(),
            around: self.around.global_mut(),
            report: work.report.global_mut(),
        };
        let blocks = n.max(self.vertex_count()).div_ceil(ITEMS);
        Ok(self.engine.launch_blocks(blocks, numbers)?)
    }

    fn columns(&self) -> Columns {
        Columns {
            size: self.size,
            offsets: self.offsets.global(),
            faces: self.faces.global(),
            corners: self.corners.global(),
        }
    }

    /// The error that names the first place that is no surface, if there is one.
    fn fault(&self, report: &[u32], given: Option<&Buffer<u32>>) -> Result<Option<Error>, Error> {
        let bad = [BAD_ID, BAD_FACE, BAD_EDGE];
        let Some(what) = bad.into_iter().find(|&w| report[w as usize] != NONE) else {
            return Ok(None);
        };
        // A corner, or the half-edge that leaves it.
        let corner = report[what as usize] as usize;
        let face = match self.size {
            0 => self.faces.read_range(corner, 1)?[0],
            n => corner as u32 / n,
        };
        let vertex = self.corners.read_range(corner, 1)?[0];
        let error = match (what, given) {
            (BAD_ID, Some(given)) => MeshError::IndexOutOfRange {
                face: face as usize,
                index: given.read_range(corner, 1)?[0],
                vertices: self.vertex_count() as usize,
            },
            // The faces may be others by now.
            (BAD_ID, None) => MeshError::Extras {
                what: format!(
                    "face {face} names a vertex that does not exist: the mesh has {} (faces are counted from 0)",
                    self.vertex_count()
                ),
            },
            (BAD_FACE, _) => MeshError::RepeatedVertex { face, vertex },
            _ => MeshError::NoSurface { face, vertex },
        };
        Ok(Some(error.into()))
    }

    /// The engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// What kernels see.
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

    /// What is round each vertex: [`Around`](rxmesh_subdivision_kernels::build::Around) as numbers.
    pub fn around(&self) -> Global<u32> {
        self.around.global()
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
        match self.size {
            0 => self.offsets.len() as u32 - 1,
            n => self.corners.len() as u32 / n,
        }
    }

    /// Number of corners.
    pub fn corner_count(&self) -> u32 {
        self.corners.len() as u32
    }

    /// Whether no edge is at a boundary.
    pub(crate) fn is_closed(&self) -> bool {
        2 * self.halves.len() == self.corners.len()
    }

    /// Bytes on the engine: of all memory that is kept, for a mesh that is built again too.
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

    /// Corners of every face, when all have the same number.
    pub fn face_size(&self) -> Option<u32> {
        (self.size != 0).then_some(self.size)
    }

    /// Memory of a level of so many vertices, edges and corners, that a rule writes.
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
        for room in [
            &mut mesh.corners,
            &mut mesh.twins,
            &mut mesh.edges,
            &mut mesh.entries,
        ] {
            room.set_len(corners as usize)?;
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
