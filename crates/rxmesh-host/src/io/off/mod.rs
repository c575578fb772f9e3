//! OFF of Geomview, with the prefixes for texture coordinates, colours and normals, as text and as binary.
//!
//! No crate reads it well: those on the registry take plain `OFF` only, or allocate what the header says.

mod binary;
mod read;
mod write;

pub(super) use write::write;

use super::error::Fault;
use super::points::Bits;
use super::scan::{Lines, quote};
use super::soup::Soup;

/// What the first word says.
#[derive(Debug, Clone, Copy, Default)]
struct Prefix {
    texcoords: bool,
    colours: bool,
    normals: bool,
}

impl Prefix {
    /// `[ST][C][N]OFF`; the forms in four or n dimensions are told apart and refused.
    fn parse(word: &[u8]) -> Option<Result<Prefix, &'static str>> {
        let mut rest = word.strip_suffix(b"OFF")?;
        let mut prefix = Prefix::default();
        if let Some(r) = rest.strip_prefix(b"ST") {
            (prefix.texcoords, rest) = (true, r);
        }
        if let Some(r) = rest.strip_prefix(b"C") {
            (prefix.colours, rest) = (true, r);
        }
        if let Some(r) = rest.strip_prefix(b"N") {
            (prefix.normals, rest) = (true, r);
        }
        match rest {
            b"" => Some(Ok(prefix)),
            b"4" | b"n" | b"4n" => Some(Err(
                "vertices of more than three coordinates are not read, only [ST][C][N]OFF",
            )),
            _ => None,
        }
    }
}

pub(super) fn read(bytes: &[u8], bits: Bits) -> Result<Soup, Fault> {
    let mut lines = Lines::new(bytes, 0);
    let Some(mut words) = lines.next_words() else {
        return Err(Fault::text(0, "the file holds nothing but comments"));
    };
    let (at, word) = words.next_at().unwrap_or((0, b""));
    let Some(prefix) = Prefix::parse(word) else {
        return Err(Fault::text(
            at,
            format!(
                "an OFF file begins with 'OFF', this one with {}",
                quote(word)
            ),
        ));
    };
    let prefix = prefix.map_err(|what| Fault::text(at, format!("{}: {what}", quote(word))))?;
    if words.clone().next_at().is_some_and(|(_, w)| w == b"BINARY") {
        return binary::read(bytes, lines.offset().min(bytes.len()), prefix);
    }
    let counts = if words.clone().next_at().is_some() {
        Some(words)
    } else {
        lines.next_words()
    };
    match counts {
        Some(counts) => read::read(bytes, lines, counts, prefix, bits),
        None => Err(Fault::text(
            bytes.len(),
            "the file ends before the counts of vertices and faces",
        )),
    }
}

/// True when the first word is a variant of `OFF`.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1 << 14)];
    let first = Lines::new(head, 0)
        .next_words()
        .and_then(|mut w| w.next_at());
    first.is_some_and(|(_, w)| Prefix::parse(w).is_some())
}
