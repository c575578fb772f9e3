//! PLY, as text and as binary of either byte order.
//!
//! Own code and not the `ply-rs-bw` crate: its header knows neither names of other characters than letters and digits
//! nor whole numbers of 64 bits, its reader takes a map entry (or at best a setter call by name) and a list allocation
//! for every value, reads text through a grammar that refuses `1.` and `.5`, cannot say which byte of a binary file is
//! wrong, and believes a list's length before it looks whether the file is that long. The tests compare with it.

mod body;
mod columns;
mod edges;
mod header;
mod read;
mod strips;
mod write;

pub(super) use header::LONGEST as LONGEST_HEADER;
pub(super) use read::read;
pub(super) use write::write;
