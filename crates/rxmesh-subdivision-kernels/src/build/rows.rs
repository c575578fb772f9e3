//! Half-edges by vertex.

use super::BAD_ID;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel! {
    /// Counts the corners of each vertex; `counts` is initially zero.
    pub struct CountEntries: Flat {
        /// Number of vertices, at least 1.
        pub vertices: u32,
        /// Vertex of each corner, as given.
        pub given: Global<u32>,
        /// Copy of `given`, with 0 for vertices that do not exist; empty when the given ones are checked already.
        pub corners: GlobalMut<u32>,
        /// First corner of each face; empty when all have the same number.
        pub offsets: Global<u32>,
        /// Face of each corner; empty when all faces have the same number.
        pub faces: GlobalMut<u32>,
        /// Number of corners of each vertex.
        pub counts: GlobalMut<u32>,
        /// Report, as [`Twins::report`](super::twins::Twins::report).
        pub report: GlobalMut<u32>,
    }
}

// SAFETY: additions are atomic; a corner writes its copy, and a face the faces of its corners; vertices are in range or
// replaced (contracts U3, U4).
unsafe impl FlatKernel for CountEntries {
    #[inline(always)]
    fn run(&self, h: u32) {
        let mut v = self.given.get(h);
        if !self.corners.is_empty() {
            if v >= self.vertices {
                self.report.fetch_min(BAD_ID, h);
                v = 0;
            }
            self.corners.set(h, v);
        }
        self.counts.fetch_add(v, 1);
        // There are fewer faces than corners.
        if !self.faces.is_empty() && h + 1 < self.offsets.len() {
            for corner in self.offsets.get(h)..self.offsets.get(h + 1) {
                self.faces.set(corner, h);
            }
        }
    }
}

kernel! {
    /// Writes the start of each row, and each corner into its vertex's row at an index taken from `counts`, which is
    /// zero afterwards.
    pub struct FillEntries: Flat {
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// Number of corners before each vertex in its chunk.
        pub sums: Global<u32>,
        /// Logarithm of the chunk size, as [`ChunkSums::log_chunk`](crate::scan::ChunkSums::log_chunk).
        pub log_chunk: u32,
        /// Sums before each chunk, as [`ChunkSums::sums`](crate::scan::ChunkSums::sums).
        pub before: Global<u32>,
        /// Number of corners of each vertex, as [`CountEntries::counts`].
        pub counts: GlobalMut<u32>,
        /// Start of each row, and end of the last one.
        pub starts: GlobalMut<u32>,
        /// Rows, in arbitrary order.
        pub rows: GlobalMut<u32>,
    }
}

// SAFETY: an index writes its own start; elements of rows are taken atomically, each once, and a row has one for each
// of its corners (contracts U3, U4).
unsafe impl FlatKernel for FillEntries {
    #[inline(always)]
    fn run(&self, i: u32) {
        let start = |v: u32| self.sums.get(v) + self.before.get(v >> self.log_chunk);
        let (vertices, corners) = (self.sums.len(), self.corners.len());
        if i < vertices {
            self.starts.set(i, start(i));
        }
        if i == vertices {
            self.starts.set(i, corners);
        }
        if i < corners {
            let v = self.corners.get(i);
            let left = self.counts.fetch_add(v, u32::MAX);
            self.rows.set(start(v) + left - 1, i);
        }
    }
}
