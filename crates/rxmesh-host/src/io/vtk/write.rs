//! Writing VTK's legacy format, version 3.0, which every program that knows VTK reads.

use super::super::arrays::{NamedArray, arrays};
use super::super::names;
use super::super::numbers::{ByteOrder, NumberType, bytes_of, scalar_of};
use super::super::shape::Model;
use super::super::text::rows;
use super::super::volume::Role;
use super::super::{Encoding, Pieces};
use super::cells::TETRAHEDRON;
use crate::mesh::{Column, ColumnData, ElementKind, bytes_of_name};

/// Longest title that the format allows.
const TITLE: usize = 255;

pub(in super::super) fn write(
    mesh: Model<'_>,
    columns: &[&Column],
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let ascii = encoding == Encoding::Ascii;
    let comments = &mesh.extras().comments;
    let title = comments.first().map_or("", |c| c.as_str());
    let title = names::to_bytes(title);
    let title = names::cut(&title, TITLE);
    let lost = comments.len().saturating_sub(1);
    if lost > 0 {
        warnings.push(format!(
            "VTK holds one line of comments: {lost} are not kept"
        ));
    }
    let kind = if ascii { "ASCII" } else { "BINARY" };
    let (vertices, elements) = (mesh.vertex_count(), mesh.element_count());
    let (positions, placement) = (mesh.positions(), mesh.placement());
    let real = if placement.is_world() {
        "float"
    } else {
        "double"
    };
    let (dataset, lists) = match mesh {
        Model::Surface(_) => ("POLYDATA", "POLYGONS"),
        Model::Volume(_) => ("UNSTRUCTURED_GRID", "CELLS"),
    };
    let mut pieces = Pieces::new();
    let text = |pieces: &mut Pieces, text: String| pieces.push(text.into_bytes());
    pieces.push([b"# vtk DataFile Version 3.0\n", title].concat());
    text(
        &mut pieces,
        format!("\n{kind}\nDATASET {dataset}\nPOINTS {vertices} {real}\n"),
    );
    if ascii {
        let digits = mesh.coordinate_text();
        rows(0, vertices, &mut pieces, |line, v| {
            line.point(&digits, positions[v]);
            line.end();
        });
    } else {
        pieces.push(bytes_of(&coordinates(mesh), ByteOrder::Big));
    }
    let numbers = elements + mesh.corner_count();
    // VTK stops reading at an empty list, and would lose the arrays of points after it.
    let has_lists = elements > 0 || matches!(mesh, Model::Volume(_));
    if has_lists {
        text(&mut pieces, format!("\n{lists} {elements} {numbers}\n"));
    }
    if ascii {
        rows(0, elements, &mut pieces, |line, i| {
            let corners = mesh.element(i);
            line.int(corners.len());
            for &v in corners {
                line.put(b" ");
                line.int(v);
            }
            line.end();
        });
    } else {
        let mut all = Vec::with_capacity(4 * numbers);
        for i in 0..elements {
            let corners = mesh.element(i);
            all.extend((corners.len() as u32).to_be_bytes());
            all.extend(corners.iter().flat_map(|v| v.to_be_bytes()));
        }
        pieces.push(all);
    }
    if matches!(mesh, Model::Volume(_)) {
        text(&mut pieces, format!("\nCELL_TYPES {elements}\n"));
        let number = u32::from(TETRAHEDRON);
        pieces.push(match ascii {
            true => format!("{number}\n").repeat(elements).into_bytes(),
            false => number.to_be_bytes().repeat(elements),
        });
    }
    for element in [ElementKind::Vertex, mesh.element_kind()] {
        data(mesh, columns, element, ascii, &mut pieces);
    }
    pieces
}

/// Returns the positions in the world, of 32 bits if these hold them.
pub(in super::super) fn coordinates(mesh: Model<'_>) -> ColumnData {
    let (positions, placement) = (mesh.positions().iter(), mesh.placement());
    match placement.is_world() {
        true => ColumnData::F32(positions.flat_map(|p| p.to_array()).collect()),
        false => ColumnData::F64(positions.flat_map(|&p| placement.digits(p)).collect()),
    }
}

/// Writes the arrays of the vertices or of the elements.
fn data(
    mesh: Model<'_>,
    columns: &[&Column],
    element: ElementKind,
    ascii: bool,
    pieces: &mut Pieces,
) {
    let arrays = arrays(mesh, columns, element);
    if arrays.is_empty() {
        return;
    }
    let (section, n) = match element {
        ElementKind::Vertex => ("POINT_DATA", mesh.vertex_count()),
        _ => ("CELL_DATA", mesh.element_count()),
    };
    pieces.push(format!("\n{section} {n}\n").into_bytes());
    let vertex = element == ElementKind::Vertex;
    let is_attribute =
        |a: &NamedArray<'_>| vertex && matches!(a.role, Role::Normals | Role::Texcoords);
    let (attributes, fields): (Vec<_>, Vec<_>) = arrays.into_iter().partition(is_attribute);
    for a in &attributes {
        let kind = name(scalar_of(&a.data));
        let head = match a.role {
            Role::Normals => format!("NORMALS {} {kind}\n", a.name),
            _ => format!("TEXTURE_COORDINATES {} {} {kind}\n", a.name, a.width),
        };
        pieces.push(head.into_bytes());
        values(a, n, ascii, pieces);
    }
    if fields.is_empty() {
        return;
    }
    pieces.push(format!("FIELD FieldData {}\n", fields.len()).into_bytes());
    for a in &fields {
        let kind = name(scalar_of(&a.data));
        pieces.push(format!("{} {} {n} {kind}\n", encoded(a.name), a.width).into_bytes());
        values(a, n, ascii, pieces);
    }
}

/// Writes the `n` rows of an array.
fn values(a: &NamedArray<'_>, n: usize, ascii: bool, pieces: &mut Pieces) {
    if !ascii {
        pieces.push(bytes_of(&a.data, ByteOrder::Big));
        pieces.push(b"\n".to_vec());
        return;
    }
    rows(0, n, pieces, |line, i| {
        for k in i * a.width..(i + 1) * a.width {
            line.value(&a.data, k);
            line.put(b" ");
        }
        line.end();
    });
}

/// Returns a name as VTK writes it: bytes that are no visible ASCII, quotes and percent signs as `%` and two digits.
fn encoded(name: &str) -> String {
    let byte = |b: &u8| match b {
        b'"' | b'%' => format!("%{b:02X}"),
        b'!'..=b'~' => char::from(*b).to_string(),
        _ => format!("%{b:02X}"),
    };
    bytes_of_name(name).iter().map(byte).collect()
}

fn name(scalar: NumberType) -> &'static str {
    match scalar {
        NumberType::I8 => "char",
        NumberType::U8 => "unsigned_char",
        NumberType::I16 => "short",
        NumberType::U16 => "unsigned_short",
        NumberType::I32 => "int",
        NumberType::U32 => "unsigned_int",
        NumberType::I64 => "long",
        NumberType::U64 => "unsigned_long",
        NumberType::F32 => "float",
        NumberType::F64 => "double",
    }
}
