//! STL, as text and as binary.
//!
//! Own code and not the `stl_io` crate: that takes a binary file that begins with "solid" for text, reads only text
//! that is spelled in lower case and ends in `endsolid`, names no line, refuses binary files with NaN in a normal that
//! is not used, and welds through a hash map of boxed work. The tests compare with it.
//!
//! STL holds triangles that share nothing. Corners at exactly the same coordinates become one vertex; vertices are
//! numbered in the order of their first use.

mod header;
mod read;
mod weld;
mod write;

use super::codec::{Codec, Evidence, Holds, Read, Write, always};
use super::{Encoding, Format};

/// Description of the format.
pub(super) const CODEC: Codec = Codec {
    name: "STL",
    word: "stl",
    extensions: &["stl"],
    piece_list: None,
    holds: Holds {
        surfaces: true,
        volumes: false,
        columns: false,
        normals: false,
    },
    encodings: &[Encoding::Ascii, Encoding::Binary],
    evidence: Evidence::Layout,
    looks_like,
    may_be,
    is_variant: always,
    is_text,
    read: Read::Surface {
        read: read::read,
        weld: read::weld_corners,
    },
    write: Write::Triangles(write::write),
};

/// Header and count of a binary file.
const HEAD: usize = 84;
/// Bytes of one triangle in a binary file: a normal, three corners, two bytes of anything.
const TRIANGLE: usize = 50;

/// The name under which the two free bytes of a binary triangle are kept, when any is set.
const ATTRIBUTE: &str = "stl_attribute";

/// Returns the number of triangles that a binary header promises.
fn promised(bytes: &[u8]) -> Option<usize> {
    let count = bytes.get(80..HEAD)?.first_chunk::<4>()?;
    Some(u32::from_le_bytes(*count) as usize)
}

/// Returns `true` for files that are certainly binary: the size is the one that the count requires. Binary files may
/// begin with "solid", too.
pub(super) fn is_exactly_binary(bytes: &[u8]) -> bool {
    promised(bytes).is_some_and(|n| n * TRIANGLE + HEAD == bytes.len())
}

/// Returns `true` for text: it begins with "solid", and the line after the name, however long that is, has STL's
/// words.
fn is_text(bytes: &[u8]) -> bool {
    let Some(name) = after_solid(bytes).filter(|_| !is_exactly_binary(bytes)) else {
        return false;
    };
    // A line may end in a carriage return alone.
    let end = memchr::memchr2(b'\n', b'\r', name).unwrap_or(name.len());
    let body = &name[end..];
    let head = body[..body.len().min(1 << 12)].to_ascii_lowercase();
    let zeros = memchr::memchr(0, &head).unwrap_or(head.len());
    let has = |word: &[u8]| memchr::memmem::find(&head[..zeros], word).is_some();
    let short = bytes.len() < HEAD || body.trim_ascii().is_empty();
    has(b"facet") || has(b"endsolid") || (short && !bytes.contains(&0))
}

fn after_solid(bytes: &[u8]) -> Option<&[u8]> {
    let bytes = bytes.trim_ascii_start();
    let (word, rest) = bytes.split_at_checked(5)?;
    word.eq_ignore_ascii_case(b"solid").then_some(rest)
}

fn looks_like(bytes: &[u8]) -> bool {
    is_exactly_binary(bytes) || is_text(bytes)
}

/// Returns `true` if a file with the name of STL may be one: text or binary, with more than the promised bytes, too.
fn may_be(bytes: &[u8]) -> bool {
    let holds = |n: usize| n * TRIANGLE + HEAD <= bytes.len();
    let begins = || after_solid(bytes).is_some() || promised(bytes).is_some_and(holds);
    // Any bytes may be the head of a binary file, but these begin others for sure.
    let may_be_head =
        || Format::of_plain(bytes).is_none_or(|f| matches!(f, Format::Obj | Format::Off));
    looks_like(bytes) || begins() && may_be_head()
}
