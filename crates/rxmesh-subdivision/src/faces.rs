//! Sources of faces: a mesh on the host, or memory of an engine.

use crate::mesh::{KnownTopology, Special};
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::{Faces, MeshError, PolyMesh, SharpEdge, SharpVertex};

/// Faces in an engine's memory, for [`Mesh::from_faces`](crate::Mesh::from_faces) and `rebuild_from` of meshes and
/// surfaces. They are copied, and checked on the engine.
#[derive(Clone, Copy, Debug)]
pub struct DeviceFaces<'a> {
    /// Number of vertices: ids are below it.
    pub vertices: u32,
    /// Number of faces.
    pub faces: u32,
    /// Numbers of corners of the faces.
    pub sizes: FaceSizes<'a>,
    /// Vertex of each corner, face after face. Values beyond the corners of all faces are ignored.
    pub corners: &'a Buffer<u32>,
}

/// Numbers of corners of faces.
#[derive(Clone, Copy, Debug)]
pub enum FaceSizes<'a> {
    /// The same number for all faces.
    Same(u32),
    /// First corner of each face and the end of the last: one value more than faces, of which the first is 0. Values
    /// beyond these are ignored. The host reads them, which costs a wait.
    Offsets(&'a Buffer<u32>),
}

/// Sharpness and holes of a surface, as in [`PolyMesh`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Extras<'a> {
    /// Sharp edges; the last of several values for one edge is used.
    pub sharp_edges: &'a [SharpEdge],
    /// Sharp vertices.
    pub sharp_vertices: &'a [SharpVertex],
    /// Faces that shape the surface but are not part of it, ascending.
    pub holes: &'a [u32],
}

impl<'a> Extras<'a> {
    /// Returns those of a mesh.
    pub fn of(mesh: &'a PolyMesh) -> Extras<'a> {
        Extras {
            sharp_edges: &mesh.sharp_edges,
            sharp_vertices: &mesh.sharp_vertices,
            holes: &mesh.holes,
        }
    }

    /// Refuses entries out of range for these numbers of vertices and faces.
    fn validate(&self, vertices: u32, faces: u32) -> Result<(), MeshError> {
        if self.sharp_edges.is_empty() && self.sharp_vertices.is_empty() && self.holes.is_empty() {
            return Ok(());
        }
        let wrong = |what: String| Err(MeshError::Extras { what });
        let outside = |what: &str, at: usize, index: u32, n: u32| {
            wrong(format!(
                "{what} {at} names {index}, but there are only {n} (counted from 0)"
            ))
        };
        for (i, e) in self.sharp_edges.iter().enumerate() {
            if let Some(&v) = e.ends.iter().find(|&&v| v >= vertices) {
                return outside("sharp edge", i, v, vertices);
            }
        }
        for (i, v) in self.sharp_vertices.iter().enumerate() {
            if v.vertex >= vertices {
                return outside("sharp vertex", i, v.vertex, vertices);
            }
        }
        let edges = self.sharp_edges.iter().map(|e| e.sharpness);
        for s in edges.chain(self.sharp_vertices.iter().map(|v| v.sharpness)) {
            if s.is_nan() || s < 0.0 {
                return wrong(format!("a sharpness is {s}, but must be 0 or more"));
            }
        }
        for (i, &f) in self.holes.iter().enumerate() {
            if f >= faces {
                return outside("hole", i, f, faces);
            }
            if i > 0 && self.holes[i - 1] >= f {
                return wrong(format!("the holes are not ascending at {i}"));
            }
        }
        Ok(())
    }
}

/// Faces from the host or an engine, with their sharpness and holes.
#[derive(Clone, Copy)]
pub(crate) enum FaceSource<'a> {
    Host(&'a PolyMesh),
    Device(&'a DeviceFaces<'a>, Extras<'a>),
    /// Faces that are asserted to be a closed surface.
    Ahead(&'a DeviceFaces<'a>),
}

/// Refuses numbers that 32-bit ids cannot represent.
fn limited(what: &'static str, asked: u64) -> Result<(), MeshError> {
    let limit = u64::from(u32::MAX) - 1;
    match asked <= limit {
        true => Ok(()),
        false => Err(MeshError::TooLarge { what, asked, limit }),
    }
}

impl<'a> FaceSource<'a> {
    pub(crate) fn extras(&self) -> Extras<'a> {
        match self {
            FaceSource::Host(mesh) => Extras::of(mesh),
            FaceSource::Device(_, extras) => *extras,
            FaceSource::Ahead(_) => Extras::default(),
        }
    }

    /// Returns the number of faces.
    pub(crate) fn face_count(&self) -> u64 {
        match self {
            FaceSource::Host(mesh) => mesh.face_count() as u64,
            FaceSource::Device(given, _) | FaceSource::Ahead(given) => given.faces.into(),
        }
    }

    /// Returns the number of corners of faces of checked sizes.
    pub(crate) fn corner_count(&self, sizes: &Faces) -> u32 {
        match sizes {
            Faces::Same(n) => self.face_count() as u32 * n,
            Faces::Offsets(offsets) => offsets[offsets.len() - 1],
        }
    }

    /// Returns the facts that are known before the mesh is made, for faces of checked sizes.
    pub(crate) fn known_topology(&self, sizes: &Faces) -> Result<Option<KnownTopology>, MeshError> {
        if !matches!(self, FaceSource::Ahead(_)) {
            return Ok(None);
        }
        let corners = self.corner_count(sizes);
        if !corners.is_multiple_of(2) {
            let what = format!("{corners} corners are no closed surface: half-edges are twins");
            return Err(MeshError::Extras { what });
        }
        Ok(Some(KnownTopology {
            edges: corners / 2,
            special: Special::default(),
        }))
    }

    /// Refuses errors that can be found without reading the corners of faces on an engine; returns the sizes of faces.
    pub(crate) fn check(&self) -> Result<Faces, Error> {
        match self {
            FaceSource::Host(mesh) => {
                mesh.validate()?;
                Ok(mesh.faces.clone())
            }
            FaceSource::Device(given, extras) => {
                extras.validate(given.vertices, given.faces)?;
                given.check()
            }
            FaceSource::Ahead(given) => given.check(),
        }
    }
}

impl DeviceFaces<'_> {
    fn check(&self) -> Result<Faces, Error> {
        limited("vertices", self.vertices.into())?;
        limited("faces", self.faces.into())?;
        let (faces, corners) = self.sizes()?;
        if (self.corners.len() as u64) < corners {
            let what = format!(
                "{} faces have {corners} corners, but the buffer has {}",
                self.faces,
                self.corners.len()
            );
            return Err(MeshError::Extras { what }.into());
        }
        if self.vertices == 0 && corners > 0 {
            return Err(Error::Mesh(MeshError::IndexOutOfRange {
                face: 0,
                index: self.corners.read_range(0, 1)?[0],
                vertices: 0,
            }));
        }
        Ok(faces)
    }

    /// Returns the sizes of faces on the host, and the number of corners.
    fn sizes(&self) -> Result<(Faces, u64), Error> {
        let wrong = |what: String| Err(Error::Mesh(MeshError::Extras { what }));
        let offsets = match self.sizes {
            FaceSizes::Same(n) if n < 3 => {
                return wrong(format!("faces have {n} corners; 3 are needed"));
            }
            FaceSizes::Same(n) => {
                let corners = u64::from(n) * u64::from(self.faces);
                limited("corners", corners)?;
                return Ok((Faces::Same(n), corners));
            }
            FaceSizes::Offsets(offsets) => offsets,
        };
        let want = self.faces as usize + 1;
        if offsets.len() < want {
            return wrong(format!(
                "{} faces have {want} offsets, but the buffer has {}",
                self.faces,
                offsets.len()
            ));
        }
        let offsets = offsets.read_range(0, want)?;
        if offsets[0] != 0 {
            return wrong("the faces' offsets do not start with 0".into());
        }
        let short = |w: &[u32]| w[1] < w[0].saturating_add(3);
        if let Some(f) = offsets.windows(2).position(short) {
            return wrong(format!("face {f} has fewer than 3 corners"));
        }
        let corners = u64::from(offsets[want - 1]);
        limited("corners", corners)?;
        Ok((Faces::Offsets(offsets), corners))
    }
}
