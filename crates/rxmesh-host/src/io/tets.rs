//! Volumes from files and into files.

use super::codec::{Read, Write};
use super::error::{Fault, IoError};
use super::points::CoordinateBits;
use super::volume::Volume;
use super::{Format, Loaded, Model, Pieces, PreparedFile, ReadOptions, WriteOptions};
use super::{bytes_of, content, gzip, hinted, plain, tetgen};
use crate::mesh::{Column, TetMesh};
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Reads a volume of tetrahedra. The extension decides the format, failing that the content; either name of TetGen's
/// pair of files will do.
///
/// Inverted cells are reversed, elements other than tetrahedra are left out, and only the corners of tetrahedra of
/// higher order are kept, each with a warning.
///
/// # Errors
///
/// The fault of the file and its place; a surface format; a file without tetrahedra.
pub fn read_tets(path: &Path, options: &ReadOptions) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(&bytes_of(path)?, path, options)
}

/// Works like [`read_tets`], from memory; `name` decides the format as a path would, and appears in messages. The other
/// file of TetGen's pair is read from beside `name`.
///
/// # Errors
///
/// As [`read_tets`].
pub fn read_tets_bytes(
    bytes: &[u8],
    name: &Path,
    options: &ReadOptions,
) -> Result<Loaded<TetMesh>, IoError> {
    let content = PreparedFile::new(bytes, name, options)?;
    if !matches!(content.format.codec().read, Read::Pair) {
        return load(content, name);
    }
    let [nodes, cells] = tetgen::pair(name);
    if tetgen::is_cells(name) {
        read_tetgen_bytes(&other_of_pair(nodes)?, bytes, name)
    } else {
        read_tetgen_bytes(bytes, &other_of_pair(cells)?, name)
    }
}

/// Reads the content of the other file of a pair: packed as the first one, or not.
fn other_of_pair(path: PathBuf) -> Result<Vec<u8>, IoError> {
    let other = gzip::unpacked_name(&path).unwrap_or_else(|| gzip::packed_name(&path));
    match !path.exists() && other.exists() {
        true => bytes_of(&other),
        false => bytes_of(&path),
    }
}

/// Reads TetGen's pair of files from memory; `name` is that of either.
///
/// # Errors
///
/// As [`read_tets`]; messages name the file that is wrong.
pub fn read_tetgen_bytes(
    nodes: &[u8],
    cells: &[u8],
    name: &Path,
) -> Result<Loaded<TetMesh>, IoError> {
    let names = tetgen::pair(name);
    let [nodes, cells] = [plain(nodes, &names[0])?, plain(cells, &names[1])?];
    let mut warnings = [nodes.warnings, cells.warnings].concat();
    let [nodes, cells] = [nodes.bytes, cells.bytes].map(|b| content::text(b, Format::Tetgen));
    let pair = tetgen::Pair {
        nodes: &nodes,
        cells: &cells,
    };
    let placed = |(of_cells, fault): (bool, Fault)| match of_cells {
        true => fault.in_file(&names[1], pair.cells),
        false => fault.in_file(&names[0], pair.nodes),
    };
    let read = |bits| tetgen::read(pair, bits);
    let again = match read(CoordinateBits::Single) {
        Ok(volume) if volume.wants_double() => read(CoordinateBits::Double),
        Err((_, fault)) if fault.wants_double() => read(CoordinateBits::Double),
        volume => volume,
    };
    let mesh = again.and_then(|volume| volume.finish().map_err(|fault| (true, fault)));
    let (mesh, more) = mesh.map_err(placed)?;
    warnings.extend(more);
    Ok(Loaded {
        mesh,
        format: Format::Tetgen,
        warnings,
    })
}

fn load(content: PreparedFile<'_>, name: &Path) -> Result<Loaded<TetMesh>, IoError> {
    let PreparedFile {
        bytes,
        format,
        mut warnings,
    } = content;
    let read = |bits| volume(&bytes, format, bits, name);
    let read = match read(CoordinateBits::Single) {
        Ok(volume) if volume.wants_double() => read(CoordinateBits::Double),
        Err(fault) if fault.wants_double() => read(CoordinateBits::Double),
        volume => volume,
    };
    let (mesh, more) = read
        .and_then(Volume::finish)
        .map_err(|fault| hinted(fault.in_file(name, &bytes), &bytes, name, format))?;
    warnings.extend(more);
    Ok(Loaded {
        mesh,
        format,
        warnings,
    })
}

/// Returns `true` if a file in memory holds a volume, and not a surface. Formats that hold both are read for it;
/// `name` decides the format as a path would.
///
/// # Errors
///
/// A format that cannot be determined. Other faults of a file are found by reading it.
pub fn is_volume_bytes(bytes: &[u8], name: &Path, options: &ReadOptions) -> Result<bool, IoError> {
    let PreparedFile { bytes, format, .. } = PreparedFile::new(bytes, name, options)?;
    Ok(match (format.holds_surfaces(), format.holds_volumes()) {
        (true, true) => {
            let read = volume(&bytes, format, CoordinateBits::Double, name);
            // For a broken file the error of volumes is as good as that of surfaces.
            read.is_ok_and(|volume| volume.has_cells())
        }
        (_, volumes) => volumes,
    })
}

/// Works like [`is_volume_bytes`], for a file.
///
/// # Errors
///
/// As [`is_volume_bytes`], and a file that cannot be read.
pub fn is_volume(path: &Path, options: &ReadOptions) -> Result<bool, IoError> {
    is_volume_bytes(&bytes_of(path)?, path, options)
}

pub(super) fn volume(
    bytes: &[u8],
    format: Format,
    bits: CoordinateBits,
    name: &Path,
) -> Result<Volume, Fault> {
    match format.codec().read {
        Read::Elements(read) => read(bytes, bits, name),
        Read::Surface { .. } | Read::Linked(_) | Read::Pair => {
            let formats = Format::list(Format::holds_volumes);
            let what = format!("{format} holds surfaces; volumes are read from {formats}");
            Err(Fault::file(what))
        }
    }
}

/// Returns the pieces of each file that a volume becomes, with the file's name: two for TetGen, else one.
pub(super) fn encode<'a>(
    path: &'a Path,
    mesh: &TetMesh,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Cow<'a, Path>, Pieces)>, IoError> {
    Ok(match format.codec().write {
        Write::Elements { .. } if format.holds_volumes() => {
            let columns: Vec<&Column> = mesh.extras.columns.iter().collect();
            let pieces = pieces(mesh.into(), &columns, format, options, warnings);
            vec![(Cow::Borrowed(path), pieces)]
        }
        Write::Pair(write) => {
            let names = tetgen::pair(path).map(Cow::Owned);
            names.into_iter().zip(write(mesh, warnings)).collect()
        }
        Write::Elements { .. }
        | Write::Surface(_)
        | Write::Triangles(_)
        | Write::PlacedTriangles(_) => {
            let what = format!(
                "{format} holds surfaces, and this is a volume: its boundary is a surface, which `convert` writes"
            );
            return Err(IoError::Options {
                path: path.to_owned(),
                what,
            });
        }
    })
}

/// Returns the pieces of the file that a mesh of elements becomes. Other formats have none.
pub(super) fn pieces(
    mesh: Model<'_>,
    columns: &[&Column],
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Pieces {
    match format.codec().write {
        Write::Elements { write, .. } => write(mesh, columns, options.encoding, warnings),
        Write::Surface(_) | Write::Triangles(_) | Write::PlacedTriangles(_) | Write::Pair(_) => {
            Pieces::new()
        }
    }
}
