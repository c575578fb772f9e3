//! Data of a file beside positions and faces, kept so that it can be written again.

use super::{Faces, MeshError, SourceMaterials, TriMesh};
use glam::Vec3;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

/// Name of the column that holds normals (three values per row).
pub const NORMAL: &str = "normal";
/// Name of the column that holds colours (three or four values per row).
pub const COLOR: &str = "color";
/// "This corner has no value", in [`CornerLayer::corners`].
pub const NO_VALUE: u32 = u32::MAX;

/// Kind of element that a column has rows for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// One row a vertex.
    Vertex,
    /// One row a face.
    Face,
    /// One row a cell of a volume mesh, which has no rows of faces.
    Cell,
}

impl fmt::Display for ElementKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ElementKind::Vertex => "vertex",
            ElementKind::Face => "face",
            ElementKind::Cell => "cell",
        })
    }
}

/// Values of a column, in the type in which they came.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // the names say all there is to say
pub enum ColumnData {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Runs the same expression for every type a column can have.
macro_rules! each_type {
    ($data:expr, $v:ident => $body:expr) => {
        match $data {
            $crate::mesh::ColumnData::I8($v) => $body,
            $crate::mesh::ColumnData::U8($v) => $body,
            $crate::mesh::ColumnData::I16($v) => $body,
            $crate::mesh::ColumnData::U16($v) => $body,
            $crate::mesh::ColumnData::I32($v) => $body,
            $crate::mesh::ColumnData::U32($v) => $body,
            $crate::mesh::ColumnData::F32($v) => $body,
            $crate::mesh::ColumnData::F64($v) => $body,
        }
    };
}
pub(crate) use each_type;

impl ColumnData {
    /// Returns the number of values, over all rows.
    pub fn len(&self) -> usize {
        each_type!(self, v => v.len())
    }

    /// Returns `true` if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns value `i` as a double; every type fits.
    ///
    /// # Panics
    ///
    /// When there are fewer values.
    #[allow(clippy::unnecessary_cast)] // one arm of the macro is f64 already
    pub fn get(&self, i: usize) -> f64 {
        each_type!(self, v => v[i] as f64)
    }

    /// Sets value `i`: types of whole numbers take the nearest that they hold.
    ///
    /// # Panics
    ///
    /// When there are fewer values.
    pub fn set(&mut self, i: usize, x: f64) {
        let n = x.round();
        // Casts of floats hold on to the ends of a type's range.
        match self {
            ColumnData::I8(v) => v[i] = n as i8,
            ColumnData::U8(v) => v[i] = n as u8,
            ColumnData::I16(v) => v[i] = n as i16,
            ColumnData::U16(v) => v[i] = n as u16,
            ColumnData::I32(v) => v[i] = n as i32,
            ColumnData::U32(v) => v[i] = n as u32,
            ColumnData::F32(v) => v[i] = x as f32,
            ColumnData::F64(v) => v[i] = x,
        }
    }

    /// Returns the values of all, one after the other: in their type if they have one, else as doubles.
    pub(crate) fn joined(parts: &[&ColumnData]) -> ColumnData {
        macro_rules! same {
            ($($kind:ident)*) => {
                $(
                    let mut all = Vec::new();
                    let each = parts.iter().map(|p| match p {
                        ColumnData::$kind(v) => Some(all.extend_from_slice(v)),
                        _ => None,
                    });
                    if each.collect::<Option<()>>().is_some() {
                        return ColumnData::$kind(all);
                    }
                )*
            };
        }
        same!(I8 U8 I16 U16 I32 U32 F32);
        let values = parts.iter().flat_map(|p| (0..p.len()).map(|i| p.get(i)));
        ColumnData::F64(values.collect())
    }

    /// Returns the rows named by `rows`, in that order.
    pub(crate) fn gather(&self, width: usize, rows: &[u32]) -> ColumnData {
        fn pick<T: Copy>(v: &[T], width: usize, rows: &[u32]) -> Vec<T> {
            let row = |&r: &u32| &v[r as usize * width..(r as usize + 1) * width];
            rows.iter().flat_map(row).copied().collect()
        }
        match self {
            ColumnData::I8(v) => ColumnData::I8(pick(v, width, rows)),
            ColumnData::U8(v) => ColumnData::U8(pick(v, width, rows)),
            ColumnData::I16(v) => ColumnData::I16(pick(v, width, rows)),
            ColumnData::U16(v) => ColumnData::U16(pick(v, width, rows)),
            ColumnData::I32(v) => ColumnData::I32(pick(v, width, rows)),
            ColumnData::U32(v) => ColumnData::U32(pick(v, width, rows)),
            ColumnData::F32(v) => ColumnData::F32(pick(v, width, rows)),
            ColumnData::F64(v) => ColumnData::F64(pick(v, width, rows)),
        }
    }
}

/// A named table of `width` values for each vertex, face or cell.
///
/// Two names have a fixed meaning: [`NORMAL`] (width 3) and [`COLOR`] (width 3 or 4; integers run from 0 to the type's
/// maximum, floats from 0 to 1). Texture coordinates of vertices are two scalar columns, `s` and `t`.
#[derive(Debug, Clone, PartialEq)]
pub struct Column {
    /// Name, as it is in the file.
    pub name: String,
    /// Kind of element that a row belongs to.
    pub element: ElementKind,
    /// Values a row, at least 1.
    pub width: usize,
    /// All values, row by row.
    pub data: ColumnData,
}

impl Column {
    /// Returns `true` if values of new vertices are means: those of floats and colours, but not normals, which are
    /// recomputed, nor weights of joints, whose places belong to the joints of the same vertex.
    pub fn is_blended(&self) -> bool {
        let floats = matches!(self.data, ColumnData::F32(_) | ColumnData::F64(_));
        let own = self.name == NORMAL || self.name.starts_with("WEIGHTS_");
        self.element == ElementKind::Vertex && (floats || self.name == COLOR) && !own
    }

    /// Returns the same column with the rows named by `rows`, in that order (a row may come several times).
    ///
    /// # Panics
    ///
    /// When there is no such row.
    pub fn gather(&self, rows: &[u32]) -> Column {
        Column {
            data: self.data.gather(self.width, rows),
            name: self.name.clone(),
            ..*self
        }
    }
}

/// Values that belong to the corners of faces, as OBJ's `vt` and `vn`: two faces may see one vertex differently.
#[derive(Debug, Clone, PartialEq)]
pub struct CornerLayer {
    /// Values an entry: 2 or 3.
    pub width: usize,
    /// All values, entry by entry.
    pub values: Vec<f32>,
    /// Entry of each corner (in face order; three a face in a [`TriMesh`]), or [`NO_VALUE`].
    pub corners: Vec<u32>,
}

impl CornerLayer {
    /// Returns the number of entries.
    pub fn entries(&self) -> usize {
        self.values.len() / self.width
    }
}

/// Kind of statement that a [`Tag`] makes about the faces that follow it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TagKind {
    /// OBJ `o`, or the name of an STL solid.
    Object,
    /// OBJ `g`.
    Group,
    /// OBJ `usemtl`.
    Material,
    /// OBJ `s`.
    Smoothing,
    /// OBJ `mtllib`: holds for the whole file.
    Library,
}

/// A statement that holds from one face on, until the next one of its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tag {
    /// The first face it holds for; may equal the number of faces.
    pub face: u32,
    /// Kind of statement.
    pub kind: TagKind,
    /// The name, as written (may be empty).
    pub text: String,
}

/// Everything a mesh carries beside positions and faces.
///
/// All of it is tied to the present numbering of vertices and faces. [`Carried`](crate::edit::Carried) takes it through
/// changes of the connectivity.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Extras {
    /// Columns, in file order.
    pub columns: Vec<Column>,
    /// Texture coordinates of corners.
    pub corner_texcoords: Option<CornerLayer>,
    /// Normals of corners.
    pub corner_normals: Option<CornerLayer>,
    /// Groups, objects and materials, ordered by face.
    pub tags: Vec<Tag>,
    /// Comments at the head of the file, a line each, without the comment marks. They belong to the mesh as a whole.
    pub comments: Vec<String>,
    /// Materials of a glTF file or of an OBJ file's libraries, which belong to the mesh as a whole.
    pub materials: Option<Arc<SourceMaterials>>,
}

impl Extras {
    /// Returns `true` if there is nothing that is tied to vertices or faces: comments and materials do not count.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
            && self.corner_texcoords.is_none()
            && self.corner_normals.is_none()
            && self.tags.is_empty()
    }

    /// Returns the column of that name, if there is one.
    pub fn column(&self, element: ElementKind, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|c| c.element == element && c.name == name)
    }

    /// Adds a column, or replaces the one that has its name.
    pub(crate) fn put(&mut self, column: Column) {
        let same = |c: &&mut Column| c.element == column.element && c.name == column.name;
        match self.columns.iter_mut().find(same) {
            Some(old) => *old = column,
            None => self.columns.push(column),
        }
    }

    /// Returns the ranges of faces for which a statement of `kind` holds, with its text. Faces before the first are in
    /// none.
    pub fn face_ranges(&self, kind: TagKind, faces: usize) -> Vec<(Range<u32>, &str)> {
        let of_kind: Vec<&Tag> = self.tags.iter().filter(|t| t.kind == kind).collect();
        let end = |i: usize| of_kind.get(i + 1).map_or(faces as u32, |t| t.face);
        let ranges = of_kind
            .iter()
            .enumerate()
            .map(|(i, t)| (t.face..end(i), t.text.as_str()));
        ranges.filter(|(r, _)| !r.is_empty()).collect()
    }

    /// Checks that every column has a name that files can hold, and a row for each vertex or for each of the `count`
    /// elements of kind `other`: a surface has faces beside vertices, a volume has cells.
    pub(super) fn validate_columns(
        &self,
        vertices: usize,
        other: ElementKind,
        count: usize,
    ) -> Result<(), MeshError> {
        for c in &self.columns {
            check_name(c.element, &c.name)?;
            let rows = match c.element {
                ElementKind::Vertex => vertices,
                element if element == other => count,
                element => {
                    let what = format!(
                        "column '{}' has rows of {element}s, the mesh has vertices and {other}s",
                        c.name
                    );
                    return Err(MeshError::Extras { what });
                }
            };
            if c.width == 0 || c.data.len() != rows * c.width {
                return Err(MeshError::ColumnLength {
                    name: c.name.clone(),
                    got: c.data.len(),
                    expected: rows * c.width,
                    width: c.width,
                    element: c.element,
                });
            }
        }
        Ok(())
    }

    /// Checks that every table has the length that the mesh requires.
    pub(crate) fn validate(
        &self,
        vertices: usize,
        corners: usize,
        shape: &Faces,
    ) -> Result<(), MeshError> {
        let faces = shape.count(corners);
        self.validate_columns(vertices, ElementKind::Face, faces)?;
        let layers = [
            ("texture coordinates", &self.corner_texcoords),
            ("normals", &self.corner_normals),
        ];
        for (what, layer) in layers {
            layer
                .as_ref()
                .map_or(Ok(()), |l| check_layer(what, l, corners, shape))?;
        }
        self.validate_comments()?;
        let ordered = self.tags.windows(2).all(|w| w[0].face <= w[1].face);
        if !ordered || self.tags.last().is_some_and(|t| t.face as usize > faces) {
            let what =
                format!("tags must be ordered by face and start at face {faces} at the latest");
            return Err(MeshError::Extras { what });
        }
        Ok(())
    }

    pub(super) fn validate_comments(&self) -> Result<(), MeshError> {
        if let Some(c) = self.comments.iter().find(|c| c.contains(['\n', '\r'])) {
            let what = format!("a comment is one line, {c:?} is not");
            return Err(MeshError::Extras { what });
        }
        Ok(())
    }
}

fn check_layer(
    what: &str,
    layer: &CornerLayer,
    corners: usize,
    shape: &Faces,
) -> Result<(), MeshError> {
    if !(2..=3).contains(&layer.width)
        || !layer.values.len().is_multiple_of(layer.width)
        || layer.corners.len() != corners
    {
        let what = format!(
            "corner {what}: {} values of width {} and {} corners do not fit {corners} corners",
            layer.values.len(),
            layer.width,
            layer.corners.len()
        );
        return Err(MeshError::Extras { what });
    }
    let entries = layer.entries();
    match layer
        .corners
        .iter()
        .position(|&c| c != NO_VALUE && c as usize >= entries)
    {
        Some(at) => {
            let face = shape.of_corner(at);
            let what = format!(
                "corner {what}: corner {} of face {face} names entry {}, but there are {entries}",
                at - shape.range(face).start,
                layer.corners[at]
            );
            Err(MeshError::Extras { what })
        }
        None => Ok(()),
    }
}

/// Refuses names that are not one word, which PLY cannot hold, and those of positions and faces themselves.
fn check_name(element: ElementKind, name: &str) -> Result<(), MeshError> {
    let why = if name.is_empty() {
        "it is empty"
    } else if !is_word(name) {
        "a name is one word, without spaces"
    } else if !is_free_name(element, name) {
        "it is the name of the positions or faces themselves"
    } else {
        return Ok(());
    };
    Err(MeshError::ColumnName {
        name: name.to_owned(),
        why,
    })
}

/// Returns `true` if a name has no spaces and ends of lines.
fn is_word(name: &str) -> bool {
    !name.contains([' ', '\t', '\n', '\u{b}', '\u{c}', '\r'])
}

/// Returns `false` for the names that positions and faces have in files.
pub(crate) fn is_free_name(element: ElementKind, name: &str) -> bool {
    match element {
        ElementKind::Vertex => !matches!(name, "x" | "y" | "z"),
        ElementKind::Face | ElementKind::Cell => {
            !matches!(name, "vertex_indices" | "vertex_index" | "texcoord")
        }
    }
}

impl TriMesh {
    /// Sets the normals of the vertices, replacing those that came with the file.
    pub fn set_vertex_normals(&mut self, normals: Vec<Vec3>) -> Result<(), MeshError> {
        let data = ColumnData::F32(normals.iter().flat_map(|n| n.to_array()).collect());
        self.add_column(Column {
            name: NORMAL.into(),
            element: ElementKind::Vertex,
            width: 3,
            data,
        })?;
        self.extras.corner_normals = None;
        Ok(())
    }

    /// Returns the normals of the vertices, if there are any.
    pub fn vertex_normals(&self) -> Option<Vec<Vec3>> {
        let c = self
            .extras
            .column(ElementKind::Vertex, NORMAL)
            .filter(|c| c.width == 3)?;
        let at = |i: usize| c.data.get(i) as f32;
        Some(
            (0..c.data.len() / 3)
                .map(|i| Vec3::new(at(3 * i), at(3 * i + 1), at(3 * i + 2)))
                .collect(),
        )
    }

    /// Adds one value for each vertex under a name, replacing a column of that name.
    pub fn add_vertex_column(&mut self, name: &str, values: Vec<f32>) -> Result<(), MeshError> {
        let data = ColumnData::F32(values);
        self.add_column(Column {
            name: name.into(),
            element: ElementKind::Vertex,
            width: 1,
            data,
        })
    }

    /// Adds one value for each face under a name, replacing a column of that name.
    pub fn add_face_column(&mut self, name: &str, values: Vec<f32>) -> Result<(), MeshError> {
        let data = ColumnData::F32(values);
        self.add_column(Column {
            name: name.into(),
            element: ElementKind::Face,
            width: 1,
            data,
        })
    }

    /// Adds a column of any kind, replacing the one of its name.
    pub fn add_column(&mut self, column: Column) -> Result<(), MeshError> {
        let probe = Extras {
            columns: vec![column],
            ..Extras::default()
        };
        probe.validate(self.positions.len(), 3 * self.faces.len(), &Faces::Same(3))?;
        probe.columns.into_iter().for_each(|c| self.extras.put(c));
        Ok(())
    }
}
