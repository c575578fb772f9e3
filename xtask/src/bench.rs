//! `cargo xtask bench`: builds the bench program, runs it and keeps its records below `bench/records`.

use std::fs;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

const RECORDS: &str = "bench/records";
const PLOTS: &str = "bench/plots";

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Only fill the part of README.md between `<!-- bench:begin -->` and `<!-- bench:end -->` from the newest records
    #[arg(long)]
    readme: bool,
    /// Only draw time against mesh size from the newest records, into bench/plots
    #[arg(long)]
    plots: bool,
    /// What the bench program takes: `cargo xtask bench --help-program` lists it
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<String>,
    /// Show the options of the bench program
    #[arg(long)]
    help_program: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let status = workspace::cargo()
        .args(["build", "--release", "--package", "rxmesh-bench"])
        .status()?;
    ensure!(status.success(), "cargo build: {status}");
    let mut bench = Command::new(workspace::target().join("release/rxmesh-bench"));
    bench.current_dir(workspace::root());
    if arguments.help_program {
        bench.arg("--help");
    } else if arguments.readme {
        bench.args(["readme", "README.md", "--records", RECORDS]);
    } else if arguments.plots {
        bench.args(["plots", PLOTS, "--records", RECORDS]);
    } else {
        bench.args(&arguments.program);
        let names_a_file = |a: &String| a == "--json" || a.starts_with("--json=");
        let is_task = |a: &String| !a.starts_with('-');
        let quick = arguments.program.iter().any(|a| a == "--quick");
        if !quick
            && !arguments.program.iter().any(names_a_file)
            && !arguments.program.first().is_some_and(is_task)
        {
            fs::create_dir_all(workspace::at(RECORDS)).context(RECORDS)?;
            bench.args(["--json", RECORDS]);
        }
    }
    let status = bench.status().context("cannot run the bench program")?;
    ensure!(status.success(), "the bench program: {status}");
    Ok(())
}
