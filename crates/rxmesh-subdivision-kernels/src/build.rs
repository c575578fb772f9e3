//! Construction of a [`Topology`](crate::topology::Topology) from faces: buckets of half-edges by vertex, twins by
//! comparison within a bucket, edges by a prefix sum. All of it is integer arithmetic in a fixed order, so that every
//! run and engine gives the same result.

use crate::scan::{ChunkSums, MOST_CHUNK};
use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    flat topology_count: CountEntries;
    flat topology_fill: FillEntries;
    block topology_twins: Twins;
    block topology_number_edges: NumberEdges;
    flat topology_copy: CopyWords;
}

/// Longest row in which each entry computes its own rank; a block sorts longer rows.
const LONG: u32 = 48;

/// Number of words of a report: errors of faces, and properties of their surface.
pub const REPORT_WORDS: usize = 6;
/// Index of the first half-edge whose edge is not manifold or not oriented consistently, or [`NONE`].
pub const BAD_EDGE: u32 = 0;
/// Index of the first corner whose vertex occurs again in its face, or [`NONE`].
pub const BAD_FACE: u32 = 1;
/// Index of the first corner whose vertex does not exist, or [`NONE`].
pub const BAD_ID: u32 = 2;
/// Index of the number of edges.
pub const EDGES: u32 = 3;
/// Index of 1 if any vertex is [`Neighbourhood::Corner`], else 0.
pub const CORNERS: u32 = 4;
/// Index of 1 if any vertex is [`Neighbourhood::Fans`], else 0.
pub const FANS: u32 = 5;
/// Initial report.
pub const REPORT: [u32; REPORT_WORDS] = [NONE, NONE, NONE, 0, 0, 0];

/// Neighbourhood of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Neighbourhood {
    /// No faces.
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
    pub struct FaceColumns {
        /// Number of corners of every face; 0 when they differ.
        pub size: u32,
        /// First corner of each face; empty when all have `size` corners.
        pub offsets: Global<u32>,
        /// Face of each corner; empty when all have `size` corners.
        pub faces: Global<u32>,
        /// Vertex of each corner.
        pub corners: Global<u32>,
    }
}

impl FaceColumns {
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
    /// Counts the corners of each vertex; `counts` is initially zero.
    pub struct CountEntries: Flat {
        /// Number of vertices, at least 1.
        pub vertices: u32,
        /// Vertex of each corner, as given.
        pub given: Global<u32>,
        /// Copy of `given`, with 0 for vertices that do not exist; empty when the given ones are checked already.
        pub corners: GlobalMut<u32>,
        /// First corner of each face; empty when all have the same number.
        pub offsets: Global<u32>,
        /// Face of each corner; empty when all faces have the same number.
        pub faces: GlobalMut<u32>,
        /// Number of corners of each vertex.
        pub counts: GlobalMut<u32>,
        /// Report, as [`Twins::report`].
        pub report: GlobalMut<u32>,
    }
}

// SAFETY: additions are atomic; a corner writes its copy, and a face the faces of its corners; vertices are in range or
// replaced (contracts U3, U4).
unsafe impl FlatKernel for CountEntries {
    #[inline(always)]
    fn run(&self, h: u32) {
        let mut v = self.given.get(h);
        if !self.corners.is_empty() {
            if v >= self.vertices {
                self.report.fetch_min(BAD_ID, h);
                v = 0;
            }
            self.corners.set(h, v);
        }
        self.counts.fetch_add(v, 1);
        // There are fewer faces than corners.
        if !self.faces.is_empty() && h + 1 < self.offsets.len() {
            for corner in self.offsets.get(h)..self.offsets.get(h + 1) {
                self.faces.set(corner, h);
            }
        }
    }
}

kernel! {
    /// Writes the start of each row, and each corner into its vertex's row at an index taken from `counts`, which is
    /// zero afterwards.
    pub struct FillEntries: Flat {
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// Number of corners before each vertex in its chunk.
        pub sums: Global<u32>,
        /// Logarithm of the chunk size, as [`ChunkSums::log_chunk`].
        pub log_chunk: u32,
        /// Sums before each chunk, as [`ChunkSums::sums`].
        pub before: Global<u32>,
        /// Number of corners of each vertex, as [`CountEntries::counts`].
        pub counts: GlobalMut<u32>,
        /// Start of each row, and end of the last one.
        pub starts: GlobalMut<u32>,
        /// Rows, in arbitrary order.
        pub rows: GlobalMut<u32>,
    }
}

// SAFETY: an index writes its own start; elements of rows are taken atomically, each once, and a row has one for each
// of its corners (contracts U3, U4).
unsafe impl FlatKernel for FillEntries {
    #[inline(always)]
    fn run(&self, i: u32) {
        let start = |v: u32| self.sums.get(v) + self.before.get(v >> self.log_chunk);
        let (vertices, corners) = (self.sums.len(), self.corners.len());
        if i < vertices {
            self.starts.set(i, start(i));
        }
        if i == vertices {
            self.starts.set(i, corners);
        }
        if i < corners {
            let v = self.corners.get(i);
            let left = self.counts.fetch_add(v, u32::MAX);
            self.rows.set(start(v) + left - 1, i);
        }
    }
}

kernel! {
    /// Finds twins, orders rows, runs the first step of the numbers of edges, and detects errors.
    pub struct Twins: Block {
        /// Faces.
        pub columns: FaceColumns,
        /// Start of each row.
        pub starts: Global<u32>,
        /// Rows, in arbitrary order.
        pub rows: Global<u32>,
        /// Rows, ascending, except long ones.
        pub entries: GlobalMut<u32>,
        /// Twin of each half-edge.
        pub twins: GlobalMut<u32>,
        /// Number of lower half-edges before each in its chunk.
        pub before: GlobalMut<u32>,
        /// Chunks of half-edges.
        pub parts: ChunkSums,
        /// [`REPORT_WORDS`] words, [`REPORT`] if there are no errors.
        pub report: GlobalMut<u32>,
    }
}

/// Half-edges between the same two vertices as a given one.
struct Seen {
    /// A half-edge in the opposite direction.
    twin: u32,
    /// Number of half-edges in the opposite direction.
    across: u32,
    /// Number of half-edges in the same direction, including the given one.
    alike: u32,
}

impl Seen {
    /// Counts a half-edge if `found`.
    #[inline(always)]
    fn add(&mut self, half: u32, found: bool, alike: bool) {
        if found && alike {
            self.alike += 1;
        } else if found {
            (self.twin, self.across) = (half, self.across + 1);
        }
    }
}

impl Twins {
    #[inline(always)]
    fn row(&self, v: u32) -> (u32, u32) {
        (self.starts.get(v), self.starts.get(v + 1))
    }

    /// Searches the row of vertex `here` for half-edges between it and `there`; `leaves` is `true` if the given one
    /// leaves `here`.
    #[inline(always)]
    fn look(&self, here: u32, there: u32, leaves: bool, mut each: impl FnMut(u32)) -> Seen {
        let m = self.columns;
        let mut seen = Seen {
            twin: NONE,
            across: 0,
            alike: 0,
        };
        let (first, end) = self.row(here);
        for at in first..end {
            let g = self.rows.get(at);
            each(g);
            let before = m.prev(g);
            let (to, from) = (m.corners.get(m.next(g)), m.corners.get(before));
            seen.add(g, to == there, leaves);
            seen.add(before, from == there, !leaves);
        }
        seen
    }

    /// Returns `true` if a corner of a long row has a lower one of the same vertex in its face.
    #[inline(always)]
    fn comes_again(&self, h: u32, (first, end): (u32, u32)) -> bool {
        let m = self.columns;
        let face = m.face(h);
        let (start, size) = m.range(face);
        let (mut found, u) = (false, m.corners.get(h));
        if size < end - first {
            for g in start..h {
                found |= m.corners.get(g) == u;
            }
        } else {
            for at in first..end {
                let g = self.rows.get(at);
                found |= g < h && m.face(g) == face;
            }
        }
        found
    }

    /// Finds the twin of a half-edge, and its rank in its row; returns 1 if it is the lower one of its edge, else 0.
    #[inline(always)]
    fn find(&self, h: u32) -> u32 {
        let m = self.columns;
        let (u, v) = (m.corners.get(h), m.corners.get(m.next(h)));
        let (first, end) = self.row(u);
        let (mut again, seen);
        if end - first <= LONG {
            let face = m.face(h);
            let mut place = first;
            again = false;
            seen = self.look(u, v, true, |g| {
                if g < h {
                    place += 1;
                    again |= m.face(g) == face;
                }
            });
            self.entries.set(place, h);
        } else {
            // Either end's row has all half-edges between the two.
            let (from, to) = self.row(v);
            let (here, there) = if end - first <= to - from {
                (u, v)
            } else {
                (v, u)
            };
            seen = self.look(here, there, here == u, |_| {});
            again = self.comes_again(h, (first, end));
        }
        again |= u == v;
        if again {
            self.report.fetch_min(BAD_FACE, h);
        } else if seen.alike > 1 || seen.across > 1 {
            self.report.fetch_min(BAD_EDGE, h);
        }
        let bad = u == v || seen.alike > 1 || seen.across > 1;
        let twin = if bad { NONE } else { seen.twin };
        self.twins.set(h, twin);
        // No half-edge is larger than `NONE`.
        u32::from(h < twin)
    }
}

// SAFETY: a half-edge writes its own twin, number and rank, `report` atomically, and the last block only its own words;
// ids are in range; barriers separate the phases (contracts U1 to U4).
unsafe impl BlockKernel for Twins {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(MOST_CHUNK), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch): &Self::Tables) {
        let (first, n) = self.parts.range(block, self.columns.corners.len());
        b.each(n, |i| here.set(i, self.find(first + i)));
        let total = b.scan(here, n, scratch);
        b.each(n, |i| self.before.set(first + i, here.get(i)));
        let report = self.report;
        self.parts
            .hand_in(b, (block, total), (here, scratch), |edges| {
                report.set(EDGES, edges);
                report.set(CORNERS, 0);
                report.set(FANS, 0);
            });
    }
}

kernel! {
    /// Numbers edges by their lower half-edges, sorts long rows, and classifies the neighbourhood of each vertex
    /// ([`Neighbourhood`]). A block has [`ITEMS`] half-edges, and as many vertices.
    ///
    /// If the number of edges is not the one the host assumed, or there is an error, the result is a mesh whose ids are
    /// in range and whose walks end, but is otherwise meaningless: half-edges are paired as twins, and rows are equal
    /// parts of them.
    pub struct NumberEdges: Block {
        /// Faces.
        pub columns: FaceColumns,
        /// Number of edges that the host assumes; [`NONE`] if it waits for their number.
        pub told: u32,
        /// Start of each row.
        pub starts: GlobalMut<u32>,
        /// Rows, in arbitrary order.
        pub rows: Global<u32>,
        /// Rows, of which long ones are not written yet.
        pub entries: GlobalMut<u32>,
        /// Twin of each half-edge.
        pub twins: GlobalMut<u32>,
        /// Number of lower half-edges before each in its chunk.
        pub before: Global<u32>,
        /// Logarithm of the chunk size, as [`ChunkSums::log_chunk`].
        pub log_chunk: u32,
        /// Sums before each chunk, as [`ChunkSums::sums`].
        pub sums: Global<u32>,
        /// Edge of each half-edge.
        pub edges: GlobalMut<u32>,
        /// First half-edge of each edge; those beyond the capacity are left out.
        pub halves: GlobalMut<u32>,
        /// An [`Neighbourhood`] per vertex.
        pub around: GlobalMut<u32>,
        /// Report, as [`Twins::report`].
        pub report: GlobalMut<u32>,
    }
}

/// Number of half-edges of a block of [`NumberEdges`].
pub const ITEMS: u32 = 256;

// SAFETY: a half-edge writes itself and its edge, which one half-edge starts, and a vertex its own, long rows in phases
// separated by barriers; `report` is atomic; walks end, because a twin's twin is the half-edge itself; all branches
// around phases depend on values that all threads read alike (contracts U1 to U4).
unsafe impl BlockKernel for NumberEdges {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * ITEMS;
        let part = |all: u32| all.saturating_sub(first).min(ITEMS);
        let (corners, vertices) = (part(self.columns.corners.len()), part(self.around.len()));
        if self.told != NONE && self.is_other() {
            return b.last_phase(|p| {
                p.each(corners, |i| self.pair(first + i));
                p.each(vertices, |i| self.part(first + i));
            });
        }
        if vertices > 0 {
            let starts = self.starts.from(first);
            let length = |i: u32| starts.get(i + 1) - starts.get(i);
            if b.any(vertices, scratch, |i| length(i) > LONG) {
                for i in 0..vertices {
                    if length(i) > LONG {
                        self.sort(b, starts.get(i), length(i));
                    }
                }
            }
        }
        b.last_phase(|p| {
            p.each(corners, |i| self.number(first + i));
            p.each(vertices, |i| self.look(first + i));
        });
    }
}

impl NumberEdges {
    /// Returns `true` if the faces differ from the host's assumption.
    #[inline(always)]
    fn is_other(&self) -> bool {
        let word = |i: u32| self.report.load(i);
        let bad = word(BAD_EDGE) != NONE || word(BAD_FACE) != NONE || word(BAD_ID) != NONE;
        bad || word(EDGES) != self.told
    }

    /// Pairs a half-edge with its neighbour in memory, as twins of one edge.
    #[inline(always)]
    fn pair(&self, h: u32) {
        self.twins.set(h, h ^ 1);
        self.edges.set(h, h / 2);
        self.entries.set(h, h);
        if h & 1 == 0 {
            self.halves.set(h / 2, h);
        }
    }

    /// Gives a vertex its part of the half-edges.
    #[inline(always)]
    fn part(&self, v: u32) {
        let (vertices, corners) = (self.around.len(), self.entries.len());
        let start = |v: u32| (u64::from(v) * u64::from(corners) / u64::from(vertices)) as u32;
        self.starts.set(v, start(v));
        if v + 1 == vertices {
            self.starts.set(vertices, corners);
        }
        self.around.set(v, Neighbourhood::Nothing as u32);
    }

    /// Sorts a row.
    #[inline(always)]
    fn sort<B: Block>(&self, b: B, start: u32, n: u32) {
        let (from, to) = (self.rows.part(start, n), self.entries.part(start, n));
        b.each(n, |i| to.set(i, from.get(i)));
        b.sort(to, n);
    }

    /// Numbers edges: lower half-edges take their number from the sums, the others copy it.
    #[inline(always)]
    fn number(&self, h: u32) {
        let twin = self.twins.get(h);
        let low = h.min(twin);
        let edge = self.before.get(low) + self.sums.get(low >> self.log_chunk);
        self.edges.set(h, edge);
        if h < twin && edge < self.halves.len() {
            self.halves.set(edge, h);
        }
    }

    #[inline(always)]
    fn look(&self, v: u32) {
        let (first, end) = (self.starts.get(v), self.starts.get(v + 1));
        let n = end - first;
        let m = self.columns;
        let (mut open, mut start) = (0, NONE);
        for at in first..end {
            let h = self.rows.get(at);
            // From an entry whose half-edge has no twin the walk visits its whole fan.
            if self.twins.get(h) == NONE {
                open += 1;
                start = h;
            }
        }
        let around = if n == 0 {
            Neighbourhood::Nothing
        } else if open > 1 {
            Neighbourhood::Fans
        } else {
            let start = if open == 0 {
                self.rows.get(first)
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
                (true, ..) => Neighbourhood::Fans,
                (_, 0, _) => Neighbourhood::Interior,
                (_, _, 1) => Neighbourhood::Corner,
                _ => Neighbourhood::Boundary,
            }
        };
        match around {
            Neighbourhood::Corner => self.report.store(CORNERS, 1),
            Neighbourhood::Fans => self.report.store(FANS, 1),
            _ => {}
        }
        self.around.set(v, around as u32);
    }
}

kernel! {
    /// Copies words.
    pub struct CopyWords: Flat {
        /// Source.
        pub from: Global<u32>,
        /// Destination.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for CopyWords {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, self.from.get(i));
    }
}
