//! Edit sessions: the mesh as flat arrays that kernels may change, the kernels that open it, and the traits by which
//! operators see it.

mod flat;
mod free;
mod frozen;
mod mesh;
mod open;

pub use flat::{DEAD, FlatMesh, LOST, NO_FACE, NONE, VERTEX_LIMIT, lost};
pub use free::{CopyRows, ListFree, MarkDead, MoveSet};
pub use frozen::MarkFrozen;
pub(crate) use frozen::is_held;
pub use mesh::{HalfEdgeMesh, HalfEdgeMeshMut, Turn};
pub use open::{
    Fill, Freeze, LinkSides, OpenFaces, OpenPatches, OpenTables, OpenVertices, Suspects,
};

kernel_list! {
    flat fill: Fill;
    patch open_patches: OpenPatches;
    flat open_faces: OpenFaces;
    flat link_sides: LinkSides;
    flat open_vertices: OpenVertices;
    flat freeze: Freeze;
    flat mark_frozen: MarkFrozen;
    flat mark_dead: MarkDead;
    flat move_set: MoveSet;
    flat list_free: ListFree;
    flat copy_rows: CopyRows;
}
