//! Simplification by edge collapse: quadric errors (Garland and Heckbert 1997) or the shortest edge first.
//!
//! Serial simplification takes the cheapest edge of the whole mesh, over and over. Here a round takes all edges that
//! are cheaper than a bound and the cheapest among the edges at their ends; the bound is a quantile of the costs, so
//! that no round carries out what a serial run would come to much later. The cost of an edge is kept, and computed anew
//! only when one of its ends has changed.

use super::quadric::{Quadric, Stored};
use crate::cavity::{Cavity, Counter, Hole, Operator, Origin, Priority, Seed, Site, template};
use crate::cavity::{link_condition, out_of_room};
use crate::edit::{FlatMesh, Mesh, NO_FACE, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{BlockKernel, FlatKernel};
use crate::math::{hash, length, normalize_or_zero};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    flat simplify_quadrics: SimplifyQuadrics;
    flat simplify_holds: SimplifyHolds;
    flat simplify_borders: SimplifyBorders;
    flat simplify_costs: SimplifyCosts;
    block simplify_select: SimplifySelect;
    operator simplify: Collapse;
    flat simplify_refusals: SimplifyRefusals;
}

/// In a cost: the edge was refused, and waits until refusals are forgiven.
pub const REFUSED: u32 = 1 << 31;

/// In [`QuadricSurface::holds`]: the vertex moves, and may go.
pub const FREE_TO_MOVE: u32 = 0;

/// In [`QuadricSurface::holds`]: the vertex stays where it is; others may be drawn into it.
pub const STAYS: u32 = 1;

/// In [`QuadricSurface::holds`], this and what is above: as [`STAYS`], and the vertex is one of several in one place,
/// all of which have this number.
pub const FIRST_PLACE: u32 = 2;

/// In [`QuadricSurface::holds`]: the vertex stays, and all around it.
pub const LOCKED: u32 = NONE;

/// How far an end of a boundary edge may be off the new boundary, over the edge's length.
const MOST_BEND: f32 = 0.1;

/// The least cosine between the normals of a face before and after a collapse.
const LEAST_COSINE: f32 = 0.2;

/// In [`QuadricSurface::placing`]: new vertices come to the point of least cost.
pub const PLACE_BEST: u32 = 0;

/// In [`QuadricSurface::placing`]: to the end of the edge that costs less. For edges whose best point turns faces over.
pub const PLACE_CHEAPER_END: u32 = 1;

/// In [`QuadricSurface::placing`]: to the other end.
pub const PLACE_OTHER_END: u32 = 2;

/// In [`QuadricSurface::placing`]: to the middle.
pub const PLACE_MIDDLE: u32 = 3;

/// Bins of the histogram of costs: by exponent and three bits of the mantissa.
pub const COST_BINS: u32 = 1 << 11;

/// The bits of a cost below its bin.
pub const COST_SHIFT: u32 = 20;

/// Costs that differ in their lowest bits only, by 3 % at most, are alike: a hash decides which edge goes first at a
/// vertex. On smooth surfaces costs change little from edge to edge, and hardly any edge would be cheaper than all
/// around it.
const ALIKE_BITS: u32 = 18;

/// Candidates whose costs differ in their lowest bits only, by half at most, are equally urgent. Where urgency rises
/// steadily over the surface each candidate would lose against the one before it, which loses too: only the first wins.
const URGENCY_BITS: u32 = 22;

/// Words of a histogram's buffer: word 0 is not used.
pub const HISTOGRAM_WORDS: u32 = COST_BINS + 1;

/// Why an edge is not collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// It touches a frozen face, or both its ends stay.
    Frozen = 1,
    /// The surface would become another one (the link condition), or vanish.
    Link = 2,
    /// A face would turn over.
    Fold = 3,
    /// Something is not a finite number.
    NotFinite = 4,
    /// The boundary would take another course. Quadrics see to that by themselves.
    Bend = 5,
}

/// Words of a count of refusals: word 0 is not used.
pub const REFUSALS: usize = 6;

args! {
    /// What all kernels of a simplification share.
    pub struct QuadricSurface {
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Quadrics of the vertices; empty when the length is the cost.
        pub quadrics: GlobalMut<Stored>,
        /// What may be done to each vertex: [`FREE_TO_MOVE`], [`STAYS`], a place or [`LOCKED`]; empty when all may
        /// move.
        pub holds: Global<u32>,
        /// Lengths are measured in units of one over this, so that their powers are in range.
        pub scale: f32,
        /// The weight of the planes that hold the boundary against those of the faces; 0 leaves it free.
        pub boundary: f32,
        /// Where new vertices come: one of the `PLACE_` numbers.
        pub placing: u32,
    }
}

/// Where a collapse would put the new vertex, and what that costs.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// The position.
    pub at: Vec3,
    /// The quadric there.
    pub quadric: Quadric,
    /// The cost.
    pub cost: f32,
}

impl QuadricSurface {
    #[inline(always)]
    fn by_length(&self) -> bool {
        self.quadrics.is_empty()
    }

    #[inline(always)]
    fn quadric(&self, v: u32) -> Quadric {
        Quadric::load(self.quadrics.get(v))
    }

    /// What may be done to a vertex.
    #[inline(always)]
    fn hold(&self, v: u32) -> u32 {
        if self.holds.is_empty() {
            FREE_TO_MOVE
        } else {
            self.holds.get(v)
        }
    }

    /// Whether a vertex is one of several in one place.
    #[inline(always)]
    fn is_placed(&self, v: u32) -> bool {
        let hold = self.hold(v);
        hold >= FIRST_PLACE && hold != LOCKED
    }

    /// The end of an edge in which all stays: `0` and `1` for the first and the second, [`NONE`] when both may move.
    /// Nothing when the edge must stay.
    #[inline(always)]
    fn stays(&self, hold_a: u32, hold_b: u32) -> Option<u32> {
        if hold_a == LOCKED || hold_b == LOCKED || hold_a != 0 && hold_b != 0 {
            None
        } else if hold_a != 0 {
            Some(0)
        } else if hold_b != 0 {
            Some(1)
        } else {
            Some(NONE)
        }
    }

    /// The placement for an edge between two vertices with these positions and quadrics, of which `stays` stays.
    #[inline(always)]
    fn placement(&self, a: Vec3, qa: Quadric, b: Vec3, qb: Quadric, stays: u32) -> Placement {
        let half = (b - a) * (0.5 * self.scale);
        let q = qa.moved(half).plus(qb.moved(-half));
        let end = match (stays, self.placing) {
            (NONE, PLACE_CHEAPER_END | PLACE_OTHER_END) => {
                let cheaper = u32::from(q.at(half) < q.at(-half));
                cheaper ^ u32::from(self.placing == PLACE_OTHER_END)
            }
            _ => stays,
        };
        let offset = match (end, self.placing) {
            (0, _) => -half,
            (1, _) => half,
            (_, PLACE_MIDDLE) => Vec3::ZERO,
            _ => q.minimum(2.0 * length(half)),
        };
        let quadric = q.moved(offset);
        let at = match end {
            0 => a,
            1 => b,
            _ => (a + b) * 0.5 + offset * (1.0 / self.scale),
        };
        Placement {
            at,
            quadric,
            cost: quadric.constant,
        }
    }

    /// The bits of an edge's cost: they order as the costs do. [`NONE`] when it must not be collapsed.
    #[inline(always)]
    fn cost(&self, a: Vec3, qa: Quadric, b: Vec3, qb: Quadric, stays: u32) -> u32 {
        let d = (b - a) * self.scale;
        let cost = if self.by_length() {
            d.dot(d)
        } else {
            self.placement(a, qa, b, qb, stays).cost
        };
        if cost < f32::INFINITY {
            cost.to_bits() & !REFUSED
        } else {
            NONE
        }
    }

    /// The cost of an edge from its ends' quadrics in memory.
    #[inline(always)]
    fn cost_of(&self, a: u32, b: u32) -> u32 {
        let Some(stays) = self.stays(self.hold(a), self.hold(b)) else {
            return NONE;
        };
        let quadric = |v: u32| {
            if self.by_length() {
                Quadric::ZERO
            } else {
                self.quadric(v)
            }
        };
        self.cost(self.x.get(a), quadric(a), self.x.get(b), quadric(b), stays)
    }
}

kernel! {
    /// The quadric of each vertex: the planes of its faces, each times its area, and at the boundary planes that stand
    /// on it. One index a vertex slot.
    pub struct SimplifyQuadrics: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Where to.
        pub surface: QuadricSurface,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for SimplifyQuadrics {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (mesh, s) = (&self.mesh, &self.surface);
        let mut q = Quadric::ZERO;
        if !mesh.vertex_lives(v) {
            return;
        }
        let at = s.x.get(v);
        let to = |w: u32| (s.x.get(w) - at) * s.scale;
        mesh.each_spoke(v, |h| {
            let leaves = mesh.face(h) != NO_FACE;
            if leaves {
                let normal = face_normal(mesh, s, h);
                let double = length(normal);
                if double > 0.0 {
                    q = q.plus(Quadric::plane(normal, 0.5 / double));
                }
            }
            let comes = mesh.face(h ^ 1) != NO_FACE;
            if leaves != comes && s.boundary > 0.0 {
                let side = to(mesh.tip(h));
                let up = normalize_or_zero(face_normal(mesh, s, if leaves { h } else { h ^ 1 }));
                q = q.plus(Quadric::plane(side.cross(up), s.boundary));
            }
            true
        });
        s.quadrics.set(v, q.store());
    }
}

/// The normal of the face of a half-edge, twice its area long.
#[inline(always)]
fn face_normal(mesh: &impl Mesh, s: &QuadricSurface, h: u32) -> Vec3 {
    let a = s.x.get(mesh.origin(h));
    let to = |w: u32| (s.x.get(w) - a) * s.scale;
    to(mesh.tip(h)).cross(to(mesh.tip(mesh.next(h))))
}

kernel! {
    /// Locks the vertices at frozen faces. One index a face slot.
    pub struct SimplifyHolds: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Claims on faces, which tell the frozen ones.
        pub claims: GlobalMut<u64>,
        /// See [`QuadricSurface::holds`].
        pub holds: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for SimplifyHolds {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.mesh.face_lives(f) && self.claims.get(f) == crate::cavity::FROZEN {
            let [a, b, c] = self.mesh.sides(f);
            self.holds.store(self.mesh.origin(a), LOCKED);
            self.holds.store(self.mesh.origin(b), LOCKED);
            self.holds.store(self.mesh.origin(c), LOCKED);
        }
    }
}

kernel! {
    /// Has the vertices of the boundary stay, unless they are held more firmly. One index an edge slot.
    pub struct SimplifyBorders: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// See [`QuadricSurface::holds`].
        pub holds: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for SimplifyBorders {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (mesh, holds) = (&self.mesh, &self.holds);
        if mesh.edge_lives(e) && (mesh.face(2 * e) == NO_FACE || mesh.face(2 * e + 1) == NO_FACE) {
            holds.raise(mesh.origin(2 * e), STAYS);
            holds.raise(mesh.tip(2 * e), STAYS);
        }
    }
}

kernel! {
    /// The cost of each edge. One index an edge slot.
    pub struct SimplifyCosts: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// Positions and quadrics.
        pub surface: QuadricSurface,
        /// The costs, as bits; [`NONE`] for dead and locked edges.
        pub costs: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for SimplifyCosts {
    #[inline(always)]
    fn run(&self, e: u32) {
        let cost = if self.mesh.edge_lives(e) {
            self.surface
                .cost_of(self.mesh.origin(2 * e), self.mesh.tip(2 * e))
        } else {
            NONE
        };
        self.costs.set(e, cost);
    }
}

/// The most words of a set of edges that one block of [`SimplifySelect`] works on.
pub const SELECT_WORDS: u32 = 256;

/// Most rounds in which nothing is done and nothing refused: cavities that are no disks come up for ever.
pub const IDLE_ROUNDS: u32 = 3;

/// What a simplification knows between its rounds, by word of [`SimplifySelect::course`]; word 0 is not used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Course {
    /// Collapses that delete one face only: those of boundary edges.
    Borders = 1,
    /// Edges that are not refused.
    Open = 2,
    /// The largest cost that is cheap enough, as bits.
    Bound = 3,
    /// Rounds in a row that changed nothing.
    Idle = 4,
    /// Collapses when it was looked at last.
    Done = 5,
}

/// Words of [`SimplifySelect::course`].
pub const COURSE_WORDS: usize = 6;

kernel! {
    /// Between two rounds: enters the edges that are cheap enough, marks those that were refused, and counts the costs
    /// of the others. The last block decides what is cheap enough the next time, and how many collapses the next round
    /// may carry out; it pauses the rounds when the goal is reached or nothing changes any more.
    pub struct SimplifySelect: Block {
        /// The costs.
        pub costs: GlobalMut<u32>,
        /// Edges that were refused in this round, a bit each; empty afterwards.
        pub refused: GlobalMut<u32>,
        /// The edges that are entered, a bit each.
        pub queue: GlobalMut<u32>,
        /// Words 1 and up: edges by their cost's bin. Zero before and afterwards.
        pub histogram: GlobalMut<u32>,
        /// See [`Course`].
        pub course: GlobalMut<u32>,
        /// See [`Counter`].
        pub counters: GlobalMut<u32>,
        /// Room for records: when it ran out, or rounds stand still, nothing is done.
        pub records: u32,
        /// Whether it runs between two rounds; else it enters edges by itself.
        pub between: u32,
        /// Words of the sets that one block works on.
        pub words: u32,
        /// The part of the edges that is cheap, of 2^32.
        pub part: u32,
        /// Whether all refusals are forgiven.
        pub forgive: u32,
        /// Faces that are to go since [`SimplifySelect::done`] and [`SimplifySelect::borders`] were counted.
        pub faces: u32,
        /// Collapses then.
        pub done: u32,
        /// [`Course::Borders`] then.
        pub borders: u32,
    }
}

/// What [`SimplifySelect`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct SelectTables {
    histogram: Shared<u32>,
    chosen: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SimplifySelect {
    type Tables = SelectTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> SelectTables {
        SelectTables {
            histogram: plan.take(COST_BINS),
            chosen: plan.take(SELECT_WORDS),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &SelectTables) {
        let counters = self.counters;
        let still = counters.get(Counter::Stopped as u32) != 0;
        if self.between != 0 && (still || out_of_room(counters, self.records)) {
            return;
        }
        let first = block * self.words;
        let words = (self.queue.len() - first).min(self.words);
        let edges = self.costs.len().saturating_sub(32 * first).min(32 * words);
        let bound = self.course.get(Course::Bound as u32);
        b.phase(|p| {
            p.each(COST_BINS, |i| t.histogram.set(i, 0));
            p.each(words, |i| t.chosen.set(i, 0));
        });
        b.each(edges, |i| self.look(32 * first + i, i, bound, t));
        b.phase(|p| {
            p.each(words, |i| {
                self.queue.set(first + i, t.chosen.get(i));
                self.refused.set(first + i, 0);
            });
            p.each(COST_BINS, |i| {
                let n = t.histogram.get(i);
                if n != 0 {
                    self.histogram.fetch_add(i + 1, n);
                }
            });
        });
        let blocks = self.queue.len().div_ceil(self.words);
        let arrived = counters.from(Counter::Arrived as u32 - 1);
        if !b.arrive(arrived, blocks, t.scratch, || ()) {
            return;
        }
        b.each(COST_BINS, |i| {
            t.histogram.set(i, self.histogram.load(i + 1));
            self.histogram.set(i + 1, 0);
        });
        let open = b.scan(t.histogram, COST_BINS, t.scratch);
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
            p.lead(|| self.decide(open));
        });
    }
}

/// How many of so many edges are cheap: a part of 2^32 of them, and one at least.
#[inline(always)]
fn cheap(open: u32, part: u32) -> u32 {
    let part = u64::from(open) * u64::from(part);
    ((part + u64::from(u32::MAX)) >> 32).max(1) as u32
}

/// The largest cost in a bin.
#[inline(always)]
fn bin_end(bin: u32) -> u32 {
    (bin << COST_SHIFT) | ((1 << COST_SHIFT) - 1)
}

impl SimplifySelect {
    /// Says how many collapses the next round may carry out, and whether there is one.
    #[inline(always)]
    fn decide(&self, open: u32) {
        let counter = |c: Counter| self.counters.get(c as u32);
        let course = |c: Course| self.course.get(c as u32);
        let done = counter(Counter::Candidates)
            .wrapping_sub(counter(Counter::Conflicts))
            .wrapping_sub(counter(Counter::NoDisk));
        let gone = (done.wrapping_sub(self.done).wrapping_mul(2))
            .wrapping_sub(course(Course::Borders).wrapping_sub(self.borders));
        let left = self.faces.saturating_sub(gone);
        self.counters.set(Counter::Most as u32, left.div_ceil(2));
        if self.between != 0 {
            let same = done == course(Course::Done) && open == course(Course::Open);
            let idle = if same && self.forgive == 0 {
                course(Course::Idle) + 1
            } else {
                0
            };
            self.course.set(Course::Idle as u32, idle);
            if left == 0 || idle > IDLE_ROUNDS {
                self.counters.set(Counter::Pause as u32, 1);
            }
        }
        self.course.set(Course::Done as u32, done);
        self.course.set(Course::Open as u32, open);
    }
}

impl SimplifySelect {
    #[inline(always)]
    fn look(&self, e: u32, i: u32, bound: u32, t: &SelectTables) {
        let mut cost = self.costs.get(e);
        if cost == NONE {
            return;
        }
        let was_refused = self.refused.get(e / 32) >> (e % 32) & 1 != 0;
        let marked = if self.forgive != 0 {
            cost & !REFUSED
        } else {
            cost | if was_refused { REFUSED } else { 0 }
        };
        if marked != cost {
            self.costs.set(e, marked);
            cost = marked;
        }
        if cost & REFUSED == 0 {
            t.histogram.fetch_add(cost >> COST_SHIFT, 1);
            if cost <= bound {
                t.chosen.fetch_or(i / 32, 1 << (i % 32));
            }
        }
    }
}

args! {
    /// Collapses an edge to the place of least cost.
    pub struct Collapse {
        /// Positions and quadrics.
        pub surface: QuadricSurface,
        /// The costs of the edges.
        pub costs: GlobalMut<u32>,
        /// Where refused edges are entered, a bit each.
        pub refused: GlobalMut<u32>,
        /// See [`Course`], of which [`Course::Borders`] is counted.
        pub course: GlobalMut<u32>,
        /// For each vertex that went the one that it went into and 1; empty when nobody asks.
        pub went: GlobalMut<u32>,
        /// Mixed into the hash that decides between edges of the same cost.
        pub salt: u32,
    }
}

/// What the walk around one end of an edge tells.
#[derive(Clone, Copy)]
struct End {
    edges: u32,
    border: bool,
    cheapest: bool,
    /// Whether the vertex or a neighbour is one of several in one place.
    near_place: bool,
    /// A bit for each neighbour, by hash.
    neighbours: u64,
    /// Neighbours whose bit is among those of the other end.
    met: u32,
}

impl Collapse {
    /// Looks at the origin of a half-edge: whether another edge there goes first, how many edges there are, and whether
    /// it is on the boundary.
    #[inline(always)]
    fn end(&self, mesh: &impl Mesh, half: u32, cost: u32, other_end: u64) -> End {
        let e = half >> 1;
        let mut end = End {
            edges: 0,
            border: false,
            cheapest: true,
            near_place: self.surface.is_placed(mesh.origin(half)),
            neighbours: 0,
            met: 0,
        };
        let order = hash(e ^ self.salt);
        mesh.each_spoke_from(half, |h| {
            let other = h >> 1;
            end.border |= mesh.face(h ^ 1) == NO_FACE;
            end.edges += 1;
            end.near_place |= self.surface.is_placed(mesh.tip(h));
            let bit = 1 << (hash(mesh.tip(h)) % 64);
            end.neighbours |= bit;
            end.met += u32::from(other == e || other_end & bit != 0);
            let (c, cost) = (self.costs.get(other) >> ALIKE_BITS, cost >> ALIKE_BITS);
            end.cheapest = c > cost || other == e || c == cost && hash(other ^ self.salt) > order;
            end.cheapest
        });
        end
    }

    /// The end of an edge that stays, if one does: see [`QuadricSurface::stays`]. Of edges that have a cost.
    #[inline(always)]
    fn stays(&self, mesh: &impl Mesh, e: u32) -> u32 {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        s.stays(s.hold(a), s.hold(b)).unwrap_or(NONE)
    }

    /// Where the new vertex comes.
    #[inline(always)]
    fn placement(&self, mesh: &impl Mesh, e: u32) -> Placement {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (xa, xb) = (s.x.get(a), s.x.get(b));
        let stays = self.stays(mesh, e);
        if s.by_length() {
            let on_border = |v: u32| s.boundary > 0.0 && crate::cavity::is_border(mesh, v);
            let at = match (stays, s.placing) {
                (0, _) => xa,
                (1, _) => xb,
                _ => match (on_border(a), on_border(b)) {
                    (true, false) => xa,
                    (false, true) => xb,
                    _ => match s.placing {
                        PLACE_CHEAPER_END => xa,
                        PLACE_OTHER_END => xb,
                        _ => (xa + xb) * 0.5,
                    },
                },
            };
            return Placement {
                at,
                quadric: Quadric::ZERO,
                cost: 0.0,
            };
        }
        s.placement(xa, s.quadric(a), xb, s.quadric(b), stays)
    }

    /// The place between the ends of an edge that is nearest to a point.
    #[inline(always)]
    fn origin(&self, mesh: &impl Mesh, e: u32, p: Vec3) -> Origin {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let xa = s.x.get(a);
        let (along, to) = ((s.x.get(b) - xa) * s.scale, (p - xa) * s.scale);
        let square = along.dot(along);
        let part = if square > 0.0 {
            (along.dot(to) / square).clamp(0.0, 1.0)
        } else {
            0.5
        };
        Origin::between(a, b, part)
    }

    /// Why an edge must not be collapsed, if so.
    #[inline(always)]
    fn refusal(&self, mesh: &impl Mesh, e: u32, ends: [End; 2]) -> Option<Refusal> {
        let interior = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
        // The new vertex has three edges or more, two at the boundary: else two faces, or none, would be left of a
        // tetrahedron.
        let left = ends[0].edges + ends[1].edges - if interior { 4 } else { 3 };
        let on_border = !interior || ends[0].border || ends[1].border;
        if left < if on_border { 2 } else { 3 } {
            return Some(Refusal::Link);
        }
        // The edge's own tip is among those met. When there are no more of them than the faces' corners, none can be
        // too much.
        let met = ends[1].met - 1;
        let both_on_border = interior && ends[0].border && ends[1].border;
        let plain = met == 1 + u32::from(interior) && !both_on_border;
        if !plain && !link_condition(mesh, e) {
            return Some(Refusal::Link);
        }
        if (ends[0].near_place || ends[1].near_place) && self.joins_places(mesh, e) {
            return Some(Refusal::Link);
        }
        let p = self.placement(mesh, e).at;
        if !p.is_finite() {
            return Some(Refusal::NotFinite);
        }
        if !interior && self.surface.by_length() && self.bends_boundary(mesh, e, p) {
            return Some(Refusal::Bend);
        }
        // One call, so that it is inlined.
        let mut side = 0;
        while side < 2 {
            if self.folds(mesh, 2 * e + side, p) {
                return Some(Refusal::Fold);
            }
            side += 1;
        }
        None
    }

    /// Whether a collapse near vertices that share a place would change how the surface meets itself there: two of them
    /// would become neighbours of one vertex that had one for a neighbour, or an edge or a face between places arise,
    /// which may be there already.
    #[inline(always)]
    fn joins_places(&self, mesh: &impl Mesh, e: u32) -> bool {
        let s = &self.surface;
        let stays = self.stays(mesh, e);
        // The half-edge from the end that goes.
        let h = if stays == 0 { 2 * e + 1 } else { 2 * e };
        let (a, b) = (mesh.origin(h), mesh.tip(h));
        let place = if stays != NONE && s.is_placed(b) {
            s.hold(b)
        } else {
            LOCKED
        };
        let mut turn = mesh.turn(a);
        while let Some(g) = turn.step(mesh) {
            let x = mesh.tip(g);
            if x == b {
                continue;
            }
            let hold = s.hold(x);
            let placed = s.is_placed(x);
            // Two neighbours in one place.
            if placed && !mesh.each_spoke(b, |k| mesh.tip(k) == x || s.hold(mesh.tip(k)) != hold) {
                return true;
            }
            if place == LOCKED {
                continue;
            }
            if hold == place || placed && !mesh.joined(b, x) {
                return true;
            }
            // A face between three places.
            if placed && mesh.face(g) != NO_FACE {
                let y = mesh.tip(mesh.next(g));
                if y != b && s.is_placed(y) {
                    return true;
                }
            }
            // A neighbour that has another vertex of the place for a neighbour.
            if !mesh.each_spoke(x, |k| mesh.tip(k) == b || s.hold(mesh.tip(k)) != place) {
                return true;
            }
        }
        false
    }

    /// Whether the ends of a boundary edge are far from the boundary that there would be with a vertex in `p`.
    #[inline(always)]
    fn bends_boundary(&self, mesh: &impl Mesh, e: u32, p: Vec3) -> bool {
        let s = &self.surface;
        if s.boundary <= 0.0 {
            return false;
        }
        let (first, second) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (a, b) = (s.x.get(first), s.x.get(second));
        let most = MOST_BEND * length((b - a) * s.scale);
        let mut bends = false;
        let mut side = 0;
        while side < 2 {
            let (v, at) = if side == 0 { (first, a) } else { (second, b) };
            mesh.each_spoke(v, |h| {
                let border = mesh.face(h) == NO_FACE || mesh.face(h ^ 1) == NO_FACE;
                if border && h >> 1 != e {
                    let from = s.x.get(mesh.tip(h));
                    let (way, to) = ((p - from) * s.scale, (at - from) * s.scale);
                    bends |= length(normalize_or_zero(way).cross(to)) > most;
                }
                true
            });
            side += 1;
        }
        bends
    }

    /// Whether a face at the origin of a half-edge, but not at its tip, turns too far, or vanishes, when the origin
    /// goes to `p`.
    #[inline(always)]
    fn folds(&self, mesh: &impl Mesh, half: u32, p: Vec3) -> bool {
        let (v, w) = (mesh.origin(half), mesh.tip(half));
        let s = &self.surface;
        let at = s.x.get(v);
        let by = (p - at) * s.scale;
        !mesh.each_spoke_from(half, |h| {
            if mesh.face(h) == NO_FACE {
                return true;
            }
            let (c, d) = (mesh.tip(h), mesh.tip(mesh.next(h)));
            if c == w || d == w {
                return true;
            }
            let (c, d) = ((s.x.get(c) - at) * s.scale, (s.x.get(d) - at) * s.scale);
            let (old, new) = (c.cross(d), (c - by).cross(d - by));
            let (before, after) = (old.dot(old), new.dot(new));
            let dot = old.dot(new);
            // A face that has no area can only get better.
            before == 0.0 || dot > 0.0 && dot * dot > LEAST_COSINE * LEAST_COSINE * before * after
        })
    }

    /// Whether no other edge at the origin of a half-edge, whose edge costs so much, goes first.
    #[inline(always)]
    fn is_first(&self, mesh: &impl Mesh, half: u32, cost: u32) -> bool {
        let (e, cost) = (half >> 1, cost >> ALIKE_BITS);
        let order = hash(e ^ self.salt);
        mesh.each_spoke_from(half, |h| {
            let other = h >> 1;
            let c = self.costs.get(other) >> ALIKE_BITS;
            c > cost || other == e || c == cost && hash(other ^ self.salt) > order
        })
    }

    /// Looks at both ends; nothing when another edge goes first.
    #[inline(always)]
    fn ends(&self, mesh: &impl Mesh, e: u32, cost: u32) -> Option<[End; 2]> {
        let a = self.end(mesh, 2 * e, cost, 0);
        if !a.cheapest {
            return None;
        }
        let b = self.end(mesh, 2 * e + 1, cost, a.neighbours);
        b.cheapest.then_some([a, b])
    }
}

/// What the cavity of a collapse hands over to its fill-in.
#[derive(Clone, Copy, Debug)]
pub struct NewVertex {
    at: Vec3,
    /// The end that stays, or [`NONE`].
    stays: u32,
    /// The ends of the edge.
    ends: [u32; 2],
    origin: Origin,
    quadric: Quadric,
}

// SAFETY: `fill` writes what it adds and the hole's rim, all else only reads; ids are the mesh's (contracts U3, U4).
unsafe impl Operator for Collapse {
    type Template = template::EV;
    type Plan = NewVertex;
    const RIM_IS_SIMPLE: bool = true;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn wants(&self, mesh: &impl Mesh, seed: Seed<Self>) -> bool {
        let e = seed.0;
        let cost = self.costs.get(e);
        // A loop, so that its body is there once.
        let mut side = 0;
        while side < 2 && cost < REFUSED && self.is_first(mesh, 2 * e + side, cost) {
            side += 1;
        }
        side == 2
    }

    /// Writes the edge's own bit among the refused: nobody reads it before the round is over.
    #[inline(always)]
    fn candidate(&self, mesh: &impl Mesh, seed: Seed<Self>) -> Option<Priority> {
        let e = seed.0;
        let cost = self.costs.get(e);
        if cost >= REFUSED {
            return None;
        }
        let ends = self.ends(mesh, e, cost)?;
        if self.refusal(mesh, e, ends).is_some() {
            self.refused.fetch_or(e / 32, 1 << (e % 32));
            return None;
        }
        let class = cost >> URGENCY_BITS << URGENCY_BITS;
        Some(Priority::ascending(f32::from_bits(class)))
    }

    /// What is drawn into a place brings its neighbours there: none of them may come to another vertex of the place in
    /// the same round.
    #[inline(always)]
    fn guards(
        &self,
        mesh: &impl Mesh,
        seed: Seed<Self>,
        vertex: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let s = &self.surface;
        if s.holds.is_empty() {
            return true;
        }
        let e = seed.0;
        let stays = self.stays(mesh, e);
        if stays == NONE || !s.is_placed(mesh.origin(2 * e + stays)) {
            return true;
        }
        mesh.each_spoke_from(2 * e + (1 - stays), |h| h >> 1 == e || vertex(mesh.tip(h)))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> NewVertex {
        let p = self.placement(cavity.mesh(), cavity.seed());
        let mut i = 0;
        while i < cavity.edges() {
            self.costs.set(cavity.edge(i), NONE);
            i += 1;
        }
        let e = cavity.seed();
        if cavity.mesh().face(2 * e) == NO_FACE || cavity.mesh().face(2 * e + 1) == NO_FACE {
            self.course.fetch_add(Course::Borders as u32, 1);
        }
        let mesh = cavity.mesh();
        NewVertex {
            at: p.at,
            stays: match self.stays(mesh, e) {
                NONE => NONE,
                end => mesh.origin(2 * e + end),
            },
            ends: [mesh.origin(2 * e), mesh.tip(2 * e)],
            origin: self.origin(mesh, e, p.at),
            quadric: p.quadric,
        }
    }

    #[inline(always)]
    fn fill(&self, new: NewVertex, hole: &mut Hole<'_, impl Site>) {
        let s = &self.surface;
        let v = if new.stays == NONE {
            hole.add_vertex_at(new.origin)
        } else {
            hole.keep_vertex(new.stays)
        };
        if !self.went.is_empty() {
            let [a, b] = new.ends;
            self.went.set(if v.id() == a { b } else { a }, v.id() + 1);
        }
        s.x.set(v.id(), new.at);
        if !s.by_length() {
            s.quadrics.set(v.id(), new.quadric.store());
        }
        let hold = s.hold(v.id());
        hole.add_star_with(v, |spoke, corner| {
            let w = corner.id();
            let cost = match s.stays(hold, s.hold(w)) {
                None => NONE,
                Some(stays) => {
                    let q = if s.by_length() {
                        Quadric::ZERO
                    } else {
                        s.quadric(w)
                    };
                    s.cost(new.at, new.quadric, s.x.get(w), q, stays)
                }
            };
            self.costs.set(spoke.edge(), cost);
        });
    }
}

kernel! {
    /// Counts the live edges by why they are not collapsed. One index an edge slot.
    pub struct SimplifyRefusals: Flat {
        /// The operator.
        pub collapse: Collapse,
        /// The mesh.
        pub mesh: FlatMesh,
        /// By [`Refusal`].
        pub refusals: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for SimplifyRefusals {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (c, mesh) = (&self.collapse, &self.mesh);
        if !mesh.edge_lives(e) {
            return;
        }
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let s = &c.surface;
        let refusal = if s.stays(s.hold(a), s.hold(b)).is_none() {
            Some(Refusal::Frozen)
        } else if c.costs.get(e) == NONE {
            Some(Refusal::NotFinite)
        } else {
            // With a cost of zero no other goes first.
            c.ends(mesh, e, 0).and_then(|ends| c.refusal(mesh, e, ends))
        };
        if let Some(refusal) = refusal {
            self.refusals.fetch_add(refusal as u32, 1);
        }
    }
}
