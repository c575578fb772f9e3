//! Kernels over volumes.

use rxmesh_kernels::Vec3;
use rxmesh_kernels::attr::{Staged, StagedSum, Write};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{ForEach, Scatter};
use rxmesh_kernels::query::{CE, CF, CV, EV, FE, FV, Neighbours, Table};
use rxmesh_kernels::topo::{Cell, Edge, Face, Id, Local, Owned, Vertex};
use rxmesh_kernels::volume::distribute::Distribute;

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

/// Makes a kernel that adds the value of each element to its neighbours.
macro_rules! scatter {
    ($name:ident, $relation:ident, $from:ident, $to:ident) => {
        kernel! {
            /// Adds the value of each element to its neighbours.
            pub struct $name: Scatter<$relation> {
                /// Values.
                pub x: Staged<$from, Vec3>,
                /// Sums.
                pub sum: StagedSum<$to, Vec3>,
            }
        }

        impl Scatter<$relation> for $name {
            #[inline(always)]
            fn run(&self, e: Local<$from>, n: Neighbours<$relation>) {
                let x = self.x.get(e);
                for to in n.iter() {
                    self.sum.add(to, x);
                }
            }
        }
    };
}

scatter!(ScatterCv, CV, Cell, Vertex);
scatter!(ScatterCe, CE, Cell, Edge);
scatter!(ScatterEv, EV, Edge, Vertex);
scatter!(ScatterCf, CF, Cell, Face);
scatter!(ScatterFe, FE, Face, Edge);
scatter!(ScatterFv, FV, Face, Vertex);
