//! Moving a mesh, or each of several that lie in one, into the frame of an algorithm.

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::{FlatKernel, ForEach};
use crate::mem::{Global, GlobalMut};
use crate::query::{Alone, FV, Neighbours};
use crate::topo::{Face, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch face_labels: FaceLabels;
    patch affine: Affine;
    flat scale_each: ScaleEach;
    flat hold_each: HoldEach;
}

kernel! {
    /// Finds the mesh of each face.
    pub struct FaceLabels: ForEach<FV> {
        /// Number of the mesh of each vertex.
        pub vertices: Read<Vertex, u32>,
        /// Label of each element.
        pub labels: Write<Face, u32>,
    }
}

impl ForEach<FV> for FaceLabels {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, v: Neighbours<FV>) {
        self.labels.set(f, self.vertices.get(v.get(0)));
    }
}

kernel! {
    /// Restores the positions of vertices of meshes that are done, and stores those of the others.
    pub struct HoldEach: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Old positions.
        pub before: GlobalMut<Vec3>,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
        /// Nonzero for those that are done.
        pub done: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for HoldEach {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.done.get(self.labels.get(i)) == 0 {
            self.before.set(i, self.x.get(i));
        } else {
            self.x.set(i, self.before.get(i));
        }
    }
}

kernel! {
    /// Multiplies the positions of each of several meshes by a separate factor, in place.
    pub struct ScaleEach: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
        /// Factor of each mesh.
        pub factors: Global<f32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for ScaleEach {
    #[inline(always)]
    fn run(&self, i: u32) {
        let factor = self.factors.get(self.labels.get(i));
        self.x.set(i, self.x.get(i) * factor);
    }
}

kernel! {
    /// Computes `x = (x - origin) * scale + shift`, in place.
    pub struct Affine: ForEach<Alone<Vertex>> {
        /// Positions.
        pub x: Write<Vertex, Vec3>,
        /// Subtracted first.
        pub origin: Vec3,
        /// Multiplied with the difference.
        pub scale: f32,
        /// Added last.
        pub shift: Vec3,
    }
}

impl ForEach<Alone<Vertex>> for Affine {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, (): ()) {
        self.x
            .set(v, (self.x.get(v) - self.origin) * self.scale + self.shift);
    }
}
