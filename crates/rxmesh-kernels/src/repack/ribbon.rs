//! The ribbon of each patch, from the faces that it was told.

use super::faces::compact;
use super::{CHUNK, NONE, RepackArrays, RepackMesh};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::math::hash;
use crate::mem::{GlobalMut, Plan, Shared, Words};

kernel_list! {
    block repack_ribbon: RepackRibbon;
}

/// A patch that was told more faces than this works in global memory instead of shared memory.
pub const LONG_LIST: u32 = 1024;

/// Returns the number of words of the hash table of a patch that was told `n` faces: a power of two with capacity for
/// all their sides.
#[inline(always)]
pub const fn table_words(n: u32) -> u32 {
    (4 * n).next_power_of_two()
}

/// Words that the lists of a patch take in [`RepackRibbon::lists`], a told face: itself, three edges, three vertices.
pub const LIST_WORDS: u32 = 7;

kernel! {
    /// Sorts the faces that each patch was told and collects the edges and vertices of these faces that it does not
    /// own.
    pub struct RepackRibbon: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Faces that patches are told.
        pub told: GlobalMut<u32>,
        /// Tables of patches with long lists.
        pub tables: GlobalMut<u32>,
        /// Linear ids of the ribbons, ascending: for a patch that was told `n` faces from `s` on its faces from `7 s`,
        /// its edges from `7 s + n`, its vertices from `7 s + 4 n` on.
        pub lists: GlobalMut<u32>,
        /// Numbers of ribbon vertices, edges and faces of each patch.
        pub sizes: GlobalMut<u32>,
        /// Most faces told to a patch that works in shared memory.
        pub room: u32,
    }
}

/// Shared memory of [`RepackRibbon`].
#[derive(Clone, Copy)]
pub struct RibbonTables {
    told: Shared<u32>,
    table: Shared<u32>,
    part: [Shared<u32>; 3],
}

/// A patch's own range of linear ids.
#[derive(Clone, Copy)]
struct Own {
    first: u32,
    n: u32,
}

impl Own {
    #[inline(always)]
    fn of(starts: GlobalMut<u32>, patch: u32) -> Own {
        let first = starts.get(patch);
        Own {
            first,
            n: starts.get(patch + 1) - first,
        }
    }

    #[inline(always)]
    fn has(self, id: u32) -> bool {
        id.wrapping_sub(self.first) < self.n
    }
}

/// Inserts an id into a table of `mask + 1` words, free ones [`NONE`]. A smaller id displaces a larger one, which moves
/// on: equal ids meet on their common way, and the final contents of the table do not depend on the order (Blelloch and
/// Golovin 2007, "Strongly history-independent hashing").
#[inline(always)]
fn insert(table: impl Words, mask: u32, id: u32) {
    let mut id = id;
    let mut at = hash(id) & mask;
    while id != NONE {
        let old = table.fetch_min(at, id);
        if old == id {
            return;
        }
        if old > id {
            id = old;
        }
        at = (at + 1) & mask;
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackRibbon {
    type Tables = RibbonTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> RibbonTables {
        RibbonTables {
            told: plan.take(self.room),
            table: plan.take(table_words(self.room)),
            part: [plan.take(CHUNK), plan.take(CHUNK), plan.take(SCRATCH_WORDS)],
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &RibbonTables) {
        let start = self.work.told_start.get(block);
        let n = self.work.told_start.get(block + 1) - start;
        let there = self.told.part(start, n);
        if n <= self.room {
            let told = t.told;
            b.each(n, |i| told.set(i, there.get(i)));
            self.collect(b, block, told, n, t.table, t.part);
        } else {
            let table = self.tables.from(self.work.table_start.get(block));
            self.collect(b, block, there, n, table, t.part);
        }
    }
}

impl RepackRibbon {
    /// Collects the ribbon of a patch that was told `told[0..n]`.
    #[inline(always)]
    fn collect<B: Block, W: Words>(
        &self,
        b: B,
        patch: u32,
        told: W,
        n: u32,
        table: W,
        part: [Shared<u32>; 3],
    ) {
        let (flat, w) = (self.flat, self.work);
        b.sort(told, n);
        let new = |i: u32| i == 0 || told.get(i - 1) != told.get(i);
        let lists = self.lists.from(LIST_WORDS * w.told_start.get(patch));
        let own = Own::of(w.patch_face, patch);
        let ribbon = |i: u32| Some(told.get(i)).filter(|&face| new(i) && !own.has(face));
        let faces = compact(b, n, part, ribbon, |i, face| lists.set(i, face));
        let own = Own::of(w.patch_edge, patch);
        let edges = distinct(b, n, table, lists.from(n), part, |i, k| {
            let side = flat.fe.get(3 * w.face_session.get(told.get(i)) + k);
            let edge = w.edge_linear.get(side >> 1);
            Some(edge).filter(|&edge| new(i) && !own.has(edge))
        });
        let own = Own::of(w.patch_vertex, patch);
        let vertices = distinct(b, n, table, lists.from(4 * n), part, |i, k| {
            let side = flat.fe.get(3 * w.face_session.get(told.get(i)) + k);
            let vertex = w.vertex_linear.get(flat.ev.get(side));
            Some(vertex).filter(|&vertex| new(i) && !own.has(vertex))
        });
        let sizes = self.sizes;
        b.last_phase(|p| {
            p.lead(|| {
                sizes.set(3 * patch, vertices);
                sizes.set(3 * patch + 1, edges);
                sizes.set(3 * patch + 2, faces);
            });
        });
    }
}

/// Writes the distinct ids that `id(i, k)` gives for `i` of `0..n` and `k` of `0..3` to `out`, ascending; returns how
/// many there are.
#[inline(always)]
fn distinct<B: Block, W: Words>(
    b: B,
    n: u32,
    table: W,
    out: GlobalMut<u32>,
    part: [Shared<u32>; 3],
    id: impl Fn(u32, u32) -> Option<u32>,
) -> u32 {
    let words = table_words(n);
    b.each(words, |i| table.set(i, NONE));
    b.each(3 * n, |i| {
        if let Some(id) = id(i / 3, i % 3) {
            insert(table, words - 1, id);
        }
    });
    let found = |i: u32| Some(table.get(i)).filter(|&id| id != NONE);
    let total = compact(b, words, part, found, |i, id| table.set(i, id));
    b.sort(table, total);
    b.each(total, |i| out.set(i, table.get(i)));
    total
}

/// Returns the place of `id` in an ascending list, or the one to insert it at.
#[inline(always)]
pub(super) fn place_of(list: impl Fn(u32) -> u32, n: u32, id: u32) -> u32 {
    let (mut from, mut to) = (0, n);
    while from < to {
        let middle = (from + to) / 2;
        if list(middle) < id {
            from = middle + 1;
        } else {
            to = middle;
        }
    }
    from
}
