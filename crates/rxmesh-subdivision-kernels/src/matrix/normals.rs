//! Normals of polygons: input of the mapped products of (3.2) and (3.3).

use crate::topology::Topology;
use rxmesh_kernels::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::normalize_or_zero;
use rxmesh_kernels::mem::{Global, GlobalMut};

#[inline(always)]
fn vec3(x: Global<f32>, row: u32) -> Vec3 {
    Vec3::new(x.get(3 * row), x.get(3 * row + 1), x.get(3 * row + 2))
}

#[inline(always)]
fn set(y: GlobalMut<f32>, row: u32, v: Vec3) {
    y.set(3 * row, v.x);
    y.set(3 * row + 1, v.y);
    y.set(3 * row + 2, v.z);
}

kernel! {
    /// Computes the normal of each face, with the length of its area: half of the sum of the cross products of
    /// successive corners.
    pub struct FaceNormals: Flat {
        /// Mesh.
        pub m: Topology,
        /// Positions, three floats per vertex.
        pub x: Global<f32>,
        /// Normals, three floats per face.
        pub normals: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own face (contracts U3, U4).
unsafe impl FlatKernel for FaceNormals {
    #[inline(always)]
    fn run(&self, f: u32) {
        let (first, n) = self.m.range(f);
        // Relative to the first corner, so that the position of the mesh does not cost digits.
        let origin = vec3(self.x, self.m.origin(first));
        let (mut before, mut sum) = (Vec3::ZERO, Vec3::ZERO);
        for h in first + 1..first + n {
            let here = vec3(self.x, self.m.origin(h)) - origin;
            sum += before.cross(here);
            before = here;
        }
        set(self.normals, f, sum * 0.5);
    }
}

kernel! {
    /// Normalises vectors; zero vectors stay zero.
    pub struct Normalise: Flat {
        /// Three floats per row.
        pub rows: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own row (contracts U3, U4).
unsafe impl FlatKernel for Normalise {
    #[inline(always)]
    fn run(&self, r: u32) {
        set(self.rows, r, normalize_or_zero(vec3(self.rows.read(), r)));
    }
}
