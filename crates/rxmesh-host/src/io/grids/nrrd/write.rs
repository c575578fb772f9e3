//! Writing NRRD.

use super::super::{GridFormat, warn_of_others};
use crate::grid::Grid;
use crate::io::numbers::{ByteOrder, NumberType, bytes_of, scalar_of};
use crate::io::text::rows;
use crate::io::{Encoding, Pieces};

/// Writes one column: the first of one value a point, else the first.
pub(in super::super) fn write(
    grid: &Grid,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Result<Pieces, String> {
    let column = match (grid.scalar(None), grid.columns.first()) {
        (Ok(column), _) | (Err(_), Some(column)) => column,
        (Err(e), None) => return Err(e.to_string()),
    };
    warn_of_others(grid, &column.name, GridFormat::Nrrd, warnings);
    let kind = match scalar_of(&column.data) {
        NumberType::I8 => "int8",
        NumberType::U8 => "uint8",
        NumberType::I16 => "int16",
        NumberType::U16 => "uint16",
        NumberType::I32 => "int32",
        NumberType::U32 => "uint32",
        NumberType::I64 => "int64",
        NumberType::U64 => "uint64",
        NumberType::F32 => "float",
        NumberType::F64 => "double",
    };
    let ([x, y, z], width) = (grid.counts, column.width);
    let (o, s) = (grid.origin, grid.spacing);
    let directions = format!("({:?},0,0) (0,{:?},0) (0,0,{:?})", s.x, s.y, s.z);
    let (sizes, kinds, directions) = match width {
        1 => (format!("{x} {y} {z}"), "domain domain domain", directions),
        _ => (
            format!("{width} {x} {y} {z}"),
            "vector domain domain domain",
            format!("none {directions}"),
        ),
    };
    let dimension = if width == 1 { 3 } else { 4 };
    let text = encoding == Encoding::Ascii;
    let (word, endian) = match text {
        true => ("ascii", ""),
        false => ("raw", "endian: little\n"),
    };
    let one_word = |name: &&str| !name.contains(|c: char| c.is_whitespace() || c.is_control());
    let content = Some(&column.name[..]).filter(one_word);
    let content = content.map_or(String::new(), |name| format!("content: {name}\n"));
    let header = format!(
        "NRRD0004\n{content}type: {kind}\ndimension: {dimension}\nspace dimension: 3\nsizes: {sizes}\n\
            kinds: {kinds}\nspace directions: {directions}\nspace origin: ({:?},{:?},{:?})\nencoding: {word}\n\
            {endian}\n",
        o.x, o.y, o.z
    );
    let mut pieces = vec![header.into_bytes()];
    if !text {
        pieces.push(bytes_of(&column.data, ByteOrder::Little));
        return Ok(pieces);
    }
    // A line for each row of points along x.
    let row = x as usize * width;
    rows(0, column.data.len() / row, &mut pieces, |line, i| {
        for k in i * row..(i + 1) * row {
            line.value(&column.data, k);
            line.put(b" ");
        }
        line.end();
    });
    Ok(pieces)
}
