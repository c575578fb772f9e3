//! Builds and runs, with the GPU's engine, a program outside the repository that is made from the library's README.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

/// File names in the README's program.
const FILES: [&str; 2] = ["in.obj", "out.obj"];

pub(crate) fn run() -> anyhow::Result<()> {
    let root = workspace::root();
    let library = root.join("crates/rxmesh-host");
    let readme = fs::read_to_string(library.join("README.md"))?;
    let folder = tempfile::tempdir()?;
    let at = |name: &str| folder.path().join(name);
    let block =
        |what: &str| block(&readme, what).with_context(|| format!("README.md has no {what}"));
    fs::create_dir_all(at("src"))?;
    fs::write(at("src/main.rs"), block("```rust,no_run\n")?)?;
    fs::create_dir(at(".cargo"))?;
    fs::write(at(".cargo/config.toml"), block("```toml\n")?)?;
    fs::write(at("Cargo.toml"), manifest(&library))?;
    fs::copy(root.join("data/bunny.obj"), at(FILES[0]))?;
    let shell = readme.lines().find_map(|l| l.strip_prefix("    mkdir "));
    let shell = shell.context("README.md has no line with mkdir")?;
    command("sh", folder.path(), &["-c", &format!("mkdir {shell}")])?;
    command("cargo", folder.path(), &["run", "--release"])?;
    let out = fs::metadata(at(FILES[1])).context("the program wrote nothing")?;
    ensure!(out.len() > 0, "the program wrote an empty file");
    println!("a program outside the repository is built with `cuda` and runs");
    Ok(())
}

/// Packages every published crate, without building it again.
pub(crate) fn packages() -> anyhow::Result<()> {
    let mut cargo = workspace::cargo();
    cargo.args([
        "package",
        "--workspace",
        "--no-verify",
        "--allow-dirty",
        "--offline",
    ]);
    for name in workspace::unpublished()? {
        cargo.args(["--exclude", &name]);
    }
    ensure!(cargo.status()?.success(), "cargo package failed");
    Ok(())
}

fn manifest(library: &Path) -> String {
    format!(
        "[package]\nname = \"downstream\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         rxmesh-host = {{ path = {:?}, features = [\"cuda\"] }}\n\n[workspace]\n",
        library.display().to_string()
    )
}

/// Returns the text after a line up to the end of the code block that it begins.
fn block<'a>(text: &'a str, begin: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(begin)?;
    Some(rest.split_once("```")?.0)
}

/// Runs a command in the program's folder, without the environment of this repository's configuration.
fn command(program: &str, folder: &Path, arguments: &[&str]) -> anyhow::Result<()> {
    let status = Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env(
            "CARGO_TARGET_DIR",
            workspace::root().join("target/downstream"),
        )
        .env_remove("CUDA_LIBRARY_PATH")
        .env_remove("CARGO_MANIFEST_DIR")
        .status()
        .with_context(|| program.to_owned())?;
    ensure!(status.success(), "{program} {arguments:?}: {status}");
    Ok(())
}
