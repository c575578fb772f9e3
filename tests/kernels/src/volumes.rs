//! Kernels over volumes.

use rxmesh_kernels::Vec3;
use rxmesh_kernels::attr::Staged;
use rxmesh_kernels::kernel;
use rxmesh_kernels::query::{CE, CV, EV, Neighbours, Table};
use rxmesh_kernels::topo::{Cell, Id, Owned, Vertex};
use rxmesh_kernels::volume::distribute::Distribute;
use rxmesh_kernels::{attr::Write, kernel::ForEach};

kernel! {
    /// Gives each vertex of a cell its own position times its index in the cell, from 1.
    pub struct GiveCorners: Distribute<CV, 4> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
    }
}

impl Distribute<CV, 4> for GiveCorners {
    type Value = Vec3;
    #[inline(always)]
    fn run(&self, _: Owned<Cell>, n: Neighbours<CV>) -> [Vec3; 4] {
        [0, 1, 2, 3].map(|k| self.x.get(n.get(k)) * (k + 1) as f32)
    }
}

kernel! {
    /// Walks from a cell to its edges to their vertices: sums the vertices' linear ids, each as often as it is met.
    pub struct CellEdgeVertices: ForEach<(CE, EV)> {
        /// Sums.
        pub sum: Write<Cell, u32>,
    }
}

impl ForEach<(CE, EV)> for CellEdgeVertices {
    #[inline(always)]
    fn run(&self, c: Owned<Cell>, (edges, ev): (Neighbours<CE>, Table<EV>)) {
        let mut sum = 0u32;
        for e in edges.iter() {
            for v in ev.of(e).iter() {
                sum += v.linear();
            }
        }
        self.sum.set(c, sum);
    }
}
