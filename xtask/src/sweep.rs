//! `cargo xtask sweep`: builds and runs the program that runs every command on real files and mutations of them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::ensure;

use crate::workspace;

#[derive(clap::Args)]
pub(crate) struct SweepArguments {
    /// Folders with meshes [default: data/]
    folders: Vec<PathBuf>,
    /// Options of the sweep, after `--`: see tests/README.md
    #[arg(last = true)]
    options: Vec<String>,
}

/// The program of the sweep, and the one that it runs.
const PROGRAMS: [&str; 2] = ["rxmesh-sweep", "rxmesh"];

/// Runs the short version for `cargo xtask ci`: a part of the sweep, spread over all of `data/`.
pub(crate) fn ci() -> anyhow::Result<()> {
    let built = workspace::programs(&PROGRAMS)?;
    let options = ["--seconds".into(), "90".into()];
    sweep(&built, &[workspace::at("data")], &options)
}

/// Runs the whole sweep with the program as users have it.
pub(crate) fn run(arguments: &SweepArguments) -> anyhow::Result<()> {
    let mut folders = arguments.folders.clone();
    if folders.is_empty() {
        folders.push(workspace::at("data"));
    }
    let built = workspace::released(&PROGRAMS)?;
    sweep(&built, &folders, &arguments.options)
}

fn sweep(built: &Path, data: &[PathBuf], options: &[String]) -> anyhow::Result<()> {
    let status = Command::new(built.join("rxmesh-sweep"))
        .arg("--program")
        .arg(built.join("rxmesh"))
        .args(options)
        .args(data)
        .status()?;
    ensure!(status.success(), "rxmesh-sweep: {status}");
    Ok(())
}
