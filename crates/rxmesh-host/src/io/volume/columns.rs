//! Columns of meshes of elements.

use super::Volume;
use crate::io::names;
use crate::io::numbers::Numbers;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};

/// Meaning that a format gives to an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::io) enum Role {
    /// No meaning but that of the name.
    Plain,
    Normals,
    Texcoords,
    Colors,
}

impl Volume {
    /// Keeps a column with rows of vertices or of elements of any kind, under a name that a mesh can have. Warns if the
    /// name or the type has to change, or if it cannot be kept.
    pub(in crate::io) fn column(
        &mut self,
        name: &str,
        element: ElementKind,
        width: usize,
        data: Numbers,
    ) {
        self.column_as(Role::Plain, name, element, width, data);
    }

    /// Works like [`column`](Self::column), for an array with a meaning. Normals, colours and texture coordinates of a
    /// surface get the names that they have in every format.
    pub(in crate::io) fn column_as(
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
    pub(super) fn end_columns(&mut self) {
        let renamed = std::mem::take(&mut self.renamed);
        self.warnings
            .extend(renamed.warnings("columns have other names now"));
        let unkept = std::mem::take(&mut self.unkept);
        let many = "columns are not kept: their values are not numbers, or have more digits than 64-bit floats hold";
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
    pub(super) fn columns_of(&self, vertices: bool) -> impl Iterator<Item = &Column> {
        let of = move |c: &&Column| (c.element == ElementKind::Vertex) == vertices;
        self.columns.iter().filter(of)
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
