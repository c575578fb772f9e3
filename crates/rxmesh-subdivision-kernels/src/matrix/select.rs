//! Propagation of selections (Mlakar 2018, section 4.3.3).

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
