//! `cargo xtask ci`: all checks that must pass before a change is merged.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{bail, ensure};
use cuda_builder::Toolchain;

use crate::{
    checks, doctor, downstream, fuzz, new_kernels, part, ptx, python, sweep, watch, workspace,
};

#[derive(clap::Args)]
pub(crate) struct CiArguments {
    /// Only these steps
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    only: Vec<String>,
    /// Skip these steps
    #[arg(long, value_name = "STEP", value_delimiter = ',')]
    skip: Vec<String>,
    /// Also the size of the program, the conformance suite in full, and runs under valgrind, ThreadSanitizer and Miri
    #[arg(long)]
    long: bool,
    /// Only make the next part of the long run the turn of the next submission (`.ci/part`)
    #[arg(long)]
    turn: bool,
}

type Step = (&'static str, fn() -> anyhow::Result<()>);

/// Outcome of a step that did not fail.
pub(crate) enum StepOutcome {
    /// The step ran, and found nothing.
    Passed,
    /// The step needs a tool that is not installed. This never counts as passed.
    NotRun(&'static str),
}

/// Step that runs only with `--long`, or when it is named.
const LONG: &str = "long";

type ToolStep = (&'static str, fn() -> anyhow::Result<StepOutcome>);

/// Steps that need a tool that may not be installed.
const TOOLS: &[ToolStep] = &[("gltf", checks::gltf::run), ("page", checks::page::run)];

/// Steps that run only with `--long`, or when they are named, and need a tool that may not be installed.
const WATCHES: &[ToolStep] = &[
    ("size", checks::size::run),
    ("valgrind", watch::valgrind),
    ("threads", watch::threads),
    ("miri", watch::miri),
];

/// All steps, the quick ones first.
const STEPS: &[Step] = &[
    ("fmt", formatted),
    ("arrows", checks::arrows::run),
    ("paths", checks::paths::run),
    ("lines", checks::lines::run),
    ("deny", checks::deny::run),
    ("notices", checks::notices::check),
    ("msrv", checks::msrv::run),
    ("ptx", ptx::check),
    ("assemble", assemble),
    ("rebuild", rebuild),
    ("clippy", || {
        cargo(&[
            "clippy",
            "--workspace",
            "--all-targets",
            // The Python module, which other builds leave out.
            "--features",
            "rxmesh-python/extension",
            "--",
            "-D",
            "warnings",
        ])
    }),
    ("figures", figures),
    ("test", || cargo(&["test", "--workspace"])),
    ("wide", wide),
    ("part", part::run),
    ("doc", documented),
    ("example", example),
    ("python", python::run),
    ("packages", downstream::packages),
    ("fuzz", fuzz::ci),
    ("sweep", sweep::ci),
    (LONG, long),
];

/// Checks that figures in the documents are those of their records.
fn figures() -> anyhow::Result<()> {
    let bench = workspace::programs(&["rxmesh-bench"])?.join("rxmesh-bench");
    succeed(
        Command::new(bench)
            .args(["docs", "--check"])
            .current_dir(workspace::root()),
    )
}

/// Documents all crates, then the program, whose pages would have the names of those of the library crate `rxmesh`.
fn documented() -> anyhow::Result<()> {
    cargo(&[
        "doc",
        "--workspace",
        "--no-deps",
        "--document-private-items",
    ])?;
    let program = workspace::target().join("program");
    succeed(
        workspace::cargo()
            .env("RUSTDOCFLAGS", "-D warnings")
            // Since Cargo 1.91 only the pages are apart, and nothing is compiled again.
            .env("CARGO_BUILD_BUILD_DIR", workspace::target())
            .args(["rustdoc", "--package", "rxmesh-apps", "--bin", "rxmesh"])
            .arg("--target-dir")
            .arg(program)
            .args(["--", "--document-private-items"]),
    )
}

/// Folders whose modules a macro finds, which `cargo fmt` does not reach.
const FOUND: [&str; 9] = [
    "tests/tests/suite",
    "tests/tests/surfaces",
    "tests/tests/volumes",
    "tests/tests/simulation",
    "crates/rxmesh-host/src/algo",
    "crates/rxmesh-host/src/io",
    "crates/rxmesh/src/ops",
    "crates/rxmesh-apps/tests/suite",
    "crates/rxmesh-bench/src/rows",
];

fn formatted() -> anyhow::Result<()> {
    cargo(&["fmt", "--all", "--check"])?;
    let mut files = Vec::new();
    let mut folders: Vec<PathBuf> = FOUND.iter().map(|f| workspace::at(f)).collect();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                files.push(path);
            }
        }
    }
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024", "--check"]).args(files);
    let status = rustfmt.status()?;
    ensure!(status.success(), "rustfmt: {status}");
    Ok(())
}

pub(crate) fn run(arguments: &CiArguments) -> anyhow::Result<()> {
    if arguments.turn {
        return part::turn();
    }
    let names = STEPS.iter().map(|(name, _)| *name);
    let tools = TOOLS.iter().chain(WATCHES).map(|(name, _)| *name);
    let names: Vec<&str> = names.chain(tools).collect();
    for asked in arguments.only.iter().chain(&arguments.skip) {
        ensure!(
            names.contains(&asked.as_str()),
            "no step {asked}; there are {}",
            names.join(", ")
        );
    }
    let (mut failed, mut not_run, mut times) = (Vec::new(), Vec::new(), Vec::new());
    for name in &names {
        let asked = |list: &[String]| list.iter().any(|s| s == name);
        let is_long = *name == LONG || WATCHES.iter().any(|(watch, _)| watch == name);
        let usual = arguments.only.is_empty() && (!is_long || arguments.long);
        if asked(&arguments.skip) || !(usual || asked(&arguments.only)) {
            continue;
        }
        println!("== {name}");
        let start = Instant::now();
        let result = step(name);
        let seconds = start.elapsed().as_secs_f32();
        times.push(format!("{name} {seconds:.0}"));
        match result {
            Ok(StepOutcome::Passed) => println!("== {name}: ok, {seconds:.1} s"),
            Ok(StepOutcome::NotRun(why)) => {
                println!("== {name}: NOT RUN, {why}");
                not_run.push(*name);
            }
            Err(error) => {
                println!("== {name}: FAILED, {seconds:.1} s\n{error:#}");
                failed.push(*name);
            }
        }
    }
    println!("seconds: {}", times.join(", "));
    if !not_run.is_empty() {
        println!("not run, and so not passed: {}", not_run.join(", "));
    }
    if !failed.is_empty() {
        bail!("failed: {}", failed.join(", "));
    }
    Ok(())
}

/// Runs a step by its name.
fn step(name: &str) -> anyhow::Result<StepOutcome> {
    for (known, step) in STEPS {
        if *known == name {
            return step().map(|()| StepOutcome::Passed);
        }
    }
    match TOOLS
        .iter()
        .chain(WATCHES)
        .find(|(known, _)| *known == name)
    {
        Some((_, step)) => step(),
        None => bail!("no step {name}"),
    }
}

fn cargo(arguments: &[&str]) -> anyhow::Result<()> {
    succeed(
        workspace::cargo()
            .env("RUSTDOCFLAGS", "-D warnings")
            .args(arguments),
    )
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let status = command.status()?;
    let words = command.get_args().map(OsStr::to_string_lossy);
    ensure!(
        status.success(),
        "{} {}: {status}",
        Path::new(command.get_program()).display(),
        words.collect::<Vec<_>>().join(" ")
    );
    Ok(())
}

/// Runs the tests that README's test command omits because of their time: teams of seven threads, every case of
/// OpenSubdiv's results and of creases, and the higher levels of sqrt(3) and of rebuilt surfaces. Uses `--workspace` to
/// reuse the builds of that command.
fn wide() -> anyhow::Result<()> {
    let suites = ["conformance", "surfaces", "volumes"].map(|suite| ["--test", suite]);
    let test = ["test", "--workspace"].iter().chain(suites.as_flattened());
    let mut teams = workspace::cargo();
    teams.args(test).args(["--", "--include-ignored", "team7"]);
    succeed(&mut teams)?;
    let mut cases = workspace::cargo();
    cases
        .env("RXMESH_LONG", "1")
        .args(["test", "--workspace", "--test", "surfaces"]);
    cases.args(["--", "opensubdiv::", "creases", "values_of_corners"]);
    cases.args(["sqrt3", "surfaces_are_rebuilt"]);
    succeed(&mut cases)
}

/// Runs the whole conformance suite, and a program outside the repository. Uses `--workspace` to reuse the builds of
/// README's test command.
fn long() -> anyhow::Result<()> {
    let mut cargo = workspace::cargo();
    cargo.env("RXMESH_LONG", "1").args([
        "test",
        "--workspace",
        "--test",
        "conformance",
        "--test",
        "volumes",
        "--",
        "--include-ignored",
    ]);
    succeed(&mut cargo)?;
    if ptx::find_ptxas().is_ok() {
        ptx::assemble(false)?;
    }
    downstream::run()
}

/// Runs the projects outside the workspace as users have them: their tests, then their programs on every available
/// engine; and the same of a project that `cargo xtask new-kernels` makes.
fn example() -> anyhow::Result<()> {
    for (folder, program) in [("custom-kernel", "cloth"), ("custom-scheme", "butterfly")] {
        let folder = workspace::at("examples").join(folder);
        project(&folder, &["--locked"], &|engine| {
            vec!["-p", program, "--", "--engine", engine]
        })?;
    }
    let folder = tempfile::tempdir()?;
    let made = folder.path().join("wind-tunnel");
    new_kernels::make("wind-tunnel", &made)?;
    project(&made, &["--offline"], &|engine| vec!["--", engine])
}

/// Features that the projects outside the workspace are built with here: the same ones for all of their tests and
/// programs, so that the library is compiled once and not for each of them.
const SHARED: &str = "rxmesh-host/serde,rxmesh-host/test-engines";

/// Runs the tests and the program of a project outside the workspace. `run` gives the arguments for an engine.
fn project(
    folder: &Path,
    options: &[&str],
    run: &dyn Fn(&'static str) -> Vec<&'static str>,
) -> anyhow::Result<()> {
    // As the projects set it, each by a path of its own, which would have the library compiled again.
    let link = env::var_os("CUDA_LIBRARY_PATH")
        .unwrap_or_else(|| workspace::at("crates/rxmesh-cuda-driver/link").into());
    let cargo = |command: &str| {
        let mut cargo = workspace::cargo();
        cargo
            .current_dir(folder)
            .env("CARGO_TARGET_DIR", workspace::target().join("example"))
            .env("CUDA_LIBRARY_PATH", &link)
            .args([command, "--features", SHARED])
            .args(options);
        cargo
    };
    succeed(&mut cargo("test"))?;
    succeed(cargo("run").args(run("cpu")))?;
    if doctor::has_gpu() || env::var("RXMESH_REQUIRE_CUDA").as_deref() == Ok("1") {
        succeed(cargo("run").args(run("cuda")))?;
    }
    Ok(())
}

/// Does as `cargo xtask ptx --assemble`; without ptxas only reports that, unless this machine is required to have it.
fn assemble() -> anyhow::Result<()> {
    match ptx::find_ptxas() {
        Err(error) if env::var_os("RXMESH_REQUIRE_DEVICE").is_none() => {
            println!("SKIPPED, no ptxas: {error}");
            Ok(())
        }
        _ => ptx::assemble(true),
    }
}

/// Does as `cargo xtask ptx --rebuild`; without a device compiler only reports that, unless this machine is required to
/// have it.
fn rebuild() -> anyhow::Result<()> {
    match Toolchain::find() {
        Err(error) if env::var_os("RXMESH_REQUIRE_DEVICE").is_none() => {
            println!("SKIPPED, no compiler for device code: {error}");
            Ok(())
        }
        _ => ptx::rebuild(),
    }
}
