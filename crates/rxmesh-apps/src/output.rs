//! The file that a command writes.

use crate::cli::{ComputeArgs, EncodingArgs};
use crate::console::is_stdout;
use crate::input;
use anyhow::{Context, Result, bail};
pub(crate) use rxmesh::OutputKind;
use rxmesh_host::files::{self, Links};
use rxmesh_host::io::{Encoding, Format, WriteOptions};
use std::path::{Path, PathBuf};

/// Returns the format of the default output: the input's, or one that holds the result.
pub(crate) fn default_format(kind: OutputKind, input: Format) -> Format {
    match kind {
        _ if kind.fits(input) => input,
        OutputKind::Mesh | OutputKind::Normals | OutputKind::Points => Format::Obj,
        OutputKind::Columns(_) => Format::Ply,
        // Grids have separate targets (`GridTarget`).
        OutputKind::Volume | OutputKind::Grid => Format::Vtu,
    }
}

/// Path and options of a result, checked to be writable as far as that can be known.
#[derive(Clone, Debug)]
pub(crate) struct OutputTarget {
    pub(crate) path: PathBuf,
    pub(crate) options: WriteOptions,
    /// Treatment of a symbolic link: followed for a name given by the user.
    pub(crate) links: Links,
    /// Reason why the format is not the input's, if no other one was requested.
    pub(crate) because: Option<String>,
}

impl OutputTarget {
    /// Refuses what could not be written before any work is done. `record` is the file of `--json`.
    pub(crate) fn new(
        path: &Path,
        encoding: &EncodingArgs,
        record: Option<&Path>,
    ) -> Result<OutputTarget> {
        let format = encoding.format;
        if format.or_else(|| Format::of_name(path)).is_none() {
            bail!(
                "{}: the format cannot be told from the name of the output, so --format must say it; formats are {}",
                path.display(),
                Format::summary()
            );
        }
        if record == Some(path) {
            bail!(
                "{}: mesh and record cannot be the same file",
                path.display()
            );
        }
        if !is_stdout(path) {
            files::check(path).with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        let encoding = if encoding.ascii {
            Encoding::Ascii
        } else if encoding.pack {
            Encoding::Packed
        } else if encoding.quantise {
            Encoding::Quantised
        } else {
            Encoding::Binary
        };
        let options = WriteOptions::default().with(|o| {
            o.encoding = encoding;
            o.format = format;
        });
        Ok(OutputTarget {
            path: path.to_owned(),
            options,
            links: Links::Follow,
            because: None,
        })
    }

    /// Returns the same target for a name made by the program: a symbolic link of that name is refused.
    pub(crate) fn unnamed(mut self) -> Result<OutputTarget> {
        self.links = Links::Refuse;
        if !is_stdout(&self.path) {
            files::check_with(&self.path, self.links)
                .with_context(|| format!("{}: cannot be written", self.path.display()))?;
        }
        Ok(self)
    }

    /// Returns the output of a command that computes on a mesh. Its default is `<stem of the input>_<command>` in the
    /// current folder, in the input's format if that holds the result.
    pub(crate) fn of(
        command: &str,
        args: &ComputeArgs,
        kind: OutputKind,
        record: Option<&Path>,
    ) -> Result<OutputTarget> {
        let files = (args.input.mesh.as_path(), args.output.as_deref());
        OutputTarget::for_input(command, files, &args.encoding, kind, record)
    }

    /// Works like [`OutputTarget::of`], of the input and the output that was requested.
    pub(crate) fn for_input(
        command: &str,
        (mesh, output): (&Path, Option<&Path>),
        encoding: &EncodingArgs,
        kind: OutputKind,
        record: Option<&Path>,
    ) -> Result<OutputTarget> {
        // A mesh from stdin goes to stdout, as filters do.
        let output = output.or_else(|| input::is_stdin(mesh).then_some(mesh));
        let named = output.and_then(Format::of_name);
        let asked = encoding.format.or(named);
        fits(command, kind, asked, output)?;
        if let Some(output) = output.filter(|o| asked.is_some() || !is_stdout(o)) {
            return OutputTarget::new(output, encoding, record);
        }
        let input = input::format(mesh).unwrap_or(Format::Obj);
        let format = asked.unwrap_or(default_format(kind, input));
        let name = output.map(Path::to_owned).unwrap_or_else(|| {
            let mut name = input::stem(mesh);
            name.push(format!("_{command}.{}", format.extension()));
            name.into()
        });
        let encoding = EncodingArgs {
            format: Some(format),
            ..*encoding
        };
        let mut target = OutputTarget::new(&name, &encoding, record)?;
        if output.is_none() {
            target = target.unnamed()?;
        }
        if format != input && asked.is_none() {
            target.because = Some(format!("{input} holds no {}", kind.name()));
        }
        Ok(target)
    }
}

/// Refuses a format that cannot hold the result of a command.
pub(crate) fn fits(
    command: &str,
    kind: OutputKind,
    format: Option<Format>,
    output: Option<&Path>,
) -> Result<()> {
    if let Some(format) = format.filter(|f| !kind.fits(*f)) {
        let path = output.map_or(command.into(), Path::to_string_lossy);
        bail!(
            "{path}: {format} cannot hold {}, which `{command}` computes; {} can",
            kind.name(),
            default_format(kind, format)
        );
    }
    Ok(())
}

/// Returns the name of a file of a sequence: `<stem>_0001.<extension>` beside the last one.
pub(crate) fn numbered(last: &Path, number: u32) -> PathBuf {
    let stem = input::stem(last);
    let whole = last.file_name().unwrap_or_default().as_encoded_bytes();
    let extensions = String::from_utf8_lossy(&whole[stem.len()..]).into_owned();
    let mut name = stem;
    name.push(format!("_{number:04}{extensions}"));
    last.with_file_name(name)
}
