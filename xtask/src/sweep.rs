//! `cargo xtask sweep`: builds and runs the program that runs every command on real files and mutations of them.

use std::path::PathBuf;
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

/// Runs the short version for `cargo xtask ci`: a part of the sweep, spread over all of `data/`.
pub(crate) fn ci() -> anyhow::Result<()> {
    sweep(
        "test",
        "debug",
        &[workspace::at("data")],
        &["--seconds".into(), "90".into()],
    )
}

/// Runs the whole sweep with the program as users have it.
pub(crate) fn run(arguments: &SweepArguments) -> anyhow::Result<()> {
    let mut folders = arguments.folders.clone();
    if folders.is_empty() {
        folders.push(workspace::at("data"));
    }
    sweep("release", "release", &folders, &arguments.options)
}

fn sweep(profile: &str, folder: &str, data: &[PathBuf], options: &[String]) -> anyhow::Result<()> {
    let status = workspace::cargo()
        .args(["build", "--quiet", "--workspace", "--profile", profile])
        .args(["--bin", "rxmesh-sweep", "--bin", "rxmesh"])
        .status()?;
    ensure!(status.success(), "cargo build: {status}");
    let built = workspace::target().join(folder);
    let status = Command::new(built.join("rxmesh-sweep"))
        .arg("--program")
        .arg(built.join("rxmesh"))
        .args(options)
        .args(data)
        .status()?;
    ensure!(status.success(), "rxmesh-sweep: {status}");
    Ok(())
}
