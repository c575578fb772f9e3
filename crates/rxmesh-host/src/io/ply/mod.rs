//! PLY, as text and as binary of either byte order.
//!
//! Own code and not the `ply-rs-bw` crate: its header knows neither names of other characters than letters and digits
//! nor whole numbers of 64 bits, its reader takes a map entry (or at best a setter call by name) and a list allocation
//! for every value, reads text through a grammar that refuses `1.` and `.5`, cannot say which byte of a binary file is
//! wrong, and trusts a list's length without checking the size of the file. The tests compare with it.

mod body;
mod columns;
mod edges;
mod header;
mod read;
mod strips;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write, always, no_weld};

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "PLY",
    word: "ply",
    extensions: &["ply"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: false,
        columns: true,
        normals: true,
    },
    encodings: &[Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian],
    evidence: Evidence::Magic,
    looks_like,
    may_be: |bytes| bytes.trim_ascii_start().starts_with(b"ply"),
    is_variant: always,
    is_text,
    read: Read::Surface {
        read: read::read,
        weld: no_weld,
    },
    write: Write::Surface(write::write),
};

/// Returns `true` if a file begins with the word of the format and a space or the end of the line.
fn looks_like(bytes: &[u8]) -> bool {
    let rest = bytes.trim_ascii_start().strip_prefix(b"ply");
    rest.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))
}

/// Returns `true` if the header says that the values are text.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(header::LONGEST)];
    let end = memchr::memmem::find(head, b"end_header").unwrap_or(head.len());
    memchr::memmem::find(&head[..end], b"format ascii").is_some()
}
