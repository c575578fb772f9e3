//! `cargo xtask docs`: writes the parts of the documents that are generated from the program's own help. The tests of
//! the program compare them.

use anyhow::ensure;

use crate::workspace;

/// Test of `rxmesh-apps` that compares or writes them.
const TEST: &str = "manual::the_manual_is_current";

pub(crate) fn run() -> anyhow::Result<()> {
    let status = workspace::cargo()
        .args(["test", "--package", "rxmesh-apps", "--bin", "rxmesh", TEST])
        .env("RXMESH_WRITE_DOCS", "1")
        .status()?;
    ensure!(status.success(), "the documents could not be written");
    Ok(())
}
