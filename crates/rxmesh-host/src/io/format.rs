//! The file formats, and how they are told apart.

use super::{content, gzip, medit, msh, obj, off, stl, vtk, vtu};
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
    /// Volumes: Gmsh's MSH, version 4.1 (4.0 is read as well).
    Msh,
    /// Volumes: Gmsh's MSH, version 2.2.
    Msh2,
    /// Volumes: MEDIT's text format, `.mesh`.
    Medit,
    /// Volumes: TetGen's pair of files, `.node` and `.ele`.
    Tetgen,
    /// Volumes: VTK's legacy format.
    Vtk,
    /// Volumes: VTK's XML format of unstructured grids.
    Vtu,
}

impl Format {
    /// All of them, for messages.
    pub const LIST: &'static str =
        "obj, ply, off, stl; for volumes msh, msh2, medit, tetgen, vtk, vtu";

    /// Whether files hold volumes of tetrahedra, and not surfaces.
    pub fn is_volume(self) -> bool {
        !matches!(self, Format::Obj | Format::Ply | Format::Off | Format::Stl)
    }

    /// Whether files can hold columns of any name, such as values that were computed for the vertices.
    pub fn holds_columns(self) -> bool {
        matches!(
            self,
            Format::Ply | Format::Msh | Format::Msh2 | Format::Vtk | Format::Vtu
        )
    }

    /// Whether files can hold normals of vertices.
    pub fn holds_normals(self) -> bool {
        self.holds_columns() || matches!(self, Format::Obj | Format::Off)
    }

    /// The extension that file names of this format usually have.
    pub fn extension(self) -> &'static str {
        match self {
            Format::Obj => "obj",
            Format::Ply => "ply",
            Format::Off => "off",
            Format::Stl => "stl",
            Format::Msh | Format::Msh2 => "msh",
            Format::Medit => "mesh",
            Format::Tetgen => "node",
            Format::Vtk => "vtk",
            Format::Vtu => "vtu",
        }
    }

    /// The format that a file name's extension says, if it says one. `.msh` is [`Format::Msh`] of either version: the
    /// content tells which. A `.gz` behind the extension is passed over.
    pub fn of_name(path: &Path) -> Option<Format> {
        if let Some(path) = gzip::unpacked_name(path) {
            return Format::of_name(&path);
        }
        let extension = path.extension()?.to_str()?;
        match extension.to_ascii_lowercase().as_str() {
            "obj" => Some(Format::Obj),
            "ply" => Some(Format::Ply),
            "off" | "coff" | "noff" | "cnoff" | "stoff" => Some(Format::Off),
            "stl" => Some(Format::Stl),
            "msh" => Some(Format::Msh),
            "mesh" => Some(Format::Medit),
            "node" | "ele" => Some(Format::Tetgen),
            "vtk" => Some(Format::Vtk),
            "vtu" => Some(Format::Vtu),
            _ => None,
        }
    }

    /// The format that the content looks like, if it looks like one. Packed content is unpacked for it.
    pub fn of_content(bytes: &[u8]) -> Option<Format> {
        Format::of_plain(&content::plain(bytes).ok()?.bytes)
    }

    /// `true` of formats that one reader reads, whatever the name says.
    pub(super) fn is_same_family(self, other: Format) -> bool {
        let msh = |f| matches!(f, Format::Msh | Format::Msh2);
        self == other || (msh(self) && msh(other))
    }

    /// `false` if no file of this format begins like this.
    pub(super) fn may_be(self, bytes: &[u8]) -> bool {
        match self {
            Format::Ply => bytes.starts_with(b"ply"),
            Format::Off => off::looks_like(bytes),
            Format::Stl => stl::may_be(bytes),
            Format::Msh | Format::Msh2 => msh::looks_like(bytes),
            Format::Medit => medit::looks_like(bytes),
            Format::Vtk => vtk::looks_like(bytes),
            Format::Vtu => vtu::looks_like(bytes),
            Format::Obj => obj::looks_like(bytes),
            // It begins with a number.
            Format::Tetgen => false,
        }
    }

    /// As [`Format::of_content`], of content without gzip, UTF-16 and marks.
    pub(super) fn of_plain(bytes: &[u8]) -> Option<Format> {
        if bytes.starts_with(b"ply\n") || bytes.starts_with(b"ply\r") {
            return Some(Format::Ply);
        }
        if off::looks_like(bytes) {
            return Some(Format::Off);
        }
        if msh::looks_like(bytes) {
            return Some(match msh::is_version_2(bytes) {
                true => Format::Msh2,
                false => Format::Msh,
            });
        }
        if medit::looks_like(bytes) {
            return Some(Format::Medit);
        }
        if vtk::looks_like(bytes) {
            return Some(Format::Vtk);
        }
        if vtu::looks_like(bytes) {
            return Some(Format::Vtu);
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
            Format::Msh => "MSH 4",
            Format::Msh2 => "MSH 2.2",
            Format::Medit => "MEDIT",
            Format::Tetgen => "TetGen",
            Format::Vtk => "VTK",
            Format::Vtu => "VTU",
        })
    }
}
