//! Runs under tools that check memory and threads: valgrind, ThreadSanitizer, Miri.
//!
//! Each reports when its tool is not installed ([`StepOutcome::NotRun`]), which is not success.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, ensure};

use crate::ci::StepOutcome;
use crate::workspace;

/// Commands of the program that run under valgrind, each on one of the small meshes of `data/`.
const WATCHED: [&[&str]; 10] = [
    &["info", "nut.ply"],
    &["check", "nut.ply"],
    &["normals", "nut.ply"],
    &["smooth", "nut.ply"],
    &["filter", "nut.ply"],
    &["mcf", "nut.ply"],
    &["geodesic", "nut.ply", "--source", "0"],
    &["simplify", "nut.ply", "--ratio", "0.5"],
    &["remesh", "nut.ply"],
    &["subdivide", "creased_cube.obj", "--levels", "2"],
];

/// Returns `true` if a program can be started.
fn is_here(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Runs ten commands under valgrind's memcheck: no access outside of allocations, no branch on uninitialised values.
pub(crate) fn valgrind() -> anyhow::Result<StepOutcome> {
    if !is_here("valgrind", &["--version"]) {
        return Ok(StepOutcome::NotRun("valgrind is not installed"));
    }
    let mut cargo = workspace::cargo();
    cargo.args(["build", "--release", "--package", "rxmesh-apps"]);
    ensure!(cargo.status()?.success(), "the program does not build");
    let program = workspace::target().join("release/rxmesh");
    let folder = workspace::target().join("valgrind");
    std::fs::create_dir_all(&folder)?;
    let mut wrong = Vec::new();
    for command in WATCHED {
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--quiet", "--error-exitcode=99"])
            .arg(&program)
            .arg(command[0])
            .arg(workspace::at("data").join(command[1]))
            .args(&command[2..])
            .current_dir(&folder);
        if !matches!(command[0], "info" | "check") {
            valgrind.args(["-o", "out.ply", "--engine", "cpu"]);
        }
        println!("valgrind: {}", command.join(" "));
        let status = valgrind.status()?;
        // `mcf` and similar commands exit with 3 when they have not converged, `check` with 1 when it finds something.
        if status.code().is_none_or(|code| code == 2 || code > 3) {
            wrong.push(format!("{}: {status}", command.join(" ")));
        }
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(StepOutcome::Passed)
}

/// Compiler with its library sources, which ThreadSanitizer needs: it only sees code that is compiled with it.
const COMPILER: &str = "/usr/bin/rustc";
const SOURCES: &str = "/usr/lib/rustlib/src/rust/library";

/// Returns the sanitizer's runtime, from the running toolchain.
fn runtime() -> anyhow::Result<Option<PathBuf>> {
    let out = Command::new("rustc")
        .args(["--print", "target-libdir"])
        .output()?;
    let folder = String::from_utf8(out.stdout).context("rustc's folder")?;
    let files = std::fs::read_dir(Path::new(folder.trim()))?;
    let mut found = files.filter_map(Result::ok).map(|file| file.path());
    Ok(found.find(|path| path.to_string_lossy().ends_with("_rt.tsan.a")))
}

/// Runs the tests of the CPU engine's worker threads and of claims on its memory under ThreadSanitizer, with a standard
/// library that is compiled for it.
pub(crate) fn threads() -> anyhow::Result<StepOutcome> {
    if !Path::new(SOURCES).is_dir() || !is_here(COMPILER, &["--version"]) {
        return Ok(StepOutcome::NotRun(
            "the system's rustc and its sources are not installed (docs/inside/toolchain.md)",
        ));
    }
    let Some(runtime) = runtime()? else {
        return Ok(StepOutcome::NotRun(
            "the toolchain has no runtime of ThreadSanitizer",
        ));
    };
    let flags = format!(
        "-Zsanitizer=thread -Zexternal-clangrt -Clink-arg=-Wl,--whole-archive -Clink-arg={} \
            -Clink-arg=-Wl,--no-whole-archive -Clink-arg=-lm",
        runtime.display()
    );
    let mut cargo = workspace::cargo();
    cargo
        .current_dir(workspace::at("tests/threads"))
        .env("RUSTC", COMPILER)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTFLAGS", flags)
        .env("TSAN_OPTIONS", "halt_on_error=1")
        .env("CARGO_TARGET_DIR", workspace::target().join("threads"))
        .args(["test", "-Zbuild-std=std,panic_unwind,test"])
        .args(["--target", "x86_64-unknown-linux-gnu"]);
    ensure!(cargo.status()?.success(), "ThreadSanitizer: see above");
    Ok(StepOutcome::Passed)
}

/// Runs the same tests, and those of device code that run on the host, under Miri.
pub(crate) fn miri() -> anyhow::Result<StepOutcome> {
    if !is_here("cargo", &["miri", "--version"]) {
        return Ok(StepOutcome::NotRun("this toolchain has no `cargo miri`"));
    }
    for folder in ["tests/threads", "crates/rxmesh-kernels"] {
        let mut cargo = workspace::cargo();
        cargo
            .current_dir(workspace::at(folder))
            .env("CARGO_TARGET_DIR", workspace::target().join("miri"))
            .env("MIRIFLAGS", "-Zmiri-disable-isolation")
            .args(["miri", "test", "--lib"]);
        ensure!(cargo.status()?.success(), "Miri on {folder}: see above");
    }
    Ok(StepOutcome::Passed)
}
