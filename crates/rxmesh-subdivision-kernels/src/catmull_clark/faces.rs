//! Faces of a surface, and base faces that are part of it.

use super::LevelGrid;
use crate::sharpness::{BY_ITSELF, Sharpness};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat catmull_clark_faces: WriteFaces;
    flat catmull_clark_split: SplitFaces;
    flat catmull_clark_away: AwayFromBoundary;
}

kernel! {
    /// Writes the quads of a grid: those of a base face are contiguous, row by row.
    pub struct WriteFaces: Flat {
        /// Points.
        pub grid: LevelGrid,
        /// Base faces that are part of the surface; empty when all are.
        pub kept: Global<u32>,
        /// Four points per quad.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own quad (contracts U3, U4).
unsafe impl FlatKernel for WriteFaces {
    #[inline(always)]
    fn run(&self, index: u32) {
        let grid = &self.grid;
        let (n, level) = (grid.cells(), grid.level);
        let slot = index >> (2 * level);
        let f = if self.kept.is_empty() {
            slot
        } else {
            self.kept.get(slot)
        };
        let (i, j) = (index & (n - 1), (index >> level) & (n - 1));
        let quad = if i > 0 && j > 0 && i + 1 < n && j + 1 < n {
            let first = grid.face(f) + (j - 1) * (n - 1) + i - 1;
            [first, first + 1, first + n, first + n - 1]
        } else {
            [
                grid.point(f, i, j),
                grid.point(f, i + 1, j),
                grid.point(f, i + 1, j + 1),
                grid.point(f, i, j + 1),
            ]
        };
        self.out.set4(index, quad);
    }
}

kernel! {
    /// Writes the quads that one level makes of polygons: that of a corner has its vertex, the point of the edge that
    /// leaves it, the face point, and the point of the edge before. Points are [V | E | F].
    pub struct SplitFaces: Flat {
        /// Polygons.
        pub mesh: Topology,
        /// Four points per corner.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own quad (contracts U3, U4).
unsafe impl FlatKernel for SplitFaces {
    #[inline(always)]
    fn run(&self, h: u32) {
        let m = &self.mesh;
        let edges = m.vertex_count();
        let faces = edges + m.edge_count();
        let quad = [
            m.origin(h),
            edges + m.edges.get(h),
            faces + m.face(h),
            edges + m.edges.get(m.prev(h)),
        ];
        self.out.set4(h, quad);
    }
}

kernel! {
    /// Marks the faces without a vertex at a boundary edge, except edges that are given as infinitely sharp.
    pub struct AwayFromBoundary: Flat {
        /// The mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub sharpness: Sharpness,
        /// 1 or 0 per face.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for AwayFromBoundary {
    #[inline(always)]
    fn run(&self, f: u32) {
        let m = &self.mesh;
        let (first, n) = m.range(f);
        let edges = &self.sharpness.edges;
        let open = |h: u32| {
            m.twin(h) == NONE && (edges.is_empty() || edges.get(m.edges.get(h)) < BY_ITSELF)
        };
        let mut away = 1;
        for h in first..first + n {
            let (from, to) = m.row(m.origin(h));
            for at in from..to {
                let g = m.entries.get(at);
                if open(g) || open(m.prev(g)) {
                    away = 0;
                }
            }
        }
        self.out.set(f, away);
    }
}
