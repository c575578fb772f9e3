//! Cutting of patches that have grown too large, and uniting of small ones (Mahmoud et al. 2024, section 5.1).
//!
//! Both are expansions: a spare patch takes over half of the vertices of a large one; a patch takes over all of a small
//! neighbour's. So ribbons, stashes and tables of all patches involved are updated by the code that moves single
//! vertices.

use super::expand::{ExpandResult, Expansion, Host};
use super::local::LocalPatch;
use super::stash::{EMPTY_SLOT, STASH_SLOTS};
use super::store::{ColumnList, PatchStore, kind_of};
use super::tally::Tally;
use rxmesh_kernels::edit::NONE;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// Number of rounds of Lloyd's algorithm, as in the paper.
const LLOYD_ROUNDS: u32 = 10;

/// Number of attempts at a lock.
const LOCK_TRIES: u32 = 16;

kernel! {
    /// Cuts patches in two: block `i` moves a half of patch `pairs[2 i]` to the empty patch `pairs[2 i + 1]`.
    pub struct Slice: Block {
        /// Patches.
        pub store: PatchStore,
        /// Attributes.
        pub columns: ColumnList,
        /// Patch and spare patch of each block.
        pub pairs: Global<u32>,
        /// Kind of the seeds, a [`Kind`].
        pub seeds: u32,
        /// Counters, see [`Tally`].
        pub tally: GlobalMut<u32>,
    }
}

/// Shared memory of [`Slice`] and [`Merge`].
#[derive(Clone, Copy, Debug)]
pub struct SliceTables {
    told: Shared<u32>,
    local: LocalPatch,
    /// Distance and side of each vertex.
    reach: Shared<u32>,
    /// Final side of each vertex.
    side: Shared<u32>,
    flags: Shared<u32>,
    scratch: Shared<u32>,
    expansion: Expansion,
}

#[inline(always)]
fn carve(store: &PatchStore, plan: &mut Plan) -> SliceTables {
    let s = store.shape;
    SliceTables {
        told: plan.take(4),
        local: LocalPatch::take(s, plan),
        reach: plan.take(s.vertices),
        side: plan.take(s.vertices),
        flags: plan.take(s.vertices),
        scratch: plan.take(SCRATCH_WORDS),
        expansion: Expansion::take(s, plan),
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Slice {
    type Tables = SliceTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> SliceTables {
        carve(&self.store, plan)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, block: u32, t: &SliceTables) {
        let (large, spare) = (self.pairs.get(2 * block), self.pairs.get(2 * block + 1));
        let locks = self.store.locks;
        let locked = b.tell(t.told, || {
            if !locks.try_lock(spare, spare, LOCK_TRIES) {
                return 0;
            }
            if !locks.try_lock(large, spare, LOCK_TRIES) {
                locks.unlock(spare, spare);
                return 0;
            }
            1
        });
        if locked == 0 {
            return;
        }
        t.local.load(b, &self.store, large);
        self.halve(b, t);
        // The second side; or the first, where the spare patch has no capacity for all the neighbours of the second.
        let mut side = 2;
        while side > 0 {
            side -= 1;
            if self.move_side(b, t, side, (large, spare)) {
                b.lead(|| {
                    self.tally.fetch_add(Tally::Sliced as u32, 1);
                });
                break;
            }
        }
        b.lead(|| {
            locks.unlock(large, spare);
            locks.unlock(spare, spare);
        });
    }
}

/// Marks a vertex that was not reached.
const FAR: u32 = u32::MAX;

impl Slice {
    /// Moves one side of a patch to an empty one, both of which are locked; returns `true` on success. Otherwise the
    /// patches are as before.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn move_side<B: Block>(
        &self,
        b: B,
        t: &SliceTables,
        side: u32,
        (large, spare): (u32, u32),
    ) -> bool {
        t.local.load(b, &self.store, large);
        let vertices = t.local.parts.shape.vertices;
        let owned = |v: u32| t.local.parts.is_owned(Kind::Vertex, v);
        let n = b.compact(vertices, t.expansion.wanted, t.flags, t.scratch, |v| {
            owned(v) && t.side.get(v) == side
        });
        let all = b.count(vertices, t.scratch, owned);
        if n == 0 || n == all {
            return false;
        }
        let base = self.store.base(large, Kind::Vertex);
        b.each(n, |i| {
            let v = t.expansion.wanted.get(i);
            t.expansion.wanted.set(i, base + v);
        });
        t.local.clear(b);
        let host = Host {
            store: &self.store,
            columns: &self.columns,
            id: spare,
            local: t.local,
            seeds: kind_of(self.seeds),
            tally: self.tally,
        };
        let is_done = t.expansion.run(b, &host, n) == ExpandResult::Done;
        if is_done {
            t.local.commit(b, &self.store, spare);
        }
        is_done
    }

    /// Divides the owned vertices of a patch into two sides by Lloyd's algorithm on its graph, which may have several
    /// pieces.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn halve<B: Block>(&self, b: B, t: &SliceTables) {
        let n = t.local.parts.shape.vertices;
        let owned = |v: u32| t.local.parts.is_owned(Kind::Vertex, v);
        // Two vertices of a large piece that are far from each other.
        let first = self.innermost(b, t);
        self.spread(b, t, |v| (v == first).then_some(0));
        let a = farthest(b, t, n, |v| owned(v) && t.reach.get(v) != FAR);
        self.spread(b, t, |v| (v == a).then_some(0));
        let c = farthest(b, t, n, |v| owned(v) && t.reach.get(v) != FAR);
        let (mut a, mut c) = (a, c);
        let mut round = 0;
        loop {
            self.spread(b, t, |v| {
                if v == a {
                    Some(0)
                } else if v == c {
                    Some(1)
                } else {
                    None
                }
            });
            // Vertices that are connected to neither go to the smaller side.
            let reached = |side: u32| {
                b.count(n, t.scratch, |v| {
                    let reach = t.reach.get(v);
                    owned(v) && reach != FAR && reach & 1 == side
                })
            };
            let rest = u32::from(reached(1) <= reached(0));
            b.each(n, |v| {
                let reach = t.reach.get(v);
                t.side.set(v, if reach == FAR { rest } else { reach & 1 });
            });
            round += 1;
            if round > LLOYD_ROUNDS || a == NONE || c == NONE {
                return;
            }
            // The centres move to the vertices farthest from the other side.
            self.mark_seam(b, t);
            self.spread(b, t, |v| (t.flags.get(v) != 0).then_some(0));
            let centre = |side: u32| {
                farthest(b, t, n, |v| {
                    owned(v) && t.side.get(v) == side && t.reach.get(v) != FAR
                })
            };
            let (next_a, next_c) = (centre(0), centre(1));
            if next_a == a && next_c == c || next_a == NONE || next_c == NONE {
                return;
            }
            (a, c) = (next_a, next_c);
        }
    }

    /// Returns the owned vertex with most owned neighbours, the lowest of several; [`NONE`] if none is owned.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn innermost<B: Block>(&self, b: B, t: &SliceTables) -> u32 {
        let parts = &t.local.parts;
        let n = parts.shape.vertices;
        b.each(n, |v| t.reach.set(v, 0));
        b.each(parts.shape.edges, |e| {
            if let Some((u, v)) = inner_edge(t, e) {
                t.reach.fetch_add(u, 2);
                t.reach.fetch_add(v, 2);
            }
        });
        farthest(b, t, n, |v| parts.is_owned(Kind::Vertex, v))
    }

    /// Marks in `flags` the owned vertices that have a neighbour on the other side.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mark_seam<B: Block>(&self, b: B, t: &SliceTables) {
        let parts = &t.local.parts;
        b.each(parts.shape.vertices, |v| t.flags.set(v, 0));
        b.each(parts.shape.edges, |e| {
            if let Some((u, v)) = inner_edge(t, e)
                && t.side.get(u) != t.side.get(v)
            {
                t.flags.fetch_or(u, 1);
                t.flags.fetch_or(v, 1);
            }
        });
    }

    /// Computes distances from some vertices along edges between owned vertices: `distance << 1 | side`.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn spread<B: Block>(&self, b: B, t: &SliceTables, start: impl Fn(u32) -> Option<u32>) {
        let parts = &t.local.parts;
        let s = parts.shape;
        let owned = |v: u32| parts.is_owned(Kind::Vertex, v);
        b.each(s.vertices, |v| {
            t.reach.set(
                v,
                match start(v) {
                    Some(side) if owned(v) => side,
                    _ => FAR,
                },
            );
        });
        let mut level = 0;
        while level < s.vertices {
            b.each(s.edges, |e| {
                let Some((u, v)) = inner_edge(t, e) else {
                    return;
                };
                let pass = |from: u32, to: u32| {
                    let reach = t.reach.load(from);
                    // At equal distance from both sides the lower one wins, independently of timing.
                    if reach >> 1 == level && t.reach.load(to) >> 1 > level {
                        t.reach.fetch_min(to, (level + 1) << 1 | reach & 1);
                    }
                };
                pass(u, v);
                pass(v, u);
            });
            level += 1;
            if !b.any(s.vertices, t.scratch, |v| t.reach.get(v) >> 1 == level) {
                return;
            }
        }
    }
}

/// Returns the vertex with the largest distance among some, the lowest of several; [`NONE`] if there is none.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn farthest<B: Block>(b: B, t: &SliceTables, n: u32, among: impl Fn(u32) -> bool) -> u32 {
    let best = b.max(n, t.scratch, |v| {
        if among(v) {
            f64::from(t.reach.get(v) >> 1) * f64::from(n) + f64::from(n - 1 - v)
        } else {
            f64::NEG_INFINITY
        }
    });
    if best < 0.0 {
        NONE
    } else {
        n - 1 - best as u32 % n
    }
}

/// Returns the ends of an edge, if it exists and both are owned.
#[inline(always)]
fn inner_edge(t: &SliceTables, e: u32) -> Option<(u32, u32)> {
    let parts = &t.local.parts;
    if !parts.is_active(Kind::Edge, e) {
        return None;
    }
    let (u, v) = (parts.origin(2 * e), parts.origin(2 * e + 1));
    let is_inner = parts.is_owned(Kind::Vertex, u) && parts.is_owned(Kind::Vertex, v);
    is_inner.then_some((u, v))
}

kernel! {
    /// Unites small patches with neighbours: for block `i`, a neighbour of patch `small[i]` takes over all its
    /// vertices, which leaves it empty.
    pub struct Merge: Block {
        /// Patches.
        pub store: PatchStore,
        /// Attributes.
        pub columns: ColumnList,
        /// Small patches.
        pub small: Global<u32>,
        /// Kind of the seeds, a [`Kind`].
        pub seeds: u32,
        /// Counters, see [`Tally`].
        pub tally: GlobalMut<u32>,
    }
}

/// Number of neighbours that are tried.
const NEIGHBOURS: u32 = 4;

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Merge {
    type Tables = SliceTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> SliceTables {
        carve(&self.store, plan)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, block: u32, t: &SliceTables) {
        let small = self.small.get(block);
        let (mut slot, mut tries) = (0, 0);
        while slot < STASH_SLOTS && tries < NEIGHBOURS {
            // A hint: it may be changing.
            let host = b.tell(t.told, || self.store.patch(small).stash().get(slot));
            if host != EMPTY_SLOT && host < self.store.patches {
                tries += 1;
                if self.unite(b, t, host, small) {
                    return;
                }
            }
            slot += 1;
        }
    }
}

impl Merge {
    /// Moves all of `small` to patch `id`; returns `true` on success.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn unite<B: Block>(&self, b: B, t: &SliceTables, id: u32, small: u32) -> bool {
        let locks = self.store.locks;
        let locked = b.tell(t.told, || {
            if !locks.try_lock(id, id, LOCK_TRIES) {
                return 0;
            }
            if !locks.try_lock(small, id, LOCK_TRIES) {
                locks.unlock(id, id);
                return 0;
            }
            1
        });
        if locked == 0 {
            return false;
        }
        let from = self.store.patch(small);
        let vertices = self.store.shape.vertices;
        let n = b.compact(vertices, t.expansion.wanted, t.flags, t.scratch, |v| {
            from.is_owned(Kind::Vertex, v) && from.is_active(Kind::Vertex, v)
        });
        let base = self.store.base(small, Kind::Vertex);
        b.each(n, |i| {
            let v = t.expansion.wanted.get(i);
            t.expansion.wanted.set(i, base + v);
        });
        t.local.load(b, &self.store, id);
        let here = b.count(vertices, t.scratch, |v| {
            t.local.parts.is_owned(Kind::Vertex, v)
        });
        let host = Host {
            store: &self.store,
            columns: &self.columns,
            id,
            local: t.local,
            seeds: kind_of(self.seeds),
            tally: self.tally,
        };
        // Not into an empty patch, and not so much that it would have to be cut again.
        let united = n > 0
            && here > 0
            && here + n < vertices / 2
            && t.expansion.run(b, &host, n) == ExpandResult::Done;
        if united {
            t.local.sweep_stash(b, t.told.part(2, 2));
            t.local.commit(b, &self.store, id);
            b.lead(|| {
                self.tally.fetch_add(Tally::Merged as u32, 1);
            });
        }
        b.lead(|| {
            locks.unlock(small, id);
            locks.unlock(id, id);
        });
        united
    }
}
