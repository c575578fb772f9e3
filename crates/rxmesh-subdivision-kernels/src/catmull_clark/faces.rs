//! The faces of a surface, and which of the base's are part of it.

use super::Grid;
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
    /// The quads of a grid: a base face's one after the other, row by row.
    pub struct WriteFaces: Flat {
        /// The points.
        pub grid: Grid,
        /// The base faces that are part of the surface; nothing when all are.
        pub kept: Global<u32>,
        /// Four points a quad.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes a quad of its own (contracts U3, U4).
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
    /// The quads that one level makes of polygons: that of a corner has its vertex, the point of the edge that leaves
    /// it, the point of the face, and the point of the edge before. Points are [V | E | F].
    pub struct SplitFaces: Flat {
        /// The polygons.
        pub mesh: Topology,
        /// Four points a corner.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes a quad of its own (contracts U3, U4).
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
    /// Which faces have no vertex at a boundary edge, but for such as are given as infinitely sharp.
    pub struct AwayFromBoundary: Flat {
        /// The mesh.
        pub mesh: Topology,
        /// How sharp it is.
        pub sharpness: Sharpness,
        /// 1 a face, or 0.
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
