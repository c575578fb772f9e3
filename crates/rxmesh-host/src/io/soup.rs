//! What every reader makes first: positions and faces of any size, with everything that hangs on them.

use super::error::{At, Fault, FaultKind};
use super::points::Points;
use super::polygon::triangulate;
use super::scan::Lines;
use crate::mesh::{
    COLOR, Column, ColumnData, CornerLayer, ElementKind, Extras, Tag, TriMesh, check_counts,
};
use glam::Vec3;

/// A face that is not a triangle.
#[derive(Debug, Clone, Copy)]
pub(super) struct Polygon {
    /// Which face.
    pub(super) face: u32,
    /// How many corners: four or more.
    pub(super) corners: u32,
    /// Where it is in the file.
    pub(super) at: usize,
}

/// A mesh of polygons as it stands in a file. All indices are in range.
#[derive(Debug, Default)]
pub(super) struct Soup {
    pub(super) points: Points,
    /// Corners of all faces, one after the other.
    pub(super) corners: Vec<u32>,
    /// The faces that are not triangles, ascending.
    pub(super) polygons: Vec<Polygon>,
    pub(super) columns: Vec<Column>,
    /// Corner layers run parallel to `corners`.
    pub(super) corner_texcoords: Option<CornerLayer>,
    pub(super) corner_normals: Option<CornerLayer>,
    pub(super) tags: Vec<Tag>,
    pub(super) comments: Vec<String>,
    pub(super) warnings: Vec<String>,
    /// Polygon offsets are bytes, not lines.
    pub(super) binary: bool,
}

impl Soup {
    pub(super) fn face_count(&self) -> usize {
        let extra: usize = self.polygons.iter().map(|p| p.corners as usize - 3).sum();
        (self.corners.len() - extra) / 3
    }

    /// The mesh, with polygons cut into triangles if that was asked for.
    pub(super) fn finish(mut self, cut: bool) -> Result<(TriMesh, Vec<String>), Fault> {
        self.points.settle();
        if self.points.len() == 0 {
            return Err(Fault {
                at: At::File,
                kind: FaultKind::NoVertices,
            });
        }
        if let Some(first) = self.polygons.first() {
            if !cut {
                return Err(self.refuse(first));
            }
            self.cut_polygons()?;
        }
        check_counts(self.points.len() as u64, self.corners.len() as u64 / 3)?;
        let faces = self.corners.as_chunks::<3>().0.to_vec();
        self.columns.iter_mut().for_each(colours_as_bytes);
        self.warnings.extend(self.points.warning());
        let mesh = TriMesh {
            positions: self.points.positions,
            faces,
            extras: Extras {
                columns: self.columns,
                corner_texcoords: self.corner_texcoords,
                corner_normals: self.corner_normals,
                tags: self.tags,
                comments: self.comments,
            },
            placement: self.points.placement,
        };
        mesh.validate()?;
        Ok((mesh, self.warnings))
    }

    fn refuse(&self, first: &Polygon) -> Fault {
        let at = if self.binary {
            At::Byte(first.at)
        } else {
            At::Text(first.at)
        };
        let kind = FaultKind::Polygon {
            corners: first.corners as usize,
            polygons: self.polygons.len(),
            faces: self.face_count(),
        };
        Fault { at, kind }
    }

    /// Replaces every polygon by triangles; face columns repeat their row, corner layers and tags follow.
    fn cut_polygons(&mut self) -> Result<(), Fault> {
        let faces = self.face_count();
        check_counts(0, self.corners.len() as u64)?;
        let mut picked: Vec<u32> = Vec::with_capacity(self.corners.len());
        let mut source: Vec<u32> = Vec::with_capacity(faces + self.polygons.len());
        let mut first_child: Vec<u32> = Vec::with_capacity(faces + 1);
        let mut polygons = self.polygons.iter().peekable();
        let mut start = 0usize;
        for face in 0..faces as u32 {
            first_child.push(source.len() as u32);
            let polygon = polygons.next_if(|p| p.face == face);
            let n = polygon.map_or(3, |p| p.corners as usize);
            if let Some(p) = polygon {
                let points = self.corners[start..start + n].iter();
                let points: Vec<Vec3> =
                    points.map(|&v| self.points.positions[v as usize]).collect();
                let at = if self.binary {
                    At::Byte(p.at)
                } else {
                    At::Text(p.at)
                };
                let triangles = triangulate(&points).map_err(|what| Fault {
                    at,
                    kind: FaultKind::What(what),
                })?;
                picked.extend(
                    triangles
                        .iter()
                        .flatten()
                        .map(|&k| (start + k as usize) as u32),
                );
            } else {
                picked.extend([start as u32, start as u32 + 1, start as u32 + 2]);
            }
            source.extend(std::iter::repeat_n(face, n - 2));
            start += n;
        }
        first_child.push(source.len() as u32);
        self.renumber(&picked, &source, &first_child);
        Ok(())
    }

    fn renumber(&mut self, picked: &[u32], source: &[u32], first_child: &[u32]) {
        let pick = |v: &mut Vec<u32>| *v = picked.iter().map(|&c| v[c as usize]).collect();
        pick(&mut self.corners);
        let layers = [&mut self.corner_texcoords, &mut self.corner_normals];
        layers
            .into_iter()
            .flatten()
            .for_each(|l| pick(&mut l.corners));
        for c in self
            .columns
            .iter_mut()
            .filter(|c| c.element == ElementKind::Face)
        {
            *c = c.gather(source);
        }
        self.tags
            .iter_mut()
            .for_each(|t| t.face = first_child[t.face as usize]);
        let n = self.polygons.len();
        self.warnings.push(format!(
            "{n} of {} faces were polygons and are now triangles: {} faces",
            first_child.len() - 1,
            source.len()
        ));
        self.polygons.clear();
    }
}

/// True when text formats can hold the values: their readers refuse NaN and infinity, ours among them.
pub(super) fn is_finite(column: &Column) -> bool {
    (0..column.data.len()).all(|i| (column.data.get(i) as f32).is_finite())
}

/// Names the columns that a format cannot hold.
pub(super) fn warn_of_columns<'a>(
    format: &str,
    columns: impl Iterator<Item = &'a Column>,
    warnings: &mut Vec<String>,
) {
    warnings.extend(columns.map(|c| {
        let why = if is_finite(c) {
            ""
        } else {
            " (it has values that are not finite)"
        };
        format!("{format} holds no {} column '{}'{why}", c.element, c.name)
    }));
}

/// The comments of a text file up to the line that is `words`th to have a word (from 0), without their `#`.
pub(super) fn head_comments(bytes: &[u8], words: usize) -> Vec<String> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut comments = Vec::new();
    let mut seen = 0;
    for (_, line) in Lines::new(bytes, 0) {
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

/// A comment as it is kept: a space after its mark belongs to the mark.
pub(super) fn comment(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text.strip_prefix(b" ").unwrap_or(text));
    text.trim_end().replace('\r', " ")
}

/// Comments as lines of a text file.
pub(super) fn comment_lines(comments: &[String]) -> Vec<u8> {
    let line = |c: &String| format!("# {c}").trim_end().to_owned() + "\n";
    comments.iter().map(line).collect::<String>().into_bytes()
}

/// Names the layers and tags that a format cannot hold.
pub(super) fn warn_of_layers(
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
    if !extras.tags.is_empty() {
        warnings.push(format!(
            "{format} holds no groups, objects or materials ({} statements)",
            extras.tags.len()
        ));
    }
}

/// Colours as bytes where that loses nothing: numbers from 0 to 255, and fractions of 255 (to six digits, as they are
/// printed). Other programs show bytes, and not all of them show fractions.
fn colours_as_bytes(column: &mut Column) {
    /// Half a unit of the sixth digit, and what `k / 255` loses as an f32.
    const ROUNDING: f64 = 6e-7;
    let known = matches!(column.data, ColumnData::F32(_) | ColumnData::F64(_));
    if column.name != COLOR || !(3..=4).contains(&column.width) || !known {
        return;
    }
    let values = || (0..column.data.len()).map(|i| column.data.get(i));
    let near = |x: f64| (x - (255.0 * x).round() / 255.0).abs() <= ROUNDING;
    let factor = if values().all(|x| (0.0..=1.0).contains(&x) && near(x)) {
        255.0
    } else if column.width == 3 && values().all(|x| (0.0..=255.0).contains(&x) && x.fract() == 0.0)
    {
        1.0
    } else {
        return;
    };
    let bytes = values().map(|x| (factor * x).round() as u8).collect();
    column.data = ColumnData::U8(bytes);
}

/// The factor that brings colours into 0 to 1.
pub(super) fn colour_scale(data: &ColumnData) -> f64 {
    match data {
        ColumnData::U8(_) => 1.0 / 255.0,
        ColumnData::U16(_) => 1.0 / 65535.0,
        ColumnData::U32(_) => 1.0 / f64::from(u32::MAX),
        _ => 1.0,
    }
}
