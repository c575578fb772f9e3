//! Lengths of edges.

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::ForEach;
use crate::math::length;
use crate::query::{EV, Neighbours};
use crate::topo::{Edge, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch edge_lengths: EdgeLengths;
    patch edge_labels: EdgeLabels;
}

kernel! {
    /// Computes the length of each edge.
    pub struct EdgeLengths: ForEach<EV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Lengths.
        pub length: Write<Edge, f32>,
    }
}

impl ForEach<EV> for EdgeLengths {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, v: Neighbours<EV>) {
        self.length
            .set(e, length(self.x.get(v.get(0)) - self.x.get(v.get(1))));
    }
}

kernel! {
    /// Finds the mesh of each edge.
    pub struct EdgeLabels: ForEach<EV> {
        /// Number of the mesh of each vertex.
        pub vertices: Read<Vertex, u32>,
        /// Label of each element.
        pub labels: Write<Edge, u32>,
        /// 1 for each edge, to count them.
        pub one: Write<Edge, f32>,
    }
}

impl ForEach<EV> for EdgeLabels {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, v: Neighbours<EV>) {
        self.labels.set(e, self.vertices.get(v.get(0)));
        self.one.set(e, 1.0);
    }
}
