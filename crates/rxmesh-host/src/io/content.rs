//! The bytes of a file as readers take them: unpacked, text as UTF-8 (or in the code page that it is in) without a mark
//! before it and zeros after it, lines that end in a line feed.

use super::{Format, gzip, stl};
use std::borrow::Cow;

/// Bytes at the beginning that are searched for the keywords of formats.
pub(super) const HEAD: usize = 1 << 12;
/// Mark before UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";
/// Ends a text in DOS and CP/M.
pub(super) const CTRL_Z: u8 = 0x1A;

/// A file's content, and messages about it.
#[derive(Debug)]
pub(super) struct Content<'a> {
    pub(super) bytes: Cow<'a, [u8]>,
    pub(super) warnings: Vec<String>,
}

/// Unpacks gzip, turns UTF-16 into UTF-8, takes the mark before UTF-8 away. Nothing of it depends on the format.
///
/// # Errors
///
/// Why the content cannot be read, in words.
pub(super) fn plain(bytes: &[u8]) -> Result<Content<'_>, String> {
    let mut warnings = Vec::new();
    let mut bytes = Cow::Borrowed(bytes);
    if gzip::is_packed(&bytes) {
        let (unpacked, warning) = gzip::unpack(&bytes)?;
        warnings.extend(warning);
        bytes = Cow::Owned(unpacked);
    }
    // The head of a binary file holds anything.
    if stl::is_exactly_binary(&bytes) {
        return Ok(Content { bytes, warnings });
    }
    if bytes.starts_with(b"\xff\xfe\0\0") || bytes.starts_with(b"\0\0\xfe\xff") {
        return Err("text of UTF-32 is not read: save it as UTF-8".into());
    }
    if let Some((order, from)) = utf16(&bytes) {
        let (units, rest) = bytes[from..].as_chunks::<2>();
        if !rest.is_empty() && !matches!(rest, [0 | CTRL_Z | b'\n']) {
            warnings.push("the text is of UTF-16, and ends in half a character".into());
        }
        bytes = Cow::Owned(utf8(units.iter().map(|u| order(*u))));
    } else if bytes.starts_with(MARK) {
        bytes = without(bytes, MARK.len()..);
    }
    Ok(Content { bytes, warnings })
}

/// Returns the text of a format: without zeros, Ctrl-Z and space at its end, with line feeds where it has carriage
/// returns alone. Binary files are left alone.
pub(super) fn text(bytes: Cow<'_, [u8]>, format: Format) -> Cow<'_, [u8]> {
    if !(format.codec().is_text)(&bytes) {
        return bytes;
    }
    let fills = |b: &u8| matches!(*b, 0 | CTRL_Z) || b.is_ascii_whitespace();
    let end = bytes.iter().rposition(|b| !fills(b)).map_or(0, |at| at + 1);
    let filled = bytes[end..].iter().any(|b| matches!(*b, 0 | CTRL_Z));
    let bytes = match filled {
        true => without(bytes, ..end),
        false => bytes,
    };
    let old = memchr::memchr(b'\n', &bytes).is_none() && memchr::memchr(b'\r', &bytes).is_some();
    match old {
        // As old Macintosh files have them.
        true => bytes
            .iter()
            .map(|&b| if b == b'\r' { b'\n' } else { b })
            .collect(),
        false => bytes,
    }
}

fn without(
    bytes: Cow<'_, [u8]>,
    kept: impl std::slice::SliceIndex<[u8], Output = [u8]>,
) -> Cow<'_, [u8]> {
    match bytes {
        Cow::Borrowed(bytes) => Cow::Borrowed(&bytes[kept]),
        Cow::Owned(bytes) => Cow::Owned(bytes[kept].to_vec()),
    }
}

/// Makes a unit of UTF-16 of its two bytes.
type Unit = fn([u8; 2]) -> u16;

/// Returns the order of the two bytes of a unit and the place of the first unit: by the mark, or where the text begins
/// with four characters of ASCII, which no other text has with zeros between.
fn utf16(bytes: &[u8]) -> Option<(Unit, usize)> {
    let ascii = |b: u8| b.is_ascii_graphic() || b.is_ascii_whitespace();
    let first = bytes.first_chunk::<8>();
    let [low, high] = [0, 1].map(|low| {
        first.is_some_and(|f| {
            let (units, _) = f.as_chunks::<2>();
            units.iter().all(|u| ascii(u[low]) && u[1 - low] == 0)
        })
    });
    match bytes {
        [0xFF, 0xFE, ..] => Some((u16::from_le_bytes, 2)),
        [0xFE, 0xFF, ..] => Some((u16::from_be_bytes, 2)),
        _ if low => Some((u16::from_le_bytes, 0)),
        _ if high => Some((u16::from_be_bytes, 0)),
        _ => None,
    }
}

/// Converts text of UTF-16 to UTF-8. Half of a pair stays apart from all others, as the three bytes that its number
/// would have.
fn utf8(units: impl Iterator<Item = u16>) -> Vec<u8> {
    let mut out = Vec::with_capacity(units.size_hint().0);
    for unit in char::decode_utf16(units) {
        match unit {
            Ok(c) => out.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            Err(half) => {
                let n = half.unpaired_surrogate();
                let low = |shift: u16| 0x80 | (n >> shift & 0x3F) as u8;
                out.extend([0xE0 | (n >> 12) as u8, low(6), low(0)]);
            }
        }
    }
    out
}
