//! The nested cargo call that builds the PTX.

use std::env;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::fingerprint::Header;
use crate::ptx::{PtxError, PtxModule};
use crate::toolchain::{Toolchain, ToolchainError};

const TARGET: &str = "nvptx64-nvidia-cuda";

/// Virtual architectures, with the names of rust-cuda. The PTX runs on this architecture and on all later ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
#[non_exhaustive]
pub enum NvvmArch {
    /// Turing (7.5), the oldest that CUDA 13 supports.
    #[default]
    Compute75,
    /// Ampere (8.0).
    Compute80,
    /// Ampere (8.6).
    Compute86,
    /// Ada (8.9).
    Compute89,
    /// Hopper (9.0).
    Compute90,
}

impl NvvmArch {
    /// Returns the name that rustc and ptxas use, for instance `sm_75`.
    pub fn target_cpu(self) -> &'static str {
        match self {
            Self::Compute75 => "sm_75",
            Self::Compute80 => "sm_80",
            Self::Compute86 => "sm_86",
            Self::Compute89 => "sm_89",
            Self::Compute90 => "sm_90",
        }
    }
}

impl fmt::Display for NvvmArch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.target_cpu())
    }
}

/// Reason why no PTX was built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CudaBuilderError {
    /// There is no package at the given path.
    #[error("{path} is not a Rust package: it has no Cargo.toml", path = .0.display())]
    CratePathDoesntExist(PathBuf),
    /// The package has no library, so there is nothing to compile.
    #[error("the package at {path} has no library target", path = .0.display())]
    NoLibrary(PathBuf),
    /// There is no compiler for device code.
    #[error(transparent)]
    Toolchain(#[from] ToolchainError),
    /// cargo could not be started or rejected the package.
    #[error("cannot ask cargo about {path}: {reason}", path = .path.display())]
    Metadata {
        /// Path of the package.
        path: PathBuf,
        /// cargo's message.
        reason: String,
    },
    /// The compiler found errors in the device code; it has printed them.
    #[error("the device code of {path} does not compile (see above)", path = .0.display())]
    BuildFailed(PathBuf),
    /// The generated PTX cannot be parsed, which is a fault of the builder or the compiler.
    #[error("the generated PTX is not understood: {0}")]
    Ptx(#[from] PtxError),
    /// A file cannot be read or written.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Underlying error.
        source: io::Error,
    },
}

/// Returns the PTX without the parts that only serve readers: comments, empty lines, indentation, long names of labels.
/// They are about a tenth of the text.
fn tidy(body: &str) -> String {
    let mut text = String::with_capacity(body.len());
    for line in body.lines() {
        let words = line.trim();
        if words.is_empty() || words.starts_with("//") {
            continue;
        }
        // A brace at the beginning of a line belongs to a kernel.
        let line = if words.starts_with(['{', '}']) {
            line
        } else {
            words
        };
        text.push_str(&line.replace(" \t", " ").replace("$L__BB", "$L"));
        text.push('\n');
    }
    text
}

/// Builder of PTX from a device crate.
#[derive(Debug, Clone)]
pub struct CudaBuilder {
    crate_path: PathBuf,
    arch: NvvmArch,
    release: bool,
    fma: bool,
    features: Vec<String>,
    copy_to: Option<PathBuf>,
    target_dir: Option<PathBuf>,
    sources: Option<String>,
    toolchain: Option<Toolchain>,
    build_args: Vec<String>,
}

/// Result of a build.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct BuildOutput {
    /// Path of the PTX file: that of `copy_to`, or the one in the target folder.
    pub path: PathBuf,
    /// Text of the PTX.
    pub text: String,
    /// Compiler that built it.
    pub toolchain: Toolchain,
    module: PtxModule,
}

impl BuildOutput {
    /// Returns the parsed PTX.
    pub fn module(&self) -> &PtxModule {
        &self.module
    }
}

impl CudaBuilder {
    /// Makes a builder for the package in the folder `crate_path`.
    pub fn new(crate_path: impl AsRef<Path>) -> Self {
        Self {
            crate_path: crate_path.as_ref().to_owned(),
            arch: NvvmArch::default(),
            release: true,
            fma: true,
            features: Vec::new(),
            copy_to: None,
            target_dir: None,
            sources: None,
            toolchain: None,
            build_args: Vec::new(),
        }
    }

    /// Sets the oldest architecture that the PTX must run on; the default is [`NvvmArch::Compute75`].
    pub fn arch(mut self, arch: NvvmArch) -> Self {
        self.arch = arch;
        self
    }

    /// Sets whether debug assertions and overflow checks are left out (default: `true`). Optimisation is full in both
    /// cases: without it device code is neither correct at its barriers nor usable.
    pub fn release(mut self, release: bool) -> Self {
        self.release = release;
        self
    }

    /// Sets whether a product and a sum may become one fused operation (default: `true`), in which case the last bits
    /// of results differ from those of the CPU. The option `fma_contraction` of rust-cuda.
    pub fn fma(mut self, fma: bool) -> Self {
        self.fma = fma;
        self
    }

    /// Turns on cargo features of the device crate.
    pub fn features<S: Into<String>>(mut self, features: impl IntoIterator<Item = S>) -> Self {
        self.features.extend(features.into_iter().map(Into::into));
        self
    }

    /// Sets the path that the PTX is written to. The file is only touched when its content changes.
    pub fn copy_to(mut self, path: impl AsRef<Path>) -> Self {
        self.copy_to = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the folder for intermediate files. The default is the folder `ptx` in `OUT_DIR` (in a build script) or in
    /// the target folder.
    pub fn target_dir(mut self, path: impl AsRef<Path>) -> Self {
        self.target_dir = Some(path.as_ref().to_owned());
        self
    }

    /// Sets the fingerprint of the sources ([`crate::fingerprint::source_fingerprint`]) that is written into the PTX.
    pub fn sources(mut self, fingerprint: impl Into<String>) -> Self {
        self.sources = Some(fingerprint.into());
        self
    }

    /// Sets the compiler; the default is that of [`Toolchain::find`].
    pub fn toolchain(mut self, toolchain: Toolchain) -> Self {
        self.toolchain = Some(toolchain);
        self
    }

    /// Adds arguments for cargo, such as `--offline`.
    pub fn build_args<S: Into<String>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.build_args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Returns the first line of the PTX that [`build`](Self::build) would write with a compiler of this release.
    pub fn header(&self, rustc_release: &str) -> Header {
        Header {
            sources: self.sources.clone().unwrap_or_else(|| "unknown".to_owned()),
            rustc: rustc_release.to_owned(),
            target: self.arch.target_cpu().to_owned(),
            options: self.options(),
        }
    }

    /// Returns the options of the build as one word.
    fn options(&self) -> String {
        let mut features = self.features.clone();
        features.sort();
        format!(
            "{},{},features:{}",
            if self.release { "release" } else { "checked" },
            if self.fma { "fma" } else { "no-fma" },
            if features.is_empty() {
                "none".to_owned()
            } else {
                features.join("+")
            }
        )
    }

    /// Returns the flags for rustc. They go to every crate of the device build, `core` included.
    pub fn rustc_flags(&self) -> Vec<String> {
        vec![
            format!("-Ctarget-cpu={}", self.arch),
            // PTX is not linked: the assembly of the one module after fat LTO is final. The program `true` does
            // nothing.
            "-Clinker=true".into(),
            // Without this pass every access through an assumed pointer stays generic, see `cuda_std::mem`.
            "-Cpasses=infer-address-spaces".into(),
            // This pass copies barriers into branches (rust-lang/rust, PR 149637): a hang or a race. It must be off in
            // every crate, as closures with barriers are inlined from one into another.
            "-Zmir-enable-passes=-JumpThreading".into(),
            // A panic is only a trap. Otherwise its message is formatted in local memory and the panic is a call.
            "-Zunstable-options".into(),
            "-Cpanic=immediate-abort".into(),
            "-Zlocation-detail=none".into(),
            format!(
                "-Cllvm-args=-nvptx-fma-level={}",
                if self.fma { 2 } else { 0 }
            ),
        ]
    }

    /// Builds the crate.
    ///
    /// # Errors
    ///
    /// There is no package or compiler, the device code does not compile, or a file cannot be read or written.
    pub fn build(&self) -> Result<BuildOutput, CudaBuilderError> {
        if !self.crate_path.join("Cargo.toml").is_file() {
            return Err(CudaBuilderError::CratePathDoesntExist(
                self.crate_path.clone(),
            ));
        }
        let toolchain = match &self.toolchain {
            Some(toolchain) => toolchain.clone(),
            None => Toolchain::find()?,
        };
        let package = self.package(&toolchain)?;
        let target_dir = match (&self.target_dir, env::var_os("OUT_DIR")) {
            (Some(dir), _) => dir.clone(),
            (None, Some(out)) => PathBuf::from(out).join("ptx"),
            (None, None) => package.target_dir.join("ptx"),
        };
        let status = self
            .command(&toolchain, &target_dir)
            .status()
            .map_err(|source| CudaBuilderError::Io {
                path: toolchain.cargo.clone(),
                source,
            })?;
        if !status.success() {
            return Err(CudaBuilderError::BuildFailed(self.crate_path.clone()));
        }

        let assembly = target_dir
            .join(TARGET)
            .join("release/deps")
            .join(format!("{}.s", package.library));
        let body = fs::read_to_string(&assembly).map_err(|source| CudaBuilderError::Io {
            path: assembly.clone(),
            source,
        })?;
        let text = format!("{}\n{}", self.header(toolchain.release()), tidy(&body));
        let module = PtxModule::parse(&text)?;
        let path = self
            .copy_to
            .clone()
            .unwrap_or_else(|| target_dir.join(format!("{}.ptx", package.library)));
        write_if_changed(&path, &text).map_err(|source| CudaBuilderError::Io {
            path: path.clone(),
            source,
        })?;
        Ok(BuildOutput {
            path,
            text,
            toolchain,
            module,
        })
    }

    fn command(&self, toolchain: &Toolchain, target_dir: &Path) -> Command {
        let mut cargo = clean_command(&toolchain.cargo);
        cargo
            .current_dir(&self.crate_path)
            .args(["rustc", "--release", "--lib", "--crate-type", "cdylib"])
            .args(["-Zbuild-std=core", "--target", TARGET])
            .arg("--target-dir")
            .arg(std::path::absolute(target_dir).unwrap_or_else(|_| target_dir.to_owned()));
        if !self.features.is_empty() {
            cargo.arg("--features").arg(self.features.join(","));
        }
        let checks = if self.release { "false" } else { "true" };
        cargo
            .args(&self.build_args)
            .args(["--", "--emit=asm"])
            .env("RUSTC", &toolchain.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_ENCODED_RUSTFLAGS", self.rustc_flags().join("\x1f"))
            // The workspace's profile is meant for host programs.
            .env("CARGO_PROFILE_RELEASE_OPT_LEVEL", "3")
            .env("CARGO_PROFILE_RELEASE_LTO", "fat")
            .env("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1")
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_STRIP", "none")
            .env("CARGO_PROFILE_RELEASE_INCREMENTAL", "false")
            .env("CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS", checks)
            .env("CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS", checks);
        cargo
    }

    /// Asks cargo for the library's name and the target folder.
    fn package(&self, toolchain: &Toolchain) -> Result<DevicePackage, CudaBuilderError> {
        let failed = |reason: String| CudaBuilderError::Metadata {
            path: self.crate_path.clone(),
            reason,
        };
        let out = clean_command(&toolchain.cargo)
            .current_dir(&self.crate_path)
            .env("RUSTC", &toolchain.rustc)
            .args(["metadata", "--no-deps", "--format-version", "1"])
            .output()
            .map_err(|e| failed(e.to_string()))?;
        if !out.status.success() {
            return Err(failed(
                String::from_utf8_lossy(&out.stderr).trim().to_owned(),
            ));
        }
        let metadata: CargoMetadata =
            serde_json::from_slice(&out.stdout).map_err(|e| failed(e.to_string()))?;
        let manifest = self.crate_path.join("Cargo.toml").canonicalize();
        let manifest = manifest.map_err(|e| failed(e.to_string()))?;
        let package = metadata
            .packages
            .into_iter()
            .find(|p| p.manifest_path.canonicalize().is_ok_and(|m| m == manifest))
            .ok_or_else(|| failed("it is a workspace without a root package".to_owned()))?;
        let library = package
            .targets
            .into_iter()
            .find(|t| {
                t.kind
                    .iter()
                    .any(|k| matches!(k.as_str(), "lib" | "rlib" | "cdylib"))
            })
            .ok_or_else(|| CudaBuilderError::NoLibrary(self.crate_path.clone()))?;
        Ok(DevicePackage {
            library: library.name.replace('-', "_"),
            target_dir: metadata.target_directory,
        })
    }
}

/// Returns a cargo command without the settings of the calling cargo, rustup or the user for host programs.
fn clean_command(cargo: &Path) -> Command {
    let mut command = Command::new(cargo);
    for name in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "CARGO_BUILD_RUSTFLAGS",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_TARGET_DIR",
        "RUSTUP_TOOLCHAIN",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_BUILD_RUSTC_WRAPPER",
        "CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER",
        "CARGO_PROFILE_RELEASE_PANIC",
        "CLIPPY_ARGS",
    ] {
        command.env_remove(name);
    }
    command
}

fn write_if_changed(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    if let Some(parent) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        fs::create_dir_all(parent)?;
    }
    fs::write(path, text)
}

struct DevicePackage {
    library: String,
    target_dir: PathBuf,
}

#[derive(serde::Deserialize)]
struct CargoMetadata {
    packages: Vec<MetadataPackage>,
    target_directory: PathBuf,
}

#[derive(serde::Deserialize)]
struct MetadataPackage {
    manifest_path: PathBuf,
    targets: Vec<MetadataTarget>,
}

#[derive(serde::Deserialize)]
struct MetadataTarget {
    name: String,
    kind: Vec<String>,
}

#[cfg(test)]
mod tests {
    use super::tidy;

    #[test]
    fn comments_and_indentation_go_and_braces_stay_in_their_columns() {
        let body = "\t// .globl\tk\n.visible .entry k(\n)\n{\n\t.reg .b32 \
            \t%r<3>;\n\n$L__BB0_1:\n\t{\n\tbra \t$L__BB0_1;\n\t}\n}\n";
        let want = ".visible .entry k(\n)\n{\n.reg .b32 %r<3>;\n$L0_1:\n\t{\nbra $L0_1;\n\t}\n}\n";
        assert_eq!(tidy(body), want);
    }
}
