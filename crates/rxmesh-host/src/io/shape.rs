//! View of a mesh for writers.

use crate::mesh::{
    CoordinateText, ElementKind, Extras, MeshError, Placement, PolyMesh, SharpEdge, TetMesh,
    TriMesh,
};
use glam::Vec3;
use std::ops::Range;

/// A mesh that can be written: of triangles or of polygons.
#[derive(Debug, Clone, Copy)]
pub enum MeshRef<'a> {
    /// A surface of triangles.
    Triangles(&'a TriMesh),
    /// A surface of polygons.
    Polygons(&'a PolyMesh),
}

/// Any mesh that can be written.
#[derive(Debug, Clone, Copy)]
pub enum Model<'a> {
    /// A surface of triangles or polygons.
    Surface(MeshRef<'a>),
    /// A volume of tetrahedra.
    Volume(&'a TetMesh),
}

/// A surface of triangles, whichever type of mesh has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct TriangleView<'a> {
    pub(super) positions: &'a [Vec3],
    pub(super) faces: &'a [[u32; 3]],
    pub(super) extras: &'a Extras,
    pub(super) placement: &'a Placement,
}

impl<'a> From<&'a TriMesh> for TriangleView<'a> {
    fn from(mesh: &'a TriMesh) -> TriangleView<'a> {
        TriangleView {
            positions: &mesh.positions,
            faces: &mesh.faces,
            extras: &mesh.extras,
            placement: &mesh.placement,
        }
    }
}

impl<'a> TriangleView<'a> {
    /// Returns the view of a mesh of polygons that are all triangles, without sharpness and holes.
    pub(super) fn of_polygons(mesh: &'a PolyMesh) -> Option<TriangleView<'a>> {
        let marks = mesh.sharp_edges.len() + mesh.sharp_vertices.len() + mesh.holes.len();
        let faces = mesh.corners.as_chunks::<3>().0;
        (marks == 0 && mesh.face_size() == Some(3)).then_some(TriangleView {
            positions: &mesh.positions,
            faces,
            extras: &mesh.extras,
            placement: &mesh.placement,
        })
    }
}

impl<'a> From<MeshRef<'a>> for Model<'a> {
    fn from(mesh: MeshRef<'a>) -> Model<'a> {
        Model::Surface(mesh)
    }
}

impl<'a> From<&'a TriMesh> for Model<'a> {
    fn from(mesh: &'a TriMesh) -> Model<'a> {
        Model::Surface(mesh.into())
    }
}

impl<'a> From<&'a PolyMesh> for Model<'a> {
    fn from(mesh: &'a PolyMesh) -> Model<'a> {
        Model::Surface(mesh.into())
    }
}

impl<'a> From<&'a TetMesh> for Model<'a> {
    fn from(mesh: &'a TetMesh) -> Model<'a> {
        Model::Volume(mesh)
    }
}

impl<'a> Model<'a> {
    pub(super) fn positions(self) -> &'a [Vec3] {
        match self {
            Model::Surface(m) => m.positions(),
            Model::Volume(m) => &m.positions,
        }
    }

    pub(super) fn placement(self) -> &'a Placement {
        match self {
            Model::Surface(m) => m.placement(),
            Model::Volume(m) => &m.placement,
        }
    }

    pub(super) fn extras(self) -> &'a Extras {
        match self {
            Model::Surface(m) => m.extras(),
            Model::Volume(m) => &m.extras,
        }
    }

    /// Returns the kind of the elements: faces or cells.
    pub(super) fn element_kind(self) -> ElementKind {
        match self {
            Model::Surface(_) => ElementKind::Face,
            Model::Volume(_) => ElementKind::Cell,
        }
    }

    /// Returns the number of faces or cells.
    pub(super) fn element_count(self) -> usize {
        match self {
            Model::Surface(m) => m.face_count(),
            Model::Volume(m) => m.cell_count(),
        }
    }

    /// Returns the vertices of a face or cell.
    pub(super) fn element(self, i: usize) -> &'a [u32] {
        match self {
            Model::Surface(m) => m.face(i),
            Model::Volume(m) => &m.cells[i],
        }
    }

    /// Returns the corners of all elements.
    pub(super) fn corners(self) -> &'a [u32] {
        match self {
            Model::Surface(MeshRef::Triangles(m)) => m.faces.as_flattened(),
            Model::Surface(MeshRef::Polygons(m)) => &m.corners,
            Model::Volume(m) => m.cells.as_flattened(),
        }
    }

    /// Returns the digits that the vertices' coordinates get in text.
    pub(super) fn coordinate_text(self) -> CoordinateText {
        CoordinateText::of(self.placement(), self.positions(), self.corners())
    }

    /// Returns the number of corners of all elements.
    pub(super) fn corner_count(self) -> usize {
        match self {
            Model::Surface(MeshRef::Triangles(m)) => 3 * m.face_count(),
            Model::Surface(MeshRef::Polygons(m)) => m.corners.len(),
            Model::Volume(m) => 4 * m.cell_count(),
        }
    }

    pub(super) fn validate(self) -> Result<(), MeshError> {
        match self {
            Model::Surface(m) => m.validate(),
            Model::Volume(m) => m.validate(),
        }
    }

    /// Returns the number of vertices.
    pub fn vertex_count(self) -> usize {
        match self {
            Model::Surface(m) => m.vertex_count(),
            Model::Volume(m) => m.vertex_count(),
        }
    }

    /// Returns the number of faces; `None` for a volume, as it lists cells.
    pub fn face_count(self) -> Option<usize> {
        match self {
            Model::Surface(m) => Some(m.face_count()),
            Model::Volume(_) => None,
        }
    }

    /// Returns the number of cells; `None` for a surface.
    pub fn cell_count(self) -> Option<usize> {
        match self {
            Model::Surface(_) => None,
            Model::Volume(m) => Some(m.cell_count()),
        }
    }
}

impl<'a> From<&'a TriMesh> for MeshRef<'a> {
    fn from(mesh: &'a TriMesh) -> MeshRef<'a> {
        MeshRef::Triangles(mesh)
    }
}

impl<'a> From<&'a PolyMesh> for MeshRef<'a> {
    fn from(mesh: &'a PolyMesh) -> MeshRef<'a> {
        MeshRef::Polygons(mesh)
    }
}

impl<'a> MeshRef<'a> {
    pub(super) fn validate(self) -> Result<(), MeshError> {
        match self {
            MeshRef::Triangles(m) => m.validate(),
            MeshRef::Polygons(m) => m.validate(),
        }
    }

    pub(super) fn positions(self) -> &'a [Vec3] {
        match self {
            MeshRef::Triangles(m) => &m.positions,
            MeshRef::Polygons(m) => &m.positions,
        }
    }

    pub(super) fn extras(self) -> &'a Extras {
        match self {
            MeshRef::Triangles(m) => &m.extras,
            MeshRef::Polygons(m) => &m.extras,
        }
    }

    pub(super) fn placement(self) -> &'a Placement {
        match self {
            MeshRef::Triangles(m) => &m.placement,
            MeshRef::Polygons(m) => &m.placement,
        }
    }

    /// Works like [`Model::coordinate_text`].
    pub(super) fn coordinate_text(self) -> CoordinateText {
        Model::Surface(self).coordinate_text()
    }

    /// Returns the number of vertices.
    pub fn vertex_count(self) -> usize {
        self.positions().len()
    }

    /// Returns the number of faces.
    pub fn face_count(self) -> usize {
        match self {
            MeshRef::Triangles(m) => m.face_count(),
            MeshRef::Polygons(m) => m.face_count(),
        }
    }

    /// Returns the range of a face's corners among all corners.
    pub(super) fn range(self, face: usize) -> Range<usize> {
        match self {
            MeshRef::Triangles(_) => 3 * face..3 * face + 3,
            MeshRef::Polygons(m) => m.range(face),
        }
    }

    /// Returns the vertices of a face.
    pub(super) fn face(self, face: usize) -> &'a [u32] {
        match self {
            MeshRef::Triangles(m) => &m.faces[face],
            MeshRef::Polygons(m) => m.face(face),
        }
    }

    /// Returns the number of corners of the largest face, 3 without faces.
    pub(super) fn largest_face(self) -> usize {
        match self {
            MeshRef::Triangles(_) => 3,
            MeshRef::Polygons(m) => m.largest_face(),
        }
    }

    pub(super) fn sharp_edges(self) -> &'a [SharpEdge] {
        match self {
            MeshRef::Triangles(_) => &[],
            MeshRef::Polygons(m) => &m.sharp_edges,
        }
    }

    /// Returns `true` if 32 bits hold the coordinates.
    pub(super) fn fits_single(self) -> bool {
        match self {
            MeshRef::Triangles(m) => m.fits_single(),
            MeshRef::Polygons(m) => m.placement.fits_single(&m.positions),
        }
    }
}
