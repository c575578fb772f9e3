//! Independent set of overlapping cavities inside a patch, and their cutting and filling, all in shared memory (Mahmoud
//! et al. 2024, section 5.2).
//!
//! Cavities are the nodes of a graph, joined where they overlap. Its greedy maximal independent set (Blelloch, Fineman,
//! Shun 2012) is computed in rounds: every undecided cavity writes its key to each element it needs, by minimum; one
//! that keeps all is in the set, and its neighbours, which need a taken element, are out. The graph is implicit in the
//! elements with their claims: its edges are never stored.

use super::local::PatchMesh;
use super::store::{ColumnList, PatchCapacity, TRACED, each_kind, pick};
use super::tally::Tally;
use super::visit::{Candidates, LIMIT, Visit};
use core::marker::PhantomData;
use rxmesh_kernels::cavity::parts::{
    FaceVisitor, Holder, Recorder, each_corner, faces, record_words,
};
use rxmesh_kernels::cavity::{BORN, Cavity, Hole, Operator, Origin, Seed, Site, Template};
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::math::hash;
use rxmesh_kernels::mem::{Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// States of a candidate that are no priority.
const WON: u32 = LIMIT + 1;
const LOST: u32 = LIMIT + 2;
const CUT: u32 = LIMIT + 3;
/// State of a candidate that has won in this round.
const WINS: u32 = LIMIT + 4;

/// Steps of a round. First: checks that no winner of an earlier round has an element that a candidate needs.
const CHECK: u32 = 0;
/// Writes its key to all elements that it needs.
const CLAIM: u32 = 1;
/// Checks that it kept all.
const VERIFY: u32 = 2;
/// Takes all permanently.
const TAKE: u32 = 3;

/// Marks an unclaimed element.
const FREE: u32 = u32::MAX;

/// Marks an element of a winner.
const TAKEN: u32 = 0;

/// Flag of the holder of a face: the face has been listed.
const LISTED: u32 = 1 << 31;

/// Maximum number of rounds of the independent set; undecided candidates then wait for the next turn.
const ROUNDS: u32 = 24;

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

    #[inline(always)]
    fn pair(&self, a: u32, b: u32) -> u32 {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let key = hash(low ^ hash(high));
        ((u64::from(key) * u64::from(self.pairs.len())) >> 32) as u32
    }
}

/// Returns the key of a candidate: the smallest wins. 19 bits of priority, 13 bits of a hash of its local seed, which
/// is a bijection; never [`TAKEN`] nor [`FREE`].
#[inline(always)]
fn key(priority: u32, seed: u32, salt: u32) -> u32 {
    let mixed = (seed ^ (salt & 0x1fff)).wrapping_mul(0x9e5) & 0x1fff;
    (priority << 13 | (mixed ^ mixed >> 7)) + 1
}

/// All elements that a candidate needs, as claims.
struct Needs<'a, O> {
    op: &'a O,
    choice: &'a Choice,
    mesh: PatchMesh,
    seed: u32,
}

impl<O: Operator> Needs<'_, O> {
    /// Calls `f` with each index in the claims on faces (`false`) or pairs (`true`), until it returns `false`; returns
    /// `true` if it never did.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn each(&self, f: impl Fn(bool, u32) -> bool) -> bool {
        let (op, mesh, id) = (self.op, &self.mesh, Seed::<O>::new(self.seed));
        let pair = |a: u32, b: u32| f(true, self.choice.pair(mesh.vertex(a), mesh.vertex(b)));
        faces(&op.template(), mesh, self.seed, |face| {
            f(false, mesh.local_face(face))
                && (!O::LEAVES_HOLE || each_corner(mesh, face, |v| pair(v, v)))
        }) && op.joins(mesh, id, &mut |a, b| pair(a, b))
            && op.guards(mesh, id, &mut |v| pair(v, v))
    }
}

/// Faces that belong to a cavity, for the recorder.
#[derive(Clone, Copy)]
struct Winner {
    held: Shared<u32>,
    base: u32,
    me: u32,
}

impl Holder for Winner {
    #[inline(always)]
    fn holds(&self, f: u32) -> bool {
        // Another winner may be marking its faces.
        self.held.load(f - self.base) & !LISTED == self.me
    }

    #[inline(always)]
    fn list(&self, f: u32) -> bool {
        self.held.fetch_or(f - self.base, LISTED) & LISTED == 0
    }
}

/// Site where a cavity is cut and filled: in a patch in shared memory.
pub struct PatchSite<'a, O> {
    mesh: PatchMesh,
    record: Shared<u32>,
    free: Shared<u32>,
    /// Number of winners before this one.
    rank: u32,
    columns: &'a ColumnList,
    /// Id of the seed with local id 0.
    first: u32,
    broken: Shared<u32>,
    of: PhantomData<fn() -> O>,
}

impl<O> Clone for PatchSite<'_, O> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<O> Copy for PatchSite<'_, O> {}

/// Returns the number of elements of a kind that a cavity may use in addition to its own.
#[inline(always)]
fn grow_of<O: Operator>(kind: Kind) -> u32 {
    match kind {
        Kind::Vertex => O::GROWTH.vertices,
        Kind::Edge => O::GROWTH.edges,
        Kind::Face | Kind::Cell => O::GROWTH.faces,
    }
}

impl<O: Operator> Site for PatchSite<'_, O> {
    type Mesh = PatchMesh;

    #[inline(always)]
    fn mesh(&self) -> &PatchMesh {
        &self.mesh
    }

    #[inline(always)]
    fn word(&self, i: u32) -> u32 {
        self.record.get(i)
    }

    #[inline(always)]
    fn set_word(&self, i: u32, v: u32) {
        self.record.set(i, v);
    }

    #[inline(always)]
    fn slot(&self, kind: Kind, k: u32) -> u32 {
        let grow = grow_of::<O>(kind);
        if k >= grow {
            return NONE;
        }
        let at = self.mesh.local.parts.shape.moved_at(kind) + self.rank * grow + k;
        pick(kind, self.mesh.base) + self.free.get(at)
    }

    #[inline(always)]
    fn again(&self, seed: u32) {
        let parts = &self.mesh.local.parts;
        parts.enter(parts.shape.seeds(), seed - self.first);
    }

    #[inline(always)]
    fn broken(&self) {
        self.broken.fetch_add(BROKEN, 1);
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn birth(&self, _: u32, vertex: u32, origin: Origin) {
        let mut c = 0;
        while c < self.columns.list.len() {
            let column = self.columns.list.get(c);
            if column.blend == TRACED {
                let words = column.words();
                words.set(vertex, words.get(origin.heaviest()) | BORN);
            } else if column.blend != 0 {
                let words = column.words();
                let mut k = 0;
                while k < column.width {
                    let mean = origin.mean(|v| f32::from_bits(words.get(v * column.width + k)));
                    words.set(vertex * column.width + k, mean.to_bits());
                    k += 1;
                }
            }
            c += 1;
        }
    }

    #[inline(always)]
    fn inherit(&self, face: u32, from: u32) {
        self.columns.copy(Kind::Face, from, face);
    }

    #[inline(always)]
    fn listens(&self) -> bool {
        self.columns.blended != 0
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

    #[inline(always)]
    fn needs<'a>(&'a self, t: &'a Choice, seed: u32) -> Needs<'a, O> {
        Needs {
            op: self.op,
            choice: t,
            mesh: self.mesh.of(seed),
            seed: self.base + seed,
        }
    }

    /// Computes the independent set.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn choose<B: Block>(&self, b: B, c: &Candidates, t: &Choice, salt: u32) {
        let n = c.n;
        b.phase(|p| {
            p.each(t.claims.len(), |i| {
                t.claims.set(i, FREE);
                t.held.set(i, 0);
            });
            p.each(t.pairs.len(), |i| t.pairs.set(i, FREE));
            p.each(COUNTS, |i| t.counts.set(i, 0));
        });
        let mut round = 0;
        while round < ROUNDS && b.any(n, t.scratch, |i| c.state.get(i) < LIMIT) {
            // One loop over the steps of a round: the operator's needs are compiled once.
            let mut step = CHECK;
            while step <= TAKE {
                b.each(n, |i| self.step(c, t, i, step, salt));
                step += 1;
            }
            b.phase(|p| {
                p.each(t.claims.len(), |i| {
                    if t.claims.get(i) != TAKEN {
                        t.claims.set(i, FREE);
                    }
                });
                p.each(t.pairs.len(), |i| {
                    if t.pairs.get(i) != TAKEN {
                        t.pairs.set(i, FREE);
                    }
                });
            });
            round += 1;
        }
    }

    /// Runs one step of a round for candidate `i`: [`CHECK`], [`CLAIM`], [`VERIFY`] or [`TAKE`].
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn step(&self, c: &Candidates, t: &Choice, i: u32, step: u32, salt: u32) {
        let (state, seed) = (c.state.get(i), c.list.get(i));
        let takes = step == TAKE;
        if takes != (state == WINS) || !takes && state >= LIMIT {
            return;
        }
        let key = key(state, seed, salt);
        let all = self.needs(t, seed).each(|pair, at| {
            let claims = if pair { t.pairs } else { t.claims };
            if step == CLAIM {
                claims.fetch_min(at, key);
            } else if takes {
                claims.swap(at, TAKEN);
                if !pair {
                    t.held.set(at, i + 1);
                }
            } else {
                let claim = claims.load(at);
                return if step == CHECK {
                    claim != TAKEN
                } else {
                    claim == key
                };
            }
            true
        });
        if takes {
            c.state.set(i, WON);
        } else if step == CHECK && !all {
            c.state.set(i, LOST);
        } else if step == VERIFY && all {
            c.state.set(i, WINS);
        }
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

    /// Records the winners' cavities, then cuts and fills them.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn carry_out<B: Block>(&self, b: B, c: &Candidates, t: &Choice) {
        let (n, parts) = (c.n, &self.host.local.parts);
        let site = |i: u32| PatchSite {
            mesh: self.mesh.of(c.list.get(i)),
            record: t
                .records
                .part(t.place.get(i), t.records.len() - t.place.get(i)),
            free: t.free,
            rank: t.rank.get(i),
            columns: self.host.columns,
            first: self.base,
            broken: t.counts,
            of: PhantomData::<fn() -> O>,
        };
        b.each(n, |i| {
            if c.state.get(i) != WON {
                return;
            }
            let seed = c.list.get(i);
            parts.leave(parts.shape.seeds(), seed);
            let recorder = Recorder {
                op: self.op,
                site: site(i),
                holder: Winner {
                    held: t.held,
                    base: self.mesh.base[2],
                    me: i + 1,
                },
                seed: self.base + seed,
            };
            if recorder.write() {
                c.state.set(i, CUT);
                t.counts.fetch_add(DONE, 1);
            } else {
                t.counts.fetch_add(NO_DISK, 1);
            }
        });
        b.each(n, |i| {
            if c.state.get(i) != CUT {
                return;
            }
            let cavity = Cavity::new(site(i), self.base + c.list.get(i));
            let plan = self.op.plan(&cavity);
            let mut hole = Hole::cut(cavity, O::GROWTH.births());
            self.op.fill(plan, &mut hole);
            if O::LEAVES_HOLE {
                hole.close::<true>();
            } else {
                hole.close::<false>();
            }
        });
    }
}
