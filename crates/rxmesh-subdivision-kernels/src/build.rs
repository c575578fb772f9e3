//! From faces to [`Topology`](crate::topology::Topology): vertex buckets, twins by comparing inside a bucket, edges by
//! a scan. All of it is integers in a fixed order, so that the result is the same on every run and engine.

use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    flat topology_faces: FaceOfCorners;
    flat topology_count: CountEntries;
    flat topology_fill: FillEntries;
    flat topology_sort: SortEntries;
    block topology_sort_long: SortLongRows;
    flat topology_twins: Twins;
    flat topology_edges: Edges;
    flat topology_number_edges: NumberEdges;
    flat topology_around: LookAround;
}

/// Entries of a vertex that one thread sorts; a block sorts longer rows.
const LONG: u32 = 48;
/// Vertices that a block of [`SortLongRows`] looks at.
pub const ROWS: u32 = 1024;

/// Words of [`Twins::bad`].
pub const BAD_WORDS: usize = 2;
/// Where in [`Twins::bad`] the first half-edge stands whose edge is not manifold or not oriented consistently.
pub const BAD_EDGE: u32 = 0;
/// Where in [`Twins::bad`] the first corner stands whose vertex comes again in its face.
pub const BAD_FACE: u32 = 1;

/// What is round a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Around {
    /// No face.
    Nothing = 0,
    /// One closed fan of faces.
    Interior = 1,
    /// One open fan of at least two faces.
    Boundary = 2,
    /// One face.
    Corner = 3,
    /// Several fans: the surface is not manifold here, though all edges are.
    Fans = 4,
}

rxmesh_kernels::args! {
    /// Faces and their corners; as in [`Topology`](crate::topology::Topology).
    pub struct Columns {
        /// Corners of every face; 0 when they differ.
        pub size: u32,
        /// First corner of each face; nothing when all have `size` corners.
        pub offsets: Global<u32>,
        /// Face of each corner; nothing when all have `size` corners.
        pub faces: Global<u32>,
        /// Vertex of each corner.
        pub corners: Global<u32>,
    }
}

impl Columns {
    #[inline(always)]
    fn face(&self, h: u32) -> u32 {
        match self.size {
            0 => self.faces.get(h),
            3 => h / 3,
            4 => h / 4,
            n => h / n,
        }
    }

    #[inline(always)]
    fn range(&self, f: u32) -> (u32, u32) {
        if self.size == 0 {
            let first = self.offsets.get(f);
            (first, self.offsets.get(f + 1) - first)
        } else {
            (self.size * f, self.size)
        }
    }

    #[inline(always)]
    fn next(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h + 1 == first + n { first } else { h + 1 }
    }

    #[inline(always)]
    fn prev(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h == first { first + n - 1 } else { h - 1 }
    }
}

kernel! {
    /// The face of every corner, by face.
    pub struct FaceOfCorners: Flat {
        /// First corner of each face.
        pub offsets: Global<u32>,
        /// Face of each corner.
        pub faces: GlobalMut<u32>,
    }
}

// SAFETY: faces have corners of their own (contracts U3, U4).
unsafe impl FlatKernel for FaceOfCorners {
    #[inline(always)]
    fn run(&self, f: u32) {
        for h in self.offsets.get(f)..self.offsets.get(f + 1) {
            self.faces.set(h, f);
        }
    }
}

kernel! {
    /// How many corners each vertex has; `counts` is zero before.
    pub struct CountEntries: Flat {
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// Corners of each vertex.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: additions are atomic; the host has checked the ids (contracts U3, U4).
unsafe impl FlatKernel for CountEntries {
    #[inline(always)]
    fn run(&self, h: u32) {
        self.counts.fetch_add(self.corners.get(h), 1);
    }
}

kernel! {
    /// Puts each corner into a place of its vertex's row; `taken` is zero before.
    pub struct FillEntries: Flat {
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// Where each row starts.
        pub starts: Global<u32>,
        /// Places of each row that are taken.
        pub taken: GlobalMut<u32>,
        /// The rows.
        pub entries: GlobalMut<u32>,
    }
}

// SAFETY: places are taken atomically, each once, and a row has one for each of its corners (contracts U3, U4).
unsafe impl FlatKernel for FillEntries {
    #[inline(always)]
    fn run(&self, h: u32) {
        let v = self.corners.get(h);
        let at = self.starts.get(v) + self.taken.fetch_add(v, 1);
        self.entries.set(at, h);
    }
}

kernel! {
    /// Sorts the rows that are not long.
    pub struct SortEntries: Flat {
        /// Where each row starts.
        pub starts: Global<u32>,
        /// The rows.
        pub entries: GlobalMut<u32>,
    }
}

// SAFETY: each index has a row of its own (contracts U3, U4).
unsafe impl FlatKernel for SortEntries {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = (self.starts.get(v), self.starts.get(v + 1));
        if end - first > LONG {
            return;
        }
        let row = self.entries;
        for i in first + 1..end.max(first + 1) {
            let h = row.get(i);
            let mut k = i;
            while k > first && row.get(k - 1) > h {
                row.set(k, row.get(k - 1));
                k -= 1;
            }
            row.set(k, h);
        }
    }
}

kernel! {
    /// Sorts the long rows of each [`ROWS`] vertices.
    pub struct SortLongRows: Block {
        /// Where each row starts.
        pub starts: Global<u32>,
        /// The rows.
        pub entries: GlobalMut<u32>,
    }
}

// SAFETY: a row belongs to one block, whose phases barriers part; all branches around phases depend on what all threads
// read alike (contracts U1 to U4).
unsafe impl BlockKernel for SortLongRows {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * ROWS;
        let n = (self.starts.len() - 1 - first).min(ROWS);
        let starts = self.starts.from(first);
        let length = |i: u32| starts.get(i + 1) - starts.get(i);
        if !b.any(n, scratch, |i| length(i) > LONG) {
            return;
        }
        for i in 0..n {
            if length(i) > LONG {
                b.sort(self.entries.part(starts.get(i), length(i)), length(i));
            }
        }
    }
}

kernel! {
    /// The half-edge across each, and what is wrong.
    pub struct Twins: Flat {
        /// The faces.
        pub columns: Columns,
        /// Where each row starts.
        pub starts: Global<u32>,
        /// The rows.
        pub entries: Global<u32>,
        /// The half-edge across each.
        pub twins: GlobalMut<u32>,
        /// [`BAD_WORDS`] words, [`NONE`] where nothing is wrong.
        pub bad: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own twin, and `bad` atomically; ids are in range (contracts U3, U4).
unsafe impl FlatKernel for Twins {
    #[inline(always)]
    fn run(&self, h: u32) {
        let m = self.columns;
        let (u, next) = (m.corners.get(h), m.next(h));
        let v = m.corners.get(next);
        let length = |w: u32| self.starts.get(w + 1) - self.starts.get(w);
        // Either end's row knows all half-edges between the two.
        let (here, there) = if length(u) <= length(v) {
            (u, v)
        } else {
            (v, u)
        };
        let (mut twin, mut across, mut alike) = (NONE, 0, 0);
        for at in self.starts.get(here)..self.starts.get(here + 1) {
            let g = self.entries.get(at);
            let before = m.prev(g);
            let (to, from) = (m.corners.get(m.next(g)), m.corners.get(before));
            let leaves = here == u;
            if to == there {
                if leaves {
                    alike += 1;
                } else {
                    (twin, across) = (g, across + 1);
                }
            }
            if from == there {
                if leaves {
                    (twin, across) = (before, across + 1);
                } else {
                    alike += 1;
                }
            }
        }
        if u == v {
            self.bad.fetch_min(BAD_FACE, h);
            twin = NONE;
        } else if alike > 1 || across > 1 {
            self.bad.fetch_min(BAD_EDGE, h);
            twin = NONE;
        }
        self.twins.set(h, twin);
    }
}

kernel! {
    /// Marks the half-edge that each edge starts with: the lower one.
    pub struct Edges: Flat {
        /// The half-edge across each.
        pub twins: Global<u32>,
        /// 1 for the lower half-edges of edges, else 0.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for Edges {
    #[inline(always)]
    fn run(&self, h: u32) {
        // No half-edge is larger than all.
        self.marks.set(h, u32::from(h < self.twins.get(h)));
    }
}

kernel! {
    /// Numbers edges: the lower half-edges have their number from a scan, the others take it over.
    pub struct NumberEdges: Flat {
        /// The half-edge across each.
        pub twins: Global<u32>,
        /// Lower half-edges before each.
        pub before: Global<u32>,
        /// Edge of each half-edge.
        pub edges: GlobalMut<u32>,
        /// First half-edge of each edge.
        pub halves: GlobalMut<u32>,
    }
}

// SAFETY: a half-edge writes itself and its edge, which one half-edge starts (contracts U3, U4).
unsafe impl FlatKernel for NumberEdges {
    #[inline(always)]
    fn run(&self, h: u32) {
        let twin = self.twins.get(h);
        let edge = self.before.get(h.min(twin));
        self.edges.set(h, edge);
        if h < twin {
            self.halves.set(edge, h);
        }
    }
}

kernel! {
    /// What is round each vertex ([`Around`]).
    pub struct LookAround: Flat {
        /// The faces.
        pub columns: Columns,
        /// Where each row starts.
        pub starts: Global<u32>,
        /// The rows.
        pub entries: Global<u32>,
        /// The half-edge across each.
        pub twins: Global<u32>,
        /// An [`Around`] a vertex.
        pub around: GlobalMut<u32>,
        /// As [`Twins::bad`].
        pub bad: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own, and `bad` atomically; walks end, because a twin's twin is the half-edge itself
// (contracts U3, U4).
unsafe impl FlatKernel for LookAround {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = (self.starts.get(v), self.starts.get(v + 1));
        let n = end - first;
        let m = self.columns;
        let (mut open, mut start) = (0, NONE);
        for at in first..end {
            let h = self.entries.get(at);
            // From an entry whose half-edge has no twin the walk sees its whole fan.
            if self.twins.get(h) == NONE {
                open += 1;
                start = h;
            }
            if at > first && m.face(h) == m.face(self.entries.get(at - 1)) {
                self.bad.fetch_min(BAD_FACE, h);
            }
        }
        let around = if n == 0 {
            Around::Nothing
        } else if open > 1 {
            Around::Fans
        } else {
            let start = if open == 0 {
                self.entries.get(first)
            } else {
                start
            };
            let (mut h, mut seen) = (start, 0);
            loop {
                seen += 1;
                h = self.twins.get(m.prev(h));
                if h == NONE || h == start {
                    break;
                }
            }
            match (seen < n, open, n) {
                (true, ..) => Around::Fans,
                (_, 0, _) => Around::Interior,
                (_, _, 1) => Around::Corner,
                _ => Around::Boundary,
            }
        };
        self.around.set(v, around as u32);
    }
}
