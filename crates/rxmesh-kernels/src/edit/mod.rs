//! Edit sessions: the mesh as flat arrays that kernels may change, and what opens it.

mod flat;
mod free;
mod open;

pub use flat::{DEAD, FlatMesh, NO_FACE, NONE, Turn, VERTEX_LIMIT};
pub use free::{ListFree, MarkDead, MoveSet};
pub use open::{Fill, Freeze, OpenPatches, OpenTables, OpenVertices, Suspects};
