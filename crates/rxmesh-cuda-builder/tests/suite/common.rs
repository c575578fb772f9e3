//! Shared parts of the tests: the device crate in `tests/device`, built once.
//!
//! Without a device toolchain there is nothing to test: the tests report that and pass. With RXMESH_REQUIRE_DEVICE set
//! (as on CI) they fail.

use std::path::Path;
use std::sync::OnceLock;

use rxmesh_cuda_builder::{BuildOutput, CudaBuilder, Toolchain};

/// Reports that a test cannot run, or fails where it must.
pub(crate) fn skip(what: &str, why: &dyn std::fmt::Display) {
    let required = std::env::var_os("RXMESH_REQUIRE_DEVICE").is_some();
    assert!(!required, "{what} is required here: {why}");
    eprintln!("SKIPPED, no {what}: {why}");
}

/// Returns the device crate, built once per test program.
pub(crate) fn built() -> Option<&'static BuildOutput> {
    static BUILT: OnceLock<Option<BuildOutput>> = OnceLock::new();
    BUILT
        .get_or_init(|| {
            let toolchain = match Toolchain::find() {
                Ok(toolchain) => toolchain,
                Err(error) => {
                    skip("device toolchain", &error);
                    return None;
                }
            };
            let device = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/device");
            let built = CudaBuilder::new(device)
                .toolchain(toolchain)
                .target_dir(Path::new(env!("CARGO_TARGET_TMPDIR")).join("ptx"))
                .sources("0123")
                .build();
            Some(built.unwrap_or_else(|e| panic!("{e}")))
        })
        .as_ref()
}
