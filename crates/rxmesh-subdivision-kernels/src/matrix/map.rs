//! Action maps of mapped SpMV (Mlakar 2018, section 3.2): the values of entries of the mesh matrix.

use crate::topology::{NONE, Topology};
use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Bind, Global};

/// Entry of the mesh matrix, M(i, j): the corner of face j at vertex i. Data that a map does not require is not read.
#[derive(Clone, Copy, Debug)]
pub struct MatrixEntry<'a> {
    /// Mesh.
    pub m: &'a Topology,
    /// Entry: a half-edge.
    pub h: u32,
}

impl MatrixEntry<'_> {
    /// Returns the row i: the entry's vertex.
    #[inline(always)]
    pub fn row(&self) -> u32 {
        self.m.origin(self.h)
    }

    /// Returns the column j: the entry's face.
    #[inline(always)]
    pub fn column(&self) -> u32 {
        self.m.face(self.h)
    }

    /// Returns the value of M(i, j), from 0 on: the index of the vertex in the face's order (the thesis counts from 1).
    #[inline(always)]
    pub fn position(&self) -> u32 {
        self.h - self.m.range(self.column()).0
    }

    /// Returns the order c of the column: the number of corners of the face.
    #[inline(always)]
    pub fn order(&self) -> u32 {
        self.m.range(self.column()).1
    }

    /// Returns the valence n of the row: the number of faces at the vertex.
    #[inline(always)]
    pub fn valence(&self) -> u32 {
        let (first, end) = self.m.row(self.row());
        end - first
    }

    /// Returns `true` if the half-edge is at a boundary.
    #[inline(always)]
    pub fn is_boundary(&self) -> bool {
        self.m.twin(self.h) == NONE
    }
}

/// Value of an entry in place of its own: the Q of M{Q} x.
///
/// A custom map is a struct of [`args!`](rxmesh_kernels::args) with this trait. List `flat name:
/// Multiply<Direct<Yours>> as Yours;` and the same with [`Transposed`](super::Transposed) if needed.
///
/// ```
/// use rxmesh_kernels::args;
/// use rxmesh_subdivision_kernels::matrix::{MatrixEntry, Direct, Map, Multiply};
///
/// args! {
///     /// Corners of triangles count twice.
///     pub struct Twice {
///         /// Value of other corners.
///         pub others: f32,
///     }
/// }
///
/// // SAFETY: it names no memory (contract U4).
/// unsafe impl Map for Twice {
///     fn at(&self, e: MatrixEntry<'_>) -> f32 {
///         if e.order() == 3 { 2.0 } else { self.others }
///     }
/// }
///
/// rxmesh_kernels::entries! {
///     pub KERNELS;
///     flat my_twice: Multiply<Direct<Twice>> as Twice;
/// }
/// ```
///
/// # Safety
///
/// `at` reads only inside the map's views, on all meshes for which `fits` is `true`, and writes nothing (contracts U3
/// and U4 of docs/inside/unsafe.md).
pub unsafe trait Map: Bind + Copy + Debug + Send + Sync + 'static {
    /// Returns `true` if the map's arrays have the lengths that the mesh needs; the host asks before a launch.
    fn fits(&self, m: &Topology) -> bool {
        let _ = m;
        true
    }

    /// Returns the value of an entry.
    fn at(&self, e: MatrixEntry<'_>) -> f32;
}

args! {
    /// Constant value of all entries, as in (4.33).
    pub struct Constant {
        /// Value of all entries.
        pub value: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for Constant {
    #[inline(always)]
    fn at(&self, _: MatrixEntry<'_>) -> f32 {
        self.value
    }
}

args! {
    /// Weight divided by the order c of the column, as in (4.27): with weight 1 the mean of a face's corners.
    pub struct OverOrder {
        /// Numerator.
        pub weight: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for OverOrder {
    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        self.weight / e.order() as f32
    }
}

args! {
    /// Weight divided by the valence n of the row, as in (3.3): with weight 1 the mean over a vertex's faces.
    pub struct OverValence {
        /// Numerator.
        pub weight: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for OverValence {
    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        self.weight / e.valence() as f32
    }
}

args! {
    /// Value by the position in the face: a cyclic table with an offset, as in (4.15), where the three products use one
    /// table shifted by the circulant map.
    pub struct ByPosition {
        /// One value per position; faces with more corners wrap around.
        pub table: Global<f32>,
        /// Offset that is added to the position: the power of the circulant map.
        pub turn: u32,
    }
}

// SAFETY: the index is taken modulo the length, which is not 0 (contract U4).
unsafe impl Map for ByPosition {
    fn fits(&self, _: &Topology) -> bool {
        !self.table.is_empty()
    }

    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        // Never 0 on a mesh that it fits; without this a device would need a panic.
        let n = self.table.len().max(1);
        self.table.get((e.position() + self.turn % n) % n)
    }
}

args! {
    /// Value by the row: one per vertex.
    pub struct ByRow {
        /// Values of vertices.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each vertex (contract U4).
unsafe impl Map for ByRow {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.vertex_count()
    }

    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        self.values.get(e.row())
    }
}

args! {
    /// Value by the column: one per face.
    pub struct ByColumn {
        /// Values of faces.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each face (contract U4).
unsafe impl Map for ByColumn {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.face_count()
    }

    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        self.values.get(e.column())
    }
}

args! {
    /// Value by the entry: one per half-edge. Represents any matrix with the entries of M.
    pub struct ByEntry {
        /// Values of half-edges.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each entry (contract U4).
unsafe impl Map for ByEntry {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.corner_count()
    }

    #[inline(always)]
    fn at(&self, e: MatrixEntry<'_>) -> f32 {
        self.values.get(e.h)
    }
}
