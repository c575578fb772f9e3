//! View of faces for code that works on triangles and on polygons.

use super::{Faces, PolyMesh};
use std::ops::Range;

/// Faces of a mesh and their corners. A corner's number is also that of the half-edge that leaves it.
pub(crate) trait FaceList: Sync {
    /// Returns the number of faces.
    fn count(&self) -> usize;
    /// Returns the number of corners of all faces.
    fn corner_count(&self) -> usize;
    /// Returns the corners of a face.
    fn range(&self, face: usize) -> Range<usize>;
    /// Returns the vertices of a face.
    fn face(&self, face: usize) -> &[u32];
    /// Returns the face of a corner.
    fn of_corner(&self, corner: u32) -> u32;
    /// Returns the vertex at a corner.
    fn vertex(&self, corner: u32) -> u32;

    /// Returns the corner after this one in its face.
    fn next(&self, corner: u32) -> u32 {
        let range = self.range(self.of_corner(corner) as usize);
        match corner + 1 {
            end if end == range.end as u32 => range.start as u32,
            next => next,
        }
    }
}

/// Triangles.
pub(crate) struct Triangles<'a>(pub(crate) &'a [[u32; 3]]);

impl FaceList for Triangles<'_> {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn corner_count(&self) -> usize {
        3 * self.0.len()
    }

    fn range(&self, face: usize) -> Range<usize> {
        3 * face..3 * face + 3
    }

    fn face(&self, face: usize) -> &[u32] {
        &self.0[face]
    }

    fn of_corner(&self, corner: u32) -> u32 {
        corner / 3
    }

    fn vertex(&self, corner: u32) -> u32 {
        self.0.as_flattened()[corner as usize]
    }
}

/// Polygons.
pub(crate) struct Polygons<'a> {
    mesh: &'a PolyMesh,
    /// Face of each corner, where faces have several sizes.
    face_of: Vec<u32>,
}

impl<'a> Polygons<'a> {
    pub(crate) fn new(mesh: &'a PolyMesh) -> Polygons<'a> {
        let mut face_of = Vec::new();
        if let Faces::Offsets(offsets) = &mesh.faces {
            face_of.reserve_exact(mesh.corners.len());
            for (f, w) in offsets.windows(2).enumerate() {
                face_of.resize(w[1] as usize, f as u32);
            }
        }
        Polygons { mesh, face_of }
    }
}

impl FaceList for Polygons<'_> {
    fn count(&self) -> usize {
        self.mesh.face_count()
    }

    fn corner_count(&self) -> usize {
        self.mesh.corners.len()
    }

    fn range(&self, face: usize) -> Range<usize> {
        self.mesh.range(face)
    }

    fn face(&self, face: usize) -> &[u32] {
        self.mesh.face(face)
    }

    fn of_corner(&self, corner: u32) -> u32 {
        match self.mesh.faces {
            Faces::Same(n) => corner / n,
            Faces::Offsets(_) => self.face_of[corner as usize],
        }
    }

    fn vertex(&self, corner: u32) -> u32 {
        self.mesh.corners[corner as usize]
    }
}

/// Returns `true` if no vertex comes twice.
pub(crate) fn is_simple(face: &[u32]) -> bool {
    /// Up to this many corners comparing all pairs is quickest.
    const SMALL: usize = 16;
    if face.len() <= SMALL {
        return (1..face.len()).all(|i| !face[..i].contains(&face[i]));
    }
    let mut sorted = face.to_vec();
    sorted.sort_unstable();
    sorted.windows(2).all(|w| w[0] != w[1])
}
