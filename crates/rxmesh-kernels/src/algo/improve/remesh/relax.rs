//! Tangential smoothing.

use super::sizing::rests;
use super::{Centre, RingLists};
use crate::edit::{FlatMesh, HalfEdgeMesh, is_held};
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
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// New positions.
        pub moved: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
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
    /// Computes the values of a column at the places where vertices go: those of the surface of their faces, at the
    /// point that is closest. One index per vertex slot.
    pub struct Resample: Flat {
        /// Lists of neighbours.
        pub rings: RingLists,
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// New positions.
        pub moved: Global<Vec3>,
        /// Values, `width` numbers a vertex.
        pub values: Global<f32>,
        /// New values.
        pub to: GlobalMut<f32>,
        /// Numbers a value.
        pub width: u32,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
        /// Nonzero for each mesh that is left as it is.
        pub resting: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Resample {
    #[inline(always)]
    fn run(&self, v: u32) {
        let to = self.moved.get(v);
        let star = self.rings.star(self.x, v);
        let mut best = (f32::INFINITY, [v; 2], [0.0; 2]);
        if to != star.at && !rests(self.labels, self.resting, v) {
            self.rings.each_face(&star, |ends| {
                let [p, q] = ends.map(|w| self.x.get(w));
                let parts = parts_of_closest(to - star.at, p - star.at, q - star.at);
                let off = (p - star.at) * parts[0] + (q - star.at) * parts[1] - (to - star.at);
                let square = off.dot(off);
                if square < best.0 {
                    best = (square, ends, parts);
                }
            });
        }
        let (_, [p, q], [s, t]) = best;
        let mut i = 0;
        while i < self.width {
            let value = |w: u32| self.values.get(w * self.width + i);
            let at = value(v);
            // A vertex that stays keeps NaN, too.
            let mean = if s == 0.0 && t == 0.0 {
                at
            } else {
                at + (value(p) - at) * s + (value(q) - at) * t
            };
            self.to.set(v * self.width + i, mean);
            i += 1;
        }
    }
}

/// Returns the parts of two corners of a triangle, whose third is the origin, at its point that is closest to `d`:
/// inside, or on one of its sides.
#[inline(always)]
fn parts_of_closest(d: Vec3, p: Vec3, q: Vec3) -> [f32; 2] {
    let (pp, pq, qq) = (p.dot(p), p.dot(q), q.dot(q));
    let (dp, dq) = (d.dot(p), d.dot(q));
    let whole = pp * qq - pq * pq;
    let (s, t) = (dp * qq - dq * pq, dq * pp - dp * pq);
    if whole > 0.0 && s >= 0.0 && t >= 0.0 && s + t <= whole {
        return [s / whole, t / whole];
    }
    let along = |part: f32, square: f32| {
        if square > 0.0 {
            (part / square).clamp(0.0, 1.0)
        } else {
            0.0
        }
    };
    let side = q - p;
    let far = along((d - p).dot(side), side.dot(side));
    let sides = [[along(dp, pp), 0.0], [0.0, along(dq, qq)], [1.0 - far, far]];
    let square = |[s, t]: [f32; 2]| {
        let off = p * s + q * t - d;
        off.dot(off)
    };
    let mut best = sides[0];
    if square(sides[1]) < square(best) {
        best = sides[1];
    }
    if square(sides[2]) < square(best) {
        best = sides[2];
    }
    best
}

kernel! {
    /// Takes over new values. One index per number.
    pub struct AcceptValues: Flat {
        /// New values.
        pub from: Global<f32>,
        /// Values.
        pub to: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for AcceptValues {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, self.from.get(i));
    }
}

kernel! {
    /// Restores the positions of vertices of meshes that are left as they are, and of those that are held. One index
    /// per vertex slot.
    pub struct PutBack: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Old positions.
        pub before: Global<Vec3>,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
        /// Nonzero for each mesh that is left as it is; empty if none is.
        pub resting: Global<u32>,
        /// See [`CountRings::held`](super::CountRings::held).
        pub held: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for PutBack {
    #[inline(always)]
    fn run(&self, v: u32) {
        let stays = || is_held(self.held, v) || rests(self.labels, self.resting, v);
        if self.mesh.vertex_lives(v) && stays() {
            self.x.set(v, self.before.get(v));
        }
    }
}

kernel! {
    /// Writes the new positions of vertices. One index per vertex slot.
    pub struct Accept: Flat {
        /// New positions.
        pub moved: Global<Vec3>,
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Accept {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.x.set(v, self.moved.get(v));
    }
}
