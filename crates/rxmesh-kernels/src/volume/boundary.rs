//! Flags of the elements on the boundary of a volume.

use crate::attr::Write;
use crate::kernel;
use crate::kernel::ForEach;
use crate::query::{FC, Neighbours, Table, VF};
use crate::topo::{Face, Owned, Vertex};

kernel_list! {
    prepared volume_boundary_faces: BoundaryFaces;
    prepared volume_boundary_vertices: BoundaryVertices;
}

kernel! {
    /// Sets 1 for a face with exactly one cell, else 0.
    pub struct BoundaryFaces: ForEach<FC> {
        /// Flag of each element.
        pub flag: Write<Face, u32>,
    }
}

impl ForEach<FC> for BoundaryFaces {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, cells: Neighbours<FC>) {
        self.flag.set(f, u32::from(cells.len() == 1));
    }
}

kernel! {
    /// Sets 1 for a vertex with a boundary face, else 0.
    pub struct BoundaryVertices: ForEach<(VF, FC)> {
        /// Flag of each element.
        pub flag: Write<Vertex, u32>,
    }
}

impl ForEach<(VF, FC)> for BoundaryVertices {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, (faces, fc): (Neighbours<VF>, Table<FC>)) {
        let mut on = false;
        for f in faces.iter() {
            on |= fc.of(f).len() == 1;
        }
        self.flag.set(v, u32::from(on));
    }
}
