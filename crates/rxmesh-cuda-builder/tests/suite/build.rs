//! Builds the device crate of `tests/device` and examines the PTX. Without a device toolchain there is nothing to test:
//! the tests report that and pass. With RXMESH_REQUIRE_DEVICE set (as on CI) they fail instead.

use crate::common::{built, skip};
use rxmesh_cuda_builder::ptx::PtxEntry;
use rxmesh_cuda_builder::ptxas::Ptxas;
use rxmesh_cuda_builder::{CudaBuilder, CudaBuilderError};

fn entry(name: &str) -> Option<&'static PtxEntry> {
    let module = built()?.module();
    Some(
        module
            .entry(name)
            .unwrap_or_else(|| panic!("no kernel {name} in {module:?}")),
    )
}

/// Returns the text of one kernel.
fn text(name: &str) -> Option<&'static str> {
    let text = &built()?.text;
    let begin = text
        .find(&format!(".entry {name}("))
        .unwrap_or_else(|| panic!("no kernel {name}"));
    let end = text[begin..].find("\n}").map_or(text.len(), |e| begin + e);
    Some(&text[begin..end])
}

/// Barrier regression test: the PTX has exactly the barriers of the source, through closures, generic blocks and code
/// of `core`.
#[test]
fn barriers_are_not_copied() {
    for (name, barriers) in [
        ("leads", 2),
        ("scan", 5),
        ("reverse", 1),
        ("spaces", 2),
        ("warps", 0),
    ] {
        let Some(entry) = entry(name) else { return };
        assert_eq!(
            entry.barriers,
            barriers,
            "{name}:\n{}",
            text(name).unwrap_or_default()
        );
    }
}

#[test]
fn everything_is_inlined_and_has_an_address_space() {
    let Some(built) = built() else { return };
    let module = built.module();
    assert_eq!(module.entries.len(), 8);
    assert!(module.functions.is_empty(), "{:?}", module.functions);
    for entry in &module.entries {
        assert_eq!(entry.calls, [""; 0], "{}", entry.name);
        assert_eq!(entry.local, [""; 0], "{}", entry.name);
        assert_eq!(entry.generic_accesses, [""; 0], "{}", entry.name);
    }
}

#[test]
fn instructions_are_the_intended_ones() {
    let expected: &[(&str, &[&str])] = &[
        ("saxpy", &["fma.rn.f32", "ld.global.b32", "st.global.b32"]),
        ("reverse", &["ld.shared.b32", "st.shared.b32"]),
        (
            "spaces",
            &[
                "ld.global.v4.u32",
                "st.shared.v4.u32",
                "ld.shared.v4.f32",
                "ld.global.nc.v4.f32",
                "st.global.v4.f32",
                "atom.shared.add.u32",
                "atom.shared.max.u32",
                "red.shared.add.f32",
                "red.global.add.f32",
                "red.global.add.f64",
                ".global.cas.b32",
            ],
        ),
        (
            "maths",
            &[
                "sqrt.rn.f32",
                "sqrt.rn.f64",
                "sqrt.approx.f32",
                "rsqrt.approx.f32",
                "rcp.rn.f32",
                "rcp.approx.ftz.f32",
                "sin.approx.f32",
                "cos.approx.f32",
                "ex2.approx.f32",
                "lg2.approx.f32",
                "fma.rn.f32",
                "fma.rn.f64",
            ],
        ),
        (
            "warps",
            &[
                "shfl.sync.up.b32",
                "shfl.sync.down.b32",
                "shfl.sync.bfly.b32",
                "shfl.sync.idx.b32",
                "vote.sync.all.pred",
                "vote.sync.any.pred",
                "vote.sync.ballot.b32",
                "match.any.sync.b32",
                "match.any.sync.b64",
                "bar.warp.sync",
                "activemask.b32",
                "%lanemask_lt",
                "%dynamic_smem_size",
                "membar.cta",
                "membar.gl",
                "membar.sys",
                "nanosleep.u32",
                "trap",
            ],
        ),
        ("checked", &["trap"]),
    ];
    for (name, instructions) in expected {
        let Some(text) = text(name) else { return };
        for instruction in *instructions {
            assert!(
                text.contains(instruction),
                "{name} has no {instruction}:\n{text}"
            );
        }
    }
}

#[test]
fn parameters_have_their_sizes() {
    let Some(saxpy) = entry("saxpy") else { return };
    let sizes: Vec<usize> = saxpy.params.iter().map(|p| p.size).collect();
    assert_eq!(sizes, [4, 4, 8, 8]);
}

#[test]
fn one_text_assembles_for_all_supported_gpus() {
    let Some(built) = built() else { return };
    let ptxas = match Ptxas::find(&[]) {
        Ok(ptxas) => ptxas,
        Err(error) => return skip("ptxas", &error),
    };
    for arch in ["sm_75", "sm_80", "sm_90"] {
        let usage = ptxas
            .assemble(&built.path, arch)
            .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(usage.len(), built.module().entries.len());
        for kernel in usage {
            assert!(kernel.registers > 0, "{kernel:?}");
            assert_eq!(
                (kernel.spill_stores, kernel.spill_loads, kernel.stack_frame),
                (0, 0, 0),
                "{kernel:?}"
            );
        }
    }
}

#[test]
fn mistakes_are_errors() {
    let missing = CudaBuilder::new("no/such/crate").build();
    assert!(matches!(
        missing,
        Err(CudaBuilderError::CratePathDoesntExist(_))
    ));
}
