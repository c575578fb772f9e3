//! Arguments that the launches of a round share, and the ranks of its winners.

use super::tasks::Tasks;
use super::template::FaceVisitor;
use super::{Growth, Key, Operator, Priority, Template};
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{BlockKernel, FlatKernel};
use crate::math::hash;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Element, Kind};
use crate::{args, kernel};

/// Counters and state of rounds, by word of [`Round::counters`]. (Word 0 is not used: the device compiler does not give
/// the very address of an argument an address space.)
///
/// The last block of [`Collect`](super::Collect) ends a round; so the host may launch several before it reads back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Counter {
    /// Seeds that are listed for the next round.
    List = 1,
    /// Cavities that won this round.
    Winners = 2,
    /// Words of records that this round needs.
    Records = 3,
    /// Nonzero if slots ran out: nothing was changed.
    NoSlots = 4,
    /// Candidates that have claimed in this round, where [`Tasks`] do not count them.
    Claimed = 5,
    /// Candidates of this round, for operators with a separate launch that tests seeds.
    Wanting = 6,
    /// Nonzero if launches do nothing until the host has read back: no seed is left, a capacity was exceeded, or a
    /// kernel requested it.
    Stopped = 7,
    /// Candidates, over all rounds.
    Candidates = 8,
    /// Candidates that lost against another, over all rounds.
    Conflicts = 9,
    /// Candidates that were refused: a join that exists, a frozen face. Over all rounds.
    Refused = 10,
    /// Winners whose cavity is no disk, over all rounds.
    NoDisk = 11,
    /// Fill-ins that broke the rules, over all rounds.
    Broken = 12,
    /// Slots handed out since the lists of free slots were made: V, E, F.
    Used = 13,
    /// Start of the slots of this round: V, E, F.
    Base = 16,
    /// Members of the set that was ranked last.
    Ranked = 19,
    /// Seeds of this round, unless all elements are.
    Seeds = 20,
    /// Rounds that came to their end.
    Rounds = 21,
    /// Seeds with larger hashes are put off to the next round: where cavities crowd, only small hashes win. For
    /// operators with a [`Operator::SHARE`] below 1.
    Share = 22,
    /// Cavities that this round may carry out, for [`LimitWinners`](super::LimitWinners).
    Most = 23,
    /// Set between two rounds to request a read-back after this one.
    Pause = 24,
    /// [`Counter::Candidates`] to [`Counter::NoDisk`] when the last round ended.
    Ended = 25,
    /// Blocks of a launch that have arrived.
    Arrived = 29,
    /// Nonzero if one block continues by itself with rounds that are steps of one launch ([`Rounds`](super::Rounds)):
    /// written at the end of each round until it does.
    Alone = 30,
    /// Winners whose operator gave their cavity up ([`Operator::ABANDONS`]), over all rounds.
    Abandoned = 31,
}

/// Words of [`Round::counters`].
pub const COUNTERS: usize = 32;

/// Bit of the priority of a candidate that has claimed: its record is not written yet.
pub(super) const NO_RECORD: u32 = 1 << 31;

/// Counts from [`Counter::Candidates`] on that a round which is repeated takes back.
pub(super) const TAKEN_BACK: u32 = 4;

args! {
    /// State of a round.
    pub struct Round {
        /// Seeds to consider, unless `all` is set.
        pub list: Global<u32>,
        /// Candidates that have claimed: seed, and where the record begins, before which the priority lies, or the
        /// priority with the highest bit set. From blocks of one thread each task's ([`Tasks`]); once resolved, the
        /// numbers of its winners.
        pub pending: GlobalMut<u32>,
        /// Next round's seeds, a bit each.
        pub queue: GlobalMut<u32>,
        /// The same as a list that grows with it; empty if [`Collect`](super::Collect) lists them.
        pub next: GlobalMut<u32>,
        /// Seeds whose joins exist already or which touch a frozen face, a bit each, over all rounds since a round
        /// considered all elements.
        pub refused: GlobalMut<u32>,
        /// This round's winners, a bit each, for operators that need slots.
        pub won: GlobalMut<u32>,
        /// Winners: seed, and where its record begins. The seed is [`NONE`](crate::edit::NONE) if the cavity was
        /// refused.
        pub winners: GlobalMut<u32>,
        /// Records of the winners ([`super::Cavity`]).
        pub records: GlobalMut<u32>,
        /// See [`super::Births`]; empty when no attribute needs them.
        pub births: GlobalMut<u32>,
        /// A value a face that new faces inherit; empty if it is not needed.
        pub origins: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Shares of the round for blocks of one thread.
        pub tasks: Tasks,
        /// Number of seeds to consider when all elements are seeds.
        pub seeds: u32,
        /// Nonzero if all elements are seeds, instead of those of the list.
        pub all: u32,
        /// This round's epoch (see [`Key`]).
        pub epoch: u32,
        /// Mixed into the hashes of this round.
        pub salt: u32,
        /// Number of frozen faces.
        pub frozen: u32,
    }
}

impl Round {
    /// Returns seed `i` of the round.
    #[inline(always)]
    pub(super) fn seed(&self, i: u32) -> u32 {
        if self.all != 0 { i } else { self.list.get(i) }
    }

    #[inline(always)]
    pub(super) fn count(&self, counter: Counter, n: u32) {
        self.counters.fetch_add(counter as u32, n);
    }

    #[inline(always)]
    pub(crate) fn counter(&self, counter: Counter) -> u32 {
        self.counters.get(counter as u32)
    }

    /// Returns the number of seeds of the round: 0 while rounds are paused.
    #[inline(always)]
    pub(super) fn seeds(&self) -> u32 {
        if self.counter(Counter::Stopped) != 0 {
            0
        } else if self.all != 0 {
            self.seeds
        } else {
            self.counter(Counter::Seeds)
        }
    }

    /// Returns `true` if a capacity was exceeded in this round, which then changes nothing.
    #[inline(always)]
    pub(crate) fn stopped(&self) -> bool {
        out_of_room(self.counters, self.records.len())
    }

    /// Makes an element a seed of the next round.
    #[inline(always)]
    pub(super) fn enqueue(&self, seed: u32) {
        let (word, bit) = (seed / 32, 1 << (seed % 32));
        if self.next.is_empty() {
            self.queue.fetch_or(word, bit);
        } else if self.queue.fetch_or(word, bit) & bit == 0 {
            let at = self.counters.fetch_increment(Counter::List as u32);
            self.next.set(at, seed);
        }
    }

    /// Returns seed `i` of the round, and removes it from the queue, so that it can be a seed of the next round. If
    /// [`Collect`](super::Collect) lists the seeds, it has removed them.
    #[inline(always)]
    pub(super) fn take(&self, i: u32) -> u32 {
        let seed = self.seed(i);
        if !self.next.is_empty() && self.all == 0 {
            self.leave(seed);
        }
        seed
    }

    /// Clears the bit of an element among the next round's seeds.
    #[inline(always)]
    pub(super) fn leave(&self, seed: u32) {
        self.queue.fetch_and(seed / 32, !(1 << (seed % 32)));
    }

    #[inline(always)]
    pub(super) fn key(&self, priority: u32, seed: u32) -> Key {
        Key::new(self.epoch, Priority::from_bits(priority), self.hash(seed))
    }

    /// Returns the hash of a seed's id, a bijection. The salt changes it from round to round, so that no seed is
    /// unlucky forever.
    #[inline(always)]
    pub(super) fn hash(&self, seed: u32) -> u32 {
        hash(seed ^ self.salt)
    }
}

/// Returns `true` if the `records` words for records, or slots, ran out in this round.
#[inline(always)]
pub(crate) fn out_of_room(counters: GlobalMut<u32>, records: u32) -> bool {
    counters.get(Counter::Records as u32) > records || counters.get(Counter::NoSlots as u32) != 0
}

/// Edges of a mesh that lies in the caches of a CPU.
const AT_HAND: u32 = 300_000;

/// Returns `true` if a mesh is so small that a CPU need not prefetch.
#[inline(always)]
pub(super) fn is_at_hand(mesh: &FlatMesh) -> bool {
    mesh.edge_capacity() < AT_HAND
}

/// Returns `true` if there is a seed in a slot.
#[inline(always)]
pub fn lives<O: Operator>(mesh: &impl HalfEdgeMesh, seed: u32) -> bool {
    match <<O::Template as Template>::Seed as Element>::KIND {
        Kind::Vertex => mesh.vertex_lives(seed),
        Kind::Edge => mesh.edge_lives(seed),
        // Volumes are not edited.
        Kind::Face | Kind::Cell => mesh.face_lives(seed),
    }
}

/// Calls `f` with the faces of a cavity, some more than once, until it returns `false`. Returns `true` if it never did.
#[inline(always)]
pub fn faces<T: Template>(
    template: &T,
    mesh: &impl HalfEdgeMesh,
    seed: u32,
    f: impl FnMut(u32) -> bool,
) -> bool {
    template.elements(
        mesh,
        seed,
        &mut FaceVisitor {
            mesh,
            f,
            vertices: 0,
        },
    )
}

/// Calls `corner` with the corners of a face, until it returns `false`. Returns `true` if it never did. Cavities that
/// stay open claim the corners: two holes that meet in a vertex would leave it two fans.
#[inline(always)]
pub fn each_corner(mesh: &impl HalfEdgeMesh, f: u32, mut corner: impl FnMut(u32) -> bool) -> bool {
    let [a, b, c] = mesh.sides(f);
    corner(mesh.origin(a)) && corner(mesh.origin(b)) && corner(mesh.origin(c))
}

args! {
    /// Free slots of one kind: first those of a list, then all from `first` on.
    pub struct Slots {
        /// Slots of dead elements, ascending.
        pub list: Global<u32>,
        /// Length of the list.
        pub listed: u32,
        /// First slot that was never used.
        pub first: u32,
        /// Number of slots, used or not.
        pub capacity: u32,
    }
}

impl Slots {
    /// Returns free slot `k`.
    #[inline(always)]
    pub(super) fn slot(&self, k: u32) -> u32 {
        if k < self.listed {
            self.list.get(k)
        } else {
            self.first + (k - self.listed)
        }
    }

    /// Returns the number of free slots.
    #[inline(always)]
    fn available(&self) -> u32 {
        self.listed + (self.capacity - self.first)
    }
}

kernel! {
    /// Clears the counts of a round, and the reasons that stopped it, before the first round of a run, or before one
    /// that is repeated. One index a word of the counters, or of the refused seeds if they are more.
    pub struct BeginRun: Flat {
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Seeds that were refused, a bit each, which are forgotten; empty if they are not.
        pub refused: GlobalMut<u32>,
        /// [`Counter::Share`], if it is to be set.
        pub share: u32,
        /// Nonzero to set the share.
        pub sets_share: u32,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for BeginRun {
    #[inline(always)]
    fn run(&self, i: u32) {
        if i < self.refused.len() {
            self.refused.set(i, 0);
        }
        if (Counter::List as u32..Counter::Candidates as u32).contains(&i) {
            self.counters.set(i, 0);
        } else if i == Counter::Share as u32 && self.sets_share != 0 {
            self.counters.set(i, self.share);
        }
    }
}

/// Words that one block of [`RankWords`] works on.
pub const RANK_WORDS: u32 = 1024;

kernel! {
    /// Counts the winners before each word of their bit set, within chunks of [`RANK_WORDS`] words: new slots are
    /// handed out in the order of the seeds, independent of the order of threads.
    pub struct RankWords: Block {
        /// Winners, a bit each.
        pub won: Global<u32>,
        /// Winners before each word, in its chunk.
        pub ranks: GlobalMut<u32>,
        /// Winners of each chunk.
        pub totals: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RankWords {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(RANK_WORDS), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &(here, scratch): &Self::Tables) {
        let first = block * RANK_WORDS;
        let n = (self.won.len() - first).min(RANK_WORDS);
        let (won, ranks, totals) = (self.won.from(first), self.ranks.from(first), self.totals);
        b.each(n, |i| here.set(i, won.get(i).count_ones()));
        let total = b.scan(here, n, scratch);
        b.last_phase(|p| {
            p.each(n, |i| ranks.set(i, here.get(i)));
            p.lead(|| totals.set(block, total));
        });
    }
}

/// Totals that [`RankChunks`] scans at a time.
const TOTALS: u32 = 2048;

kernel! {
    /// Counts the winners before each chunk, and reserves their slots if there are enough. One block.
    pub struct RankChunks: Block {
        /// Winners of each chunk; before each chunk afterwards.
        pub totals: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Capacity for records: if it was exceeded nothing is reserved.
        pub records: u32,
        /// Free vertices.
        pub vertices: Slots,
        /// Free edges.
        pub edges: Slots,
        /// Free faces.
        pub faces: Slots,
        /// Vertices that a winner takes at most.
        pub grow_vertices: u32,
        /// Edges that a winner takes at most.
        pub grow_edges: u32,
        /// Faces that a winner takes at most.
        pub grow_faces: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RankChunks {
    type Tables = (Shared<u32>, Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(TOTALS), plan.take(SCRATCH_WORDS), plan.take(1))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &(here, scratch, carry): &Self::Tables) {
        b.lead(|| carry.set(0, 0));
        let mut first = 0;
        while first < self.totals.len() {
            let totals = self.totals.from(first);
            let n = totals.len().min(TOTALS);
            b.each(n, |i| here.set(i, totals.get(i)));
            let total = b.scan(here, n, scratch);
            let before = carry.get(0);
            b.each(n, |i| totals.set(i, before + here.get(i)));
            b.lead(|| carry.set(0, before + total));
            first += TOTALS;
        }
        b.last_phase(|p| p.lead(|| self.reserve(carry.get(0))));
    }
}

impl RankChunks {
    #[inline(always)]
    fn reserve(&self, winners: u32) {
        let counters = self.counters;
        counters.set(Counter::Ranked as u32, winners);
        if counters.get(Counter::Records as u32) > self.records {
            return;
        }
        let used = |k: u32| counters.get(Counter::Used as u32 + k);
        let fits = |k: u32, grow: u32, slots: &Slots| {
            // Divided, because the product may not fit 32 bits.
            grow == 0 || winners <= (slots.available() - used(k)) / grow
        };
        if !(fits(0, self.grow_vertices, &self.vertices)
            && fits(1, self.grow_edges, &self.edges)
            && fits(2, self.grow_faces, &self.faces))
        {
            counters.set(Counter::NoSlots as u32, 1);
            return;
        }
        let take = |k: u32, grow: u32| {
            let base = used(k);
            counters.set(Counter::Base as u32 + k, base);
            counters.set(Counter::Used as u32 + k, base + winners * grow);
        };
        take(0, self.grow_vertices);
        take(1, self.grow_edges);
        take(2, self.grow_faces);
    }
}

impl RankChunks {
    /// Returns the fields for an operator's growth.
    pub fn growth(mut self, growth: Growth) -> Self {
        [self.grow_vertices, self.grow_edges, self.grow_faces] = growth.by_kind();
        self
    }
}
