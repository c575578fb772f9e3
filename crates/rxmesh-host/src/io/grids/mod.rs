//! Files of regular grids: VTK's images (VTI), NumPy's arrays (NPY) and NRRD.

mod npy;
mod nrrd;
#[cfg(test)]
mod tests;

use super::error::Fault;
use super::format::enumerated;
use super::{Encoding, IoError, Pieces, content, gzip, vtu};
use crate::files;
use crate::grid::Grid;
use std::borrow::Cow;
use std::fmt;
use std::io::Write as _;
use std::path::Path;

/// A file format of grids.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum GridFormat {
    /// VTK's XML format of images, `.vti`: any number of columns.
    Vti,
    /// NumPy's format of arrays, `.npy`: one column, without the place of the grid.
    Npy,
    /// Nearly raw raster data, `.nrrd`: one column. Headers with a separate file, `.nhdr`, are read.
    Nrrd,
}

impl GridFormat {
    /// All formats.
    pub const ALL: [GridFormat; 3] = [GridFormat::Vti, GridFormat::Npy, GridFormat::Nrrd];

    /// Returns the extensions that file names of this format have, the usual one first.
    pub fn extensions(self) -> &'static [&'static str] {
        match self {
            GridFormat::Vti => &["vti"],
            GridFormat::Npy => &["npy"],
            GridFormat::Nrrd => &["nrrd", "nhdr"],
        }
    }

    /// Returns the extension that file names of this format usually have.
    pub fn extension(self) -> &'static str {
        self.extensions()[0]
    }

    /// Returns the format of a file name's extension, if there is one. A `.gz` after the extension is ignored.
    pub fn of_name(path: &Path) -> Option<GridFormat> {
        if let Some(path) = gzip::unpacked_name(path) {
            return GridFormat::of_name(&path);
        }
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        let has = |f: &GridFormat| f.extensions().contains(&&extension[..]);
        GridFormat::ALL.into_iter().find(has)
    }

    /// Returns `true` if files hold the places of points beside their values.
    pub fn holds_places(self) -> bool {
        self != GridFormat::Npy
    }

    /// Returns the extensions in words: `vti, npy and nrrd`.
    pub fn list() -> String {
        enumerated(&GridFormat::ALL.map(GridFormat::extension))
    }

    /// Returns the format that content begins as, if any.
    fn of_plain(bytes: &[u8]) -> Option<GridFormat> {
        if bytes.starts_with(npy::MAGIC) {
            Some(GridFormat::Npy)
        } else if bytes.starts_with(nrrd::MAGIC) {
            Some(GridFormat::Nrrd)
        } else if vtu::looks_like(bytes) {
            Some(GridFormat::Vti)
        } else {
            None
        }
    }
}

impl fmt::Display for GridFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GridFormat::Vti => "VTI",
            GridFormat::Npy => "NPY",
            GridFormat::Nrrd => "NRRD",
        })
    }
}

/// Options of reading a grid.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GridReadOptions {
    /// Format, when neither content nor name should decide.
    pub format: Option<GridFormat>,
}

changeable!(GridReadOptions);

/// Options of writing a grid.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct GridWriteOptions {
    /// Format, when the extension should not decide.
    pub format: Option<GridFormat>,
    /// Storage of numbers: binary, text (not NPY) or base64 (VTI only).
    pub encoding: Encoding,
}

changeable!(GridWriteOptions);

/// A grid read from a file.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct LoadedGrid {
    /// Grid of the file.
    pub grid: Grid,
    /// The format it was in.
    pub format: GridFormat,
    /// Warnings: data of the file that are not in the grid, and other notes for the user.
    pub warnings: Vec<String>,
}

/// Results of writing a grid.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct GridWriteReport {
    /// Warnings about data of the grid that the file does not hold.
    pub warnings: Vec<String>,
    /// The format it was written in.
    pub format: GridFormat,
    /// Size of the file.
    pub bytes: u64,
}

/// Reads a grid. The content decides the format, failing that the extension.
///
/// Files of NPY do not hold places: their grids have the first point at the origin and points at distances of 1. Axes
/// of an array are x, y and z, as in scikit-image and PyMCubes. Values of cells in VTI become those of points at the
/// centres of the cells. Gzip is unpacked.
///
/// # Errors
///
/// The fault of the file and its place.
pub fn read_grid(path: &Path, options: &GridReadOptions) -> Result<LoadedGrid, IoError> {
    read_grid_bytes(&super::bytes_of(path)?, path, options)
}

/// Reads a grid from memory; `name` appears in messages, decides the format if the content does not, and has the folder
/// in which a separate file of data is (NRRD).
///
/// # Errors
///
/// As [`read_grid`].
pub fn read_grid_bytes(
    bytes: &[u8],
    name: &Path,
    options: &GridReadOptions,
) -> Result<LoadedGrid, IoError> {
    let (bytes, mut warnings) = unpacked(bytes).map_err(|what| refused(name, what))?;
    let named = GridFormat::of_name(name);
    let found = GridFormat::of_plain(&bytes);
    let format = options.format.or(found).or(named).ok_or_else(|| {
        let formats = GridFormat::list();
        let what = format!(
            "the format cannot be told from the name or the content; formats of grids are {formats}"
        );
        refused(name, what)
    })?;
    if let (Some(named), None) = (named, options.format)
        && named != format
    {
        warnings.push(format!(
            "the name says {named}, the content is {format} and is read as such"
        ));
    }
    let read = match format {
        GridFormat::Vti => vtu::read_image(&bytes),
        GridFormat::Npy => npy::read(&bytes),
        GridFormat::Nrrd => nrrd::read(&bytes, name),
    };
    let (grid, more) = read.map_err(|fault: Fault| fault.in_file(name, &bytes))?;
    warnings.extend(more);
    Ok(LoadedGrid {
        grid,
        format,
        warnings,
    })
}

/// Unpacks gzip. Returns the content and warnings.
fn unpacked(bytes: &[u8]) -> Result<(Cow<'_, [u8]>, Vec<String>), String> {
    if gzip::is_packed(bytes) {
        let (bytes, warning) = gzip::unpack(bytes)?;
        return Ok((bytes.into(), warning.into_iter().collect()));
    }
    if bytes.is_empty() {
        return Err("the file is empty".into());
    }
    // Text of XML may be of UTF-16, or have a mark before it.
    if matches!(bytes, [0xFE | 0xFF | 0xEF | b'<', ..]) {
        let content = content::plain(bytes)?;
        return Ok((content.bytes, content.warnings));
    }
    Ok((bytes.into(), Vec::new()))
}

/// Writes a grid; a name that ends in `.gz` packs it. Either the whole file is there afterwards, or nothing has
/// changed.
///
/// NPY and NRRD hold one column: the first with one value a point, or with several in NRRD if there is no other.
/// Floats and whole numbers keep their type. Arrays of NPY are in C order, with the axes x, y and z.
///
/// # Errors
///
/// A grid that is not valid or has no such column; an encoding or a name that the format does not have; any error of
/// the system.
pub fn write_grid(
    path: &Path,
    grid: &Grid,
    options: &GridWriteOptions,
) -> Result<GridWriteReport, IoError> {
    write_grid_with(path, grid, options, files::Links::Follow)
}

/// Writes a grid as [`write_grid`]; `links` decides the treatment of a symbolic link at `path`.
///
/// # Errors
///
/// Those of [`write_grid`]; a link that is refused.
pub fn write_grid_with(
    path: &Path,
    grid: &Grid,
    options: &GridWriteOptions,
    links: files::Links,
) -> Result<GridWriteReport, IoError> {
    let (pieces, report) = encode(path, grid, options)?;
    let written = files::write_with(path, links, |file| {
        pieces.iter().try_for_each(|p| file.write_all(p))
    });
    written.map_err(|source| IoError::Write {
        path: path.to_owned(),
        source,
    })?;
    Ok(report)
}

/// Writes a grid into memory; `name` decides the format as a path would, and appears in messages.
///
/// # Errors
///
/// As [`write_grid`].
pub fn write_grid_bytes(
    name: &Path,
    grid: &Grid,
    options: &GridWriteOptions,
) -> Result<(Vec<u8>, GridWriteReport), IoError> {
    let (pieces, report) = encode(name, grid, options)?;
    Ok((pieces.concat(), report))
}

/// Returns the format in which a grid would be written. Refuses a name or options for which no grid can be written:
/// before it is computed.
///
/// # Errors
///
/// A name that tells no format; an encoding that the format does not have.
pub fn check_grid_output(path: &Path, options: &GridWriteOptions) -> Result<GridFormat, IoError> {
    let of_options = |what: String| IoError::Options {
        path: path.to_owned(),
        what,
    };
    let named = || GridFormat::of_name(path);
    let format = options.format.or_else(named).ok_or_else(|| {
        let formats = GridFormat::list();
        of_options(format!(
            "the format cannot be told from the name; formats of grids are {formats}"
        ))
    })?;
    let plain = gzip::unpacked_name(path);
    let extension = plain.as_deref().unwrap_or(path).extension();
    if extension.is_some_and(|e| e.eq_ignore_ascii_case("nhdr")) {
        let what = "a file of this name is the header of another one with the data: write .nrrd";
        return Err(of_options(what.into()));
    }
    let known: &[Encoding] = match format {
        GridFormat::Vti => &[Encoding::Binary, Encoding::Ascii, Encoding::Base64],
        GridFormat::Npy => &[Encoding::Binary],
        GridFormat::Nrrd => &[Encoding::Binary, Encoding::Ascii],
    };
    if !known.contains(&options.encoding) {
        let encoding = options.encoding;
        let encoding = match encoding {
            Encoding::Ascii => "text".to_owned(),
            other => format!("encoding {other:?}"),
        };
        return Err(of_options(format!("{format} has no {encoding}")));
    }
    Ok(format)
}

fn encode(
    path: &Path,
    grid: &Grid,
    options: &GridWriteOptions,
) -> Result<(Pieces, GridWriteReport), IoError> {
    let of_options = |what: String| IoError::Options {
        path: path.to_owned(),
        what,
    };
    let format = check_grid_output(path, options)?;
    grid.validate().map_err(|e| of_options(e.to_string()))?;
    let mut warnings = Vec::new();
    let mut pieces = match format {
        GridFormat::Vti => vtu::write_image(grid, options.encoding),
        GridFormat::Npy => npy::write(grid, &mut warnings).map_err(of_options)?,
        GridFormat::Nrrd => {
            nrrd::write(grid, options.encoding, &mut warnings).map_err(of_options)?
        }
    };
    if gzip::unpacked_name(path).is_some() {
        pieces = vec![gzip::pack(&pieces)];
    }
    let bytes = pieces.iter().map(|p| p.len() as u64).sum();
    let report = GridWriteReport {
        warnings,
        format,
        bytes,
    };
    Ok((pieces, report))
}

fn refused(path: &Path, what: String) -> IoError {
    IoError::Malformed {
        path: path.to_owned(),
        place: super::Place::File,
        what,
    }
}

/// Warns of the columns that a file of one column does not hold.
fn warn_of_others(grid: &Grid, kept: &str, format: GridFormat, warnings: &mut Vec<String>) {
    let others: Vec<&str> = grid.columns.iter().map(|c| c.name.as_str()).collect();
    let others: Vec<&str> = others.into_iter().filter(|name| *name != kept).collect();
    if !others.is_empty() {
        warnings.push(format!(
            "{format} holds one column, '{kept}': {} are not kept",
            others.join(", ")
        ));
    }
}
