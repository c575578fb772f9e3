//! Columns of a mesh as attributes that the format allows.

use super::super::soup;
use super::attributes::{Role, TEXCOORDS, attribute_name};
use super::layout::{AccessorForm, bytes, rows, words};
use super::split::SplitVertices;
use super::values::Component;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, Extras, NORMAL, shown_name};
use crate::par::{IntoLean, PLAIN};
use rayon::prelude::*;
use std::borrow::Cow;

/// Deviation of a length from 1 up to which a direction is written as it is. The validator allows ten times more.
const UNIT: f32 = 5e-4;

/// Attribute of all vertices.
pub(super) struct VertexAttribute<'a> {
    pub(super) name: String,
    pub(super) form: AccessorForm,
    pub(super) bytes: Cow<'a, [u8]>,
}

impl<'a> VertexAttribute<'a> {
    /// Returns the attribute of floats, which are not copied if they are the mesh's.
    pub(super) fn floats(
        name: impl Into<String>,
        width: usize,
        values: impl Into<Cow<'a, [f32]>>,
    ) -> VertexAttribute<'a> {
        let values = match values.into() {
            Cow::Borrowed(values) => words(values, f32::to_le_bytes),
            Cow::Owned(values) => bytes(&values, f32::to_le_bytes).into(),
        };
        VertexAttribute::of_bytes(name, width, values)
    }

    /// Returns the attribute of floats that are bytes already.
    fn of_bytes(
        name: impl Into<String>,
        width: usize,
        bytes: Cow<'a, [u8]>,
    ) -> VertexAttribute<'a> {
        VertexAttribute {
            name: name.into(),
            form: AccessorForm {
                component: Component::F32,
                width,
                normalized: false,
            },
            bytes,
        }
    }
}

/// Maker of the attributes of a mesh.
pub(super) struct Outgoing<'a, 's> {
    extras: &'a Extras,
    /// Vertex of the mesh of which each further vertex is a copy.
    copies: &'s [u32],
    /// Texture coordinates and normals of corners, by vertex.
    of_corners: [Option<Vec<f32>>; 2],
    warnings: &'s mut Vec<String>,
    lost: Vec<&'a Column>,
}

impl<'a, 's> Outgoing<'a, 's> {
    /// Takes the columns of a mesh, and the values of split vertices.
    pub(super) fn new(
        extras: &'a Extras,
        split: Option<&'s mut SplitVertices>,
        warnings: &'s mut Vec<String>,
    ) -> Outgoing<'a, 's> {
        let (copies, of_corners) = match split {
            Some(split) => (&split.copies[..], std::mem::take(&mut split.values)),
            None => (&[][..], [None, None]),
        };
        Outgoing {
            extras,
            copies,
            of_corners,
            warnings,
            lost: Vec::new(),
        }
    }

    /// Returns the attributes beside the positions.
    pub(super) fn attributes(mut self) -> Vec<VertexAttribute<'a>> {
        let mut all = Vec::new();
        let normals = self.normals();
        let has_normals = normals.is_some();
        all.extend(normals);
        let texcoords = self.texcoords();
        let has_texcoords = texcoords.is_some();
        all.extend(texcoords);
        let sets = AttributeSets::of(self.extras, has_texcoords);
        let extras = self.extras;
        for column in &extras.columns {
            let used = match &column.name[..] {
                NORMAL => column.width == 3 && has_normals,
                "s" | "t" => has_texcoords,
                _ => false,
            };
            if column.element != ElementKind::Vertex {
                self.lost.push(column);
            } else if !used {
                all.extend(self.column(column, &sets));
            }
        }
        soup::warn_of_columns("glTF", self.lost.into_iter(), self.warnings);
        all
    }

    fn values(&self, column: &'a Column) -> Cow<'a, ColumnData> {
        if self.copies.is_empty() {
            return Cow::Borrowed(&column.data);
        }
        let more = column.data.gather(column.width, self.copies);
        Cow::Owned(ColumnData::joined(&[&column.data, &more]))
    }

    fn named(&self, name: &str, width: usize) -> Option<&'a Column> {
        let column = self.extras.column(ElementKind::Vertex, name);
        column.filter(|c| c.width == width && soup::is_finite(c))
    }

    /// Returns the normals of corners, else of vertices.
    fn normals(&mut self) -> Option<VertexAttribute<'a>> {
        let of_corners = self.of_corners[1].take();
        let of_corners = of_corners.filter(|_| {
            self.extras
                .corner_normals
                .as_ref()
                .is_some_and(|l| l.width == 3)
        });
        let values = match (of_corners, self.named(NORMAL, 3)) {
            (Some(values), _) => Cow::Owned(values),
            (None, Some(column)) => match self.values(column) {
                Cow::Borrowed(ColumnData::F32(values)) => Cow::Borrowed(&values[..]),
                data => single(data),
            },
            (None, None) => return None,
        };
        let values = self.directions(values, 3, "normals");
        Some(VertexAttribute::floats("NORMAL", 3, values))
    }

    /// Makes directions of rows as long as the format wants them: 1.
    fn directions<'v>(
        &mut self,
        mut values: Cow<'v, [f32]>,
        width: usize,
        what: &str,
    ) -> Cow<'v, [f32]> {
        let squared = |d: &[f32]| d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        let wrong = |d: &[f32]| {
            !((1.0 - UNIT) * (1.0 - UNIT)..(1.0 + UNIT) * (1.0 + UNIT)).contains(&squared(d))
        };
        let parts = values.par_chunks(width * PLAIN).lean();
        let count = parts.map(|part| part.chunks_exact(width).filter(|d| wrong(d)).count());
        let count: usize = count.sum();
        if count == 0 {
            return values;
        }
        let mut none = 0;
        for d in values.to_mut().chunks_exact_mut(width).filter(|d| wrong(d)) {
            let size = f64::from(d[0])
                .hypot(f64::from(d[1]))
                .hypot(f64::from(d[2]));
            let is_direction = size > 0.0 && size.is_finite();
            none += usize::from(!is_direction);
            let unit = match is_direction {
                true => [d[0], d[1], d[2]].map(|x| (f64::from(x) / size) as f32),
                false => [0.0, 0.0, 1.0],
            };
            d[..3].copy_from_slice(&unit);
        }
        if none > 0 {
            self.warnings.push(format!(
                "{none} {what} have no direction, which glTF does not hold: they became 0 0 1"
            ));
        }
        if count > none {
            let scaled = count - none;
            self.warnings.push(format!(
                "{scaled} {what} are not of length 1, as glTF wants them: they are scaled"
            ));
        }
        values
    }

    /// Returns the texture coordinates of corners, else of vertices; the second counts from the upper edge.
    fn texcoords(&mut self) -> Option<VertexAttribute<'a>> {
        let layer = self.extras.corner_texcoords.as_ref();
        let of_corners = self.of_corners[0].take().zip(layer);
        let bytes = if let Some((values, layer)) = of_corners {
            if layer.width > 2 {
                let what = "glTF holds two texture coordinates; the third is left out";
                self.warnings.push(what.into());
            }
            if values.iter().any(|x| !x.is_finite()) {
                let what = "glTF holds no texture coordinates of face corners that are not finite";
                self.warnings.push(what.into());
                return None;
            }
            texcoord_bytes(values.len() / layer.width, |i| {
                [values[layer.width * i], values[layer.width * i + 1]]
            })
        } else {
            let [s, t] = TEXCOORDS.map(|name| self.named(name, 1));
            let [s, t] = [self.values(s?), self.values(t?)];
            match (&*s, &*t) {
                (ColumnData::F32(s), ColumnData::F32(t)) => {
                    texcoord_bytes(s.len().min(t.len()), |i| [s[i], t[i]])
                }
                (s, t) => texcoord_bytes(s.len(), |i| [s.get(i) as f32, t.get(i) as f32]),
            }
        };
        Some(VertexAttribute::of_bytes("TEXCOORD_0", 2, bytes.into()))
    }

    /// Returns a column as an attribute, if the format holds it.
    fn column(&mut self, column: &'a Column, sets: &AttributeSets) -> Option<VertexAttribute<'a>> {
        let is_color = column.name == COLOR && [3, 4].contains(&column.width);
        let role = match is_color {
            true => Role::Colour,
            false => Role::of(&column.name),
        };
        let fits = role.widths().contains(&column.width);
        if !soup::is_finite(column) || role == Role::Other && !fits {
            self.lost.push(column);
            return None;
        }
        let data = self.values(column);
        let own = fits && sets.hold(&column.name, role);
        let name = match own {
            _ if is_color => "COLOR_0".to_owned(),
            true => column.name.clone(),
            false if Role::Other.widths().contains(&column.width) => attribute_name(&column.name),
            false => {
                self.lost.push(column);
                return None;
            }
        };
        match role {
            Role::Colour if own || is_color => Some(self.colours(name, column.width, &data)),
            Role::Tangent if own => {
                let mut values = self.directions(single(data), 4, "tangents").into_owned();
                for t in values.as_chunks_mut::<4>().0 {
                    t[3] = if t[3] < 0.0 { -1.0 } else { 1.0 };
                }
                Some(VertexAttribute::floats(name, 4, values))
            }
            Role::MoreTexcoords | Role::Weights if own => {
                Some(VertexAttribute::floats(name, column.width, single(data)))
            }
            _ => Some(self.plain(name, column, data)),
        }
    }

    /// Returns colours: small whole numbers as they are, others as floats from 0 to 1.
    fn colours(&mut self, name: String, width: usize, data: &ColumnData) -> VertexAttribute<'a> {
        let small = |component, bytes: Vec<u8>| VertexAttribute {
            name: name.clone(),
            form: AccessorForm {
                component,
                width,
                normalized: true,
            },
            bytes: bytes.into(),
        };
        match data {
            ColumnData::U8(v) => small(Component::U8, rows(v, width, u8::to_le_bytes)),
            ColumnData::U16(v) => small(Component::U16, rows(v, width, u16::to_le_bytes)),
            data => {
                let scale = soup::colour_scale(data);
                let mut values: Vec<f32> = (0..data.len())
                    .map(|i| (data.get(i) * scale) as f32)
                    .collect();
                let outside = values.iter().filter(|x| !(0.0..=1.0).contains(*x)).count();
                if outside > 0 {
                    values.iter_mut().for_each(|x| *x = x.clamp(0.0, 1.0));
                    self.warnings.push(format!(
                        "glTF holds colours from 0 to 1: {outside} values are clamped"
                    ));
                }
                VertexAttribute::floats(name, width, values)
            }
        }
    }

    /// Returns values in their type if the format has it, else as floats.
    fn plain(
        &mut self,
        name: String,
        column: &Column,
        data: Cow<'a, ColumnData>,
    ) -> VertexAttribute<'a> {
        let width = column.width;
        // Columns of a matrix begin at multiples of four bytes.
        let (component, bytes) = match &*data {
            ColumnData::I8(v) if width <= 4 => (Component::I8, rows(v, width, i8::to_le_bytes)),
            ColumnData::U8(v) if width <= 4 => (Component::U8, rows(v, width, u8::to_le_bytes)),
            ColumnData::I16(v) if width <= 4 => (Component::I16, rows(v, width, i16::to_le_bytes)),
            ColumnData::U16(v) if width <= 4 => (Component::U16, rows(v, width, u16::to_le_bytes)),
            ColumnData::F32(_) => return VertexAttribute::floats(name, width, single(data)),
            data => {
                let values = single(Cow::Borrowed(data));
                let differs = |i: &usize| f64::from(values[*i]) != data.get(*i);
                let rounded = (0..values.len()).filter(differs).count();
                if rounded > 0 {
                    self.warnings.push(format!(
                        "glTF holds column '{}' as 32-bit floats: {rounded} values are rounded",
                        shown_name(&column.name)
                    ));
                }
                (Component::F32, bytes(&values, f32::to_le_bytes))
            }
        };
        VertexAttribute {
            name,
            form: AccessorForm {
                component,
                width,
                normalized: false,
            },
            bytes: bytes.into(),
        }
    }
}

/// Returns texture coordinates as bytes; the second counts from the upper edge.
fn texcoord_bytes(count: usize, of: impl Fn(usize) -> [f32; 2] + Sync) -> Vec<u8> {
    const PAIR: usize = 2 * size_of::<f32>();
    let mut all = vec![0; PAIR * count];
    let parts = all.par_chunks_mut(PAIR * PLAIN).enumerate().lean();
    parts.for_each(|(part, bytes)| {
        for (i, pair) in bytes.as_chunks_mut::<PAIR>().0.iter_mut().enumerate() {
            let [s, t] = of(part * PLAIN + i);
            pair[..4].copy_from_slice(&s.to_le_bytes());
            pair[4..].copy_from_slice(&(1.0 - t).to_le_bytes());
        }
    });
    all
}

/// Returns values as floats, which are not copied if they are some.
fn single(data: Cow<'_, ColumnData>) -> Cow<'_, [f32]> {
    match data {
        Cow::Borrowed(ColumnData::F32(v)) => Cow::Borrowed(v),
        Cow::Owned(ColumnData::F32(v)) => Cow::Owned(v),
        data => (0..data.len()).map(|i| data.get(i) as f32).collect(),
    }
}

/// Numbers of sets of attributes that come in several. They are counted from 0 without a gap, and joints and weights
/// come together.
struct AttributeSets {
    texcoords: usize,
    colours: usize,
    joints: usize,
}

impl AttributeSets {
    fn of(extras: &Extras, has_texcoords: bool) -> AttributeSets {
        let has = |name: &str, widths: &[usize]| {
            let column = extras.column(ElementKind::Vertex, name);
            column.is_some_and(|c| widths.contains(&c.width) && soup::is_finite(c))
        };
        let run = |from: usize, prefix: &str, widths: &[usize]| {
            (from..)
                .find(|k| !has(&format!("{prefix}{k}"), widths))
                .unwrap_or(from)
        };
        let joints = |k: usize| {
            let column = extras.column(ElementKind::Vertex, &format!("JOINTS_{k}"));
            let small = column.is_some_and(|c| {
                c.width == 4 && matches!(c.data, ColumnData::U8(_) | ColumnData::U16(_))
            });
            small && has(&format!("WEIGHTS_{k}"), &[4])
        };
        AttributeSets {
            texcoords: if has_texcoords {
                run(1, "TEXCOORD_", &[2])
            } else {
                0
            },
            colours: if has(COLOR, &[3, 4]) {
                run(1, "COLOR_", &[3, 4])
            } else {
                0
            },
            joints: (0..).find(|k| !joints(*k)).unwrap_or(0),
        }
    }

    /// Returns `true` if a column of one of the format's own names can be written under it.
    fn hold(&self, name: &str, role: Role) -> bool {
        let number = name
            .rsplit('_')
            .next()
            .and_then(|n| n.parse::<usize>().ok());
        let within = |count: usize| number.is_some_and(|k| k < count) && is_plain_number(name);
        match role {
            Role::Tangent => true,
            Role::MoreTexcoords => within(self.texcoords),
            Role::Colour => within(self.colours) && name != "COLOR_0",
            Role::Joints | Role::Weights => within(self.joints),
            _ => false,
        }
    }
}

/// Returns `true` if the number at the end of a name has no needless zeros.
fn is_plain_number(name: &str) -> bool {
    let digits = name.rsplit('_').next().unwrap_or_default();
    digits == "0" || !digits.starts_with('0')
}
