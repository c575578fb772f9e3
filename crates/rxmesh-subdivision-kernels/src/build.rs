//! From faces to [`Topology`](crate::topology::Topology): vertex buckets, twins by comparing inside a bucket, edges by
//! a scan. All of it is integers in a fixed order, so that the result is the same on every run and engine.

use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    flat topology_count: CountEntries;
    block topology_scan: ScanParts;
    flat topology_add: AddParts;
    flat topology_fill: FillEntries;
    block topology_twins: Twins;
    block topology_number_edges: NumberEdges;
    flat topology_copy: CopyWords;
}

/// Entries of a vertex whose place in its row each finds for itself; a block sorts longer rows.
const LONG: u32 = 48;

/// Words of a report: what is wrong with faces, and what their surface is like.
pub const REPORT_WORDS: usize = 6;
/// Where in a report the first half-edge stands whose edge is not manifold or not oriented consistently, or [`NONE`].
pub const BAD_EDGE: u32 = 0;
/// Where the first corner stands whose vertex comes again in its face, or [`NONE`].
pub const BAD_FACE: u32 = 1;
/// Where the first corner stands whose vertex does not exist, or [`NONE`].
pub const BAD_ID: u32 = 2;
/// Where the number of edges stands.
pub const EDGES: u32 = 3;
/// Where it stands whether a vertex is [`Around::Corner`]: 0 or 1.
pub const CORNERS: u32 = 4;
/// Where it stands whether a vertex is [`Around::Fans`]: 0 or 1.
pub const FANS: u32 = 5;
/// The report of nothing.
pub const REPORT: [u32; REPORT_WORDS] = [NONE, NONE, NONE, 0, 0, 0];

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

rxmesh_kernels::args! {
    /// Prefix sums in two steps: of each chunk, a block each, and of the chunks' totals, by the last block to finish. A
    /// value's sum is that inside its chunk and its chunk's.
    pub struct Parts {
        /// The binary logarithm of a chunk's length, at most that of [`MOST_CHUNK`].
        pub log_chunk: u32,
        /// The sum before each chunk: as many as there are chunks, and blocks.
        pub sums: GlobalMut<u32>,
        /// Two words that are zero, as [`Block::arrive`] wants them.
        pub arrived: GlobalMut<u32>,
    }
}

/// The longest chunk of [`Parts`].
pub const MOST_CHUNK: u32 = 2048;
/// The shortest one.
const LEAST_CHUNK: u32 = 256;
/// Chunks that keep a large GPU busy: with less of them, they are shorter.
const CHUNKS: u32 = 1024;

/// The binary logarithm of the length of a chunk of so many values.
pub fn log_chunk(values: u32) -> u32 {
    (values / CHUNKS)
        .next_power_of_two()
        .clamp(LEAST_CHUNK, MOST_CHUNK)
        .ilog2()
}

impl Parts {
    /// The values of a block: the first, and how many of `n`.
    #[inline(always)]
    fn range(&self, block: u32, n: u32) -> (u32, u32) {
        let first = block << self.log_chunk;
        (first, (n - first).min(1 << self.log_chunk))
    }

    /// Hands in the total of a block's chunk; the last block makes sums of all, and runs `then` with the total.
    #[inline(always)]
    fn hand_in<B: Block>(
        &self,
        b: B,
        (block, total): (u32, u32),
        (here, scratch): (Shared<u32>, Shared<u32>),
        then: impl FnOnce(u32),
    ) {
        let sums = self.sums;
        let blocks = sums.len();
        if !b.arrive(self.arrived, blocks, scratch, || sums.store(block, total)) {
            return;
        }
        let (mut first, mut before) = (0, 0);
        while first < blocks {
            let n = (blocks - first).min(MOST_CHUNK);
            b.each(n, |i| here.set(i, sums.load(first + i)));
            let more = b.scan(here, n, scratch);
            b.each(n, |i| sums.set(first + i, before + here.get(i)));
            before += more;
            first += n;
        }
        b.last_phase(|p| p.lead(|| then(before)));
    }
}

kernel! {
    /// How many corners each vertex has; `counts` is zero before.
    pub struct CountEntries: Flat {
        /// Number of vertices, at least 1.
        pub vertices: u32,
        /// Vertex of each corner, as given.
        pub given: Global<u32>,
        /// A copy, with 0 for vertices that do not exist; nothing when the given ones are checked, and stay.
        pub corners: GlobalMut<u32>,
        /// First corner of each face; nothing when all have the same number.
        pub offsets: Global<u32>,
        /// Face of each corner; nothing when all faces have the same number.
        pub faces: GlobalMut<u32>,
        /// Corners of each vertex.
        pub counts: GlobalMut<u32>,
        /// As [`Twins::report`].
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
    /// Prefix sums as [`Parts`] has them.
    pub struct ScanParts: Block {
        /// The values.
        pub values: Global<u32>,
        /// The sum before each in its chunk.
        pub sums: GlobalMut<u32>,
        /// The chunks.
        pub parts: Parts,
    }
}

// SAFETY: a block writes its own chunk, in phases that barriers part; what the last one reads of others is atomic, and
// only it writes the chunks' sums then (contracts U1 to U4).
unsafe impl BlockKernel for ScanParts {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(MOST_CHUNK), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch): &Self::Tables) {
        let (first, n) = self.parts.range(block, self.values.len());
        b.each(n, |i| here.set(i, self.values.get(first + i)));
        let total = b.scan(here, n, scratch);
        b.each(n, |i| self.sums.set(first + i, here.get(i)));
        self.parts
            .hand_in(b, (block, total), (here, scratch), |_| {});
    }
}

kernel! {
    /// The second step of [`Parts`], in place.
    pub struct AddParts: Flat {
        /// The sum before each value in its chunk; afterwards before each value.
        pub sums: GlobalMut<u32>,
        /// As [`Parts::log_chunk`].
        pub log_chunk: u32,
        /// As [`Parts::sums`].
        pub before: Global<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for AddParts {
    #[inline(always)]
    fn run(&self, i: u32) {
        let sum = self.sums.get(i) + self.before.get(i >> self.log_chunk);
        self.sums.set(i, sum);
    }
}

kernel! {
    /// Where each row starts, and each corner in a place of its vertex's row: one that it takes from `counts`, which is
    /// zero afterwards.
    pub struct FillEntries: Flat {
        /// Vertex of each corner.
        pub corners: Global<u32>,
        /// The corners before each vertex, in its chunk.
        pub sums: Global<u32>,
        /// As [`Parts::log_chunk`].
        pub log_chunk: u32,
        /// As [`Parts::sums`].
        pub before: Global<u32>,
        /// As [`CountEntries::counts`].
        pub counts: GlobalMut<u32>,
        /// Where each row starts, and where the last one ends.
        pub starts: GlobalMut<u32>,
        /// The rows, in any order.
        pub rows: GlobalMut<u32>,
    }
}

// SAFETY: an index writes its own start; places are taken atomically, each once, and a row has one for each of its
// corners (contracts U3, U4).
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
    /// The half-edge across each, rows in order, the first step of numbers of edges, and what is wrong.
    pub struct Twins: Block {
        /// The faces.
        pub columns: Columns,
        /// Where each row starts.
        pub starts: Global<u32>,
        /// The rows, in any order.
        pub rows: Global<u32>,
        /// The rows, ascending, but for long ones.
        pub entries: GlobalMut<u32>,
        /// The half-edge across each.
        pub twins: GlobalMut<u32>,
        /// Lower half-edges before each in its chunk.
        pub before: GlobalMut<u32>,
        /// The chunks of half-edges.
        pub parts: Parts,
        /// [`REPORT_WORDS`] words, [`REPORT`] where nothing is wrong.
        pub report: GlobalMut<u32>,
    }
}

/// What a half-edge sees of the rows at its ends.
struct Seen {
    /// A half-edge across.
    twin: u32,
    /// How many go across.
    across: u32,
    /// How many go alike, itself included.
    alike: u32,
}

impl Twins {
    #[inline(always)]
    fn row(&self, v: u32) -> (u32, u32) {
        (self.starts.get(v), self.starts.get(v + 1))
    }

    /// Goes through the row of vertex `here` for half-edges between it and `there`, of which the own one leaves `here`
    /// or not.
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
            for (half, found, out) in [(g, to == there, true), (before, from == there, false)] {
                if found && out == leaves {
                    seen.alike += 1;
                } else if found {
                    (seen.twin, seen.across) = (half, seen.across + 1);
                }
            }
        }
        seen
    }

    /// Whether a corner of a long row has a lower one in its face of the same vertex.
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

    /// Finds the twin of a half-edge, and its place in its row; gives whether it is the lower one of its edge.
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
            // Either end's row knows all half-edges between the two.
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
        // No half-edge is larger than all.
        u32::from(h < twin)
    }
}

// SAFETY: a half-edge writes its own twin, number and place, `report` atomically, and the last block what is only its
// own; ids are in range; barriers part the phases (contracts U1 to U4).
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
    /// Numbers edges, by their lower half-edges; sorts long rows; and looks what is round each vertex ([`Around`]). A
    /// block has [`ITEMS`] half-edges, and as many vertices.
    ///
    /// Where edges are not as many as the host was told, or something is wrong, what comes is a mesh whose ids are in
    /// range and whose walks end, of no use else: half-edges are twins by pairs, and rows are empty.
    pub struct NumberEdges: Block {
        /// The faces.
        pub columns: Columns,
        /// How many edges the host was told of; [`NONE`] where it waits for their number.
        pub told: u32,
        /// Where each row starts.
        pub starts: GlobalMut<u32>,
        /// The rows, in any order.
        pub rows: Global<u32>,
        /// The rows, of which long ones are not there yet.
        pub entries: GlobalMut<u32>,
        /// The half-edge across each.
        pub twins: GlobalMut<u32>,
        /// Lower half-edges before each in its chunk.
        pub before: Global<u32>,
        /// As [`Parts::log_chunk`].
        pub log_chunk: u32,
        /// As [`Parts::sums`].
        pub sums: Global<u32>,
        /// Edge of each half-edge.
        pub edges: GlobalMut<u32>,
        /// First half-edge of each edge; those that have no room are left out.
        pub halves: GlobalMut<u32>,
        /// An [`Around`] a vertex.
        pub around: GlobalMut<u32>,
        /// As [`Twins::report`].
        pub report: GlobalMut<u32>,
    }
}

/// Half-edges of a block of [`NumberEdges`].
pub const ITEMS: u32 = 256;

// SAFETY: a half-edge writes itself and its edge, which one half-edge starts, and a vertex its own, long rows in phases
// that barriers part; `report` is atomic; walks end, because a twin's twin is the half-edge itself; all branches around
// phases depend on what all threads read alike (contracts U1 to U4).
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
                p.each(vertices, |i| self.empty(first + i));
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
    /// Whether the faces are not what the host was told.
    #[inline(always)]
    fn is_other(&self) -> bool {
        let word = |i: u32| self.report.load(i);
        let bad = word(BAD_EDGE) != NONE || word(BAD_FACE) != NONE || word(BAD_ID) != NONE;
        bad || word(EDGES) != self.told
    }

    /// A half-edge of an edge that it has with the one beside it in memory.
    #[inline(always)]
    fn pair(&self, h: u32) {
        self.twins.set(h, h ^ 1);
        self.edges.set(h, h / 2);
        if h & 1 == 0 {
            self.halves.set(h / 2, h);
        }
    }

    /// A vertex without faces.
    #[inline(always)]
    fn empty(&self, v: u32) {
        self.starts.set(v, 0);
        if v + 1 == self.around.len() {
            self.starts.set(v + 1, 0);
        }
        self.around.set(v, Around::Nothing as u32);
    }

    /// Sorts a row.
    #[inline(always)]
    fn sort<B: Block>(&self, b: B, start: u32, n: u32) {
        let (from, to) = (self.rows.part(start, n), self.entries.part(start, n));
        b.each(n, |i| to.set(i, from.get(i)));
        b.sort(to, n);
    }

    /// Lower half-edges have their number from the sums, the others take it over.
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
            // From an entry whose half-edge has no twin the walk sees its whole fan.
            if self.twins.get(h) == NONE {
                open += 1;
                start = h;
            }
        }
        let around = if n == 0 {
            Around::Nothing
        } else if open > 1 {
            Around::Fans
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
                (true, ..) => Around::Fans,
                (_, 0, _) => Around::Interior,
                (_, _, 1) => Around::Corner,
                _ => Around::Boundary,
            }
        };
        match around {
            Around::Corner => self.report.store(CORNERS, 1),
            Around::Fans => self.report.store(FANS, 1),
            _ => {}
        }
        self.around.set(v, around as u32);
    }
}

kernel! {
    /// Copies words.
    pub struct CopyWords: Flat {
        /// The words.
        pub from: Global<u32>,
        /// Where to.
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
