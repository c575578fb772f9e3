//! First result of every reader: positions and faces of any size, with all their data.

use super::alike::Alike;
use super::error::{Fault, FaultKind, FaultPosition};
use super::names;
use super::points::FilePoints;
use super::scan::TextLines;
use super::shape::MeshRef;
use crate::mesh::{
    COLOR, Column, ColumnData, CornerLayer, Extras, Faces, MeshError, PolyMesh, SharpEdge,
    SharpVertex, SourceMaterials, Tag, TriMesh, check_counts,
};
use crate::par::position_first;
use std::sync::Arc;

/// A face that is not a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polygon {
    /// Number of the face.
    pub(super) face: u32,
    /// Number of corners: four or more.
    pub(super) corners: u32,
    /// Offset in the file.
    pub(super) at: usize,
}

/// A mesh of polygons as it is in a file. All indices are in range.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub(super) points: FilePoints,
    /// Corners of all faces, one after the other.
    pub(super) corners: Vec<u32>,
    /// Faces that are not triangles, ascending.
    pub(super) polygons: Vec<Polygon>,
    pub(super) columns: Vec<Column>,
    /// Corner layers run parallel to `corners`.
    pub(super) corner_texcoords: Option<CornerLayer>,
    pub(super) corner_normals: Option<CornerLayer>,
    pub(super) tags: Vec<Tag>,
    pub(super) sharp_edges: Vec<SharpEdge>,
    pub(super) sharp_vertices: Vec<SharpVertex>,
    /// Faces that are holes, in any order.
    pub(super) holes: Vec<u32>,
    pub(super) comments: Vec<String>,
    /// Materials of glTF, and of OBJ's libraries.
    pub(super) materials: Option<Arc<SourceMaterials>>,
    pub(super) warnings: Vec<String>,
    /// Polygon offsets are bytes, not lines.
    pub(super) binary: bool,
}

impl Soup {
    pub(super) fn face_count(&self) -> usize {
        let extra: usize = self.polygons.iter().map(|p| p.corners as usize - 3).sum();
        (self.corners.len() - extra) / 3
    }

    /// Returns the mesh as it is in the file.
    pub(super) fn finish(mut self) -> Result<(PolyMesh, Vec<String>), Fault> {
        let mut mesh = self.assemble()?;
        mesh.take_marks()?;
        mesh.validate()?;
        Ok((mesh, self.warnings))
    }

    /// Returns the mesh, with polygons cut into triangles if `cut` requests it.
    pub(super) fn triangles(mut self, cut: bool) -> Result<(TriMesh, Vec<String>), Fault> {
        let mesh = self.assemble()?;
        if !cut && let Some(first) = self.polygons.first() {
            return Err(self.refuse(first, mesh.face_count()));
        }
        let (mesh, warnings) = mesh.triangulate()?;
        mesh.validate()?;
        self.warnings.extend(warnings);
        Ok((mesh, self.warnings))
    }

    /// Moves all into a mesh, which is not checked yet; leaves the polygons' places and the warnings.
    fn assemble(&mut self) -> Result<PolyMesh, Fault> {
        self.points.settle(&self.corners);
        if self.points.len() == 0 {
            return Err(Fault {
                at: FaultPosition::File,
                kind: FaultKind::NoVertices,
            });
        }
        let faces = self.faces()?;
        let mut columns = std::mem::take(&mut self.columns);
        columns.iter_mut().for_each(colours_as_bytes);
        self.warnings.extend(self.points.warning());
        Ok(PolyMesh {
            positions: std::mem::take(&mut self.points.positions),
            faces,
            corners: std::mem::take(&mut self.corners),
            sharp_edges: std::mem::take(&mut self.sharp_edges),
            sharp_vertices: std::mem::take(&mut self.sharp_vertices),
            holes: self.take_holes(),
            extras: Extras {
                columns,
                corner_texcoords: self.corner_texcoords.take(),
                corner_normals: self.corner_normals.take(),
                tags: std::mem::take(&mut self.tags),
                comments: std::mem::take(&mut self.comments),
                materials: self.materials.take(),
            },
            placement: self.points.placement,
        })
    }

    fn take_holes(&mut self) -> Vec<u32> {
        let mut holes = std::mem::take(&mut self.holes);
        holes.sort_unstable();
        holes.dedup();
        holes
    }

    fn faces(&self) -> Result<Faces, Fault> {
        let faces = self.face_count();
        check_counts(self.points.len() as u64, faces as u64)?;
        let Some(first) = self.polygons.first() else {
            return Ok(Faces::Same(3));
        };
        let n = first.corners;
        if self.polygons.len() == faces && self.polygons.iter().all(|p| p.corners == n) {
            return Ok(Faces::Same(n));
        }
        if self.corners.len() >= u32::MAX as usize {
            return Err(Fault::from(MeshError::TooLarge {
                what: "corners",
                asked: self.corners.len() as u64,
                limit: u64::from(u32::MAX) - 1,
            }));
        }
        let mut offsets = Vec::with_capacity(faces + 1);
        let mut polygons = self.polygons.iter().peekable();
        let mut start = 0;
        offsets.push(start);
        for face in 0..faces as u32 {
            start += polygons
                .next_if(|p| p.face == face)
                .map_or(3, |p| p.corners);
            offsets.push(start);
        }
        Ok(Faces::Offsets(offsets))
    }

    fn at(&self, polygon: &Polygon) -> FaultPosition {
        match self.binary {
            true => FaultPosition::Byte(polygon.at),
            false => FaultPosition::Text(polygon.at),
        }
    }

    fn refuse(&self, first: &Polygon, faces: usize) -> Fault {
        let kind = FaultKind::Polygon {
            corners: first.corners as usize,
            polygons: self.polygons.len(),
            faces,
        };
        Fault {
            at: self.at(first),
            kind,
        }
    }
}

/// Returns `true` if text formats can hold the values: their readers refuse NaN and infinity, ours among them.
pub(super) fn is_finite(column: &Column) -> bool {
    match &column.data {
        ColumnData::F32(v) => position_first(v, |x| !x.is_finite()).is_none(),
        ColumnData::F64(v) => position_first(v, |x| !(*x as f32).is_finite()).is_none(),
        // Whole numbers of at most 32 bits.
        _ => true,
    }
}

/// Names the columns that a format cannot hold.
pub(super) fn warn_of_columns<'a>(
    format: &str,
    columns: impl Iterator<Item = &'a Column>,
    warnings: &mut Vec<String>,
) {
    let mut lost = Alike::default();
    for c in columns {
        let why = if is_finite(c) {
            ""
        } else {
            " (it has values that are not finite)"
        };
        lost.add(&c.name, || {
            format!("{format} holds no {} column '{}'{why}", c.element, c.name)
        });
    }
    warnings.extend(lost.warnings(&format!(
        "columns are left out, which {format} does not hold"
    )));
}

/// Returns the comments of a text file up to the line that is `words`th to have a word (from 0), without their `#`.
pub(super) fn head_comments(bytes: &[u8], words: usize) -> Vec<String> {
    let mut comments = Vec::new();
    let mut seen = 0;
    for (_, line) in TextLines::new(bytes, 0) {
        let line = line.trim_ascii();
        match line.strip_prefix(b"#") {
            Some(text) => comments.push(comment(text)),
            None if line.is_empty() => {}
            None if seen == words => break,
            None => seen += 1,
        }
    }
    comments
}

/// Returns a comment as it is kept: a space after its mark belongs to the mark.
pub(super) fn comment(text: &[u8]) -> String {
    let text = text.strip_prefix(b" ").unwrap_or(text);
    names::from_bytes(text.trim_ascii_end()).replace('\r', " ")
}

/// Returns comments as lines of a text file.
pub(super) fn comment_lines(comments: &[String]) -> Vec<u8> {
    let line = |c: &String| {
        let line = [b"# ", &*names::to_bytes(c)].concat();
        [line.trim_ascii_end(), b"\n"].concat()
    };
    comments.iter().flat_map(line).collect()
}

/// Names the layers and tags that a format cannot hold.
pub(super) fn warn_of_layers(
    format: &str,
    extras: &Extras,
    texcoords: bool,
    warnings: &mut Vec<String>,
) {
    warn_of_corners(format, extras, texcoords, warnings);
    warn_of_tags(format, extras.tags.len(), warnings);
}

/// Names the layers that a format cannot hold.
pub(super) fn warn_of_corners(
    format: &str,
    extras: &Extras,
    texcoords: bool,
    warnings: &mut Vec<String>,
) {
    if texcoords && extras.corner_texcoords.is_some() {
        warnings.push(format!(
            "{format} holds no texture coordinates of face corners"
        ));
    }
    if extras.corner_normals.is_some() {
        warnings.push(format!("{format} holds no normals of face corners"));
    }
}

/// Warns of the number of groups, objects and materials that a format cannot hold.
pub(super) fn warn_of_tags(format: &str, statements: usize, warnings: &mut Vec<String>) {
    if statements > 0 {
        warnings.push(format!(
            "{format} holds no groups, objects or materials ({statements} statements)"
        ));
    }
}

/// Names the sharpness and the holes that a format cannot hold.
pub(super) fn warn_of_marks(format: &str, mesh: MeshRef<'_>, warnings: &mut Vec<String>) {
    let MeshRef::Polygons(mesh) = mesh else {
        return;
    };
    let counts = [
        (mesh.sharp_edges.len(), "sharp edges"),
        (mesh.sharp_vertices.len(), "sharp vertices"),
        (mesh.holes.len(), "faces that are holes"),
    ];
    let lost = counts.into_iter().filter(|(n, _)| *n > 0);
    warnings.extend(lost.map(|(n, what)| format!("{format} holds no {what}: {n} are not kept")));
}

/// Returns a sharpness as files hold it: readers of text refuse infinity.
pub(super) fn written_sharpness(sharpness: f32) -> f32 {
    match sharpness.is_finite() {
        true => sharpness,
        false => PolyMesh::SHARP,
    }
}

/// Converts colours to bytes if that loses nothing: whole numbers from 0 to 255 of any type, and fractions of 255 (to
/// six digits, as they are printed). Other programs show bytes, and not all of them show fractions.
fn colours_as_bytes(column: &mut Column) {
    /// Half a unit of the sixth digit, and the rounding of `k / 255` as an f32.
    const ROUNDING: f64 = 6e-7;
    let bytes = matches!(column.data, ColumnData::U8(_));
    if column.name != COLOR || !(3..=4).contains(&column.width) || bytes {
        return;
    }
    let floats = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    let values = || (0..column.data.len()).map(|i| column.data.get(i));
    let near = |x: f64| (x - (255.0 * x).round() / 255.0).abs() <= ROUNDING;
    let factor = if floats && values().all(|x| (0.0..=1.0).contains(&x) && near(x)) {
        255.0
    } else if (column.width == 3 || !floats)
        && values().all(|x| (0.0..=255.0).contains(&x) && x.fract() == 0.0)
    {
        1.0
    } else {
        return;
    };
    let bytes = values().map(|x| (factor * x).round() as u8).collect();
    column.data = ColumnData::U8(bytes);
}

/// Returns the factor that brings colours into 0 to 1.
pub(super) fn colour_scale(data: &ColumnData) -> f64 {
    match data {
        ColumnData::U8(_) => 1.0 / 255.0,
        ColumnData::U16(_) => 1.0 / 65535.0,
        ColumnData::U32(_) => 1.0 / f64::from(u32::MAX),
        _ => 1.0,
    }
}
