//! The file that a command writes.

use crate::cli::EncodingArgs;
use anyhow::{Context, Result, bail};
use rxmesh_host::files;
use rxmesh_host::io::{Encoding, Format, WriteOptions};
use std::path::{Path, PathBuf};

/// Where and how to write; known to be possible as far as one can see beforehand.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) path: PathBuf,
    pub(crate) options: WriteOptions,
}

impl Target {
    /// Refuses what could not be written before any work is done. `record` is the file of `--json`.
    pub(crate) fn new(
        path: &Path,
        encoding: &EncodingArgs,
        record: Option<&Path>,
    ) -> Result<Target> {
        if Format::of_name(path).is_none() {
            bail!(
                "{}: the format cannot be told from the name of the output; formats are {}",
                path.display(),
                Format::LIST
            );
        }
        if record == Some(path) {
            bail!(
                "{}: mesh and record cannot be the same file",
                path.display()
            );
        }
        files::check(path).with_context(|| format!("{}: cannot be written", path.display()))?;
        let encoding = if encoding.ascii {
            Encoding::Ascii
        } else {
            Encoding::Binary
        };
        let options = WriteOptions {
            encoding,
            ..WriteOptions::default()
        };
        Ok(Target {
            path: path.to_owned(),
            options,
        })
    }
}

/// `<stem of the input>_<what>.<extension>` in the current folder.
pub(crate) fn default_name(input: &Path, what: &str, extension: &str) -> PathBuf {
    let mut name = input.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("_{what}.{extension}"));
    PathBuf::from(name)
}

/// A file of a sequence: `<stem>_0001.<extension>` beside the last one.
pub(crate) fn numbered(last: &Path, number: u32) -> PathBuf {
    let mut name = last.file_stem().unwrap_or_default().to_os_string();
    name.push(format!("_{number:04}"));
    if let Some(extension) = last.extension() {
        name.push(".");
        name.push(extension);
    }
    last.with_file_name(name)
}
