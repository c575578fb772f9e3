//! Twins of half-edges, and errors of faces.

use super::{BAD_EDGE, BAD_FACE, CORNERS, EDGES, FANS, FaceColumns, LONG};
use crate::scan::{ChunkSums, MOST_CHUNK};
use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

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
        /// [`REPORT_WORDS`](super::REPORT_WORDS) words, [`REPORT`](super::REPORT) if there are no errors.
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
