//! Paths of the workspace.

use std::env;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, ensure};
use serde::Deserialize;

/// Returns the root of the repository.
pub(crate) fn root() -> PathBuf {
    // cargo sets the variable to this package's folder when it runs this program; the folder of compilation serves if
    // it is run directly.
    let package =
        env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&package)
        .parent()
        .map(Path::to_owned)
        .unwrap_or_default()
}

/// Returns a path below the root.
pub(crate) fn at(path: &str) -> PathBuf {
    root().join(path)
}

/// Returns the target folder of host builds.
pub(crate) fn target() -> PathBuf {
    env::var_os("CARGO_TARGET_DIR").map_or_else(|| at("target"), |t| root().join(t))
}

/// Returns a command of the running cargo, in the root.
pub(crate) fn cargo() -> Command {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")));
    cargo.current_dir(root());
    cargo
}

/// Builds programs with the profile of the tests, which keeps arithmetic checks, and returns their folder.
pub(crate) fn programs(names: &[&str]) -> anyhow::Result<PathBuf> {
    build("test", "debug", names)
}

/// Builds programs with the profile of releases, and returns their folder.
pub(crate) fn released(names: &[&str]) -> anyhow::Result<PathBuf> {
    build("release", "release", names)
}

/// Builds programs into a folder of the target folder. All packages are built with one set of features: a program alone
/// would have the libraries compiled again.
fn build(profile: &str, folder: &str, names: &[&str]) -> anyhow::Result<PathBuf> {
    let mut cargo = cargo();
    cargo.args(["build", "--quiet", "--workspace", "--profile", profile]);
    cargo.args(names.iter().flat_map(|name| ["--bin", name]));
    let status = cargo.status()?;
    ensure!(status.success(), "cargo build: {status}");
    Ok(target().join(folder))
}

/// Package of the workspace.
#[derive(Deserialize)]
pub(crate) struct MemberPackage {
    pub(crate) name: String,
    pub(crate) dependencies: Vec<Dependency>,
    /// Registries that it may be published to; `None` for any.
    pub(crate) publish: Option<Vec<String>>,
}

/// Dependency of a member.
#[derive(Deserialize)]
pub(crate) struct Dependency {
    pub(crate) name: String,
    /// `dev` or `build`; `None` for linked dependencies.
    pub(crate) kind: Option<String>,
}

/// Loads the members of the workspace.
pub(crate) fn members() -> anyhow::Result<Vec<MemberPackage>> {
    #[derive(Deserialize)]
    struct PackageList {
        packages: Vec<MemberPackage>,
    }
    let out = cargo()
        .args(["metadata", "--no-deps", "--format-version", "1"])
        .output()?;
    let said = String::from_utf8_lossy(&out.stderr);
    ensure!(out.status.success(), "cargo metadata: {said}");
    let list: PackageList = serde_json::from_slice(&out.stdout).context("cargo metadata")?;
    Ok(list.packages)
}

/// Returns the members that are not published (`publish = false`).
pub(crate) fn unpublished() -> anyhow::Result<Vec<String>> {
    let members = members()?.into_iter();
    let kept = members.filter(|p| p.publish.as_ref().is_some_and(Vec::is_empty));
    Ok(kept.map(|p| p.name).collect())
}
