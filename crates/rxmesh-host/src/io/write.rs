//! Writing of meshes in all formats.

use super::codec::Write as Writer;
use super::shape::TriangleView;
use super::{Format, IoError, MeshRef, Model, arrays, files, format, gzip, soup, tets};
use crate::mesh::{PolyMesh, TriMesh};
use std::borrow::Cow;
use std::io::Write;
use std::path::Path;

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
    /// Binary as text: base64 (VTU, VTP and glTF only).
    Base64,
    /// Whole numbers of 8 and 16 bits for positions, normals, texture coordinates and colours (GLB and glTF only).
    Quantised,
    /// Whole numbers as in [`Quantised`](Self::Quantised), packed (GLB and glTF only).
    Packed,
}

/// Options of writing.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// Format, when the extension should not decide.
    pub format: Option<Format>,
    /// Storage of numbers. Formats of text alone are always text.
    pub encoding: Encoding,
}

changeable!(WriteOptions);

/// Results of writing a mesh.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct WriteReport {
    /// Warnings about data of the mesh that the file does not hold.
    pub warnings: Vec<String>,
    /// The format it was written in.
    pub format: Format,
    /// Size of the file.
    pub bytes: u64,
}

/// Pieces of a file, in order, so that they can be made in parallel.
pub(super) type Pieces = Vec<Vec<u8>>;

/// Pieces of a file, of which some are a mesh's own memory.
pub(super) type BorrowedPieces<'a> = Vec<Cow<'a, [u8]>>;

/// A mesh as bytes: of TetGen's pair of files both, each with its name.
pub(super) struct Encoded<'a> {
    pub(super) files: Vec<(Cow<'a, Path>, BorrowedPieces<'a>)>,
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
/// A mesh that is not valid, a format that holds none of its kind, and any error of the system.
pub fn write<'a>(
    path: &Path,
    mesh: impl Into<Model<'a>>,
    options: &WriteOptions,
) -> Result<WriteReport, IoError> {
    write_with(path, mesh, options, files::Links::Follow)
}

/// Writes a mesh as [`write()`]; `links` decides the treatment of a symbolic link at `path`.
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

/// Writes a mesh into memory; `name` decides the format as a path would, and appears in messages.
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

/// Writes a mesh to a stream, such as stdout; `name` decides the format as a path would, and appears in messages.
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

pub(super) fn encode<'a>(
    path: &'a Path,
    mesh: Model<'a>,
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
        Model::Volume(mesh) => {
            let files = tets::encode(path, mesh, format, options, &mut warnings)?;
            let each = files.into_iter();
            each.map(|(path, pieces)| (path, owned(pieces))).collect()
        }
    };
    for (path, pieces) in &mut files {
        if gzip::unpacked_name(path).is_some() {
            *pieces = owned(vec![gzip::pack(pieces)]);
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
        Encoding::Quantised => ("quantised numbers", "them"),
        Encoding::Packed => ("packed numbers", "them"),
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

/// Returns pieces that are no mesh's memory.
fn owned<'a>(pieces: Pieces) -> BorrowedPieces<'a> {
    pieces.into_iter().map(Cow::Owned).collect()
}

pub(super) fn surface<'a>(
    path: &Path,
    mesh: MeshRef<'a>,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Result<BorrowedPieces<'a>, IoError> {
    let refused = |what: String| IoError::Options {
        path: path.to_owned(),
        what,
    };
    Ok(owned(match format.codec().write {
        Writer::Surface(write) => write(mesh, options.encoding, warnings),
        Writer::Triangles(_) if !mesh.fits_single() => {
            return Err(refused(format!(
                "coordinates are beyond 32-bit floats, which are all that {format} holds; OBJ, OFF, PLY and glTF \
                hold them"
            )));
        }
        Writer::Triangles(write) => match mesh {
            MeshRef::Triangles(mesh) => write(mesh, options.encoding, warnings),
            MeshRef::Polygons(mesh) => {
                let mesh = cut(mesh, path, warnings)?;
                write(&mesh, options.encoding, warnings)
            }
        },
        Writer::PlacedTriangles(write) => {
            let view = match mesh {
                MeshRef::Triangles(mesh) => Some(mesh.into()),
                MeshRef::Polygons(mesh) => TriangleView::of_polygons(mesh),
            };
            if let Some(view) = view {
                return write(view, options.encoding, warnings).map_err(refused);
            }
            let MeshRef::Polygons(mesh) = mesh else {
                unreachable!("a mesh of triangles is a view of triangles");
            };
            let mesh = cut(mesh, path, warnings)?;
            let pieces = write((&mesh).into(), options.encoding, warnings);
            let pieces = pieces.map_err(refused)?.into_iter();
            pieces.map(Cow::into_owned).collect()
        }
        Writer::Elements { largest_face, .. } => match mesh {
            MeshRef::Polygons(m) if m.largest_face() > largest_face => {
                let mesh = cut(m, path, warnings)?;
                elements(MeshRef::Triangles(&mesh), format, options, warnings)
            }
            mesh => elements(mesh, format, options, warnings),
        },
        Writer::Pair(_) => {
            return Err(refused(format!(
                "{format} holds volumes of tetrahedra, and this is a surface: a program that fills it (TetGen, \
                    fTetWild, Gmsh) makes a volume of it"
            )));
        }
    }))
}

/// Writes a surface in a format of elements. Warns of data that the format does not hold.
fn elements(
    mesh: MeshRef<'_>,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Pieces {
    let marks = match mesh {
        MeshRef::Triangles(_) => Vec::new(),
        MeshRef::Polygons(mesh) if format.holds_columns() => mesh.mark_columns(),
        MeshRef::Polygons(_) => {
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

/// Cuts a mesh of polygons into triangles, for a format that holds nothing else.
fn cut(mesh: &PolyMesh, path: &Path, warnings: &mut Vec<String>) -> Result<TriMesh, IoError> {
    let (mesh, more) = mesh.clone().triangulate().map_err(|source| IoError::Mesh {
        path: path.to_owned(),
        source,
    })?;
    warnings.extend(more);
    Ok(mesh)
}
