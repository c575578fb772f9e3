//! Cuts regions into patches by nested dissection of breadth-first orders: a region's faces are ordered from one end to
//! the other, the order is cut in the middle, and the halves are treated the same way until every part is a patch
//! (George and Liu 1978, section 3, for the ordering from a far vertex). Any set of faces can be cut like this, and
//! parts are as large as asked for.

use super::faces::{chunks, compact};
use super::relabel::{Regions, first};
use super::{CHUNK, NONE, RepackMesh};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{GlobalMut, Plan, Shared, Words};

kernel_list! {
    block recut: Recut;
}

/// Regions with more faces than this are cut in global memory instead of shared memory.
pub const CUT_ROOM: u32 = 4096;

/// How often an order starts anew where the faces do not hang together; then the remaining faces follow by id.
const RESTARTS: u32 = 64;

/// Words that [`Recut::spare`] has a face.
pub const SPARE_WORDS: u32 = 3;

kernel! {
    /// New labels of the faces of regions that are cut; a block takes a region.
    pub struct Recut: Block {
        /// The mesh.
        pub flat: RepackMesh,
        /// The regions.
        pub regions: Regions,
        /// Faces of the regions, in any order within a region; sorted when done.
        pub members: GlobalMut<u32>,
        /// Of each session id of a face that is listed, its place in its region.
        pub place: GlobalMut<u32>,
        /// Of each listed face the places of its three neighbours in its region, [`NONE`] where there is none.
        pub adjacent: GlobalMut<u32>,
        /// [`SPARE_WORDS`] words a listed face if there are regions with more faces than `room`.
        pub spare: GlobalMut<u32>,
        /// New labels.
        pub label: GlobalMut<u32>,
        /// Most faces of a new label.
        pub full: u32,
        /// Most faces of a region that is cut in shared memory.
        pub room: u32,
    }
}

/// What [`Recut`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct CutTables {
    faces: [Shared<u32>; 3],
    part: [Shared<u32>; 3],
    found: Shared<u32>,
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for Recut {
    const THREADS: u32 = 256;
    type Tables = CutTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CutTables {
        CutTables {
            faces: [
                plan.take(self.room),
                plan.take(self.room),
                plan.take(self.room),
            ],
            part: [plan.take(CHUNK), plan.take(CHUNK), plan.take(SCRATCH_WORDS)],
            found: plan.take(4),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &CutTables) {
        let root = self.regions.cut_root.get(block);
        let start = self.regions.cut_start.get(block);
        let n = self.regions.size.get(root);
        if n <= self.room {
            self.cut(b, [root, start, n], t.faces, t);
        } else {
            let spare = self.spare.part(SPARE_WORDS * start, SPARE_WORDS * n);
            let faces = [spare, spare.from(n), spare.from(2 * n)];
            self.cut(b, [root, start, n], faces, t);
        }
    }
}

/// A region while it is cut. Faces are named by their places in it.
#[derive(Clone, Copy)]
struct Region<'a, W> {
    /// Places of neighbours, three a face.
    adjacent: GlobalMut<u32>,
    /// For each face the lowest claim to it in an order: 0 where it is not to be ordered.
    claim: W,
    tables: &'a CutTables,
}

impl Recut {
    #[inline(always)]
    fn cut<B: Block, W: Words>(
        &self,
        b: B,
        [root, start, n]: [u32; 3],
        [order, next, claim]: [W; 3],
        tables: &CutTables,
    ) {
        let (members, place) = (self.members.part(start, n), self.place);
        b.each(n, |i| order.set(i, members.get(i)));
        b.sort(order, n);
        b.each(n, |i| {
            let f = order.get(i);
            members.set(i, f);
            place.set(f, i);
        });
        let adjacent = self.adjacent.part(3 * start, 3 * n);
        b.each(n, |i| {
            self.join(members.get(i), root, i, adjacent);
            order.set(i, i);
            claim.set(i, 0);
        });
        let region = Region {
            adjacent,
            claim,
            tables,
        };
        let parts = n.div_ceil(self.full);
        let bits = 32 - n.leading_zeros();
        // Where part `j` starts.
        let start_of = |j: u32| n / parts * j + j.min(n % parts);
        let mut pieces = 1;
        while pieces < parts {
            // 64 bits: both factors may be large where a region is.
            let cut =
                |i: u32, pieces: u32| (u64::from(i) * u64::from(parts) / u64::from(pieces)) as u32;
            let mut i = 0;
            while i < pieces {
                let (low, high) = (cut(i, pieces), cut(i + 1, pieces));
                if high > low + 1 {
                    let from = start_of(low);
                    region.line_up(b, order, next, from, start_of(high) - from, bits);
                }
                i += 1;
            }
            pieces *= 2;
        }
        let (base, label) = (self.regions.base.get(root), self.label);
        let (small, longer) = (n / parts, n % parts);
        b.last_phase(|p| {
            p.each(n, |i| {
                let part = if i < longer * (small + 1) {
                    i / (small + 1)
                } else {
                    longer + (i - longer * (small + 1)) / small
                };
                label.set(members.get(order.get(i)), base + part);
            });
        });
    }

    /// Writes the neighbours of face `f`, which has place `i`.
    #[inline(always)]
    fn join(&self, f: u32, root: u32, i: u32, adjacent: GlobalMut<u32>) {
        let flat = &self.flat;
        let mut k = 0;
        while k < 3 {
            let other = flat.across(flat.fe.get(3 * f + k) >> 1, f).unwrap_or(NONE);
            let inside = other != NONE && self.regions.root.get(flat.label.get(other)) == root;
            let neighbour = if inside { self.place.get(other) } else { NONE };
            adjacent.set(3 * i + k, neighbour);
            k += 1;
        }
    }
}

impl<W: Words> Region<'_, W> {
    /// Orders `order[from..from + len]` between two faces that are far from each other: by how much later a face is
    /// reached from the one than from the other. A cut of this order runs straight, where one of a breadth-first order
    /// would be an arc. Uses all of `next`.
    #[inline(always)]
    fn line_up<B: Block>(self, b: B, order: W, next: W, from: u32, len: u32, bits: u32) {
        let claim = self.claim;
        let end = self.breadth_first(b, order, next, from, len, order.get(from));
        let far = next.get(end - 1);
        let end = self.breadth_first(b, next, order, from, len, far);
        if end < from + len || bits > 15 {
            // Parts that do not hang together stay together in this order. Long lists have no room for keys.
            return;
        }
        let other = order.get(end - 1);
        self.breadth_first(b, order, next, from, len, other);
        b.each(len, |i| claim.set(order.get(from + i), i));
        b.each(len, |i| {
            let f = next.get(from + i);
            order.set(from + i, ((claim.get(f) + len - i) << bits) | f);
        });
        b.each(len, |i| next.set(i, order.get(from + i)));
        b.sort(next, len);
        b.each(len, |i| {
            let f = next.get(i) & ((1 << bits) - 1);
            order.set(from + i, f);
            claim.set(f, 0);
        });
    }

    /// Writes the faces `of[from..from + len]` to the same range of `to`, breadth first from `start` and within them;
    /// returns where those that can be reached end. The order is that of a queue: a face goes to the first that claims
    /// it.
    #[inline(always)]
    fn breadth_first<B: Block>(self, b: B, of: W, to: W, from: u32, len: u32, start: u32) -> u32 {
        let (claim, end) = (self.claim, from + len);
        b.each(len, |i| claim.set(of.get(from + i), NONE));
        b.lead(|| {
            to.set(from, start);
            claim.set(start, 0);
        });
        let (mut low, mut high, mut reached) = (from, from + 1, NONE);
        let (mut seen, mut restarts) = (from, 0);
        while high < end {
            let mut more = self.step(b, to, low, high);
            if more == high {
                reached = reached.min(high);
                let free = |i: u32| claim.get(of.get(i)) == NONE;
                if restarts == RESTARTS {
                    let rest = |i: u32| Some(of.get(from + i)).filter(|_| free(from + i));
                    compact(b, len, self.tables.part, rest, |i, f| to.set(high + i, f));
                    break;
                }
                restarts += 1;
                seen = first(b, seen, end, self.tables.found, free);
                let at = high;
                b.lead(|| {
                    let f = of.get(seen);
                    to.set(at, f);
                    claim.set(f, 0);
                });
                more += 1;
            }
            low = high;
            high = more;
        }
        b.each(len, |i| claim.set(to.get(from + i), 0));
        reached.min(end)
    }

    /// Appends the free neighbours of `to[low..high]`; returns where they end.
    #[inline(always)]
    fn step<B: Block>(self, b: B, to: W, low: u32, high: u32) -> u32 {
        let (claim, adjacent) = (self.claim, self.adjacent);
        let [counts, _, scratch] = self.tables.part;
        // Claims grow along the order: a face that has been reached keeps the claim that won it.
        let neighbour = |i: u32, k: u32| (adjacent.get(3 * to.get(i) + k), 3 * i + k + 1);
        b.each(high - low, |i| {
            let mut k = 0;
            while k < 3 {
                let (other, own) = neighbour(low + i, k);
                if other != NONE {
                    claim.fetch_min(other, own);
                }
                k += 1;
            }
        });
        let won = |i: u32, k: u32| {
            let (other, own) = neighbour(i, k);
            Some(other).filter(|&other| other != NONE && claim.get(other) == own)
        };
        let mut end = high;
        chunks(high - low, |at, m| {
            b.each(m, |i| {
                let i_th = low + at + i;
                let count = [0, 1, 2].map(|k| u32::from(won(i_th, k).is_some()));
                counts.set(i, count[0] + count[1] + count[2]);
            });
            let total = b.scan(counts, m, scratch);
            let here = end;
            b.each(m, |i| {
                let mut place = here + counts.get(i);
                let mut k = 0;
                while k < 3 {
                    if let Some(other) = won(low + at + i, k) {
                        to.set(place, other);
                        place += 1;
                    }
                    k += 1;
                }
            });
            end += total;
        });
        end
    }
}
