//! The Python package, built and tested in a fresh virtual environment.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, bail, ensure};

use crate::workspace;

/// Oldest Python that the wheel is for.
const OLDEST: &str = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))";

/// Packages of the environment.
const PACKAGES: [&str; 8] = [
    "maturin>=1.16,<2",
    "numpy",
    "pytest>=8",
    "array-api-strict",
    "trimesh>=4",
    "meshio>=5",
    "distributed>=2024.1",
    // Newer versions of Python get their wheel some months late.
    "ray>=2.40; python_version < '3.14'",
];

/// Builds the package, installs it in a fresh environment, and runs its tests there. Without Python only reports that,
/// unless this machine is required to have it.
pub(crate) fn run() -> anyhow::Result<()> {
    let Some(python) = interpreter() else {
        if env::var_os("RXMESH_REQUIRE_PYTHON").is_some() {
            bail!("no Python of version 3.10 or newer with venv; RXMESH_PYTHON names one");
        }
        println!("SKIPPED, no Python of version 3.10 or newer with venv");
        return Ok(());
    };
    let environment = workspace::target().join("python");
    if environment.exists() {
        fs::remove_dir_all(&environment).context("the old environment")?;
    }
    let mut venv = Command::new(&python);
    succeed(venv.args(["-m", "venv"]).arg(&environment))?;
    let python = environment.join("bin/python");
    pip(&python, &PACKAGES.map(OsString::from))?;
    install(&python)?;
    exports(&python)?;
    let program = workspace::programs(&["rxmesh"])?.join("rxmesh");
    let package = workspace::at("crates/rxmesh-python");
    let tests = |arguments: &[&str]| {
        let mut pytest = Command::new(&python);
        pytest
            .current_dir(&package)
            .env("RXMESH_PROGRAM", &program)
            .args(["-m", "pytest", "-p", "no:cacheprovider"])
            .args(arguments);
        succeed(&mut pytest)
    };
    tests(&["tests"])?;
    tests(&["--doctest-glob=*.md", "../../docs/use/python.md"])?;
    examples(&python, &package.join("examples"))
}

/// Returns the interpreter of `RXMESH_PYTHON`, or the first one on the path that is new enough.
fn interpreter() -> Option<OsString> {
    let named = env::var_os("RXMESH_PYTHON");
    let usual = [
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3.10",
    ];
    let all = named.into_iter().chain(usual.map(OsString::from));
    let is_new = |python: &OsString| {
        let mut asked = Command::new(python);
        asked
            .args(["-c", OLDEST])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        asked.status().is_ok_and(|status| status.success())
    };
    all.into_iter().find(is_new)
}

fn pip(python: &Path, arguments: &[OsString]) -> anyhow::Result<()> {
    let mut pip = Command::new(python);
    pip.current_dir(workspace::root())
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args(arguments);
    succeed(&mut pip)
}

/// Installs the package as its users do, in the profile of development: the release profile takes many minutes.
fn install(python: &Path) -> anyhow::Result<()> {
    let mut pip = Command::new(python);
    let scripts = python.parent().unwrap_or(Path::new("."));
    let path = env::var_os("PATH").unwrap_or_default();
    let path = env::join_paths(
        [scripts.to_owned()]
            .into_iter()
            .chain(env::split_paths(&path)),
    )?;
    pip.current_dir(workspace::root())
        .env("PATH", path)
        .env("MATURIN_PEP517_ARGS", "--profile dev")
        .env("CARGO_TARGET_DIR", workspace::target())
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
        ])
        .args([
            "--no-build-isolation",
            "--no-deps",
            "./crates/rxmesh-python",
        ]);
    succeed(&mut pip)
}

/// Checks that the module exports nothing but its entry: other libraries of a process call the driver themselves.
fn exports(python: &Path) -> anyhow::Result<()> {
    let find = "import rxmesh._rxmesh as m; print(m.__file__)";
    let found = Command::new(python).args(["-c", find]).output()?;
    ensure!(found.status.success(), "the package cannot be imported");
    let module = PathBuf::from(String::from_utf8(found.stdout)?.trim());
    let listed = Command::new("nm")
        .args(["-D", "--defined-only"])
        .arg(&module)
        .output();
    let Ok(listed) = listed else {
        println!("SKIPPED, no nm (binutils): the exported symbols were not checked");
        return Ok(());
    };
    let symbols = String::from_utf8(listed.stdout)?;
    let others: Vec<&str> = symbols
        .lines()
        .filter_map(|line| line.split_whitespace().last())
        .filter(|symbol| *symbol != "PyInit__rxmesh" && !symbol.starts_with("rust_eh"))
        .collect();
    ensure!(
        others.is_empty(),
        "{} exports {}",
        module.display(),
        others.join(", ")
    );
    Ok(())
}

/// Runs every example in an empty folder.
fn examples(python: &Path, folder: &Path) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "py") {
            let empty = tempfile::tempdir()?;
            succeed(Command::new(python).current_dir(empty.path()).arg(&path))?;
        }
    }
    Ok(())
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let shown = format!("{command:?}");
    let status = command.status().with_context(|| shown.clone())?;
    ensure!(status.success(), "{shown}: {status}");
    Ok(())
}
