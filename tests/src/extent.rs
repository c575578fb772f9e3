//! Extent of a run of the suite: by default as much as README's test command has time for, and everything in the long
//! run.

use std::sync::OnceLock;

/// Returns `true` in the long run: `RXMESH_LONG=1`, as `cargo xtask ci --long` sets it. Nothing else reads the
/// variable.
pub fn is_long() -> bool {
    static LONG: OnceLock<bool> = OnceLock::new();
    *LONG.get_or_init(|| std::env::var("RXMESH_LONG").as_deref() == Ok("1"))
}

/// Chooses a size of a mesh, a number of cases, a list of patch sizes: the usual one, or that of the long run.
pub fn extent<T>(usual: T, long: T) -> T {
    if is_long() { long } else { usual }
}
