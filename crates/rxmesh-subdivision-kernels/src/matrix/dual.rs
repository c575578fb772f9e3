//! Faces of a dual level: one vertex per corner, and a face for each face, inner edge and inner vertex.
//!
//! Half-edge h names the new vertex at its corner. A face keeps its half-edges; the edge of h and its twin t gets (next
//! h, h, next t, t); a vertex gets its half-edges in cyclic order. Their numbers depend on the boundary, so that two
//! prefix sums come first.

use super::scheme::Level;
use crate::topology::NONE;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Returns the number of corners of the face of a vertex: its valence inside the mesh, else 0. Two edges between the
/// same two faces have their faces side by side, and nothing between them.
#[inline(always)]
fn corners_of(level: &Level, v: u32) -> u32 {
    let n = level.valence(v);
    if level.is_interior(v) && n > 2 { n } else { 0 }
}

kernel! {
    /// Counts the edges and vertices that get faces. One index per edge or vertex.
    pub struct DualCounts: Flat {
        /// Level.
        pub level: Level,
        /// 1 for edges with a face; E + 1 values, the last initially zero.
        pub edges: GlobalMut<u32>,
        /// 1 for vertices with a face; V + 1 values, the last initially zero.
        pub vertices: GlobalMut<u32>,
        /// Number of corners of these faces; V + 1 values, the last initially zero.
        pub corners: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own edge and vertex (contracts U3, U4).
unsafe impl FlatKernel for DualCounts {
    #[inline(always)]
    fn run(&self, i: u32) {
        let m = &self.level.m;
        if i < m.edge_count() {
            let inner = m.twin(m.halves.get(i)) != NONE;
            self.edges.set(i, u32::from(inner));
        }
        if i < m.vertex_count() {
            let n = corners_of(&self.level, i);
            self.vertices.set(i, u32::from(n > 0));
            self.corners.set(i, n);
        }
    }
}

kernel! {
    /// Writes the faces, after prefix sums over the counts of [`DualCounts`]. One index per corner, face, edge or
    /// vertex; at least one.
    pub struct DualFaces: Flat {
        /// Level.
        pub level: Level,
        /// Number of faces of the edges before each, and of all.
        pub edges: Global<u32>,
        /// Number of faces of the vertices before each, and of all.
        pub vertices: Global<u32>,
        /// Number of their corners.
        pub corners: Global<u32>,
        /// First corner of each new face, and the end of the last.
        pub offsets: GlobalMut<u32>,
        /// New faces.
        pub faces: GlobalMut<u32>,
    }
}

// SAFETY: corners, faces, edges and vertices have separate ranges; walks around inner vertices meet each half-edge once
// (contracts U3, U4).
unsafe impl FlatKernel for DualFaces {
    #[inline(always)]
    fn run(&self, i: u32) {
        let m = &self.level.m;
        let (faces, corners) = (m.face_count(), m.corner_count());
        let inner = self.edges.get(m.edge_count());
        if i == 0 {
            self.offsets.set(self.offsets.len() - 1, self.faces.len());
        }
        if i < corners {
            self.faces.set(i, i);
        }
        if i < faces {
            self.offsets.set(i, m.range(i).0);
        }
        if i < m.edge_count() {
            let h = m.halves.get(i);
            let twin = m.twin(h);
            if twin != NONE {
                let k = self.edges.get(i);
                let at = corners + 4 * k;
                self.offsets.set(faces + k, at);
                self.faces.set(at, m.next(h));
                self.faces.set(at + 1, h);
                self.faces.set(at + 2, m.next(twin));
                self.faces.set(at + 3, twin);
            }
        }
        if i < m.vertex_count() {
            let n = corners_of(&self.level, i);
            if n > 0 {
                let at = corners + 4 * inner + self.corners.get(i);
                self.offsets.set(faces + inner + self.vertices.get(i), at);
                let mut h = m.entries.get(m.row(i).0);
                for k in 0..n {
                    self.faces.set(at + k, h);
                    h = m.twin(m.prev(h));
                }
            }
        }
    }
}
