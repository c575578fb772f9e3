//! NVIDIA's assembler: proves that PTX is valid for a GPU, and reports the resources that a kernel uses.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// Environment variable that names the assembler, or a folder that contains it.
pub const PTXAS: &str = "RXMESH_PTXAS";

/// Package of the Python package index that contains the assembler.
pub const WHEEL: &str = "nvidia-cuda-nvcc==13.*";

/// Paths of the assembler in a CUDA toolkit, and in the folder of a Python environment or a `pip install --target`.
const PLACES: [&str; 5] = [
    "ptxas",
    "bin/ptxas",
    "nvidia/cu13/bin/ptxas",
    "nvidia/cuda_nvcc/bin/ptxas",
    "cu13/bin/ptxas",
];

/// Working `ptxas` program.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ptxas {
    path: PathBuf,
    version: String,
}

/// Resources that a kernel uses on one architecture.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Usage {
    /// Name of the kernel.
    pub name: String,
    /// Architecture, for instance `sm_90`.
    pub arch: String,
    /// Number of registers per thread.
    pub registers: u32,
    /// Number of bytes that are spilled to memory for lack of registers.
    pub spill_stores: u32,
    /// Number of spilled bytes that are read again.
    pub spill_loads: u32,
    /// Size of a thread's stack in bytes.
    pub stack_frame: u32,
    /// Size of a block's static shared memory in bytes.
    pub static_shared: u32,
    /// Number of a block's hardware barriers in use.
    pub barriers: u32,
}

/// Reason why the assembler failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PtxasError {
    /// There is no assembler.
    #[error(
        "ptxas not found. It is part of the CUDA toolkit; without one, install the Python wheel {WHEEL}:\n  \
         python3 -m pip install --no-deps --target DIR {WHEEL}\n\
         and name DIR (or the program) in the environment variable {PTXAS}"
    )]
    NotFound,
    /// The user named an assembler that does not exist or does not run.
    #[error("{PTXAS} names {path}, which is no ptxas: {reason}", path = .path.display())]
    Unsuitable {
        /// Value of the variable.
        path: PathBuf,
        /// Reason why it is unsuitable.
        reason: String,
    },
    /// The assembler refused the PTX.
    #[error("ptxas refuses the PTX for {arch}:\n{message}")]
    Refused {
        /// Architecture.
        arch: String,
        /// Message of the assembler.
        message: String,
    },
    /// The assembler could not be started, or a file could not be written.
    #[error("{path}: {source}", path = .path.display())]
    Io {
        /// Path of the file.
        path: PathBuf,
        /// Underlying error.
        source: io::Error,
    },
}

impl Ptxas {
    /// Looks for the assembler: in the environment variable `RXMESH_PTXAS` (the program, or a folder with a toolkit or
    /// the wheel), the folders of `hints`, the PATH, then `CUDA_HOME`, `CUDA_PATH`, `VIRTUAL_ENV` and the usual folder
    /// of a toolkit.
    pub fn find(hints: &[PathBuf]) -> Result<Self, PtxasError> {
        if let Some(named) = env::var_os(PTXAS).filter(|v| !v.is_empty()) {
            let path = PathBuf::from(named);
            let program = if path.is_dir() {
                in_folder(&path)
            } else {
                Some(path.clone())
            };
            let found = program
                .ok_or_else(|| "there is none in this folder".to_owned())
                .and_then(|p| Self::try_run(&p));
            return found.map_err(|reason| PtxasError::Unsuitable { path, reason });
        }
        let variable = |name: &str| env::var_os(name).map(PathBuf::from);
        let on_path = env::var_os("PATH")
            .map(|p| env::split_paths(&p).collect::<Vec<_>>())
            .unwrap_or_default();
        hints
            .iter()
            .cloned()
            .chain(on_path)
            .chain(["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable))
            .chain(
                variable("VIRTUAL_ENV")
                    .into_iter()
                    .flat_map(|v| site_packages(&v)),
            )
            .chain([PathBuf::from("/usr/local/cuda")])
            .filter_map(|folder| in_folder(&folder))
            .find_map(|program| Self::try_run(&program).ok())
            .ok_or(PtxasError::NotFound)
    }

    /// Installs the wheel into a folder with `python3 -m pip`, which needs a network.
    pub fn install(folder: &Path) -> Result<Self, PtxasError> {
        let failed = |path: &str, source: io::Error| PtxasError::Io {
            path: path.into(),
            source,
        };
        let status = Command::new("python3")
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--no-deps",
                "--upgrade",
                "--target",
            ])
            .arg(folder)
            .arg(WHEEL)
            .status()
            .map_err(|e| failed("python3", e))?;
        if !status.success() {
            return Err(failed(
                "python3 -m pip",
                io::Error::other("could not install the wheel"),
            ));
        }
        let program = in_folder(folder).ok_or(PtxasError::NotFound)?;
        Self::try_run(&program).map_err(|reason| PtxasError::Io {
            path: program,
            source: io::Error::other(reason),
        })
    }

    /// Returns the path of the program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the release, for instance `13.0`.
    pub fn version(&self) -> &str {
        &self.version
    }

    fn try_run(program: &Path) -> Result<Self, String> {
        make_executable(program);
        let out = Command::new(program)
            .arg("--version")
            .output()
            .map_err(|e| e.to_string())?;
        let text = String::from_utf8_lossy(&out.stdout);
        let version = text
            .split("release ")
            .nth(1)
            .and_then(|t| t.split(',').next());
        let version = version
            .ok_or("it does not say its version as ptxas does")?
            .to_owned();
        let path = program
            .canonicalize()
            .unwrap_or_else(|_| program.to_owned());
        Ok(Self { path, version })
    }

    /// Assembles PTX for one architecture (`sm_75`, ...) and returns the usage of each kernel, sorted by name. The
    /// machine code is discarded.
    pub fn assemble(&self, ptx: &Path, arch: &str) -> Result<Vec<Usage>, PtxasError> {
        // Each call has its own file name: several threads may assemble concurrently.
        static CALLS: AtomicU32 = AtomicU32::new(0);
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        let code = env::temp_dir().join(format!("rxmesh-{}-{call}.cubin", std::process::id()));
        let out = Command::new(&self.path)
            .args(["-v", "-arch", arch, "-o"])
            .arg(&code)
            .arg(ptx)
            .output()
            .map_err(|source| PtxasError::Io {
                path: self.path.clone(),
                source,
            })?;
        // After an error it may not exist.
        let _ = fs::remove_file(&code);
        let message = format!(
            "{}{}",
            String::from_utf8_lossy(&out.stdout),
            String::from_utf8_lossy(&out.stderr)
        );
        if !out.status.success() {
            return Err(PtxasError::Refused {
                arch: arch.to_owned(),
                message,
            });
        }
        Ok(parse_usage(&message))
    }
}

/// Returns the program in a toolkit, a folder of programs, or a folder of Python packages.
fn in_folder(folder: &Path) -> Option<PathBuf> {
    PLACES
        .iter()
        .map(|place| folder.join(format!("{place}{}", env::consts::EXE_SUFFIX)))
        .find(|p| p.is_file())
}

fn site_packages(environment: &Path) -> Vec<PathBuf> {
    let Ok(entries) = environment.join("lib").read_dir() else {
        return Vec::new();
    };
    entries
        .filter_map(|e| Some(e.ok()?.path().join("site-packages")))
        .collect()
}

/// Sets the executable bit, which the wheel's file lacks. A failure shows when the program is run.
fn make_executable(program: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let Ok(metadata) = program.metadata() else {
            return;
        };
        let mut permissions = metadata.permissions();
        if permissions.mode() & 0o111 == 0 {
            permissions.set_mode(permissions.mode() | 0o755);
            let _ = fs::set_permissions(program, permissions);
        }
    }
    #[cfg(not(unix))]
    let _ = program;
}

/// Parses the output of `ptxas -v`.
fn parse_usage(text: &str) -> Vec<Usage> {
    let mut all: Vec<Usage> = Vec::new();
    for line in text.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            let mut quoted = rest.split('\'');
            let name = quoted.next().unwrap_or_default().to_owned();
            let arch = quoted.nth(1).unwrap_or_default().to_owned();
            all.push(Usage {
                name,
                arch,
                ..Usage::default()
            });
            continue;
        }
        let Some(usage) = all.last_mut() else {
            continue;
        };
        let line = line.rsplit("info    :").next().unwrap_or(line);
        for part in line.split(',').map(|p| {
            p.trim()
                .trim_start_matches("Used ")
                .trim_start_matches("used ")
        }) {
            let Some((number, what)) = part.split_once(' ') else {
                continue;
            };
            let Ok(number) = number.parse::<u32>() else {
                continue;
            };
            match what {
                "registers" => usage.registers = number,
                "barriers" => usage.barriers = number,
                "bytes smem" => usage.static_shared = number,
                "bytes stack frame" => usage.stack_frame = number,
                "bytes spill stores" => usage.spill_stores = number,
                "bytes spill loads" => usage.spill_loads = number,
                _ => {}
            }
        }
    }
    all.sort_by(|a, b| a.name.cmp(&b.name));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_report() {
        let text = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'warps' for 'sm_75'
ptxas info    : Function properties for warps
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 32 bytes smem, 368 bytes cmem[0]
ptxas info    : Compile time = 1.000 ms
ptxas info    : Compiling entry function 'alone' for 'sm_75'
ptxas info    : Function properties for alone
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 8 registers, used 0 barriers
";
        let all = parse_usage(text);
        assert_eq!(all.len(), 2);
        assert_eq!(
            (all[0].name.as_str(), all[0].registers, all[0].stack_frame),
            ("alone", 8, 0)
        );
        let expected = Usage {
            name: "warps".into(),
            arch: "sm_75".into(),
            registers: 14,
            spill_stores: 4,
            spill_loads: 8,
            stack_frame: 16,
            static_shared: 32,
            barriers: 1,
        };
        assert_eq!(all[1], expected);
    }
}
