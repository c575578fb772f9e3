//! Grids that a command writes.

use crate::console::is_stdout;
use crate::input;
use crate::record::{OutputRecord, shown};
use crate::run::Run;
use anyhow::{Context, Result, bail};
use rxmesh_host::files::{self, Links};
use rxmesh_host::grid::{self, Grid, GridFormat, GridWriteOptions};
use rxmesh_host::io::{Encoding, IoError};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Help of the output of a command that writes a grid.
// Not a doc comment: angle brackets are HTML there.
pub(crate) const GRID_OUTPUT: &str = "Output file (.vti, .npy or .nrrd, and .gz after it packs it), or '-' for stdout, \
    as VTI [default: <input>_<command>.vti in the current folder; stdout for a mesh from stdin]";

/// Path and options of a grid, checked to be writable as far as that can be known.
#[derive(Clone, Debug)]
pub(crate) struct GridTarget {
    pub(crate) path: PathBuf,
    options: GridWriteOptions,
    links: Links,
}

impl GridTarget {
    /// Returns the output that was requested, else `<stem of the input>_<command>.vti` in the current folder. Refuses
    /// what could not be written before any work is done. `record` is the file of `--json`.
    pub(crate) fn for_input(
        command: &str,
        (mesh, output): (&Path, Option<&Path>),
        ascii: bool,
        record: Option<&Path>,
    ) -> Result<GridTarget> {
        // A mesh from stdin goes to stdout, as filters do.
        let output = output.or_else(|| input::is_stdin(mesh).then_some(mesh));
        let mut target = GridTarget {
            path: output.map_or_else(PathBuf::new, Path::to_owned),
            options: GridWriteOptions::default(),
            links: Links::Follow,
        };
        if ascii {
            target.options.encoding = Encoding::Ascii;
        }
        if output.is_none() {
            let mut name = input::stem(mesh);
            name.push(format!("_{command}.{}", GridFormat::Vti.extension()));
            (target.path, target.links) = (name.into(), Links::Refuse);
        }
        let path = &target.path;
        if record == Some(path) {
            bail!(
                "{}: grid and record cannot be the same file",
                path.display()
            );
        }
        if is_stdout(path) {
            target.options.format = Some(GridFormat::Vti);
            return Ok(target);
        }
        grid::check_output(path, &target.options)?;
        files::check_with(path, target.links)
            .with_context(|| format!("{}: cannot be written", path.display()))?;
        Ok(target)
    }
}

impl Run {
    /// Writes a grid.
    pub(crate) fn write_grid(&mut self, target: &GridTarget, grid: &Grid) -> Result<()> {
        let stdout = is_stdout(&target.path);
        self.console.mesh_on_stdout |= stdout;
        let (report, ms) = self.stage("writing", || match stdout {
            true => {
                let name = Path::new("stdout");
                let (bytes, report) = grid::write_bytes(name, grid, &target.options)?;
                let mut out = std::io::stdout().lock();
                let written = out.write_all(&bytes).and_then(|()| out.flush());
                let path = name.to_owned();
                written.map_err(|source| IoError::Write { path, source })?;
                Ok(report)
            }
            false => Ok(grid::write_with(
                &target.path,
                grid,
                &target.options,
                target.links,
            )?),
        })?;
        self.record.timings_ms.write = ms;
        self.record.output = Some(OutputRecord {
            path: shown(&target.path),
            format: report.format.to_string(),
            format_because: None,
            bytes: report.bytes,
            vertices: grid.points().map_err(rxmesh_host::Error::from)? as u64,
            faces: None,
            cells: None,
        });
        self.warn_of_output(&target.path, report.warnings);
        Ok(())
    }
}
