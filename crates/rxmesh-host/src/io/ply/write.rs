//! Writes PLY.

use super::super::soup::{self, written_sharpness};
use super::super::text::{LineBuffer, rows};
use super::super::{Encoding, MeshRef, Pieces};
use super::header::ScalarType;
use crate::mesh::{
    COLOR, Column, ColumnData, CoordinateText, CornerLayer, ElementKind, NO_VALUE, NORMAL,
    SHARPNESS, bytes_of_name, each_type, shown_name,
};
use std::ops::Range;

pub(in crate::io) fn write(
    mesh: MeshRef<'_>,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let marks = match mesh {
        MeshRef::Triangles(_) => Vec::new(),
        MeshRef::Polygons(mesh) => mesh.mark_columns(),
    };
    let extras = mesh.extras();
    let all = || marks.iter().chain(&extras.columns);
    let vertex = columns(all(), ElementKind::Vertex, warnings);
    let face = columns(all(), ElementKind::Face, warnings);
    let texcoords = extras.corner_texcoords.as_ref();
    if texcoords.is_some_and(|t| t.width == 3) {
        warnings.push("PLY holds two texture coordinates a corner; the third is left out".into());
    }
    soup::warn_of_layers("PLY", extras, false, warnings);
    let counts = [1, 2].map(|values| Count::of(values * mesh.largest_face()));
    let lists = (counts[0], texcoords.map(|_| counts[1]));
    let mut pieces = vec![header(mesh, encoding, &vertex, &face, lists)];
    let put = |line: &mut LineBuffer, column: &Column, row: usize| {
        let width = column.width;
        (row * width..(row + 1) * width).for_each(|i| put_value(line, &column.data, i, encoding));
    };
    let digits = (encoding == Encoding::Ascii).then(|| mesh.coordinate_text());
    rows(0, mesh.vertex_count(), &mut pieces, |line, v| {
        put_point(line, mesh, v, digits.as_ref(), encoding);
        vertex.iter().for_each(|c| put(line, c, v));
        end(line, encoding);
    });
    rows(0, mesh.face_count(), &mut pieces, |line, f| {
        let corners = mesh.face(f);
        counts[0].put(line, corners.len(), encoding);
        corners.iter().for_each(|&v| put_u32(line, v, encoding));
        texcoords
            .iter()
            .for_each(|t| put_texcoords(line, t, mesh.range(f), counts[1], encoding));
        face.iter().for_each(|c| put(line, c, f));
        end(line, encoding);
    });
    rows(0, mesh.sharp_edges().len(), &mut pieces, |line, i| {
        let edge = mesh.sharp_edges()[i];
        edge.ends.iter().for_each(|&v| put_u32(line, v, encoding));
        put_f32(line, written_sharpness(edge.sharpness), encoding);
        end(line, encoding);
    });
    pieces
}

/// Type of a list's length.
#[derive(Clone, Copy)]
enum Count {
    Byte,
    Word,
}

impl Count {
    /// Returns the type of counts for lists of at most `longest` values. Most readers know bytes only.
    fn of(longest: usize) -> Count {
        match u8::try_from(longest) {
            Ok(_) => Count::Byte,
            Err(_) => Count::Word,
        }
    }

    fn scalar(self) -> ScalarType {
        match self {
            Count::Byte => ScalarType::UChar,
            Count::Word => ScalarType::UInt,
        }
    }

    fn put(self, line: &mut LineBuffer, n: usize, encoding: Encoding) {
        match self {
            Count::Byte => put_u8(line, n as u8, encoding),
            Count::Word => put_u32(line, n as u32, encoding),
        }
    }
}

/// Returns the columns of one element, without those whose properties would occur twice.
fn columns<'a>(
    all: impl Iterator<Item = &'a Column>,
    element: ElementKind,
    warnings: &mut Vec<String>,
) -> Vec<&'a Column> {
    let mut taken = Vec::new();
    let mut kept = Vec::new();
    for c in all.filter(|c| c.element == element) {
        let names = names(c);
        match names.iter().find(|n| taken.contains(*n)) {
            Some(n) => warnings.push(format!(
                "{element} column '{}' is left out: there is a property '{}' already",
                shown_name(&c.name),
                shown_name(n)
            )),
            None => {
                taken.extend(names);
                kept.push(c);
            }
        }
    }
    kept
}

/// Returns the properties that a column becomes.
fn names(c: &Column) -> Vec<String> {
    let known: &[&str] = match (c.name.as_str(), c.width) {
        (NORMAL, 3) => &["nx", "ny", "nz"],
        (COLOR, 3) => &["red", "green", "blue"],
        (COLOR, 4) => &["red", "green", "blue", "alpha"],
        (_, 1) => return vec![c.name.clone()],
        (_, n) => return (0..n).map(|k| format!("{}_{k}", c.name)).collect(),
    };
    known.iter().map(|n| (*n).to_owned()).collect()
}

fn header(
    mesh: MeshRef<'_>,
    encoding: Encoding,
    vertex: &[&Column],
    face: &[&Column],
    lists: (Count, Option<Count>),
) -> Vec<u8> {
    let encoding = match encoding {
        Encoding::Ascii => "ascii",
        Encoding::BinaryBigEndian => "binary_big_endian",
        _ => "binary_little_endian",
    };
    let mut out = format!("ply\nformat {encoding} 1.0\n").into_bytes();
    for comment in &mesh.extras().comments {
        let line = [b"comment ", &*bytes_of_name(comment)].concat();
        out.extend([line.trim_ascii_end(), b"\n"].concat());
    }
    let element = |out: &mut Vec<u8>, name: &str, n: usize| {
        out.extend(format!("element {name} {n}\n").into_bytes());
    };
    let scalar = |out: &mut Vec<u8>, name: &str, t: ScalarType| {
        out.extend(format!("property {} ", t.name()).as_bytes());
        out.extend_from_slice(&bytes_of_name(name));
        out.push(b'\n');
    };
    let list = |out: &mut Vec<u8>, name: &str, count: Count, t: ScalarType| {
        let count = count.scalar().name();
        out.extend(format!("property list {count} {} {name}\n", t.name()).into_bytes());
    };
    let columns = |out: &mut Vec<u8>, columns: &[&Column]| {
        for c in columns {
            let t = scalar_type(&c.data);
            names(c).iter().for_each(|name| scalar(out, name, t));
        }
    };
    element(&mut out, "vertex", mesh.vertex_count());
    for axis in ["x", "y", "z"] {
        scalar(&mut out, axis, coordinate_type(mesh));
    }
    columns(&mut out, vertex);
    element(&mut out, "face", mesh.face_count());
    // Most readers know signed indices only.
    let index = if mesh.vertex_count() <= i32::MAX as usize {
        ScalarType::Int
    } else {
        ScalarType::UInt
    };
    list(&mut out, "vertex_indices", lists.0, index);
    if let Some(count) = lists.1 {
        list(&mut out, "texcoord", count, ScalarType::Float);
    }
    columns(&mut out, face);
    if !mesh.sharp_edges().is_empty() {
        element(&mut out, "edge", mesh.sharp_edges().len());
        scalar(&mut out, "vertex1", index);
        scalar(&mut out, "vertex2", index);
        scalar(&mut out, SHARPNESS, ScalarType::Float);
    }
    out.extend(b"end_header\n");
    out
}

/// Returns the type of coordinates: 64 bits for positions that 32 do not hold in the world.
fn coordinate_type(mesh: MeshRef<'_>) -> ScalarType {
    match mesh.placement().is_world() {
        true => ScalarType::Float,
        false => ScalarType::Double,
    }
}

/// Writes the coordinates of a vertex: in text with these digits.
fn put_point(
    line: &mut LineBuffer,
    mesh: MeshRef<'_>,
    v: usize,
    digits: Option<&CoordinateText>,
    encoding: Encoding,
) {
    let (placement, p) = (mesh.placement(), mesh.positions()[v]);
    if let Some(digits) = digits {
        line.point(digits, p);
        line.put(b" ");
    } else if placement.is_world() {
        let floats = p.to_array();
        floats.iter().for_each(|&x| put_f32(line, x, encoding));
    } else {
        let doubles = placement.world(p).to_array();
        doubles.iter().for_each(|&x| put_f64(line, x, encoding));
    }
}

fn scalar_type(data: &ColumnData) -> ScalarType {
    match data {
        ColumnData::I8(_) => ScalarType::Char,
        ColumnData::U8(_) => ScalarType::UChar,
        ColumnData::I16(_) => ScalarType::Short,
        ColumnData::U16(_) => ScalarType::UShort,
        ColumnData::I32(_) => ScalarType::Int,
        ColumnData::U32(_) => ScalarType::UInt,
        ColumnData::F32(_) => ScalarType::Float,
        ColumnData::F64(_) => ScalarType::Double,
    }
}

fn put_texcoords(
    line: &mut LineBuffer,
    layer: &CornerLayer,
    face: Range<usize>,
    count: Count,
    encoding: Encoding,
) {
    let corners = &layer.corners[face];
    if corners.iter().all(|&c| c == NO_VALUE) {
        return count.put(line, 0, encoding);
    }
    count.put(line, 2 * corners.len(), encoding);
    for &c in corners {
        for k in 0..2 {
            let x = if c == NO_VALUE {
                0.0
            } else {
                layer.values[layer.width * c as usize + k]
            };
            put_f32(line, x, encoding);
        }
    }
}

/// Writes a number as text or as bytes.
macro_rules! put {
    ($name:ident, $t:ty, $text:ident) => {
        fn $name(line: &mut LineBuffer, x: $t, encoding: Encoding) {
            match encoding {
                Encoding::Ascii => {
                    line.$text(x);
                    line.put(b" ");
                }
                Encoding::BinaryBigEndian => line.put(&x.to_be_bytes()),
                _ => line.put(&x.to_le_bytes()),
            }
        }
    };
}
put!(put_u8, u8, int);
put!(put_u32, u32, int);
put!(put_f32, f32, float);
put!(put_f64, f64, double);

fn put_value(line: &mut LineBuffer, data: &ColumnData, i: usize, encoding: Encoding) {
    match (encoding, data) {
        (Encoding::BinaryBigEndian, _) => each_type!(data, v => line.put(&v[i].to_be_bytes())),
        (Encoding::Ascii, ColumnData::F32(v)) => put_f32(line, v[i], encoding),
        (Encoding::Ascii, ColumnData::F64(v)) => put_f64(line, v[i], encoding),
        (Encoding::Ascii, _) => {
            line.int(data.get(i) as i64);
            line.put(b" ");
        }
        _ => each_type!(data, v => line.put(&v[i].to_le_bytes())),
    }
}

fn end(line: &mut LineBuffer, encoding: Encoding) {
    if encoding == Encoding::Ascii {
        line.end();
    }
}
