//! Layout of a patch in memory, and the ids of its elements.

mod header;
mod ids;
mod needs;
mod patch;

pub use header::{Kind, PatchHeader, SECTION_ALIGN};
pub use ids::{Cell, Edge, Element, Face, Id, Linear, Local, Map, Owned, Vertex};
pub use needs::Needs;
pub use patch::{MeshView, Patch};
