//! Second launch of a round: finds the winners.

use super::claim::records_early;
use super::claims::{Claimed, by_ends};
use super::record::{Cavity, RECORD_HEADER, Recorder, record_words};
use super::round::{Counter, NO_RECORD, Round, each_corner, is_at_hand};
use super::site::{Claimant, FlatSite};
use super::template::faces_in_any_order;
use super::{ClaimTables, Key, Operator, Seed};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::mem::{Plan, Shared};

/// Candidates that one block takes at a time.
pub const RESOLVE_ITEMS: u32 = 32;

/// Threads that check the claims of a candidate whose record is written: about half the number of its claims.
const LANES: u32 = 4;

/// Number of candidates ahead for which a block of one thread prefetches the claims on their faces.
const AHEAD: u32 = 8;

crate::args! {
    /// Finds the candidates that hold all they claimed, writes the records of their cavities, and enters the others for
    /// the next round.
    pub struct Resolve<O> {
        /// Operator to run.
        pub op: O,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Tables of claims.
        pub claims: ClaimTables,
        /// State of the round.
        pub round: Round,
        /// Blocks of the launch: each takes [`RESOLVE_ITEMS`] candidates after the other, because the host does not
        /// know their number.
        pub blocks: u32,
    }
}

/// Shared memory of [`Resolve`].
#[derive(Clone, Copy)]
pub struct ResolveTables {
    /// Words of each item's record, then its offset.
    room: Shared<u32>,
    /// 1 for each item that has won, then its number among the winners.
    order: Shared<u32>,
    /// Number of times that the template meets faces of each item; 0 for one that has lost, or whose record is written.
    met: Shared<u32>,
    /// Start of the record of each item that is written; [`NONE`] if none is.
    at: Shared<u32>,
    /// Items that have won.
    won: Shared<u32>,
    /// Start of the block's winners and records.
    place: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<O: Operator> BlockKernel for Resolve<O> {
    const THREADS: u32 = if records_early::<O>() {
        LANES * RESOLVE_ITEMS
    } else {
        RESOLVE_ITEMS
    };
    // Threads mostly wait for rows of other patches: a few warps more hide more of it than registers would save.
    const REGISTERS: Option<u32> = Some(48);
    type Tables = ResolveTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> ResolveTables {
        ResolveTables {
            room: plan.take(RESOLVE_ITEMS),
            order: plan.take(RESOLVE_ITEMS),
            met: plan.take(RESOLVE_ITEMS),
            at: plan.take(if records_early::<O>() {
                RESOLVE_ITEMS
            } else {
                0
            }),
            won: plan.take(RESOLVE_ITEMS),
            place: plan.take(2),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &ResolveTables) {
        let round = &self.round;
        if B::SOLO {
            return self.resolve_alone(block, t);
        }
        if round.counter(Counter::Stopped) != 0 {
            return;
        }
        let all = round.counter(Counter::Claimed);
        let mut first = block * RESOLVE_ITEMS;
        while first < all {
            let n = (all - first).min(RESOLVE_ITEMS);
            self.resolve(b, first, n, t);
            first += self.blocks * RESOLVE_ITEMS;
        }
    }
}

impl<O: Operator> Resolve<O> {
    /// Finds the winners among `n` candidates from `first` on, lists them and writes their records. The others are
    /// enqueued again.
    #[inline(always)]
    fn resolve<B: Block>(&self, b: B, first: u32, n: u32, t: &ResolveTables) {
        let round = &self.round;
        if records_early::<O>() {
            self.look_at_records(b, first, n, t);
        }
        b.each(n, |i| {
            let recorded = records_early::<O>() && t.at.get(i) != NONE;
            let (won, [faces, vertices]) = if recorded {
                (t.order.get(i) == 0 && self.holds_rest(first + i), [0, 0])
            } else {
                let met = self.judge(first + i);
                (met[0] != 0, met)
            };
            if !won {
                round.enqueue(self.candidate(first + i).0);
            }
            t.met.set(i, faces);
            t.order.set(i, u32::from(won));
            let words = if faces == 0 {
                0
            } else {
                record_words(faces, vertices)
            };
            t.room.set(i, words);
        });
        let winners = b.scan(t.order, n, t.scratch);
        let words = b.scan(t.room, n, t.scratch);
        b.lead(|| {
            let counters = round.counters;
            t.place
                .set(0, counters.fetch_add(Counter::Winners as u32, winners));
            t.place
                .set(1, counters.fetch_add(Counter::Records as u32, words));
            round.count(Counter::Candidates, n);
            round.count(Counter::Conflicts, n - winners);
        });
        let (first_winner, first_word) = (t.place.get(0), t.place.get(1));
        b.each(n, |i| {
            let next = if i + 1 < n {
                t.order.get(i + 1)
            } else {
                winners
            };
            if t.order.get(i) < next {
                t.won.set(t.order.get(i), i);
            }
        });
        if first_word.saturating_add(words) > round.records.len() {
            return;
        }
        b.each(winners, |k| {
            let (i, winner) = (t.won.get(k), first_winner + k);
            if records_early::<O>() && t.met.get(i) == 0 {
                self.enter(winner, self.candidate(first + i).0, t.at.get(i), true);
            } else {
                let at = first_word + t.room.get(i);
                self.record(first + i, winner, at, t.met.get(i));
            }
        });
    }

    /// Finds the written records of `n` candidates from `first` on, and those of these candidates that do not hold all
    /// vertices: several threads check the claims on those of each.
    #[inline(always)]
    fn look_at_records<B: Block>(&self, b: B, first: u32, n: u32, t: &ResolveTables) {
        b.each(n, |i| {
            let word = self.candidate(first + i).1;
            t.at.set(i, if word & NO_RECORD == 0 { word } else { NONE });
            t.order.set(i, 0);
        });
        b.each(LANES * n, |j| {
            let (i, lane) = (j / LANES, j % LANES);
            let at = t.at.get(i);
            if at == NONE {
                return;
            }
            let seed = self.candidate(first + i).0;
            let key = self.round.key(self.round.records.get(at - 1), seed);
            let holds = self.each_vertex(seed, at, [lane, LANES], |v| {
                self.claims.claim_at(v).leaves(key)
            });
            if !holds {
                t.order.fetch_or(i, 1);
            }
        });
    }

    /// Finds the winners among the candidates of a task: it has none when rounds are paused.
    #[inline(always)]
    fn resolve_alone(&self, task: u32, t: &ResolveTables) {
        let (round, tasks) = (&self.round, &self.round.tasks);
        let [mut first, _] = tasks.range(task, round.seeds());
        let (mut to, end) = (first, first + tasks.candidates(task));
        let (begin, n) = (first, end - first);
        while first < end {
            let n = (end - first).min(RESOLVE_ITEMS);
            to = self.resolve_some(first, n, end, to, t);
            first += n;
        }
        let winners = to - begin;
        tasks.set_winners(task, winners);
        if n > 0 {
            round.count(Counter::Candidates, n);
        }
        if n > winners {
            round.count(Counter::Conflicts, n - winners);
        }
    }

    /// Works like [`Resolve::resolve`], in a block of one thread, for which [`Claim`](super::Claim) has written most
    /// records: `n` candidates from `first` on, before `all`. Lists the numbers of the winners from `to` on, in place
    /// of candidates that have been examined, and returns the end of the list.
    #[inline(always)]
    fn resolve_some(&self, first: u32, n: u32, all: u32, to: u32, t: &ResolveTables) -> u32 {
        let round = &self.round;
        let (mut winners, mut words) = (0, 0);
        let asks = !is_at_hand(&self.mesh);
        let mut i = 0;
        while i < n {
            if asks && first + i + AHEAD < all {
                self.ask(first + i + AHEAD);
            }
            let (seed, word) = self.candidate(first + i);
            let met = match word & NO_RECORD {
                0 if self.holds_record(seed, word) => Some([0, 0]),
                0 => None,
                _ => {
                    let key = round.key(word & !NO_RECORD, seed);
                    Some(self.met_by_winner(seed, key)).filter(|&[faces, _]| faces != 0)
                }
            };
            if let Some([faces, vertices]) = met {
                t.won.set(winners, i);
                t.met.set(winners, faces);
                t.room.set(winners, words);
                winners += 1;
                if faces != 0 {
                    words += record_words(faces, vertices);
                }
            } else {
                round.enqueue(seed);
            }
            i += 1;
        }
        let counters = round.counters;
        if winners == 0 {
            return to;
        }
        let first_winner = counters.fetch_add(Counter::Winners as u32, winners);
        let first_word = if words == 0 {
            0
        } else {
            counters.fetch_add(Counter::Records as u32, words)
        };
        if first_word.saturating_add(words) > round.records.len() {
            return to + winners;
        }
        let mut k = 0;
        while k < winners {
            let (i, met) = (first + t.won.get(k), t.met.get(k));
            let winner = first_winner + k;
            if met == 0 {
                let (seed, at) = self.candidate(i);
                self.enter(winner, seed, at, true);
            } else {
                self.record(i, winner, first_word + t.room.get(k), met);
            }
            round.pending.set(2 * (to + k), winner);
            k += 1;
        }
        to + winners
    }

    /// Returns `true` if a candidate holds all its claims, by its record.
    #[inline(always)]
    fn holds_record(&self, seed: u32, at: u32) -> bool {
        let claims = &self.claims;
        let key = self.round.key(self.round.records.get(at - 1), seed);
        let held = if by_ends::<O>() {
            self.each_vertex(seed, at, [0, 1], |v| claims.claim_at(v).leaves(key))
        } else {
            self.each_face(at, |f| claims.has_face(f, key))
        };
        held && self.holds_others(seed, key)
    }

    /// Returns `true` if candidate `i`, whose record is written, holds its claims beside faces and vertices.
    #[inline(always)]
    fn holds_rest(&self, i: u32) -> bool {
        let (seed, at) = self.candidate(i);
        let key = self.round.key(self.round.records.get(at - 1), seed);
        self.holds_others(seed, key)
    }

    /// Returns `true` if the pairs that the candidate with this key joins, and the vertices that it guards, are its
    /// own.
    #[inline(always)]
    fn holds_others(&self, seed: u32, key: Key) -> bool {
        let (op, mesh, claims) = (&self.op, &self.mesh, &self.claims);
        let id = Seed::<O>::new(seed);
        op.joins(mesh, id, &mut |a, b| claims.has_pair(a, b, key))
            && op.guards(mesh, id, &mut |v| claims.has_pair(v, v, key))
    }

    /// Calls `face` with the faces of a record, until it returns `false`. Returns `true` if it never did.
    #[inline(always)]
    fn each_face(&self, at: u32, face: impl Fn(u32) -> bool) -> bool {
        let record = self.round.records.from(at);
        let faces = record.get(0);
        let mut i = 0;
        while i < faces && face(record.get(RECORD_HEADER + i)) {
            i += 1;
        }
        i == faces
    }

    /// Calls `vertex` with the vertices of a record and those of its boundary loop: the `lane`th of them and every
    /// `lanes`th after it, until it returns `false`. Returns `true` if it never did.
    #[inline(always)]
    fn each_vertex(
        &self,
        seed: u32,
        at: u32,
        [lane, lanes]: [u32; 2],
        vertex: impl Fn(u32) -> bool,
    ) -> bool {
        let cavity = Cavity::new(FlatSite::of_record(&self.mesh, &self.round, at), seed);
        let (vertices, corners) = (cavity.vertices(), cavity.corners());
        let mut i = lane;
        while i < vertices + corners {
            let v = if i < vertices {
                cavity.vertex(i)
            } else {
                cavity.corner(i - vertices)
            };
            if !vertex(v) {
                return false;
            }
            i += lanes;
        }
        true
    }

    /// Prefetches the claims on the elements of a candidate whose record is written.
    #[inline(always)]
    fn ask(&self, i: u32) {
        let (seed, at) = self.candidate(i);
        if at & NO_RECORD != 0 {
            return;
        }
        if by_ends::<O>() {
            self.each_vertex(seed, at, [0, 1], |v| {
                self.claims.ends.ask(v);
                true
            });
        } else {
            self.each_face(at, |f| {
                self.claims.faces.ask(f);
                true
            });
        }
    }

    /// Returns the seed of candidate `i`, and the start of its record or its priority: see [`Round::pending`] and
    /// [`NO_RECORD`].
    #[inline(always)]
    fn candidate(&self, i: u32) -> (u32, u32) {
        let pending = self.round.pending;
        (pending.get(2 * i), pending.get(2 * i + 1))
    }

    /// Returns the number of times that the faces of a winner are met, and the number of vertices that it names; 0 and
    /// 0 for one that has lost.
    #[inline(always)]
    fn judge(&self, i: u32) -> [u32; 2] {
        let (seed, priority) = self.candidate(i);
        self.met_by_winner(seed, self.round.key(priority & !NO_RECORD, seed))
    }

    #[inline(always)]
    fn met_by_winner(&self, seed: u32, key: Key) -> [u32; 2] {
        let (op, mesh, claims) = (&self.op, &self.mesh, &self.claims);
        // A claim is checked when the next one has been found: both are waited for at a time.
        let (mut faces, mut last) = (0, Claimed::by(key));
        let mut leaves = |claim: Claimed| core::mem::replace(&mut last, claim).leaves(key);
        let named = if by_ends::<O>() {
            // Each end is the tip of a spoke of the other one.
            let all = mesh.each_spoke_of_ends(seed, |_, _, f, tip| {
                faces += u32::from(f != NO_FACE);
                leaves(claims.claim_at(tip))
            });
            all.then_some(2)
        } else {
            faces_in_any_order(&op.template(), mesh, seed, |f| {
                faces += 1;
                leaves(claims.claim_on(f))
                    && (!O::LEAVES_HOLE || each_corner(mesh, f, |v| claims.has_pair(v, v, key)))
            })
        };
        match named {
            Some(vertices) if last.leaves(key) && self.holds_others(seed, key) => [faces, vertices],
            _ => [0, 0],
        }
    }

    /// Writes a winner and the record of its cavity.
    #[inline(always)]
    fn record(&self, i: u32, winner: u32, at: u32, met: u32) {
        let round = &self.round;
        let (seed, priority) = self.candidate(i);
        let priority = priority & !NO_RECORD;
        let recorder = Recorder {
            op: &self.op,
            site: FlatSite::of_record(&self.mesh, round, at),
            holder: Claimant {
                mesh: &self.mesh,
                claims: &self.claims,
                key: round.key(priority, seed),
            },
            seed,
        };
        let disk = recorder.write_shape(met);
        self.enter(winner, seed, at, disk);
    }

    /// Writes a winner, whose cavity may be no disk.
    #[inline(always)]
    fn enter(&self, winner: u32, seed: u32, at: u32, disk: bool) {
        let round = &self.round;
        round
            .winners
            .set(2 * winner, if disk { seed } else { NONE });
        round.winners.set(2 * winner + 1, at);
        if !disk {
            round.count(Counter::NoDisk, 1);
        } else if !O::GROWTH.is_none() {
            round.won.fetch_or(seed / 32, 1 << (seed % 32));
        }
    }
}
