//! Meshes from files and into files. [`Format`] lists the formats.
//!
//! [`read`] takes the whole file into memory, so sizes that a header promises are checked against the size of the file
//! before anything is reserved. Errors name the file, the line (or byte) and the value. [`write()`] is atomic: readers
//! of the path see the old file or the new one. `docs/use/formats.md` lists the content that each format keeps.

mod alike;
mod arrays;
pub mod base64;
mod budget;
mod codec;
mod content;
mod creases;
mod error;
mod foreign;
mod format;
mod grids;
mod gzip;
mod names;
mod numbers;
mod points;
mod relocate;
mod rounding;
mod scan;
mod shape;
mod soup;
#[cfg(test)]
mod tests;
mod tets;
mod text;
mod tokens;
mod unique_names;
mod volume;
mod write;

pub use creases::read_creases;
pub use error::{IoError, Place};
pub use grids::{
    GridFormat, GridReadOptions, GridWriteOptions, GridWriteReport, LoadedGrid, check_grid_output,
    read_grid, read_grid_bytes, write_grid, write_grid_bytes, write_grid_with,
};
pub use relocate::relocate;
pub use shape::{MeshRef, Model};
pub use tets::{is_volume, is_volume_bytes, read_tetgen_bytes, read_tets, read_tets_bytes};
pub use write::{Encoding, WriteOptions, WriteReport, write, write_bytes, write_to, write_with};

// The list of formats: the module, and for each of its formats the name here, the constant there, and words for help.
format::formats! {
    obj { Obj = CODEC: "Wavefront OBJ" }
    ply { Ply = CODEC: "Polygon file format of Stanford" }
    off { Off = CODEC: "Object file format of Geomview, with its variants" }
    stl { Stl = CODEC: "Stereolithography" }
    gltf {
        Glb = BINARY: "glTF 2.0 as one binary file",
        Gltf = JSON: "glTF 2.0 as JSON; other files are read, and buffers are written within it",
    }
    msh {
        Msh = VERSION_4: "Gmsh's MSH, version 4.1 (4.0 is read as well): surfaces and volumes",
        Msh2 = VERSION_2: "Gmsh's MSH, version 2.2 (1 is read as well): surfaces and volumes",
    }
    medit { Medit = CODEC: "MEDIT's format, `.mesh` (binary `.meshb` is read): surfaces and volumes" }
    tetgen { Tetgen = CODEC: "TetGen's pair of files, `.node` and `.ele`: volumes" }
    vtk { Vtk = CODEC: "VTK's legacy format: surfaces and volumes" }
    vtu {
        Vtu = GRID: "VTK's XML format of unstructured grids: surfaces and volumes",
        Vtp = POLY_DATA: "VTK's XML format of poly data",
    }
}

use crate::files;
use crate::mesh::{PolyMesh, TriMesh};
use codec::{Codec, Read};
use error::Fault;
use points::CoordinateBits;
use soup::Soup;
use std::borrow::Cow;
use std::path::Path;
use write::{BorrowedPieces, Pieces};

/// Options of reading.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Cut polygons into triangles. Off by default, to keep the faces of the file.
    pub triangulate: bool,
    /// Format, when neither name nor content should decide.
    pub format: Option<Format>,
}

changeable!(ReadOptions);

/// A mesh read from a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded<M = TriMesh> {
    /// Mesh of the file.
    pub mesh: M,
    /// The format it was in.
    pub format: Format,
    /// Warnings: data of the file that are not in the mesh, and other notes for the user.
    pub warnings: Vec<String>,
}

/// Reads a mesh of triangles. The extension decides the format, failing that the content.
///
/// # Errors
///
/// The fault of the file and its place; polygons, unless they are to be cut.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Loaded, IoError> {
    read_bytes(&bytes_of(path)?, path, options)
}

/// Reads a mesh of triangles from memory; `name` decides the format as a path would, and appears in messages.
///
/// # Errors
///
/// As [`read`].
pub fn read_bytes(bytes: &[u8], name: &Path, options: &ReadOptions) -> Result<Loaded, IoError> {
    load(bytes, name, options, |soup| {
        soup.triangles(options.triangulate)
    })
}

/// Reads a mesh as it is in the file: polygons stay polygons (whatever `options.triangulate` says), and sharpness
/// and holes are kept.
///
/// # Errors
///
/// The fault of the file and its place.
pub fn read_poly(path: &Path, options: &ReadOptions) -> Result<Loaded<PolyMesh>, IoError> {
    read_poly_bytes(&bytes_of(path)?, path, options)
}

/// Works like [`read_poly`], from memory; `name` decides the format as a path would, and appears in messages.
///
/// # Errors
///
/// As [`read_poly`].
pub fn read_poly_bytes(
    bytes: &[u8],
    name: &Path,
    options: &ReadOptions,
) -> Result<Loaded<PolyMesh>, IoError> {
    load(bytes, name, options, Soup::finish)
}

fn bytes_of(path: &Path) -> Result<Vec<u8>, IoError> {
    files::read(path).map_err(|source| IoError::Read {
        path: path.to_owned(),
        source,
    })
}

fn load<M>(
    bytes: &[u8],
    name: &Path,
    options: &ReadOptions,
    finish: impl FnOnce(Soup) -> Result<(M, Vec<String>), Fault>,
) -> Result<Loaded<M>, IoError> {
    let PreparedFile {
        bytes,
        format,
        warnings: mut all,
    } = PreparedFile::new(bytes, name, options)?;
    let read = |bits| soup(&bytes, format, bits, name);
    let soup = match read(CoordinateBits::Single) {
        Ok(soup) if soup.points.want_double(&soup.corners) => read(CoordinateBits::Double),
        Err(fault) if fault.wants_double() => read(CoordinateBits::Double),
        soup => soup,
    };
    let welded = |mut soup: Soup| {
        if let Read::Surface { weld, .. } = format.codec().read {
            weld(&mut soup);
        }
        finish(soup)
    };
    match soup.and_then(welded) {
        Ok((mesh, warnings)) => {
            all.extend(warnings);
            Ok(Loaded {
                mesh,
                format,
                warnings: all,
            })
        }
        Err(fault) => Err(hinted(fault.in_file(name, &bytes), &bytes, name, format)),
    }
}

/// A file's content, made ready for the reader of its format.
struct PreparedFile<'a> {
    bytes: Cow<'a, [u8]>,
    format: Format,
    warnings: Vec<String>,
}

impl<'a> PreparedFile<'a> {
    fn new(
        bytes: &'a [u8],
        name: &Path,
        options: &ReadOptions,
    ) -> Result<PreparedFile<'a>, IoError> {
        let content::Content {
            bytes,
            mut warnings,
        } = plain(bytes, name)?;
        let (format, warning) = formatted(&bytes, name, options)?;
        warnings.extend(warning);
        let bytes = content::text(bytes, format);
        Ok(PreparedFile {
            format: format.exact(&bytes),
            bytes,
            warnings,
        })
    }
}

/// Works like [`content::plain`], for a file that has a name.
fn plain<'a>(bytes: &'a [u8], name: &Path) -> Result<content::Content<'a>, IoError> {
    content::plain(bytes).map_err(|what| IoError::Malformed {
        path: name.to_owned(),
        place: Place::File,
        what,
    })
}

/// Returns the format of a file that is to be read: the requested one, else that of the name, else that of the content.
/// A content that the named format cannot have, and that has the beginning of another one, is read as that, with a
/// warning.
fn formatted(
    bytes: &[u8],
    name: &Path,
    options: &ReadOptions,
) -> Result<(Format, Option<String>), IoError> {
    if bytes.is_empty() {
        let (path, what) = (name.to_owned(), "the file is empty".to_owned());
        return Err(IoError::Malformed {
            path,
            place: Place::File,
            what,
        });
    }
    let named = Format::of_name(name);
    let found = || Format::of_plain(bytes);
    let other = named
        .filter(|named| options.format.is_none() && !(named.codec().may_be)(bytes))
        .zip(found())
        .filter(|(named, found)| !found.is_same_family(*named));
    if let Some((named, found)) = other {
        let warning = format!("the name says {named}, the content is {found} and is read as such");
        return Ok((found, Some(warning)));
    }
    let format = options.format.or(named).or_else(found);
    let format = format.ok_or_else(|| {
        let path = name.to_owned();
        match foreign::words(bytes, None) {
            Some(what) => IoError::Malformed {
                path,
                place: Place::File,
                what,
            },
            None => IoError::UnknownFormat {
                path,
                looked_inside: true,
            },
        }
    })?;
    Ok((format, None))
}

fn soup(bytes: &[u8], format: Format, bits: CoordinateBits, name: &Path) -> Result<Soup, Fault> {
    match format.codec().read {
        Read::Surface { read, .. } => read(bytes, bits),
        Read::Linked(read) => read(bytes, bits, name),
        Read::Elements(read) => read(bytes, bits, name)?.into_soup(),
        Read::Pair => Err(Fault::file(format!(
            "{format} holds volumes, and a surface is needed: `convert` to a surface format writes the boundary"
        ))),
    }
}

/// Adds a hint to an error that may come from a wrong name: a format that is not read, the format recognised from the
/// content, or the one given by the name.
fn hinted(error: IoError, bytes: &[u8], name: &Path, format: Format) -> IoError {
    if let Some(what) = foreign::words(bytes, Some(format)) {
        return IoError::Malformed {
            path: name.to_owned(),
            place: Place::File,
            what,
        };
    }
    let looks = Format::of_plain(bytes).filter(|other| !other.is_same_family(format));
    let named = Format::of_name(name).filter(|named| !named.is_same_family(format));
    let hint = match (looks, named) {
        (Some(other), _) => format!("it was read as {format}, but its content looks like {other}"),
        (None, Some(named)) => format!("the name says {named}, the content is {format}"),
        (None, None) => return error,
    };
    match error {
        IoError::NoVertices { path, .. } => IoError::NoVertices {
            path,
            hint: format!(": {hint}"),
        },
        IoError::Malformed { path, place, what } => IoError::Malformed {
            path,
            place,
            what: format!("{what} ({hint})"),
        },
        error => error,
    }
}
