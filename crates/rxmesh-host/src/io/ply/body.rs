//! Values of a PLY body, one after the other, from text or binary.

use super::super::error::Fault;
use super::super::points::{Coordinate, FilePoints, RefusedNumber};
use super::super::scan::{LeftOut, LineWords, TextLines, number, quote};
use super::header::{Encoding, ScalarType};
use crate::mesh::shown_name;

/// Source of values. Rows matter only in text, where each has its own line.
pub(super) trait ValueReader {
    fn begin_row(&mut self, element: &str, row: usize) -> Result<(), Fault>;
    /// Reads the next value; doubles hold every type exactly except whole numbers of 64 bits.
    fn value(&mut self, t: &ScalarType, name: &str) -> Result<f64, Fault>;
    /// Reads the next value, a whole number of 64 bits.
    fn wide(&mut self, t: &ScalarType, name: &str) -> Result<i128, Fault>;
    /// Reads the next value, of a type of 32 bits, as these bits.
    fn bits(&mut self, t: &ScalarType, name: &str) -> Result<u32, Fault>;
    /// Reads the next value as a coordinate. Text may have more digits than the type that the header gives it.
    fn coordinate(
        &mut self,
        t: &ScalarType,
        name: &str,
        points: &mut FilePoints,
    ) -> Result<Result<Coordinate, RefusedNumber>, Fault> {
        Ok(points.take(self.value(t, name)?))
    }
    fn end_row(&mut self);
    /// Returns the rows with more values than the header declares.
    fn long_rows(&self) -> LeftOut;
    /// Returns the offset of the next value.
    fn offset(&self) -> usize;
    fn fault(&self, at: usize, what: String) -> Fault;
    /// Returns the number of bytes left, as a bound for the length of a list.
    fn left(&self) -> usize;
    /// Returns `true` if nothing follows the last row.
    fn is_over(&mut self) -> bool;
}

pub(super) struct Text<'a> {
    bytes: &'a [u8],
    lines: TextLines<'a>,
    words: LineWords<'a>,
    long_rows: LeftOut,
}

impl<'a> Text<'a> {
    pub(super) fn new(bytes: &'a [u8], body: usize) -> Text<'a> {
        Text {
            bytes,
            lines: TextLines::new(&bytes[body..], body),
            words: LineWords::new(&[], body),
            long_rows: LeftOut::default(),
        }
    }

    fn word(&mut self, name: &str) -> Result<(usize, &'a [u8]), Fault> {
        let end = self.words.offset();
        let ends = || {
            Fault::text(
                end,
                format!(
                    "property '{}' expected, but the line ends",
                    shown_name(name)
                ),
            )
        };
        self.words.next_at().ok_or_else(ends)
    }
}

impl ValueReader for Text<'_> {
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
        points: &mut FilePoints,
    ) -> Result<Result<Coordinate, RefusedNumber>, Fault> {
        match t {
            ScalarType::Float | ScalarType::Double => Ok(points.parse(self.word(name)?.1)),
            _ => Ok(points.take(self.value(t, name)?)),
        }
    }

    fn value(&mut self, t: &ScalarType, name: &str) -> Result<f64, Fault> {
        let (at, word) = self.word(name)?;
        let bad = || bad(at, word, t, name);
        let text = std::str::from_utf8(word).map_err(|_| bad())?;
        match t {
            // As f32 at once: see `scan::number`. NaN is a value here; positions refuse it later.
            ScalarType::Float | ScalarType::Half => {
                text.parse::<f32>().map(f64::from).map_err(|_| bad())
            }
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

    fn wide(&mut self, t: &ScalarType, name: &str) -> Result<i128, Fault> {
        let (at, word) = self.word(name)?;
        let text = std::str::from_utf8(word).ok();
        let whole = text.and_then(|s| s.parse::<i128>().ok());
        // Some writers print integers as floats.
        let whole = whole.or_else(|| {
            let x: f64 = text?.parse().ok()?;
            (x.fract() == 0.0).then_some(x as i128)
        });
        let (low, high) = match t {
            ScalarType::ULong => (0, i128::from(u64::MAX)),
            _ => (i128::from(i64::MIN), i128::from(i64::MAX)),
        };
        let fitting = whole.filter(|n| (low..=high).contains(n));
        fitting.ok_or_else(|| bad(at, word, t, name))
    }

    fn bits(&mut self, t: &ScalarType, name: &str) -> Result<u32, Fault> {
        let x = self.value(t, name)?;
        Ok(match t {
            ScalarType::Float => (x as f32).to_bits(),
            _ => x as i64 as u32,
        })
    }

    fn end_row(&mut self) {
        if let Some((at, _)) = self.words.next_at() {
            self.long_rows.note(at);
        }
    }

    fn long_rows(&self) -> LeftOut {
        self.long_rows
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

fn bad(at: usize, word: &[u8], t: &ScalarType, name: &str) -> Fault {
    let (name, word) = (shown_name(name), quote(word));
    Fault::text(at, format!("property '{name}': {word} is not {}", range(t)))
}

fn range(t: &ScalarType) -> &'static str {
    match t {
        ScalarType::Char => "a whole number from -128 to 127",
        ScalarType::UChar => "a whole number from 0 to 255",
        ScalarType::Short => "a whole number from -32768 to 32767",
        ScalarType::UShort => "a whole number from 0 to 65535",
        ScalarType::Int => "a whole number from -2147483648 to 2147483647",
        ScalarType::UInt => "a whole number from 0 to 4294967295",
        ScalarType::Long => "a whole number from -9223372036854775808 to 9223372036854775807",
        ScalarType::ULong => "a whole number from 0 to 18446744073709551615",
        ScalarType::Half | ScalarType::Float | ScalarType::Double => "a number",
    }
}

fn fits(n: f64, t: &ScalarType) -> bool {
    let (low, high) = match t {
        ScalarType::Char => (-128.0, 127.0),
        ScalarType::UChar => (0.0, 255.0),
        ScalarType::Short => (-32768.0, 32767.0),
        ScalarType::UShort => (0.0, 65535.0),
        ScalarType::Int => (-2147483648.0, 2147483647.0),
        ScalarType::Long => (i64::MIN as f64, i64::MAX as f64),
        ScalarType::ULong => (0.0, u64::MAX as f64),
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
                    "the file ends within property '{}', which begins at byte {}",
                    shown_name(name),
                    self.pos
                ),
            )),
        }
    }

    /// Reads the bytes of a number, the lowest first.
    fn take_number<const N: usize>(&mut self, name: &str) -> Result<[u8; N], Fault> {
        let mut raw = self.take::<N>(name)?;
        if self.big {
            raw.reverse();
        }
        Ok(raw)
    }
}

/// Converts a float of 16 bits, the lower byte first: a sign, 5 bits of exponent, 10 of fraction.
fn half(raw: [u8; 2]) -> f64 {
    let bits = u16::from_le_bytes(raw);
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => fraction * 2f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1024.0 + fraction) * 2f64.powi(e - 25),
    };
    match bits >> 15 {
        0 => size,
        _ => -size,
    }
}

impl ValueReader for Binary<'_> {
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
            ScalarType::Half => half(self.take_number(name)?),
            ScalarType::Long | ScalarType::ULong => self.wide(t, name)? as f64,
        })
    }

    fn wide(&mut self, t: &ScalarType, name: &str) -> Result<i128, Fault> {
        let bits = u64::from_le_bytes(self.take_number(name)?);
        Ok(match t {
            ScalarType::ULong => i128::from(bits),
            _ => i128::from(bits as i64),
        })
    }

    fn bits(&mut self, _: &ScalarType, name: &str) -> Result<u32, Fault> {
        self.take_number(name).map(u32::from_le_bytes)
    }

    fn end_row(&mut self) {}

    fn long_rows(&self) -> LeftOut {
        LeftOut::default()
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

/// Returns the most values of a type that `left` bytes can hold.
pub(super) fn most(left: usize, t: &ScalarType, encoding: Encoding) -> usize {
    // A list's last number in text needs no separator.
    if encoding == Encoding::Ascii {
        left / 2 + 1
    } else {
        left / t.size()
    }
}
