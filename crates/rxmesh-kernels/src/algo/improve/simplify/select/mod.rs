//! Selection of the edges that a round considers.

mod alone;
pub(super) mod costs;

use super::{COST_BINS, COST_SHIFT, EdgePriority, LineForm, REFUSED, TOO_FAR};
use crate::args;
use crate::cavity::{CollectTables, Counter, RoundEnd};
use crate::exec::Block;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared};
use costs::{EdgeCosts, NewEdges, refused_or};

/// Most words of a set of edges that one block of [`SimplifySelect`] works on.
pub const SELECT_WORDS: u32 = 256;

/// Most rounds in which nothing is done and nothing refused: cavities that are no disks come up again and again.
pub const IDLE_ROUNDS: u32 = 3;

/// State of a simplification between its rounds, by word of [`SimplifySelect::course`]; word 0 is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Course {
    /// Collapses that delete one face only: those of boundary edges.
    Borders = 1,
    /// Edges that are not refused.
    Open = 2,
    /// Largest cost that is cheap enough, as bits.
    Bound = 3,
    /// Rounds in a row that changed nothing.
    Idle = 4,
    /// Collapses at the time of the last decision.
    Done = 5,
    /// Number of meshes, among several, that have faces to lose.
    Left = 6,
    /// Nonzero if one of several meshes has more winners than it may have.
    Excess = 7,
    /// [`Course::Open`] while it is counted.
    Counted = 8,
    /// [`Course::Left`] while it is counted.
    Unfinished = 9,
}

/// Words of [`SimplifySelect::course`].
pub const COURSE_WORDS: usize = 10;

args! {
    /// Between two rounds: computes the costs of new edges, lists those that are cheap enough for the next round, marks
    /// those that were refused, and counts the costs of the others. The last block decides the bound of cheap costs for
    /// the next time, and the number of collapses that the next round may carry out; it ends the round, and pauses when
    /// the goal is reached or nothing changes.
    pub struct SimplifySelect<L: LineForm> {
        /// Costs of the edges.
        pub costs: EdgeCosts<L>,
        /// Edges that were refused in this round, a bit each; empty afterwards.
        pub refused: GlobalMut<u32>,
        /// Edges that are entered, a bit each; empty if they are listed.
        pub queue: GlobalMut<u32>,
        /// Words 1 and up: edges by their cost's bin. Zero before and afterwards.
        pub histogram: GlobalMut<u32>,
        /// See [`Course`].
        pub course: GlobalMut<u32>,
        /// End of the round between two; with no round that ends, it enters edges by itself.
        pub end: RoundEnd,
        /// Words of the sets that one block works on.
        pub words: u32,
        /// Part of the edges that is cheap, of 2^32.
        pub part: u32,
        /// Nonzero to forgive all refusals.
        pub forgive: u32,
        /// Order of the next round, in which new edges enter the first edge of each vertex.
        pub order: EdgePriority,
        /// Faces that are to go since [`SimplifySelect::done`] and [`SimplifySelect::borders`] were counted.
        pub faces: u32,
        /// Collapses then.
        pub done: u32,
        /// [`Course::Borders`] then.
        pub borders: u32,
    }
}

/// Shared memory of [`SimplifySelect`].
#[derive(Clone, Copy)]
pub struct SelectTables {
    histogram: Shared<u32>,
    chosen: Shared<u32>,
    new: NewEdges,
    listing: CollectTables,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<L: LineForm> BlockKernel for SimplifySelect<L> {
    // There are few blocks, each with separate counts.
    const THREADS: u32 = 512;
    type Tables = SelectTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> SelectTables {
        SelectTables {
            histogram: plan.take(COST_BINS),
            chosen: plan.take(SELECT_WORDS),
            new: NewEdges::carve(plan, self.words),
            listing: CollectTables::carve(plan, SELECT_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &SelectTables) {
        let between = self.is_between();
        if between && self.end.counters.get(Counter::Stopped as u32) != 0 {
            return;
        }
        let repeats = between && self.end.repeats();
        if !repeats {
            b.each(COST_BINS, |i| t.histogram.set(i, 0));
            if B::SOLO {
                self.look_alone(block, t);
            } else {
                self.look_at(b, block, t);
            }
            b.each(COST_BINS, |i| {
                let n = t.histogram.get(i);
                if n != 0 {
                    self.histogram.fetch_add(i + 1, n);
                }
            });
        }
        let blocks = self.blocks();
        if !b.arrive(self.end.arrived(), blocks, t.listing.scratch, || ()) {
            return;
        }
        if repeats {
            return b.last_phase(|p| p.lead(|| self.end.finish(true)));
        }
        b.each(COST_BINS, |i| {
            t.histogram.set(i, self.histogram.load(i + 1));
            self.histogram.set(i + 1, 0);
        });
        let open = b.scan(t.histogram, COST_BINS, t.listing.scratch);
        let want = cheap(open, self.part);
        b.last_phase(|p| {
            p.each(COST_BINS, |i| {
                let next = i + 1;
                let end = if next < COST_BINS {
                    t.histogram.get(next)
                } else {
                    open.max(want)
                };
                if t.histogram.get(i) < want && want <= end {
                    self.course.set(Course::Bound as u32, bin_end(i));
                }
            });
            p.lead(|| {
                self.decide(open);
                if between {
                    self.end.finish(false);
                }
            });
        });
    }
}

/// Returns the number of cheap edges among `open` edges: a part of 2^32 of them, and one at least.
#[inline(always)]
pub(super) fn cheap(open: u32, part: u32) -> u32 {
    let part = u64::from(open) * u64::from(part);
    ((part + u64::from(u32::MAX)) >> 32).max(1) as u32
}

/// Returns the largest cost in a bin.
#[inline(always)]
fn bin_end(bin: u32) -> u32 {
    (bin << COST_SHIFT) | ((1 << COST_SHIFT) - 1)
}

impl<L: LineForm> SimplifySelect<L> {
    /// Decides the number of collapses that the next round may carry out, and if there is one.
    #[inline(always)]
    fn decide(&self, open: u32) {
        let counter = |c: Counter| self.end.counters.get(c as u32);
        let course = |c: Course| self.course.get(c as u32);
        let done = counter(Counter::Candidates)
            .wrapping_sub(counter(Counter::Conflicts))
            .wrapping_sub(counter(Counter::NoDisk));
        let gone = (done.wrapping_sub(self.done).wrapping_mul(2))
            .wrapping_sub(course(Course::Borders).wrapping_sub(self.borders));
        let left = self.faces.saturating_sub(gone);
        (self.end.counters).set(Counter::Most as u32, left.div_ceil(2));
        if self.is_between() {
            let same = done == course(Course::Done) && open == course(Course::Open);
            let idle = if same && self.forgive == 0 {
                course(Course::Idle) + 1
            } else {
                0
            };
            self.course.set(Course::Idle as u32, idle);
            if left == 0 || idle > IDLE_ROUNDS {
                self.end.counters.set(Counter::Pause as u32, 1);
            }
        }
        self.course.set(Course::Done as u32, done);
        self.course.set(Course::Open as u32, open);
    }
}

impl<L: LineForm> SimplifySelect<L> {
    /// Returns `true` if it runs between two rounds.
    #[inline(always)]
    pub fn is_between(&self) -> bool {
        self.end.rounds != 0
    }

    /// Returns the number of blocks of the launch.
    pub fn blocks(&self) -> u32 {
        let blocks = self.queue.len().div_ceil(self.words);
        match self.end.tasks.count() {
            0 => blocks,
            tasks => blocks.min(tasks),
        }
    }

    /// Returns the number of edges of `words` words from `first` on.
    #[inline(always)]
    fn edges(&self, first: u32, words: u32) -> u32 {
        let all = self.costs.costs.len();
        all.saturating_sub(32 * first).min(32 * words)
    }

    /// Selects among the edges of a block, and computes the costs of the new ones.
    #[inline(always)]
    fn look_at<B: Block>(&self, b: B, block: u32, t: &SelectTables) {
        let first = block * self.words;
        let words = (self.queue.len() - first).min(self.words);
        let bound = self.course.get(Course::Bound as u32);
        b.phase(|p| {
            p.each(words, |i| t.chosen.set(i, 0));
            p.lead(|| t.new.clear());
        });
        let edges = self.edges(first, words);
        self.costs.each(b, 32 * first, edges, t.new, |i, cost| {
            self.look(32 * first + i, i, cost, bound, t);
        });
        let between = self.is_between();
        b.each(words, |i| {
            (self.queue).set(first + i, if between { 0 } else { t.chosen.get(i) });
            self.refused.set(first + i, 0);
        });
        if between {
            let word = |i: u32| t.chosen.get(i);
            self.end.list(b, first, words, &t.listing, word);
        }
    }

    #[inline(always)]
    fn look(&self, e: u32, i: u32, cost: u32, bound: u32, t: &SelectTables) {
        if cost >= TOO_FAR {
            return;
        }
        let was_refused = self.refused.get(e / 32) >> (e % 32) & 1 != 0;
        let cost = refused_or(self.costs.costs, e, cost, was_refused, self.forgive != 0);
        if cost & REFUSED == 0 {
            t.histogram.fetch_add(cost >> COST_SHIFT, 1);
            if cost <= bound {
                t.chosen.fetch_or(i / 32, 1 << (i % 32));
                self.order.enter(&self.costs.mesh, e, cost);
            }
        }
    }
}
