//! Numbers of edges, and neighbourhoods of vertices.

use super::{BAD_EDGE, BAD_FACE, BAD_ID, CORNERS, EDGES, FANS, FaceColumns, LONG, Neighbourhood};
use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

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
        /// Logarithm of the chunk size, as [`ChunkSums::log_chunk`](crate::scan::ChunkSums::log_chunk).
        pub log_chunk: u32,
        /// Sums before each chunk, as [`ChunkSums::sums`](crate::scan::ChunkSums::sums).
        pub sums: Global<u32>,
        /// Edge of each half-edge.
        pub edges: GlobalMut<u32>,
        /// First half-edge of each edge; those beyond the capacity are left out.
        pub halves: GlobalMut<u32>,
        /// An [`Neighbourhood`] per vertex.
        pub around: GlobalMut<u32>,
        /// Report, as [`Twins::report`](super::twins::Twins::report).
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
