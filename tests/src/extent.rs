//! How much a run of the suite does: by default what README's test command has time for, and everything in the long
//! run.

use std::sync::OnceLock;

/// Whether this is the long run: `RXMESH_LONG=1`, as `cargo xtask ci --long` sets it. Nothing else reads the variable.
pub fn is_long() -> bool {
    static LONG: OnceLock<bool> = OnceLock::new();
    *LONG.get_or_init(|| std::env::var("RXMESH_LONG").as_deref() == Ok("1"))
}

/// A size of a mesh, a number of cases, a list of patch sizes: what is usual, or what the long run takes.
pub fn extent<T>(usual: T, long: T) -> T {
    if is_long() { long } else { usual }
}
