//! Writing VTK's legacy format, version 3.0: what every program that knows VTK reads.

use super::super::names;
use super::super::numbers::{Order, Scalar, bytes_of, scalar_of};
use super::super::text::rows;
use super::super::{Encoding, Pieces};
use super::cells::TETRAHEDRON;
use crate::mesh::{ColumnData, ElementKind, TetMesh, bytes_of_name};

/// The longest title that the format allows.
const TITLE: usize = 255;

pub(in super::super) fn write(
    mesh: &TetMesh,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let ascii = encoding == Encoding::Ascii;
    let title = mesh.extras.comments.first().map_or("", |c| c.as_str());
    let title = names::to_bytes(title);
    let title = names::cut(&title, TITLE);
    let lost = mesh.extras.comments.len().saturating_sub(1);
    if lost > 0 {
        warnings.push(format!(
            "VTK holds one line of comments: {lost} are not kept"
        ));
    }
    let kind = if ascii { "ASCII" } else { "BINARY" };
    let (vertices, cells) = (mesh.vertex_count(), mesh.cell_count());
    let double = !mesh.placement.is_world();
    let real = if double { "double" } else { "float" };
    let mut pieces = Pieces::new();
    let text = |pieces: &mut Pieces, text: String| pieces.push(text.into_bytes());
    pieces.push([b"# vtk DataFile Version 3.0\n", title].concat());
    text(
        &mut pieces,
        format!("\n{kind}\nDATASET UNSTRUCTURED_GRID\nPOINTS {vertices} {real}\n"),
    );
    if ascii {
        rows(0, vertices, &mut pieces, |line, v| {
            line.point(&mesh.placement, mesh.positions[v]);
            line.end();
        });
    } else {
        pieces.push(bytes_of(&coordinates(mesh), Order::Big));
    }
    text(&mut pieces, format!("\nCELLS {cells} {}\n", 5 * cells));
    if ascii {
        rows(0, cells, &mut pieces, |line, c| {
            line.put(b"4");
            for v in mesh.cells[c] {
                line.put(b" ");
                line.int(v);
            }
            line.end();
        });
    } else {
        let all = mesh.cells.iter().flat_map(|c| [4, c[0], c[1], c[2], c[3]]);
        pieces.push(all.flat_map(u32::to_be_bytes).collect());
    }
    text(&mut pieces, format!("\nCELL_TYPES {cells}\n"));
    let number = u32::from(TETRAHEDRON);
    pieces.push(match ascii {
        true => format!("{number}\n").repeat(cells).into_bytes(),
        false => number.to_be_bytes().repeat(cells),
    });
    columns(mesh, ElementKind::Vertex, ascii, &mut pieces);
    columns(mesh, ElementKind::Cell, ascii, &mut pieces);
    pieces
}

/// Positions in the world, of 32 bits where these hold them.
pub(in super::super) fn coordinates(mesh: &TetMesh) -> ColumnData {
    let positions = mesh.positions.iter();
    match mesh.placement.is_world() {
        true => ColumnData::F32(positions.flat_map(|p| p.to_array()).collect()),
        false => ColumnData::F64(positions.flat_map(|&p| mesh.placement.digits(p)).collect()),
    }
}

fn columns(mesh: &TetMesh, element: ElementKind, ascii: bool, pieces: &mut Pieces) {
    let all = mesh.extras.columns.iter();
    let columns: Vec<_> = all.filter(|c| c.element == element).collect();
    if columns.is_empty() {
        return;
    }
    let (section, n) = match element {
        ElementKind::Vertex => ("POINT_DATA", mesh.vertex_count()),
        _ => ("CELL_DATA", mesh.cell_count()),
    };
    let head = format!("\n{section} {n}\nFIELD FieldData {}\n", columns.len());
    pieces.push(head.into_bytes());
    for c in columns {
        let (width, kind) = (c.width, name(scalar_of(&c.data)));
        pieces.push(format!("{} {width} {n} {kind}\n", encoded(&c.name)).into_bytes());
        if !ascii {
            pieces.push(bytes_of(&c.data, Order::Big));
            pieces.push(b"\n".to_vec());
            continue;
        }
        rows(0, n, pieces, |line, i| {
            for k in i * width..(i + 1) * width {
                line.value(&c.data, k);
                line.put(b" ");
            }
            line.end();
        });
    }
}

/// A name as VTK writes it: bytes that are no visible ASCII, quotes and percent signs as `%` and two digits.
fn encoded(name: &str) -> String {
    let byte = |b: &u8| match b {
        b'"' | b'%' => format!("%{b:02X}"),
        b'!'..=b'~' => char::from(*b).to_string(),
        _ => format!("%{b:02X}"),
    };
    bytes_of_name(name).iter().map(byte).collect()
}

fn name(scalar: Scalar) -> &'static str {
    match scalar {
        Scalar::I8 => "char",
        Scalar::U8 => "unsigned_char",
        Scalar::I16 => "short",
        Scalar::U16 => "unsigned_short",
        Scalar::I32 => "int",
        Scalar::U32 => "unsigned_int",
        Scalar::I64 => "long",
        Scalar::U64 => "unsigned_long",
        Scalar::F32 => "float",
        Scalar::F64 => "double",
    }
}
