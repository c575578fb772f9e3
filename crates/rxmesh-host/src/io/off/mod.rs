//! OFF of Geomview, with the prefixes for texture coordinates, colours and normals, as text and as binary.
//!
//! No crate reads it well: those on the registry take plain `OFF` only, or allocate the sizes in the header unchecked.

mod binary;
mod read;
mod vertices;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write, always, no_weld};
use super::content::HEAD;
use super::error::Fault;
use super::points::CoordinateBits;
use super::scan::{LineWords, TextLines, after_comments, quote};
use super::soup::Soup;

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "OFF",
    word: "off",
    extensions: &["off", "coff", "noff", "cnoff", "stoff"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: false,
        columns: false,
        normals: true,
    },
    encodings: &[Encoding::Ascii],
    evidence: Evidence::Magic,
    looks_like,
    may_be: looks_like,
    is_variant: always,
    is_text,
    read: Read::Surface {
        read,
        weld: no_weld,
    },
    write: Write::Surface(|mesh, _, warnings| write::write(mesh, warnings)),
};

/// Attributes of vertices that the keyword announces.
#[derive(Debug, Clone, Copy, Default)]
struct Prefix {
    texcoords: bool,
    colours: bool,
    normals: bool,
    /// `NC`, as MeshLab writes it: colours come before normals, where the format's `CN` has them behind.
    colours_first: bool,
}

impl Prefix {
    /// Parses `ST`, `C` and `N` in any order before `OFF`, in any case; the forms in four or n dimensions are told
    /// apart and refused. `None` for another word.
    fn parse(word: &[u8]) -> Option<Result<Prefix, &'static str>> {
        let start = word.len().checked_sub(3)?;
        let (mut rest, off) = word.split_at(start);
        if !off.eq_ignore_ascii_case(b"OFF") {
            return None;
        }
        let mut prefix = Prefix::default();
        let mut dimensions = false;
        while let Some((&letter, more)) = rest.split_first() {
            rest = more;
            match letter {
                // A small n before capitals is the number of dimensions; `noff` is a keyword in small letters.
                b'n' if off == b"OFF" => dimensions = true,
                b'4' => dimensions = true,
                b'N' | b'n' => prefix.normals = true,
                b'C' | b'c' => {
                    prefix.colours = true;
                    prefix.colours_first = prefix.normals;
                }
                b'S' | b's' => {
                    let (t, more) = rest.split_first()?;
                    if !t.eq_ignore_ascii_case(&b'T') {
                        return None;
                    }
                    (prefix.texcoords, rest) = (true, more);
                }
                _ => return None,
            }
        }
        Some(match dimensions {
            false => Ok(prefix),
            true => Err("vertices of more than three coordinates are not read, only [ST][C][N]OFF"),
        })
    }
}

/// Returns the words of the next line that has one; a comment begins at any `#`.
fn next_row<'a>(lines: &mut TextLines<'a>) -> Option<LineWords<'a>> {
    loop {
        let (at, line) = lines.next()?;
        let end = memchr::memchr(b'#', line).unwrap_or(line.len());
        let words = LineWords::new(&line[..end], at);
        if words.clone().next_at().is_some() {
            return Some(words);
        }
    }
}

fn read(bytes: &[u8], bits: CoordinateBits) -> Result<Soup, Fault> {
    let mut lines = TextLines::new(bytes, 0);
    let Some(mut words) = next_row(&mut lines) else {
        return Err(Fault::text(0, "the file holds nothing but comments"));
    };
    let counts = words.clone();
    let (at, word) = words.next_at().unwrap_or((0, b""));
    let prefix = match Prefix::parse(word) {
        Some(prefix) => {
            prefix.map_err(|what| Fault::text(at, format!("{}: {what}", quote(word))))?
        }
        // The keyword is optional.
        None if word.iter().all(u8::is_ascii_digit) => {
            return read::read(bytes, lines, counts, None, bits);
        }
        None => {
            return Err(Fault::text(
                at,
                format!(
                    "an OFF file begins with 'OFF', this one with {}",
                    quote(word)
                ),
            ));
        }
    };
    if words.clone().next_at().is_some_and(|(_, w)| w == b"BINARY") {
        return binary::read(bytes, lines.offset().min(bytes.len()), prefix);
    }
    let counts = if words.clone().next_at().is_some() {
        Some(words)
    } else {
        next_row(&mut lines)
    };
    match counts {
        Some(counts) => read::read(bytes, lines, counts, Some(prefix), bits),
        None => Err(Fault::text(
            bytes.len(),
            "the file ends before the counts of vertices and faces",
        )),
    }
}

/// Returns `true` if the first word is a variant of `OFF`.
fn looks_like(bytes: &[u8]) -> bool {
    let head = after_comments(bytes);
    let line = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
    let first = next_row(&mut TextLines::new(&head[..line], 0)).and_then(|mut w| w.next_at());
    first.is_some_and(|(_, w)| Prefix::parse(w).is_some())
}

/// Returns `true` if the line of the keyword does not say that the rest is binary.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let mut lines = head.split(|b| matches!(b, b'\n' | b'\r'));
    lines
        .find(|l| memchr::memmem::find(l, b"OFF").is_some())
        .is_none_or(|l| memchr::memmem::find(l, b"BINARY").is_none())
}
