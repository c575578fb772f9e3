//! Connectivity of the faces of a mesh, computed on its engine.

use super::Mesh;
use crate::faces::FaceSource;
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::scan::Scan;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{EdgeTable, Faces, MeshError, PolyMesh};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_subdivision_kernels::build::edges::{ITEMS, NumberEdges};
use rxmesh_subdivision_kernels::build::rows::{CountEntries, FillEntries};
use rxmesh_subdivision_kernels::build::twins::Twins;
use rxmesh_subdivision_kernels::build::{
    BAD_EDGE, BAD_FACE, BAD_ID, CORNERS, EDGES, FANS, FaceColumns, REPORT,
};
use rxmesh_subdivision_kernels::scan::ScanParts;
use rxmesh_subdivision_kernels::topology::NONE;

/// Kinds of vertices that are present and for which surfaces have special rules.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Special {
    /// `true` if there are vertices of one face.
    pub(crate) corners: bool,
    /// `true` if there are vertices of several fans.
    pub(crate) fans: bool,
}

/// Facts about a mesh that are known before it is made, so that nothing is read back.
#[derive(Clone, Copy, Debug)]
pub(crate) struct KnownTopology {
    pub(crate) edges: u32,
    pub(crate) special: Special,
}

/// Scratch buffers of the construction of a mesh.
#[derive(Debug)]
pub(super) struct ConnectBuffers {
    /// Rows in arbitrary order.
    rows: GrowableBuffer<u32>,
    /// Number of lower half-edges before each.
    before: GrowableBuffer<u32>,
    /// Zero at each vertex between two constructions.
    counts: GrowableBuffer<u32>,
    scan: Scan,
    /// [`REPORT`] between two constructions, except for the numbers in it.
    report: GrowableBuffer<u32>,
    /// `true` if the report of the last construction has not been read back.
    pub(super) unread: bool,
}

impl ConnectBuffers {
    pub(super) fn empty(engine: &Engine) -> Result<ConnectBuffers, EngineError> {
        Ok(ConnectBuffers {
            rows: GrowableBuffer::empty(engine)?,
            before: GrowableBuffer::empty(engine)?,
            counts: GrowableBuffer::empty(engine)?,
            scan: Scan::empty(engine)?,
            report: GrowableBuffer::upload(engine, &REPORT)?,
            unread: false,
        })
    }

    pub(super) fn bytes(&self) -> u64 {
        let rooms = [&self.rows, &self.before, &self.counts, &self.report];
        rooms.iter().map(|r| r.bytes()).sum::<u64>() + self.scan.bytes()
    }
}

/// Refuses a mesh with an edge of more than two faces whose vertices have very many. The kernels order the faces around
/// a vertex in time quadratic in their number; they find all other edges of this kind.
fn refuse_crowds(mesh: &PolyMesh) -> Result<(), MeshError> {
    const CROWD: u32 = 1 << 11;
    let mut faces = vec![0u32; mesh.vertex_count()];
    let counts = mesh.corners.iter().filter_map(|&v| {
        let count = faces.get_mut(v as usize)?;
        *count += 1;
        Some(*count)
    });
    if counts.max().unwrap_or(0) < CROWD || mesh.validate().is_err() {
        return Ok(());
    }
    let table = EdgeTable::of_polygons(mesh);
    let crowded = (0..table.len()).filter(|&e| table.along(e).len() > 2);
    let third = crowded.flat_map(|e| &table.along(e)[2..]).min();
    let Some(&corner) = third else {
        return Ok(());
    };
    let ends = |f: usize| mesh.range(f).end;
    let (mut low, mut high) = (0, mesh.face_count());
    while low < high {
        let middle = low.midpoint(high);
        match ends(middle) <= corner as usize {
            true => low = middle + 1,
            false => high = middle,
        }
    }
    Err(MeshError::NoSurface {
        face: low as u32,
        vertex: mesh.corners[corner as usize],
    })
}

impl Mesh {
    /// Makes the mesh of checked faces.
    pub(crate) fn make(&mut self, source: &FaceSource, sizes: &Faces) -> Result<(), Error> {
        let made = self.try_make(source, sizes);
        self.settle(made)
    }

    fn try_make(&mut self, source: &FaceSource, sizes: &Faces) -> Result<(), Error> {
        self.set_sizes(sizes)?;
        let known = source.known_topology(sizes)?;
        match source {
            FaceSource::Host(mesh) => {
                refuse_crowds(mesh)?;
                self.corners.fill(&mesh.corners)?;
                self.connect(mesh.vertex_count() as u32, None, None)
            }
            FaceSource::Device(given, _) | FaceSource::Ahead(given) => {
                self.corners.set_len(source.corner_count(sizes) as usize)?;
                self.connect(given.vertices, Some(given.corners), known)
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
    /// `vertices`. Nothing is waited for.
    pub(crate) fn make_with(
        &mut self,
        vertices: u32,
        (size, corners): (u32, u32),
        known: KnownTopology,
        write: impl FnOnce(GlobalMut<u32>) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        let made = self.try_make_with(vertices, (size, corners), known, write);
        self.settle(made)
    }

    fn try_make_with(
        &mut self,
        vertices: u32,
        (size, corners): (u32, u32),
        known: KnownTopology,
        write: impl FnOnce(GlobalMut<u32>) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        self.set_sizes(&Faces::Same(size))?;
        self.corners.set_len(corners as usize)?;
        write(self.corners.global_mut())?;
        self.connect(vertices, None, Some(known))
    }

    /// Makes the corners of faces of `size` corners that `write` puts into the memory it is given, without vertices and
    /// connectivity.
    pub(crate) fn make_corners(
        &mut self,
        (size, corners): (u32, u32),
        write: impl FnOnce(GlobalMut<u32>) -> Result<(), EngineError>,
    ) -> Result<(), Error> {
        self.clear();
        self.set_sizes(&Faces::Same(size))?;
        self.corners.set_len(corners as usize)?;
        Ok(write(self.corners.global_mut())?)
    }

    /// Makes a mesh as [`Mesh::new`], from faces that are on the engine already: of `size` corners each, or given by
    /// `offsets` when it is 0. Ids are below `vertices`.
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
            mesh.offsets = GrowableBuffer::from(offsets);
        }
        mesh.corners = GrowableBuffer::from(corners);
        mesh.connect(vertices, None, None)?;
        Ok(mesh)
    }

    /// Empties the mesh after a failure, and resets the buffers on which the next construction relies.
    pub(super) fn settle(&mut self, made: Result<(), Error>) -> Result<(), Error> {
        if made.is_err() {
            self.clear();
            self.work.counts.clear()?;
            self.work.report.fill(&REPORT)?;
        }
        made
    }

    /// Computes the connectivity. Corners are those in the mesh, or the given ones, which are checked.
    fn connect(
        &mut self,
        vertices: u32,
        given: Option<&Buffer<u32>>,
        known: Option<KnownTopology>,
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
        // If the number of edges is not known: that of a closed mesh; there may be memory for more.
        let closed = n.div_ceil(2).max(self.halves.capacity());
        self.halves
            .set_len(known.map_or(closed, |t| t.edges as usize))?;
        if std::mem::take(&mut self.work.unread) {
            self.work.report.fill(&REPORT)?;
        }
        self.launch_rows(vertices, given)?;
        self.launch_edges(known)?;
        if let Some(known) = known {
            self.special = known.special;
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

    /// Computes the rows of the mesh matrix, in arbitrary order.
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
        // The buffer for offsets of vertices is reused for their neighbourhoods later.
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

    /// Computes twins, ordered rows and edges.
    fn launch_edges(&mut self, known: Option<KnownTopology>) -> Result<(), Error> {
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
        self.launch_numbers(known)
    }

    /// Computes numbers of edges, long rows, and the neighbourhoods of vertices.
    fn launch_numbers(&mut self, known: Option<KnownTopology>) -> Result<(), Error> {
        let n = self.corners.len() as u32;
        let (parts, _) = self.work.scan.parts(n)?;
        let work = &self.work;
        let numbers = NumberEdges {
            columns: self.columns(),
            told: known.map_or(NONE, |t| t.edges),
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

    fn columns(&self) -> FaceColumns {
        FaceColumns {
            size: self.size,
            offsets: self.offsets.global(),
            faces: self.faces.global(),
            corners: self.corners.global(),
        }
    }

    /// Returns the error that names the first non-manifold place, if there is one.
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
            // The caller's faces may have changed by now.
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

    /// Waits, and returns the error if there is one.
    pub(super) fn try_check(&self) -> Result<(), Error> {
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
}
