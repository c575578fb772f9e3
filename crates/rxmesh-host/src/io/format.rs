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
    /// Gmsh's MSH, version 4.1 (4.0 is read as well): surfaces and volumes.
    Msh,
    /// Gmsh's MSH, version 2.2 (1 is read as well): surfaces and volumes.
    Msh2,
    /// MEDIT's format, `.mesh` (binary `.meshb` is read): surfaces and volumes.
    Medit,
    /// TetGen's pair of files, `.node` and `.ele`: volumes.
    Tetgen,
    /// VTK's legacy format: surfaces and volumes.
    Vtk,
    /// VTK's XML format of unstructured grids: surfaces and volumes.
    Vtu,
    /// VTK's XML format of poly data.
    Vtp,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 11] = [
        Format::Obj,
        Format::Ply,
        Format::Off,
        Format::Stl,
        Format::Msh,
        Format::Msh2,
        Format::Medit,
        Format::Tetgen,
        Format::Vtk,
        Format::Vtu,
        Format::Vtp,
    ];

    /// The word that names the format on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Format::Msh2 => "msh2",
            Format::Medit => "medit",
            Format::Tetgen => "tetgen",
            format => format.extension(),
        }
    }

    /// The words of the formats that `which` chooses, for messages: `obj, ply and off`.
    pub fn list(which: impl Fn(Format) -> bool) -> String {
        let chosen = Format::ALL.into_iter().filter(|f| which(*f));
        let words: Vec<&str> = chosen.map(Format::word).collect();
        match &words[..] {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            words => words.concat(),
        }
    }

    /// The formats of surfaces and those of volumes in one line, for messages.
    pub fn summary() -> String {
        format!(
            "{} for surfaces; {} for volumes",
            Format::list(Format::holds_surfaces),
            Format::list(Format::holds_volumes)
        )
    }

    /// Returns `true` if files can hold surfaces.
    pub fn holds_surfaces(self) -> bool {
        self != Format::Tetgen
    }

    /// Returns `true` if files can hold volumes of tetrahedra.
    pub fn holds_volumes(self) -> bool {
        !matches!(
            self,
            Format::Obj | Format::Ply | Format::Off | Format::Stl | Format::Vtp
        )
    }

    /// Returns `true` if numbers can be stored as text or as bytes.
    pub fn has_encodings(self) -> bool {
        !matches!(
            self,
            Format::Obj | Format::Off | Format::Medit | Format::Tetgen
        )
    }

    /// Returns `true` if files can hold columns of any name, such as values that were computed for the vertices.
    pub fn holds_columns(self) -> bool {
        matches!(
            self,
            Format::Ply | Format::Msh | Format::Msh2 | Format::Vtk | Format::Vtu | Format::Vtp
        )
    }

    /// Returns `true` if files can hold normals of vertices.
    pub fn holds_normals(self) -> bool {
        self.holds_columns() || matches!(self, Format::Obj | Format::Off | Format::Medit)
    }

    /// The extension that file names of this format usually have.
    pub fn extension(self) -> &'static str {
        self.extensions()[0]
    }

    /// The name to write for a path whose extension means a list of pieces, which is read only.
    pub(super) fn serial_name(path: &Path) -> Option<String> {
        if let Some(path) = gzip::unpacked_name(path) {
            return Some(format!("{}.gz", Format::serial_name(&path)?));
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let serial = match &extension[..] {
            "pvtu" => "vtu",
            "pvtp" => "vtp",
            _ => return None,
        };
        Some(path.with_extension(serial).display().to_string())
    }

    /// The extensions that file names of this format have, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Obj => &["obj"],
            Format::Ply => &["ply"],
            Format::Off => &["off", "coff", "noff", "cnoff", "stoff"],
            Format::Stl => &["stl"],
            Format::Msh | Format::Msh2 => &["msh"],
            Format::Medit => &["mesh", "meshb"],
            Format::Tetgen => &["node", "ele"],
            Format::Vtk => &["vtk"],
            Format::Vtu => &["vtu", "pvtu"],
            Format::Vtp => &["vtp", "pvtp"],
        }
    }

    /// The format that a file name's extension says, if it says one. `.msh` is [`Format::Msh`] of any version: the
    /// content tells which. A `.gz` behind the extension is passed over.
    pub fn of_name(path: &Path) -> Option<Format> {
        if let Some(path) = gzip::unpacked_name(path) {
            return Format::of_name(&path);
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let has = |f: &Format| f.extensions().contains(&&extension[..]);
        Format::ALL.into_iter().find(has)
    }

    /// The format that the content looks like, if it looks like one. Packed content is unpacked for it.
    pub fn of_content(bytes: &[u8]) -> Option<Format> {
        Format::of_plain(&content::plain(bytes).ok()?.bytes)
    }

    /// `true` of formats that one reader reads, whatever the name says.
    pub(super) fn is_same_family(self, other: Format) -> bool {
        let msh = |f| matches!(f, Format::Msh | Format::Msh2);
        let vtu = |f| matches!(f, Format::Vtu | Format::Vtp);
        self == other || (msh(self) && msh(other)) || (vtu(self) && vtu(other))
    }

    /// `false` if no file of this format begins like this.
    pub(super) fn may_be(self, bytes: &[u8]) -> bool {
        match self {
            Format::Ply => bytes.trim_ascii_start().starts_with(b"ply"),
            Format::Off => off::looks_like(bytes),
            // Any bytes may be the head of a binary file, but these begin others for sure.
            Format::Stl => {
                stl::looks_like(bytes)
                    || stl::may_be(bytes)
                        && Format::of_plain(bytes)
                            .is_none_or(|f| matches!(f, Format::Obj | Format::Off))
            }
            Format::Msh | Format::Msh2 => msh::looks_like(bytes),
            Format::Medit => medit::looks_like(bytes),
            Format::Vtk => vtk::looks_like(bytes),
            Format::Vtu | Format::Vtp => vtu::looks_like(bytes),
            Format::Obj => obj::looks_like(bytes),
            // It begins with a number.
            Format::Tetgen => false,
        }
    }

    /// As [`Format::of_content`], of content without gzip, UTF-16 and marks.
    pub(super) fn of_plain(bytes: &[u8]) -> Option<Format> {
        let ply = bytes.trim_ascii_start().strip_prefix(b"ply");
        if ply.is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_whitespace)) {
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
            return Some(match vtu::is_poly_data(bytes) {
                true => Format::Vtp,
                false => Format::Vtu,
            });
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
            Format::Vtp => "VTP",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_format_is_in_the_list_and_known_by_its_extensions() {
        for format in Format::ALL {
            // The name alone does not tell the versions of MSH apart.
            let known = match format {
                Format::Msh2 => Format::Msh,
                format => format,
            };
            for extension in format.extensions() {
                let name = format!("a.b.{}", extension.to_uppercase());
                for name in [&name, &format!("{name}.gz")] {
                    assert_eq!(Format::of_name(Path::new(name)), Some(known), "{name}");
                }
            }
            assert!(format.holds_surfaces() || format.holds_volumes());
        }
        let surfaces = "obj, ply, off, stl, msh, msh2, medit, vtk, vtu and vtp";
        let volumes = "msh, msh2, medit, tetgen, vtk and vtu";
        assert_eq!(
            Format::summary(),
            format!("{surfaces} for surfaces; {volumes} for volumes")
        );
        assert_eq!(Format::list(|f| f == Format::Obj), "obj");
    }

    #[cfg(feature = "cli")]
    #[test]
    fn the_list_is_that_of_the_command_line() {
        use clap::ValueEnum;
        assert_eq!(Format::value_variants(), Format::ALL);
        let words = Format::ALL.map(|f| f.to_possible_value().unwrap().get_name().to_owned());
        assert_eq!(words, Format::ALL.map(Format::word));
    }
}
