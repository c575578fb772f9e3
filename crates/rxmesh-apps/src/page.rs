//! Pages of meshes: how a command shows its result in a browser.

use crate::console::is_stdout;
use crate::record::{PageRecord, shown};
use anyhow::{Context, Result, bail};
use rxmesh_host::files;
use rxmesh_picture::{Drawable, EncodedPage, PictureError};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// Refuses a file of a page that could not be written.
pub(crate) fn check(path: &Path) -> Result<()> {
    if is_stdout(path) {
        bail!("--html needs the name of a file");
    }
    let extension = path.extension();
    if !extension.is_some_and(|e| e.eq_ignore_ascii_case("html") || e.eq_ignore_ascii_case("htm")) {
        bail!(
            "{}: pages are HTML files, so the name must end in .html",
            path.display()
        );
    }
    files::check(path).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Writes a page to a file. Returns its entry in the record, and warnings; an error names the first mesh.
pub(crate) fn write(
    page: Result<EncodedPage, PictureError>,
    meshes: &[Drawable<'_>],
    path: &Path,
) -> Result<(PageRecord, Vec<String>)> {
    let first = meshes.first().map(|mesh| mesh.name.clone());
    let page = page.with_context(|| first.unwrap_or_default())?;
    files::write_bytes(path, page.html.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    let record = PageRecord {
        path: shown(path),
        meshes: meshes.len() as u64,
        bytes: page.html.len() as u64,
        opened: None,
    };
    Ok((record, page.warnings))
}

/// Makes a new folder for temporary files, and returns the path of a page in it.
pub(crate) fn temporary(name: &str) -> Result<PathBuf> {
    let process = std::process::id();
    for number in 0..1000 {
        let folder = std::env::temp_dir().join(format!("rxmesh-view-{process}-{number}"));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder.join(format!("{name}.html"))),
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            Err(e) => {
                let what = || {
                    format!(
                        "{}: cannot be made; --html names another file",
                        folder.display()
                    )
                };
                return Err(e).with_context(what);
            }
        }
    }
    bail!("no temporary folder can be made; --html names a file");
}

/// Longest time to wait for the program that opens a file; some run as long as the browser.
const PATIENCE: Duration = Duration::from_secs(3);

/// Opens a file by the program that the system has for its kind. Returns `false` if there is none, or if it fails.
pub(crate) fn open(path: &Path) -> bool {
    let (program, arguments): (&str, &[&str]) = match std::env::consts::OS {
        "macos" => ("open", &[]),
        "windows" => ("cmd", &["/C", "start", ""]),
        _ => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    command.args(arguments).arg(path).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().is_ok_and(succeeds)
}

/// Returns `true` if a program ends without an error, or still runs after some time.
fn succeeds(mut child: Child) -> bool {
    let start = Instant::now();
    while start.elapsed() < PATIENCE {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => std::thread::sleep(Duration::from_millis(20)),
            Err(_) => return false,
        }
    }
    true
}
