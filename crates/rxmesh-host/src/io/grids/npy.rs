//! NPY, NumPy's format of one array (versions 1 to 3 of numpy/lib/format.py): a header in Python's syntax, then the
//! numbers.

use super::{GridFormat, warn_of_others};
use crate::grid::{self, Grid, reversed};
use crate::io::Pieces;
use crate::io::error::Fault;
use crate::io::numbers::{ByteOrder, NumberType, Numbers, bytes_of, scalar_of};
use crate::io::scan::quote;
use crate::mesh::{Column, ColumnData, ElementKind};
use glam::DVec3;

/// Bytes that every file begins with.
pub(super) const MAGIC: &[u8] = b"\x93NUMPY";
/// Bytes that the numbers of a file are aligned to.
const ALIGNMENT: usize = 64;

/// Type of the numbers of an array.
#[derive(Clone, Copy)]
enum ElementType {
    Bool,
    Half,
    Number(NumberType),
}

/// Header of a file.
struct NpyHeader {
    element: ElementType,
    order: ByteOrder,
    /// `true` if the first axis is the fastest.
    fortran: bool,
    shape: Vec<u64>,
    /// Place of the numbers.
    data: usize,
}

/// Reads a file. Returns the grid and warnings.
pub(super) fn read(bytes: &[u8]) -> Result<(Grid, Vec<String>), Fault> {
    let header = header(bytes)?;
    let [x, y, z] = header.shape[..] else {
        return Err(Fault::byte(
            0,
            format!(
                "the array has the shape {}: a grid has 3 axes, x, y and z",
                shown(&header.shape)
            ),
        ));
    };
    let count = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let counts = [count(x), count(y), count(z)];
    let points = grid::points(counts).map_err(|e| Fault::byte(0, e.to_string()))?;
    let (scalar, size) = match header.element {
        ElementType::Bool => (NumberType::U8, 1),
        ElementType::Half => (NumberType::U16, 2),
        ElementType::Number(scalar) => (scalar, scalar.size()),
    };
    let left = bytes.len() - header.data;
    let Some(size) = points.checked_mul(size).filter(|size| *size <= left) else {
        return Err(Fault::byte(
            header.data,
            format!(
                "an array of the shape {} has more numbers than the {left} bytes that are left: the file is cut off",
                shown(&header.shape)
            ),
        ));
    };
    let mut warnings = Vec::new();
    if left > size {
        let more = left - size;
        warnings.push(format!("{more} bytes after the array are not read"));
    }
    let data = &bytes[header.data..header.data + size];
    let numbers = Numbers::of_bytes(scalar, data, header.order).into_column();
    let data = match (header.element, numbers) {
        (ElementType::Half, Some(ColumnData::U16(halves))) => {
            ColumnData::F32(halves.into_iter().map(of_half).collect())
        }
        (ElementType::Bool, Some(ColumnData::U8(mut flags))) => {
            flags
                .iter_mut()
                .for_each(|flag| *flag = u8::from(*flag != 0));
            ColumnData::U8(flags)
        }
        (_, Some(data)) => data,
        (_, None) => {
            let what = "whole numbers of the array have more digits than 64-bit floats hold";
            return Err(Fault::byte(header.data, what));
        }
    };
    let data = match header.fortran {
        true => data,
        false => {
            let [x, y, z] = counts.map(|n| n as usize);
            reversed(&data, [z, y, x])
        }
    };
    let mut grid =
        Grid::new(counts, DVec3::ZERO, DVec3::ONE).map_err(|e| Fault::byte(0, e.to_string()))?;
    grid.columns.push(Column {
        name: "values".to_owned(),
        element: ElementKind::Vertex,
        width: 1,
        data,
    });
    Ok((grid, warnings))
}

fn header(bytes: &[u8]) -> Result<NpyHeader, Fault> {
    let cut = || Fault::byte(bytes.len(), "the header is cut off");
    if !bytes.starts_with(MAGIC) {
        return Err(Fault::byte(0, "the file does not begin as NPY does"));
    }
    let [major, _] = *bytes.get(6..8).ok_or_else(cut)? else {
        return Err(cut());
    };
    let (start, length): (usize, usize) = match (major, bytes.get(8..)) {
        (1, Some([a, b, ..])) => (10, usize::from(u16::from_le_bytes([*a, *b]))),
        (2 | 3, Some([a, b, c, d, ..])) => (12, u32::from_le_bytes([*a, *b, *c, *d]) as usize),
        (1..=3, _) => return Err(cut()),
        _ => {
            let what = format!("version {major} of NPY is not read, only 1, 2 and 3");
            return Err(Fault::byte(6, what));
        }
    };
    let data = start.saturating_add(length);
    let text = bytes.get(start..data).ok_or_else(cut)?;
    let mut literal = Literal {
        text,
        pos: 0,
        base: start,
    };
    let (mut descr, mut fortran, mut shape) = (None, None, None);
    literal.expect(b'{')?;
    while !literal.takes(b'}') {
        let (at, key) = literal.string()?;
        literal.expect(b':')?;
        match key {
            b"descr" => descr = Some(literal.descr()?),
            b"fortran_order" => fortran = Some(literal.boolean()?),
            b"shape" => shape = Some(literal.shape()?),
            _ => {
                let what = format!("{} is no key of a header of NPY", quote(key));
                return Err(Fault::byte(at, what));
            }
        }
        if !literal.takes(b',') {
            literal.expect(b'}')?;
            break;
        }
    }
    let missing = |key: &str| Fault::byte(start, format!("the header has no '{key}'"));
    let (order, element) = descr.ok_or_else(|| missing("descr"))?;
    Ok(NpyHeader {
        element,
        order,
        fortran: fortran.ok_or_else(|| missing("fortran_order"))?,
        shape: shape.ok_or_else(|| missing("shape"))?,
        data,
    })
}

/// A literal of Python: the parts of the syntax that headers use.
struct Literal<'a> {
    text: &'a [u8],
    pos: usize,
    /// Place of the text in the file.
    base: usize,
}

impl<'a> Literal<'a> {
    fn fault(&self, what: impl Into<String>) -> Fault {
        Fault::byte(self.base + self.pos, what)
    }

    /// Skips space. Returns the rest.
    fn rest(&mut self) -> &'a [u8] {
        let rest = &self.text[self.pos..];
        let space = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        self.pos += space;
        &self.text[self.pos..]
    }

    /// Passes over a character, if it is the next one.
    fn takes(&mut self, c: u8) -> bool {
        let is_next = self.rest().first() == Some(&c);
        self.pos += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, c: u8) -> Result<(), Fault> {
        match self.takes(c) {
            true => Ok(()),
            false => Err(self.fault(format!("'{}' expected in the header", char::from(c)))),
        }
    }

    /// Reads a string without escapes. Returns its place, too.
    fn string(&mut self) -> Result<(usize, &'a [u8]), Fault> {
        let rest = self.rest();
        let at = self.base + self.pos;
        let inner = match rest {
            [mark @ (b'\'' | b'"'), inner @ ..] => {
                let end = inner.iter().position(|c| c == mark);
                end.map(|end| &inner[..end])
            }
            _ => None,
        };
        let inner = inner.ok_or_else(|| self.fault("a string expected in the header"))?;
        self.pos += inner.len() + 2;
        Ok((at, inner))
    }

    fn word(&mut self) -> &'a [u8] {
        let rest = self.rest();
        let length = rest
            .iter()
            .take_while(|b| b.is_ascii_alphanumeric())
            .count();
        self.pos += length;
        &rest[..length]
    }

    fn boolean(&mut self) -> Result<bool, Fault> {
        match self.word() {
            b"True" => Ok(true),
            b"False" => Ok(false),
            word => Err(self.fault(format!("True or False expected, not {}", quote(word)))),
        }
    }

    /// Reads a tuple of whole numbers.
    fn shape(&mut self) -> Result<Vec<u64>, Fault> {
        self.expect(b'(')?;
        let mut shape = Vec::new();
        while !self.takes(b')') {
            let word = self.word();
            // Python 2 wrote an L after long numbers.
            let digits = word.strip_suffix(b"L").unwrap_or(word);
            let number = std::str::from_utf8(digits)
                .ok()
                .and_then(|w| w.parse().ok());
            shape.push(number.ok_or_else(|| {
                self.fault(format!(
                    "a whole number expected in the shape, not {}",
                    quote(word)
                ))
            })?);
            if !self.takes(b',') {
                self.expect(b')')?;
                break;
            }
        }
        Ok(shape)
    }

    /// Reads the type of the numbers.
    fn descr(&mut self) -> Result<(ByteOrder, ElementType), Fault> {
        if self.rest().first() == Some(&b'[') {
            return Err(self.fault("the array has fields: only numbers of one type are read"));
        }
        let (at, name) = self.string()?;
        let (order, kind) = match name {
            [b'>', kind @ ..] => (ByteOrder::Big, kind),
            [b'<' | b'|' | b'=', kind @ ..] => (ByteOrder::Little, kind),
            kind => (ByteOrder::Little, kind),
        };
        let element = match kind {
            b"b1" | b"?" => ElementType::Bool,
            b"f2" => ElementType::Half,
            b"i1" => ElementType::Number(NumberType::I8),
            b"u1" => ElementType::Number(NumberType::U8),
            b"i2" => ElementType::Number(NumberType::I16),
            b"u2" => ElementType::Number(NumberType::U16),
            b"i4" => ElementType::Number(NumberType::I32),
            b"u4" => ElementType::Number(NumberType::U32),
            b"i8" => ElementType::Number(NumberType::I64),
            b"u8" => ElementType::Number(NumberType::U64),
            b"f4" => ElementType::Number(NumberType::F32),
            b"f8" => ElementType::Number(NumberType::F64),
            _ => {
                let what = format!(
                    "arrays of the type {} are not read, only of b1, i1 to i8, u1 to u8 and f2 to f8",
                    quote(name)
                );
                return Err(Fault::byte(at, what));
            }
        };
        Ok((order, element))
    }
}

/// Returns the value of a float of 16 bits (IEEE 754).
fn of_half(bits: u16) -> f32 {
    let sign = if bits & 0x8000 == 0 { 1.0 } else { -1.0 };
    let fraction = f32::from(bits & 0x3FF);
    let magnitude = match bits >> 10 & 0x1F {
        0 => fraction * 2.0f32.powi(-24),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        exponent => (1.0 + fraction / 1024.0) * 2.0f32.powi(i32::from(exponent) - 15),
    };
    sign * magnitude
}

fn shown(shape: &[u64]) -> String {
    let mut all: Vec<String> = shape.iter().take(8).map(u64::to_string).collect();
    if shape.len() > all.len() {
        all.push("...".into());
    }
    format!("({})", all.join(", "))
}

/// Writes the first column of one value a point, in C order with the axes x, y and z.
pub(super) fn write(grid: &Grid, warnings: &mut Vec<String>) -> Result<Pieces, String> {
    let column = grid.scalar(None).map_err(|e| e.to_string())?;
    warn_of_others(grid, &column.name, GridFormat::Npy, warnings);
    let kind = match scalar_of(&column.data) {
        NumberType::I8 => "|i1",
        NumberType::U8 => "|u1",
        NumberType::I16 => "<i2",
        NumberType::U16 => "<u2",
        NumberType::I32 => "<i4",
        NumberType::U32 => "<u4",
        NumberType::I64 => "<i8",
        NumberType::U64 => "<u8",
        NumberType::F32 => "<f4",
        NumberType::F64 => "<f8",
    };
    let [x, y, z] = grid.counts;
    let mut text =
        format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': ({x}, {y}, {z}), }}");
    let before = MAGIC.len() + 4;
    let whole = (before + text.len() + 1).next_multiple_of(ALIGNMENT);
    text += &" ".repeat(whole - before - text.len() - 1);
    text.push('\n');
    let length = u16::try_from(text.len()).map_err(|e| e.to_string())?;
    let head = [MAGIC, &[1, 0], &length.to_le_bytes(), text.as_bytes()].concat();
    let values = grid.in_c_order(column).map_err(|e| e.to_string())?;
    Ok(vec![head, bytes_of(&values, ByteOrder::Little)])
}
