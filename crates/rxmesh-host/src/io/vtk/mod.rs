//! VTK's legacy format, text and binary: unstructured grids (VTK file formats, versions 1.0 to 5.1).
//!
//! `vtkio` reads it and VTU, too, but unwraps what a bad file lacks and reserves what a header promises.

mod attributes;
mod cells;
mod read;
mod write;

pub(super) use cells::{Grid, Kept, POLYGON, Part, QUAD, TETRAHEDRON, TRIANGLE};
pub(super) use read::read;
pub(super) use write::{coordinates, write};

/// Returns `true` if a file begins as the format does: blank lines may come first, and any space stand between the
/// words.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let head = bytes.trim_ascii_start();
    let line = memchr::memchr2(b'\n', b'\r', head).unwrap_or(head.len());
    let mut words = super::scan::Words::without_comments(&head[..line], 0);
    ["#", "vtk", "DataFile"].iter().all(|word| {
        let next = words.next_at();
        next.is_some_and(|(_, w)| w.eq_ignore_ascii_case(word.as_bytes()))
    })
}
