//! File formats, and their recognition.

use super::{Encoding, Format, content, gzip};
use std::fmt;
use std::path::Path;

/// Makes of the list of formats their modules, the enum [`Format`] and its parts that differ from format to format.
macro_rules! formats {
    ($($module:ident { $($format:ident = $codec:ident: $about:literal),+ $(,)? })+) => {
        $(mod $module;)+

        /// A file format.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(
                #[doc = concat!($about, ".")]
                $format,
            )+)+
        }

        impl Format {
            /// All formats.
            pub const ALL: [Format; [$($(Format::$format),+),+].len()] = [$($(Format::$format),+),+];

            fn codec(self) -> &'static Codec {
                match self {
                    $($(Format::$format => &$module::$codec,)+)+
                }
            }

            /// Returns `true` for formats of one module, whose reader reads them all, whatever the name says.
            fn is_same_family(self, other: Format) -> bool {
                let module = |format| match format {
                    $($(Format::$format)|+ => stringify!($module),)+
                };
                module(self) == module(other)
            }

            /// Returns the format in words, for help texts.
            pub fn about(self) -> &'static str {
                match self {
                    $($(Format::$format => $about,)+)+
                }
            }
        }
    };
}
pub(super) use formats;

#[cfg(feature = "cli")]
impl clap::ValueEnum for Format {
    fn value_variants<'a>() -> &'a [Format] {
        &Format::ALL
    }

    fn to_possible_value(&self) -> Option<clap::builder::PossibleValue> {
        Some(clap::builder::PossibleValue::new(self.word()).help(self.about()))
    }
}

/// Joins words for messages: `obj, ply and off`.
pub(super) fn enumerated(words: &[&str]) -> String {
    match words {
        [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
        words => words.concat(),
    }
}

impl Format {
    /// Returns the word that names the format on the command line.
    pub fn word(self) -> &'static str {
        self.codec().word
    }

    /// Returns the words of the formats that `which` chooses, for messages: `obj, ply and off`.
    pub fn list(which: impl Fn(Format) -> bool) -> String {
        let chosen = Format::ALL.into_iter().filter(|f| which(*f));
        enumerated(&chosen.map(Format::word).collect::<Vec<_>>())
    }

    /// Returns the formats of surfaces and those of volumes in one line, for messages.
    pub fn summary() -> String {
        format!(
            "{} for surfaces; {} for volumes",
            Format::list(Format::holds_surfaces),
            Format::list(Format::holds_volumes)
        )
    }

    /// Returns `true` if files can hold surfaces.
    pub fn holds_surfaces(self) -> bool {
        self.codec().holds.surfaces
    }

    /// Returns `true` if files can hold volumes of tetrahedra.
    pub fn holds_volumes(self) -> bool {
        self.codec().holds.volumes
    }

    /// Returns the encodings in which files can be written: text alone, or text and others.
    pub fn encodings(self) -> &'static [Encoding] {
        self.codec().encodings
    }

    /// Returns `true` if numbers can be stored as text or as bytes.
    pub fn has_encodings(self) -> bool {
        self.encodings().len() > 1 && self.encodings().contains(&Encoding::Ascii)
    }

    /// Returns `true` if files can hold columns of any name, such as values that were computed for the vertices.
    pub fn holds_columns(self) -> bool {
        self.codec().holds.columns
    }

    /// Returns `true` if files can hold normals of vertices.
    pub fn holds_normals(self) -> bool {
        self.codec().holds.normals
    }

    /// Returns the extension that file names of this format usually have.
    pub fn extension(self) -> &'static str {
        self.extensions()[0]
    }

    /// Returns the extensions that file names of this format have, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        self.codec().extensions
    }

    /// Returns the name to write for a path whose extension means a list of pieces, which is read only.
    pub(super) fn serial_name(path: &Path) -> Option<String> {
        if let Some(path) = gzip::unpacked_name(path) {
            return Some(format!("{}.gz", Format::serial_name(&path)?));
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let lists_pieces = |f: &Format| f.codec().piece_list == Some(&extension[..]);
        let serial = Format::ALL.into_iter().find(lists_pieces)?.extension();
        Some(path.with_extension(serial).display().to_string())
    }

    /// Returns the format of a file name's extension, if there is one. `.msh` is [`Format::Msh`] of any version, which
    /// the content decides. A `.gz` after the extension is ignored.
    pub fn of_name(path: &Path) -> Option<Format> {
        if let Some(path) = gzip::unpacked_name(path) {
            return Format::of_name(&path);
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let has = |f: &Format| f.extensions().contains(&&extension[..]);
        Format::ALL.into_iter().find(has)
    }

    /// Returns the format recognised from the content, if any. Compressed content is decompressed for it.
    pub fn of_content(bytes: &[u8]) -> Option<Format> {
        Format::of_plain(&content::plain(bytes).ok()?.bytes)
    }

    /// Works like [`Format::of_content`], for content without gzip, UTF-16 and marks.
    pub(super) fn of_plain(bytes: &[u8]) -> Option<Format> {
        let mut all = Format::ALL;
        all.sort_by_key(|f| f.codec().evidence);
        let format = all.into_iter().find(|f| (f.codec().looks_like)(bytes))?;
        Some(format.exact(bytes))
    }

    /// Returns the format of the same module that content is of: the version of MSH, the kind of data of VTK's XML.
    pub(super) fn exact(self, bytes: &[u8]) -> Format {
        let mut family = Format::ALL.into_iter().filter(|f| f.is_same_family(self));
        family
            .find(|f| (f.codec().is_variant)(bytes))
            .unwrap_or(self)
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.codec().name)
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
        let surfaces = Format::list(|f| matches!(f, Format::Obj | Format::Ply | Format::Off));
        assert_eq!(surfaces, "obj, ply and off");
        assert!(Format::summary().starts_with("obj, ply, off, stl, "));
        assert!(Format::summary().contains(" for surfaces; msh, msh2, "));
        assert_eq!(Format::list(|f| f == Format::Obj), "obj");
    }
}
