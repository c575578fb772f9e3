//! Conversion of a surface to the flat arrays of which patches are made.

use crate::topology::{NONE, Topology};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat flat_cut_quads: CutQuads;
    flat flat_edges: FlatEdges;
    flat flat_sides: FlatSides;
    flat flat_vertices: FlatVertices;
    flat flat_tiles: TileLabels;
    flat flat_runs: RunLabels;
}

kernel! {
    /// Cuts each quad along the diagonal from its first corner into two triangles, `2 q` and `2 q + 1`.
    pub struct CutQuads: Flat {
        /// Four vertices per quad.
        pub quads: Global<u32>,
        /// Six corners per quad.
        pub triangles: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own six corners (contracts U3, U4).
unsafe impl FlatKernel for CutQuads {
    #[inline(always)]
    fn run(&self, q: u32) {
        let corner = |k: u32| self.quads.get(4 * q + k);
        let (a, b, c, d) = (corner(0), corner(1), corner(2), corner(3));
        let set = |k: u32, v: u32| self.triangles.set(6 * q + k, v);
        set(0, a);
        set(1, b);
        set(2, c);
        set(3, a);
        set(4, c);
        set(5, d);
    }
}

kernel! {
    /// Writes the ends and faces of each edge.
    pub struct FlatEdges: Flat {
        /// Triangles.
        pub mesh: Topology,
        /// Two ends per edge.
        pub ev: GlobalMut<u32>,
        /// Two faces per edge, [`NONE`] at a boundary.
        pub ef: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own edge (contracts U3, U4).
unsafe impl FlatKernel for FlatEdges {
    #[inline(always)]
    fn run(&self, e: u32) {
        let m = self.mesh;
        let h = m.halves.get(e);
        let twin = m.twin(h);
        self.ev.set(2 * e, m.origin(h));
        self.ev.set(2 * e + 1, m.target(h));
        self.ef.set(2 * e, m.face(h));
        self.ef
            .set(2 * e + 1, if twin == NONE { NONE } else { m.face(twin) });
    }
}

kernel! {
    /// Writes the face side of each half-edge: its edge, and a bit that is set if it has the opposite direction.
    pub struct FlatSides: Flat {
        /// Triangles.
        pub mesh: Topology,
        /// Three sides per face.
        pub fe: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own side (contracts U3, U4).
unsafe impl FlatKernel for FlatSides {
    #[inline(always)]
    fn run(&self, h: u32) {
        let e = self.mesh.edges.get(h);
        self.fe
            .set(h, e << 1 | u32::from(self.mesh.halves.get(e) != h));
    }
}

kernel! {
    /// Writes an edge of each vertex, [`NONE`] for vertices without faces.
    pub struct FlatVertices: Flat {
        /// Triangles.
        pub mesh: Topology,
        /// One edge per vertex.
        pub ve: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own vertex (contracts U3, U4).
unsafe impl FlatKernel for FlatVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = self.mesh.row(v);
        let edge = if first == end {
            NONE
        } else {
            self.mesh.edges.get(self.mesh.entries.get(first))
        };
        self.ve.set(v, edge);
    }
}

kernel! {
    /// Writes the tile of each final triangle: a square of cells of a base face's grid, or several base faces.
    pub struct TileLabels: Flat {
        /// Number of cells per row of a base face's grid: a power of two.
        pub cells: u32,
        /// Number of cells per row of a tile; at most `cells`.
        pub tile: u32,
        /// Number of base faces per tile, when a tile is as large as a grid.
        pub group: u32,
        /// One label per triangle, two triangles per cell.
        pub labels: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own label (contracts U3, U4).
unsafe impl FlatKernel for TileLabels {
    #[inline(always)]
    fn run(&self, triangle: u32) {
        let (n, t) = (self.cells, self.tile);
        let cell = triangle / 2;
        let (base, at) = (cell / (n * n), cell % (n * n));
        let (x, y) = (at % n, at / n);
        let tiles = n / t;
        let tile = base * tiles * tiles + (y / t) * tiles + x / t;
        self.labels
            .set(triangle, if t == n { base / self.group } else { tile });
    }
}

kernel! {
    /// Labels triangles by consecutive runs.
    pub struct RunLabels: Flat {
        /// Number of triangles per run.
        pub run: u32,
        /// One label per triangle.
        pub labels: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own label (contracts U3, U4).
unsafe impl FlatKernel for RunLabels {
    #[inline(always)]
    fn run(&self, triangle: u32) {
        self.labels.set(triangle, triangle / self.run);
    }
}
