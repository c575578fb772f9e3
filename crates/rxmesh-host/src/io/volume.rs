//! Meshes of elements as they stand in files: tetrahedra, or faces if there are no cells, with all that belongs to
//! them.

use super::alike::Alike;
use super::budget::Budget;
use super::error::{Fault, FaultKind, FaultPosition};
use super::names;
use super::numbers::Numbers;
use super::points::{CoordinateBits, FilePoints};
use super::soup::{Polygon, Soup};
use super::unique_names::UniqueNames;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, Extras, NORMAL, TetMesh};
use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// Name of the column of cells or faces with the part of a body that each belongs to: references of MEDIT, attributes
/// of TetGen's cells, physical groups of Gmsh.
pub(super) const REGION: &str = "region";
/// Column of vertices with the references of MEDIT and the boundary markers of TetGen.
pub(super) const MARKER: &str = "marker";

/// Meaning that a format gives to an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// No meaning but that of the name.
    Plain,
    Normals,
    Texcoords,
    Colors,
}

/// A mesh of elements as it stands in a file: a volume if it has cells, else a surface. All indices are in range.
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
        self.pass("faces with vertices that are not there", 1);
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

    /// Keeps a column with rows of vertices or of elements, of whatever kind these are, under a name that a mesh can
    /// have; says so where the name or the type has to change, or where it cannot be kept.
    pub(super) fn column(&mut self, name: &str, element: ElementKind, width: usize, data: Numbers) {
        self.column_as(Role::Plain, name, element, width, data);
    }

    /// Works like [`column`](Self::column), for an array with a meaning. Normals, colours and texture coordinates of a
    /// surface get the names that they have in every format.
    pub(super) fn column_as(
        &mut self,
        role: Role,
        name: &str,
        element: ElementKind,
        width: usize,
        data: Numbers,
    ) {
        let element = match element {
            ElementKind::Vertex => element,
            _ => self.element(),
        };
        let (Some(data), true) = (data.into_column(), width > 0) else {
            let shown = names::shown(name);
            self.unkept.add(&shown, || {
                format!(
                    "{element} column '{shown}' is not kept: its whole numbers have more digits than 64-bit floats \
                        hold, or it has none"
                )
            });
            return;
        };
        let mut column = Column {
            name: name.to_owned(),
            element,
            width,
            data,
        };
        if self.is_surface() {
            match known_name(role, &column) {
                Some(known) if !self.names.is_taken(element, known) => {
                    self.names.take(element, known);
                    column.name = known.to_owned();
                    self.columns.push(column);
                    return;
                }
                None if is_texcoords(role, &column)
                    && !["s", "t"].iter().any(|n| self.names.is_taken(element, n)) =>
                {
                    self.texcoords(&column);
                    return;
                }
                _ => {}
            }
        }
        column.name = self.names.free(element, name);
        if column.name != name {
            let (old, new) = (names::shown(name), &column.name);
            self.renamed.add(new, || {
                format!("{element} column '{old}' is now called '{new}'")
            });
        }
        self.columns.push(column);
    }

    /// Adds the warnings that wait until all columns are known.
    fn end_columns(&mut self) {
        let renamed = std::mem::take(&mut self.renamed);
        self.warnings
            .extend(renamed.warnings("columns have other names now"));
        let unkept = std::mem::take(&mut self.unkept);
        let many = "columns are not kept: their numbers are none, or have more digits than 64-bit floats hold";
        self.warnings.extend(unkept.warnings(many));
    }

    /// Keeps the first two values of each row as the columns `s` and `t`.
    fn texcoords(&mut self, column: &Column) {
        for (k, name) in ["s", "t"].into_iter().enumerate() {
            let values = (k..column.data.len()).step_by(column.width);
            let data = match &column.data {
                ColumnData::F64(v) => ColumnData::F64(values.map(|i| v[i]).collect()),
                data => ColumnData::F32(values.map(|i| data.get(i) as f32).collect()),
            };
            self.names.take(column.element, name);
            self.columns.push(Column {
                name: name.to_owned(),
                element: column.element,
                width: 1,
                data,
            });
        }
        if column.width > 2 {
            self.warnings.push(format!(
                "of the texture coordinates '{}' the first two are kept",
                names::shown(&column.name)
            ));
        }
    }

    /// Iterates over the columns of the vertices or of the elements.
    fn columns_of(&self, vertices: bool) -> impl Iterator<Item = &Column> {
        let of = move |c: &&Column| (c.element == ElementKind::Vertex) == vertices;
        self.columns.iter().filter(of)
    }

    /// Joins the pieces of one mesh, in their order. Columns that not all pieces have are left out with a warning; of
    /// pieces with cells and pieces without, the faces of the latter are left out.
    pub(super) fn join(mut pieces: Vec<Volume>) -> Result<Volume, Fault> {
        if pieces.len() == 1 {
            return Ok(pieces.remove(0));
        }
        let n = pieces.len();
        let solid = pieces.iter().any(Volume::has_cells);
        if solid {
            pieces.iter_mut().for_each(Volume::drop_faces);
        }
        let mut all = Volume {
            flat: pieces.iter().all(|p| p.flat),
            ..Volume::default()
        };
        all.join_columns(&mut pieces);
        let mut seen = HashSet::new();
        for piece in &mut pieces {
            let first = all.points.len();
            let vertices = first as u64 + piece.points.len() as u64;
            let faces = u64::from(all.faces) + u64::from(piece.faces);
            crate::mesh::check_counts(vertices, faces)?;
            let shift = |v: &u32| v + first as u32;
            if all.points.len() == 0 {
                all.points = std::mem::take(&mut piece.points);
            } else {
                all.points.append(&mut piece.points);
            }
            let cells = piece.cells.iter().map(|c| c.map(|v| shift(&v)));
            all.cells.extend(cells);
            all.middles.extend(piece.middles.iter().map(shift));
            all.corners.extend(piece.corners.iter().map(shift));
            all.face_middles
                .extend(piece.face_middles.iter().map(shift));
            let faces = all.faces;
            all.polygons.extend(piece.polygons.iter().map(|p| Polygon {
                face: faces + p.face,
                ..*p
            }));
            all.faces += piece.faces;
            all.curved += piece.curved;
            all.curved_faces += piece.curved_faces;
            all.solids += piece.solids;
            all.binary |= piece.binary;
            all.face_fault = all.face_fault.or(piece.face_fault.take());
            for (what, n) in std::mem::take(&mut piece.others) {
                all.pass(what, n);
            }
            for comment in piece.comments.drain(..) {
                if !all.comments.contains(&comment) {
                    all.comments.push(comment);
                }
            }
            piece.end_columns();
            let warnings = piece.warnings.drain(..);
            all.warnings
                .extend(warnings.filter(|w| seen.insert(w.clone())));
        }
        all.warnings.push(format!(
            "{n} pieces are joined: vertices at which they meet are there once in each"
        ));
        Ok(all)
    }

    /// Leaves out faces, with their columns.
    fn drop_faces(&mut self) {
        if !self.is_surface() {
            return;
        }
        let polygons = self.polygons.len() as u64;
        self.pass("triangles", u64::from(self.faces) - polygons);
        self.pass("polygons", polygons);
        self.columns.retain(|c| c.element == ElementKind::Vertex);
        self.corners.clear();
        self.polygons.clear();
        self.face_middles.clear();
        self.faces = 0;
        self.curved_faces = 0;
        self.flat = false;
    }

    /// Joins the columns that all pieces with rows for them have.
    fn join_columns(&mut self, pieces: &mut [Volume]) {
        for vertices in [true, false] {
            let rows = |p: &Volume| match vertices {
                true => p.points.len(),
                false => p.element_count(),
            };
            let mut with_rows: Vec<&mut Volume> =
                pieces.iter_mut().filter(|p| rows(p) > 0).collect();
            let Some((first, others)) = with_rows.split_first_mut() else {
                continue;
            };
            // Index of each column in the other pieces.
            let places: Vec<HashMap<&str, usize>> = others
                .iter()
                .map(|p| {
                    let columns = p.columns.iter().enumerate();
                    let own =
                        columns.filter(|(_, c)| (c.element == ElementKind::Vertex) == vertices);
                    own.map(|(i, c)| (c.name.as_str(), i)).collect()
                })
                .collect();
            let known: HashSet<&str> = first.columns_of(vertices).map(|c| &c.name[..]).collect();
            let mut lost = BTreeSet::new();
            for column in first.columns_of(vertices) {
                let mut parts = vec![&column.data];
                for (p, places) in others.iter().zip(&places) {
                    let same = places.get(column.name.as_str()).map(|&i| &p.columns[i]);
                    parts.extend(same.filter(|c| c.width == column.width).map(|c| &c.data));
                }
                if parts.len() <= others.len() {
                    lost.insert(column.name.clone());
                    continue;
                }
                self.names.take(column.element, &column.name);
                self.columns.push(Column {
                    name: column.name.clone(),
                    element: column.element,
                    width: column.width,
                    data: ColumnData::joined(&parts),
                });
            }
            let unknown = others.iter().flat_map(|p| p.columns_of(vertices));
            let unknown = unknown.filter(|c| !known.contains(&c.name[..]));
            lost.extend(unknown.map(|c| c.name.clone()));
            let element = match vertices {
                true => ElementKind::Vertex,
                false => first.element(),
            };
            self.warnings.extend(lost.iter().map(|name| {
                format!("{element} column '{name}' is not kept: not all pieces have it")
            }));
        }
    }

    /// Returns the mesh, its cells turned to be positive, and the warnings.
    pub(super) fn finish(mut self) -> Result<(TetMesh, Vec<String>), Fault> {
        let file = |kind| Fault {
            at: FaultPosition::File,
            kind,
        };
        if self.points.len() == 0 {
            return Err(file(FaultKind::NoVertices));
        }
        self.count_faces();
        if self.cells.is_empty() {
            let what = match self.others.is_empty() {
                true => "holds no tetrahedra".into(),
                false => format!("holds no tetrahedra, only {}", self.other_elements()),
            };
            return Err(file(FaultKind::What(what)));
        }
        if !self.others.is_empty() {
            let others = self.other_elements();
            self.warnings
                .push(format!("{others} are not kept: a volume is of tetrahedra"));
        }
        self.end_columns();
        if self.curved > 0 {
            self.warnings.push(format!(
                "{} tetrahedra are of higher order: only their corners are kept",
                self.curved
            ));
        }
        let middles = std::mem::take(&mut self.middles);
        let mut cells = std::mem::take(&mut self.cells);
        self.drop_middles(&middles, cells.as_flattened_mut());
        let signs = self.points.signs(&cells);
        self.points.settle(cells.as_flattened());
        self.warnings.extend(self.points.warning());
        self.columns.retain(|c| c.element != ElementKind::Face);
        let mut mesh = TetMesh {
            positions: std::mem::take(&mut self.points.positions),
            cells,
            extras: Extras {
                columns: self.columns,
                comments: self.comments,
                ..Extras::default()
            },
            placement: self.points.placement,
        };
        mesh.validate()?;
        let turned = match &signs {
            Some(signs) => orient_by(signs, &mut mesh),
            None => mesh.orient(),
        };
        if turned > 0 {
            self.warnings.push(format!(
                "{turned} of {} tetrahedra were inverted and are turned round",
                mesh.cell_count()
            ));
        }
        self.warnings
            .extend(signs.and_then(|signs| flattened(&signs, &mesh)));
        Ok((mesh, self.warnings))
    }

    /// Returns the faces as a surface; a volume is refused.
    pub(super) fn into_soup(mut self) -> Result<Soup, Fault> {
        if self.cells.is_empty()
            && self.solids == 0
            && let Some(fault) = self.face_fault
        {
            return Err(fault);
        }
        if self.points.len() > 0 && !self.is_surface() {
            let tetrahedra = self.cells.len() as u64;
            self.pass("tetrahedra", tetrahedra);
            let others = self.other_elements();
            return Err(Fault::file(
                match (tetrahedra + self.solids, others.is_empty()) {
                    (0, true) => "holds no faces".to_owned(),
                    (0, false) => format!("holds no faces, only {others}"),
                    _ => format!(
                        "holds a volume ({others}), and a surface is needed: `convert` to a surface format writes the \
                        boundary of tetrahedra"
                    ),
                },
            ));
        }
        if !self.others.is_empty() {
            let others = self.other_elements();
            self.warnings
                .push(format!("{others} are not kept: a surface is of faces"));
        }
        self.end_columns();
        if self.curved_faces > 0 {
            self.warnings.push(format!(
                "{} faces are of higher order: only their corners are kept",
                self.curved_faces
            ));
        }
        let middles = std::mem::take(&mut self.face_middles);
        let mut corners = std::mem::take(&mut self.corners);
        self.drop_middles(&middles, &mut corners);
        self.columns.retain(|c| c.element != ElementKind::Cell);
        Ok(Soup {
            points: self.points,
            corners,
            polygons: self.polygons,
            columns: self.columns,
            comments: self.comments,
            warnings: self.warnings,
            binary: self.binary,
            ..Soup::default()
        })
    }

    /// Counts the faces of a volume, which are not kept.
    fn count_faces(&mut self) {
        let quads = self.polygons.iter().filter(|p| p.corners == 4).count() as u64;
        let polygons = self.polygons.len() as u64;
        self.pass("triangles", u64::from(self.faces) - polygons);
        self.pass("quadrilaterals", quads);
        self.pass("polygons", polygons - quads);
    }

    fn other_elements(&self) -> String {
        let each = self.others.iter().map(|(what, n)| format!("{n} {what}"));
        each.collect::<Vec<_>>().join(", ")
    }

    /// Removes the vertices that are on edges, faces and inside of elements, and corners of none.
    fn drop_middles(&mut self, middles: &[u32], corners: &mut [u32]) {
        if middles.is_empty() {
            return;
        }
        let mut keep = vec![true; self.points.len()];
        middles.iter().for_each(|&v| keep[v as usize] = false);
        corners.iter().for_each(|&v| keep[v as usize] = true);
        let kept = (0..).zip(&keep).filter(|(_, k)| **k);
        let kept: Vec<u32> = kept.map(|(v, _)| v).collect();
        let mut renamed = vec![u32::MAX; keep.len()];
        for (new, &old) in kept.iter().enumerate() {
            renamed[old as usize] = new as u32;
        }
        corners.iter_mut().for_each(|v| *v = renamed[*v as usize]);
        self.points.keep(&kept);
        for c in &mut self.columns {
            if c.element == ElementKind::Vertex {
                *c = c.gather(&kept);
            }
        }
    }
}

/// Returns the name that a column of a surface has in every format, if its meaning or its name in the file tells.
fn known_name(role: Role, column: &Column) -> Option<&'static str> {
    let name = column.name.to_ascii_lowercase();
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    let normals = role == Role::Normals || matches!(&name[..], "normals" | "normal");
    if normals && column.width == 3 && floats {
        return Some(NORMAL);
    }
    let colors = role == Role::Colors
        || matches!(
            &name[..],
            "rgb" | "rgba" | "color" | "colors" | "colour" | "colours"
        );
    let unit = |i: usize| (0.0..=1.0).contains(&column.data.get(i));
    let values = match &column.data {
        ColumnData::U8(_) => true,
        _ => floats && (0..column.data.len()).all(unit),
    };
    (colors && (3..=4).contains(&column.width) && values).then_some(COLOR)
}

fn is_texcoords(role: Role, column: &Column) -> bool {
    let name = column.name.to_ascii_lowercase().replace([' ', '_'], "");
    let named = matches!(
        &name[..],
        "tcoords" | "texturecoordinates" | "texcoords" | "uv"
    );
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    let width = match role {
        Role::Texcoords => 2..=3,
        _ => 2..=2,
    };
    (role == Role::Texcoords || named)
        && column.element == ElementKind::Vertex
        && floats
        && width.contains(&column.width)
}

/// Turns the cells whose volume in the file is negative; returns their number. Cells that have none there are turned
/// so that it is not negative in the mesh.
fn orient_by(signs: &[Ordering], mesh: &mut TetMesh) -> u64 {
    let mut turned = 0;
    for (i, sign) in signs.iter().enumerate() {
        let is_inverted = match sign {
            Ordering::Less => {
                turned += 1;
                true
            }
            Ordering::Equal => mesh.cell_volume(i) < 0.0,
            Ordering::Greater => false,
        };
        if is_inverted {
            mesh.cells[i].swap(2, 3);
        }
    }
    turned
}

/// Returns the warning about cells that have a volume in the file and none, or a negative one, between the rounded
/// positions.
fn flattened(signs: &[Ordering], mesh: &TetMesh) -> Option<String> {
    let is_lost = |i: &usize| signs[*i] != Ordering::Equal && mesh.cell_volume(*i) <= 0.0;
    let mut lost = (0..signs.len()).filter(is_lost);
    let first = lost.next()?;
    Some(format!(
        "{} of {} tetrahedra have a volume in the file and none, or a negative one, where positions are rounded to \
            32-bit floats: the first is cell {first} (counted from 0)",
        1 + lost.count(),
        signs.len()
    ))
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
