//! Finding and reading the mesh.

use anyhow::{Context, Result, anyhow, bail};
use rxmesh_host::files;
use rxmesh_host::grid::{self, GridReadOptions, LoadedGrid};
use rxmesh_host::io::{self, Format, IoError, Loaded, ReadOptions};
use rxmesh_host::mesh::{PolyMesh, TetMesh, TriMesh};
use std::borrow::Cow;
use std::ffi::OsString;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// The folder with the meshes that come with the project.
const DATA: &str = "data";

/// A mesh and where it came from.
#[derive(Debug)]
pub(crate) struct Input<M = TriMesh> {
    pub(crate) path: PathBuf,
    pub(crate) bytes: u64,
    pub(crate) loaded: Loaded<M>,
}

/// Returns the file of a name: the file itself, or, for a name without a folder that does not exist, the file of this
/// name in `data/`, below the current folder or, under `cargo run`, below the workspace.
pub(crate) fn find(name: &Path) -> Result<PathBuf> {
    if is_stdin(name) || name.exists() {
        return Ok(name.to_owned());
    }
    let bare = name.file_name().is_some_and(|n| n == name.as_os_str());
    if !bare {
        bail!("{}: there is no such file", name.display());
    }
    // `cargo run` sets the folder of this crate; an installed program has no such variable.
    let manifest = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let workspace = manifest.as_deref().and_then(|m| m.ancestors().nth(2));
    let folders = [Some(PathBuf::from(DATA)), workspace.map(|w| w.join(DATA))];
    let mut candidates = folders
        .into_iter()
        .flatten()
        .map(|folder| folder.join(name));
    match candidates.find(|path| path.exists()) {
        Some(path) => Ok(path),
        None => bail!(
            "{}: there is no such file, neither here nor in {DATA}/",
            name.display()
        ),
    }
}

/// Returns the format of a mesh that is still to be read, if it is there and has one.
pub(crate) fn format(name: &Path) -> Option<Format> {
    Format::of_name(name).or_else(|| {
        let content = content(&find(name).ok()?).ok()?;
        Format::of_content(&content)
    })
}

/// Returns the name of a mesh without its folder, its extension and a `.gz` after that: what names of results begin
/// with.
pub(crate) fn stem(path: &Path) -> OsString {
    let name = Path::new(path.file_name().unwrap_or_default());
    let packed = name
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("gz"));
    let name = match packed {
        true => name.file_stem().map(Path::new).unwrap_or(name),
        false => name,
    };
    name.file_stem().unwrap_or_default().to_owned()
}

/// Returns `true` if the name stands for stdin.
pub(crate) fn is_stdin(name: &Path) -> bool {
    crate::console::is_stdout(name)
}

/// Returns all bytes of a file, or of a stream that can be read once, which are kept.
fn content(path: &Path) -> Result<Cow<'static, [u8]>> {
    if let Some(bytes) = stream(path)? {
        return Ok(Cow::Borrowed(bytes));
    }
    if let Some(bytes) = KEPT.take(path) {
        return Ok(bytes.into());
    }
    let what = || format!("{}: cannot be read", path.display());
    Ok(files::read(path).with_context(what)?.into())
}

/// Returns all bytes of a stream that can be read once, stdin or a descriptor, which are kept; `None` of a file.
pub(crate) fn stream(path: &Path) -> Result<Option<&'static [u8]>> {
    static STREAMS: Mutex<Vec<(PathBuf, &'static [u8])>> = Mutex::new(Vec::new());
    // A descriptor is inherited from the parent process, like stdin; any other pipe may have no end.
    if !is_stdin(path) && !files::is_descriptor(path) {
        return Ok(None);
    }
    let mut streams = STREAMS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, bytes)) = streams.iter().find(|(p, _)| p == path) {
        return Ok(Some(bytes));
    }
    let bytes = match is_stdin(path) {
        true => {
            let mut bytes = Vec::new();
            let read = std::io::stdin().lock().read_to_end(&mut bytes);
            read.context("stdin cannot be read")?;
            bytes
        }
        false => {
            let what = || format!("{}: cannot be read", path.display());
            std::fs::read(path).with_context(what)?
        }
    };
    let bytes: &'static [u8] = bytes.leak();
    streams.push((path.to_owned(), bytes));
    Ok(Some(bytes))
}

/// The bytes of the file that was inspected last, for its reader.
static KEPT: CachedInput = CachedInput(Mutex::new(None));

struct CachedInput(Mutex<Option<(PathBuf, Vec<u8>)>>);

impl CachedInput {
    fn put(&self, path: PathBuf, bytes: Cow<'static, [u8]>) {
        if let Cow::Owned(bytes) = bytes {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((path, bytes));
        }
    }

    /// Takes the bytes if they are of this file, and drops any others.
    fn take(&self, path: &Path) -> Option<Vec<u8>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.take()
            .filter(|(p, _)| p == path)
            .map(|(_, bytes)| bytes)
    }
}

/// Reads the mesh at a path that [`find`] gave.
pub(crate) fn read(path: &Path, triangulate: bool) -> Result<Input> {
    let options = ReadOptions::default().with(|o| {
        o.triangulate = triangulate;
    });
    read_by(path, |bytes| io::read_bytes(bytes, path, &options))
}

/// Works like [`read`], with polygons as they are, or refused.
pub(crate) fn read_poly(path: &Path, refuse: bool) -> Result<Input<PolyMesh>> {
    let options = ReadOptions::default();
    let input = read_by(path, |bytes| io::read_poly_bytes(bytes, path, &options))?;
    if refuse && input.loaded.mesh.largest_face() > 3 {
        // It names the first one.
        read(path, false)?;
    }
    Ok(input)
}

/// Works like [`read`], for a volume.
pub(crate) fn read_tets(path: &Path) -> Result<Input<TetMesh>> {
    let options = ReadOptions::default();
    read_by(path, |bytes| io::read_tets_bytes(bytes, path, &options))
}

/// Reads the grid at a path that [`find`] gave. Returns the size of the file, too.
pub(crate) fn read_grid(path: &Path) -> Result<(LoadedGrid, u64)> {
    let bytes = content(path)?;
    let loaded = grid::read_bytes(&bytes, path, &GridReadOptions::default())?;
    Ok((loaded, bytes.len() as u64))
}

/// Returns `true` if a mesh that is still to be read is a volume: its content decides.
pub(crate) fn is_volume(name: &Path) -> bool {
    let Ok(path) = find(name) else {
        return false;
    };
    let Ok(bytes) = content(&path) else {
        return false;
    };
    let is_volume = io::is_volume_bytes(&bytes, &path, &ReadOptions::default());
    KEPT.put(path, bytes);
    is_volume.unwrap_or(false)
}

fn read_by<M>(
    path: &Path,
    read: impl FnOnce(&[u8]) -> Result<Loaded<M>, IoError>,
) -> Result<Input<M>> {
    let bytes = content(path)?;
    let loaded = read(&bytes).map_err(|e| match e {
        IoError::Polygon { .. } => anyhow!("{e}; without --strict they are cut"),
        e => e.into(),
    })?;
    Ok(Input {
        path: path.to_owned(),
        bytes: bytes.len() as u64,
        loaded,
    })
}
