//! Values of a PLY body, one after the other, from text or binary.

use super::super::error::Fault;
use super::super::points::{Coordinate, Points, Refused};
use super::super::scan::{Lines, Words, number, quote};
use super::header::{Encoding, size};
use ply_rs_bw::ply::ScalarType;

/// Where values come from. Rows matter only in text, where each has its own line.
pub(super) trait Source {
    fn begin_row(&mut self, element: &str, row: usize) -> Result<(), Fault>;
    /// The next value; doubles hold every type of PLY exactly.
    fn value(&mut self, t: &ScalarType, name: &str) -> Result<f64, Fault>;
    /// The next value as a coordinate. Text may have more digits than the type that the header gives it.
    fn coordinate(
        &mut self,
        t: &ScalarType,
        name: &str,
        points: &mut Points,
    ) -> Result<Result<Coordinate, Refused>, Fault> {
        Ok(points.take(self.value(t, name)?))
    }
    fn end_row(&mut self) -> Result<(), Fault>;
    /// Offset of the next value.
    fn offset(&self) -> usize;
    fn fault(&self, at: usize, what: String) -> Fault;
    /// Bytes left, as a bound for what a list can hold.
    fn left(&self) -> usize;
    /// Whether nothing comes behind the last row.
    fn is_over(&mut self) -> bool;
}

pub(super) struct Text<'a> {
    bytes: &'a [u8],
    lines: Lines<'a>,
    words: Words<'a>,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], body: usize) -> Text<'a> {
        Text {
            bytes,
            lines: Lines::new(&bytes[body..], body),
            words: Words::new(&[], body),
        }
    }

    fn word(&mut self, name: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.words.offset();
        let ends = || {
            Fault::text(
                end,
                format!("property '{name}' expected, but the line ends"),
            )
        };
        self.words.next_at().ok_or_else(ends)
    }
}

impl Source for Text<'_> {
    fn begin_row(&mut self, element: &str, row: usize) -> Result<(), Fault> {
        match self.lines.next_words() {
            Some(words) => {
                self.words = words;
                Ok(())
            }
            None => Err(Fault::text(
                self.bytes.len(),
                format!("the file ends before {element} {row} (counted from 0)"),
            )),
        }
    }

    fn coordinate(
        &mut self,
        t: &ScalarType,
        name: &str,
        points: &mut Points,
    ) -> Result<Result<Coordinate, Refused>, Fault> {
        match t {
            ScalarType::Float | ScalarType::Double => Ok(points.parse(self.word(name)?.1)),
            _ => Ok(points.take(self.value(t, name)?)),
        }
    }

    fn value(&mut self, t: &ScalarType, name: &str) -> Result<f64, Fault> {
        let (at, word) = self.word(name)?;
        let bad = || {
            Fault::text(
                at,
                format!("property '{name}': {} is not {}", quote(word), range(t)),
            )
        };
        let text = std::str::from_utf8(word).map_err(|_| bad())?;
        match t {
            // As f32 at once: see `scan::number`. NaN is a value here; positions refuse it later.
            ScalarType::Float => text.parse::<f32>().map(f64::from).map_err(|_| bad()),
            ScalarType::Double => text.parse::<f64>().map_err(|_| bad()),
            _ => {
                // Some writers print integers as floats.
                let n = text
                    .parse::<i64>()
                    .map(|n| n as f64)
                    .or_else(|_| number(word, at).map(f64::from));
                n.ok().filter(|n| fits(*n, t)).ok_or_else(bad)
            }
        }
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        match self.words.next_at() {
            None => Ok(()),
            Some((at, word)) => Err(Fault::text(
                at,
                format!("{} is one value too many on this line", quote(word)),
            )),
        }
    }

    fn offset(&self) -> usize {
        self.words.offset()
    }

    fn fault(&self, at: usize, what: String) -> Fault {
        Fault::text(at, what)
    }

    fn left(&self) -> usize {
        self.bytes.len().saturating_sub(self.words.offset())
    }

    fn is_over(&mut self) -> bool {
        self.lines.next_words().is_none()
    }
}

fn range(t: &ScalarType) -> &'static str {
    match t {
        ScalarType::Char => "a whole number from -128 to 127",
        ScalarType::UChar => "a whole number from 0 to 255",
        ScalarType::Short => "a whole number from -32768 to 32767",
        ScalarType::UShort => "a whole number from 0 to 65535",
        ScalarType::Int => "a whole number from -2147483648 to 2147483647",
        ScalarType::UInt => "a whole number from 0 to 4294967295",
        ScalarType::Float | ScalarType::Double => "a number",
    }
}

fn fits(n: f64, t: &ScalarType) -> bool {
    let (low, high) = match t {
        ScalarType::Char => (-128.0, 127.0),
        ScalarType::UChar => (0.0, 255.0),
        ScalarType::Short => (-32768.0, 32767.0),
        ScalarType::UShort => (0.0, 65535.0),
        ScalarType::Int => (-2147483648.0, 2147483647.0),
        _ => (0.0, 4294967295.0),
    };
    n.fract() == 0.0 && (low..=high).contains(&n)
}

pub(super) struct Binary<'a> {
    bytes: &'a [u8],
    pos: usize,
    big: bool,
}

impl<'a> Binary<'a> {
    pub(super) fn new(bytes: &'a [u8], body: usize, encoding: Encoding) -> Binary<'a> {
        Binary {
            bytes,
            pos: body,
            big: encoding == Encoding::BinaryBigEndian,
        }
    }

    #[inline]
    fn take<const N: usize>(&mut self, name: &str) -> Result<[u8; N], Fault> {
        match self.bytes[self.pos..].first_chunk::<N>() {
            Some(&raw) => {
                self.pos += N;
                Ok(raw)
            }
            None => Err(Fault::byte(
                self.bytes.len(),
                format!(
                    "the file ends within property '{name}', which begins at byte {}",
                    self.pos
                ),
            )),
        }
    }
}

impl Source for Binary<'_> {
    #[inline]
    fn begin_row(&mut self, element: &str, row: usize) -> Result<(), Fault> {
        if self.pos >= self.bytes.len() {
            return Err(Fault::byte(
                self.pos,
                format!("the file ends before {element} {row} (counted from 0)"),
            ));
        }
        Ok(())
    }

    #[inline]
    fn value(&mut self, t: &ScalarType, name: &str) -> Result<f64, Fault> {
        macro_rules! get {
            ($t:ty) => {{
                const N: usize = size_of::<$t>();
                let raw: [u8; N] = self.take::<N>(name)?;
                f64::from(if self.big {
                    <$t>::from_be_bytes(raw)
                } else {
                    <$t>::from_le_bytes(raw)
                })
            }};
        }
        Ok(match t {
            ScalarType::Char => get!(i8),
            ScalarType::UChar => get!(u8),
            ScalarType::Short => get!(i16),
            ScalarType::UShort => get!(u16),
            ScalarType::Int => get!(i32),
            ScalarType::UInt => get!(u32),
            ScalarType::Float => get!(f32),
            ScalarType::Double => get!(f64),
        })
    }

    fn end_row(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    fn offset(&self) -> usize {
        self.pos
    }

    fn fault(&self, at: usize, what: String) -> Fault {
        Fault::byte(at, what)
    }

    fn left(&self) -> usize {
        self.bytes.len() - self.pos
    }

    fn is_over(&mut self) -> bool {
        self.pos == self.bytes.len()
    }
}

/// Most values of a type that `left` bytes can hold.
pub(super) fn most(left: usize, t: &ScalarType, encoding: Encoding) -> usize {
    // A list's last number in text needs no separator.
    if encoding == Encoding::Ascii {
        left / 2 + 1
    } else {
        left / size(t)
    }
}
