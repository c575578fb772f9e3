//! Errors between a file and a mesh.

use super::Format;
use crate::mesh::MeshError;
use std::fmt;
use std::path::{Path, PathBuf};

/// Why a file could not be read or written. Every message starts with the file's name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IoError {
    /// The operating system refused to give us the file.
    #[error("{}: cannot be read: {source}", path.display())]
    Read {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The operating system refused to take the file. A file that was there is untouched.
    #[error("{}: cannot be written: {source}", path.display())]
    Write {
        /// Path of the file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// Neither the name nor the content tells the format of the file.
    #[error(
        "{}: the format cannot be told from the name{}; formats are {}", path.display(),
        if *looked_inside { " or the content" } else { "" }, Format::summary()
    )]
    UnknownFormat {
        /// Path of the file.
        path: PathBuf,
        /// `true` if the content was examined, too.
        looked_inside: bool,
    },
    /// The content does not follow the format, or is cut off.
    #[error("{}: {place}{what}", path.display())]
    Malformed {
        /// Path of the file.
        path: PathBuf,
        /// Place in the file.
        place: Place,
        /// Description of the fault, with the offending value.
        what: String,
    },
    /// The file holds polygons and triangulation was not requested.
    #[error(
        "{}: {place}a face has {corners} corners; only triangles are read unless triangulation is requested. \
            {polygons} of {faces} faces are not triangles", path.display()
    )]
    Polygon {
        /// Path of the file.
        path: PathBuf,
        /// Place of the first polygon.
        place: Place,
        /// Number of its corners.
        corners: usize,
        /// Number of faces that are not triangles.
        polygons: usize,
        /// Number of faces.
        faces: usize,
    },
    /// The file has no vertices, so there is no mesh in it.
    #[error("{}: holds no vertices{hint}", path.display())]
    NoVertices {
        /// Path of the file.
        path: PathBuf,
        /// Another possible reason, or nothing.
        hint: String,
    },
    /// The data that were read, or are to be written, are not a mesh.
    #[error("{}: {source}", path.display())]
    Mesh {
        /// Path of the file.
        path: PathBuf,
        /// Fault of the mesh.
        source: MeshError,
    },
    /// The options require something the format cannot do.
    #[error("{}: {what}", path.display())]
    Options {
        /// Path of the file.
        path: PathBuf,
        /// Description of the request and of the possible ones.
        what: String,
    },
}

/// Place in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Place {
    /// A line, counted from 1.
    Line(usize),
    /// A byte of a binary file, counted from 0.
    Byte(usize),
    /// File as a whole.
    File,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Line(n) => write!(f, "line {n}: "),
            Place::Byte(n) => write!(f, "byte {n}: "),
            Place::File => Ok(()),
        }
    }
}

/// A reader's error before the file's name and the line are known. Readers work on byte offsets only; lines are
/// counted when something is wrong.
#[derive(Debug)]
pub(super) struct Fault {
    pub(super) at: FaultPosition,
    pub(super) kind: FaultKind,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum FaultPosition {
    /// Offset into text: reported as a line.
    Text(usize),
    /// Offset into binary data.
    Byte(usize),
    File,
}

#[derive(Debug)]
pub(super) enum FaultKind {
    What(String),
    /// A coordinate that 32 bits do not hold.
    Large(String),
    Polygon {
        corners: usize,
        polygons: usize,
        faces: usize,
    },
    NoVertices,
    Mesh(MeshError),
}

/// Returns a message on one line: words of a file in it may have line breaks and other control characters.
fn one_line(what: String) -> String {
    if what.contains(char::is_control) {
        what.chars()
            .map(|c| if c.is_control() { ' ' } else { c })
            .collect()
    } else {
        what
    }
}

impl Fault {
    pub(super) fn text(offset: usize, what: impl Into<String>) -> Fault {
        Fault {
            at: FaultPosition::Text(offset),
            kind: FaultKind::What(one_line(what.into())),
        }
    }

    pub(super) fn byte(offset: usize, what: impl Into<String>) -> Fault {
        Fault {
            at: FaultPosition::Byte(offset),
            kind: FaultKind::What(one_line(what.into())),
        }
    }

    pub(super) fn file(what: impl Into<String>) -> Fault {
        Fault {
            at: FaultPosition::File,
            kind: FaultKind::What(one_line(what.into())),
        }
    }

    /// Returns the same fault at a byte, for binary files that have words in them.
    pub(super) fn at_byte(mut self) -> Fault {
        if let FaultPosition::Text(offset) = self.at {
            self.at = FaultPosition::Byte(offset);
        }
        self
    }

    /// Returns the same fault of a part of a file that begins at `start`.
    pub(super) fn moved(mut self, start: usize) -> Fault {
        self.at = match self.at {
            FaultPosition::Text(offset) => FaultPosition::Text(start.saturating_add(offset)),
            FaultPosition::Byte(offset) => FaultPosition::Byte(start.saturating_add(offset)),
            FaultPosition::File => FaultPosition::File,
        };
        self
    }

    /// Returns the same fault, of a file that may be fine with coordinates of 64 bits.
    pub(super) fn wanting_double(mut self) -> Fault {
        if let FaultKind::What(what) = self.kind {
            self.kind = FaultKind::Large(what);
        }
        self
    }

    /// Returns `true` if the same file may be fine with coordinates of 64 bits.
    pub(super) fn wants_double(&self) -> bool {
        matches!(self.kind, FaultKind::Large(_))
    }

    /// Adds the file's name and turns an offset into a line.
    pub(super) fn in_file(self, path: &Path, bytes: &[u8]) -> IoError {
        let path = path.to_owned();
        let place = match self.at {
            FaultPosition::Text(o) => {
                let before = &bytes[..o.min(bytes.len())];
                // Old Macintosh files end lines with a carriage return alone.
                let feeds = memchr::memchr_iter(b'\n', before).count();
                let returns = || memchr::memchr_iter(b'\r', before).count();
                Place::Line(1 + if feeds > 0 { feeds } else { returns() })
            }
            FaultPosition::Byte(o) => Place::Byte(o),
            FaultPosition::File => Place::File,
        };
        match self.kind {
            FaultKind::What(what) | FaultKind::Large(what) => {
                IoError::Malformed { path, place, what }
            }
            FaultKind::Polygon {
                corners,
                polygons,
                faces,
            } => IoError::Polygon {
                path,
                place,
                corners,
                polygons,
                faces,
            },
            FaultKind::NoVertices => IoError::NoVertices {
                path,
                hint: String::new(),
            },
            FaultKind::Mesh(source) => IoError::Mesh { path, source },
        }
    }
}

impl From<MeshError> for Fault {
    fn from(e: MeshError) -> Fault {
        Fault {
            at: FaultPosition::File,
            kind: FaultKind::Mesh(e),
        }
    }
}
