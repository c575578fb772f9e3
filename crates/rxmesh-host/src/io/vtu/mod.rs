//! VTU and VTP, VTK's XML formats of unstructured grids and of poly data: text, base64 inline, raw bytes or base64
//! appended, plain or packed with zlib, LZ4 or LZMA. Files that list the files of pieces (`.pvtu`, `.pvtp`) are read.
//! VTI, the format of images (regular grids of points), has the same arrays.
//!
//! `quick-xml` finds the tags; `vtkio` is no choice for the reasons that VTK's legacy format has.

mod data;
mod image;
mod image_write;
mod read;
mod tags;
mod write;

pub(super) use image::read as read_image;
pub(super) use image_write::write as write_image;

use super::Encoding;
use super::codec::{Codec, Evidence, Holds, Read, Write};
use super::content::CTRL_Z;

/// Description of unstructured grids.
pub(super) const GRID: Codec = Codec {
    name: "VTU",
    word: "vtu",
    extensions: &["vtu", "pvtu"],
    piece_list: Some("pvtu"),
    holds: Holds {
        surfaces: true,
        volumes: true,
        columns: true,
        normals: true,
    },
    encodings: &[Encoding::Ascii, Encoding::Base64, Encoding::Binary],
    evidence: Evidence::Magic,
    looks_like,
    may_be: looks_like,
    is_variant: |bytes| looks_like(bytes) && !is_poly_data(bytes),
    is_text,
    read: Read::Elements(read::read),
    write: Write::Elements {
        write: |mesh, columns, encoding, warnings| {
            write::write(mesh, columns, false, encoding, warnings)
        },
        largest_face: usize::MAX,
    },
};

/// Poly data.
pub(super) const POLY_DATA: Codec = Codec {
    name: "VTP",
    word: "vtp",
    extensions: &["vtp", "pvtp"],
    piece_list: Some("pvtp"),
    holds: Holds {
        volumes: false,
        ..GRID.holds
    },
    is_variant: |bytes| looks_like(bytes) && is_poly_data(bytes),
    write: Write::Elements {
        write: |mesh, columns, encoding, warnings| {
            write::write(mesh, columns, true, encoding, warnings)
        },
        largest_face: usize::MAX,
    },
    ..GRID
};

/// Returns `true` if a file begins as the format does.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    // A long comment may come first.
    let most = if bytes.trim_ascii_start().starts_with(b"<") {
        1 << 16
    } else {
        512
    };
    let head = &bytes[..bytes.len().min(most)];
    memchr::memmem::find(head, b"<VTKFile").is_some()
}

/// Returns `true` if a file that begins as the format does holds poly data.
fn is_poly_data(bytes: &[u8]) -> bool {
    let head = &bytes[..bytes.len().min(1024)];
    memchr::memmem::find(head, b"PolyData\"").is_some()
        || memchr::memmem::find(head, b"PolyData'").is_some()
}

/// Returns `true` if a file is text except for appended data, which a tag follows.
fn is_text(bytes: &[u8]) -> bool {
    let end = bytes.trim_ascii_end();
    let end = end.iter().rposition(|b| !matches!(*b, 0 | CTRL_Z));
    end.is_some_and(|at| bytes[at] == b'>') && memchr::memchr(b'\n', bytes).is_some()
}
