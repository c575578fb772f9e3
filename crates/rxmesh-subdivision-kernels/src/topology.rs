//! Polygon mesh on an engine: the reduced mesh matrix (Mlakar 2018, section 5.1) with the results of its products.
//!
//! The mesh matrix has one column per face and one row per vertex. An entry is a corner, and the half-edge that leaves
//! it along its face. [`Topology::corners`] are the row ids, column after column; next and previous entries in a column
//! are the circulant map. [`Topology::twins`] and [`Topology::edges`] are values on the same entries: the products `M
//! M^T {Q}` of sections 4.1 to 4.3 (`F` and `E` there).

use rxmesh_kernels::args;
use rxmesh_kernels::mem::Global;

/// Marks a missing half-edge.
pub const NONE: u32 = u32::MAX;

args! {
    /// Polygon mesh: F faces, C corners, V vertices, E edges.
    pub struct Topology {
        /// Number of corners of every face; 0 when they differ.
        pub size: u32,
        /// First corner of each face, F + 1 values; empty when all faces have `size` corners.
        pub offsets: Global<u32>,
        /// Face of each corner, C values; empty when all faces have `size` corners.
        pub faces: Global<u32>,
        /// Vertex of each corner, C values.
        pub corners: Global<u32>,
        /// Twin of each half-edge, [`NONE`] at a boundary; C values.
        pub twins: Global<u32>,
        /// Edge of each half-edge, C values.
        pub edges: Global<u32>,
        /// First half-edge of each edge (the lower one), E values.
        pub halves: Global<u32>,
        /// Start of each vertex's entries in `entries`, V + 1 values: the rows of the matrix.
        pub starts: Global<u32>,
        /// Corners by vertex, ascending at each vertex; C values.
        pub entries: Global<u32>,
    }
}

impl Topology {
    /// Returns the number of vertices.
    #[inline(always)]
    pub fn vertex_count(&self) -> u32 {
        self.starts.len() - 1
    }

    /// Returns the number of edges.
    #[inline(always)]
    pub fn edge_count(&self) -> u32 {
        self.halves.len()
    }

    /// Returns the number of corners, which is that of half-edges and of entries.
    #[inline(always)]
    pub fn corner_count(&self) -> u32 {
        self.corners.len()
    }

    /// Returns the number of faces.
    #[inline(always)]
    pub fn face_count(&self) -> u32 {
        let of_size = self.corners.len().checked_div(self.size);
        of_size.unwrap_or(self.offsets.len().wrapping_sub(1))
    }

    /// Returns the face of a corner.
    #[inline(always)]
    pub fn face(&self, h: u32) -> u32 {
        match self.size {
            0 => self.faces.get(h),
            // Constants, so that there is no division.
            3 => h / 3,
            4 => h / 4,
            n => h / n,
        }
    }

    /// Returns the first corner and the number of corners of a face.
    #[inline(always)]
    pub fn range(&self, f: u32) -> (u32, u32) {
        if self.size == 0 {
            let first = self.offsets.get(f);
            (first, self.offsets.get(f + 1) - first)
        } else {
            (self.size * f, self.size)
        }
    }

    /// Returns the next half-edge around its face: the circulant map.
    #[inline(always)]
    pub fn next(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h + 1 == first + n { first } else { h + 1 }
    }

    /// Returns the previous half-edge around its face: the transposed circulant map.
    #[inline(always)]
    pub fn prev(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h == first { first + n - 1 } else { h - 1 }
    }

    /// Returns the vertex that a half-edge leaves.
    #[inline(always)]
    pub fn origin(&self, h: u32) -> u32 {
        self.corners.get(h)
    }

    /// Returns the vertex at which a half-edge ends.
    #[inline(always)]
    pub fn target(&self, h: u32) -> u32 {
        self.corners.get(self.next(h))
    }

    /// Returns the twin of a half-edge, [`NONE`] at a boundary.
    #[inline(always)]
    pub fn twin(&self, h: u32) -> u32 {
        self.twins.get(h)
    }

    /// Returns the range of the entries of a vertex in [`Topology::entries`].
    #[inline(always)]
    pub fn row(&self, v: u32) -> (u32, u32) {
        (self.starts.get(v), self.starts.get(v + 1))
    }
}
