//! VTK's legacy format, text and binary: unstructured grids (VTK file formats, versions 1.0 to 5.1).
//!
//! `vtkio` reads it and VTU, too, but panics on parts that a bad file lacks and reserves the sizes that a header
//! promises.

mod attributes;
mod cells;
mod read;
mod write;

pub(super) use cells::{CellList, KeptRows, POLYGON, PolyDataSection, QUAD, TETRAHEDRON, TRIANGLE};
pub(super) use write::coordinates;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write, always};
use super::content::HEAD;

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "VTK",
    word: "vtk",
    extensions: &["vtk"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: true,
        columns: true,
        normals: true,
    },
    encodings: &[Encoding::Ascii, Encoding::Binary],
    evidence: Evidence::Magic,
    looks_like,
    may_be: looks_like,
    is_variant: always,
    is_text,
    read: Read::Elements(|bytes, bits, _| read::read(bytes, bits)),
    write: Write::Elements {
        write: write::write,
        largest_face: usize::MAX,
    },
};

/// Returns `true` if a file begins as the format does: blank lines may come first, and any space may be between the
/// words.
fn looks_like(bytes: &[u8]) -> bool {
    let head = bytes.trim_ascii_start();
    let line = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
    let mut words = super::scan::LineWords::without_comments(&head[..line], 0);
    ["#", "vtk", "DataFile"].iter().all(|word| {
        let next = words.next_at();
        next.is_some_and(|(_, w)| w.eq_ignore_ascii_case(word.as_bytes()))
    })
}

/// Returns `true` if a line after the first says that the file is text.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let lines = head.split(|b| matches!(b, b'\n' | b'\r'));
    let mut lines = lines.filter(|l| !l.trim_ascii().is_empty()).skip(1);
    lines.any(|l| l.trim_ascii().eq_ignore_ascii_case(b"ASCII"))
        && memchr::memmem::find(head, b"\nBINARY").is_none()
}
