//! The lines of a surface that remeshing keeps: its boundary and its sharp edges.

use crate::algo::improve::delaunay::Diamond;
use crate::cavity::{Cavity, LinkWalk, Site, Spoke};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE};
use crate::kernel::FlatKernel;
use crate::math::sqrt;
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;
use crate::{args, kernel};
use glam::Vec3;

/// Number of loop corners whose lines can be remembered.
pub(crate) const MOST_CORNERS: u32 = 32;

/// Count of a marked edge beside 1 in [`MarkEnds`].
pub const MARKED: u32 = 1 << 16;

/// A line that turns by more than 30 degrees has a corner.
pub const CORNER_COSINE: f32 = 0.866_025_4;

/// Mark of a sharp edge that had none.
pub const FEATURE: u32 = 2;

args! {
    /// Edges of lines: those of the boundary, and those that are marked.
    pub struct LineEdges {
        /// Nonzero for each edge of a feature ([`FEATURE`] for a sharp edge that was not marked by its user), else 0;
        /// by edge.
        pub marks: GlobalMut<u32>,
        /// Nonzero if there are features.
        pub any: u32,
    }
}

/// Line edges at a vertex.
#[derive(Clone, Copy, Debug)]
pub struct OnLine {
    /// Number of edges of lines.
    pub count: u32,
    /// Vertex at the other end of the first.
    pub before: u32,
    /// Vertex at the other end of the last.
    pub after: u32,
}

impl LineEdges {
    /// Walks around both ends of an edge. Returns the lines that they are on, and the link.
    #[inline(always)]
    pub(crate) fn ends(&self, mesh: &impl HalfEdgeMesh, e: u32) -> ([OnLine; 2], LinkWalk) {
        let mut on = [mesh.origin(2 * e), mesh.tip(2 * e)].map(OnLine::none);
        let mut walk = LinkWalk::START;
        mesh.each_spoke_of_ends(e, |side, h, face, tip| {
            walk.step(e, [side, h, face, tip]);
            let border = face == NO_FACE || mesh.face(h ^ 1) == NO_FACE;
            if border || self.is_marked(h >> 1) {
                on[side as usize].enter(tip);
            }
            true
        });
        (on, walk)
    }

    /// Returns `true` if an edge belongs to a line.
    #[inline(always)]
    pub fn has(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        mesh.face(2 * e) == NO_FACE || mesh.face(2 * e + 1) == NO_FACE || self.is_marked(e)
    }

    /// Returns `true` if an edge is marked.
    #[inline(always)]
    pub fn is_marked(&self, e: u32) -> bool {
        self.any != 0 && self.marks.get(e) != 0
    }

    /// Marks an edge or not.
    #[inline(always)]
    pub fn mark(&self, e: u32, mark: bool) {
        if self.any != 0 {
            self.marks.set(e, u32::from(mark));
        }
    }

    /// Returns the loop corners of a cavity from which a marked edge leads to one of the ends of its seed, a bit
    /// each.
    #[inline(always)]
    pub(crate) fn on_rim(&self, cavity: &Cavity<impl Site>) -> u32 {
        let mut marked = 0;
        if self.any == 0 {
            return marked;
        }
        let (mesh, e) = (cavity.mesh(), cavity.seed());
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let mut i = 0;
        while i < cavity.edges() {
            let at = cavity.edge(i);
            if at != e && self.is_marked(at) {
                let (u, v) = (mesh.origin(2 * at), mesh.tip(2 * at));
                let far = if u == a || u == b { v } else { u };
                let mut k = 0;
                while k < cavity.corners() {
                    if cavity.corner(k) == far {
                        marked |= 1 << (k % MOST_CORNERS);
                    }
                    k += 1;
                }
            }
            i += 1;
        }
        marked
    }

    /// Marks the edge from a new vertex to a corner, as [`LineEdges::on_rim`] has found.
    #[inline(always)]
    pub(crate) fn mark_spoke(&self, spoke: &Spoke<'_>, marked: u32) {
        let mark = marked >> (spoke.number % MOST_CORNERS) & 1 != 0;
        self.mark(spoke.side.edge(), mark);
    }

    /// Returns `true` if a contraction of an edge would make one line of two: both other edges of one of its faces
    /// belong to lines.
    #[inline(always)]
    pub(crate) fn merge_at(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        let merges = |h: u32| {
            mesh.face(h) != NO_FACE && {
                let (next, previous) = mesh.around(h);
                self.has(mesh, next >> 1) && self.has(mesh, previous >> 1)
            }
        };
        merges(2 * e) || merges(2 * e + 1)
    }

    /// Returns `true` if the lines at the ends of an edge can be distinguished after its contraction: beside the edge
    /// no two of them become one, and they fit the words that remember them.
    #[inline(always)]
    pub(crate) fn stay_apart(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        if self.merge_at(mesh, e) {
            return false;
        }
        if self.any == 0 {
            return true;
        }
        let (n, marked) = self.count_at(mesh, mesh.origin(2 * e));
        let (m, more) = self.count_at(mesh, mesh.tip(2 * e));
        marked + more == 0 || n + m <= MOST_CORNERS
    }

    /// Returns the number of edges at a vertex, and that of marked ones.
    #[inline(always)]
    fn count_at(&self, mesh: &impl HalfEdgeMesh, v: u32) -> (u32, u32) {
        let (mut n, mut marked) = (0, 0);
        mesh.each_spoke(v, |h| {
            n += 1;
            marked += u32::from(self.is_marked(h >> 1));
            true
        });
        (n, marked)
    }

    /// Returns `true` if an edge at a vertex is marked.
    #[inline(always)]
    pub(crate) fn marks_at(&self, mesh: &impl HalfEdgeMesh, v: u32) -> bool {
        self.count_at(mesh, v).1 > 0
    }

    /// Returns the line edges at a vertex.
    #[inline(always)]
    pub fn at(&self, mesh: &impl HalfEdgeMesh, v: u32) -> OnLine {
        let mut on = OnLine::none(v);
        mesh.each_spoke(v, |h| {
            if self.has(mesh, h >> 1) {
                on.enter(mesh.tip(h));
            }
            true
        });
        on
    }
}

impl OnLine {
    /// Returns a vertex without line edges.
    #[inline(always)]
    pub fn none(v: u32) -> OnLine {
        OnLine {
            count: 0,
            before: v,
            after: v,
        }
    }

    /// Adds a line edge to another vertex.
    #[inline(always)]
    pub fn enter(&mut self, tip: u32) {
        self.after = tip;
        if self.count == 0 {
            self.before = tip;
        }
        self.count += 1;
    }

    /// Returns `true` if the vertex is inside a line that turns by no more than the angle of a cosine there.
    #[inline(always)]
    pub fn is_smooth(&self, at: Vec3, before: Vec3, after: Vec3, cosine: f32) -> bool {
        let (u, w) = (at - before, after - at);
        self.count == 2 && u.dot(w) >= cosine * sqrt(u.dot(u) * w.dot(w))
    }
}

kernel! {
    /// Marks the edges, beside those that are marked, whose faces' normals make a larger angle than one of this cosine
    /// with [`FEATURE`], and counts all sharp ones in word 1. One index per edge slot.
    pub struct MarkFeatures: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Marks of the edges.
        pub marks: GlobalMut<u32>,
        /// Cosine of the angle from which edges are features.
        pub cosine: f32,
        /// Word 1: the number of marks.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MarkFeatures {
    #[inline(always)]
    fn run(&self, e: u32) {
        let sharp = self.mesh.edge_lives(e)
            && Diamond::new(&self.mesh, e).is_some_and(|q| {
                let x = |v: u32| self.x.get(v);
                let (a, b, c, d) = (x(q.a), x(q.b), x(q.c), x(q.d));
                let (u, v) = ((b - a).cross(c - a), (a - b).cross(d - b));
                u.dot(v) < self.cosine * sqrt(u.dot(u) * v.dot(v))
            });
        if sharp {
            if self.marks.get(e) == 0 {
                self.marks.set(e, FEATURE);
            }
            self.counts.fetch_add(1, 1);
        }
    }
}

/// Words that [`ListFeatures`] writes for an edge: its slot, its ends, the number of its mesh, and bit `k` for an end
/// `k` at which another line continues.
pub const FEATURE_WORDS: u32 = 5;

kernel! {
    /// Lists the edges that are marked with [`FEATURE`], in any order. One index per edge slot.
    pub struct ListFeatures: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Marks of the edges.
        pub marks: Global<u32>,
        /// Number of the mesh of each vertex; empty for one mesh.
        pub labels: Global<u32>,
        /// [`FEATURE_WORDS`] an edge.
        pub list: GlobalMut<u32>,
        /// Places of the two ends of each.
        pub places: GlobalMut<Vec3>,
        /// Number of listed edges in word 1, 0 before.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ListFeatures {
    #[inline(always)]
    fn run(&self, e: u32) {
        if !self.mesh.edge_lives(e) || self.marks.get(e) != FEATURE {
            return;
        }
        let i = self.counts.fetch_add(1, 1);
        let (a, b) = (self.mesh.origin(2 * e), self.mesh.tip(2 * e));
        self.places.set(2 * i, self.x.get(a));
        self.places.set(2 * i + 1, self.x.get(b));
        let words = self.list.from(FEATURE_WORDS * i);
        words.set(0, e);
        words.set(1, a);
        words.set(2, b);
        words.set(3, label_of(self.labels, a));
        words.set(
            4,
            u32::from(self.goes_on(a)) | u32::from(self.goes_on(b)) << 1,
        );
    }
}

impl ListFeatures {
    /// Returns `true` if an edge of the boundary or of another line ends at a vertex.
    #[inline(always)]
    fn goes_on(&self, v: u32) -> bool {
        let mut other = false;
        self.mesh.each_spoke(v, |h| {
            let mark = self.marks.get(h >> 1);
            let border = self.mesh.face(h) == NO_FACE || self.mesh.face(h ^ 1) == NO_FACE;
            other |= border || mark != 0 && mark != FEATURE;
            true
        });
        other
    }
}

kernel! {
    /// Takes the marks of some edges away. One index for each.
    pub struct Unmark: Flat {
        /// Edges to unmark.
        pub edges: Global<u32>,
        /// Marks of the edges.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for Unmark {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.marks.set(self.edges.get(i), 0);
    }
}

kernel! {
    /// Marks the edges between faces of different groups, and counts them in word 1. One index per edge slot.
    pub struct MarkBorders: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Group of each face.
        pub groups: Global<u32>,
        /// Marks of the edges.
        pub marks: GlobalMut<u32>,
        /// Word 1: the number of marks.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MarkBorders {
    #[inline(always)]
    fn run(&self, e: u32) {
        if !self.mesh.edge_lives(e) {
            return;
        }
        let (f, g) = (self.mesh.face(2 * e), self.mesh.face(2 * e + 1));
        if f != NO_FACE && g != NO_FACE && self.groups.get(f) != self.groups.get(g) {
            self.marks.set(e, 1);
            self.counts.fetch_add(1, 1);
        }
    }
}

kernel! {
    /// Counts the edges of lines at each vertex, marked ones [`MARKED`] times more. One index per edge slot.
    pub struct MarkEnds: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Marks of edges.
        pub marks: Global<u32>,
        /// The counts, by vertex.
        pub ends: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for MarkEnds {
    #[inline(always)]
    fn run(&self, e: u32) {
        let mesh = &self.mesh;
        if !mesh.edge_lives(e) {
            return;
        }
        let marked = self.marks.get(e) != 0;
        if marked || mesh.face(2 * e) == NO_FACE || mesh.face(2 * e + 1) == NO_FACE {
            let count = if marked { 1 + MARKED } else { 1 };
            self.ends.fetch_add(mesh.origin(2 * e), count);
            self.ends.fetch_add(mesh.tip(2 * e), count);
        }
    }
}
