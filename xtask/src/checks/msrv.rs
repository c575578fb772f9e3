//! Check of the oldest Rust that the workspace states: no dependency requires a newer one, and where that toolchain is
//! installed everything is compiled with it.
//!
//! Otherwise clippy's `incompatible_msrv`, an error in the step `clippy`, checks every use of the standard library.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, bail, ensure};
use serde::Deserialize;

use crate::packages::Metadata;
use crate::workspace;

#[derive(Deserialize)]
struct Manifest {
    workspace: Workspace,
}

#[derive(Deserialize)]
struct Workspace {
    package: Common,
}

#[derive(Deserialize)]
struct Common {
    #[serde(rename = "rust-version")]
    rust_version: String,
}

pub(crate) fn run() -> anyhow::Result<()> {
    let manifest: Manifest = toml::from_str(&fs::read_to_string(workspace::at("Cargo.toml"))?)?;
    let stated = manifest.workspace.package.rust_version;
    let readme = fs::read_to_string(workspace::at("README.md"))?;
    ensure!(
        readme.contains(&format!("Rust {stated}")),
        "README.md does not say that Rust {stated} or newer is needed"
    );
    let metadata = Metadata::load(None)?;
    let mut newer = Vec::new();
    for package in &metadata.packages {
        if let Some(version) = &package.rust_version
            && number(version)? > number(&stated)?
        {
            newer.push(format!("{} needs Rust {version}", package.spec()));
        }
    }
    if !newer.is_empty() {
        bail!("{}\nthe workspace states {stated}", newer.join("\n"));
    }
    println!("no dependency needs a newer Rust than {stated}");
    let toolchain = format!("+{stated}");
    let mut rustc = Command::new("rustc");
    rustc
        .args([&toolchain, "--version"])
        .env("RUSTUP_AUTO_INSTALL", "0");
    let has = rustc.output();
    if !has.is_ok_and(|out| out.status.success()) {
        println!(
            "SKIPPED: `cargo {toolchain} check`, it is not installed; the step `clippy` finds newer functions of std"
        );
        return Ok(());
    }
    let status = Command::new("cargo")
        .args([
            &toolchain,
            "check",
            "--workspace",
            "--all-targets",
            "--locked",
        ])
        .current_dir(workspace::root())
        .env("CARGO_TARGET_DIR", workspace::target().join("msrv"))
        .env_remove("RUSTUP_TOOLCHAIN")
        .status()?;
    ensure!(status.success(), "cargo {toolchain} check: {status}");
    Ok(())
}

/// Parses major, minor and patch.
fn number(version: &str) -> anyhow::Result<[u32; 3]> {
    let mut number = [0; 3];
    for (n, word) in number.iter_mut().zip(version.split('.')) {
        *n = word.parse().with_context(|| version.to_owned())?;
    }
    Ok(number)
}
