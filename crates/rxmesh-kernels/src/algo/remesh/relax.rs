//! Tangential smoothing.

use super::sizing::rests;
use super::{Centre, Rings};
use crate::edit::{FlatMesh, Mesh};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::normalize_or_zero;
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

kernel! {
    /// Moves each vertex in its tangent plane towards the centre of mass of its faces, not so far that one of them
    /// turns over. Vertices of lines slide along them where they are straight, and stay where they are not. One index a
    /// vertex slot.
    pub struct Relax: Flat {
        /// The neighbours.
        pub rings: Rings,
        /// Where the vertices are.
        pub x: Global<Vec3>,
        /// Where they go.
        pub moved: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for Relax {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.moved.set(v, self.place(v));
    }
}

impl Relax {
    #[inline(always)]
    fn place(&self, v: u32) -> Vec3 {
        let (rings, x) = (&self.rings, self.x);
        let star = rings.star(x, v);
        if let Some(place) = rings.along_line(x, &star) {
            return place;
        }
        let (mut normal, mut centre) = (Vec3::ZERO, Centre::NONE);
        rings.faces(x, &star, |p, q| {
            normal += centre.add(p - star.at, q - star.at).1;
            true
        });
        let Some(way) = centre.way() else {
            return star.at;
        };
        let n = normalize_or_zero(normal);
        rings.as_far_as_possible(x, &star, way - n * n.dot(way))
    }
}

kernel! {
    /// Puts the vertices of meshes that are left as they are back to where they were. One index a vertex slot.
    pub struct PutBack: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Where the vertices are.
        pub x: GlobalMut<Vec3>,
        /// Where they were.
        pub before: Global<Vec3>,
        /// Which of several meshes each vertex is of.
        pub labels: Global<u32>,
        /// Not 0 for each mesh that is left as it is.
        pub resting: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for PutBack {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.mesh.vertex_lives(v) && rests(self.labels, self.resting, v) {
            self.x.set(v, self.before.get(v));
        }
    }
}

kernel! {
    /// Takes over where vertices went. One index a vertex slot.
    pub struct Accept: Flat {
        /// Where they went.
        pub moved: Global<Vec3>,
        /// Where they are.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for Accept {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.x.set(v, self.moved.get(v));
    }
}
