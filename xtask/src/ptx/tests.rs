//! Faults are named.

use std::collections::BTreeMap;

use anyhow::Context as _;
use cuda_builder::ptx::PtxModule;

use super::assemble::{Allowance, kernel_faults, read_allowances, stale};
use super::{entry_faults, twice};

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
