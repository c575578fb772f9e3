//! Kernels that give each neighbour another value, over all relations; and one that scatters over several.

use rxmesh_kernels::attr::{Read, Staged, StagedSum};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{ForEach, Scatter};
use rxmesh_kernels::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Neighbours, Table, VC, VE, VF, VV,
};
use rxmesh_kernels::topo::{Cell, Edge, Face, Local, Owned, Vertex};
use rxmesh_kernels::volume::distribute::Distribute;
use rxmesh_kernels::volume::entries::WriteEntries;
use rxmesh_kernels::{Mat3, Vec3};

/// Returns the matrix `a b^T`.
fn outer(a: Vec3, b: Vec3) -> Mat3 {
    Mat3::from_cols(a * b.x, a * b.y, a * b.z)
}

/// Makes a kernel that gives each neighbour the product of both values.
macro_rules! give {
    ($name:ident, $relation:ident, $from:ident, $to:ident) => {
        kernel! {
            /// Gives each neighbour the outer product of the element's value and the neighbour's own.
            pub struct $name: ForEach<$relation> {
                /// Values of the elements.
                pub x: Read<$from, Vec3>,
                /// Values of the neighbours.
                pub y: Staged<$to, Vec3>,
                /// Values of the entries.
                pub to: WriteEntries<$relation, Mat3>,
            }
        }

        impl ForEach<$relation> for $name {
            #[inline(always)]
            fn run(&self, e: Owned<$from>, n: Neighbours<$relation>) {
                let x = self.x.get(e);
                for k in 0..n.len() {
                    self.to.set(e, k, outer(x, self.y.get(n.get(k))));
                }
            }
        }
    };
}

give!(GiveVv, VV, Vertex, Vertex);
give!(GiveVe, VE, Vertex, Edge);
give!(GiveVf, VF, Vertex, Face);
give!(GiveVc, VC, Vertex, Cell);
give!(GiveEv, EV, Edge, Vertex);
give!(GiveEe, EE, Edge, Edge);
give!(GiveEf, EF, Edge, Face);
give!(GiveEc, EC, Edge, Cell);
give!(GiveFv, FV, Face, Vertex);
give!(GiveFe, FE, Face, Edge);
give!(GiveFf, FF, Face, Face);
give!(GiveFc, FC, Face, Cell);
give!(GiveCv, CV, Cell, Vertex);
give!(GiveCe, CE, Cell, Edge);
give!(GiveCf, CF, Cell, Face);
give!(GiveCc, CC, Cell, Cell);

/// Makes a kernel that gives each neighbour ten numbers.
macro_rules! share {
    ($name:ident, $relation:ident, $from:ident) => {
        kernel! {
            /// Gives each neighbour the element's numbers.
            pub struct $name: ForEach<$relation> {
                /// Numbers of the elements.
                pub x: Read<$from, [f32; 10]>,
                /// Numbers of the entries.
                pub to: WriteEntries<$relation, [f32; 10]>,
            }
        }

        impl ForEach<$relation> for $name {
            #[inline(always)]
            fn run(&self, e: Owned<$from>, n: Neighbours<$relation>) {
                let x = self.x.get(e);
                for k in 0..n.len() {
                    self.to.set(e, k, x);
                }
            }
        }
    };
}

share!(ShareCv, CV, Cell);
share!(ShareVc, VC, Vertex);
share!(ShareEe, EE, Edge);

kernel! {
    /// Gives each vertex of a cell the outer product of the cell's value and the vertex's own.
    pub struct GiveProducts: Distribute<CV, 4> {
        /// Values of the cells.
        pub x: Read<Cell, Vec3>,
        /// Values of the vertices.
        pub y: Staged<Vertex, Vec3>,
    }
}

impl Distribute<CV, 4> for GiveProducts {
    type Value = Mat3;
    #[inline(always)]
    fn run(&self, c: Owned<Cell>, n: Neighbours<CV>) -> [Mat3; 4] {
        let x = self.x.get(c);
        [0, 1, 2, 3].map(|k| outer(x, self.y.get(n.get(k))))
    }
}

kernel! {
    /// The kernel `foo` of MeshTaichi 2022, section 5.2.1: adds a cell's value to its vertices, to its edges, and to
    /// the vertices of its edges, as often as they are met.
    pub struct ScatterNested: Scatter<(CV, CE, EV)> {
        /// Values.
        pub z: Read<Cell, Vec3>,
        /// Sums at the vertices.
        pub vertices: StagedSum<Vertex, Vec3>,
        /// Sums at the edges.
        pub edges: StagedSum<Edge, Vec3>,
        /// Sums at the vertices of the edges.
        pub ends: StagedSum<Vertex, Vec3>,
    }
}

impl Scatter<(CV, CE, EV)> for ScatterNested {
    #[inline(always)]
    fn run(&self, c: Local<Cell>, (cv, ce, ev): (Neighbours<CV>, Table<CE>, Table<EV>)) {
        let z = self.z.get(c);
        for v in cv.iter() {
            self.vertices.add(v, z);
        }
        for e in ce.of(c).iter() {
            self.edges.add(e, z);
            for v in ev.of(e).iter() {
                self.ends.add(v, z);
            }
        }
    }
}
