//! Polygon meshes: faces of any number of corners, with the marks of subdivision surfaces.

use super::{Extras, MeshError, Placement, TriMesh, check_counts};
use crate::par::position_first;
use glam::Vec3;

/// Starts of the faces of a [`PolyMesh`] among its corners.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Faces {
    /// All faces have this number of corners, at least 3.
    Same(u32),
    /// First corner of each face, and the number of corners at the end.
    Offsets(Vec<u32>),
}

/// An edge that stays sharp for a while when a surface is made of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharpEdge {
    /// Ends of the edge.
    pub ends: [u32; 2],
    /// Number of levels it stays sharp; [`PolyMesh::SHARP`] and above means forever.
    pub sharpness: f32,
}

/// A vertex that stays a corner for a while when a surface is made of the mesh.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SharpVertex {
    /// Id of the vertex.
    pub vertex: u32,
    /// Number of levels it stays a corner; [`PolyMesh::SHARP`] and above means forever.
    pub sharpness: f32,
}

/// A polygon mesh: vertices and faces in the order of the file, indices from 0.
///
/// As with [`TriMesh`], code that changes the fields has to keep [`validate`](Self::validate) true.
#[derive(Debug, Clone, PartialEq)]
pub struct PolyMesh {
    /// Positions of the vertices, in the frame that `placement` puts into the world.
    pub positions: Vec<Vec3>,
    /// Faces' numbers of corners.
    pub faces: Faces,
    /// Vertices of the faces, face after face, counter-clockwise seen from outside.
    pub corners: Vec<u32>,
    /// Sharp edges, in any order; of several for one edge the last counts.
    pub sharp_edges: Vec<SharpEdge>,
    /// Sharp vertices, in any order; of several for one vertex the last counts.
    pub sharp_vertices: Vec<SharpVertex>,
    /// Faces that shape the surface but are not part of it, ascending.
    pub holes: Vec<u32>,
    /// Other data of the file; corner layers have a value per corner.
    pub extras: Extras,
    /// As [`TriMesh::placement`].
    pub placement: Placement,
}

impl Default for PolyMesh {
    fn default() -> PolyMesh {
        PolyMesh {
            positions: Vec::new(),
            faces: Faces::Same(4),
            corners: Vec::new(),
            sharp_edges: Vec::new(),
            sharp_vertices: Vec::new(),
            holes: Vec::new(),
            extras: Extras::default(),
            placement: Placement::default(),
        }
    }
}

impl PolyMesh {
    /// Sharpness that lasts forever (DeRose et al. 1998; as in OpenSubdiv).
    pub const SHARP: f32 = 10.0;

    /// Creates a mesh whose faces have the numbers of corners in `sizes`, checked.
    ///
    /// # Errors
    ///
    /// As [`PolyMesh::validate`].
    pub fn new(
        positions: Vec<Vec3>,
        sizes: &[u32],
        corners: Vec<u32>,
    ) -> Result<PolyMesh, MeshError> {
        let mesh = PolyMesh {
            positions,
            faces: Faces::of_sizes(sizes),
            corners,
            ..PolyMesh::default()
        };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the number of faces.
    pub fn face_count(&self) -> usize {
        self.faces.count(self.corners.len())
    }

    /// Returns the number of corners of every face, if all have the same number.
    pub fn face_size(&self) -> Option<u32> {
        match self.faces {
            Faces::Same(n) => Some(n),
            Faces::Offsets(_) => None,
        }
    }

    /// Returns the number of corners of the largest face; without faces, the least size that they could have.
    pub fn largest_face(&self) -> usize {
        match &self.faces {
            Faces::Same(n) => *n as usize,
            Faces::Offsets(offsets) => {
                let sizes = offsets.windows(2).map(|w| (w[1] - w[0]) as usize);
                sizes.max().unwrap_or(3)
            }
        }
    }

    /// Returns the range of a face's corners in [`PolyMesh::corners`].
    pub fn range(&self, face: usize) -> std::ops::Range<usize> {
        self.faces.range(face)
    }

    /// Returns the vertices of a face.
    pub fn face(&self, face: usize) -> &[u32] {
        &self.corners[self.range(face)]
    }

    /// Checks counts, placement, sizes, indices, positions, sharpness and the lengths of all extras; names the first
    /// offender.
    ///
    /// # Errors
    ///
    /// The first defect and the element that has it.
    pub fn validate(&self) -> Result<(), MeshError> {
        let outside = |what: &str, at: usize, index: u32, n: usize| MeshError::Extras {
            what: format!("{what} {at} names {index}, but there are only {n} (counted from 0)"),
        };
        self.faces.validate(self.corners.len())?;
        check_counts(self.positions.len() as u64, self.face_count() as u64)?;
        self.placement.validate()?;
        let bad = position_first(&self.positions, |p| !p.is_finite());
        if let Some(vertex) = bad {
            return Err(MeshError::NotFinite {
                vertex,
                position: self.positions[vertex].to_array(),
            });
        }
        let (vertices, faces) = (self.positions.len(), self.face_count());
        let bad = position_first(&self.corners, |&v| v as usize >= vertices);
        if let Some(corner) = bad {
            return Err(MeshError::IndexOutOfRange {
                face: self.faces.of_corner(corner),
                index: self.corners[corner],
                vertices,
            });
        }
        for (i, e) in self.sharp_edges.iter().enumerate() {
            if let Some(&v) = e.ends.iter().find(|&&v| v as usize >= vertices) {
                return Err(outside("sharp edge", i, v, vertices));
            }
        }
        for (i, v) in self.sharp_vertices.iter().enumerate() {
            if v.vertex as usize >= vertices {
                return Err(outside("sharp vertex", i, v.vertex, vertices));
            }
        }
        let sharpness = self.sharp_edges.iter().map(|e| e.sharpness);
        let sharpness = sharpness.chain(self.sharp_vertices.iter().map(|v| v.sharpness));
        for s in sharpness {
            if s.is_nan() || s < 0.0 {
                return Err(MeshError::Extras {
                    what: format!("a sharpness is {s}, but must be 0 or more"),
                });
            }
        }
        for (i, &f) in self.holes.iter().enumerate() {
            if f as usize >= faces {
                return Err(outside("hole", i, f, faces));
            }
            if i > 0 && self.holes[i - 1] >= f {
                return Err(MeshError::Extras {
                    what: format!("the holes are not ascending at {i}"),
                });
            }
        }
        self.extras
            .validate(vertices, self.corners.len(), &self.faces)
    }
}

impl Faces {
    /// Creates the list from the number of corners of each face: [`Faces::Same`] if they are all alike.
    pub fn of_sizes(sizes: &[u32]) -> Faces {
        match sizes {
            [] => Faces::Same(4),
            [n, rest @ ..] if rest.iter().all(|m| m == n) => Faces::Same(*n),
            _ => {
                let mut offsets = Vec::with_capacity(sizes.len() + 1);
                let mut sum = 0u32;
                offsets.push(0);
                for &n in sizes {
                    // Too large a sum is refused by `validate`, since there are fewer corners.
                    sum = sum.saturating_add(n);
                    offsets.push(sum);
                }
                Faces::Offsets(offsets)
            }
        }
    }

    /// Returns the number of faces of a mesh with `corners` corners.
    pub(crate) fn count(&self, corners: usize) -> usize {
        match self {
            Faces::Same(n) => corners / *n as usize,
            Faces::Offsets(offsets) => offsets.len() - 1,
        }
    }

    /// Returns the range of a face's corners.
    pub(crate) fn range(&self, face: usize) -> std::ops::Range<usize> {
        match self {
            Faces::Same(n) => face * *n as usize..(face + 1) * *n as usize,
            Faces::Offsets(offsets) => offsets[face] as usize..offsets[face + 1] as usize,
        }
    }

    /// Returns the face that a corner belongs to.
    pub(crate) fn of_corner(&self, corner: usize) -> usize {
        match self {
            Faces::Same(n) => corner / *n as usize,
            Faces::Offsets(offsets) => {
                offsets.partition_point(|&first| first as usize <= corner) - 1
            }
        }
    }

    fn validate(&self, corners: usize) -> Result<(), MeshError> {
        let wrong = |what: String| Err(MeshError::Extras { what });
        if corners > u32::MAX as usize - 1 {
            return Err(MeshError::TooLarge {
                what: "corners",
                asked: corners as u64,
                limit: u64::from(u32::MAX) - 1,
            });
        }
        match self {
            Faces::Same(n) if *n < 3 => wrong(format!("faces have {n} corners; 3 are needed")),
            Faces::Same(n) if !corners.is_multiple_of(*n as usize) => wrong(format!(
                "{corners} corners are no whole number of faces of {n}"
            )),
            Faces::Same(_) => Ok(()),
            Faces::Offsets(offsets) => {
                if offsets.first() != Some(&0)
                    || offsets.last().is_none_or(|&n| n as usize != corners)
                {
                    return wrong(format!(
                        "the faces' offsets do not run from 0 to the {corners} corners"
                    ));
                }
                let short = offsets
                    .windows(2)
                    .position(|w| w[1] < w[0].saturating_add(3));
                match short {
                    Some(f) => wrong(format!("face {f} has fewer than 3 corners")),
                    None => Ok(()),
                }
            }
        }
    }
}

impl From<TriMesh> for PolyMesh {
    fn from(mesh: TriMesh) -> PolyMesh {
        PolyMesh {
            positions: mesh.positions,
            faces: Faces::Same(3),
            corners: mesh.faces.into_flattened(),
            extras: mesh.extras,
            placement: mesh.placement,
            ..PolyMesh::default()
        }
    }
}
