//! Selection of the edges that a round considers.

use super::{COST_BINS, COST_SHIFT, EdgePriority, LineForm, NEW, QuadricSurface, REFUSED, TOO_FAR};
use crate::args;
use crate::cavity::{CollectTables, Counter, RoundEnd};
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::exec::Block;
use crate::kernel::BlockKernel;
use crate::lanes::four;
use crate::mem::{GlobalMut, Plan, Shared};
use glam::Vec4;

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
    /// Costs of the edges, and the data from which they are computed.
    pub struct EdgeCosts<L: LineForm> {
        /// Positions and quadrics.
        pub surface: QuadricSurface<L>,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Costs, as bits.
        pub costs: GlobalMut<u32>,
    }
}

impl<L: LineForm> EdgeCosts<L> {
    /// Recomputes the cost of a live edge.
    #[inline(always)]
    pub(super) fn renew(&self, e: u32) -> u32 {
        let (a, b) = (self.mesh.origin(2 * e), self.mesh.tip(2 * e));
        let cost = self.surface.cost_of(e, a, b);
        self.costs.set(e, cost);
        cost
    }

    /// Works like [`EdgeCosts::renew`], for one to four edges.
    #[inline(always)]
    pub(super) fn renew_four(&self, edges: &[u32]) {
        let edge = |k: usize| edges[k.min(edges.len() - 1)];
        let a = four(|k| self.mesh.origin(2 * edge(k)));
        let b = four(|k| self.mesh.tip(2 * edge(k)));
        let costs = self.surface.cost_of_four(four(edge), a, b);
        for (&e, cost) in edges.iter().zip(costs) {
            self.costs.set(e, cost);
        }
    }

    /// Calls `look` in a block with the costs of `n` edges from `first` on, each with its number among them: first
    /// those that are known, then, by full warps, those of new edges, which it computes. `new` has been cleared.
    #[inline(always)]
    pub(super) fn each<B: Block>(
        &self,
        b: B,
        first: u32,
        n: u32,
        new: NewEdges,
        look: impl Fn(u32, u32),
    ) {
        b.each(n, |i| match self.costs.get(first + i) {
            NEW => new.enter(i),
            cost => look(i, cost),
        });
        b.each(new.n.get(0), |k| {
            let i = u32::from(new.list.get(k));
            look(i, self.renew(first + i));
        });
    }
}

/// Number of edges ahead for which a CPU prefetches the values that entering them takes.
const AHEAD: u32 = 8;

/// Edges of a block whose costs are to be computed.
#[derive(Clone, Copy)]
pub struct NewEdges {
    list: Shared<u16>,
    /// Number of them, and number of edges that are put off.
    n: Shared<u32>,
}

impl NewEdges {
    /// Reserves space for the edges of `words` words of a set.
    #[inline(always)]
    pub(super) fn carve(plan: &mut Plan, words: u32) -> Self {
        NewEdges {
            list: plan.take(32 * words),
            n: plan.take(2),
        }
    }

    /// Clears the list before the first is entered.
    #[inline(always)]
    pub(super) fn clear(self) {
        self.n.set(0, 0);
        self.n.set(1, 0);
    }

    #[inline(always)]
    fn enter(self, i: u32) {
        self.list.set(self.n.fetch_add(0, 1), i as u16);
    }

    /// Notes an edge that is not new, in a block of one thread: from the end of the list on.
    #[inline(always)]
    fn put_off(self, i: u32) {
        self.list
            .set(self.list.len() - 1 - self.n.fetch_add(1, 1), i as u16);
    }

    /// Returns edge `k` of those that were put off.
    #[inline(always)]
    fn off(self, k: u32) -> u32 {
        u32::from(self.list.get(self.list.len() - 1 - k))
    }
}

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

    /// Works like [`SimplifySelect::look_at`], in a block of one thread, which has the words of some tasks.
    #[inline(always)]
    fn look_alone(&self, block: u32, t: &SelectTables) {
        let (tasks, blocks) = (&self.end.tasks, self.blocks());
        let bound = self.course.get(Course::Bound as u32);
        let until = |block: u32| block * tasks.count() / blocks;
        let between = self.is_between();
        let mut task = until(block);
        while task < until(block + 1) {
            let [begin, end] = tasks.range(task, self.queue.len());
            let (mut first, mut listed) = (begin, 0);
            while first < end {
                let words = (end - first).min(self.words);
                let mut i = 0;
                while i < words {
                    t.chosen.set(i, 0);
                    i += 1;
                }
                t.new.clear();
                self.scan(first, self.edges(first, words), bound, t);
                self.enter(first, t);
                i = 0;
                while i < words {
                    let chosen = t.chosen.get(i);
                    self.refused.set(first + i, 0);
                    if between {
                        self.queue.set(first + i, 0);
                        listed = self.end.list_word(first + i, chosen, begin, listed);
                    } else {
                        self.queue.set(first + i, chosen);
                    }
                    i += 1;
                }
                first += words;
            }
            if between {
                self.end.tell_listed(task, begin, listed);
            }
            task += 1;
        }
    }

    /// Examines all edges and puts the cheap ones off for [`SimplifySelect::enter`]. It is for a block of one thread,
    /// whose branch predictor would guess at every edge if it is dead, expensive or cheap, and which does without by
    /// words of the set. There no edge is [`NEW`] ([`Collapse::settle`](super::Collapse)).
    #[inline(always)]
    fn scan(&self, first: u32, edges: u32, bound: u32, t: &SelectTables) {
        let costs = self.costs.costs;
        let mut word = 0;
        while 32 * word < edges {
            let (at, n) = (32 * (first + word), (edges - 32 * word).min(32));
            let whole = n == 32 && self.forgive == 0 && self.refused.get(first + word) == 0;
            if whole {
                self.scan_word(first + word, word, bound, t);
            } else {
                let mut k = 0;
                while k < n {
                    self.look(at + k, 32 * word + k, costs.get(at + k), bound, t);
                    k += 1;
                }
            }
            word += 1;
        }
    }

    /// Enters the edges that [`SimplifySelect::scan`] has put off.
    #[inline(always)]
    fn enter(&self, first: u32, t: &SelectTables) {
        let (costs, mesh) = (self.costs.costs, &self.costs.mesh);
        let n = t.new.n.get(1);
        let edge = |k: u32| 32 * first + t.new.off(k);
        let mut k = 0;
        while k < n {
            if k + 2 * AHEAD < n {
                mesh.ev.ask(2 * edge(k + 2 * AHEAD));
            }
            if k + AHEAD < n {
                self.order.ask(mesh, edge(k + AHEAD));
            }
            self.order.enter(mesh, edge(k), costs.get(edge(k)));
            k += 1;
        }
    }

    /// Scans a word of the set of edges that have not been refused in this round: word `i` of the block's.
    #[inline(always)]
    fn scan_word(&self, word: u32, i: u32, bound: u32, t: &SelectTables) {
        let costs = self.costs.costs;
        // Costs order as bits as they do as numbers; a missing or refused one is negative.
        let bound = Vec4::splat(f32::from_bits(bound.min(f32::INFINITY.to_bits())));
        let (mut open, mut cheap) = (0, 0);
        let mut k = 0;
        while k < 8 {
            let bits = costs.get4(8 * word + k);
            let cost = Vec4::from_array(four(|k| f32::from_bits(bits[k])));
            let some = !cost.is_negative_bitmask() & 0xf;
            open |= some << (4 * k);
            cheap |= (some & cost.cmple(bound).bitmask()) << (4 * k);
            k += 1;
        }
        t.chosen.set(i, cheap);
        while open != 0 {
            let cost = costs.get(32 * word + open.trailing_zeros());
            t.histogram.fetch_add(cost >> COST_SHIFT, 1);
            open &= open - 1;
        }
        while cheap != 0 {
            t.new.put_off(32 * i + cheap.trailing_zeros());
            cheap &= cheap - 1;
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

/// Returns the cost of an edge after it was marked as refused, or forgiven.
#[inline(always)]
pub(super) fn refused_or(
    costs: GlobalMut<u32>,
    e: u32,
    cost: u32,
    was_refused: bool,
    forgive: bool,
) -> u32 {
    let marked = if forgive {
        cost & !REFUSED
    } else {
        cost | if was_refused { REFUSED } else { 0 }
    };
    if marked != cost {
        costs.set(e, marked);
    }
    marked
}
