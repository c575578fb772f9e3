//! Action maps of mapped SpMV (Mlakar 2018, section 3.2): what an entry of the mesh matrix counts.

use crate::topology::{NONE, Topology};
use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Bind, Global};

/// An entry of the mesh matrix, M(i, j): the corner of face j at vertex i. What a map does not ask for is not read.
#[derive(Clone, Copy, Debug)]
pub struct At<'a> {
    /// The mesh.
    pub m: &'a Topology,
    /// The entry: a half-edge.
    pub h: u32,
}

impl At<'_> {
    /// The row i: the entry's vertex.
    #[inline(always)]
    pub fn row(&self) -> u32 {
        self.m.origin(self.h)
    }

    /// The column j: the entry's face.
    #[inline(always)]
    pub fn column(&self) -> u32 {
        self.m.face(self.h)
    }

    /// The value of M(i, j), from 0 on: the place of the vertex in the face's order (the thesis counts from 1).
    #[inline(always)]
    pub fn position(&self) -> u32 {
        self.h - self.m.range(self.column()).0
    }

    /// The order c of the column: corners of the face.
    #[inline(always)]
    pub fn order(&self) -> u32 {
        self.m.range(self.column()).1
    }

    /// The valence n of the row: faces at the vertex.
    #[inline(always)]
    pub fn valence(&self) -> u32 {
        let (first, end) = self.m.row(self.row());
        end - first
    }

    /// Whether the half-edge is at a boundary.
    #[inline(always)]
    pub fn is_boundary(&self) -> bool {
        self.m.twin(self.h) == NONE
    }
}

/// What an entry counts, in place of its value: the Q of M{Q} x.
///
/// A map of your own is a struct of [`args!`](rxmesh_kernels::args) with this trait. List
/// `flat name: Multiply<Direct<Yours>> as Yours;` or the same with [`Transposed`](super::Transposed) beside it.
///
/// ```
/// use rxmesh_kernels::args;
/// use rxmesh_subdivision_kernels::matrix::{At, Direct, Map, Multiply};
///
/// args! {
///     /// Corners of triangles count twice.
///     pub struct Twice {
///         /// What others count.
///         pub others: f32,
///     }
/// }
///
/// // SAFETY: it names no memory (contract U4).
/// unsafe impl Map for Twice {
///     fn at(&self, e: At<'_>) -> f32 {
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
/// `at` reads only inside the map's views, on all meshes that the map says it fits, and writes nothing (contracts U3
/// and U4 of docs/inside/unsafe.md).
pub unsafe trait Map: Bind + Copy + Debug + Send + Sync + 'static {
    /// Whether the map's arrays are as long as the mesh needs them; the host asks before a launch.
    fn fits(&self, m: &Topology) -> bool {
        let _ = m;
        true
    }

    /// What the entry counts.
    fn at(&self, e: At<'_>) -> f32;
}

args! {
    /// The same for all entries, as in (4.33).
    pub struct Constant {
        /// What they count.
        pub value: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for Constant {
    #[inline(always)]
    fn at(&self, _: At<'_>) -> f32 {
        self.value
    }
}

args! {
    /// A weight over the order c of the column, as in (4.27): with weight 1 the mean of a face's corners.
    pub struct OverOrder {
        /// The weight.
        pub weight: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for OverOrder {
    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        self.weight / e.order() as f32
    }
}

args! {
    /// A weight over the valence n of the row, as in (3.3): with weight 1 the mean over a vertex's faces.
    pub struct OverValence {
        /// The weight.
        pub weight: f32,
    }
}

// SAFETY: it names no memory (contract U4).
unsafe impl Map for OverValence {
    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        self.weight / e.valence() as f32
    }
}

args! {
    /// By the position in the face: a table, read from a place on and round, as in (4.15), where the three products are
    /// those of one table with its values moved by the circulant map.
    pub struct ByPosition {
        /// A value a position; faces with more corners go round.
        pub table: Global<f32>,
        /// Added to the position: the power of the circulant map.
        pub turn: u32,
    }
}

// SAFETY: the index is taken modulo the length, which is not 0 (contract U4).
unsafe impl Map for ByPosition {
    fn fits(&self, _: &Topology) -> bool {
        !self.table.is_empty()
    }

    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        // Never 0 on a mesh that it fits; a device cannot panic about it.
        let n = self.table.len().max(1);
        self.table.get((e.position() + self.turn % n) % n)
    }
}

args! {
    /// By the row: a value a vertex.
    pub struct ByRow {
        /// The values.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each vertex (contract U4).
unsafe impl Map for ByRow {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.vertex_count()
    }

    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        self.values.get(e.row())
    }
}

args! {
    /// By the column: a value a face.
    pub struct ByColumn {
        /// The values.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each face (contract U4).
unsafe impl Map for ByColumn {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.face_count()
    }

    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        self.values.get(e.column())
    }
}

args! {
    /// By the entry: a value a half-edge. Any matrix with the entries of M.
    pub struct ByEntry {
        /// The values.
        pub values: Global<f32>,
    }
}

// SAFETY: there is a value for each entry (contract U4).
unsafe impl Map for ByEntry {
    fn fits(&self, m: &Topology) -> bool {
        self.values.len() >= m.corner_count()
    }

    #[inline(always)]
    fn at(&self, e: At<'_>) -> f32 {
        self.values.get(e.h)
    }
}
