//! Volume meshes of tetrahedra.

use super::placement::bounding_box;
use super::transform::{mapped, turn_normals};
use super::{Column, ElementKind, Extras, MeshError, Placement, TriMesh, check_counts};
use crate::par::IntoLean;
use glam::{DAffine3, DVec3, Vec3};
use rayon::prelude::*;
use std::cmp::Ordering;

/// Most cells a mesh may have: six edges a cell must fit into 32-bit ids in the worst case.
pub const MAX_CELLS: usize = (u32::MAX / 6) as usize;

/// Corners of a cell's four faces, counter-clockwise seen from outside; face `k` is the one without corner `k`.
pub const CELL_FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A mesh of tetrahedra: vertices and cells in the order of the file, indices from 0.
///
/// As with [`TriMesh`], code that changes the fields has to keep [`validate`](Self::validate) true.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TetMesh {
    /// Positions of the vertices, in the frame that `placement` puts into the world.
    pub positions: Vec<Vec3>,
    /// Four vertices per cell, `a`, `b`, `c`, `d` with `(b - a) x (c - a) . (d - a) > 0`: seen from `d`, the other
    /// three run counter-clockwise. [`orient`](Self::orient) makes it so.
    pub cells: Vec<[u32; 4]>,
    /// Columns of vertices and cells, and comments; corner layers and tags are for surfaces.
    pub extras: Extras,
    /// As [`TriMesh::placement`].
    pub placement: Placement,
}

/// Surface round a volume mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct VolumeBoundary {
    /// Faces, counter-clockwise seen from outside, with the columns of their vertices and cells.
    pub surface: TriMesh,
    /// Vertex of the volume that each vertex is, ascending.
    pub vertices: Vec<u32>,
    /// Cell that each face comes from, ascending.
    pub cells: Vec<u32>,
}

impl TetMesh {
    /// Makes a mesh without extras after checking it. Cells are taken as they are: [`orient`](Self::orient) turns them.
    ///
    /// # Errors
    ///
    /// As [`validate`](Self::validate).
    pub fn new(positions: Vec<Vec3>, cells: Vec<[u32; 4]>) -> Result<TetMesh, MeshError> {
        let mesh = TetMesh {
            positions,
            cells,
            ..TetMesh::default()
        };
        mesh.validate()?;
        Ok(mesh)
    }

    /// Checks counts, placement, indices, positions and the lengths of all columns; names the first offender. Cells may
    /// be inverted or flat: [`check_tets`](super::check_tets) reports these.
    ///
    /// # Errors
    ///
    /// The first defect and the element that has it.
    pub fn validate(&self) -> Result<(), MeshError> {
        check_tet_counts(self.positions.len() as u64, self.cells.len() as u64)?;
        self.placement.validate()?;
        let bad = self
            .positions
            .par_iter()
            .lean()
            .position_first(|p| !p.is_finite());
        if let Some(vertex) = bad {
            return Err(MeshError::NotFinite {
                vertex,
                position: self.positions[vertex].to_array(),
            });
        }
        let vertices = self.positions.len();
        let outside = |c: &[u32; 4]| c.iter().copied().find(|&v| v as usize >= vertices);
        let bad = |c: &[u32; 4]| outside(c).is_some();
        if let Some(cell) = self.cells.par_iter().lean().position_first(bad) {
            let index = outside(&self.cells[cell]).unwrap_or_default();
            return Err(MeshError::CellIndexOutOfRange {
                cell,
                index,
                vertices,
            });
        }
        let extras = &self.extras;
        extras.validate_columns(vertices, ElementKind::Cell, self.cells.len())?;
        extras.validate_comments()?;
        let surfaces = [
            extras.corner_texcoords.is_some(),
            extras.corner_normals.is_some(),
            !extras.tags.is_empty(),
        ];
        if surfaces.contains(&true) {
            let what = "a volume mesh has no corner layers and no tags".into();
            return Err(MeshError::Extras { what });
        }
        Ok(())
    }

    /// Returns the number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// Returns the number of cells.
    pub fn cell_count(&self) -> usize {
        self.cells.len()
    }

    /// Returns the position of a vertex in the world.
    ///
    /// # Panics
    ///
    /// When there is no such vertex.
    pub fn world(&self, vertex: usize) -> DVec3 {
        self.placement.world(self.positions[vertex])
    }

    /// Works like [`TriMesh::bounding_box`].
    pub fn bounding_box(&self) -> Option<[[f64; 3]; 2]> {
        bounding_box(&self.positions, self.cells.as_flattened(), &self.placement)
    }

    /// Returns the signed volume of a cell in the positions' own unit, cubed: negative if it is inverted.
    ///
    /// # Panics
    ///
    /// When there is no such cell.
    pub fn cell_volume(&self, cell: usize) -> f64 {
        signed_volume(self.corners(cell))
    }

    /// Returns the sum of all cells' signed volumes in the world, in cubed length.
    pub fn volume(&self) -> f64 {
        /// Cells that are added up by one thread: sums have a fixed order.
        const CHUNK: usize = 1 << 14;
        let cells = self.cell_count();
        let part = |k: usize| k * CHUNK..((k + 1) * CHUNK).min(cells);
        let of = |k: usize| -> f64 { part(k).map(|c| self.cell_volume(c)).sum() };
        let parts = (0..cells.div_ceil(CHUNK)).into_par_iter().lean().map(of);
        let parts: Vec<f64> = parts.collect();
        parts.into_iter().sum::<f64>() * self.placement.scale.powi(3)
    }

    /// Turns inverted cells round by swapping their last two corners; returns how many there were. Cells of no volume
    /// have no inside and stay.
    pub fn orient(&mut self) -> u64 {
        let positions = &self.positions;
        let turned = self.cells.par_iter_mut().lean().filter_map(|cell| {
            let inverted = signed_volume(cell.map(|v| positions[v as usize].as_dvec3())) < 0.0;
            inverted.then(|| cell.swap(2, 3))
        });
        turned.count() as u64
    }

    /// Maps the mesh in the world: all positions; normals of vertices and cells go along and stay unit vectors. A map
    /// that mirrors turns the cells round, so that they keep their sign.
    ///
    /// # Errors
    ///
    /// As [`TriMesh::transform`]. The mesh is then unchanged.
    pub fn transform(&mut self, map: &DAffine3) -> Result<(), MeshError> {
        (self.positions, self.placement) = mapped(
            &self.positions,
            self.cells.as_flattened(),
            &self.placement,
            map,
        )?;
        turn_normals(&mut self.extras, map.matrix3);
        if map.matrix3.determinant() < 0.0 {
            self.cells.par_iter_mut().lean().for_each(|c| c.swap(2, 3));
        }
        Ok(())
    }

    /// Returns the surface of the faces that belong to one cell only, with the cell of each and the vertices of the
    /// volume. Cells that name a vertex twice have no faces. Columns go along: those of cells become columns of faces.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](Self::validate).
    pub fn boundary(&self) -> VolumeBoundary {
        let mut outer: Vec<u32> = CellFaces::new(&self.cells)
            .groups()
            .filter(|g| g.len() == 1)
            .map(|g| g[0].1)
            .collect();
        outer.par_sort_unstable();
        let corners = |h: &u32| {
            let cell = self.cells[*h as usize / 4];
            CELL_FACES[*h as usize % 4].map(|k| cell[k])
        };
        let mut faces: Vec<[u32; 3]> = outer.iter().map(corners).collect();
        let mut renamed = vec![u32::MAX; self.positions.len()];
        faces
            .iter()
            .flatten()
            .for_each(|&v| renamed[v as usize] = 0);
        let used = (0..).zip(&renamed).filter(|(_, r)| **r == 0);
        let vertices: Vec<u32> = used.map(|(v, _)| v).collect();
        for (new, &old) in vertices.iter().enumerate() {
            renamed[old as usize] = new as u32;
        }
        let name = |v: &mut u32| *v = renamed[*v as usize];
        faces.iter_mut().flatten().for_each(name);
        let cells: Vec<u32> = outer.into_iter().map(|h| h / 4).collect();
        let surface = TriMesh {
            positions: vertices
                .iter()
                .map(|&v| self.positions[v as usize])
                .collect(),
            faces,
            extras: self.extras_of(&vertices, &cells),
            placement: self.placement,
        };
        VolumeBoundary {
            surface,
            vertices,
            cells,
        }
    }

    /// Returns every edge once, its smaller end first, ascending. Cells that name a vertex twice have none.
    pub fn edges(&self) -> Vec<[u32; 2]> {
        let proper = self.cells.par_iter().lean().filter(|c| is_proper_cell(c));
        let mut edges: Vec<[u32; 2]> = proper.flat_map_iter(cell_edges).collect();
        edges.par_sort_unstable();
        edges.dedup();
        edges
    }

    /// Adds a column, replacing the one of its name.
    ///
    /// # Errors
    ///
    /// [`MeshError::ColumnLength`], [`MeshError::ColumnName`], or [`MeshError::Extras`] for a column of faces.
    pub fn add_column(&mut self, column: Column) -> Result<(), MeshError> {
        let probe = Extras {
            columns: vec![column],
            ..Extras::default()
        };
        probe.validate_columns(self.positions.len(), ElementKind::Cell, self.cells.len())?;
        probe.columns.into_iter().for_each(|c| self.extras.put(c));
        Ok(())
    }

    /// Returns the extras of a surface of these vertices and of faces of these cells.
    fn extras_of(&self, vertices: &[u32], cells: &[u32]) -> Extras {
        let columns = self.extras.columns.iter().map(|c| match c.element {
            ElementKind::Vertex => c.gather(vertices),
            ElementKind::Face | ElementKind::Cell => Column {
                element: ElementKind::Face,
                ..c.gather(cells)
            },
        });
        Extras {
            columns: columns.collect(),
            comments: self.extras.comments.clone(),
            ..Extras::default()
        }
    }

    /// Returns the positions of a cell's corners, in the frame.
    pub(super) fn corners(&self, cell: usize) -> [DVec3; 4] {
        self.cells[cell].map(|v| self.positions[v as usize].as_dvec3())
    }
}

/// Returns the signed volume of a tetrahedron: exactly 0 if two corners are at one place, and exactly the opposite if
/// two are swapped, whatever is rounded.
pub(super) fn signed_volume(mut p: [DVec3; 4]) -> f64 {
    let mut sign = 1.0;
    // A fixed order of the corners makes the result independent of theirs.
    for end in [3, 2, 1] {
        for k in 0..end {
            let order = p[k].to_array().partial_cmp(&p[k + 1].to_array());
            if order == Some(Ordering::Greater) {
                p.swap(k, k + 1);
                sign = -sign;
            }
        }
    }
    if p.windows(2).any(|w| w[0] == w[1]) {
        return 0.0;
    }
    let [a, b, c, d] = p;
    sign * (b - a).cross(c - a).dot(d - a) / 6.0
}

/// Returns `true` if the four corners are four vertices.
pub(super) fn is_proper_cell(cell: &[u32; 4]) -> bool {
    (1..4).all(|k| !cell[..k].contains(&cell[k]))
}

/// Returns the edges of a cell, their smaller ends first: those of corner 0, those of corner 1 that are left, the last.
pub(super) fn cell_edges(cell: &[u32; 4]) -> [[u32; 2]; 6] {
    const ENDS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    ENDS.map(|[i, j]| [cell[i].min(cell[j]), cell[i].max(cell[j])])
}

/// Refuses counts that 32-bit ids cannot name.
pub(super) fn check_tet_counts(vertices: u64, cells: u64) -> Result<(), MeshError> {
    check_counts(vertices, 0)?;
    if cells > MAX_CELLS as u64 {
        return Err(MeshError::TooLarge {
            what: "cells",
            asked: cells,
            limit: MAX_CELLS as u64,
        });
    }
    Ok(())
}

/// Faces of all cells that name no vertex twice: the vertices, sorted, and `4 cell + k` for face `k` of a cell. In
/// order, so that the entries of one face are contiguous.
pub(super) struct CellFaces(Vec<([u32; 3], u32)>);

impl CellFaces {
    pub(super) fn new(cells: &[[u32; 4]]) -> CellFaces {
        let of = |c: usize| {
            let cell = &cells[c];
            let faces = (0..4).map(move |k| {
                let mut face = CELL_FACES[k].map(|i| cell[i]);
                face.sort_unstable();
                (face, (4 * c + k) as u32)
            });
            faces.filter(|_| is_proper_cell(cell))
        };
        let mut faces: Vec<_> = (0..cells.len())
            .into_par_iter()
            .lean()
            .flat_map_iter(of)
            .collect();
        faces.par_sort_unstable();
        CellFaces(faces)
    }

    /// Returns each face with all the cells that have it.
    pub(super) fn groups(&self) -> impl Iterator<Item = &[([u32; 3], u32)]> {
        self.0.chunk_by(|a, b| a.0 == b.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{ColumnData, volume};

    /// Returns two cells that share the face 1 2 3.
    fn two() -> TetMesh {
        let at = |p: [f32; 3]| Vec3::from_array(p);
        let positions = [
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.0, 1.0],
            [1.0, 1.0, 1.0],
        ];
        let cells = vec![[0, 1, 2, 3], [4, 1, 3, 2]];
        TetMesh::new(positions.map(at).to_vec(), cells).unwrap()
    }

    #[test]
    fn the_boundary_points_out_and_knows_where_it_comes_from() {
        let mut mesh = two();
        mesh.positions.insert(0, Vec3::splat(9.0));
        mesh.cells.iter_mut().flatten().for_each(|v| *v += 1);
        let column = |name: &str, element, data| Column {
            name: name.into(),
            element,
            width: 1,
            data,
        };
        for c in [
            column(
                "heat",
                ElementKind::Vertex,
                ColumnData::U8((10..16).collect()),
            ),
            column("part", ElementKind::Cell, ColumnData::I32(vec![7, 8])),
        ] {
            mesh.add_column(c).unwrap();
        }
        let boundary = mesh.boundary();
        boundary.surface.validate().unwrap();
        assert_eq!(boundary.vertices, [1, 2, 3, 4, 5]);
        assert_eq!(boundary.cells, [0, 0, 0, 1, 1, 1]);
        let surface = &boundary.surface;
        assert!((volume(&surface.positions, &surface.faces) - 0.5).abs() < 1e-12);
        assert!((mesh.volume() - 0.5).abs() < 1e-12);
        let data = |name: &str| {
            let mut columns = surface.extras.columns.iter();
            columns.find(|c| c.name == name).unwrap().data.clone()
        };
        assert_eq!(data("heat"), ColumnData::U8((11..16).collect()));
        assert_eq!(data("part"), ColumnData::I32(vec![7, 7, 7, 8, 8, 8]));
    }

    #[test]
    fn inverted_cells_are_turned_and_counted_and_flat_ones_stay() {
        let mut mesh = two();
        mesh.cells.push([0, 1, 2, 2]);
        let want = mesh.cells.clone();
        mesh.cells[1].swap(2, 3);
        assert!(mesh.cell_volume(1) < 0.0);
        assert_eq!(mesh.orient(), 1);
        assert_eq!(mesh.cells, want);
        assert_eq!(mesh.orient(), 0);
    }

    #[test]
    fn a_mirror_keeps_cells_positive() {
        let mut mesh = two();
        let before = mesh.volume();
        let map = DAffine3::from_scale(DVec3::new(-2.0, 3.0, 1.0));
        mesh.transform(&map).unwrap();
        assert!((mesh.volume() - 6.0 * before).abs() < 1e-9);
        assert_eq!(mesh.orient(), 0);
        assert_eq!(
            mesh.bounding_box(),
            Some([[-2.0, 0.0, 0.0], [0.0, 3.0, 1.0]])
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let mut mesh = two();
        mesh.cells[1][2] = 5;
        let error = mesh.validate().unwrap_err().to_string();
        assert!(
            error.starts_with("cell 1 names vertex 5, but the mesh has 5 vertices"),
            "{error}"
        );
        let mut mesh = two();
        mesh.positions[3].y = f32::NAN;
        assert!(matches!(
            mesh.validate(),
            Err(MeshError::NotFinite { vertex: 3, .. })
        ));
        let column = Column {
            name: "x1".into(),
            element: ElementKind::Face,
            width: 1,
            data: ColumnData::U8(vec![1, 2]),
        };
        let error = two().add_column(column).unwrap_err().to_string();
        assert_eq!(
            error,
            "column 'x1' has rows of faces, the mesh has vertices and cells"
        );
    }
}
