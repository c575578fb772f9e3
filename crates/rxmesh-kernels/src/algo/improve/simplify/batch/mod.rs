//! Several meshes at once, each to a separate number of faces.
//!
//! A round takes from each mesh the edges that are cheap among its own, so that none waits for another one. Edges keep
//! their slots' labels, because the new edges of a collapse take slots of old ones of the same mesh.

mod winners;

pub use winners::{BatchLimit, BatchList, BatchWinners, Winning};

use super::select::cheap;
use super::select::costs::{EdgeCosts, NewEdges, refused_or};
use super::{Course, EdgePriority, IDLE_ROUNDS, LineForm, REFUSED, SELECT_WORDS, TOO_FAR};
use crate::cavity::{Counter, out_of_room};
use crate::edit::{FlatMesh, HalfEdgeMesh, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{BlockKernel, FlatKernel};
use crate::lanes::three;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::{args, kernel};

/// Counts of each of several meshes, by word of its [`WORDS_A_PART`]; word 0 is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MeshCount {
    /// Live faces at the beginning.
    Faces = 1,
    /// Faces that are to go.
    Goal = 2,
    /// Number of deleted faces.
    Gone = 3,
    /// Bound: edges of a lower cost, as bits, are considered.
    Below = 4,
    /// Edges that are not refused.
    Open = 5,
    /// Winners of this round.
    Winners = 6,
    /// Start of its winners in the list of winners by mesh.
    First = 7,
    /// Part of the edges that is cheap, of 2^32.
    Cheap = 8,
}

/// Words that are kept of each of several meshes.
pub const WORDS_A_PART: u32 = 9;

/// Returns the index of a word of a mesh.
#[inline(always)]
pub(super) fn part_word(part: u32, word: MeshCount) -> u32 {
    part * WORDS_A_PART + word as u32
}

/// Blocks of launches over the winners of a round, whose number the host does not know.
pub const BATCH_BLOCKS: u32 = 1056;

/// Winners that a block takes at a time.
const WINNERS: u32 = 128;

/// Numbers that are scanned at a time.
const CHUNK: u32 = 2048;

args! {
    /// Several meshes in one, as the kernels see them that tell them apart.
    pub struct Batched {
        /// Number of the mesh of each edge.
        pub labels: Global<u32>,
        /// See [`MeshCount`].
        pub parts: GlobalMut<u32>,
        /// Number of meshes.
        pub count: u32,
        /// Edges by mesh and their cost's bin, from word 1 on; zero before and after a round.
        pub histogram: GlobalMut<u32>,
        /// Bins of a mesh: a power of two.
        pub bins: u32,
        /// Bits of a cost below its bin.
        pub shift: u32,
    }
}

impl Batched {
    #[inline(always)]
    fn get(&self, part: u32, word: MeshCount) -> u32 {
        self.parts.get(part_word(part, word))
    }

    #[inline(always)]
    fn set(&self, part: u32, word: MeshCount, value: u32) {
        self.parts.set(part_word(part, word), value);
    }

    /// Returns the number of faces that still are to go.
    #[inline(always)]
    fn left(&self, part: u32) -> u32 {
        self.get(part, MeshCount::Goal)
            .saturating_sub(self.get(part, MeshCount::Gone))
    }
}

kernel! {
    /// Finds live vertices whose label is no mesh's. One index per vertex slot.
    pub struct BatchCheck: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Number of the mesh of each vertex.
        pub vertices: Global<u32>,
        /// Number of meshes.
        pub count: u32,
        /// Word 1: the largest slot of such a vertex, and 1.
        pub wrong: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for BatchCheck {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.mesh.vertex_lives(v) && self.vertices.get(v) >= self.count {
            self.wrong.raise(1, v + 1);
        }
    }
}

/// Faces that one block of [`BatchFaces`] takes.
pub const FACES: u32 = 1024;

kernel! {
    /// Gives the edges of each face the label of its vertices, and counts the faces of each mesh. A block has
    /// [`FACES`] face slots.
    pub struct BatchFaces: Block {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Number of face slots.
        pub slots: u32,
        /// Number of the mesh of each vertex.
        pub vertices: Global<u32>,
        /// Number of the mesh of each edge.
        pub labels: GlobalMut<u32>,
        /// See [`MeshCount`].
        pub parts: GlobalMut<u32>,
        /// Word 1: the largest slot of a face whose vertices differ, and 1.
        pub wrong: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for BatchFaces {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        // In this order: the device compiler takes word 0 of the first piece for one that could be anywhere.
        let scratch = plan.take(SCRATCH_WORDS);
        (plan.take(FACES), scratch)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(label, scratch): &Self::Tables) {
        let first = block * FACES;
        let n = (self.slots - first).min(FACES);
        b.each(n, |i| label.set(i, self.label(first + i)));
        // Faces of one mesh mostly lie together: the block adds up those of its first one's mesh.
        let common = label.get(0);
        let count = b.count(n, scratch, |i| common != NONE && label.get(i) == common);
        b.last_phase(|p| {
            p.each(n, |i| {
                let other = label.get(i);
                if other != NONE && other != common {
                    self.parts.fetch_add(part_word(other, MeshCount::Faces), 1);
                }
            });
            p.lead(|| {
                if count > 0 {
                    self.parts
                        .fetch_add(part_word(common, MeshCount::Faces), count);
                }
            });
        });
    }
}

impl BatchFaces {
    /// Returns the label of a face's edges, [`NONE`] for dead faces.
    #[inline(always)]
    fn label(&self, f: u32) -> u32 {
        if !self.mesh.face_lives(f) {
            return NONE;
        }
        let sides = self.mesh.sides(f);
        let [a, b, c] = three(|k| self.vertices.get(self.mesh.origin(sides[k])));
        if a != b || a != c {
            self.wrong.raise(1, f + 1);
        }
        // Faces that meet have the same label: the last to come writes the same value.
        for h in sides {
            self.labels.store(h >> 1, a);
        }
        a
    }
}

kernel! {
    /// Sets the bound of each mesh so that no edge is cheap. One index per mesh.
    pub struct BatchUnbind: Flat {
        /// Labels and counts of the meshes.
        pub batch: Batched,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for BatchUnbind {
    #[inline(always)]
    fn run(&self, part: u32) {
        self.batch.set(part, MeshCount::Below, 0);
    }
}

args! {
    /// As [`SimplifySelect`](super::SimplifySelect), with a bound for each mesh: computes the costs of new edges,
    /// enters those that are cheap enough, marks those that were refused, and counts the costs of the others.
    pub struct BatchSelect<L: LineForm> {
        /// Labels and counts of the meshes.
        pub batch: Batched,
        /// Costs of the edges.
        pub costs: EdgeCosts<L>,
        /// Edges that were refused in this round, a bit each; empty afterwards.
        pub refused: GlobalMut<u32>,
        /// Edges that are entered, a bit each.
        pub queue: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Capacity for records: if it was exceeded, or rounds are paused, nothing is done.
        pub records: u32,
        /// Nonzero if it runs between two rounds; otherwise it enters edges by itself.
        pub between: u32,
        /// Words of the sets that one block works on.
        pub words: u32,
        /// Nonzero to forgive all refusals.
        pub forgive: u32,
        /// Order of the next round, in which new edges enter the first edge of each vertex.
        pub order: EdgePriority,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<L: LineForm> BlockKernel for BatchSelect<L> {
    type Tables = (Shared<u32>, NewEdges);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(SELECT_WORDS), NewEdges::carve(plan, self.words))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(chosen, new): &Self::Tables) {
        let still = self.counters.get(Counter::Stopped as u32) != 0;
        if self.between != 0 && (still || out_of_room(self.counters, self.records)) {
            return;
        }
        let first = block * self.words;
        let words = (self.queue.len() - first).min(self.words);
        let edges = self
            .costs
            .costs
            .len()
            .saturating_sub(32 * first)
            .min(32 * words);
        b.phase(|p| {
            p.each(words, |i| chosen.set(i, 0));
            p.lead(|| new.clear());
        });
        self.costs.each(b, 32 * first, edges, new, |i, cost| {
            self.look(32 * first + i, i, cost, chosen);
        });
        b.last_phase(|p| {
            p.each(words, |i| {
                self.queue.set(first + i, chosen.get(i));
                self.refused.set(first + i, 0);
            });
        });
    }
}

impl<L: LineForm> BatchSelect<L> {
    #[inline(always)]
    fn look(&self, e: u32, i: u32, cost: u32, chosen: Shared<u32>) {
        if cost >= TOO_FAR {
            return;
        }
        let was_refused = self.refused.get(e / 32) >> (e % 32) & 1 != 0;
        let cost = refused_or(self.costs.costs, e, cost, was_refused, self.forgive != 0);
        if cost & REFUSED != 0 {
            return;
        }
        let (batch, part) = (&self.batch, self.batch.labels.get(e));
        if batch.left(part) == 0 {
            return;
        }
        let bin = part * batch.bins + (cost >> batch.shift);
        batch.histogram.fetch_add(1 + bin, 1);
        if cost < batch.get(part, MeshCount::Below) {
            chosen.fetch_or(i / 32, 1 << (i % 32));
            self.order.enter(&self.costs.mesh, e, cost);
        }
    }
}

kernel! {
    /// Decides the bound of cheap costs for the next time, after [`BatchSelect`], one block per mesh. The last block
    /// pauses the rounds when all meshes are done or nothing changes.
    pub struct BatchDecide: Block {
        /// Labels and counts of the meshes.
        pub batch: Batched,
        /// See [`Course`].
        pub course: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Capacity for records: if it was exceeded, or rounds are paused, nothing is done.
        pub records: u32,
        /// Nonzero if it runs between two rounds.
        pub between: u32,
        /// Nonzero to forgive all refusals.
        pub forgive: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for BatchDecide {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(CHUNK), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, part: u32, &(here, scratch): &Self::Tables) {
        let counters = self.counters;
        let still = counters.get(Counter::Stopped as u32) != 0;
        if self.between != 0 && (still || out_of_room(counters, self.records)) {
            return;
        }
        let (batch, bins) = (&self.batch, self.batch.bins);
        let histogram = batch.histogram.from(part * bins);
        b.each(bins, |i| {
            here.set(i, histogram.get(1 + i));
            histogram.set(1 + i, 0);
        });
        let open = b.scan(here, bins, scratch);
        let want = cheap(open, batch.get(part, MeshCount::Cheap));
        b.phase(|p| {
            p.each(bins, |i| {
                let end = if i + 1 < bins {
                    here.get(i + 1)
                } else {
                    open.max(want)
                };
                if here.get(i) < want && want <= end {
                    batch.set(part, MeshCount::Below, (i + 1) << batch.shift);
                }
            });
            p.lead(|| {
                let left = batch.left(part);
                batch.set(part, MeshCount::Open, open);
                // The last block adds up the counts of the others.
                self.course.fetch_add(Course::Counted as u32, open);
                self.course
                    .fetch_add(Course::Unfinished as u32, u32::from(left > 0));
            });
        });
        let arrived = counters.from(Counter::Arrived as u32 - 1);
        if b.arrive(arrived, batch.count, scratch, || ()) {
            b.last_phase(|p| p.lead(|| self.decide()));
        }
    }
}

impl BatchDecide {
    #[inline(always)]
    fn decide(&self) {
        let course = |c: Course| self.course.load(c as u32);
        let set = |c: Course, value: u32| self.course.set(c as u32, value);
        let counter = |c: Counter| self.counters.get(c as u32);
        let done = counter(Counter::Candidates)
            .wrapping_sub(counter(Counter::Conflicts))
            .wrapping_sub(counter(Counter::NoDisk));
        let (open, unfinished) = (course(Course::Counted), course(Course::Unfinished));
        self.counters.set(Counter::Most as u32, NONE);
        if self.between != 0 {
            let same = done == course(Course::Done) && open == course(Course::Open);
            let idle = if same && self.forgive == 0 {
                course(Course::Idle) + 1
            } else {
                0
            };
            set(Course::Idle, idle);
            if unfinished == 0 || idle > IDLE_ROUNDS {
                self.counters.set(Counter::Pause as u32, 1);
            }
        }
        set(Course::Done, done);
        set(Course::Open, open);
        set(Course::Left, unfinished);
        set(Course::Counted, 0);
        set(Course::Unfinished, 0);
    }
}
