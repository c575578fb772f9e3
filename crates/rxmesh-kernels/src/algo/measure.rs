//! Lengths, and moving a mesh into a comfortable frame.

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::{FlatKernel, ForEach};
use crate::math::length;
use crate::mem::{Global, GlobalMut};
use crate::query::{Alone, EV, FV, Neighbours};
use crate::topo::{Edge, Face, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch edge_lengths: EdgeLengths;
    patch edge_labels: EdgeLabels;
    patch face_labels: FaceLabels;
    patch face_spans: FaceSpans;
    patch face_volumes: FaceVolumes;
    patch affine: Affine;
    flat scale_each: ScaleEach;
    flat hold_each: HoldEach;
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
    /// Finds the lowest and the highest coordinate of each face along an axis.
    pub struct FaceSpans: ForEach<FV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Lowest coordinates.
        pub low: Write<Face, f32>,
        /// Highest coordinates.
        pub high: Write<Face, f32>,
        /// Unit vector of the axis.
        pub axis: Vec3,
    }
}

impl ForEach<FV> for FaceSpans {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, v: Neighbours<FV>) {
        let [a, b, c] = [0, 1, 2].map(|k| self.x.get(v.get(k)).dot(self.axis));
        self.low.set(f, a.min(b).min(c));
        self.high.set(f, a.max(b).max(c));
    }
}

kernel! {
    /// Computes the signed volume of the cone from a point to each face.
    pub struct FaceVolumes: ForEach<FV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Volumes.
        pub volume: Write<Face, f32>,
        /// Apex of the cones.
        pub apex: Vec3,
    }
}

impl ForEach<FV> for FaceVolumes {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, v: Neighbours<FV>) {
        let [a, b, c] = [0, 1, 2].map(|k| self.x.get(v.get(k)));
        // The product of two sides: that of two corners would lose the digits of a small face far from the apex.
        let normal = (b - a).cross(c - a);
        self.volume.set(f, normal.dot(a - self.apex) / 6.0);
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
