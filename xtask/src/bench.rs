//! `cargo xtask bench`: builds the bench program, runs it and keeps its records below `bench/records`.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, ensure};

use crate::workspace;

const RECORDS: &str = "bench/records";
const PLOTS: &str = "bench/plots";
const PEERS: &str = "bench/peers";

#[derive(clap::Args)]
pub(crate) struct MeasureArguments {
    /// Only fill the parts of README.md and docs/ that come from the newest records: tables and single figures
    #[arg(long, alias = "readme")]
    docs: bool,
    /// Only draw time against mesh size from the newest records, into bench/plots
    #[arg(long)]
    plots: bool,
    /// Compare the CPU engine with other libraries in one run; installs them from PyPI below the target folder
    #[arg(long)]
    peers: bool,
    /// Repeat the tables and figures of a text: 2018, 2021, 2022 or 2024. `--help-program` after it lists its options;
    /// records and the page go to `bench/records/papers`
    #[arg(long, value_name = "YEAR")]
    paper: Option<String>,
    /// Arguments of the bench program: `cargo xtask bench --help-program` lists them
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    program: Vec<String>,
    /// Show the options of the bench program
    #[arg(long)]
    help_program: bool,
}

pub(crate) fn run(arguments: &MeasureArguments) -> anyhow::Result<()> {
    let status = workspace::cargo()
        .args(["build", "--release", "--package", "rxmesh-bench"])
        .status()?;
    ensure!(status.success(), "cargo build: {status}");
    let mut bench = Command::new(workspace::target().join("release/rxmesh-bench"));
    bench.current_dir(workspace::root());
    if arguments.help_program {
        let task = arguments.paper.is_some().then_some("paper");
        bench.args(task).arg("--help");
    } else if arguments.docs {
        bench.args(["docs", "--records", RECORDS]);
    } else if arguments.plots {
        bench.args(["plots", PLOTS, "--records", RECORDS]);
    } else if arguments.peers {
        let records = workspace::at(RECORDS).join("peers");
        fs::create_dir_all(&records).with_context(|| records.display().to_string())?;
        bench.arg("peers").arg("--python").arg(peers_python()?);
        bench.arg("--json").arg(records).args(&arguments.program);
    } else if let Some(year) = &arguments.paper {
        bench.arg("paper").arg(year).args(&arguments.program);
        if !is_written(&arguments.program) {
            bench
                .arg("--json")
                .arg(workspace::at(RECORDS).join("papers"));
        }
    } else {
        bench.args(&arguments.program);
        let is_task = |a: &String| !a.starts_with('-');
        if !is_written(&arguments.program) && !arguments.program.first().is_some_and(is_task) {
            fs::create_dir_all(workspace::at(RECORDS)).context(RECORDS)?;
            bench.args(["--json", RECORDS]);
        }
    }
    let status = bench.status().context("cannot run the bench program")?;
    ensure!(status.success(), "the bench program: {status}");
    Ok(())
}

/// Returns `true` if the arguments say where records go, or measure too little for one.
fn is_written(program: &[String]) -> bool {
    let names_a_file = |a: &String| a == "--json" || a.starts_with("--json=");
    program.iter().any(|a| a == "--quick" || names_a_file(a))
}

/// Returns a Python with the peers: a virtual environment below the target folder, made and filled if it is missing.
/// Packages that cannot be installed are named; the timing script reports them again for each of their operations.
fn peers_python() -> anyhow::Result<PathBuf> {
    let folder = workspace::target().join("peers");
    let python = folder.join("bin/python");
    let done = folder.join("installed");
    let list = workspace::at(PEERS).join("requirements.txt");
    let wanted = fs::read_to_string(&list).with_context(|| list.display().to_string())?;
    if fs::read_to_string(&done).is_ok_and(|text| text == wanted) {
        return Ok(python);
    }
    let status = Command::new("python3")
        .args(["-m", "venv"])
        .arg(&folder)
        .status()
        .context("python3 is needed for the peers")?;
    ensure!(status.success(), "python3 -m venv: {status}");
    let packages = wanted
        .lines()
        .map(str::trim)
        .filter(|l| !l.is_empty() && !l.starts_with('#'));
    for package in packages {
        println!("installing {package}");
        let status = Command::new(&python)
            .args(["-m", "pip", "install", "--quiet", package])
            .status()?;
        if !status.success() {
            eprintln!("{package} cannot be installed: its operations are left out");
        }
    }
    fs::write(&done, wanted).with_context(|| done.display().to_string())?;
    Ok(python)
}
