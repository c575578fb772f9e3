//! Output of the program: results for people, warnings, the JSON record.

use anyhow::{Context, Result};
use rxmesh_host::files;
use serde::Serialize;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Streams of the output. With `--json -` stdout belongs to the record, with `-o -` to the mesh; text for people then
/// goes to stderr.
#[derive(Debug)]
pub(crate) struct Console {
    quiet: bool,
    json: Option<PathBuf>,
    /// `true` if a mesh was written to stdout.
    pub(crate) mesh_on_stdout: bool,
}

impl Console {
    /// Refuses a record that could not be written, before any work is done.
    pub(crate) fn new(quiet: bool, json: Option<&Path>) -> Result<Console> {
        if let Some(path) = json.filter(|p| !is_stdout(p)) {
            let what = || format!("{}: the record cannot be written", path.display());
            files::check(path).with_context(what)?;
        }
        Ok(Console {
            quiet,
            json: json.map(Path::to_owned),
            mesh_on_stdout: false,
        })
    }

    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Returns the file of the record, if one was requested.
    pub(crate) fn json_file(&self) -> Option<&Path> {
        self.json.as_deref()
    }

    /// Prints a result.
    pub(crate) fn say(&self, text: &str) -> Result<()> {
        if self.quiet {
            return Ok(());
        }
        if self.mesh_on_stdout || self.json.as_deref().is_some_and(is_stdout) {
            let _ = writeln!(std::io::stderr(), "{}", text.trim_end());
            return Ok(());
        }
        to_stdout(format!("{}\n", text.trim_end()).as_bytes())
    }

    /// Prints a line about the run to stderr.
    pub(crate) fn note(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "{text}");
        }
    }

    /// Prints a warning; the command continues.
    pub(crate) fn warn(&self, text: &str) {
        if !self.quiet {
            let _ = writeln!(std::io::stderr(), "warning: {text}");
        }
    }

    /// Writes the record of the run, if one was requested.
    pub(crate) fn record(&self, record: &impl Serialize) -> Result<()> {
        let Some(path) = &self.json else {
            return Ok(());
        };
        let mut text = serde_json::to_vec_pretty(record).context("the record")?;
        text.push(b'\n');
        if is_stdout(path) {
            return to_stdout(&text);
        }
        let what = || format!("{}: the record cannot be written", path.display());
        files::write_bytes(path, &text).with_context(what)
    }
}

/// Returns `true` if the path stands for stdin or stdout.
pub(crate) fn is_stdout(path: &Path) -> bool {
    path == Path::new("-")
}

/// Writes to stdout. A reader that has closed the pipe (`| head`) is not an error.
pub(crate) fn to_stdout(bytes: &[u8]) -> Result<()> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(e).context("stdout cannot be written"),
        _ => Ok(()),
    }
}
