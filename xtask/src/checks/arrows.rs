//! Check that crates depend on each other in one direction: kernels <- host <- rxmesh <- apps and python, with the
//! speculative scheduler, subdivision and simulation beside the first two. Modules of a crate do so, too ([`floors`]).

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::floors;
use crate::workspace::{self, MemberPackage};

/// Dependencies that each crate may have inside the workspace. Tests, benchmarks and tasks may depend on anything.
const ARROWS: &[(&str, &[&str])] = &[
    ("rxmesh-cuda-std", &[]),
    ("rxmesh-cuda-driver", &[]),
    ("rxmesh-ptx", &[]),
    ("rxmesh-cuda-builder", &["rxmesh-ptx"]),
    ("rxmesh-kernels", &["rxmesh-cuda-std"]),
    (
        "rxmesh-host",
        &["rxmesh-kernels", "rxmesh-cuda-driver", "rxmesh-ptx"],
    ),
    (
        "rxmesh-speculative-kernels",
        &["rxmesh-kernels", "rxmesh-cuda-std"],
    ),
    (
        "rxmesh-test-kernels",
        &[
            "rxmesh-kernels",
            "rxmesh-speculative-kernels",
            "rxmesh-cuda-std",
        ],
    ),
    (
        "rxmesh-bench-kernels",
        &["rxmesh-kernels", "rxmesh-cuda-std"],
    ),
    (
        "rxmesh-speculative",
        &[
            "rxmesh-host",
            "rxmesh-kernels",
            "rxmesh-ptx",
            "rxmesh-speculative-kernels",
        ],
    ),
    (
        "rxmesh-subdivision-kernels",
        &["rxmesh-kernels", "rxmesh-cuda-std"],
    ),
    (
        "rxmesh-subdivision",
        &[
            "rxmesh-host",
            "rxmesh-kernels",
            "rxmesh-ptx",
            "rxmesh-subdivision-kernels",
        ],
    ),
    (
        "rxmesh-simulation-kernels",
        &["rxmesh-kernels", "rxmesh-cuda-std"],
    ),
    (
        "rxmesh-simulation",
        &[
            "rxmesh-host",
            "rxmesh-kernels",
            "rxmesh-ptx",
            "rxmesh-simulation-kernels",
        ],
    ),
    ("rxmesh-picture", &["rxmesh-host"]),
    (
        "rxmesh",
        &[
            "rxmesh-host",
            "rxmesh-kernels",
            "rxmesh-speculative",
            "rxmesh-subdivision",
            "rxmesh-simulation",
        ],
    ),
    (
        "rxmesh-apps",
        &[
            "rxmesh",
            "rxmesh-host",
            "rxmesh-kernels",
            "rxmesh-picture",
            "rxmesh-speculative",
            "rxmesh-subdivision",
            "rxmesh-simulation",
        ],
    ),
    ("rxmesh-python", &["rxmesh", "rxmesh-picture"]),
];

/// Crates that nothing depends on and that may depend on anything.
const FREE: &[&str] = &[
    "xtask",
    "rxmesh-tests",
    "rxmesh-fuzz",
    "rxmesh-sweep",
    "rxmesh-bench",
];

/// Device crates.
const DEVICE: &[&str] = &[
    "rxmesh-kernels",
    "rxmesh-speculative-kernels",
    "rxmesh-subdivision-kernels",
    "rxmesh-simulation-kernels",
    "rxmesh-test-kernels",
    "rxmesh-bench-kernels",
    "rxmesh-cuda-std",
];

/// Dependencies that device code must not have.
const HOST_ONLY: &[&str] = &["rayon", "cust", "libloading", "anyhow", "clap", "tracing"];

/// Start of the path of the only module below `crates` that calls the driver.
const DRIVER: &str = "rxmesh-host/src/engine/cuda/driver";

pub(crate) fn run() -> anyhow::Result<()> {
    let members = workspace::members()?;
    let mut faults = faults(&members);
    faults.extend(driver_calls(&workspace::at("crates"))?);
    faults.extend(floors::faults(&workspace::at("crates"))?);
    if !faults.is_empty() {
        bail!("{}", faults.join("\n"));
    }
    println!(
        "{} crates and the modules of two: all arrows point the right way",
        members.len()
    );
    Ok(())
}

/// Returns the sources of crates that name `cust` outside of [`DRIVER`].
fn driver_calls(crates: &Path) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    let mut open: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(crates)? {
        open.push(entry?.path().join("src"));
    }
    while let Some(folder) = open.pop() {
        let Ok(entries) = fs::read_dir(&folder) else {
            continue;
        };
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(crates)?.to_string_lossy().into_owned();
            if name.ends_with(".rs") && !name.starts_with(DRIVER) {
                let text = fs::read_to_string(&path)?;
                let code = text.lines().filter(|l| !l.trim_start().starts_with("//"));
                if code.into_iter().any(|l| l.contains("cust::")) {
                    faults.push(format!("{name} must call the driver through {DRIVER}"));
                }
            }
        }
    }
    Ok(faults)
}

fn faults(packages: &[MemberPackage]) -> Vec<String> {
    let members: Vec<&str> = packages.iter().map(|p| p.name.as_str()).collect();
    let mut faults = Vec::new();
    for package in packages {
        let name = package.name.as_str();
        if FREE.contains(&name) {
            continue;
        }
        let Some((_, allowed)) = ARROWS.iter().find(|(n, _)| *n == name) else {
            faults.push(format!("{name} is not in the list of crates; say in xtask/src/checks/arrows.rs what it may \
                depend on"));
            continue;
        };
        for dependency in package
            .dependencies
            .iter()
            .filter(|d| d.kind.as_deref() != Some("dev"))
        {
            let to = dependency.name.as_str();
            if members.contains(&to) && !allowed.contains(&to) {
                faults.push(format!("{name} must not depend on {to}"));
            }
            if DEVICE.contains(&name) && HOST_ONLY.contains(&to) {
                faults.push(format!("{name} is device code and must not depend on {to}"));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::Dependency;

    fn package(name: &str, to: &str, kind: Option<&str>) -> MemberPackage {
        let dependency = Dependency {
            name: to.to_owned(),
            kind: kind.map(str::to_owned),
        };
        MemberPackage {
            name: name.to_owned(),
            dependencies: vec![dependency],
            publish: None,
        }
    }

    #[test]
    fn calls_of_the_driver_from_elsewhere_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        put(
            "rxmesh-host/src/engine/cuda/driver/mod.rs",
            "use cust::stream::Stream;\n",
        );
        put(
            "rxmesh-host/src/engine/cpu/mod.rs",
            "// as `cust::stream` has it\n",
        );
        assert!(driver_calls(folder.path()).unwrap().is_empty());
        put(
            "rxmesh-host/src/algo/deep/fast.rs",
            "    cust::init(flags)?;\n",
        );
        let faults = driver_calls(folder.path()).unwrap();
        assert_eq!(faults.len(), 1);
        assert!(faults[0].starts_with("rxmesh-host/src/algo/deep/fast.rs must"));
    }

    #[test]
    fn arrows_the_wrong_way_are_found() {
        let host = || package("rxmesh-host", "rxmesh-kernels", None);
        assert!(faults(&[host(), package("rxmesh-kernels", "rxmesh-cuda-std", None)]).is_empty());
        assert_eq!(
            faults(&[host(), package("rxmesh-kernels", "rxmesh-host", None)]).len(),
            1
        );
        assert!(
            faults(&[
                host(),
                package("rxmesh-kernels", "rxmesh-host", Some("dev"))
            ])
            .is_empty()
        );
        assert_eq!(faults(&[package("rxmesh-kernels", "rayon", None)]).len(), 1);
        assert_eq!(faults(&[package("newcomer", "serde", None)]).len(), 1);
    }
}
