//! Check of the program's size: built for release, without symbols.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::ci::StepOutcome;
use crate::workspace;

/// Most bytes of the program.
const MOST_BYTES: u64 = 12_000_000;

pub(crate) fn run() -> anyhow::Result<StepOutcome> {
    let status = workspace::cargo()
        .args(["build", "--release", "--package", "rxmesh-apps"])
        .status()?;
    ensure!(status.success(), "the program does not build");
    let program = workspace::target().join("release/rxmesh");
    let stripped = program.with_extension("stripped");
    let strip = Command::new("strip")
        .arg("--strip-all")
        .arg("-o")
        .arg(&stripped)
        .arg(&program)
        .status();
    if !strip.is_ok_and(|status| status.success()) {
        return Ok(StepOutcome::NotRun("strip (binutils) is not installed"));
    }
    let place = || stripped.display().to_string();
    let bytes = fs::metadata(&stripped).with_context(place)?.len();
    fs::remove_file(&stripped).with_context(place)?;
    ensure!(
        bytes <= MOST_BYTES,
        "the program has {bytes} bytes without symbols, and should have at most {MOST_BYTES}"
    );
    println!("the program has {bytes} bytes without symbols");
    Ok(StepOutcome::Passed)
}
