//! `cargo xtask ptx`: the PTX of the crates with kernels, which is under version control so that users need no device
//! toolchain.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, bail, ensure};
use cuda_builder::fingerprint::{Header, source_fingerprint};
use cuda_builder::ptx::{PtxEntry, PtxModule};
use cuda_builder::ptxas::{Ptxas, PtxasError, Usage};
use cuda_builder::{CudaBuilder, NvvmArch};

use crate::{table, workspace};

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

const ALLOWANCES: &str = "xtask/ptx-allowances.toml";

/// Architectures of which one text serves all: it is built for the first.
const ARCHS: &[&str] = &["sm_75", "sm_80", OVERLAPPING];

/// The oldest and the newest of [`ARCHS`].
const ENDS: &[&str] = &["sm_75", OVERLAPPING];

/// First architecture whose launches overlap.
const OVERLAPPING: &str = "sm_90";

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

/// Fails when a file is not the one that `cargo xtask ptx` would write, compiler releases apart, has grown too large, or
/// names a kernel as another file does: an engine refuses the second one.
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

    /// Writes the text as the engine converts it for GPUs whose launches overlap, beside the build.
    fn overlapping(&self) -> anyhow::Result<PathBuf> {
        let text = rxmesh_ptx::overlapping(&self.read()?)
            .with_context(|| format!("launches of {} cannot overlap", self.file))?;
        let name = Path::new(self.file).file_name().context("a file's name")?;
        let folder = workspace::target().join("ptx/overlapping");
        fs::create_dir_all(&folder)?;
        let path = folder.join(name);
        fs::write(&path, text)?;
        Ok(path)
    }

    /// Assembles the file, prints the resources of its kernels, and reports those that are not allowed.
    fn assemble(
        &self,
        ptxas: &Ptxas,
        archs: &[&str],
        allowances: &BTreeMap<String, Allowance>,
    ) -> anyhow::Result<(PtxModule, Vec<String>)> {
        let archs = match self.loaded_by {
            Programs::Users => archs,
            Programs::Bench | Programs::Tests => &[OVERLAPPING],
        };
        let module = PtxModule::parse(&self.read()?)?;
        let mut usage: BTreeMap<String, Vec<Usage>> = BTreeMap::new();
        // Side by side: a large module takes a minute for each GPU.
        let assembled: Vec<anyhow::Result<Vec<Usage>>> = thread::scope(|scope| {
            let jobs = archs.iter().map(|&arch| {
                scope.spawn(move || {
                    let file = if arch == OVERLAPPING {
                        self.overlapping()?
                    } else {
                        workspace::at(self.file)
                    };
                    Ok(ptxas.assemble(&file, arch)?)
                })
            });
            let jobs: Vec<_> = jobs.collect();
            jobs.into_iter()
                .map(|job| job.join().expect("a job does not panic"))
                .collect()
        });
        for kernels in assembled {
            for kernel in kernels? {
                usage.entry(kernel.name.clone()).or_default().push(kernel);
            }
        }
        println!(
            "ptxas {}, {}; registers are for {}",
            ptxas.version(),
            self.file,
            archs.join(" / ")
        );
        print_table(&module, &usage);
        let mut faults = Vec::new();
        let is_held = self.loaded_by != Programs::Tests;
        for entry in module.entries.iter().filter(|_| is_held) {
            let allowed = allowances.get(&entry.name).cloned().unwrap_or_default();
            let costs = usage.get(&entry.name).map_or(&[][..], Vec::as_slice);
            faults.extend(kernel_faults(entry, costs, &allowed));
        }
        Ok((module, faults))
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

/// Costs that are allowed to a kernel, by name. Every allowance states its reason.
#[derive(serde::Deserialize, Default, Clone)]
#[serde(deny_unknown_fields)]
struct Allowance {
    /// Number of bytes of stack frame.
    #[serde(default)]
    stack: u32,
    /// Number of bytes of spill stores and loads together.
    #[serde(default)]
    spill: u32,
    /// Number of generic accesses.
    #[serde(default)]
    generic: usize,
    /// Number of calls.
    #[serde(default)]
    calls: usize,
    reason: String,
}

/// Assembles the files of [`ARCHS`], or with `quick` of [`ENDS`] alone, and fails where a kernel costs more than it is
/// allowed.
pub(crate) fn assemble(quick: bool) -> anyhow::Result<()> {
    let archs = if quick { ENDS } else { ARCHS };
    let ptxas = find_ptxas().context("run `cargo xtask install-ptxas`, or see below")?;
    let allowances = read_allowances()?;
    let (mut modules, mut faults) = (Vec::new(), Vec::new());
    for module in &MODULES {
        let (parsed, wrong) = module.assemble(&ptxas, archs, &allowances)?;
        modules.push(parsed);
        faults.extend(wrong);
    }
    faults.extend(stale(&allowances, &modules));
    if !faults.is_empty() {
        bail!(
            "{}\nAn exception needs an entry with its reason in {ALLOWANCES}.",
            faults.join("\n")
        );
    }
    Ok(())
}

fn read_allowances() -> anyhow::Result<BTreeMap<String, Allowance>> {
    let text = fs::read_to_string(workspace::at(ALLOWANCES)).context(ALLOWANCES)?;
    let allowances: BTreeMap<String, Allowance> = toml::from_str(&text).context(ALLOWANCES)?;
    for (name, allowance) in &allowances {
        ensure!(
            !allowance.reason.trim().is_empty(),
            "{ALLOWANCES}: {name} gives no reason"
        );
    }
    Ok(allowances)
}

fn stale(allowances: &BTreeMap<String, Allowance>, modules: &[PtxModule]) -> Vec<String> {
    let gone = allowances
        .keys()
        .filter(|name| modules.iter().all(|m| m.entry(name).is_none()));
    gone.map(|name| format!("{ALLOWANCES} names {name}, which is no kernel"))
        .collect()
}

/// Returns the faults of a kernel beyond its allowance.
fn kernel_faults(entry: &PtxEntry, costs: &[Usage], allowed: &Allowance) -> Vec<String> {
    let name = &entry.name;
    let mut faults = Vec::new();
    for cost in costs {
        let spill = cost.spill_stores + cost.spill_loads;
        if spill > allowed.spill {
            faults.push(format!("{name} spills {spill} bytes on {}", cost.arch));
        }
        if cost.stack_frame > allowed.stack {
            faults.push(format!(
                "{name} has a stack frame of {} bytes on {}",
                cost.stack_frame, cost.arch
            ));
        }
    }
    if entry.calls.len() > allowed.calls {
        faults.push(format!(
            "{name} calls {}: it was not inlined",
            entry.calls.join(", ")
        ));
    }
    if entry.generic_accesses.len() > allowed.generic {
        let (n, first) = (entry.generic_accesses.len(), &entry.generic_accesses[0]);
        faults.push(format!(
            "{name} has {n} accesses without an address space, the first is `{first}`"
        ));
    }
    faults
}

fn print_table(module: &PtxModule, usage: &BTreeMap<String, Vec<Usage>>) {
    let heading = [
        "kernel",
        "registers",
        "spill",
        "stack",
        "static",
        "barriers",
        "generic",
        "calls",
        "params",
    ];
    let mut rows = vec![heading.map(str::to_owned).to_vec()];
    for entry in &module.entries {
        let costs = usage
            .get(&entry.name)
            .map(Vec::as_slice)
            .unwrap_or_default();
        let worst = |of: fn(&Usage) -> u32| costs.iter().map(of).max().unwrap_or(0).to_string();
        let registers: Vec<String> = costs.iter().map(|c| c.registers.to_string()).collect();
        rows.push(vec![
            entry.name.clone(),
            registers.join(" / "),
            worst(|c| c.spill_stores + c.spill_loads),
            worst(|c| c.stack_frame),
            worst(|c| c.static_shared),
            entry.barriers.to_string(),
            entry.generic_accesses.len().to_string(),
            entry.calls.len().to_string(),
            entry
                .params
                .iter()
                .map(|p| p.size)
                .sum::<usize>()
                .to_string(),
        ]);
    }
    table::print(&rows);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_named_unless_allowed() -> anyhow::Result<()> {
        let module = PtxModule::parse(
            ".version 6.3\n.target sm_75\n.visible .entry \
                k()\n{\n\tld.b32 %r1, [%rd1];\n\tcall.uni helper, ();\n\tret;\n}\n",
        )?;
        let entry = module.entry("k").context("k")?;
        let faults = kernel_faults(entry, &[], &Allowance::default());
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].contains("helper") && faults[1].contains("ld.b32"));
        let allowed = Allowance {
            generic: 1,
            calls: 1,
            ..Allowance::default()
        };
        assert!(kernel_faults(entry, &[], &allowed).is_empty());
        let allowances = BTreeMap::from([("gone".to_owned(), allowed)]);
        assert_eq!(stale(&allowances, std::slice::from_ref(&module)).len(), 1);
        Ok(())
    }

    #[test]
    fn kernels_that_differ_are_named() -> anyhow::Result<()> {
        let module = |names: &[&str]| {
            let entries: String = names
                .iter()
                .map(|n| format!(".visible .entry {n}()\n{{\n\tret;\n}}\n"))
                .collect();
            PtxModule::parse(&format!(".version 6.3\n.target sm_75\n{entries}"))
        };
        let (old, new) = (module(&["a", "b"])?, module(&["a", "c"])?);
        assert!(entry_faults("k.ptx", &old, &old).is_empty());
        let faults = entry_faults("k.ptx", &old, &new);
        assert_eq!(faults.len(), 2, "{faults:?}");
        assert!(faults[0].ends_with("no kernel c") && faults[1].contains("has b,"));
        let faults = twice(&[("old.ptx", old), ("new.ptx", new)]);
        assert_eq!(faults, ["old.ptx and new.ptx have a kernel a"]);
        Ok(())
    }

    #[test]
    fn the_list_of_allowances_is_readable() -> anyhow::Result<()> {
        read_allowances().map(drop)
    }
}
