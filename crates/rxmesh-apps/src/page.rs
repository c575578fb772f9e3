//! Pages of meshes: how a command shows its result in a browser.

use crate::console::is_stdout;
use crate::picture::Drawable;
use crate::record::{PageRecord, shown};
use anyhow::{Context, Result, bail};
use rxmesh_host::files;
use rxmesh_picture::{PageMesh, PictureOptions, render_page};
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

/// Writes a page that shows meshes, the first one first. Returns what the record says of it.
pub(crate) fn write(
    path: &Path,
    meshes: &[Drawable<'_>],
    labels: &[Vec<u32>],
    options: &PictureOptions,
) -> Result<PageRecord> {
    let page = |i: usize| PageMesh {
        polygon_edges: meshes[i].polygon_edges.as_ref(),
        labels: labels.get(i).map(Vec::as_slice),
        ..PageMesh::new(&meshes[i].name, &meshes[i].mesh)
    };
    write_pages(
        path,
        &(0..meshes.len()).map(page).collect::<Vec<_>>(),
        options,
    )
}

/// Works like [`write`] for meshes that are frames of a motion of the first one.
pub(crate) fn write_motion(
    path: &Path,
    meshes: &[Drawable<'_>],
    options: &PictureOptions,
) -> Result<PageRecord> {
    let [first, rest @ ..] = meshes else {
        bail!("there is no mesh to show");
    };
    let is_frame = |other: &&Drawable<'_>| {
        let (a, b) = (&other.mesh, &first.mesh);
        a.faces == b.faces && a.vertex_count() == b.vertex_count() && a.placement == b.placement
    };
    if let Some(other) = rest.iter().find(|other| !is_frame(other)) {
        bail!(
            "{}: has other faces than {}, or another origin, so that it is no frame of its motion",
            other.name,
            first.name
        );
    }
    let frames: Vec<Vec<_>> = rest.iter().map(|m| m.mesh.positions.clone()).collect();
    let page = PageMesh {
        polygon_edges: first.polygon_edges.as_ref(),
        frames: &frames,
        ..PageMesh::new(&first.name, &first.mesh)
    };
    write_pages(path, &[page], options)
}

fn write_pages(
    path: &Path,
    pages: &[PageMesh<'_>],
    options: &PictureOptions,
) -> Result<PageRecord> {
    let title = pages.first().map_or("", |page| page.name);
    let text = render_page(title, pages, options).with_context(|| title.to_owned())?;
    files::write_bytes(path, text.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    Ok(PageRecord {
        path: shown(path),
        meshes: pages.len() as u64,
        bytes: text.len() as u64,
        opened: None,
    })
}

/// Makes a new folder for temporary files, and returns the path of a page in it.
pub(crate) fn temporary(name: &str) -> Result<PathBuf> {
    let process = std::process::id();
    for number in 0..1000 {
        let folder = std::env::temp_dir().join(format!("rxmesh-view-{process}-{number}"));
        match std::fs::create_dir(&folder) {
            Ok(()) => return Ok(folder.join(format!("{name}.html"))),
            Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => {}
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
