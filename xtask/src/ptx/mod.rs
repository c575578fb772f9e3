//! `cargo xtask ptx`: the PTX of the crates with kernels, which is under version control so that users need no device
//! toolchain.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context as _, bail, ensure};
use cuda_builder::fingerprint::{Header, source_fingerprint};
use cuda_builder::ptx::PtxModule;
use cuda_builder::ptxas::{Ptxas, PtxasError};
use cuda_builder::{CudaBuilder, NvvmArch};

use crate::workspace;

mod assemble;
#[cfg(test)]
mod tests;

pub(crate) use assemble::assemble;

/// Crate with kernels, and its PTX; paths are from the root.
pub(crate) struct Module {
    /// PTX file.
    pub(crate) file: &'static str,
    /// Crate.
    package: &'static str,
    /// Device crates that it is built from, itself first.
    sources: &'static [&'static str],
    /// Most bytes of the file.
    most_bytes: usize,
    /// Programs that load it.
    loaded_by: Programs,
}

/// Programs that load a module.
#[derive(Clone, Copy, PartialEq)]
enum Programs {
    /// Those of users, on any GPU.
    Users,
    /// The bench, on a new GPU.
    Bench,
    /// Tests, which need not be fast.
    Tests,
}

const KERNELS: &str = "crates/rxmesh-kernels";
const CUDA_STD: &str = "crates/rxmesh-cuda-std";
const SPECULATIVE: &str = "crates/rxmesh-speculative-kernels";
const SUBDIVISION: &str = "crates/rxmesh-subdivision-kernels";
const SIMULATION: &str = "crates/rxmesh-simulation-kernels";
const TESTS: &str = "tests/kernels";
const BENCH: &str = "crates/rxmesh-bench-kernels";

/// All crates with kernels.
pub(crate) const MODULES: [Module; 6] = [
    Module {
        file: "crates/rxmesh-host/ptx/rxmesh_kernels.ptx",
        package: KERNELS,
        sources: &[KERNELS, CUDA_STD],
        most_bytes: 23 << 19,
        loaded_by: Programs::Users,
    },
    Module {
        file: "crates/rxmesh-speculative/ptx/rxmesh_speculative_kernels.ptx",
        package: SPECULATIVE,
        sources: &[SPECULATIVE, KERNELS, CUDA_STD],
        most_bytes: 5 << 20,
        loaded_by: Programs::Users,
    },
    Module {
        file: "crates/rxmesh-subdivision/ptx/rxmesh_subdivision_kernels.ptx",
        package: SUBDIVISION,
        sources: &[SUBDIVISION, KERNELS, CUDA_STD],
        most_bytes: 3 << 20,
        loaded_by: Programs::Users,
    },
    Module {
        file: "crates/rxmesh-simulation/ptx/rxmesh_simulation_kernels.ptx",
        package: SIMULATION,
        sources: &[SIMULATION, KERNELS, CUDA_STD],
        most_bytes: 2 << 20,
        loaded_by: Programs::Users,
    },
    Module {
        file: "tests/ptx/rxmesh_test_kernels.ptx",
        package: TESTS,
        sources: &[TESTS, SPECULATIVE, KERNELS, CUDA_STD],
        most_bytes: 12 << 20,
        loaded_by: Programs::Tests,
    },
    Module {
        file: "crates/rxmesh-bench/ptx/rxmesh_bench_kernels.ptx",
        package: BENCH,
        sources: &[BENCH, KERNELS, CUDA_STD],
        most_bytes: 9 << 17,
        loaded_by: Programs::Bench,
    },
];

#[derive(clap::Args)]
pub(crate) struct PtxArguments {
    /// Only check that the files were built from the present sources; needs no device toolchain
    #[arg(long, conflicts_with = "assemble")]
    check: bool,
    /// Only build again, beside the files, and check that the kernels are the same; needs the device toolchain
    #[arg(long, conflicts_with_all = ["check", "assemble"])]
    rebuild: bool,
    /// Only assemble the files for real GPUs, and refuse spills, stack frames, calls and generic accesses that are not
    /// allowed for
    #[arg(long)]
    assemble: bool,
}

pub(crate) fn run(arguments: &PtxArguments) -> anyhow::Result<()> {
    if arguments.check {
        check()
    } else if arguments.assemble {
        assemble(false)
    } else if arguments.rebuild {
        rebuild()
    } else {
        MODULES.iter().try_for_each(Module::build)
    }
}

/// Fails when a build of the present sources has other kernels than the files. Their text may differ, as it does
/// between compiler releases.
pub(crate) fn rebuild() -> anyhow::Result<()> {
    MODULES.iter().try_for_each(Module::rebuild)
}

/// Fails when a file is not the one that `cargo xtask ptx` would write, compiler releases apart, has grown too large,
/// or has a kernel with a name of another file's: an engine refuses the second one.
pub(crate) fn check() -> anyhow::Result<()> {
    MODULES.iter().try_for_each(Module::check)?;
    let modules = MODULES
        .iter()
        .map(|module| Ok((module.file, PtxModule::parse(&module.read()?)?)))
        .collect::<anyhow::Result<Vec<_>>>()?;
    let faults = twice(&modules);
    ensure!(faults.is_empty(), "{}", faults.join("\n"));
    Ok(())
}

/// Returns the kernels whose names are in more than one file.
fn twice(modules: &[(&str, PtxModule)]) -> Vec<String> {
    let mut files = BTreeMap::new();
    let mut faults = Vec::new();
    for (file, module) in modules {
        for entry in &module.entries {
            if let Some(other) = files.insert(&entry.name, file) {
                faults.push(format!("{other} and {file} have a kernel {}", entry.name));
            }
        }
    }
    faults
}

impl Module {
    fn builder(&self) -> anyhow::Result<CudaBuilder> {
        let crates: Vec<PathBuf> = self
            .sources
            .iter()
            .map(|path| workspace::at(path))
            .collect();
        let sources = source_fingerprint(&crates, &workspace::at("Cargo.lock"))
            .context("cannot read the device sources")?;
        Ok(CudaBuilder::new(workspace::at(self.package))
            .arch(NvvmArch::Compute75)
            .features(["entries"])
            .target_dir(workspace::target().join("ptx"))
            .sources(sources))
    }

    fn read(&self) -> anyhow::Result<String> {
        let file = self.file;
        fs::read_to_string(workspace::at(file))
            .with_context(|| format!("{file} is missing: run `cargo xtask ptx`"))
    }

    fn build(&self) -> anyhow::Result<()> {
        let built = self.builder()?.copy_to(workspace::at(self.file)).build()?;
        let module = built.module();
        println!(
            "{}: {} kernels, {} KiB, PTX {} for {} and later, by rustc {}",
            self.file,
            module.entries.len(),
            built.text.len() / 1024,
            module.version,
            module.target,
            built.toolchain.version,
        );
        Ok(())
    }

    fn rebuild(&self) -> anyhow::Result<()> {
        let old = PtxModule::parse(&self.read()?)?;
        let built = self.builder()?.build()?;
        let faults = entry_faults(self.file, &old, built.module());
        if !faults.is_empty() {
            bail!(
                "{}\nrun `cargo xtask ptx` and commit the result",
                faults.join("\n")
            );
        }
        println!(
            "rustc {} builds the same {} kernels as {} holds",
            built.toolchain.version,
            old.entries.len(),
            self.file
        );
        Ok(())
    }

    fn check(&self) -> anyhow::Result<()> {
        let (file, again) = (self.file, "run `cargo xtask ptx` and commit the result");
        let text = self.read()?;
        let found =
            Header::parse(&text).with_context(|| format!("{file} has no header: {again}"))?;
        let wanted = self.builder()?.header(&found.rustc);
        ensure!(
            found.sources == wanted.sources,
            "{file} was built from other sources than those in {} (fingerprint {}, now {}): {again}",
            self.sources.join(" and "),
            found.sources,
            wanted.sources,
        );
        ensure!(
            found == wanted,
            "{file} was built with other options:\n  {found}\n  {wanted}\n{again}"
        );
        ensure!(
            text.len() <= self.most_bytes,
            "{file} has {} bytes, and should have at most {}",
            text.len(),
            self.most_bytes
        );
        println!(
            "{file} belongs to the sources ({}, rustc {}), {} KiB",
            found.sources,
            found.rustc,
            text.len() / 1024
        );
        Ok(())
    }
}

/// Returns the differences between the kernels of two modules: names, parameters, barriers.
fn entry_faults(file: &str, old: &PtxModule, new: &PtxModule) -> Vec<String> {
    let mut faults = Vec::new();
    for entry in &new.entries {
        let Some(before) = old.entry(&entry.name) else {
            faults.push(format!("{file} has no kernel {}", entry.name));
            continue;
        };
        if before.params != entry.params {
            faults.push(format!("{} takes other parameters", entry.name));
        }
        if before.barriers != entry.barriers {
            faults.push(format!(
                "{} has {} barriers, in {file} {}",
                entry.name, entry.barriers, before.barriers
            ));
        }
    }
    let gone = old
        .entries
        .iter()
        .filter(|entry| new.entry(&entry.name).is_none());
    faults.extend(
        gone.map(|entry| format!("{file} has {}, which the sources do not have", entry.name)),
    );
    faults
}

/// Returns the folder of `install_ptxas`.
pub(crate) fn ptxas_folder() -> PathBuf {
    workspace::target().join("ptxas")
}

pub(crate) fn find_ptxas() -> Result<Ptxas, PtxasError> {
    Ptxas::find(&[ptxas_folder()])
}

pub(crate) fn install_ptxas() -> anyhow::Result<()> {
    let ptxas = Ptxas::install(&ptxas_folder())?;
    println!("ptxas {} in {}", ptxas.version(), ptxas.path().display());
    Ok(())
}
