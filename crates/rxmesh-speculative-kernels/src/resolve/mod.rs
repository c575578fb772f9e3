//! Independent set of overlapping cavities inside a patch, and their cutting and filling, all in shared memory (Mahmoud
//! et al. 2024, section 5.2).
//!
//! Cavities are the nodes of a graph, joined where they overlap. Its greedy maximal independent set (Blelloch, Fineman,
//! Shun 2012) is computed in rounds: every undecided cavity writes its key to each element it needs, by minimum; one
//! that keeps all is in the set, and its neighbours, which need a taken element, are out. The graph is implicit in the
//! elements with their claims: its edges are never stored.

mod choose;
mod cut;

use super::store::{PatchCapacity, each_kind};
use super::tally::Tally;
use super::visit::{Candidates, LIMIT, Visit};
use cut::grow_of;
use rxmesh_kernels::cavity::parts::{FaceVisitor, record_words};
use rxmesh_kernels::cavity::{Operator, Template};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::mem::{Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// States of a candidate that are no priority.
const WON: u32 = LIMIT + 1;
const LOST: u32 = LIMIT + 2;
const CUT: u32 = LIMIT + 3;

/// Shared memory of the choice.
#[derive(Clone, Copy, Debug)]
pub struct Choice {
    /// Claims on faces.
    claims: Shared<u32>,
    /// Claims on pairs of vertices, by hash.
    pairs: Shared<u32>,
    /// Winner of each face: candidate plus one.
    held: Shared<u32>,
    /// Records of the winners.
    records: Shared<u32>,
    /// Offset of each candidate's record.
    place: Shared<u32>,
    /// Number of winners before each candidate.
    rank: Shared<u32>,
    /// Free local ids, by kind.
    free: Shared<u32>,
    before: Shared<u32>,
    counts: Shared<u32>,
    told: Shared<u32>,
    scratch: Shared<u32>,
}

/// Indices of [`Choice::counts`].
const DONE: u32 = 0;
const NO_DISK: u32 = 1;
const BROKEN: u32 = 2;
const SHORT: u32 = 3;
const COUNTS: u32 = 4;

/// Number of words for records, as a multiple of the capacity for faces.
const RECORD_WORDS: u32 = 6;

impl Choice {
    /// Reserves the shared memory.
    #[inline(always)]
    pub fn take(shape: PatchCapacity, candidates: u32, plan: &mut Plan) -> Choice {
        Choice {
            counts: plan.take(COUNTS),
            claims: plan.take(shape.faces),
            pairs: plan.take(shape.vertices),
            held: plan.take(shape.faces),
            records: plan.take(RECORD_WORDS * shape.faces),
            place: plan.take(candidates),
            rank: plan.take(candidates),
            free: plan.take(shape.moved()),
            before: plan.take(shape.set_words()),
            told: plan.take(4),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }
}

impl<O: Operator> Visit<'_, O> {
    /// Chooses among the candidates, and cuts and fills the chosen cavities; returns their number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn resolve<B: Block>(&self, b: B, c: &Candidates, t: &Choice, salt: u32) -> u32 {
        self.choose(b, c, t, salt);
        self.make_room(b, c, t);
        self.carry_out(b, c, t);
        b.lead(|| {
            let tally = |what: Tally, k: u32| {
                self.host.tally.fetch_add(what as u32, t.counts.get(k));
            };
            tally(Tally::Done, DONE);
            tally(Tally::NoDisk, NO_DISK);
            tally(Tally::Broken, BROKEN);
        });
        b.tell(t.told, || t.counts.get(DONE) + t.counts.get(NO_DISK))
    }

    /// Reserves memory for the winners' records and new elements; a winner without memory loses.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn make_room<B: Block>(&self, b: B, c: &Candidates, t: &Choice) {
        let n = c.n;
        b.each(n, |i| {
            let won = c.state.get(i) == WON;
            t.rank.set(i, u32::from(won));
            t.place
                .set(i, if won { self.words(c.list.get(i)) } else { 0 });
        });
        b.scan(t.rank, n, t.scratch);
        let words = b.scan(t.place, n, t.scratch);
        let end = |i: u32| if i + 1 < n { t.place.get(i + 1) } else { words };
        // Number of winners that there are free ids for.
        let mut most = u32::MAX;
        if !O::GROWTH.is_none() {
            each_kind(|kind| {
                let (free, grow) = (self.list_free(b, t, kind), grow_of::<O>(kind));
                most = most.min(free.checked_div(grow).unwrap_or(most));
            });
        }
        b.each(n, |i| {
            if c.state.get(i) != WON {
                return;
            }
            if t.rank.get(i) >= most {
                t.counts.fetch_or(SHORT, 1);
                c.state.set(i, LOST);
            } else if end(i) > t.records.len() {
                // Too large in any case if it is the first.
                if t.place.get(i) == 0 {
                    t.counts.fetch_or(SHORT, 2);
                }
                c.state.set(i, LOST);
            }
        });
        if t.counts.load(SHORT) != 0 {
            self.full(b);
        }
    }

    /// Returns the number of words of a winner's record.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn words(&self, seed: u32) -> u32 {
        let mut n = 0;
        let mesh = self.mesh.of(seed);
        let mut sink = FaceVisitor {
            mesh: &mesh,
            f: |_| {
                n += 1;
                true
            },
            vertices: 0,
        };
        self.op
            .template()
            .elements(&mesh, self.base + seed, &mut sink);
        let vertices = sink.vertices;
        record_words(n, vertices)
    }

    /// Lists the free local ids of a kind, ascending; returns their number.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn list_free<B: Block>(&self, b: B, t: &Choice, kind: Kind) -> u32 {
        let parts = &self.host.local.parts;
        let words = parts.shape.room(kind) / 32;
        let masks = parts.masks.part(parts.shape.active(kind), words);
        b.each(words, |w| t.before.set(w, (!masks.get(w)).count_ones()));
        let n = b.scan(t.before, words, t.scratch);
        let list = t
            .free
            .part(parts.shape.moved_at(kind), parts.shape.room(kind));
        b.each(words, |w| {
            let (mut bits, mut at) = (!masks.get(w), t.before.get(w));
            while bits != 0 {
                list.set(at, 32 * w + bits.trailing_zeros());
                bits &= bits - 1;
                at += 1;
            }
        });
        n
    }
}
