//! Errors of building patches.

use rxmesh_kernels::topo::Kind;

/// Why a mesh could not be cut into patches.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// A face names a vertex that does not exist.
    #[error("face {face} names vertex {index}, but the mesh has {vertex_count} vertices")]
    FaceIndex {
        /// Face, as an index of the input.
        face: usize,
        /// Vertex that it names.
        index: u32,
        /// Number of vertices of the mesh.
        vertex_count: usize,
    },
    /// A cell names a vertex that does not exist.
    #[error("cell {cell} names vertex {index}, but the mesh has {vertex_count} vertices")]
    CellIndex {
        /// Cell, as an index of the input.
        cell: usize,
        /// Vertex that it names.
        index: u32,
        /// Number of vertices of the mesh.
        vertex_count: usize,
    },
    /// A cell that is no tetrahedron.
    #[error("cell {cell} names vertex {vertex} twice")]
    CellRepeats {
        /// Cell, as an index of the input.
        cell: usize,
        /// Vertex that is repeated.
        vertex: u32,
    },
    /// The patch size of a volume cannot be used.
    #[error("a patch size of {size} cells was requested, but it must lie between 1 and {limit}")]
    VolumePatchSize {
        /// Requested size.
        size: u32,
        /// Largest possible size.
        limit: u32,
    },
    /// A volume's patch does not fit its 16-bit local ids, most often because of one vertex of very high valence.
    #[error(
        "a patch needs {count} local elements of kind {kind:?}, but at most {limit} fit; \
         its vertex with the most cells is {vertex}, with {valence} (smaller patches help if that is few)"
    )]
    VolumePatchTooLarge {
        /// Kind of element that there are too many of.
        kind: Kind,
        /// Number of local elements that the patch needs.
        count: u64,
        /// Largest number allowed.
        limit: u64,
        /// Owned vertex with the most cells, as an index of the input.
        vertex: u32,
        /// Number of cells around it.
        valence: u64,
    },
    /// Copies of a body that cannot be had.
    #[error("{0} copies were requested, but it must be 1 or more, of a body that is there once")]
    Copies(u32),
    /// The patch size cannot be used.
    #[error("a patch size of {0} faces was requested, but it must lie between 1 and 65535")]
    PatchSize(u32),
    /// The growth factor cannot be used.
    #[error("a growth factor of {0} was requested, but it must be a number from 1 to 1000")]
    Growth(f32),
    /// The mesh or its patches need ids or offsets that do not fit 32 bits.
    #[error("the mesh needs {count} {what}, but at most {limit} can be addressed")]
    TooManyElements {
        /// Name of the elements that are too many.
        what: &'static str,
        /// Number of them.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// A patch set from a file or from memory is inconsistent, with the place.
    #[error("the patch set is broken: {0}")]
    Broken(String),
    /// A patch does not fit its 16-bit local ids, most often because of one vertex of very high valence.
    #[error(
        "a patch needs {count} local elements of kind {kind:?}, but at most {limit} fit; \
         its vertex of highest valence is {vertex}, with {valence} faces (smaller patches help if that is few)"
    )]
    PatchTooLarge {
        /// Kind of element that there are too many of.
        kind: Kind,
        /// Number of local elements that the patch needs.
        count: u64,
        /// Largest number allowed.
        limit: u64,
        /// Owned vertex of highest valence, as an index of the input.
        vertex: u32,
        /// Number of faces around that vertex.
        valence: u64,
    },
}
