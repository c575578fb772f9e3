//! Edit sessions: the mesh as flat arrays that kernels may change, and what opens it.

mod flat;
mod free;
mod open;

pub use flat::{DEAD, FlatMesh, NO_FACE, NONE, Turn, VERTEX_LIMIT};
pub use free::{ListFree, MarkDead};
pub use open::{Fill, Freeze, OpenFaces, OpenPatches, OpenVertices, Suspects};
