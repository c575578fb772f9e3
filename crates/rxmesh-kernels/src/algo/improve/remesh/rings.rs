//! The neighbours of all vertices, and smoothing over them.

use super::{LineEdges, OnLine, agree};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, is_held};
use crate::kernel::FlatKernel;
use crate::math::{length, normalize_or_zero};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

/// Vertices slide along lines that are straight to within 1 degree, and stay on others.
const STRAIGHT: f32 = 0.999_847_7;

/// No normal turns by more than the angle of this cosine (60 degrees) in one step.
const TURN: f32 = 0.5;

args! {
    /// Neighbours of every vertex in order: the connectivity does not change from step to step, so it is walked once.
    pub struct RingLists {
        /// Start of each vertex's neighbours, and the end of the last ones.
        pub starts: Global<u32>,
        /// Neighbours against the clock, from the boundary if there is one; with [`LINE`] and [`GAP`].
        pub tips: Global<u32>,
    }
}

/// Bit of a neighbour: the edge to it is of a line.
pub const LINE: u32 = 1 << 31;

/// Bit of a neighbour: there is no face between it and the next.
pub const GAP: u32 = 1 << 30;

kernel! {
    /// Counts the neighbours of each vertex. One index per vertex slot.
    pub struct CountRings: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Nonzero for vertices whose list stays empty, because they stay where they are; empty if there are none.
        pub held: Global<u32>,
        /// Number of neighbours.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for CountRings {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mut n = 0;
        if !is_held(self.held, v) {
            self.mesh.each_spoke(v, |_| {
                n += 1;
                true
            });
        }
        self.counts.set(v, n);
    }
}

kernel! {
    /// Writes [`RingLists`]. One index per vertex slot.
    pub struct WriteRings: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Lines.
        pub lines: LineEdges,
        /// See [`CountRings::held`]: around these vertices faces may be no fan and no cycle.
        pub held: Global<u32>,
        /// See [`RingLists`].
        pub starts: Global<u32>,
        /// See [`RingLists`].
        pub tips: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for WriteRings {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mesh = &self.mesh;
        if is_held(self.held, v) {
            return;
        }
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

/// Position of a vertex, and range of its list of neighbours.
#[derive(Clone, Copy, Debug)]
pub struct Star {
    /// Position of the vertex.
    pub at: Vec3,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl RingLists {
    /// Returns the star of a vertex.
    #[inline(always)]
    pub fn star(&self, x: Global<Vec3>, v: u32) -> Star {
        Star {
            at: x.get(v),
            from: self.starts.get(v),
            to: self.starts.get(v + 1),
        }
    }

    /// Returns `true` if a vertex has no list: it is in no face, or held.
    #[inline(always)]
    pub(super) fn is_empty_at(&self, v: u32) -> bool {
        self.starts.get(v) == self.starts.get(v + 1)
    }

    /// Calls `f` with the positions of the other two corners of each face at a vertex, until it returns `false`.
    /// Returns `true` if it never did.
    #[inline(always)]
    pub fn faces(
        &self,
        x: Global<Vec3>,
        star: &Star,
        mut f: impl FnMut(Vec3, Vec3) -> bool,
    ) -> bool {
        if star.from == star.to {
            return true;
        }
        // The last face of a closed ring lies between the last neighbour and the first.
        let mut tagged = self.tips.get(star.to - 1);
        let mut p = x.get(tagged & !(LINE | GAP));
        let mut i = star.from;
        while i < star.to {
            let next = self.tips.get(i);
            let q = x.get(next & !(LINE | GAP));
            if tagged & GAP == 0 && !f(p, q) {
                return false;
            }
            (tagged, p) = (next, q);
            i += 1;
        }
        true
    }

    /// Calls `f` with the other two corners of each face at a vertex.
    #[inline(always)]
    pub fn each_face(&self, star: &Star, mut f: impl FnMut([u32; 2])) {
        if star.from == star.to {
            return;
        }
        let mut before = self.tips.get(star.to - 1);
        let mut i = star.from;
        while i < star.to {
            let next = self.tips.get(i);
            if before & GAP == 0 {
                f([before, next].map(|tip| tip & !(LINE | GAP)));
            }
            before = next;
            i += 1;
        }
    }

    /// Returns the line edges at a vertex.
    #[inline(always)]
    pub fn line(&self, star: &Star) -> OnLine {
        let mut on = OnLine {
            count: 0,
            before: 0,
            after: 0,
        };
        let mut i = star.from;
        while i < star.to {
            let tip = self.tips.get(i);
            if tip & LINE != 0 {
                on.after = tip & !(LINE | GAP);
                if on.count == 0 {
                    on.before = on.after;
                }
                on.count += 1;
            }
            i += 1;
        }
        on
    }

    /// Returns the new position of a vertex of a line: the middle between its neighbours if the line is straight, else
    /// its own. `None` for a vertex of no line.
    #[inline(always)]
    pub fn along_line(&self, x: Global<Vec3>, star: &Star) -> Option<Vec3> {
        let on = self.line(star);
        if on.count == 0 {
            return None;
        }
        let (at, before, after) = (star.at, x.get(on.before), x.get(on.after));
        if !on.is_smooth(at, before, after, STRAIGHT) {
            return Some(at);
        }
        let along = normalize_or_zero(after - before);
        Some(at + along * along.dot((before + after) * 0.5 - at))
    }

    /// Returns the position after the whole step, or half of it, or none: the first at which no face turns over.
    #[inline(always)]
    pub fn as_far_as_possible(&self, x: Global<Vec3>, star: &Star, step: Vec3) -> Vec3 {
        let at = star.at;
        let mut part = 1.0;
        while part > 0.3 {
            let to = at + step * part;
            let fits = self.faces(x, star, |p, q| {
                agree((p - at).cross(q - at), (p - to).cross(q - to), TURN)
            });
            if fits {
                return to;
            }
            part *= 0.5;
        }
        at
    }
}

/// Way from a vertex to the centre of mass of its faces, from sums over them.
#[derive(Clone, Copy, Debug)]
pub struct Centre {
    sum: Vec3,
    area: f32,
}

impl Centre {
    /// No face yet.
    pub const NONE: Centre = Centre {
        sum: Vec3::ZERO,
        area: 0.0,
    };

    /// Adds the face between two edges; twice its area and its normal, as long as that.
    #[inline(always)]
    pub fn add(&mut self, u: Vec3, w: Vec3) -> (f32, Vec3) {
        let n = u.cross(w);
        let twice = length(n);
        self.sum += (u + w) * twice;
        self.area += twice;
        (twice, n)
    }

    /// Returns the way; `None` if the faces have no area.
    #[inline(always)]
    pub fn way(&self) -> Option<Vec3> {
        (self.area > 0.0 && self.area < f32::INFINITY).then(|| self.sum * (1.0 / (3.0 * self.area)))
    }
}
