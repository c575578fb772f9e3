//! Geodesic distances by parallel propagation over topological level sets (Romero Calla, Fuentes Perez, Montenegro
//! 2019, "A minimalistic approach for fast computation of geodesic distances on triangular meshes", section 4; RXMesh
//! 2021, section 8.2).
//!
//! A vertex's *level* is its number of edges from the nearest source. Distances are updated for a window of levels
//! `first..end` at a time. Both ends move on the device: the window grows by a level an iteration, and begins a level
//! before the lowest one that still moves. A patch without a level in the window stops after one comparison, and one in
//! which nothing moved, ribbon included, after one look at its vertices.
//!
//! The paper moves the beginning by one settled level an iteration, up to half of the end at least, and never back.
//! Where cells are much longer than wide, shorter ways come later than that and are lost: seven percent on a torus
//! whose cells are three times longer than wide.
//!
//! Instead of gathering each vertex's faces, each face offers distances to its three corners, which keep the least: no
//! transposed relation is needed, and a minimum does not depend on the order.

use crate::attr::Staged;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, Fields, FlatKernel, PatchKernel};
use crate::math::{length, sqrt};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::LocalEv;
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    flat geodesic_clear: GeodesicClear;
    flat geodesic_sources: GeodesicSources;
    patch level_round: LevelRound;
    patch level_ranges: LevelRanges;
    patch geodesic_update: GeodesicUpdate;
    block geodesic_advance: GeodesicAdvance;
    patch geodesic_finish: GeodesicFinish;
}

/// The level of a vertex that no source reaches.
pub const NO_LEVEL: u32 = u32::MAX;

kernel! {
    /// Sets all levels to [`NO_LEVEL`] and all distances to infinity.
    pub struct GeodesicClear: Flat {
        /// Levels.
        pub level: GlobalMut<u32>,
        /// Distances, both copies.
        pub distance: GlobalMut<f32>,
        /// The other copy.
        pub other: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for GeodesicClear {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.level.set(i, NO_LEVEL);
        self.distance.set(i, f32::INFINITY);
        self.other.set(i, f32::INFINITY);
    }
}

kernel! {
    /// Sets level and distances of the sources to zero. The sources are distinct.
    pub struct GeodesicSources: Flat {
        /// Linear ids.
        pub sources: Global<u32>,
        /// Levels.
        pub level: GlobalMut<u32>,
        /// Distances, both copies.
        pub distance: GlobalMut<f32>,
        /// The other copy.
        pub other: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for GeodesicSources {
    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.sources.get(i);
        self.level.set(v, 0);
        self.distance.set(v, 0.0);
        self.other.set(v, 0.0);
    }
}

kernel! {
    /// One round of the search for levels: each patch takes its ribbon's levels and spreads them until nothing changes
    /// inside. Rounds are as many as patches lie on the longest path, not as many as levels.
    pub struct LevelRound: Patch {
        /// Levels after the round before.
        pub old: Global<u32>,
        /// Levels after this round.
        pub new: GlobalMut<u32>,
        /// For each round of a batch whether it changed anything; zeroed before the batch.
        pub changed: GlobalMut<u32>,
        /// This round in the batch.
        pub round: u32,
    }
}

// SAFETY: a patch writes what it owns, in phases that barriers part; ids and sections are the mesh's (contracts U1 to
// U4).
unsafe impl PatchKernel for LevelRound {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (plan.take(u32::from(h.total[0])), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(level, scratch): &Self::Tables) {
        // After a round without change both copies are the same.
        if self.round > 0 && self.changed.get(self.round - 1) == 0 {
            return;
        }
        let (map, owned) = (patch.map::<Vertex>(), patch.owned::<Vertex>());
        b.each(patch.total::<Vertex>(), |v| {
            level.set(v, self.old.get(map.linear(v)))
        });
        let lower = |v: u32, by: u32| {
            by != NO_LEVEL && by + 1 < level.load(v) && level.fetch_min(v, by + 1) > by + 1
        };
        loop {
            let changes = b.any(patch.total::<Edge>(), scratch, |e| {
                let (i, j) = patch.edge_vertices(e);
                let (li, lj) = (level.load(i), level.load(j));
                lower(i, lj) | lower(j, li)
            });
            if !changes {
                break;
            }
        }
        let base = patch.base::<Vertex>();
        b.last_phase(|p| {
            p.each(owned, |v| {
                let new = level.get(v);
                self.new.set(base + v, new);
                if new != self.old.get(base + v) {
                    self.changed.store(self.round, 1);
                }
            });
        });
    }
}

kernel! {
    /// The lowest and the highest level in each patch, and the number of reached vertices.
    pub struct LevelRanges: Patch {
        /// Levels.
        pub level: Global<u32>,
        /// Two words a patch; an empty range where nothing is reached.
        pub ranges: GlobalMut<u32>,
        /// The highest level, one a patch; minus infinity where nothing is reached.
        pub highest: GlobalMut<f64>,
        /// Reached vertices, one number a patch.
        pub reached: GlobalMut<f64>,
    }
}

// SAFETY: a patch writes what it owns, in phases that barriers part; ids and sections are the mesh's (contracts U1 to
// U4).
unsafe impl PatchKernel for LevelRanges {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (n, level) = (
            patch.owned::<Vertex>(),
            self.level.from(patch.base::<Vertex>()),
        );
        let reached = b.count(n, scratch, |v| level.get(v) != NO_LEVEL);
        let low = b.min(n, scratch, |v| f64::from(level.get(v)));
        let high = b.max(n, scratch, |v| {
            let l = level.get(v);
            if l == NO_LEVEL {
                f64::NEG_INFINITY
            } else {
                f64::from(l)
            }
        });
        let id = patch.id();
        b.last_phase(|p| {
            p.lead(|| {
                let any = reached > 0;
                self.ranges
                    .set(2 * id, if any { low as u32 } else { NO_LEVEL });
                self.ranges
                    .set(2 * id + 1, if any { high as u32 } else { 0 });
                self.highest.set(id, high);
                self.reached.set(id, f64::from(reached));
            });
        });
    }
}

/// The propagation's state on the device, as `u32` in this order.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum Window {
    /// First level that is updated.
    First = 0,
    /// One after the last level that is updated.
    End = 1,
    /// Number of levels.
    Levels = 2,
    /// Lowest level of the vertices that still move, [`NO_LEVEL`] when none does.
    Moving = 3,
    /// Iterations done.
    Iterations = 4,
    /// Not zero when nothing moves any more, or the iterations are used up.
    Done = 5,
    /// Most iterations.
    Limit = 6,
}

/// Words of the propagation's state.
pub const WINDOW_WORDS: usize = 7;

kernel! {
    /// Updates the distances of the window's vertices once (section 4.2, algorithm 3).
    pub struct GeodesicUpdate: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Distances after the iteration before.
        pub old: Staged<Vertex, f32>,
        /// Distances after this iteration.
        pub new: GlobalMut<f32>,
        /// For each vertex the last even, or odd, iteration in which it moved: that of the iteration before.
        pub moved: Global<u32>,
        /// The same of this iteration.
        pub moves: GlobalMut<u32>,
        /// The last iteration that updated each patch.
        pub updated: GlobalMut<u32>,
        /// Levels.
        pub level: Global<u32>,
        /// Lowest and highest level of each patch.
        pub ranges: Global<u32>,
        /// [`Window`].
        pub window: GlobalMut<u32>,
        /// Brings lengths near one.
        pub scale: f32,
        /// A vertex is settled when its distance changes by no more than this part of it.
        pub threshold: f32,
    }
}

/// What the update keeps in shared memory.
#[derive(Clone, Copy)]
pub struct Tables {
    ev: LocalEv,
    level: Shared<u32>,
    best: Shared<u32>,
    scratch: Shared<u32>,
}

// SAFETY: a patch writes what it owns, in phases that barriers part; ids and sections are the mesh's (contracts U1 to
// U4).
unsafe impl PatchKernel for GeodesicUpdate {
    const THREADS: u32 = 192;
    type Tables = Tables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Tables {
        Fields::carve(self, h, plan);
        let owned = u32::from(h.owned[0]);
        Tables {
            ev: LocalEv::carve(h, plan),
            level: plan.take(owned),
            best: plan.take(owned),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Tables) {
        let at = |w: Window| self.window.get(w as u32);
        let (first, end, iteration) = (
            at(Window::First),
            at(Window::End),
            at(Window::Iterations) + 1,
        );
        let id = patch.id();
        let (low, high) = (self.ranges.get(2 * id), self.ranges.get(2 * id + 1));
        let before = self.updated.get(id) == iteration - 1;
        if at(Window::Done) != 0 || low >= end || (high < first && !before) {
            return;
        }
        let (owned, base, map) = (
            patch.owned::<Vertex>(),
            patch.base::<Vertex>(),
            patch.map::<Vertex>(),
        );
        let moved = |v| self.moved.get(map.linear(v)) == iteration - 1;
        if high < first || !b.any(patch.total::<Vertex>(), t.scratch, moved) {
            // Both copies of the distances are the same again.
            if before {
                let old = self.old;
                b.last_phase(|p| p.each(owned, |v| self.new.set(base + v, old.source(base + v))));
            }
            return;
        }
        b.phase(|p| {
            self.load(p, patch);
            t.ev.load(p, patch);
            p.each(owned, |v| t.level.set(v, self.level.get(base + v)));
            // Distances are not negative: their bits order like numbers.
            p.each(owned, |v| t.best.set(v, f32::INFINITY.to_bits()));
        });
        b.each(patch.total::<Face>(), |f| {
            self.offer(patch, t, owned, f, first, end)
        });
        let moving = b.min(owned, t.scratch, |v| self.keep(t, v, base + v, iteration));
        b.last_phase(|p| {
            p.lead(|| {
                self.updated.set(id, iteration);
                if moving < f64::INFINITY {
                    self.window.fetch_min(Window::Moving as u32, moving as u32);
                }
            });
        });
    }
}

impl GeodesicUpdate {
    /// Offers distances from a face to those of its corners that are in the window.
    #[inline(always)]
    fn offer(&self, patch: &Patch, t: &Tables, owned: u32, f: u32, first: u32, end: u32) {
        let [a, b, c] = patch.face_edges(f).map(|s| t.ev.start(s));
        let wanted = |v: u32| v < owned && t.level.get(v) >= first && t.level.get(v) < end;
        let (wa, wb, wc) = (wanted(a), wanted(b), wanted(c));
        if !(wa || wb || wc) {
            return;
        }
        let (xa, xb, xc) = (self.x.at(a), self.x.at(b), self.x.at(c));
        let (da, db, dc) = (self.old.at(a), self.old.at(b), self.old.at(c));
        let (ab, bc, ca) = (
            (xb - xa) * self.scale,
            (xc - xb) * self.scale,
            (xa - xc) * self.scale,
        );
        let area2 = length(ab.cross(bc));
        let offer = |v: u32, d: f32| {
            if d < f32::INFINITY {
                t.best.fetch_min(v, d.to_bits());
            }
        };
        if wa {
            offer(a, front(bc, ca, ab, area2, db, dc));
        }
        if wb {
            offer(b, front(ca, ab, bc, area2, dc, da));
        }
        if wc {
            offer(c, front(ab, bc, ca, area2, da, db));
        }
    }

    /// Writes a vertex's distance; its level if it moves, else infinity.
    #[inline(always)]
    fn keep(&self, t: &Tables, v: u32, linear: u32, iteration: u32) -> f64 {
        let old = self.old.at(v);
        let best = f32::from_bits(t.best.get(v));
        let new = if best < old { best } else { old };
        self.new.set(linear, new);
        // Two infinities have no difference, and no vertex moves by it.
        if old - new > self.threshold * new {
            self.moves.set(linear, iteration);
            f64::from(t.level.get(v))
        } else {
            f64::INFINITY
        }
    }
}

/// The distance that a plane wave through `p` and `q`, at distances `dp` and `dq`, has at the third corner `r`, if it
/// gets there through the side `pq`; else the shorter way along a side (Kimmel and Sethian 1998, "Computing geodesic
/// paths on manifolds", section 4.1, in a frame along the side). `pq`, `qr`, `rp` are the sides in order and `area2`
/// twice the triangle's area.
#[inline(always)]
fn front(pq: Vec3, qr: Vec3, rp: Vec3, area2: f32, dp: f32, dq: f32) -> f32 {
    let (along_q, along_p) = (dq + length(qr), dp + length(rp));
    let edge = if along_p < along_q { along_p } else { along_q };
    let l2 = pq.dot(pq);
    let d = dq - dp;
    // How fast the distance grows towards the side's other hand, times the side's length.
    let g2 = l2 - d * d;
    if !(g2 > 0.0 && area2 > 0.0) {
        return edge;
    }
    let g = sqrt(g2);
    // The wave's way to the corner crosses the side's line at this point, times area and growth.
    let at = -pq.dot(rp) * g - area2 * d;
    if !(at >= 0.0 && at <= l2 * g) {
        return edge;
    }
    let wave = dp + (area2 * g - pq.dot(rp) * d) / l2;
    if wave < edge { wave } else { edge }
}

kernel! {
    /// Moves the window on.
    pub struct GeodesicAdvance: Block {
        /// [`Window`].
        pub window: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for GeodesicAdvance {
    const THREADS: u32 = 32;
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &mut Plan) {}

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, (): &()) {
        let w = self.window;
        let get = |i: Window| w.get(i as u32);
        let set = |i: Window, v: u32| w.set(i as u32, v);
        b.last_phase(|p| {
            p.lead(|| {
                if get(Window::Done) != 0 {
                    return;
                }
                let (end, levels) = (get(Window::End), get(Window::Levels));
                let moving = get(Window::Moving);
                set(Window::First, if moving > 2 { moving - 1 } else { 1 });
                set(Window::End, if end < levels { end + 1 } else { end });
                let iterations = get(Window::Iterations) + 1;
                set(Window::Moving, NO_LEVEL);
                set(Window::Iterations, iterations);
                if moving == NO_LEVEL || iterations >= get(Window::Limit) {
                    set(Window::Done, 1);
                }
            });
        });
    }
}

kernel! {
    /// Brings distances back to the mesh's unit, and finds the largest finite one of each patch.
    pub struct GeodesicFinish: Patch {
        /// Distances.
        pub distance: Global<f32>,
        /// Distances in the mesh's unit.
        pub out: GlobalMut<f32>,
        /// The largest finite distance, one a patch.
        pub farthest: GlobalMut<f64>,
        /// One over the scale.
        pub unit: f32,
    }
}

// SAFETY: a patch writes what it owns, in phases that barriers part; ids and sections are the mesh's (contracts U1 to
// U4).
unsafe impl PatchKernel for GeodesicFinish {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let base = patch.base::<Vertex>();
        let far = b.max(patch.owned::<Vertex>(), scratch, |v| {
            let d = self.distance.get(base + v) * self.unit;
            self.out.set(base + v, d);
            if d < f32::INFINITY {
                f64::from(d)
            } else {
                f64::NEG_INFINITY
            }
        });
        let (farthest, id) = (self.farthest, patch.id());
        b.last_phase(|p| p.lead(|| farthest.set(id, far)));
    }
}
