//! `cargo xtask fuzz`: builds the fuzzing program, runs it, and reports how to reproduce its findings.

use std::fs;
use std::path::Path;
use std::process::{Command, ExitStatus};

use anyhow::{Context as _, bail, ensure};
use clap::ValueEnum;

use crate::workspace;

/// Target of fuzzing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum FuzzTarget {
    /// Files of every format
    Readers,
    /// Volume files of every format
    Volumes,
    /// Files of grids
    Grids,
    /// Scripts of operators and algorithms on meshes with every defect
    Edits,
    /// The program's command line
    Cli,
}

#[derive(clap::Args)]
pub(crate) struct FuzzArguments {
    /// Seconds for each target
    #[arg(long, default_value_t = 60, value_name = "N")]
    seconds: u64,
    /// Seed of the first case [default: another one each time]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Cases to run, instead of a time
    #[arg(long, value_name = "N")]
    cases: Option<u64>,
    /// Only this target
    #[arg(long, value_enum)]
    target: Option<FuzzTarget>,
}

/// Runs the short version for `cargo xtask ci`: the same cases every time on every machine, so that a change is not
/// blamed for an old fault.
pub(crate) fn ci() -> anyhow::Result<()> {
    run(&FuzzArguments {
        seconds: 60,
        seed: Some(0),
        cases: Some(200),
        target: None,
    })
}

pub(crate) fn run(arguments: &FuzzArguments) -> anyhow::Result<()> {
    let built = workspace::programs(&["rxmesh-fuzz", "rxmesh"])?;
    let seed = arguments.seed.unwrap_or_else(|| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        now.map_or(0, |t| t.as_secs())
    });
    let mut failed = Vec::new();
    for &target in FuzzTarget::value_variants() {
        if arguments.target.is_some_and(|only| only != target) {
            continue;
        }
        let mut command = program(&built, target, seed)?;
        command.args(["--seconds", &arguments.seconds.to_string()]);
        if let Some(cases) = arguments.cases {
            command.args(["--cases", &cases.to_string()]);
        }
        let status = command.status().context("rxmesh-fuzz")?;
        if !status.success() {
            report(&built, target, status)?;
            failed.push(name(target));
        }
    }
    ensure!(failed.is_empty(), "faults in {}", failed.join(", "));
    Ok(())
}

fn name(target: FuzzTarget) -> String {
    let value = target.to_possible_value();
    value.map_or_else(String::new, |v| v.get_name().to_owned())
}

/// Returns the command of the program with a target and the first seed.
fn program(built: &Path, target: FuzzTarget, seed: u64) -> anyhow::Result<Command> {
    let folder = folder(target);
    fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let mut command = Command::new(built.join("rxmesh-fuzz"));
    command
        .arg(name(target))
        .args(["--seed", &seed.to_string()])
        .arg("--folder")
        .arg(folder)
        .arg("--program")
        .arg(built.join("rxmesh"))
        .arg("--data")
        .arg(workspace::at("data"))
        .env("RUST_BACKTRACE", "1");
    Ok(command)
}

fn folder(target: FuzzTarget) -> std::path::PathBuf {
    workspace::target().join("fuzz").join(name(target))
}

/// Reports the failed case and how to reproduce it, and writes its input.
fn report(built: &Path, target: FuzzTarget, status: ExitStatus) -> anyhow::Result<()> {
    let file = folder(target).join("case");
    let text = fs::read_to_string(&file).with_context(|| file.display().to_string())?;
    let Ok(seed) = text.trim().parse::<u64>() else {
        bail!("{}: {status} before the first case", name(target));
    };
    println!("{}: seed {seed}, {status}", name(target));
    program(built, target, seed)?.arg("--describe").status()?;
    println!(
        "repeat it: cargo xtask fuzz --target {} --seed {seed} --cases 1",
        name(target)
    );
    Ok(())
}
