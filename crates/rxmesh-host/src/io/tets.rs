//! Volumes from files and into files.

use super::error::{Fault, IoError};
use super::points::Bits;
use super::volume::Volume;
use super::{Format, Loaded, Pieces, Prepared, ReadOptions, WriteOptions};
use super::{bytes_of, content, gzip, hinted, medit, msh, plain, tetgen, vtk, vtu};
use crate::mesh::TetMesh;
use std::borrow::Cow;
use std::path::{Path, PathBuf};

/// Reads a volume of tetrahedra. The extension decides the format, failing that the content; of TetGen's pair of files
/// either name will do.
///
/// Inverted cells are turned round, other elements than tetrahedra left out, of tetrahedra of higher order the corners
/// kept: warnings say so.
///
/// # Errors
///
/// What is wrong with the file, and where; a surface format; a file without tetrahedra.
pub fn read_tets(path: &Path, options: &ReadOptions) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(&bytes_of(path)?, path, options)
}

/// As [`read_tets`], from memory; `name` decides the format as a path would, and stands in messages. The other file of
/// TetGen's pair is read from beside `name`.
///
/// # Errors
///
/// As [`read_tets`].
pub fn read_tets_bytes(
    bytes: &[u8],
    name: &Path,
    options: &ReadOptions,
) -> Result<Loaded<TetMesh>, IoError> {
    let content = Prepared::new(bytes, name, options)?;
    if content.format != Format::Tetgen {
        return load(content, name);
    }
    let [nodes, cells] = tetgen::pair(name);
    if tetgen::is_cells(name) {
        read_tetgen_bytes(&other_of_pair(nodes)?, bytes, name)
    } else {
        read_tetgen_bytes(bytes, &other_of_pair(cells)?, name)
    }
}

/// The content of the other file of a pair: packed as the first one, or not.
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
    let again = match read(Bits::Single) {
        Ok(volume) if volume.wants_double() => read(Bits::Double),
        Err((_, fault)) if fault.wants_double() => read(Bits::Double),
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

fn load(content: Prepared<'_>, name: &Path) -> Result<Loaded<TetMesh>, IoError> {
    let Prepared {
        bytes,
        format,
        mut warnings,
    } = content;
    let read = |bits| volume(&bytes, format, bits);
    let read = match read(Bits::Single) {
        Ok(volume) if volume.wants_double() => read(Bits::Double),
        Err(fault) if fault.wants_double() => read(Bits::Double),
        volume => volume,
    };
    let (mesh, more) = read
        .and_then(Volume::finish)
        .map_err(|fault| hinted(fault.in_file(name, &bytes), &bytes, name, format))?;
    warnings.extend(more);
    let format = match format {
        Format::Msh | Format::Msh2 => match msh::is_version_2(&bytes) {
            true => Format::Msh2,
            false => Format::Msh,
        },
        format => format,
    };
    Ok(Loaded {
        mesh,
        format,
        warnings,
    })
}

fn volume(bytes: &[u8], format: Format, bits: Bits) -> Result<Volume, Fault> {
    match format {
        Format::Msh | Format::Msh2 => msh::read(bytes, bits),
        Format::Medit => medit::read(bytes, bits),
        Format::Vtk => vtk::read(bytes, bits),
        Format::Vtu => vtu::read(bytes, bits),
        Format::Tetgen | Format::Obj | Format::Ply | Format::Off | Format::Stl => {
            let what = format!(
                "{format} holds surfaces; volumes are read from msh, mesh, node, ele, vtk and vtu"
            );
            Err(Fault::file(what))
        }
    }
}

/// The pieces of each file that a volume becomes, with the file's name: two for TetGen, else one.
pub(super) fn encode<'a>(
    path: &'a Path,
    mesh: &TetMesh,
    format: Format,
    options: &WriteOptions,
    warnings: &mut Vec<String>,
) -> Result<Vec<(Cow<'a, Path>, Pieces)>, IoError> {
    let one = |pieces| vec![(Cow::Borrowed(path), pieces)];
    Ok(match format {
        Format::Msh => one(msh::write(mesh, false, options.encoding, warnings)),
        Format::Msh2 => one(msh::write(mesh, true, options.encoding, warnings)),
        Format::Medit => one(medit::write(mesh, warnings)),
        Format::Vtk => one(vtk::write(mesh, options.encoding, warnings)),
        Format::Vtu => one(vtu::write(mesh, options.encoding, warnings)),
        Format::Tetgen => {
            let names = tetgen::pair(path).map(Cow::Owned);
            names
                .into_iter()
                .zip(tetgen::write(mesh, warnings))
                .collect()
        }
        Format::Obj | Format::Ply | Format::Off | Format::Stl => {
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
