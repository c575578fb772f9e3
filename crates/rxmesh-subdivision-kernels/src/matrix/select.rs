//! Propagation of selections, and the meshes of selected faces (Mlakar 2018, section 4.3.3).

use crate::topology::Topology;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel! {
    /// Computes f = M^T p (4.37): selects faces with a selected corner.
    pub struct SelectFaces: Flat {
        /// Mesh matrix M.
        pub m: Topology,
        /// Nonzero for selected vertices.
        pub vertices: Global<u32>,
        /// 1 for faces that become selected, 0 for others.
        pub faces: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own face (contracts U3, U4).
unsafe impl FlatKernel for SelectFaces {
    #[inline(always)]
    fn run(&self, f: u32) {
        let (first, n) = self.m.range(f);
        let mut any = 0;
        for h in first..first + n {
            any |= self.vertices.get(self.m.origin(h));
        }
        self.faces.set(f, u32::from(any != 0));
    }
}

kernel! {
    /// Computes p = M f (4.38): selects the vertices of selected faces. A selected vertex stays so, even without a
    /// face.
    pub struct SelectVertices: Flat {
        /// Mesh matrix M.
        pub m: Topology,
        /// Nonzero for selected faces.
        pub faces: Global<u32>,
        /// 1 for vertices that are or become selected, 0 for others.
        pub vertices: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own vertex (contracts U3, U4).
unsafe impl FlatKernel for SelectVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = self.m.row(v);
        let mut any = self.vertices.get(v);
        for at in first..end {
            any |= self.faces.get(self.m.face(self.m.entries.get(at)));
        }
        self.vertices.set(v, u32::from(any != 0));
    }
}

kernel! {
    /// Marks what the mesh of the selected faces has: faces, their corners, and their vertices.
    pub struct ListSelected: Flat {
        /// Mesh matrix M.
        pub m: Topology,
        /// Nonzero for selected faces.
        pub faces: Global<u32>,
        /// 1 for selected faces, 0 for others.
        pub face_numbers: GlobalMut<u32>,
        /// Number of corners of selected faces, 0 for others.
        pub corner_numbers: GlobalMut<u32>,
        /// Set to 1 for vertices of selected faces.
        pub vertex_numbers: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own face, and vertices atomically (contracts U3, U4).
unsafe impl FlatKernel for ListSelected {
    #[inline(always)]
    fn run(&self, f: u32) {
        let (first, n) = self.m.range(f);
        let selected = self.faces.get(f) != 0;
        self.face_numbers.set(f, u32::from(selected));
        self.corner_numbers.set(f, if selected { n } else { 0 });
        if selected {
            for h in first..first + n {
                self.vertex_numbers.fetch_or(self.m.origin(h), 1);
            }
        }
    }
}

kernel! {
    /// Copies the columns of the selected faces (Figure 4.17), with the vertices' new numbers.
    pub struct ExtractFaces: Flat {
        /// Mesh matrix M.
        pub m: Topology,
        /// Nonzero for selected faces.
        pub faces: Global<u32>,
        /// Selected faces before each face.
        pub face_numbers: Global<u32>,
        /// Their corners.
        pub corner_numbers: Global<u32>,
        /// New number of each vertex.
        pub vertex_numbers: Global<u32>,
        /// Face of each new one.
        pub face_ids: GlobalMut<u32>,
        /// First corner of each new face, and the end of the last; the first value is not written.
        pub offsets: GlobalMut<u32>,
        /// New vertex of each new corner.
        pub corners: GlobalMut<u32>,
    }
}

// SAFETY: each selected face writes its own new face and corners: numbers ascend (contracts U3, U4).
unsafe impl FlatKernel for ExtractFaces {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.faces.get(f) == 0 {
            return;
        }
        let (first, n) = self.m.range(f);
        let (face, corner) = (self.face_numbers.get(f), self.corner_numbers.get(f));
        self.face_ids.set(face, f);
        self.offsets.set(face + 1, corner + n);
        for k in 0..n {
            let vertex = self.vertex_numbers.get(self.m.origin(first + k));
            self.corners.set(corner + k, vertex);
        }
    }
}

kernel! {
    /// Lists the vertices of the selected faces.
    pub struct ExtractVertices: Flat {
        /// New number of each vertex: one more after those that are taken, and after the last.
        pub vertex_numbers: Global<u32>,
        /// Vertex of each new one.
        pub vertex_ids: GlobalMut<u32>,
    }
}

// SAFETY: each vertex that is taken writes its own place: numbers ascend (contracts U3, U4).
unsafe impl FlatKernel for ExtractVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let number = self.vertex_numbers.get(v);
        if self.vertex_numbers.get(v + 1) > number {
            self.vertex_ids.set(number, v);
        }
    }
}
