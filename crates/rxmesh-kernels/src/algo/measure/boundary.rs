//! Flags of elements on a boundary.

use crate::attr::Write;
use crate::kernel;
use crate::kernel::ForEach;
use crate::query::{EF, FE, Neighbours, Table, VE};
use crate::topo::{Edge, Face, Owned, Vertex};

kernel_list! {
    patch boundary_edges: BoundaryEdges;
    patch boundary_vertices: BoundaryVertices;
    patch boundary_faces: BoundaryFaces;
}

kernel! {
    /// Sets 1 for an edge with exactly one face, else 0.
    pub struct BoundaryEdges: ForEach<EF> {
        /// Flag of each element.
        pub flag: Write<Edge, u32>,
    }
}

impl ForEach<EF> for BoundaryEdges {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, faces: Neighbours<EF>) {
        self.flag.set(e, u32::from(faces.len() == 1));
    }
}

kernel! {
    /// Sets 1 for a vertex with a boundary edge, else 0.
    pub struct BoundaryVertices: ForEach<(VE, EF)> {
        /// Flag of each element.
        pub flag: Write<Vertex, u32>,
    }
}

impl ForEach<(VE, EF)> for BoundaryVertices {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, (edges, ef): (Neighbours<VE>, Table<EF>)) {
        let mut on = false;
        for e in edges.iter() {
            on |= ef.of(e).len() == 1;
        }
        self.flag.set(v, u32::from(on));
    }
}

kernel! {
    /// Sets 1 for a face with a boundary edge, else 0.
    pub struct BoundaryFaces: ForEach<(FE, EF)> {
        /// Flag of each element.
        pub flag: Write<Face, u32>,
    }
}

impl ForEach<(FE, EF)> for BoundaryFaces {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, (edges, ef): (Neighbours<FE>, Table<EF>)) {
        let mut on = false;
        for e in edges.iter() {
            on |= ef.of(e).len() == 1;
        }
        self.flag.set(f, u32::from(on));
    }
}
