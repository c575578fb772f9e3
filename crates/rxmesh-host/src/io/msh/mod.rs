//! Gmsh's MSH: versions 2.2, 4.0 and 4.1, text and binary (Gmsh's manual, section 10.1).
//!
//! Version 4.1 and 2.2 are written. `mshio`, the crate for it, reads version 4.1 only and has not been released since
//! 2020; our own reader checks every count against the size of the file.

mod elements;
mod entities;
mod nodes;
mod read;
mod source;
mod tags;
mod views;
mod write;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write};
use super::content::HEAD;

/// Version 4.
pub(super) const VERSION_4: Codec = Codec {
    name: "MSH 4",
    word: "msh",
    extensions: &["msh"],
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
    is_variant: |bytes| !is_version_2(bytes),
    is_text,
    read: Read::Elements(|bytes, bits, _| read::read(bytes, bits)),
    write: Write::Elements {
        write: |mesh, columns, encoding, warnings| {
            write::write(mesh, columns, false, encoding, warnings)
        },
        largest_face: 4,
    },
};

/// Version 2.
pub(super) const VERSION_2: Codec = Codec {
    name: "MSH 2.2",
    word: "msh2",
    is_variant: is_version_2,
    write: Write::Elements {
        write: |mesh, columns, encoding, warnings| {
            write::write(mesh, columns, true, encoding, warnings)
        },
        largest_face: 4,
    },
    ..VERSION_4
};

/// Returns `true` if a file begins as the format does.
fn looks_like(bytes: &[u8]) -> bool {
    let head = bytes.trim_ascii_start();
    let begins = ["$MeshFormat", "$Comments", "$NOD", "$ParametricNodes"];
    begins.iter().any(|word| head.starts_with(word.as_bytes()))
}

/// Returns `true` for a file of version 2 or 1.
fn is_version_2(bytes: &[u8]) -> bool {
    let head = memchr::memmem::find(bytes, b"$MeshFormat");
    if head.is_none() {
        let nodes = [&b"$NOD"[..], b"$ParametricNodes"];
        return nodes
            .iter()
            .any(|word| memchr::memmem::find(bytes, word).is_some());
    }
    let version = head.map(|at| bytes[at + "$MeshFormat".len()..].trim_ascii_start());
    version.is_some_and(|v| {
        let word = v.split(u8::is_ascii_whitespace).next();
        matches!(word.and_then(self::version), Some(20..=29))
    })
}

/// Returns `true` unless the head says that the file is binary.
fn is_text(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(HEAD)];
    let at = memchr::memmem::find(head, b"$MeshFormat");
    let words = at.map(|at| head[at..].split(u8::is_ascii_whitespace));
    let mut words = words.into_iter().flatten().filter(|w| !w.is_empty());
    words.nth(2).is_none_or(|kind| kind == b"0")
}

/// Returns the version that a word says, in tenths: 22 of `2.2`, `2.20` or `2.200000`. `None` if it is no such number.
fn version(word: &[u8]) -> Option<u32> {
    let number: f64 = std::str::from_utf8(word).ok()?.parse().ok()?;
    let tenths = (10.0 * number).round();
    let is_near = (10.0 * number - tenths).abs() < 1e-4;
    (is_near && (10.0..100.0).contains(&tenths)).then_some(tenths as u32)
}
