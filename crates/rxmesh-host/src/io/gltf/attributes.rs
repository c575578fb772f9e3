//! Attributes of vertices and the columns that they become, both ways.

use super::super::alike::Alike;
use super::super::error::Fault;
use super::super::names;
use super::super::soup::colour_scale;
use super::super::unique_names::UniqueNames;
use super::accessors::AccessorNumbers;
use super::json::JsonItem;
use super::values::floats;
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};
use std::collections::HashMap;

/// Column of tangents: the direction of the texture's first coordinate, and the sign of the second.
pub(super) const TANGENT: &str = "TANGENT";
/// Columns of the first texture coordinates.
pub(super) const TEXCOORDS: [&str; 2] = ["s", "t"];

/// Role of an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Position,
    Normal,
    Tangent,
    /// The first texture coordinates.
    Texcoord,
    MoreTexcoords,
    Colour,
    Joints,
    Weights,
    Other,
}

impl Role {
    pub(super) fn of(name: &str) -> Role {
        let set = |prefix: &str| {
            let number = name.strip_prefix(prefix)?;
            let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
            digits.then_some(number)
        };
        match name {
            "POSITION" => Role::Position,
            "NORMAL" => Role::Normal,
            TANGENT => Role::Tangent,
            "TEXCOORD_0" => Role::Texcoord,
            _ if set("TEXCOORD_").is_some() => Role::MoreTexcoords,
            _ if set("COLOR_").is_some() => Role::Colour,
            _ if set("JOINTS_").is_some() => Role::Joints,
            _ if set("WEIGHTS_").is_some() => Role::Weights,
            _ => Role::Other,
        }
    }

    /// Returns the numbers of elements that the role can have.
    pub(super) fn widths(self) -> &'static [usize] {
        match self {
            Role::Position | Role::Normal => &[3],
            Role::Tangent | Role::Joints | Role::Weights => &[4],
            Role::Texcoord | Role::MoreTexcoords => &[2],
            Role::Colour => &[3, 4],
            Role::Other => &[1, 2, 3, 4, 9, 16],
        }
    }

    /// Returns the values of a column, in the type in which it keeps them.
    pub(super) fn values(self, numbers: AccessorNumbers) -> ColumnData {
        let small = matches!(numbers.data, ColumnData::U8(_) | ColumnData::U16(_));
        let kept = match self {
            Role::Colour => small && numbers.normalized,
            Role::Joints => true,
            Role::Other => !numbers.normalized,
            _ => false,
        };
        match kept {
            true => numbers.data,
            false => ColumnData::F32(numbers.floats()),
        }
    }
}

/// Returns `true` for names of columns that are written as an attribute of the format's own.
pub(super) fn is_special(name: &str) -> bool {
    let own = Role::of(name) != Role::Other;
    own || name.is_empty() || [NORMAL, COLOR, "s", "t", "x", "y", "z"].contains(&name)
}

/// Returns the name of the attribute that a column of no meaning to the format becomes: it begins with `_`.
pub(super) fn attribute_name(column: &str) -> String {
    match column.strip_prefix('_') {
        Some(rest) if is_special(rest) => column.to_owned(),
        _ => format!("_{column}"),
    }
}

/// Returns the name of the column that an attribute becomes.
fn column_name(attribute: &str) -> &str {
    match attribute.strip_prefix('_') {
        Some(rest) if !is_special(rest) => rest,
        _ if attribute == "COLOR_0" => COLOR,
        _ => attribute,
    }
}

/// Checks the form of an attribute.
pub(super) fn check(
    primitive: &JsonItem<'_>,
    name: &str,
    numbers: &AccessorNumbers,
    vertices: usize,
) -> Result<(), Fault> {
    let role = Role::of(name);
    if numbers.count != vertices {
        let what = format!(
            "{name} has {} elements, POSITION has {vertices}",
            numbers.count
        );
        return Err(primitive.fault(what));
    }
    if !role.widths().contains(&numbers.width) {
        let what = format!("{name} has {} numbers an element", numbers.width);
        return Err(primitive.fault(what));
    }
    Ok(())
}

/// Values of the vertices of a part of the mesh.
#[derive(Debug)]
struct AttributeBlock {
    first: usize,
    width: usize,
    data: ColumnData,
}

impl AttributeBlock {
    fn rows(&self) -> usize {
        self.data.len() / self.width
    }
}

/// Columns of vertices while primitives are read. Not all of them have all.
#[derive(Debug, Default)]
pub(super) struct Gathered {
    columns: Vec<(String, Vec<AttributeBlock>)>,
    /// Places of columns, by the attribute.
    places: HashMap<String, usize>,
    names: UniqueNames,
    /// Attributes whose columns have another name than they wanted.
    renamed: Alike,
}

impl Gathered {
    /// Adds the values of an attribute for the vertices from `first` on.
    pub(super) fn add(&mut self, attribute: &str, first: usize, width: usize, data: ColumnData) {
        let place = match self.places.get(attribute) {
            Some(&place) => place,
            None => {
                let name = column_name(attribute);
                let free = self.names.free(ElementKind::Vertex, name);
                if free != name {
                    let [shown, free] = [attribute, &free].map(names::shown);
                    self.renamed.add(&shown, || {
                        format!("attribute '{shown}' is the column '{free}'")
                    });
                }
                let name = free;
                self.columns.push((name, Vec::new()));
                self.places
                    .insert(attribute.to_owned(), self.columns.len() - 1);
                self.columns.len() - 1
            }
        };
        self.columns[place]
            .1
            .push(AttributeBlock { first, width, data });
    }

    /// Returns the columns of all vertices.
    pub(super) fn finish(self, vertices: usize, warnings: &mut Vec<String>) -> Vec<Column> {
        warnings.extend(
            self.renamed
                .warnings("attributes have other names as columns"),
        );
        let columns = self.columns.into_iter();
        columns
            .map(|(name, blocks)| column(name, blocks, vertices, warnings))
            .collect()
    }
}

/// Joins the blocks of a column; vertices of none get white as their colour, and zeros else.
fn column(
    name: String,
    mut blocks: Vec<AttributeBlock>,
    vertices: usize,
    warnings: &mut Vec<String>,
) -> Column {
    let whole = |b: &AttributeBlock| b.rows() == vertices;
    if let [_] = &blocks[..]
        && let Some(block) = blocks.pop_if(|b| whole(b))
    {
        return Column {
            name,
            element: ElementKind::Vertex,
            width: block.width,
            data: block.data,
        };
    }
    let width = blocks.iter().map(|b| b.width).max().unwrap_or(1);
    let is_colour = name == COLOR || Role::of(&name) == Role::Colour;
    let kind = blocks.first().map(|b| std::mem::discriminant(&b.data));
    if blocks
        .iter()
        .any(|b| Some(std::mem::discriminant(&b.data)) != kind)
    {
        for block in &mut blocks {
            let data = std::mem::replace(&mut block.data, ColumnData::U8(Vec::new()));
            let fractions = is_colour && colour_scale(&data) != 1.0;
            block.data = ColumnData::F32(floats(data, fractions));
        }
    }
    let rows: usize = blocks.iter().map(AttributeBlock::rows).sum();
    if rows < vertices {
        let missing = vertices - rows;
        let what = if is_colour { "white" } else { "0" };
        warnings.push(format!(
            "{missing} vertices have no '{name}', others do: it became {what}"
        ));
    }
    let data = joined(&blocks, vertices, width, is_colour);
    Column {
        name,
        element: ElementKind::Vertex,
        width,
        data,
    }
}

/// Puts blocks of one type at their places.
fn joined(blocks: &[AttributeBlock], vertices: usize, width: usize, is_colour: bool) -> ColumnData {
    fn place<T: Copy>(all: &mut [T], width: usize, block: &AttributeBlock, values: &[T]) {
        let rows = all[width * block.first..].chunks_exact_mut(width);
        for (row, values) in rows.zip(values.chunks_exact(block.width)) {
            row[..block.width].copy_from_slice(values);
        }
    }
    macro_rules! of_type {
        ($($kind:ident: $one:expr),+) => {
            match blocks.first().map(|b| &b.data) {
                $(Some(ColumnData::$kind(_)) => {
                    let fill = if is_colour { $one } else { Default::default() };
                    let mut all = vec![fill; width * vertices];
                    for block in blocks {
                        if let ColumnData::$kind(values) = &block.data {
                            place(&mut all, width, block, values);
                        }
                    }
                    ColumnData::$kind(all)
                })+
                None => ColumnData::U8(Vec::new()),
            }
        };
    }
    of_type!(
        I8: i8::MAX, U8: u8::MAX, I16: i16::MAX, U16: u16::MAX, I32: i32::MAX, U32: u32::MAX, F32: 1.0, F64: 1.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_go_both_ways() {
        for (attribute, column) in [
            ("_TEMPERATURE", "TEMPERATURE"),
            ("_heat", "heat"),
            ("_normal", "_normal"),
            ("_x", "_x"),
            ("__x", "_x_2"),
            ("_TEXCOORD_0", "_TEXCOORD_0"),
            ("COLOR_0", COLOR),
            ("COLOR_1", "COLOR_1"),
        ] {
            let mut all = Gathered::default();
            all.names.take(
                ElementKind::Vertex,
                if attribute == "__x" { "_x" } else { "." },
            );
            all.add(attribute, 0, 1, ColumnData::U8(vec![1]));
            let columns = all.finish(1, &mut Vec::new());
            assert_eq!(columns[0].name, column);
            if Role::of(attribute) == Role::Other && attribute != "__x" {
                assert_eq!(attribute_name(column), attribute);
            }
        }
    }

    #[test]
    fn parts_of_several_forms_are_one_column() {
        let mut all = Gathered::default();
        all.add("COLOR_0", 0, 3, ColumnData::U8(vec![255, 0, 51]));
        all.add("COLOR_0", 2, 4, ColumnData::F32(vec![0.5, 0.25, 1.0, 0.5]));
        let mut warnings = Vec::new();
        let columns = all.finish(3, &mut warnings);
        let expected = [1.0, 0.0, 0.2, 1.0, 1.0, 1.0, 1.0, 1.0, 0.5, 0.25, 1.0, 0.5];
        assert_eq!(columns[0].data, ColumnData::F32(expected.to_vec()));
        assert_eq!((columns[0].width, warnings.len()), (4, 1));
        assert!(warnings[0].contains("became white"), "{warnings:?}");
    }
}
