//! The description of a file format. Everything that depends on the format of a file is made from these.

use super::error::Fault;
use super::points::CoordinateBits;
use super::shape::{MeshRef, Model, TriangleView};
use super::soup::Soup;
use super::volume::Volume;
use super::{BorrowedPieces, Encoding, Pieces};
use crate::mesh::{Column, TetMesh, TriMesh};
use std::path::Path;

/// A file format: its names, what files of it hold, how they are recognised, read and written. The module of a format
/// has one as a constant, and the list of formats in `io/mod.rs` names that.
pub(super) struct Codec {
    /// Name in messages.
    pub(super) name: &'static str,
    /// Word on the command line.
    pub(super) word: &'static str,
    /// Extensions of file names, the usual one first.
    pub(super) extensions: &'static [&'static str],
    /// Extension of files that list the files of a mesh's pieces. They are read only.
    pub(super) piece_list: Option<&'static str>,
    /// Contents that files can have.
    pub(super) holds: Holds,
    /// Encodings that the writer knows; a format of text alone has the one.
    pub(super) encodings: &'static [Encoding],
    /// Strength of the evidence that [`looks_like`](Codec::looks_like) uses.
    pub(super) evidence: Evidence,
    /// Returns `true` if content begins as files of this format, or of another one of its module, do.
    pub(super) looks_like: fn(&[u8]) -> bool,
    /// Returns `false` if no file that is named after this format begins like this.
    pub(super) may_be: fn(&[u8]) -> bool,
    /// Returns `true` if content is of this format, among the formats of its module.
    pub(super) is_variant: fn(&[u8]) -> bool,
    /// Returns `true` if a file is text as a whole.
    pub(super) is_text: fn(&[u8]) -> bool,
    /// Reader.
    pub(super) read: Read,
    /// Writer.
    pub(super) write: Write,
}

/// Contents that files of a format can have.
#[derive(Clone, Copy)]
pub(super) struct Holds {
    pub(super) surfaces: bool,
    pub(super) volumes: bool,
    /// Columns of any name.
    pub(super) columns: bool,
    /// Normals of vertices.
    pub(super) normals: bool,
}

/// Evidence for a format in the content of a file, the strongest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Evidence {
    /// A word that only files of the format begin with.
    Magic,
    /// Size of the file, or words after the beginning.
    Layout,
    /// A word that is common in other text.
    CommonWord,
}

/// Reader of a format, by its result.
#[derive(Clone, Copy)]
pub(super) enum Read {
    /// Surfaces.
    Surface {
        read: fn(&[u8], CoordinateBits) -> Result<Soup, Fault>,
        /// Joins corners where files share no vertices. Called once, when the bits of coordinates are settled.
        weld: fn(&mut Soup),
    },
    /// Surfaces; the path is that of the file, beside which other files of it are.
    Linked(fn(&[u8], CoordinateBits, &Path) -> Result<Soup, Fault>),
    /// Surfaces and volumes; the path is that of the file.
    Elements(fn(&[u8], CoordinateBits, &Path) -> Result<Volume, Fault>),
    /// Volumes of two files: the pair of TetGen.
    Pair,
}

/// Writer of a format, by its input.
#[derive(Clone, Copy)]
pub(super) enum Write {
    /// Surfaces.
    Surface(fn(MeshRef<'_>, Encoding, &mut Vec<String>) -> Pieces),
    /// Surfaces of triangles with coordinates of 32 bits.
    Triangles(fn(&TriMesh, Encoding, &mut Vec<String>) -> Pieces),
    /// Surfaces of triangles in any frame. An error says why the file cannot be written.
    PlacedTriangles(
        for<'a> fn(
            TriangleView<'a>,
            Encoding,
            &mut Vec<String>,
        ) -> Result<BorrowedPieces<'a>, String>,
    ),
    /// Surfaces and volumes, with the columns to be written.
    Elements {
        write: fn(Model<'_>, &[&Column], Encoding, &mut Vec<String>) -> Pieces,
        /// Number of corners of the largest face; larger ones are cut.
        largest_face: usize,
    },
    /// Volumes as two files, the vertices first.
    Pair(fn(&TetMesh, &mut Vec<String>) -> [Pieces; 2]),
}

/// Welds nothing, for formats whose faces share vertices.
pub(super) fn no_weld(_: &mut Soup) {}

/// Returns `true`, for formats of text alone.
pub(super) fn always(_: &[u8]) -> bool {
    true
}
