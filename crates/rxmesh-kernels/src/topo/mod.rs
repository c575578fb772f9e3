//! How a patch lies in memory: its header, its sections, its ids.

mod header;

pub use header::{Kind, PatchHeader, SECTION_ALIGN};
