//! The file formats, and how they are told apart.

use super::{obj, off, stl};
use std::fmt;
use std::path::Path;

/// A file format.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum Format {
    /// Wavefront OBJ.
    Obj,
    /// Polygon file format of Stanford.
    Ply,
    /// Object file format of Geomview, with its variants.
    Off,
    /// Stereolithography.
    Stl,
}

impl Format {
    /// All of them, for messages.
    pub const LIST: &'static str = "obj, ply, off, stl";

    /// Whether files can hold columns of any name, such as values that were computed for the vertices.
    pub fn holds_columns(self) -> bool {
        self == Format::Ply
    }

    /// Whether files can hold normals of vertices.
    pub fn holds_normals(self) -> bool {
        self != Format::Stl
    }

    /// The extension that file names of this format usually have.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Off => "off",
            Format::Stl => "stl",
        }
    }

    /// The format that a file name's extension says, if it says one.
    pub fn of_name(path: &Path) -> Option<Format> {
        let extension = path.extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Some(Format::Obj),
            "ply" => Some(Format::Ply),
            "off" | "coff" | "noff" | "cnoff" | "stoff" => Some(Format::Off),
            "stl" => Some(Format::Stl),
            _ => None,
        }
    }

    /// The format that the content looks like, if it looks like one.
    pub fn of_content(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Format::Ply);
        }
        if off::looks_like(bytes) {
            return Some(Format::Off);
        }
        if stl::looks_like(bytes) {
            return Some(Format::Stl);
        }
        obj::looks_like(bytes).then_some(Format::Obj)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Obj => "OBJ",
            Format::Ply => "PLY",
            Format::Off => "OFF",
            Format::Stl => "STL",
        })
    }
}
