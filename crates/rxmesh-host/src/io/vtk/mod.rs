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

/// Whether a file begins as the format does.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    bytes.starts_with(b"# vtk DataFile")
}
