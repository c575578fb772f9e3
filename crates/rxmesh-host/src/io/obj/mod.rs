//! Wavefront OBJ.
//!
//! Own code and not the `tobj` crate, to keep the promises of the rest of the project: `tobj`'s errors name neither
//! line nor value, it splits a file into models whose vertices are renumbered, it drops `g` and `s`, and it reads line
//! by line on one thread. Here a file is cut into chunks of lines that are parsed in parallel ([`parse`]) and joined
//! ([`join`]); only then are relative indices resolved and ranges checked. The tests compare with `tobj`.

mod join;
mod library;
mod marks;
mod parse;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write, always};
use super::error::Fault;
use super::points::CoordinateBits;
use super::scan::{LineWords, after_comments};
use super::soup::Soup;
use crate::par::IntoLean;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "OBJ",
    word: "obj",
    extensions: &["obj"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: false,
        columns: false,
        normals: true,
    },
    encodings: &[Encoding::Ascii],
    evidence: Evidence::CommonWord,
    looks_like,
    may_be: looks_like,
    is_variant: always,
    is_text: always,
    read: Read::Linked(read),
    write: Write::Surface(|mesh, _, warnings| write::write(mesh, warnings)),
};

/// Below this a chunk is not worth a task.
const SMALLEST_CHUNK: usize = 1 << 16;

fn read(bytes: &[u8], bits: CoordinateBits, name: &Path) -> Result<Soup, Fault> {
    let chunks: Vec<parse::Chunk> = split(bytes)
        .into_par_iter()
        .lean()
        .map(|(from, to)| parse::chunk(&bytes[from..to], from, bits))
        .collect::<Vec<_>>()
        .into_iter()
        // Only now, so that of several faults the first in the file is reported.
        .collect::<Result<_, _>>()?;
    let mut soup = join::join(bytes, chunks, bits)?;
    soup.materials = library::materials(&soup.tags, name).map(Arc::new);
    Ok(soup)
}

/// Returns `true` if the first line with a word starts as OBJ lines do.
fn looks_like(bytes: &[u8]) -> bool {
    let first = LineWords::new(after_comments(bytes), 0).next_at();
    let known: [&[u8]; 9] = [
        b"v", b"vn", b"vt", b"f", b"o", b"g", b"s", b"mtllib", b"usemtl",
    ];
    first.is_some_and(|(_, w)| known.contains(&w))
}

/// Splits the text into ranges of whole lines; a line that continues after a backslash is not torn.
fn split(bytes: &[u8]) -> Vec<(usize, usize)> {
    let size = (bytes.len() / (4 * rayon::current_num_threads())).max(SMALLEST_CHUNK);
    let mut ranges = Vec::new();
    let mut from = 0;
    while from < bytes.len() {
        let mut to = (from + size).min(bytes.len());
        while to < bytes.len() {
            to = memchr::memchr(b'\n', &bytes[to..]).map_or(bytes.len(), |n| to + n + 1);
            let line = memchr::memrchr(b'\n', &bytes[from..to - 1]).map_or(from, |n| from + n + 1);
            if !parse::goes_on(&bytes[line..to]) {
                break;
            }
        }
        ranges.push((from, to));
        from = to;
    }
    ranges
}
