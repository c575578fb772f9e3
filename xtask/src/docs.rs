//! `cargo xtask docs`: writes the parts of the documents that are generated from the program's own help, and the stubs
//! of the Python package. Tests of the program and of the package compare them.

use anyhow::ensure;

use crate::workspace;

/// Tests that compare or write them.
const TESTS: [&[&str]; 2] = [
    &[
        "rxmesh-apps",
        "--bin",
        "rxmesh",
        "manual::the_manual_is_current",
    ],
    &["rxmesh-python", "--lib", "current"],
];

pub(crate) fn run() -> anyhow::Result<()> {
    for test in TESTS {
        let status = workspace::cargo()
            .args(["test", "--package"])
            .args(test)
            .env("RXMESH_WRITE_DOCS", "1")
            .status()?;
        ensure!(status.success(), "the documents could not be written");
    }
    Ok(())
}
