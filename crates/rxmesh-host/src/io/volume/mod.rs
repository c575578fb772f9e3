//! Meshes of elements as they are in files: tetrahedra, or faces if there are no cells, with all that belongs to
//! them.

mod columns;
mod finish;
mod join;

pub(super) use columns::Role;

use super::alike::Alike;
use super::budget::Budget;
use super::error::Fault;
use super::numbers::Numbers;
use super::points::{CoordinateBits, FilePoints};
use super::soup::Polygon;
use super::unique_names::UniqueNames;
use crate::mesh::{Column, ColumnData, ElementKind, Extras};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Name of the column of cells or faces with the part of a body that each belongs to: references of MEDIT, attributes
/// of TetGen's cells, physical groups of Gmsh.
pub(super) const REGION: &str = "region";
/// Column of vertices with the references of MEDIT and the boundary markers of TetGen.
pub(super) const MARKER: &str = "marker";

/// A mesh of elements as it is in a file: a volume if it has cells, else a surface. All indices are in range.
#[derive(Debug, Default)]
pub(super) struct Volume {
    pub(super) points: FilePoints,
    pub(super) cells: Vec<[u32; 4]>,
    /// Vertices on edges, faces and inside of tetrahedra of higher order.
    middles: Vec<u32>,
    /// Number of tetrahedra of higher order.
    curved: u64,
    /// Number of cells that are not tetrahedra.
    solids: u64,
    /// Corners of the faces, one after the other.
    corners: Vec<u32>,
    /// Faces that are not triangles, ascending.
    polygons: Vec<Polygon>,
    faces: u32,
    /// As `middles`, of faces.
    face_middles: Vec<u32>,
    curved_faces: u64,
    /// `true` if the format has no cells: a file without faces is a surface as well.
    pub(super) flat: bool,
    /// `true` if places of faces are bytes, not lines.
    pub(super) binary: bool,
    /// First face with a vertex that is not there. Faces are left out of volumes, so it matters to surfaces only.
    face_fault: Option<Fault>,
    /// Number of elements of each other kind.
    others: BTreeMap<Cow<'static, str>, u64>,
    columns: Vec<Column>,
    names: UniqueNames,
    /// Columns that got another name, and those that cannot be kept.
    renamed: Alike,
    unkept: Alike,
    pub(super) budget: Budget,
    pub(super) comments: Vec<String>,
    pub(super) warnings: Vec<String>,
}

impl Volume {
    /// Creates an empty mesh, to be read from a file of `size` bytes.
    pub(super) fn new(bits: CoordinateBits, size: usize) -> Volume {
        Volume {
            points: FilePoints::new(bits),
            budget: Budget::of(size),
            ..Volume::default()
        }
    }

    /// Returns `true` if reading again with 64 bits may give a better mesh.
    pub(super) fn wants_double(&self) -> bool {
        let corners = match self.is_surface() {
            true => &self.corners,
            false => self.cells.as_flattened(),
        };
        self.points.want_double(corners) || self.points.want_signs(&self.cells)
    }

    /// Counts elements that are not kept and are no cells.
    pub(super) fn pass(&mut self, what: impl Into<Cow<'static, str>>, n: u64) {
        if n > 0 {
            *self.others.entry(what.into()).or_default() += n;
        }
    }

    /// Counts cells that are not kept.
    pub(super) fn pass_cells(&mut self, what: impl Into<Cow<'static, str>>, n: u64) {
        self.solids += n;
        self.pass(what, n);
    }

    /// Adds a tetrahedron: its four corners come first, then those on its edges, faces and inside.
    pub(super) fn tetrahedron(&mut self, nodes: &[u32]) {
        let (corners, middles) = nodes.split_at(4);
        self.cells.extend(<[u32; 4]>::try_from(corners));
        self.curved += u64::from(!middles.is_empty());
        self.middles.extend(middles);
    }

    /// Adds a face of three corners or more: its corners come first, then other nodes. `at` is its place in the file.
    pub(super) fn face(&mut self, nodes: &[u32], corners: usize, at: usize) {
        let (corners, middles) = nodes.split_at(corners);
        if corners.len() > 3 {
            self.polygons.push(Polygon {
                face: self.faces,
                corners: corners.len() as u32,
                at,
            });
        }
        self.corners.extend(corners);
        self.faces = self.faces.saturating_add(1);
        self.curved_faces += u64::from(!middles.is_empty());
        self.face_middles.extend(middles);
    }

    /// Leaves out a face with a vertex that is not there: an error if the mesh turns out to be a surface.
    pub(super) fn lose_face(&mut self, fault: Fault) {
        self.pass("faces with missing vertices", 1);
        self.face_fault.get_or_insert(fault);
    }

    /// Makes a file of points alone a surface without faces, as it is in formats without cells. All elements must have
    /// been read.
    pub(super) fn accept_points(&mut self) {
        let points = |what: &Cow<'_, str>| matches!(&**what, "points" | "empty cells");
        let has_elements = self.has_cells() || self.faces > 0 || !self.others.keys().all(points);
        self.flat |= !has_elements;
    }

    /// Returns the number of faces.
    pub(super) fn face_count(&self) -> usize {
        self.faces as usize
    }

    /// Returns `true` if there are faces and no cells. Elements must have been read.
    pub(super) fn is_surface(&self) -> bool {
        self.cells.is_empty() && self.solids == 0 && (self.faces > 0 || self.flat)
    }

    /// Returns `true` if there are cells, of whatever kind.
    pub(super) fn has_cells(&self) -> bool {
        !self.cells.is_empty() || self.solids > 0
    }

    /// Returns the number of elements that columns have rows of, beside vertices: faces of a surface, cells of a
    /// volume.
    pub(super) fn element_count(&self) -> usize {
        match self.is_surface() {
            true => self.face_count(),
            false => self.cells.len(),
        }
    }

    /// Returns the kind of the elements: faces of a surface, cells of a volume.
    pub(super) fn element(&self) -> ElementKind {
        match self.is_surface() {
            true => ElementKind::Face,
            false => ElementKind::Cell,
        }
    }
}

/// Returns whole numbers as a column, unless all are `plain`, the value of files without references.
pub(super) fn references(values: Vec<i32>, plain: &[i32]) -> Option<Numbers> {
    let says = plain.iter().all(|p| values.iter().any(|v| v != p));
    says.then_some(Numbers::Kept(ColumnData::I32(values)))
}

/// Returns the column of that name if its rows are single whole numbers of 32 bits: references.
pub(super) fn references_of<'a>(
    extras: &'a Extras,
    element: ElementKind,
    name: &str,
) -> Option<&'a Column> {
    let column = extras.column(element, name)?;
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    let fits = |i: usize| i32::try_from(column.data.get(i) as i64).is_ok();
    (column.width == 1 && !floats && (0..column.data.len()).all(fits)).then_some(column)
}
