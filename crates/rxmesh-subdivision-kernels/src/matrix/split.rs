//! Faces of the next level, with twins, edges and rows, by closed rules on half-edges.
//!
//! The thesis looks up ids of new points in the products E and F (tables 4.1 and 4.2, section 4.3.2) and multiplies
//! again on the next level. Entries of the mesh matrix are half-edges, and the values of E and F are stored with them
//! ([`Topology::edges`], [`Topology::twins`]); so the children of an entry inherit them from their parent (Dupuy and
//! Vanhoey 2021 for quads and triangles), without further products or sorting.
//!
//! H: number of half-edges; for other letters see [`Split`](super::Split). An old edge becomes edges 2 e (from the
//! origin of its first half-edge) and 2 e + 1, and half-edge h has the new edge 2 E + h; with flips edge e stays edge e
//! and h has edge E + h.

use crate::build::Neighbourhood;
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

args! {
    /// Output of a level; all but `corners` are empty when only its faces are needed.
    pub struct Next {
        /// New [`Topology::corners`].
        pub corners: GlobalMut<u32>,
        /// New [`Topology::twins`].
        pub twins: GlobalMut<u32>,
        /// New [`Topology::edges`].
        pub edges: GlobalMut<u32>,
        /// New [`Topology::halves`].
        pub halves: GlobalMut<u32>,
        /// New [`Topology::starts`].
        pub starts: GlobalMut<u32>,
        /// New [`Topology::entries`].
        pub entries: GlobalMut<u32>,
        /// An [`Neighbourhood`] per vertex.
        pub around: GlobalMut<u32>,
        /// Number of half-edges of the edges before each edge, and of all: E + 1 values. Not with flips.
        pub before: GlobalMut<u32>,
    }
}

impl Next {
    #[inline(always)]
    fn is_full(&self) -> bool {
        !self.twins.is_empty()
    }
}

args! {
    /// Level that is split.
    pub struct From {
        /// Mesh.
        pub m: Topology,
        /// An [`Neighbourhood`] per vertex.
        pub around: Global<u32>,
        /// Number of half-edges of the edges before each edge, and of all: E + 1 values. Not with flips.
        pub before: Global<u32>,
    }
}

impl From {
    /// Returns the edge of a half of a half-edge's edge: the half at its origin, or the one at its target.
    #[inline(always)]
    fn half_edge(&self, h: u32, twin: u32, target: bool) -> u32 {
        2 * self.m.edges.get(h) + u32::from((h > twin) != target)
    }

    /// Returns the neighbourhood of the new vertex of an edge.
    #[inline(always)]
    fn around_edge(&self, twin: u32) -> u32 {
        if twin == NONE {
            Neighbourhood::Boundary as u32
        } else {
            Neighbourhood::Interior as u32
        }
    }

    /// Processes one index: its half-edge by `half`, and the edge and the vertex of the same number. Children of
    /// half-edges are quads (`each` 4) or triangles (3).
    #[inline(always)]
    fn split(&self, next: &Next, i: u32, each: u32, half: impl FnOnce(u32)) {
        if i < self.m.corner_count() {
            half(i);
        }
        if !next.is_full() {
            return;
        }
        if i < self.m.edge_count() {
            self.edge(next, i, each);
        }
        if i < self.m.vertex_count() {
            self.vertex(next, i);
        }
    }

    /// Writes the edges that an edge becomes, and its vertex with its row: the two children that touch it of each
    /// half-edge, followed, for triangles, by the inner one.
    #[inline(always)]
    fn edge(&self, next: &Next, e: u32, each: u32) {
        let (m, before) = (&self.m, self.before.get(e));
        let (n, h) = (m.corner_count(), m.halves.get(e));
        let (twin, inner) = (m.twin(h), each == 3);
        let at = n + if inner { 3 } else { 2 } * before;
        let touching = |h: u32| [each * h + 1, each * m.next(h) + each - 1];
        let [here, there] = touching(h);
        let ours = [here.min(there), here.max(there)];
        let mut firsts = [each * h, there];
        if twin == NONE {
            next.entries.set(at, ours[0]);
            next.entries.set(at + 1, ours[1]);
            if inner {
                next.entries.set(at + 2, 3 * n + h);
            }
        } else {
            let [beside, across] = touching(twin);
            let theirs = [beside.min(across), beside.max(across)];
            set_merged(next.entries, at, ours, theirs);
            if inner {
                // The first half-edge is the lower one.
                next.entries.set(at + 4, 3 * n + h);
                next.entries.set(at + 5, 3 * n + twin);
            }
            firsts = [(each * h).min(across), there.min(each * twin)];
        }
        next.halves.set(2 * e, firsts[0]);
        next.halves.set(2 * e + 1, firsts[1]);
        next.before.set(2 * e, 2 * before);
        let more = if twin == NONE { 1 } else { 2 };
        next.before.set(2 * e + 1, 2 * before + more);
        let v = m.vertex_count() + e;
        next.starts.set(v, at);
        next.around.set(v, self.around_edge(twin));
    }

    /// Copies the unchanged data of a vertex.
    #[inline(always)]
    fn vertex(&self, next: &Next, v: u32) {
        next.starts.set(v, self.m.starts.get(v));
        next.around.set(v, self.around.get(v));
    }

    /// Writes the edge that a half-edge has inside its face, and the end of the last row and edge.
    #[inline(always)]
    fn inside(&self, next: &Next, h: u32, first: u32) {
        let (n, edges) = (self.m.corner_count(), 2 * self.m.edge_count());
        next.halves.set(edges + h, first);
        next.before.set(edges + h, 2 * (n + h));
        if h + 1 == n {
            next.before.set(edges + n, 4 * n);
            next.starts.set(next.starts.len() - 1, 4 * n);
        }
    }
}

/// Writes two pairs, each ascending, as one sorted row.
#[inline(always)]
fn set_merged(entries: GlobalMut<u32>, at: u32, [a, b]: [u32; 2], [c, d]: [u32; 2]) {
    let (x, y) = (a.max(c), b.min(d));
    entries.set(at, a.min(c));
    entries.set(at + 1, x.min(y));
    entries.set(at + 2, x.max(y));
    entries.set(at + 3, b.max(d));
}

/// Returns the child of a half-edge, if there is one.
#[inline(always)]
fn child(h: u32, f: impl Fn(u32) -> u32) -> u32 {
    if h == NONE { NONE } else { f(h) }
}

kernel! {
    /// Counts the half-edges of each edge.
    pub struct Degrees: Flat {
        /// First half-edge of each edge, as [`Topology::halves`].
        pub halves: Global<u32>,
        /// Twins, as [`Topology::twins`].
        pub twins: Global<u32>,
        /// 1 or 2 per edge.
        pub degrees: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own edge (contracts U3, U4).
unsafe impl FlatKernel for Degrees {
    #[inline(always)]
    fn run(&self, e: u32) {
        let twin = self.twins.get(self.halves.get(e));
        self.degrees.set(e, if twin == NONE { 1 } else { 2 });
    }
}

kernel! {
    /// Splits faces into one quad per corner (section 4.3.2). One index per half-edge, vertex or edge: as many as there
    /// are half-edges, vertices or edges, whichever is most. If only the next level's faces are needed: one index per
    /// half-edge.
    pub struct SplitQuads: Flat {
        /// Level.
        pub from: From,
        /// Next level.
        pub next: Next,
    }
}

// SAFETY: an index writes the elements of its half-edge, its edge and its vertex in the next level, which are disjoint
// (contracts U3, U4).
unsafe impl FlatKernel for SplitQuads {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.from.split(&self.next, i, 4, |h| self.half(h));
    }
}

impl SplitQuads {
    #[inline(always)]
    fn half(&self, h: u32) {
        let (m, next) = (&self.from.m, &self.next);
        let (f, prev) = (m.face(h), m.prev(h));
        let (vertices, edges) = (m.vertex_count(), m.edge_count());
        let middle = vertices + edges + f;
        let points = [m.edges.get(h), m.edges.get(prev)];
        next.corners.set4(
            h,
            [
                m.origin(h),
                vertices + points[0],
                middle,
                vertices + points[1],
            ],
        );
        if !next.is_full() {
            return;
        }
        let (twin, across, after) = (m.twin(h), m.twin(prev), m.next(h));
        next.twins.set4(
            h,
            [
                child(twin, |t| 4 * m.next(t) + 3),
                4 * after + 2,
                4 * prev + 1,
                child(across, |t| 4 * t),
            ],
        );
        next.edges.set4(
            h,
            [
                self.from.half_edge(h, twin, false),
                2 * edges + h,
                2 * edges + prev,
                self.from.half_edge(prev, across, true),
            ],
        );
        self.from.inside(next, h, (4 * h + 1).min(4 * after + 2));
        let n = m.corner_count();
        next.entries.set(h, 4 * m.entries.get(h));
        next.entries.set(3 * n + h, 4 * h + 2);
        let (first, _) = m.range(f);
        if h == first {
            next.starts.set(middle, 3 * n + h);
            next.around.set(middle, Neighbourhood::Interior as u32);
        }
    }
}

kernel! {
    /// Splits triangles into four (table 4.2). Indices as in [`SplitQuads`].
    pub struct SplitTriangles: Flat {
        /// Level.
        pub from: From,
        /// Next level.
        pub next: Next,
    }
}

// SAFETY: as for `SplitQuads` (contracts U3, U4).
unsafe impl FlatKernel for SplitTriangles {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.from.split(&self.next, i, 3, |h| self.half(h));
    }
}

/// Writes the three values of a child triangle.
#[inline(always)]
fn set3(to: GlobalMut<u32>, child: u32, values: [u32; 3]) {
    to.set(3 * child, values[0]);
    to.set(3 * child + 1, values[1]);
    to.set(3 * child + 2, values[2]);
}

impl SplitTriangles {
    #[inline(always)]
    fn half(&self, h: u32) {
        let (m, next) = (&self.from.m, &self.next);
        let (prev, n) = (m.prev(h), m.corner_count());
        let (vertices, edges) = (m.vertex_count(), m.edge_count());
        let point = vertices + m.edges.get(h);
        set3(
            next.corners,
            h,
            [m.origin(h), point, vertices + m.edges.get(prev)],
        );
        next.corners.set(3 * n + h, point);
        if !next.is_full() {
            return;
        }
        let (twin, across, after) = (m.twin(h), m.twin(prev), m.next(h));
        let twins = [
            child(twin, |t| 3 * m.next(t) + 2),
            3 * n + prev,
            child(across, |t| 3 * t),
        ];
        set3(next.twins, h, twins);
        next.twins.set(3 * n + h, 3 * after + 1);
        let halves = [
            self.from.half_edge(h, twin, false),
            2 * edges + h,
            self.from.half_edge(prev, across, true),
        ];
        set3(next.edges, h, halves);
        next.edges.set(3 * n + h, 2 * edges + after);
        self.from.inside(next, h, 3 * h + 1);
        next.entries.set(h, 3 * m.entries.get(h));
    }
}

kernel! {
    /// Splits triangles into three, with inner edges flipped (table 4.1), and counts the faces of each new vertex,
    /// whose prefix sums are the starts of rows. One index per half-edge or vertex: as many as there are of either. If
    /// only the next level's faces are needed: one index per half-edge.
    pub struct SplitFlips: Flat {
        /// Level.
        pub from: From,
        /// Next level; `starts` receives the counts, of which the last is initially zero.
        pub next: Next,
    }
}

// SAFETY: an index writes the elements of its half-edge, its face, its edge and its vertex in the next level, which are
// disjoint (contracts U3, U4).
unsafe impl FlatKernel for SplitFlips {
    #[inline(always)]
    fn run(&self, i: u32) {
        let m = &self.from.m;
        if i < m.corner_count() {
            self.half(i);
        }
        if self.next.is_full() && i < m.vertex_count() {
            self.next.starts.set(i, self.faces_of(i));
            self.next.around.set(i, self.around(i));
        }
    }
}

impl SplitFlips {
    #[inline(always)]
    fn half(&self, h: u32) {
        let (m, next) = (&self.from.m, &self.next);
        let (vertices, edges) = (m.vertex_count(), m.edge_count());
        let (f, twin) = (m.face(h), m.twin(h));
        let middle = vertices + f;
        let second = if twin == NONE {
            m.target(h)
        } else {
            vertices + m.face(twin)
        };
        set3(next.corners, h, [m.origin(h), second, middle]);
        if !next.is_full() {
            return;
        }
        let (prev, after, e) = (m.prev(h), m.next(h), m.edges.get(h));
        let across = m.twin(prev);
        let back = if across == NONE {
            3 * prev + 1
        } else {
            3 * across
        };
        if twin == NONE {
            set3(next.twins, h, [NONE, 3 * after + 2, back]);
            set3(next.edges, h, [e, edges + after, edges + h]);
            next.halves.set(e, 3 * h);
        } else {
            let there = m.next(twin);
            set3(next.twins, h, [3 * there + 2, 3 * twin + 1, back]);
            set3(next.edges, h, [edges + there, e, edges + h]);
            if h < twin {
                next.halves.set(e, 3 * h + 1);
            }
        }
        next.halves.set(edges + h, back.min(3 * h + 2));
        if h == m.range(f).0 {
            let mut n = m.range(f).1;
            for k in h..h + n {
                n += u32::from(m.twin(k) != NONE);
            }
            next.starts.set(middle, n);
            next.around.set(middle, Neighbourhood::Interior as u32);
        }
    }

    /// Returns the number of faces of a vertex in the next level: one for each of its half-edges, and one for each that
    /// arrives along a boundary.
    #[inline(always)]
    fn faces_of(&self, v: u32) -> u32 {
        let m = &self.from.m;
        let (first, end) = m.row(v);
        let mut n = end - first;
        for at in first..end {
            n += u32::from(m.twin(m.prev(m.entries.get(at))) == NONE);
        }
        n
    }

    /// Returns the neighbourhood of a vertex in the next level: a single face has become two.
    #[inline(always)]
    fn around(&self, v: u32) -> u32 {
        let around = self.from.around.get(v);
        if around == Neighbourhood::Corner as u32 {
            Neighbourhood::Boundary as u32
        } else {
            around
        }
    }
}

kernel! {
    /// Writes the rows of the next level after [`SplitFlips`]. One index per new vertex.
    pub struct FlipRows: Flat {
        /// Level.
        pub m: Topology,
        /// Starts of the next level's rows.
        pub starts: Global<u32>,
        /// Rows of the next level.
        pub entries: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own row, whose entries have been counted (contracts U3, U4).
unsafe impl FlatKernel for FlipRows {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (m, first) = (&self.m, self.starts.get(v));
        let mut n = first;
        let mut put = |entry: u32| {
            let mut k = n;
            while k > first && self.entries.get(k - 1) > entry {
                self.entries.set(k, self.entries.get(k - 1));
                k -= 1;
            }
            self.entries.set(k, entry);
            n += 1;
        };
        if v < m.vertex_count() {
            let (start, end) = m.row(v);
            for at in start..end {
                let h = m.entries.get(at);
                let prev = m.prev(h);
                if m.twin(prev) == NONE {
                    put(3 * prev + 1);
                }
                put(3 * h);
            }
        } else {
            let (start, n) = m.range(v - m.vertex_count());
            for h in start..start + n {
                put(3 * h + 2);
                if m.twin(h) != NONE {
                    put(3 * m.twin(h) + 1);
                }
            }
        }
    }
}
