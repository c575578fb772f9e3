//! Search for a compiler that can build device code.

use std::env;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// First release whose flags and LLVM support all features in use (`-Cpanic=immediate-abort`, the barrier intrinsics of
/// LLVM 21).
const OLDEST_MINOR: u32 = 92;

/// Environment variable that names the device compiler.
pub const DEVICE_RUSTC: &str = "RXMESH_DEVICE_RUSTC";

/// Compiler for device code, with its library source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Toolchain {
    /// Path of the compiler itself, not of rustup's shim.
    pub rustc: PathBuf,
    /// Path of a cargo of a matching version.
    pub cargo: PathBuf,
    /// Output of `rustc --version` after the name, for instance `1.96.0 (ac68faa20 2026-05-25)`.
    pub version: String,
    /// Origin of the compiler.
    pub origin: Origin,
}

/// Origin of a [`Toolchain`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// Named by the environment variable `RXMESH_DEVICE_RUSTC`.
    Environment,
    /// A rustup toolchain with the component rust-src.
    Rustup,
    /// A compiler on the PATH that does not belong to rustup, with its library source in its sysroot.
    Path,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Environment => "named by RXMESH_DEVICE_RUSTC",
            Self::Rustup => "rustup toolchain",
            Self::Path => "on the PATH",
        })
    }
}

/// Reason why there is no [`Toolchain`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ToolchainError {
    /// Nothing suitable is installed.
    #[error(
        "no compiler for device code: it takes rustc 1.{OLDEST_MINOR} or newer together with its library source.\n{}\
         Install one of:\n  \
         with rustup:            rustup toolchain install nightly --component rust-src\n  \
         on Debian and Ubuntu:   apt-get install rustc-web rust-web-src   (or rustc rust-src, where new enough)\n\
         or name a compiler in the environment variable {DEVICE_RUSTC}.",
        list_rejected(.rejected)
    )]
    NotFound {
        /// Compilers that were considered, with the deficiency of each.
        rejected: Vec<String>,
    },
    /// The requested compiler cannot be used.
    #[error("{DEVICE_RUSTC} names {rustc}, which cannot build device code: {reason}", rustc = .rustc.display())]
    Unsuitable {
        /// Value of the variable.
        rustc: PathBuf,
        /// Reason why it is unsuitable.
        reason: String,
    },
}

fn list_rejected(list: &[String]) -> String {
    list.iter().map(|l| format!("  looked at {l}\n")).collect()
}

impl Toolchain {
    /// Looks for a compiler, in this order: the environment variable `RXMESH_DEVICE_RUSTC`; rustup's toolchains,
    /// nightly first; every `rustc` on the PATH that does not belong to rustup.
    pub fn find() -> Result<Self, ToolchainError> {
        if let Some(rustc) = env::var_os(DEVICE_RUSTC).filter(|v| !v.is_empty()) {
            let rustc = PathBuf::from(rustc);
            return Self::from_rustc(&rustc, Origin::Environment)
                .map_err(|reason| ToolchainError::Unsuitable { rustc, reason });
        }
        let mut rejected = Vec::new();
        let rustup = rustup_compilers().into_iter().map(|p| (p, Origin::Rustup));
        let path = path_compilers().into_iter().map(|p| (p, Origin::Path));
        for (rustc, origin) in rustup.chain(path) {
            match Self::from_rustc(&rustc, origin) {
                Ok(toolchain) => return Ok(toolchain),
                Err(reason) => rejected.push(format!("{}: {reason}", rustc.display())),
            }
        }
        Err(ToolchainError::NotFound { rejected })
    }

    /// Makes a toolchain from one compiler; an error describes its deficiency.
    fn from_rustc(rustc: &Path, origin: Origin) -> Result<Self, String> {
        let version = output(Command::new(rustc).arg("--version"))?;
        let version = version
            .strip_prefix("rustc ")
            .ok_or("not a Rust compiler")?;
        let minor = minor_version(version).ok_or_else(|| format!("unknown version {version}"))?;
        if minor < OLDEST_MINOR {
            return Err(format!("version {version} is older than 1.{OLDEST_MINOR}"));
        }
        let sysroot = PathBuf::from(output(Command::new(rustc).args(["--print", "sysroot"]))?);
        let core = sysroot.join("lib/rustlib/src/rust/library/core/src/lib.rs");
        if !core.is_file() {
            return Err(format!("no library source in {}", sysroot.display()));
        }
        let cargo = find_cargo(rustc, minor).ok_or("no cargo beside it or on the PATH")?;
        Ok(Self {
            rustc: rustc.to_owned(),
            cargo,
            version: version.to_owned(),
            origin,
        })
    }

    /// Returns the release alone, for instance `1.96.0`.
    pub fn release(&self) -> &str {
        self.version
            .split_whitespace()
            .next()
            .unwrap_or(&self.version)
    }
}

/// Returns the output of a command, without letting rustup choose another toolchain.
fn output(command: &mut Command) -> Result<String, String> {
    let out = command
        .env_remove("RUSTUP_TOOLCHAIN")
        .output()
        .map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).trim().to_owned());
    }
    Ok(String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

/// Returns 96 for `1.96.0 (...)`.
fn minor_version(version: &str) -> Option<u32> {
    version.strip_prefix("1.")?.split('.').next()?.parse().ok()
}

fn exe(name: &str) -> String {
    format!("{name}{}", env::consts::EXE_SUFFIX)
}

/// Finds the cargo nearest in version: the one beside the compiler, the running one, or the first of the PATH.
fn find_cargo(rustc: &Path, minor: u32) -> Option<PathBuf> {
    let beside = rustc.parent().map(|dir| dir.join(exe("cargo")));
    let running = env::var_os("CARGO").map(PathBuf::from);
    let on_path = path_directories()
        .into_iter()
        .map(|dir| dir.join(exe("cargo")))
        .find(|c| c.is_file());
    beside
        .into_iter()
        .chain(running)
        .chain(on_path)
        .filter_map(|cargo| {
            let version = output(Command::new(&cargo).arg("--version")).ok()?;
            Some((
                minor_version(version.strip_prefix("cargo ")?)?.abs_diff(minor),
                cargo,
            ))
        })
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, cargo)| cargo)
}

fn path_directories() -> Vec<PathBuf> {
    env::var_os("PATH")
        .map(|p| env::split_paths(&p).collect())
        .unwrap_or_default()
}

/// Returns the compilers of rustup's toolchains, nightly first. They are found in rustup's folder and called directly:
/// asking rustup itself may start a download.
fn rustup_compilers() -> Vec<PathBuf> {
    let home = env::var_os("RUSTUP_HOME")
        .map(PathBuf::from)
        .or_else(|| Some(env::home_dir()?.join(".rustup")));
    let Some(entries) = home.and_then(|home| home.join("toolchains").read_dir().ok()) else {
        return Vec::new();
    };
    let mut toolchains: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    toolchains.sort_by_key(|path| {
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        (!name.starts_with("nightly"), name)
    });
    toolchains
        .into_iter()
        .map(|t| t.join("bin").join(exe("rustc")))
        .filter(|r| r.is_file())
        .collect()
}

/// Returns the compilers on the PATH that are not rustup's shims, each once.
fn path_compilers() -> Vec<PathBuf> {
    let mut found: Vec<(PathBuf, PathBuf)> = Vec::new();
    for dir in path_directories() {
        let rustc = dir.join(exe("rustc"));
        let Ok(real) = rustc.canonicalize() else {
            continue;
        };
        let shim = dir.join(exe("rustup")).is_file()
            || real
                .file_stem()
                .is_some_and(|s| s.to_string_lossy().starts_with("rustup"));
        if !shim && found.iter().all(|(_, r)| *r != real) {
            found.push((rustc, real));
        }
    }
    found.into_iter().map(|(rustc, _)| rustc).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(minor_version("1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(
            minor_version("1.97.0-nightly (e50aa6fba 2026-05-19)"),
            Some(97)
        );
        assert_eq!(minor_version("clang 3"), None);
    }

    #[test]
    fn the_error_says_what_to_install() {
        let error = ToolchainError::NotFound {
            rejected: vec!["/some/rustc: no library source".into()],
        }
        .to_string();
        assert!(
            error.contains("rustup toolchain install nightly --component rust-src"),
            "{error}"
        );
        assert!(
            error.contains("apt-get install rustc-web rust-web-src"),
            "{error}"
        );
        assert!(error.contains("/some/rustc: no library source"), "{error}");
    }
}
