//! Columns as the arrays of formats in which normals and texture coordinates have separate places.

use super::shape::Model;
use super::volume::Role;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};
use std::borrow::Cow;

/// An array of vertices or elements.
#[derive(Debug)]
pub(super) struct NamedArray<'a> {
    pub(super) name: &'a str,
    pub(super) role: Role,
    pub(super) width: usize,
    pub(super) data: Cow<'a, ColumnData>,
}

/// Returns the columns that a file gets: those of the mesh, and the marks of a surface of polygons.
pub(super) fn all_columns<'a>(model: Model<'a>, marks: &'a [Column]) -> Vec<&'a Column> {
    let marked = |c: &&Column| {
        let mut marks = marks.iter();
        !marks.any(|m| m.element == c.element && m.name == c.name)
    };
    let own = model.extras().columns.iter().filter(marked);
    marks.iter().chain(own).collect()
}

/// Returns the arrays of the columns of one kind. Those of a surface with a meaning get the names that VTK has for
/// them.
pub(super) fn arrays<'a>(
    model: Model<'_>,
    columns: &[&'a Column],
    element: ElementKind,
) -> Vec<NamedArray<'a>> {
    let own: Vec<&Column> = columns
        .iter()
        .filter(|c| c.element == element)
        .copied()
        .collect();
    let surface = matches!(model, Model::Surface(_));
    let texcoords = (surface && element == ElementKind::Vertex)
        .then(|| texcoords(&own))
        .flatten();
    let mut all = Vec::new();
    for c in own {
        let floats = matches!(c.data, ColumnData::F32(_) | ColumnData::F64(_));
        let bytes = matches!(c.data, ColumnData::U8(_));
        let (name, role) = match (c.name.as_str(), c.width) {
            ("s", 1) if texcoords.is_some() => {
                all.extend(texcoords.as_ref().map(|data| NamedArray {
                    name: "TCoords",
                    role: Role::Texcoords,
                    width: 2,
                    data: Cow::Owned(data.clone()),
                }));
                continue;
            }
            ("t", 1) if texcoords.is_some() => continue,
            (NORMAL, 3) if surface && floats => ("Normals", Role::Normals),
            (COLOR, 3) if surface && bytes => ("RGB", Role::Colors),
            (COLOR, 4) if surface && bytes => ("RGBA", Role::Colors),
            _ => (c.name.as_str(), Role::Plain),
        };
        all.push(NamedArray {
            name,
            role,
            width: c.width,
            data: Cow::Borrowed(&c.data),
        });
    }
    all
}

/// Returns the columns `s` and `t` as pairs, if both are there.
fn texcoords(columns: &[&Column]) -> Option<ColumnData> {
    let find = |name: &str| {
        let mut columns = columns.iter();
        columns.find(|c| c.name == name && c.width == 1)
    };
    let (s, t) = (find("s")?, find("t")?);
    match (&s.data, &t.data) {
        (ColumnData::F32(s), ColumnData::F32(t)) => Some(ColumnData::F32(
            s.iter().zip(t).flat_map(|(s, t)| [*s, *t]).collect(),
        )),
        (ColumnData::F64(s), ColumnData::F64(t)) => Some(ColumnData::F64(
            s.iter().zip(t).flat_map(|(s, t)| [*s, *t]).collect(),
        )),
        _ => None,
    }
}
