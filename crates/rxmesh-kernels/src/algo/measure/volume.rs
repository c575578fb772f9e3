//! Volume of the cones from a point to the faces, and the box around the faces.

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::ForEach;
use crate::query::{FV, Neighbours};
use crate::topo::{Face, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch face_spans: FaceSpans;
    patch face_volumes: FaceVolumes;
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
