//! The PTX as NVIDIA's assembler sees it: registers, spills, stacks, and what is allowed.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, bail, ensure};
use cuda_builder::ptx::{PtxEntry, PtxModule};
use cuda_builder::ptxas::{Ptxas, Usage};

use super::{MODULES, Module, Programs, find_ptxas};
use crate::{table, workspace};

const ALLOWANCES: &str = "xtask/ptx-allowances.toml";

/// Architectures of which one text serves all: it is built for the first.
const ARCHS: &[&str] = &["sm_75", "sm_80", OVERLAPPING];

/// The oldest and the newest of [`ARCHS`].
const ENDS: &[&str] = &["sm_75", OVERLAPPING];

/// First architecture whose launches overlap.
const OVERLAPPING: &str = "sm_90";

impl Module {
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
    fn assemble_for(
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

/// Costs that are allowed to a kernel, by name. Every allowance states its reason.
#[derive(serde::Deserialize, Default, Clone)]
#[serde(deny_unknown_fields)]
pub(super) struct Allowance {
    /// Number of bytes of stack frame.
    #[serde(default)]
    pub(super) stack: u32,
    /// Number of bytes of spill stores and loads together.
    #[serde(default)]
    pub(super) spill: u32,
    /// Number of generic accesses.
    #[serde(default)]
    pub(super) generic: usize,
    /// Number of calls.
    #[serde(default)]
    pub(super) calls: usize,
    pub(super) reason: String,
}

/// Assembles the files of [`ARCHS`], or with `quick` of [`ENDS`] alone, and fails where a kernel costs more than it is
/// allowed.
pub(crate) fn assemble(quick: bool) -> anyhow::Result<()> {
    let archs = if quick { ENDS } else { ARCHS };
    let ptxas = find_ptxas().context("run `cargo xtask install-ptxas`, or see below")?;
    let allowances = read_allowances()?;
    let (mut modules, mut faults) = (Vec::new(), Vec::new());
    for module in &MODULES {
        let (parsed, wrong) = module.assemble_for(&ptxas, archs, &allowances)?;
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

pub(super) fn read_allowances() -> anyhow::Result<BTreeMap<String, Allowance>> {
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

pub(super) fn stale(
    allowances: &BTreeMap<String, Allowance>,
    modules: &[PtxModule],
) -> Vec<String> {
    let gone = allowances
        .keys()
        .filter(|name| modules.iter().all(|m| m.entry(name).is_none()));
    gone.map(|name| format!("{ALLOWANCES} names {name}, which is no kernel"))
        .collect()
}

/// Returns the faults of a kernel beyond its allowance.
pub(super) fn kernel_faults(entry: &PtxEntry, costs: &[Usage], allowed: &Allowance) -> Vec<String> {
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
