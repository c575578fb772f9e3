//! Limit positions of the points of a sqrt(3) surface, and its limit normals.
//!
//! - Inside, a level makes p' = (1 - a) p + a s and s' = (p + 2 s) / 3 of a vertex p and the mean s of its one-ring, so
//!   that (p + 3 a s) / (1 + 3 a) is invariant (Kobbelt 2000, section 5). The one-ring itself is averaged and rotated
//!   by half a step: tangents are its first Fourier mode. Beside a crease that the next level cuts, the one-ring is
//!   that of the next level.
//! - Along a crease, cut in three on every second level, the limit is (2 p + s) / 3 with the mean s of the neighbours
//!   there.
//! - Across a crease, two levels make (5 p + e\[j-1\] + 2 e\[j\] + e\[j+1\]) / 9 of spoke j of the k + 1 on one side.
//!   The left eigenvector of (2 + 2 cos(pi / k)) / 9 is a sine on the inner spokes; the weights of the two on the
//!   crease and of the vertex follow from it. On odd levels there is a spoke for each face of the level before, and the
//!   mask is that of the next level, transformed back by one level.
//!
//! Creases and corners of the last level are treated as infinitely sharp. On a crease the normal is that of one side.

use crate::catmull_clark::limit::{sum, turn, twice};
use crate::sharpness::after;
use crate::sqrt3::{Net, OPEN, Refined, SHARP, StoredLevel, Twin, next, prev};
use crate::topology::NONE;
use core::f32::consts::{FRAC_PI_2, TAU};
use rxmesh_kernels::Vec3;
use rxmesh_kernels::math::normalize_or_zero;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat sqrt3_store_last: StoreLast;
    flat sqrt3_limit: Sqrt3Limit;
}

args! {
    /// Last level of a surface.
    pub struct Last {
        /// Last level in memory.
        pub net: StoredLevel,
        /// Number of levels after it: 0 to 2.
        pub more: u32,
    }
}

kernel! {
    /// Stores the last level in memory, and the lowest half-edge that leaves each vertex. One index per half-edge.
    pub struct StoreLast: Flat {
        /// Level.
        pub last: Last,
        /// Vertex of each corner.
        pub corners: GlobalMut<u32>,
        /// A [`Twin`] per half-edge.
        pub twins: GlobalMut<u32>,
        /// One half-edge per vertex; initially [`NONE`], which stays if there is none.
        pub starts: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own corner and twin, and the lowest half-edges atomically (contracts U3, U4).
unsafe impl FlatKernel for StoreLast {
    #[inline(always)]
    fn run(&self, h: u32) {
        let net = self.last.net;
        let (v, twin) = match self.last.more {
            0 => (net.corner(h), net.twin(h)),
            1 => (Refined(net).corner(h), Refined(net).twin(h)),
            _ => {
                let net = Refined(Refined(net));
                (net.corner(h), net.twin(h))
            }
        };
        self.corners.set(h, v);
        self.twins.set(h, twin.0);
        self.starts.fetch_min(v, h);
    }
}

kernel! {
    /// Computes limit points and unit normals. One index per vertex of the last level.
    pub struct Sqrt3Limit: Flat {
        /// Level.
        pub net: StoredLevel,
        /// Sharpness of the base vertices; empty when all are smooth.
        pub sharpness: Global<f32>,
        /// Half-edges of vertices, as [`StoreLast::starts`].
        pub starts: Global<u32>,
        /// Three floats per vertex.
        pub values: Global<f32>,
        /// Limit positions; three floats per vertex.
        pub points: GlobalMut<f32>,
        /// Normals of length 1, or 0 if there is none; three floats per vertex. Empty if not requested.
        pub normals: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own vertex; walks go once around it (contracts U3, U4).
unsafe impl FlatKernel for Sqrt3Limit {
    #[inline(always)]
    fn run(&self, v: u32) {
        let frame = self.vertex(self.net, v);
        put(self.points, v, frame.point);
        if !self.normals.is_empty() {
            let normal = normalize_or_zero(frame.first.cross(frame.second));
            put(self.normals, v, normal);
        }
    }
}

#[inline(always)]
fn put(to: GlobalMut<f32>, v: u32, x: Vec3) {
    to.set(3 * v, x.x);
    to.set(3 * v + 1, x.y);
    to.set(3 * v + 2, x.z);
}

/// Point and two tangents, the second to the left of the first.
struct LimitFrame {
    point: Vec3,
    first: Vec3,
    second: Vec3,
}

/// Sums over the one-ring of a smooth vertex.
struct RingSums {
    n: f32,
    step: (f32, f32),
    at: (f32, f32),
    total: Vec3,
    first: Vec3,
    second: Vec3,
}

impl RingSums {
    #[inline(always)]
    fn new(n: u32) -> RingSums {
        RingSums {
            n: n as f32,
            step: turn(TAU / n as f32),
            at: (1.0, 0.0),
            total: Vec3::ZERO,
            first: Vec3::ZERO,
            second: Vec3::ZERO,
        }
    }

    /// Adds the next point, counter-clockwise.
    #[inline(always)]
    fn add(&mut self, e: Vec3) {
        self.total += e;
        self.first += self.at.0 * e;
        self.second += self.at.1 * e;
        self.at = sum(self.at, self.step);
    }

    /// Returns the weight of the one-ring.
    #[inline(always)]
    fn alpha(&self) -> f32 {
        (4.0 - 2.0 * self.step.0) / 9.0
    }

    #[inline(always)]
    fn frame(self, p: Vec3) -> LimitFrame {
        let a = 3.0 * self.alpha();
        LimitFrame {
            point: (p + (a / self.n) * self.total) / (1.0 + a),
            first: self.first,
            second: self.second,
        }
    }
}

/// Returns the half-edge across, [`NONE`] at a boundary.
#[inline(always)]
fn across(twin: Twin) -> u32 {
    let id = twin.0 & !SHARP;
    if id < OPEN { id } else { NONE }
}

/// Sharp edges around a vertex.
struct SharpEdges {
    /// Number of sharp edges.
    count: u32,
    /// First half-edge of the walk, counter-clockwise: at the boundary, else at a sharp edge, else any.
    begin: u32,
    /// Number of faces from there to the next sharp edge.
    faces: u32,
}

#[inline(always)]
fn lines(net: StoredLevel, start: u32) -> SharpEdges {
    let (mut h, mut begin, mut any) = (start, start, false);
    loop {
        let twin = net.twin(h);
        if twin.is_sharp() && !any {
            (begin, any) = (h, true);
        }
        let other = across(twin);
        if other == NONE {
            begin = h;
            break;
        }
        h = next(other);
        if h == start {
            break;
        }
    }
    let mut lines = SharpEdges {
        count: u32::from(any),
        begin,
        faces: 0,
    };
    let (mut seen, mut h) = (0, begin);
    loop {
        seen += 1;
        let twin = net.twin(prev(h));
        if twin.is_sharp() && lines.faces == 0 {
            lines.faces = seen;
        }
        h = across(twin);
        if h == begin {
            break;
        }
        lines.count += u32::from(twin.is_sharp());
        if h == NONE {
            break;
        }
    }
    if lines.faces == 0 {
        lines.faces = seen;
    }
    lines
}

impl Sqrt3Limit {
    #[inline(always)]
    fn get(&self, v: u32) -> Vec3 {
        let at = |k| self.values.get(3 * v + k);
        Vec3::new(at(0), at(1), at(2))
    }

    #[inline(always)]
    fn vertex(&self, net: StoredLevel, v: u32) -> LimitFrame {
        let p = self.get(v);
        let start = self.starts.get(v);
        if start == NONE {
            return LimitFrame {
                point: p,
                first: Vec3::ZERO,
                second: Vec3::ZERO,
            };
        }
        let lines = lines(net, start);
        if self.is_sharp(net, v) || lines.count > 2 {
            // Plane of the first face.
            return LimitFrame {
                point: p,
                first: self.get(net.corner(next(lines.begin))) - p,
                second: self.get(net.corner(prev(lines.begin))) - p,
            };
        }
        if lines.count == 2 {
            self.line(net, p, &lines)
        } else {
            self.smooth(net, p, &lines)
        }
    }

    /// Returns `true` if a vertex is itself sharp.
    #[inline(always)]
    fn is_sharp(&self, net: StoredLevel, v: u32) -> bool {
        v < self.sharpness.len() && after(self.sharpness.get(v), net.level()) > 0.0
    }

    #[inline(always)]
    fn smooth(&self, net: StoredLevel, p: Vec3, ring: &SharpEdges) -> LimitFrame {
        let n = ring.faces;
        let (mut cut, mut h) = (0, ring.begin);
        if net.cuts() {
            for _ in 0..n {
                cut += u32::from(net.twin(next(h)).is_sharp());
                h = across(net.twin(prev(h)));
            }
        }
        let mut around = RingSums::new(n);
        for _ in 0..n {
            around.add(self.get(net.corner(next(h))));
            h = across(net.twin(prev(h)));
        }
        if cut == 0 {
            return around.frame(p);
        }
        // A vertex that the last level created beside a crease: the next level cuts the crease, which adds points to
        // the one-ring.
        let a = around.alpha();
        let moved = (1.0 - a) * p + (a / n as f32) * around.total;
        let mut around = RingSums::new(n + cut);
        for _ in 0..n {
            let (v, w) = (net.corner(next(h)), net.corner(prev(h)));
            if net.twin(next(h)).is_sharp() {
                around.add(self.third(net, v, w));
                around.add(self.third(net, w, v));
            } else {
                around.add((p + self.get(v) + self.get(w)) / 3.0);
            }
            h = across(net.twin(prev(h)));
        }
        around.frame(moved)
    }

    /// Returns the new point on the sharp edge between two vertices, next to the first.
    #[inline(always)]
    fn third(&self, net: StoredLevel, v: u32, w: u32) -> Vec3 {
        let (p, q) = (self.get(v), self.get(w));
        let lines = lines(net, self.starts.get(v));
        if self.is_sharp(net, v) || lines.count != 2 {
            return (2.0 * p + q) / 3.0;
        }
        let (out, into) = self.ends(net, &lines);
        (out + into + 16.0 * p + 9.0 * q) / 27.0
    }

    /// Returns the neighbours of a vertex along its crease.
    #[inline(always)]
    fn ends(&self, net: StoredLevel, side: &SharpEdges) -> (Vec3, Vec3) {
        let mut h = side.begin;
        for _ in 1..side.faces {
            h = across(net.twin(prev(h)));
        }
        let get = |h: u32| self.get(net.corner(h));
        (get(next(side.begin)), get(prev(h)))
    }

    #[inline(always)]
    fn line(&self, net: StoredLevel, p: Vec3, side: &SharpEdges) -> LimitFrame {
        let spoke = |h: u32| self.get(net.corner(next(h)));
        let (out, into) = self.ends(net, side);
        let odd = net.level() & 1;
        // Number of faces at the level before the crease's edges are cut.
        let k = side.faces - odd.min(side.faces - 1);
        let second = if k == 1 {
            out + into - 2.0 * p
        } else {
            let half = turn(FRAC_PI_2 / k as f32);
            let step = twice(half);
            let all = half.0 / half.1;
            let end = (3.0 * step.1 - 4.0 * all) / (3.0 + 6.0 * step.0);
            // On odd levels: the mask on the points of the next level.
            let (end, inner) = if odd == 1 {
                ((3.0 * end - 4.0 * all) / 27.0, 2.0 / 3.0 * all)
            } else {
                (end, all)
            };
            let mut across_line = end * (out + into) - (inner + 2.0 * end) * p;
            let (mut at, mut h) = ((1.0, 0.0), side.begin);
            for _ in 1..side.faces {
                h = across(net.twin(prev(h)));
                let then = sum(at, step);
                let weight = if odd == 1 {
                    (at.1 + then.1) / 3.0
                } else {
                    then.1
                };
                across_line += weight * spoke(h);
                at = then;
            }
            across_line
        };
        LimitFrame {
            point: (4.0 * p + out + into) / 6.0,
            first: out - into,
            second,
        }
    }
}
