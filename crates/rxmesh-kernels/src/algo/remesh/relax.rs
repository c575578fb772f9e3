//! Tangential smoothing.

use super::{Lines, OnLine, agree};
use crate::edit::{FlatMesh, NO_FACE};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::{length, normalize_or_zero};
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

/// Vertices slide along lines that are straight to within 1 degree, and stay on others.
const STRAIGHT: f32 = 0.999_847_7;

/// No normal turns by more than the angle of this cosine (60 degrees) in one step.
const TURN: f32 = 0.5;

kernel! {
    /// The neighbours of every vertex in order: the connectivity does not change from step to step, so it is walked once.
    pub struct Rings: Flat {
        /// Where each vertex's neighbours begin, and behind the last one.
        pub starts: Global<u32>,
        /// Neighbours against the clock, from the boundary if there is one; with [`LINE`] and [`GAP`].
        pub tips: Global<u32>,
    }
}

/// With a neighbour: the edge to it is of a line.
pub const LINE: u32 = 1 << 31;

/// With a neighbour: there is no face between it and the next.
pub const GAP: u32 = 1 << 30;

kernel! {
    /// Counts the neighbours of each vertex. One index a vertex slot.
    pub struct CountRings: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// How many.
        pub counts: GlobalMut<u32>,
    }
}

impl FlatKernel for CountRings {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mut n = 0;
        self.mesh.each_spoke(v, |_| {
            n += 1;
            true
        });
        self.counts.set(v, n);
    }
}

kernel! {
    /// Writes [`Rings`]. One index a vertex slot.
    pub struct WriteRings: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Lines.
        pub lines: Lines,
        /// See [`Rings`].
        pub starts: Global<u32>,
        /// See [`Rings`].
        pub tips: GlobalMut<u32>,
    }
}

impl FlatKernel for WriteRings {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mesh = &self.mesh;
        let mut at = self.starts.get(v);
        mesh.spokes(v, |h| {
            let mut tip = mesh.tip(h);
            if self.lines.has(mesh, h >> 1) {
                tip |= LINE;
            }
            if mesh.face(h) == NO_FACE {
                tip |= GAP;
            }
            self.tips.set(at, tip);
            at += 1;
            true
        });
    }
}

kernel! {
    /// Moves each vertex in its tangent plane towards the centre of mass of its faces, not so far that one of them turns over. Vertices of lines slide along
    /// them where they are straight, and stay where they are not. One index a vertex slot.
    pub struct Relax: Flat {
        /// The neighbours.
        pub rings: Rings,
        /// Where the vertices are.
        pub x: Global<Vec3>,
        /// Where they go.
        pub moved: GlobalMut<Vec3>,
    }
}

impl FlatKernel for Relax {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.moved.set(v, self.place(v));
    }
}

impl Relax {
    /// Shows the other two corners of each face at a vertex.
    #[inline(always)]
    fn faces(&self, from: u32, to: u32, mut f: impl FnMut(Vec3, Vec3) -> bool) -> bool {
        let tip = |i: u32| self.rings.tips.get(i);
        if from == to {
            return true;
        }
        // The last face of a closed ring lies between the last neighbour and the first.
        let mut tagged = tip(to - 1);
        let mut p = self.x.get(tagged & !(LINE | GAP));
        let mut i = from;
        while i < to {
            let next = tip(i);
            let q = self.x.get(next & !(LINE | GAP));
            if tagged & GAP == 0 && !f(p, q) {
                return false;
            }
            (tagged, p) = (next, q);
            i += 1;
        }
        true
    }

    #[inline(always)]
    fn place(&self, v: u32) -> Vec3 {
        let at = self.x.get(v);
        let (from, to) = (self.rings.starts.get(v), self.rings.starts.get(v + 1));
        let mut on = OnLine {
            count: 0,
            before: v,
            after: v,
        };
        let mut i = from;
        while i < to {
            let tip = self.rings.tips.get(i);
            if tip & LINE != 0 {
                on.after = tip & !(LINE | GAP);
                if on.count == 0 {
                    on.before = on.after;
                }
                on.count += 1;
            }
            i += 1;
        }
        if on.count > 0 {
            return self.along_line(at, &on);
        }
        let (mut normal, mut centre, mut area) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        self.faces(from, to, |p, q| {
            let (u, w) = (p - at, q - at);
            let n = u.cross(w);
            let twice = length(n);
            normal += n;
            centre += (u + w) * twice;
            area += twice;
            true
        });
        if !(area > 0.0 && area < f32::INFINITY) {
            return at;
        }
        let step = centre * (1.0 / (3.0 * area));
        let n = normalize_or_zero(normal);
        let step = step - n * n.dot(step);
        // The whole step, or the half, or nothing of it.
        let mut part = 1.0;
        while part > 0.3 {
            let to_place = at + step * part;
            let fits = self.faces(from, to, |p, q| {
                agree(
                    (p - at).cross(q - at),
                    (p - to_place).cross(q - to_place),
                    TURN,
                )
            });
            if fits {
                return to_place;
            }
            part *= 0.5;
        }
        at
    }

    /// To the middle between the neighbours on a straight line.
    #[inline(always)]
    fn along_line(&self, at: Vec3, on: &OnLine) -> Vec3 {
        let (before, after) = (self.x.get(on.before), self.x.get(on.after));
        if !on.is_smooth(at, before, after, STRAIGHT) {
            return at;
        }
        let along = normalize_or_zero(after - before);
        at + along * along.dot((before + after) * 0.5 - at)
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

impl FlatKernel for Accept {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.x.set(v, self.moved.get(v));
    }
}
