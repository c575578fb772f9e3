//! A round of the propagation.

use super::{ALWAYS, FAR, MOST_READERS, Obtuse, READERS_ROW};
use crate::attr::Staged;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::math::{rcp_fast, sqrt_fast};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

/// Least part of itself by which a distance falls: a few roundings.
const ROUNDING: f32 = 1e-6;

/// Step of a vertex that did not move yet.
const NEVER: u32 = u32::MAX;

kernel! {
    /// Runs one round of the propagation: each patch next to which, or in which, distances moved passes them on
    /// (section 4.2, algorithm 3, for the vertices that are near). Rounds count from 1. It runs on the patches that the
    /// round before has listed: most are far from where distances move.
    pub struct GeodesicRound: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Least distances that vertices were offered; those of the sources at first.
        pub best: GlobalMut<f32>,
        /// Distances that they have passed on up to the round before.
        pub old: Global<f32>,
        /// The same up to this round.
        pub new: GlobalMut<f32>,
        /// Last even, or odd, round in which each vertex passed its distance on: that of the round before.
        pub moved: Global<u32>,
        /// The same of this round.
        pub moves: GlobalMut<u32>,
        /// Least distance of each patch that waits for the others, as bits; [`FAR`] for none.
        pub waiting: GlobalMut<u32>,
        /// Twice the last round that worked on each patch, and one more if its steps did not suffice.
        pub visited: GlobalMut<u32>,
        /// Number and ids of the patches that have vertices of each patch in their ribbons ([`READERS_ROW`] words).
        pub readers: Global<u32>,
        /// Last round that each patch was listed for; [`ALWAYS`] for one that is not among the readers of all that it
        /// reads.
        pub entered: GlobalMut<u32>,
        /// Patches of the next round: those that this one worked on, those with a distance that waits, and the readers
        /// of those that passed something on. No others have anything to do.
        pub next: GlobalMut<u32>,
        /// Words, of which the second is their number; zero before.
        pub next_count: GlobalMut<u32>,
        /// Least distance of each round, as bits, that was passed on or waits in it; [`FAR`] when all is done.
        /// Before the first round 0 in place 0 and [`FAR`] elsewhere.
        pub near: GlobalMut<u32>,
        /// Length of each patch's longer edges ([`super::GeodesicStart::edge`]).
        pub edge: Global<f32>,
        /// Length of each patch's shortest edge ([`super::GeodesicStart::shortest`]).
        pub shortest: Global<f32>,
        /// Faces of each patch ([`super::GeodesicStart::faces`]).
        pub faces: Global<u64>,
        /// Most faces of a patch.
        pub room: u32,
        /// This round.
        pub round: u32,
        /// Factor that brings lengths near one.
        pub scale: f32,
        /// A distance that falls by less than this part of the patch's shortest edge is not passed on.
        pub threshold: f32,
        /// Number of edges by which a distance may exceed the shortest one and still be passed on.
        pub reach: f32,
        /// Most steps of a patch in a round.
        pub steps: u32,
        /// Lowest bits of a distance that hold its source's number ([`super::SOURCE_BITS`]): 0 for one source.
        pub labels: u32,
    }
}

/// Shared memory of a round.
#[derive(Clone, Copy)]
pub struct RoundTables {
    /// See [`super::GeodesicStart::faces`].
    faces: Shared<u64>,
    /// Distance that each local vertex has passed on.
    told: Shared<f32>,
    /// Least offer to each owned vertex, as bits.
    best: Shared<u32>,
    /// Last step before which each local vertex passed its distance on.
    step: Shared<u32>,
    /// Flags of moves in the last even and the last odd step; the least distance that was passed on, and the least that
    /// waits, as bits.
    words: Shared<u32>,
    scratch: Shared<u32>,
}

/// Index of the least distances in [`RoundTables::words`].
const TOLD: u32 = 2;
const WAITS: u32 = 3;

/// Rule by which a patch passes distances on.
#[derive(Clone, Copy)]
struct PassRule {
    /// Largest distance to pass on.
    bound: f32,
    /// Least change to pass on, beside roundings.
    slack: f32,
}

impl PassRule {
    /// Returns `true` if a distance has fallen so far that others must know it.
    #[inline(always)]
    fn matters(self, told: f32, best: f32) -> bool {
        // Two infinities have no difference, and nothing matters by it.
        told - best > self.slack + ROUNDING * best
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; words that several threads of a phase, or
// several patches, write are written atomically; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for GeodesicRound {
    const THREADS: u32 = 192;
    // Most patches have nothing to do, and a round is as long as the work of one takes.
    const ENOUGH_THREADS: u32 = 8 * 768;
    type Tables = RoundTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> RoundTables {
        Fields::carve(self, h, plan);
        let [vertices, faces] = [0, 2].map(|kind| u32::from(h.total[kind]));
        RoundTables {
            faces: plan.take(faces),
            told: plan.take(vertices),
            best: plan.take(u32::from(h.owned[0])),
            step: plan.take(vertices),
            words: plan.take(4),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &RoundTables) {
        let (round, before, id) = (self.round, self.round - 1, patch.id());
        let near = self.near.get(before);
        if near == FAR {
            return;
        }
        let edge = self.edge.get(id);
        let rule = PassRule {
            bound: f32::from_bits(near) + self.reach * edge,
            slack: self.threshold * self.shortest.get(id),
        };
        let (owned, total) = (patch.owned::<Vertex>(), patch.total::<Vertex>());
        let (base, map) = (patch.base::<Vertex>(), patch.map::<Vertex>());
        let (first, visit, waiting) = (before == 0, self.visited.get(id), self.waiting.get(id));
        let was_here = !first && visit >> 1 == before;
        let open = was_here && visit & 1 != 0;
        let moved = |v: u32| !first && self.moved.get(map.linear(v)) == before;
        let active = open
            || f32::from_bits(waiting) <= rule.bound && waiting != FAR
            || if first {
                b.any(owned, t.scratch, |v| {
                    self.best.get(base + v) < f32::INFINITY
                })
            } else {
                b.any(total - owned, t.scratch, |i| moved(owned + i))
            };
        if !active {
            b.last_phase(|p| {
                // Both copies are the same again.
                if was_here {
                    p.each(owned, |v| self.new.set(base + v, self.old.get(base + v)));
                }
                p.lead(|| {
                    if waiting != FAR {
                        self.near.fetch_min(round, waiting);
                    }
                    self.enter_itself(id, waiting != FAR);
                });
            });
            return;
        }
        let (faces, row) = (patch.total::<Face>(), id * self.room);
        b.phase(|p| {
            self.load(p, patch);
            if !B::SOLO {
                p.each(faces, |f| t.faces.set(f, self.faces.get(row + f)));
            }
            p.each(total, |v| {
                let mut told = self.old.get(map.linear(v));
                // A distance that the patch has passed on itself is news to it if its steps did not suffice.
                let mut news = (v >= owned || open) && moved(v);
                if v < owned {
                    let best = self.best.get(base + v);
                    // Distances are not negative: their bits order like numbers.
                    t.best.set(v, best.to_bits());
                    if best <= rule.bound && rule.matters(told, best) {
                        (told, news) = (best, true);
                    }
                }
                t.told.set(v, told);
                t.step.set(v, if news { 0 } else { NEVER });
            });
            p.lead(|| {
                t.words.set(TOLD, FAR);
                t.words.set(WAITS, FAR);
            });
        });
        let mut step = 0;
        let open = loop {
            let parity = step % 2;
            b.phase(|p| {
                p.each(faces, |f| {
                    // One thread reads them in order, and has no use for a copy.
                    let face = if B::SOLO {
                        self.faces.get(row + f)
                    } else {
                        t.faces.get(f)
                    };
                    self.offer(t, owned, face, step);
                });
                p.lead(|| t.words.set(parity, 0));
            });
            step += 1;
            b.each(owned, |v| {
                let (told, best) = (t.told.get(v), f32::from_bits(t.best.get(v)));
                if best <= rule.bound && rule.matters(told, best) {
                    t.told.set(v, best);
                    t.step.set(v, step);
                    t.words.fetch_or(parity, 1);
                }
            });
            let moving = t.words.get(parity) != 0;
            if !moving || step == self.steps {
                break moving;
            }
        };
        b.each(owned, |v| {
            let (linear, told) = (base + v, t.told.get(v));
            let best = f32::from_bits(t.best.get(v));
            self.new.set(linear, told);
            self.best.set(linear, best);
            if told < self.old.get(linear) {
                self.moves.set(linear, round);
                t.words.fetch_min(TOLD, told.to_bits());
            }
            if rule.matters(told, best) {
                t.words.fetch_min(WAITS, best.to_bits());
            }
        });
        b.last_phase(|p| {
            let row = id * READERS_ROW;
            let readers = match t.words.get(TOLD) {
                FAR => 0,
                _ => self.readers.get(row).min(MOST_READERS),
            };
            p.each(readers, |i| {
                let reader = self.readers.get(row + 1 + i);
                self.enter(reader);
            });
            p.lead(|| {
                let (told, waits) = (t.words.get(TOLD), t.words.get(WAITS));
                self.waiting.set(id, waits);
                self.visited.set(id, 2 * round + u32::from(open));
                self.near
                    .fetch_min(round, if told < waits { told } else { waits });
                self.enter_itself(id, true);
            });
        });
    }
}

impl GeodesicRound {
    /// Lists a patch for the next round, once.
    #[inline(always)]
    fn enter(&self, patch: u32) {
        let next = self.round + 1;
        let was = self.entered.load(patch);
        if was < next && self.entered.swap(patch, next) != next {
            self.next.set(self.next_count.fetch_add(1, 1), patch);
        }
    }

    /// Lists a patch that this round works on for the next one, if it has something to do or is always listed.
    #[inline(always)]
    fn enter_itself(&self, id: u32, has_work: bool) {
        if self.entered.load(id) == ALWAYS {
            self.next.set(self.next_count.fetch_add(1, 1), id);
        } else if has_work {
            self.enter(id);
        }
    }

    /// Offers distances from a face to those of its corners that are owned and opposite of one that moved last.
    #[inline(always)]
    fn offer(&self, t: &RoundTables, owned: u32, face: u64, step: u32) {
        let [a, b, c] = [0, 16, 32].map(|k| (face >> k) as u32 & 0xffff);
        let [ma, mb, mc] = [a, b, c].map(|v| t.step.get(v) == step);
        if !(ma || mb || mc) {
            return;
        }
        let [da, db, dc] = [a, b, c].map(|v| t.told.get(v));
        // A wave through a side gets to the corner later than to one end of the side, unless the corner is obtuse.
        let (oa, ob, oc) = (
            a < owned && (mb || mc),
            b < owned && (mc || ma),
            c < owned && (ma || mb),
        );
        let mut wa = oa && (db < da || dc < da);
        let mut wb = ob && (dc < db || da < db);
        let mut wc = oc && (da < dc || db < dc);
        let obtuse = Obtuse((face >> 48) as u16);
        if obtuse != Obtuse(0) {
            wa |= oa && obtuse.may_lower(0, da, db.min(dc));
            wb |= ob && obtuse.may_lower(1, db, dc.min(da));
            wc |= oc && obtuse.may_lower(2, dc, da.min(db));
        }
        if !(wa || wb || wc) {
            return;
        }
        let (xa, xb, xc) = (self.x.at(a), self.x.at(b), self.x.at(c));
        let (ab, bc, ca) = (
            (xb - xa) * self.scale,
            (xc - xb) * self.scale,
            (xa - xc) * self.scale,
        );
        let cross = ab.cross(bc);
        let square = cross.dot(cross);
        if wa {
            self.offer_to(t, a, WaveSide::new([bc, ca, ab], square, [db, dc]));
        }
        if wb {
            self.offer_to(t, b, WaveSide::new([ca, ab, bc], square, [dc, da]));
        }
        if wc {
            self.offer_to(t, c, WaveSide::new([ab, bc, ca], square, [da, db]));
        }
    }

    /// Offers a vertex the distance that comes through the opposite side.
    #[inline(always)]
    fn offer_to(&self, t: &RoundTables, v: u32, side: WaveSide) {
        let one_source = (side.from[0].to_bits() ^ side.from[1].to_bits()) & self.labels == 0;
        if LOOKS_FIRST && one_source && side.is_late(f32::from_bits(t.best.get(v))) {
            return;
        }
        let (d, from) = side.front(one_source);
        if d < f32::INFINITY {
            let rounded = (d.to_bits() + (self.labels >> 1)) & !self.labels;
            t.best.fetch_min(v, rounded | from.to_bits() & self.labels);
        }
    }
}

/// `true` to compare an offer with the best one by products, before any root is taken: three quarters of them are too
/// late. On a GPU the others of a warp would wait all the same.
const LOOKS_FIRST: bool = cfg!(not(target_arch = "nvptx64"));

/// Part by which products may be off, and distances lose by the number of their source.
const LATE: f32 = 1e-5;

/// Side `pq` of a triangle, through which a wave comes to the third corner `r`.
#[derive(Clone, Copy)]
struct WaveSide {
    /// Sides `pq`, `qr` and `rp`.
    sides: [Vec3; 3],
    /// Square of twice the triangle's area.
    square: f32,
    /// Distances of `p` and `q`.
    from: [f32; 2],
    /// Square of the length of `pq`.
    l2: f32,
    /// Coordinates of the point that is at these distances and lies across the side, from `p` along `pq` and across
    /// it, times the length of `pq`; the second squared. Not a number for infinite distances.
    along: f32,
    across2: f32,
}

impl WaveSide {
    #[inline(always)]
    fn new(sides: [Vec3; 3], square: f32, [dp, dq]: [f32; 2]) -> WaveSide {
        let l2 = sides[0].dot(sides[0]);
        let along = 0.5 * (l2 - (dq - dp) * (dq + dp));
        WaveSide {
            sides,
            square,
            from: [dp, dq],
            l2,
            along,
            across2: l2 * dp * dp - along * along,
        }
    }

    /// Returns `true` if even the straight line from the point is as long as `best`. Without roots: the square of its
    /// length is a sum with one root in it, which is compared with the rest by squares.
    #[inline(always)]
    fn is_late(&self, best: f32) -> bool {
        let [pq, _, rp] = self.sides;
        let dp = self.from[0];
        let room = best * best * (1.0 + LATE) - dp * dp - rp.dot(rp);
        let rest = 0.5 * room * self.l2 - self.along * pq.dot(rp);
        self.across2 >= 0.0
            && self.square > 0.0
            && (rest < 0.0 || rest * rest <= self.across2 * self.square)
    }

    /// Returns the distance of the third corner `r` of a triangle from the point that is at distances `dp` and `dq`
    /// from the corners `p` and `q` and lies across the side `pq`, if the straight line from there to `r` crosses that
    /// side; else the shorter way along one of the other two sides. Beside it is the distance of the corner from which
    /// that way comes, or of one of the two if it crosses their side. In a plane with one source this is exact (Novotni
    /// and Klein 2002, "Computing geodesic distances on triangular meshes", section 3.2). The sides are `pq`, `qr`,
    /// `rp`, and `area2` is twice the triangle's area.
    ///
    /// Distances of two sources place a point where there is none, which corners that lower each other in turn would
    /// draw down to 0. So only sides count between them: no distance is then shorter than the straight line to a
    /// source.
    #[inline(always)]
    fn front(&self, one_source: bool) -> (f32, f32) {
        let WaveSide {
            sides: [pq, qr, rp],
            from: [dp, dq],
            l2,
            along,
            ..
        } = *self;
        if one_source && self.across2 >= 0.0 && self.square > 0.0 {
            let (across, area2) = (sqrt_fast(self.across2), sqrt_fast(self.square));
            let to_r = -pq.dot(rp);
            let crossing = along * area2 + to_r * across;
            // The square of the distance less that of `dp`; added by the difference of squares, which keeps the digits
            // where the triangle is small beside the distance.
            let more = rp.dot(rp) + 2.0 * (across * area2 - along * to_r) * rcp_fast(l2);
            let d2 = dp * dp + more;
            if crossing >= 0.0
                && crossing <= l2 * (across + area2)
                && d2 > 0.0
                && d2 < f32::INFINITY
            {
                // A straight line is not longer than a path along sides.
                return (dp + more * rcp_fast(dp + sqrt_fast(d2)), dp);
            }
        }
        let (along_p, along_q) = (dp + long(rp), dq + long(qr));
        if along_p < along_q {
            (along_p, dp)
        } else {
            (along_q, dq)
        }
    }
}

/// Returns the length of a side.
#[inline(always)]
fn long(side: Vec3) -> f32 {
    sqrt_fast(side.dot(side))
}
