//! Values of sqrt(3) surfaces, level by level.
//!
//! The next level's vertex p and mean s of the one-ring of a smooth vertex depend only on each other: p' = (1 - a) p +
//! a s, s' = (p + 2 s) / 3, since the next one-ring is the points of the faces around. So a one-ring is read once, when
//! its vertex is new (or a base vertex), from the face whose point it is; later levels need no neighbours. The same
//! holds along creases, with the mean of the two neighbours there.

use crate::columns::{Columns, One, Rows, RowsMut, Three, Two};
use crate::sharpness::{Sharpness, after};
use crate::sqrt3::{Net, Refined, StoredLevel};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat sqrt3_kinds: FindKinds;
    flat sqrt3_mark: MarkLines;
    flat sqrt3_step_1: Step<One>;
    flat sqrt3_step_2: Step<Two>;
    flat sqrt3_step_3: Step<Three>;
}

/// Number of weights in [`Step::alphas`].
pub const ALPHAS: u32 = 64;

/// Rule of a base vertex, apart from its own sharpness.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Sqrt3Rule {
    /// No sharp edge.
    Smooth = 0,
    /// Two sharp edges.
    Line = 1,
    /// More sharp edges, or no face: it does not move.
    Fixed = 2,
    /// One sharp edge.
    Dart = 3,
}

const KIND_BITS: u32 = 2;

/// Calls `f` with each neighbour of a base vertex and the half-edge between them, in either direction.
#[inline(always)]
fn neighbours(mesh: &Topology, v: u32, mut f: impl FnMut(u32, u32)) {
    let (first, end) = mesh.row(v);
    for at in first..end {
        let h = mesh.entries.get(at);
        f(mesh.target(h), h);
        let back = mesh.prev(h);
        if mesh.twin(back) == NONE {
            f(mesh.origin(back), back);
        }
    }
}

kernel! {
    /// Classifies each base vertex.
    pub struct FindKinds: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub sharpness: Sharpness,
        /// A [`Sqrt3Rule`] per vertex, with the valence in the higher bits.
        pub kinds: GlobalMut<u32>,
        /// First vertex at which a sharp edge ends, [`NONE`] if there is none.
        pub dart: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own, and `dart` atomically (contracts U3, U4).
unsafe impl FlatKernel for FindKinds {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (mut n, mut sharp) = (0, 0);
        neighbours(&self.mesh, v, |_, h| {
            n += 1;
            sharp += u32::from(self.sharpness.edge(&self.mesh, h) > 0.0);
        });
        let kind = match sharp {
            0 if n > 0 => Sqrt3Rule::Smooth,
            1 => Sqrt3Rule::Dart,
            2 => Sqrt3Rule::Line,
            _ => Sqrt3Rule::Fixed,
        };
        if kind == Sqrt3Rule::Dart {
            self.dart.fetch_min(0, v);
        }
        self.kinds.set(v, kind as u32 | n << KIND_BITS);
    }
}

args! {
    /// Computes a level from the one before: one column of a vertex per index; old vertices, then face points.
    pub struct Step<Q: Columns> {
        /// Base mesh.
        pub mesh: Topology,
        /// Sharpness of the base mesh.
        pub sharpness: Sharpness,
        /// Kinds and valences, as [`FindKinds::kinds`].
        pub kinds: Global<u32>,
        /// Weight of the one-ring by valence, [`ALPHAS`] values.
        pub alphas: Global<f32>,
        /// Level before the one before; at the first step the one before.
        pub net: StoredLevel,
        /// 1 at the first step, else 0.
        pub is_first: u32,
        /// 1 for vertices on creases, beginning with the base vertices; empty if no edge is sharp.
        pub marks: Global<u32>,
        /// Values at the level before.
        pub x: Rows<Q>,
        /// Means of one-rings, for vertices that existed a level earlier.
        pub means: Global<f32>,
        /// Values of the new level.
        pub y: RowsMut<Q>,
        /// Means of the new level; empty at the last step.
        pub means_after: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own vertex, and the one at the far end of its face's sharp edge if no other does; ids
// are those of the levels (contracts U3, U4).
unsafe impl<Q: Columns> FlatKernel for Step<Q> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (j, c) = (i / Q::N, i % Q::N);
        let net = self.net;
        // Vertices that have means, then those that the level created.
        let (old, born) = if self.is_first != 0 {
            (net.vertices(), 0)
        } else {
            (net.vertices(), net.faces())
        };
        if j < old {
            self.vertex(j, c);
        } else if j < old + born {
            self.born(j - old, c);
        } else if self.is_first != 0 {
            self.point(net, j - old, c);
        } else {
            self.point(Refined(net), j - old - born, c);
        }
    }
}

impl<Q: Columns> Step<Q> {
    /// Returns the number of the level before.
    #[inline(always)]
    fn level(&self) -> u32 {
        self.net.level + 1 - self.is_first
    }

    #[inline(always)]
    fn mean(&self, v: u32, c: u32) -> f32 {
        self.means.get(v * Q::N + c)
    }

    #[inline(always)]
    fn set(&self, v: u32, c: u32, p: f32, mean: f32) {
        self.y.set(v, c, p);
        if !self.means_after.is_empty() {
            self.means_after.set(v * Q::N + c, mean);
        }
    }

    /// Returns the weight of the one-ring: (4 - 2 cos(2 pi / n)) / 9.
    #[inline(always)]
    fn alpha(&self, n: u32) -> f32 {
        if n < ALPHAS {
            return self.alphas.get(n);
        }
        // Series of the cosine: its next term is below 2e-9.
        let t = core::f32::consts::TAU / n as f32;
        let t = t * t;
        (2.0 + t * (1.0 - t / 12.0)) / 9.0
    }

    /// Returns kind and valence of a base vertex.
    #[inline(always)]
    fn kind(&self, v: u32) -> (u32, u32) {
        let word = self.kinds.get(v);
        (word & ((1 << KIND_BITS) - 1), word >> KIND_BITS)
    }

    /// Returns `true` if the crease rule holds at a vertex on a crease.
    #[inline(always)]
    fn follows_line(&self, v: u32) -> bool {
        v >= self.kinds.len()
            || self.kind(v).0 == Sqrt3Rule::Line as u32
                && after(self.sharpness.vertex(v), self.level()) <= 0.0
    }

    /// Computes an old vertex.
    #[inline(always)]
    fn vertex(&self, v: u32, c: u32) {
        let p = self.x.get(v, c);
        if v >= self.kinds.len() {
            let s = self.mean(v, c);
            if !self.marks.is_empty() && self.marks.get(v) != 0 {
                let (p, s) = self.on_line(p, s, true);
                self.set(v, c, p, s);
            } else {
                self.set(
                    v,
                    c,
                    (2.0 * p + s) * (1.0 / 3.0),
                    (p + 2.0 * s) * (1.0 / 3.0),
                );
            }
            return;
        }
        let (kind, n) = self.kind(v);
        let s = if self.is_first != 0 {
            self.first_mean(v, c, kind)
        } else {
            self.mean(v, c)
        };
        let own = after(self.sharpness.vertex(v), self.level());
        let (moved, mean) = if kind == Sqrt3Rule::Smooth as u32 {
            let a = self.alpha(n);
            ((1.0 - a) * p + a * s, (p + 2.0 * s) * (1.0 / 3.0))
        } else if kind == Sqrt3Rule::Line as u32 {
            self.on_line(p, s, own <= 0.0)
        } else {
            (p, s)
        };
        // Within the level in which its own sharpness ends, both rules are blended.
        let p = if own <= 0.0 {
            moved
        } else if own < 1.0 {
            own * p + (1.0 - own) * moved
        } else {
            p
        };
        self.set(v, c, p, mean);
    }

    /// Returns a base vertex's mean on the base mesh.
    #[inline(always)]
    fn first_mean(&self, v: u32, c: u32, kind: u32) -> f32 {
        let (mut sum, mut n) = (0.0, 0);
        neighbours(&self.mesh, v, |w, h| {
            if kind != Sqrt3Rule::Line as u32 || self.sharpness.edge(&self.mesh, h) > 0.0 {
                sum += self.x.get(w, c);
                n += 1;
            }
        });
        if n == 0 { 0.0 } else { sum / n as f32 }
    }

    /// Computes a vertex on a crease and the mean of its neighbours there; at one that does not follow the rule the
    /// crease continues straight.
    #[inline(always)]
    fn on_line(&self, p: f32, s: f32, follows: bool) -> (f32, f32) {
        if self.level() & 1 == 0 {
            return (p, s);
        }
        let mean = if follows {
            (16.0 * p + 11.0 * s) * (1.0 / 27.0)
        } else {
            (2.0 * p + s) * (1.0 / 3.0)
        };
        ((19.0 * p + 8.0 * s) * (1.0 / 27.0), mean)
    }

    /// Returns the new point on the sharp edge between vertices a and b next to a.
    #[inline(always)]
    fn third(&self, a: u32, b: u32, c: u32) -> f32 {
        let (p, q) = (self.x.get(a, c), self.x.get(b, c));
        if self.follows_line(a) {
            (2.0 * self.mean(a, c) + 16.0 * p + 9.0 * q) * (1.0 / 27.0)
        } else {
            (2.0 * p + q) * (1.0 / 3.0)
        }
    }

    /// Computes the vertex that the level created for face `f` of the level before it.
    #[inline(always)]
    fn born(&self, f: u32, c: u32) {
        let net = self.net;
        let v = net.vertices() + f;
        let p = self.x.get(v, c);
        if !net.has_lines() {
            let side = |h: u32| {
                self.x.get(net.corner(h), c) + self.x.get(net.point(net.twin(h).half()), c)
            };
            let s = (side(3 * f) + side(3 * f + 1) + side(3 * f + 2)) * (1.0 / 6.0);
            self.set(
                v,
                c,
                (2.0 * p + s) * (1.0 / 3.0),
                (p + 2.0 * s) * (1.0 / 3.0),
            );
        } else if net.is_cut(f) {
            let twin = net.twin(3 * f);
            let far = net.far(twin);
            let q = self.x.get(far, c);
            self.set(v, c, p, 0.5 * (self.x.get(net.corner(3 * f), c) + q));
            if twin.boundary().is_some() {
                let end = self.x.get(net.corner(3 * f + 1), c);
                self.set(far, c, q, 0.5 * (p + end));
            }
        } else {
            self.born_near_lines(f, v, p, c);
        }
    }

    /// Computes as [`Step::born`], for faces of which some edges may be sharp: no point is across these, and on odd
    /// levels they add two points to the next one-ring.
    #[inline(always)]
    fn born_near_lines(&self, f: u32, v: u32, p: f32, c: u32) {
        let net = self.net;
        let (mut n, mut sum, mut next_sum) = (3, 0.0, 0.0);
        for h in 3 * f..3 * f + 3 {
            let (a, b) = (net.corner(h), net.corner(crate::sqrt3::next(h)));
            let twin = net.twin(h);
            let (here, there) = (self.x.get(a, c), self.x.get(b, c));
            sum += here;
            if twin.is_sharp() {
                next_sum += self.third(a, b, c) + self.third(b, a, c);
            } else {
                let point = self.x.get(net.point(twin.half()), c);
                n += 1;
                sum += point;
                next_sum += (here + there + 2.0 * (point + p)) * (1.0 / 3.0);
            }
        }
        let (a, s) = (self.alpha(n), sum / n as f32);
        self.set(v, c, (1.0 - a) * p + a * s, next_sum * (1.0 / 6.0));
    }

    /// Computes the point of a face, or the points on its sharp edge.
    #[inline(always)]
    fn point<N: Net>(&self, net: N, f: u32, c: u32) {
        let v = net.vertices() + f;
        let corner = |k: u32| net.corner(3 * f + k);
        if net.is_cut(f) {
            let (a, b) = (corner(0), corner(1));
            self.y.set(v, c, self.third(a, b, c));
            let twin = net.twin(3 * f);
            if twin.boundary().is_some() {
                self.y.set(net.far(twin), c, self.third(b, a, c));
            }
        } else {
            let get = |k: u32| self.x.get(corner(k), c);
            self.y.set(v, c, (get(0) + get(1) + get(2)) * (1.0 / 3.0));
        }
    }
}

kernel! {
    /// Marks the points on creases that a level creates: one face per index.
    pub struct MarkLines: Flat {
        /// Level before.
        pub net: StoredLevel,
        /// Marks, as [`Step::marks`].
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own point, and the one at a boundary edge's far end, which no other index writes
// (contracts U3, U4).
unsafe impl FlatKernel for MarkLines {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.net.is_cut(f) {
            self.marks.set(self.net.vertices() + f, 1);
            let twin = self.net.twin(3 * f);
            if twin.boundary().is_some() {
                self.marks.set(self.net.far(twin), 1);
            }
        }
    }
}
