//! Bilateral filtering of face normals, and vertices that follow them (Zheng, Fu, Au, Tai 2011, "Bilateral normal
//! filtering for mesh denoising", section 3.2, the local scheme; Sun, Rosin, Martin, Langbein 2007, "Fast and effective
//! feature-preserving mesh denoising", section 4, the vertices).
//!
//! The distance that a vertex has moved across the surface is measured as well, so that the host can stop when the
//! change is as large as the noise, and so that no place loses more than that.

use crate::attr::{PerMesh, Read, Staged, Write};
use crate::kernel;
use crate::kernel::{FlatKernel, ForEach};
use crate::math::{exp_fast, length, normalize_or_zero, sqrt};
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;
use crate::query::{FF, FV, Neighbours, VF, VV};
use crate::topo::{Face, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    prepared face_frames: FaceFrames;
    prepared filter_normals: FilterNormals;
    prepared fit_vertices: FitVertices;
    prepared normal_offsets: NormalOffsets;
    prepared mean_of_ring: MeanOfRing;
    flat limit_offsets: LimitOffsets;
    prepared bends: Bends;
    prepared blend_flat: BlendFlat;
}

kernel! {
    /// Computes the normal, area and centre of each face.
    pub struct FaceFrames: ForEach<FV> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Unit normals; zero for faces without area.
        pub normal: Write<Face, Vec3>,
        /// Twice the areas.
        pub area: Write<Face, f32>,
        /// Centres.
        pub centre: Write<Face, Vec3>,
    }
}

impl ForEach<FV> for FaceFrames {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, v: Neighbours<FV>) {
        let a = self.x.get(v.get(0));
        let (ab, ac) = (self.x.get(v.get(1)) - a, self.x.get(v.get(2)) - a);
        let n = ab.cross(ac);
        self.normal.set(f, normalize_or_zero(n));
        self.area.set(f, length(n));
        self.centre.set(f, a + (ab + ac) * (1.0 / 3.0));
    }
}

kernel! {
    /// Runs one step: each normal becomes the mean of those of the faces over its edges and of itself, weighted by
    /// area, closeness of the centres and similarity of the normals.
    pub struct FilterNormals: ForEach<FF> {
        /// Unit normals, or zero.
        pub normal: Read<Face, Vec3>,
        /// Areas, to any factor.
        pub area: Read<Face, f32>,
        /// Centres.
        pub centre: Read<Face, Vec3>,
        /// New normals.
        pub out: Write<Face, Vec3>,
        /// One over the standard deviation of the centres' distances, and of the normals' differences.
        pub scales: PerMesh<Face, 2>,
    }
}

impl ForEach<FF> for FilterNormals {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, others: Neighbours<FF>) {
        let (n, c) = (self.normal.get(f), self.centre.get(f));
        let [closeness, similarity] = self.scales.get(f);
        let mut sum = n * self.area.get(f);
        for g in others.iter() {
            let m = self.normal.get(g);
            let apart = (self.centre.get(g) - c) * closeness;
            let turned = (m - n) * similarity;
            let w = exp_fast(-0.5 * (apart.dot(apart) + turned.dot(turned)));
            sum += m * (w * self.area.get(g));
        }
        let new = normalize_or_zero(sum);
        self.out.set(f, if new == Vec3::ZERO { n } else { new });
    }
}

kernel! {
    /// Moves each vertex to the mean of its projections to the planes of its faces. Faces without a normal do not
    /// count.
    pub struct FitVertices: ForEach<VF> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Unit normals, or zero.
        pub normal: Read<Face, Vec3>,
        /// Centres.
        pub centre: Read<Face, Vec3>,
        /// New positions.
        pub y: Write<Vertex, Vec3>,
    }
}

impl ForEach<VF> for FitVertices {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, faces: Neighbours<VF>) {
        let x = self.x.get(v);
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for f in faces.iter() {
            let n = self.normal.get(f);
            sum += n * n.dot(self.centre.get(f) - x);
            count += if n == Vec3::ZERO { 0.0 } else { 1.0 };
        }
        self.y.set(
            v,
            if count > 0.0 {
                x + sum * (1.0 / count)
            } else {
                x
            },
        );
    }
}

/// Offset of a vertex that no face with a normal has.
pub const NO_OFFSET: f32 = -1.0;

kernel! {
    /// Measures the move of each vertex across the surface: the mean square over its faces of its move along their
    /// normals, or [`NO_OFFSET`].
    pub struct NormalOffsets: ForEach<VF> {
        /// Old positions.
        pub from: Read<Vertex, Vec3>,
        /// New positions.
        pub to: Read<Vertex, Vec3>,
        /// Unit normals, or zero.
        pub normal: Read<Face, Vec3>,
        /// Mean square at each vertex.
        pub square: Write<Vertex, f32>,
    }
}

impl ForEach<VF> for NormalOffsets {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, faces: Neighbours<VF>) {
        let move_ = self.to.get(v) - self.from.get(v);
        let (mut sum, mut count) = (0.0, 0.0);
        for f in faces.iter() {
            let n = self.normal.get(f);
            let h = n.dot(move_);
            sum += h * h;
            count += if n == Vec3::ZERO { 0.0 } else { 1.0 };
        }
        self.square
            .set(v, if count > 0.0 { sum / count } else { NO_OFFSET });
    }
}

kernel! {
    /// Computes the mean of each vertex's value and those of its neighbours; negative ones do not count, and stay.
    pub struct MeanOfRing: ForEach<VV> {
        /// Values.
        pub x: Read<Vertex, f32>,
        /// Means.
        pub y: Write<Vertex, f32>,
    }
}

impl ForEach<VV> for MeanOfRing {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let own = self.x.get(v);
        let (mut sum, mut count) = (own, 1.0);
        for w in ring.iter() {
            let x = self.x.get(w);
            if x >= 0.0 {
                sum += x;
                count += 1.0;
            }
        }
        self.y.set(v, if own >= 0.0 { sum / count } else { own });
    }
}

kernel! {
    /// Takes vertices back on their way if the mean square of the moves around them is above a limit. Squares become
    /// those of the remaining moves.
    pub struct LimitOffsets: Flat {
        /// Old positions.
        pub from: Global<Vec3>,
        /// New positions.
        pub to: GlobalMut<Vec3>,
        /// Mean squares of moves across the surface.
        pub square: GlobalMut<f32>,
        /// Number of the mesh of each vertex; empty for one mesh.
        pub labels: Global<u32>,
        /// Largest of these that is left as it is, for each mesh.
        pub limits: Global<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for LimitOffsets {
    #[inline(always)]
    fn run(&self, i: u32) {
        let square = self.square.get(i);
        let limit = self.limits.get(label_of(self.labels, i));
        if square > limit {
            let from = self.from.get(i);
            let part = sqrt(limit / square);
            self.to.set(i, from + (self.to.get(i) - from) * part);
            self.square.set(i, limit);
        } else if square < 0.0 {
            self.square.set(i, 0.0);
        }
    }
}

kernel! {
    /// Measures the spread of the normals around each vertex: 0 if they are equal, 2 if they cancel.
    pub struct Bends: ForEach<VF> {
        /// Unit normals, or zero.
        pub normal: Read<Face, Vec3>,
        /// Bend at each vertex.
        pub bend: Write<Vertex, f32>,
    }
}

impl ForEach<VF> for Bends {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, faces: Neighbours<VF>) {
        let (mut sum, mut count) = (Vec3::ZERO, 0.0);
        for f in faces.iter() {
            let n = self.normal.get(f);
            sum += n;
            count += if n == Vec3::ZERO { 0.0 } else { 1.0 };
        }
        let bend = if count > 0.0 {
            2.0 - 2.0 * length(sum) / count
        } else {
            2.0
        };
        self.bend.set(v, bend);
    }
}

kernel! {
    /// Moves vertices towards other places for them, where the surface around them is flat.
    pub struct BlendFlat: ForEach<VV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Other places.
        pub other: Read<Vertex, Vec3>,
        /// [`Bends`].
        pub bend: Read<Vertex, f32>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// New positions.
        pub y: Write<Vertex, Vec3>,
        /// Part of the way to go where the surface is flat.
        pub part: PerMesh<Vertex, 1>,
        /// One over the bend at which it is less by a factor of e.
        pub flatness: f32,
    }
}

impl ForEach<VV> for BlendFlat {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let x = self.x.get(v);
        let mut bend = self.bend.get(v);
        for w in ring.iter() {
            bend = self.bend.get(w).max(bend);
        }
        let [part] = self.part.get(v);
        let part = part * exp_fast(-bend * self.flatness);
        let stays = self.fixed.get(v) != 0;
        self.y.set(
            v,
            if stays {
                x
            } else {
                x + (self.other.get(v) - x) * part
            },
        );
    }
}
