//! First launches of a round: find the candidates among the seeds, and claim all elements that they need.

mod ahead;
mod want;

pub use want::{WANT_ITEMS, Want};

use super::claims::{Met, by_ends};
use super::record::Recorder;
use super::round::{Counter, NO_RECORD, Round, each_corner, faces, lives};
use super::shape::known_words;
use super::site::{Claimant, FlatSite};
use super::template::{face_of, faces_in_any_order};
use super::{ClaimTables, Key, Operator, Priority, Seed, Sieves};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{Plan, Shared};
use ahead::{AHEAD, Ahead, FAR_AHEAD};

/// Least and most seeds that one block of [`Claim`] takes at a time: a warp gets those that are left of them.
pub const CLAIM_ITEMS: [u32; 2] = [32, 128];

/// Seeds that a block of one thread takes at a time: their data stay in its caches.
pub const CLAIM_ITEMS_ALONE: u32 = 256;

/// Returns `true` if a seed may be a candidate of this round. One that is put off is entered for the next round.
#[inline(always)]
fn is_wanting<O: Operator>(op: &O, mesh: &FlatMesh, round: &Round, seed: u32) -> bool {
    if !lives::<O>(mesh, seed) || !op.wants(mesh, Seed::<O>::new(seed)) {
        return false;
    }
    if O::SHARE < 1.0 && round.hash(seed) > round.counter(Counter::Share) {
        round.enqueue(seed);
        return false;
    }
    true
}

crate::args! {
    /// Asks the operator about each seed, or each that [`Want`] has listed, and claims the elements that the cavities
    /// of the candidates delete.
    ///
    /// Few seeds are candidates: after each question those that are left move together, so that the threads of a warp
    /// have the same to do.
    pub struct Claim<O> {
        /// Operator to run.
        pub op: O,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Tables of claims.
        pub claims: ClaimTables,
        /// State of the round.
        pub round: Round,
        /// Most seeds that one block takes at a time.
        pub items: u32,
        /// Blocks of the launch: each takes some seeds after the other.
        pub blocks: u32,
        /// Nonzero if [`Want`] has listed the seeds: then the round's list is that of those.
        pub sieved: u32,
    }
}

/// Shared memory of [`Claim`].
#[derive(Clone, Copy)]
pub struct ClaimShared {
    /// Items that are left, by their index among the earlier ones.
    left: Shared<u32>,
    seeds: Shared<u32>,
    /// Priorities of the seeds, [`NONE`] for those that are no candidates.
    priorities: Shared<u32>,
    /// [`Met`] of the seeds.
    met: Shared<u32>,
    /// Start of the records of those that have claimed, among the block's.
    rooms: Shared<u32>,
    flags: Shared<u32>,
    place: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<O: Operator> BlockKernel for Claim<O> {
    // With more of them, those without a candidate would wait for the others.
    const THREADS: u32 = 32;
    // The registers of the widest operator: fewer would spill to memory, and few blocks find much to do.
    const REGISTERS: Option<u32> = Some(96);
    type Tables = ClaimShared;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> ClaimShared {
        ClaimShared {
            left: plan.take(self.items + 1),
            seeds: plan.take(self.items),
            priorities: plan.take(self.items),
            met: plan.take(self.items),
            rooms: plan.take(if records_early::<O>() { self.items } else { 0 }),
            flags: plan.take(self.items),
            place: plan.take(2),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &ClaimShared) {
        self.run_as::<B, false>(b, block, t);
    }
}

impl<O: Operator> Claim<O> {
    /// Works as one block of a launch, or of a step of one. Two kernels with the same closures would call them: the
    /// compiler inlines long code only if it has one caller.
    #[inline(always)]
    pub(super) fn run_as<B: Block, const STEP: bool>(&self, b: B, block: u32, t: &ClaimShared) {
        let all = if self.is_sieved() {
            self.round.counter(Counter::Wanting)
        } else {
            self.round.seeds()
        };
        if B::SOLO {
            return self.look_alone(block, all, t);
        }
        // Few seeds are shared out among all blocks.
        let each = all.div_ceil(self.blocks);
        let items = each.max(CLAIM_ITEMS[0]).min(self.items);
        let mut first = block * items;
        while first < all {
            let n = (all - first).min(items);
            self.look::<B, STEP>(b, first, n, t);
            first += self.blocks * items;
        }
    }

    #[inline(always)]
    fn is_sieved(&self) -> bool {
        O::SIEVES != Sieves::Never && self.sieved != 0
    }

    /// Claims the cavities of the candidates among `n` seeds from `first` on, and lists those that were claimed.
    #[inline(always)]
    fn look<B: Block, const STEP: bool>(&self, b: B, first: u32, n: u32, t: &ClaimShared) {
        let round = &self.round;
        let wanting = if self.is_sieved() {
            n
        } else {
            b.compact(n, t.left, t.flags, t.scratch, |i| {
                is_wanting(&self.op, &self.mesh, round, round.take(first + i))
            })
        };
        b.each(wanting, |k| {
            let i = if self.is_sieved() { k } else { t.left.get(k) };
            let seed = round.seed(first + i);
            let (priority, met) = match self.candidate(seed) {
                Some(p) => (p.bits(), p.met()),
                None => (NONE, Met::default()),
            };
            t.seeds.set(k, seed);
            t.priorities.set(k, priority);
            t.met.set(k, met.word());
        });
        let candidates = b.compact(wanting, t.left, t.flags, t.scratch, |k| {
            t.priorities.get(k) != NONE
        });
        b.each(candidates, |c| {
            let k = t.left.get(c);
            let (seed, priority) = (t.seeds.get(k), t.priorities.get(k));
            let told = Met::from_word(t.met.get(k));
            let key = round.key(priority, seed);
            match self.claim(seed, key, told, records_early::<O>()) {
                Some(met) => t.met.set(k, met.word()),
                None => {
                    t.priorities.set(k, NONE);
                    self.refuse(seed);
                }
            }
        });
        let claimed = b.compact(wanting, t.left, t.flags, t.scratch, |k| {
            t.priorities.get(k) != NONE
        });
        if claimed == 0 {
            return;
        }
        let words = if records_early::<O>() {
            b.each(claimed, |c| {
                let met = Met::from_word(t.met.get(t.left.get(c)));
                t.rooms.set(c, room::<O>(met.all()));
                t.flags.set(c, 0);
            });
            b.scan(t.rooms, claimed, t.scratch)
        } else {
            0
        };
        b.lead(|| {
            let place = round.counters.fetch_add(Counter::Claimed as u32, claimed);
            t.place.set(0, place);
            if records_early::<O>() {
                t.place.set(1, self.reserve(words).unwrap_or(NONE));
            }
        });
        let records = records_early::<O>() && t.place.get(1) != NONE;
        if records {
            b.each(2 * claimed, |i| {
                let (c, side) = (i / 2, i % 2);
                let (k, at) = (t.left.get(c), t.place.get(1) + t.rooms.get(c));
                let (seed, met) = (t.seeds.get(k), Met::from_word(t.met.get(k)));
                if self.record_side(at, seed, t.priorities.get(k), met, side) {
                    t.flags.fetch_or(c, 1 << side);
                }
            });
        }
        b.each(claimed, |c| {
            let (k, at) = (t.left.get(c), 2 * (t.place.get(0) + c));
            let word = if records && t.flags.get(c) == 3 {
                t.place.get(1) + t.rooms.get(c) + 1
            } else {
                t.priorities.get(k) | NO_RECORD
            };
            round.pending.set(at, t.seeds.get(k));
            round.pending.set(at + 1, word);
        });
    }

    /// Claims the cavities of the candidates among the seeds of a task.
    #[inline(always)]
    fn look_alone(&self, task: u32, all: u32, t: &ClaimShared) {
        let tasks = &self.round.tasks;
        let [begin, end] = tasks.range(task, all);
        let (mut at, mut from, mut claimed) = (begin, [0; 2], 0);
        while at < end {
            let [first, listed] = if self.round.all != 0 {
                [at, end - at]
            } else {
                tasks.piece(at, &mut from)
            };
            let n = listed.min(end - at).min(self.items);
            claimed += self.look_at(first, n, begin + claimed, t);
            at += n;
        }
        tasks.set_candidates(task, claimed);
    }

    /// Works like [`Claim::look`], in a block of one thread, which shares its questions with no other. Lists those that
    /// have claimed from `place` on, and returns their number.
    ///
    /// While the rows of a candidate are at hand it also writes the record of the cavity, if its shape is known: most
    /// candidates win, and [`Resolve`](super::Resolve) need not walk around them again.
    #[inline(always)]
    fn look_at(&self, first: u32, n: u32, place: u32, t: &ClaimShared) -> u32 {
        let round = &self.round;
        let mut ahead = Ahead::of(self);
        let mut wanting = 0;
        let mut i = 0;
        while i < n {
            if ahead.walks && i + FAR_AHEAD < n {
                (self.mesh.ev).ask(2 * round.seed(first + i + FAR_AHEAD));
            }
            let seed = round.seed(first + i);
            if self.is_sieved() || is_wanting(&self.op, &self.mesh, round, seed) {
                t.seeds.set(wanting, seed);
                wanting += 1;
            }
            i += 1;
        }
        let (mut claimed, mut words) = (0, 0);
        let mut k = 0;
        while k < (2 * AHEAD).min(wanting) {
            ahead.announce(t.seeds.get(k));
            k += 1;
        }
        k = 0;
        while k < AHEAD.min(wanting) {
            ahead.enter(k, t.seeds.get(k));
            k += 1;
        }
        k = 0;
        while k < wanting {
            let seed = t.seeds.get(k);
            ahead.step();
            if k + AHEAD < wanting {
                ahead.enter(k, t.seeds.get(k + AHEAD));
            }
            if k + 2 * AHEAD < wanting {
                ahead.announce(t.seeds.get(k + 2 * AHEAD));
            }
            k += 1;
            let Some(priority) = self.candidate(seed) else {
                continue;
            };
            let key = round.key(priority.bits(), seed);
            let Some(met) = self.claim(seed, key, priority.met(), true) else {
                self.refuse(seed);
                continue;
            };
            t.seeds.set(claimed, seed);
            t.priorities.set(claimed, priority.bits());
            t.met.set(claimed, met.word());
            words += room::<O>(met.all());
            claimed += 1;
        }
        if claimed == 0 {
            return 0;
        }
        let mut at = self.reserve(words);
        let mut c = 0;
        while c < claimed {
            let (seed, priority) = (t.seeds.get(c), t.priorities.get(c));
            let met = Met::from_word(t.met.get(c)).all();
            let word = match at {
                Some(at) if self.record(at, seed, priority, met) => at + 1,
                _ => priority | NO_RECORD,
            };
            round.pending.set(2 * (place + c), seed);
            round.pending.set(2 * (place + c) + 1, word);
            at = at.map(|at| at + room::<O>(met));
            c += 1;
        }
        claimed
    }

    /// Reserves `words` words for records; `None` if they do not fit. No round is repeated for records that
    /// [`Resolve`](super::Resolve) can write as well, except where several blocks meet at the end of the buffer.
    #[inline(always)]
    fn reserve(&self, words: u32) -> Option<u32> {
        let (counters, records) = (self.round.counters, Counter::Records as u32);
        let most = self.round.records.len().min(NO_RECORD);
        let fits = |at: u32| at.checked_add(words).is_some_and(|end| end <= most);
        if !fits(counters.load(records)) {
            return None;
        }
        Some(counters.fetch_add(records, words)).filter(|&at| fits(at))
    }

    /// Writes the priority of a candidate and after it the record of its cavity, if its shape is known.
    #[inline(always)]
    fn record(&self, at: u32, seed: u32, priority: u32, met: u32) -> bool {
        if room::<O>(met) == 0 {
            return false;
        }
        self.round.records.set(at, priority);
        self.recorder(at, seed, priority).write_known(met) == Some(true)
    }

    /// Works like [`Claim::record`], for the part of one end, for templates that name both ends of an edge.
    #[inline(always)]
    fn record_side(&self, at: u32, seed: u32, priority: u32, met: Met, side: u32) -> bool {
        if room::<O>(met.all()) == 0 {
            return false;
        }
        if side == 0 {
            self.round.records.set(at, priority);
        }
        let recorder = self.recorder(at, seed, priority);
        recorder.write_side(side, met.all(), met.first())
    }

    /// Returns the recorder of a cavity, whose record begins after the word at a place.
    #[inline(always)]
    fn recorder(&self, at: u32, seed: u32, priority: u32) -> FlatRecorder<'_, O> {
        Recorder {
            op: &self.op,
            site: FlatSite::of_record(&self.mesh, &self.round, at + 1),
            holder: Claimant {
                mesh: &self.mesh,
                claims: &self.claims,
                key: self.round.key(priority, seed),
            },
            seed,
        }
    }

    /// Enters a candidate that cannot have its cavity among the refused.
    #[inline(always)]
    fn refuse(&self, seed: u32) {
        self.round.count(Counter::Refused, 1);
        self.round.refused.fetch_or(seed / 32, 1 << (seed % 32));
    }

    #[inline(always)]
    fn candidate(&self, seed: u32) -> Option<Priority> {
        let mesh = &self.mesh;
        let face = face_of::<<O::Template as super::Template>::Seed>(mesh, seed);
        if face == NO_FACE || self.round.frozen != 0 && self.claims.is_frozen(face) {
            return None;
        }
        self.op.candidate(mesh, Seed::<O>::new(seed))
    }

    /// Claims all that the cavity needs. Returns the number of times that its faces are met, `told` if that is known,
    /// counted if `counts`; `None`, and nothing is claimed, if it cannot have all.
    #[inline(always)]
    fn claim(&self, seed: u32, key: Key, told: Met, counts: bool) -> Option<Met> {
        let (op, mesh, claims) = (&self.op, &self.mesh, &self.claims);
        let id = Seed::<O>::new(seed);
        let template = op.template();
        let may = op.joins(mesh, id, &mut |a, b| a != b && !mesh.joined(a, b))
            && (self.round.frozen == 0 || faces(&template, mesh, seed, |f| !claims.is_frozen(f)));
        if !may {
            return None;
        }
        op.joins(mesh, id, &mut |a, b| {
            claims.take_pair(a, b, key);
            true
        });
        op.guards(mesh, id, &mut |v| {
            claims.take_pair(v, v, key);
            true
        });
        if by_ends::<O>() {
            claims.take_end(mesh.origin(2 * seed), key);
            claims.take_end(mesh.tip(2 * seed), key);
            if told != Met::default() {
                return Some(told);
            }
            let mut met = [0; 2];
            if counts {
                mesh.each_spoke_of_ends(seed, |side, _, f, _| {
                    met[side as usize] += u32::from(f != NO_FACE);
                    true
                });
            }
            return Some(Met::new(met[0] + met[1], met[0]));
        }
        let mut met = 0;
        let take = |f: u32| {
            met += 1;
            if O::LEAVES_HOLE {
                each_corner(mesh, f, |v| {
                    claims.take_pair(v, v, key);
                    true
                });
            }
            claims.take_face(f, key);
            true
        };
        faces_in_any_order(&template, mesh, seed, take);
        Some(Met::new(met, 0))
    }
}

/// Recorder in the flat arrays of a session.
type FlatRecorder<'a, O> = Recorder<'a, O, FlatSite<'a>, Claimant<'a>>;

/// Returns `true` if blocks of several threads write the records of candidates while their rows are at hand, two
/// threads for each, as blocks of one thread do: for edges whose ends are named, and whose claims need not be found by
/// a walk.
#[inline(always)]
pub(super) const fn records_early<O: Operator>() -> bool {
    by_ends::<O>() && O::RIM_IS_SIMPLE
}

/// Returns the number of words that [`Claim`] keeps of a candidate whose faces are met `met` times, in a block of one
/// thread.
#[inline(always)]
fn room<O: Operator>(met: u32) -> u32 {
    match known_words::<O>(met) {
        0 => 0,
        words => 1 + words,
    }
}
