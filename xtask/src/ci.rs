//! `cargo xtask ci`: everything that has to pass before a change goes in.

use std::env;
use std::time::Instant;

use anyhow::{bail, ensure};
use cuda_builder::Toolchain;

use crate::{checks, ptx, workspace};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only these steps
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Not these steps
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    skip: Vec<String>,
}

type Step = (&'static str, fn() -> anyhow::Result<()>);

/// The quick ones first.
const STEPS: &[Step] = &[
    ("fmt", || cargo(&["fmt", "--all", "--check"])),
    ("arrows", checks::arrows::run),
    ("paths", checks::paths::run),
    ("ptx", ptx::check),
    ("assemble", assemble),
    ("rebuild", rebuild),
    ("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            "--",
            "-D",
            "warnings",
        ])
    }),
    ("figures", || {
        cargo(&[
            "run",
            "--quiet",
            "--package",
            "rxmesh-bench",
            "--",
            "docs",
            "--check",
        ])
    }),
    ("test", || cargo(&["test", "--workspace"])),
    ("doc", || {
        cargo(&[
            "doc",
            "--workspace",
            "--no-deps",
            "--document-private-items",
        ])
    }),
];

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let names: Vec<&str> = STEPS.iter().map(|(name, _)| *name).collect();
    for asked in arguments.only.iter().chain(&arguments.skip) {
        ensure!(
            names.contains(&asked.as_str()),
            "no step {asked}; there are {}",
            names.join(", ")
        );
    }
    let mut failed = Vec::new();
    for (name, step) in STEPS {
        let asked = |list: &[String]| list.iter().any(|s| s == name);
        if asked(&arguments.skip) || !(arguments.only.is_empty() || asked(&arguments.only)) {
            continue;
        }
        println!("== {name}");
        let start = Instant::now();
        let result = step();
        let seconds = start.elapsed().as_secs_f32();
        match result {
            Ok(()) => println!("== {name}: ok, {seconds:.1} s"),
            Err(error) => {
                println!("== {name}: FAILED, {seconds:.1} s\n{error:#}");
                failed.push(*name);
            }
        }
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    let status = workspace::cargo()
        .env("RUSTDOCFLAGS", "-D warnings")
        .args(arguments)
        .status()?;
    ensure!(status.success(), "cargo {}: {status}", arguments.join(" "));
    Ok(())
}

/// As `cargo xtask ptx --assemble`, but without ptxas it is enough to say so, unless this machine is meant to have it.
fn assemble() -> anyhow::Result<()> {
    match ptx::find_ptxas() {
        Err(error) if env::var_os("RXMESH_REQUIRE_DEVICE").is_none() => {
            println!("SKIPPED, no ptxas: {error}");
            Ok(())
        }
        _ => ptx::assemble(),
    }
}

/// As `cargo xtask ptx --rebuild`, but without a device compiler it is enough to say so, unless this machine is meant to have it.
fn rebuild() -> anyhow::Result<()> {
    match Toolchain::find() {
        Err(error) if env::var_os("RXMESH_REQUIRE_DEVICE").is_none() => {
            println!("SKIPPED, no compiler for device code: {error}");
            Ok(())
        }
        _ => ptx::rebuild(),
    }
}
