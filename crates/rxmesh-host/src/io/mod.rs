//! Meshes from files and into files. [`Format`] lists the formats.
//!
//! [`read`] takes the whole file into memory, so sizes that a header promises are checked against what is there
//! before anything is reserved. Errors name the file, the line (or byte) and the value. [`write()`] is atomic: readers
//! of the path see the old file or the new one. `docs/use/formats.md` says what each format keeps.

mod alike;
mod arrays;
mod budget;
mod codec;
mod content;
mod creases;
mod error;
mod foreign;
mod format;
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

pub use creases::read_creases;
pub use error::{IoError, Place};
pub use relocate::relocate;
pub use shape::{Model, Shape};
pub use tets::{is_volume, is_volume_bytes, read_tetgen_bytes, read_tets, read_tets_bytes};

// The list of formats: the module, and for each of its formats the name here, the constant there, and words for help.
format::formats! {
    obj { Obj = CODEC: "Wavefront OBJ" }
    ply { Ply = CODEC: "Polygon file format of Stanford" }
    off { Off = CODEC: "Object file format of Geomview, with its variants" }
    stl { Stl = CODEC: "Stereolithography" }
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
use codec::{Codec, Read, Write as Writer};
use error::Fault;
use points::Bits;
use soup::Soup;
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

/// How to read.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Cut polygons into triangles. Off by default: the faces would no longer be those of the file.
    pub triangulate: bool,
    /// The format, when neither name nor content should decide.
    pub format: Option<Format>,
}

changeable!(ReadOptions);

/// What came out of a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Loaded<M = TriMesh> {
    /// The mesh.
    pub mesh: M,
    /// The format it was in.
    pub format: Format,
    /// What was in the file and is not in the mesh, and what else a person should know.
    pub warnings: Vec<String>,
}

/// Reads a mesh of triangles. The extension decides the format, failing that the content.
///
/// # Errors
///
/// What is wrong with the file, and where; polygons, unless they are to be cut.
pub fn read(path: &Path, options: &ReadOptions) -> Result<Loaded, IoError> {
    read_bytes(&bytes_of(path)?, path, options)
}

/// Reads a mesh of triangles from memory; `name` decides the format as a path would, and stands in messages.
///
/// # Errors
///
/// As [`read`].
pub fn read_bytes(bytes: &[u8], name: &Path, options: &ReadOptions) -> Result<Loaded, IoError> {
    load(bytes, name, options, |soup| {
        soup.triangles(options.triangulate)
    })
}

/// Reads a mesh as it stands in the file: polygons stay what they are (whatever `options.triangulate` says), and
/// sharpness and holes are kept.
///
/// # Errors
///
/// What is wrong with the file, and where.
pub fn read_poly(path: &Path, options: &ReadOptions) -> Result<Loaded<PolyMesh>, IoError> {
    read_poly_bytes(&bytes_of(path)?, path, options)
}

/// As [`read_poly`], from memory; `name` decides the format as a path would, and stands in messages.
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
    let Prepared {
        bytes,
        format,
        warnings: mut all,
    } = Prepared::new(bytes, name, options)?;
    let read = |bits| soup(&bytes, format, bits, name);
    let soup = match read(Bits::Single) {
        Ok(soup) if soup.points.want_double(&soup.corners) => read(Bits::Double),
        Err(fault) if fault.wants_double() => read(Bits::Double),
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
struct Prepared<'a> {
    bytes: Cow<'a, [u8]>,
    format: Format,
    warnings: Vec<String>,
}

impl<'a> Prepared<'a> {
    fn new(bytes: &'a [u8], name: &Path, options: &ReadOptions) -> Result<Prepared<'a>, IoError> {
        let content::Content {
            bytes,
            mut warnings,
        } = plain(bytes, name)?;
        let (format, warning) = formatted(&bytes, name, options)?;
        warnings.extend(warning);
        let bytes = content::text(bytes, format);
        Ok(Prepared {
            format: format.exact(&bytes),
            bytes,
            warnings,
        })
    }
}

/// [`content::plain`] of a file that has a name.
fn plain<'a>(bytes: &'a [u8], name: &Path) -> Result<content::Content<'a>, IoError> {
    content::plain(bytes).map_err(|what| IoError::Malformed {
        path: name.to_owned(),
        place: Place::File,
        what,
    })
}

/// The format of a file that is to be read: what was asked for, what the name says, what the content looks like. A
/// content that the named format cannot have, and that has the beginning of another one, is read as that, with a
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

fn soup(bytes: &[u8], format: Format, bits: Bits, name: &Path) -> Result<Soup, Fault> {
    match format.codec().read {
        Read::Surface { read, .. } => read(bytes, bits),
        Read::Elements(read) => read(bytes, bits, name)?.into_soup(),
        Read::Pair => Err(Fault::file(format!(
            "{format} holds volumes, and a surface is needed: `convert` to a surface format writes the boundary"
        ))),
    }
}

/// What is wrong may be the name alone: names a format that is not read, says what the content looks like, or that it
/// is not what the name says.
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
        (Some(other), _) => format!("it was read as {format} and looks like {other}"),
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

/// Storage of numbers, where a format leaves the choice: see [`Format::encodings`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub enum Encoding {
    /// Binary, little-endian (VTK: big-endian, as it has no other).
    #[default]
    Binary,
    /// Binary, big-endian (PLY only).
    BinaryBigEndian,
    /// Text.
    Ascii,
    /// Binary as text: base64 (VTU and VTP only).
    Base64,
}

/// How to write.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The format, when the extension should not decide.
    pub format: Option<Format>,
    /// Storage of numbers. Formats of text alone are always text.
    pub encoding: Encoding,
}

changeable!(WriteOptions);

/// What became of a mesh that was written.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WriteReport {
    /// What the mesh holds and the file does not.
    pub warnings: Vec<String>,
    /// The format it was written in.
    pub format: Format,
    /// Size of the file.
    pub bytes: u64,
}

/// Pieces of a file, in order, so that they can be made in parallel.
type Pieces = Vec<Vec<u8>>;

/// A mesh as bytes: of TetGen's pair of files both, each with its name.
struct Encoded<'a> {
    files: Vec<(Cow<'a, Path>, Pieces)>,
    format: Format,
    warnings: Vec<String>,
}

impl Encoded<'_> {
    fn report(self) -> WriteReport {
        let pieces = self.files.iter().flat_map(|(_, pieces)| pieces);
        WriteReport {
            bytes: pieces.map(|p| p.len() as u64).sum(),
            warnings: self.warnings,
            format: self.format,
        }
    }
}

/// Writes a mesh: of triangles, of polygons or of tetrahedra; a name that ends in `.gz` packs it. Either the whole
/// file is there afterwards, or nothing has changed; of TetGen's pair each file for itself, the vertices first.
///
/// # Errors
///
/// A mesh that is not valid, a format that holds none of its kind, and what the system says.
pub fn write<'a>(
    path: &Path,
    mesh: impl Into<Model<'a>>,
    options: &WriteOptions,
) -> Result<WriteReport, IoError> {
    write_with(path, mesh, options, files::Links::Follow)
}

/// Writes a mesh as [`write()`]; `links` says what becomes of a symbolic link at `path`.
///
/// # Errors
///
/// Those of [`write()`]; a link that is refused.
pub fn write_with<'a>(
    path: &Path,
    mesh: impl Into<Model<'a>>,
    options: &WriteOptions,
    links: files::Links,
) -> Result<WriteReport, IoError> {
    let encoded = encode(path, mesh.into(), options)?;
    for (path, pieces) in &encoded.files {
        let written = files::write_with(path, links, |file| {
            pieces.iter().try_for_each(|p| file.write_all(p))
        });
        written.map_err(|source| IoError::Write {
            path: path.to_path_buf(),
            source,
        })?;
    }
    Ok(encoded.report())
}

/// Writes a mesh into memory; `name` decides the format as a path would, and stands in messages.
///
/// # Errors
///
/// As [`write_to`].
pub fn write_bytes<'a>(
    name: &Path,
    mesh: impl Into<Model<'a>>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, WriteReport), IoError> {
    let mut all = Vec::new();
    let report = write_to(&mut all, name, mesh, options)?;
    Ok((all, report))
}

/// Writes a mesh to a stream, such as stdout; `name` decides the format as a path would, and stands in messages.
///
/// # Errors
///
/// As [`write()`]; TetGen's format, which is two files.
pub fn write_to<'a>(
    out: &mut impl Write,
    name: &Path,
    mesh: impl Into<Model<'a>>,
    options: &WriteOptions,
) -> Result<WriteReport, IoError> {
    let encoded = encode(name, mesh.into(), options)?;
    let path = name.to_owned();
    let [(_, pieces)] = &encoded.files[..] else {
        let what = format!(
            "{} is a pair of files, which one stream cannot be",
            encoded.format
        );
        return Err(IoError::Options { path, what });
    };
    let written = pieces.iter().try_for_each(|p| out.write_all(p));
    written
        .and_then(|()| out.flush())
        .map_err(|source| IoError::Write { path, source })?;
    Ok(encoded.report())
}

fn encode<'a>(
    path: &'a Path,
    mesh: Model<'_>,
    options: &WriteOptions,
) -> Result<Encoded<'a>, IoError> {
    let Some(format) = options.format.or_else(|| Format::of_name(path)) else {
        return Err(IoError::UnknownFormat {
            path: path.to_owned(),
            looked_inside: false,
        });
    };
    if let Some(serial) = Format::serial_name(path) {
        let what = format!(
            "a file of this name lists the files of pieces, and one mesh is one file: write {serial}"
        );
        return Err(IoError::Options {
            path: path.to_owned(),
            what,
        });
    }
    mesh.validate().map_err(|source| IoError::Mesh {
        path: path.to_owned(),
        source,
    })?;
    if let Some(what) = lacks_encoding(format, options.encoding) {
        return Err(IoError::Options {
            path: path.to_owned(),
            what,
        });
    }
    let mut warnings = Vec::new();
    let mut files = match mesh {
        Model::Surface(mesh) => {
            let pieces = surface(path, mesh, format, options, &mut warnings)?;
            vec![(Cow::Borrowed(path), pieces)]
        }
        Model::Volume(mesh) => tets::encode(path, mesh, format, options, &mut warnings)?,
    };
    for (path, pieces) in &mut files {
        if gzip::unpacked_name(path).is_some() {
            *pieces = vec![gzip::pack(pieces)];
        }
    }
    Ok(Encoded {
        files,
        format,
        warnings,
    })
}

/// Returns the reason why a format cannot be written in an encoding. Text and little-endian bytes are asked of all
/// formats: those that have the other one alone use that.
fn lacks_encoding(format: Format, encoding: Encoding) -> Option<String> {
    let has = |f: &Format| f.encodings().contains(&encoding);
    let (what, it) = match encoding {
        Encoding::Binary | Encoding::Ascii => return None,
        Encoding::BinaryBigEndian => ("choice of the order of bytes", "one"),
        Encoding::Base64 => ("base64", "it"),
    };
    let others: Vec<&str> = Format::ALL
        .into_iter()
        .filter(has)
        .map(|f| f.codec().name)
        .collect();
    let verb = if others.len() == 1 { "has" } else { "have" };
    let others = format::enumerated(&others);
    (!has(&format)).then(|| format!("{format} has no {what}; {others} {verb} {it}"))
}

fn surface(
    path: &Path,
    mesh: Shape<'_>,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Result<Pieces, IoError> {
    let refused = |what: String| IoError::Options {
        path: path.to_owned(),
        what,
    };
    Ok(match format.codec().write {
        Writer::Surface(write) => write(mesh, options.encoding, warnings),
        Writer::Triangles(_) if !mesh.fits_single() => {
            return Err(refused(format!(
                "coordinates are beyond 32-bit floats, which are all that {format} holds; OBJ, OFF and PLY hold them"
            )));
        }
        Writer::Triangles(write) => match mesh {
            Shape::Triangles(mesh) => write(mesh, options.encoding, warnings),
            Shape::Polygons(mesh) => {
                let mesh = cut(mesh, path, warnings)?;
                write(&mesh, options.encoding, warnings)
            }
        },
        Writer::Elements { largest_face, .. } => match mesh {
            Shape::Polygons(m) if m.largest_face() > largest_face => {
                let mesh = cut(m, path, warnings)?;
                elements(Shape::Triangles(&mesh), format, options, warnings)
            }
            mesh => elements(mesh, format, options, warnings),
        },
        Writer::Pair(_) => {
            return Err(refused(format!(
                "{format} holds volumes of tetrahedra, and this is a surface: a program that fills it (TetGen, \
                    fTetWild, Gmsh) makes a volume of it"
            )));
        }
    })
}

/// Writes a surface in a format of elements. Says what the format does not hold.
fn elements(
    mesh: Shape<'_>,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Pieces {
    let marks = match mesh {
        Shape::Triangles(_) => Vec::new(),
        Shape::Polygons(mesh) if format.holds_columns() => mesh.mark_columns(),
        Shape::Polygons(_) => {
            soup::warn_of_marks(&format.to_string(), mesh, warnings);
            Vec::new()
        }
    };
    let name = format.to_string();
    soup::warn_of_layers(&name, mesh.extras(), true, warnings);
    let edges = mesh.sharp_edges().len();
    if edges > 0 && format.holds_columns() {
        warnings.push(format!("{name} holds no sharp edges: {edges} are not kept"));
    }
    let columns = arrays::all_columns(mesh.into(), &marks);
    tets::pieces(mesh.into(), &columns, format, options, warnings)
}

/// A mesh of polygons as triangles, for a format that holds nothing else.
fn cut(mesh: &PolyMesh, path: &Path, warnings: &mut Vec<String>) -> Result<TriMesh, IoError> {
    let (mesh, more) = mesh.clone().triangulate().map_err(|source| IoError::Mesh {
        path: path.to_owned(),
        source,
    })?;
    warnings.extend(more);
    Ok(mesh)
}
