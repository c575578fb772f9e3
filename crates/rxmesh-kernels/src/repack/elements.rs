//! Linear ids of edges and vertices, and the faces that patches need in their ribbons.
//!
//! A face is at the *border* of its patch when one of its corners belongs to another patch. Only border faces are
//! needed by other patches, with one exception: of two faces that share an edge, the one in the lower patch may have no
//! such corner. Then the other one, which has, tells for both. Border faces are told to their own patch too: the edges
//! and vertices that a patch does not own all lie on its border faces and its ribbon faces.

use super::faces::chunks;
use super::ribbon::{LONG_LIST, table_words};
use super::{CHUNK, DEAD, NONE, RepackArrays, RepackMesh, Stat};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{GlobalMut, Plan, Shared};

kernel_list! {
    block repack_tell: RepackTell;
    block repack_starts: RepackStarts;
    flat repack_unused: RepackUnused;
    flat repack_isolated: RepackIsolated;
    flat repack_last: RepackLast;
    block repack_number: RepackNumber;
}

/// Bit of [`RepackArrays::marks`] for a border face.
const BORDER: u32 = 1 << 6;

/// Patch that a block works on.
#[derive(Clone, Copy)]
struct Here {
    patch: u32,
    first: u32,
    n: u32,
}

impl Here {
    #[inline(always)]
    fn new(w: &RepackArrays, patch: u32) -> Here {
        let (first, n) = w.faces_of(patch);
        Here { patch, first, n }
    }

    /// Returns `true` if a linear face is the patch's.
    #[inline(always)]
    fn owns(&self, linear: u32) -> bool {
        linear.wrapping_sub(self.first) < self.n
    }
}

/// Calls `tell(patch, linear face)` for all patches that a border face of this patch is told to; not all distinct.
#[inline(always)]
fn tell_border(
    flat: &RepackMesh,
    w: &RepackArrays,
    here: Here,
    linear: u32,
    tell: impl Fn(u32, u32),
) {
    let f = w.face_session.get(linear);
    let s = flat.sides(f);
    let owner = |k: usize| {
        let face = !w.first_corner.get(s.corner[k]) / 3;
        if here.owns(face) {
            here.patch
        } else {
            w.patch_of(flat, face)
        }
    };
    let (a, b, c) = (owner(0), owner(1), owner(2));
    tell(here.patch, linear);
    if a != here.patch {
        tell(a, linear);
    }
    if b != here.patch && b != a {
        tell(b, linear);
    }
    if c != here.patch && c != a && c != b {
        tell(c, linear);
    }
    let across = |side: u32| {
        let other = match flat.across(side >> 1, f) {
            Some(other) if other != NONE => w.face_linear.get(other),
            _ => return,
        };
        if other < here.first {
            let q = w.patch_of(flat, other);
            if q != a && q != b && q != c {
                tell(q, linear);
            }
            tell(here.patch, other);
        }
    };
    across(s.side[0]);
    across(s.side[1]);
    across(s.side[2]);
}

kernel! {
    /// Marks the edges and vertices that each face is the first of, counts the edges and vertices that each patch owns,
    /// and counts the faces that each patch is told.
    pub struct RepackTell: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

impl RepackTell {
    /// Returns the marks of a face.
    #[inline(always)]
    fn marks(&self, here: Here, linear: u32) -> u32 {
        let w = &self.work;
        let f = w.face_session.get(linear);
        let s = self.flat.sides(f);
        let (mut marks, mut extra) = (0, 0);
        let mut k = 0;
        while k < 3 {
            let (edge, own) = (s.side[k] >> 1, !(3 * linear + k as u32));
            if w.first_side.get(edge) == own {
                marks |= 1 << k;
            }
            let corner = w.first_corner.get(s.corner[k]);
            if corner == own {
                marks |= 8 << k;
            }
            if !here.owns(!corner / 3) {
                marks |= BORDER;
            }
            extra += u32::from(self.flat.across(edge, f).is_none());
            k += 1;
        }
        if extra > 0 {
            w.stats.fetch_add(Stat::Extra as u32, extra);
        }
        marks
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackTell {
    type Tables = [Shared<u32>; 2];

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        [plan.take(CHUNK), plan.take(SCRATCH_WORDS)]
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &[counts, scratch]: &Self::Tables) {
        let w = self.work;
        if block >= w.stat(Stat::Patches) {
            return;
        }
        let here = Here::new(&w, block);
        let (mut edges, mut vertices) = (0, 0);
        chunks(here.n, |from, m| {
            b.each(m, |i| {
                let linear = here.first + from + i;
                let marks = self.marks(here, linear);
                w.marks.set(linear, marks as u8);
                counts.set(i, packed_counts(marks));
                if marks & BORDER != 0 {
                    tell_border(&self.flat, &w, here, linear, |patch, _| {
                        w.told_count.fetch_add(patch, 1);
                    });
                }
            });
            let total = b.scan(counts, m, scratch);
            edges += total & 0xffff;
            vertices += total >> 16;
        });
        b.last_phase(|p| {
            p.lead(|| {
                w.patch_edge.set(block, edges);
                w.patch_vertex.set(block, vertices);
            });
        });
    }
}

/// Returns the numbers of edges (low half) and vertices (high half) that a face with these marks is the first of.
#[inline(always)]
fn packed_counts(marks: u32) -> u32 {
    (marks & 7).count_ones() | (marks >> 3 & 7).count_ones() << 16
}

kernel! {
    /// Computes the start of the edges, vertices and told faces of each patch: one block. May run again when more has
    /// been told.
    pub struct RepackStarts: Block {
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Nonzero if it is the first run: edges and vertices are then counts.
        pub first: u32,
    }
}

/// Patches that one-block kernels take at a time.
pub(super) const PATCHES: u32 = 1024;

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackStarts {
    const THREADS: u32 = 512;
    type Tables = ([Shared<u32>; 4], Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (
            [
                plan.take(PATCHES),
                plan.take(PATCHES),
                plan.take(PATCHES),
                plan.take(PATCHES),
            ],
            plan.take(SCRATCH_WORDS),
        )
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &([e, v, t, tables], scratch): &Self::Tables) {
        let (w, first) = (self.work, self.first != 0);
        let patches = w.stat(Stat::Patches);
        let (mut edges, mut vertices, mut told, mut words) = (0u32, 0u32, 0u32, 0u32);
        let mut from = 0;
        while from < patches {
            let n = (patches - from).min(PATCHES);
            b.each(n, |i| {
                let list = w.told_count.get(from + i);
                t.set(i, list);
                tables.set(
                    i,
                    if list > LONG_LIST {
                        table_words(list)
                    } else {
                        0
                    },
                );
                w.stats.raise(Stat::MostTold as u32, list);
                if first {
                    e.set(i, w.patch_edge.get(from + i));
                    v.set(i, w.patch_vertex.get(from + i));
                }
            });
            let (more_told, more_words) = (b.scan(t, n, scratch), b.scan(tables, n, scratch));
            let (told_here, words_here) = (told, words);
            b.each(n, |i| {
                w.told_start.set(from + i, told_here.wrapping_add(t.get(i)));
                w.table_start
                    .set(from + i, words_here.wrapping_add(tables.get(i)));
            });
            if first {
                let (more_e, more_v) = (b.scan(e, n, scratch), b.scan(v, n, scratch));
                let (edges_here, vertices_here) = (edges, vertices);
                b.each(n, |i| {
                    w.patch_edge.set(from + i, edges_here + e.get(i));
                    w.patch_vertex.set(from + i, vertices_here + v.get(i));
                });
                edges += more_e;
                vertices += more_v;
            }
            // The sums of one part fit: a list is at most three times the faces long, a table four times that.
            let over =
                told.checked_add(more_told).is_none() || words.checked_add(more_words).is_none();
            if over {
                b.lead(|| w.stats.set(Stat::Overflow as u32, 1));
            }
            told = told.wrapping_add(more_told);
            words = words.wrapping_add(more_words);
            from += PATCHES;
        }
        b.last_phase(|p| {
            p.lead(|| {
                w.told_start.set(patches, told);
                w.stats.set(Stat::Told as u32, told);
                w.stats.set(Stat::TableWords as u32, words);
                if first {
                    w.patch_edge.set(patches, edges);
                    w.patch_vertex.set(patches, vertices);
                    w.stats.set(Stat::Edges as u32, edges);
                    w.stats.set(Stat::Vertices as u32, vertices);
                }
            });
        });
    }
}

kernel! {
    /// Leaves edges and vertices without a face without linear id; live vertices among them are counted.
    pub struct RepackUnused: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackUnused {
    #[inline(always)]
    fn run(&self, i: u32) {
        let w = &self.work;
        if i < w.first_side.len() && w.first_side.get(i) == 0 {
            w.edge_linear.set(i, NONE);
        }
        if i < w.first_corner.len() && w.first_corner.get(i) == 0 {
            w.vertex_linear.set(i, NONE);
            if self.flat.ve.get(i) != DEAD {
                w.stats.fetch_add(Stat::Isolated as u32, 1);
            }
        }
    }
}

kernel! {
    /// Flags the live vertices without a face, as zeroes and ones.
    pub struct RepackIsolated: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// One word per vertex.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackIsolated {
    #[inline(always)]
    fn run(&self, v: u32) {
        let isolated = self.work.first_corner.get(v) == 0 && self.flat.ve.get(v) != DEAD;
        self.flags.set(v, u32::from(isolated));
    }
}

kernel! {
    /// Numbers isolated vertices by linear id: after all others, by session id.
    pub struct RepackLast: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Number of isolated vertices before each vertex.
        pub before: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackLast {
    #[inline(always)]
    fn run(&self, v: u32) {
        let w = &self.work;
        if w.first_corner.get(v) == 0 && self.flat.ve.get(v) != DEAD {
            let last = w.stat(Stat::Vertices);
            w.vertex_linear.set(v, last + self.before.get(v));
        }
    }
}

kernel! {
    /// Gives edges and vertices their linear ids, and writes the faces that each patch is told.
    pub struct RepackNumber: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Told faces, as linear ids, patch by patch.
        pub told: GlobalMut<u32>,
    }
}

impl RepackArrays {
    /// Lists a linear face for a patch.
    #[inline(always)]
    pub(super) fn tell(&self, told: GlobalMut<u32>, patch: u32, linear: u32) {
        let left = self.told_count.fetch_add(patch, u32::MAX);
        told.set(self.told_start.get(patch) + left - 1, linear);
    }
}

impl RepackNumber {
    /// Numbers the edges and vertices whose first face this is, from `edge` and `vertex` on.
    #[inline(always)]
    fn number(&self, linear: u32, marks: u32, edge: u32, vertex: u32) {
        let w = &self.work;
        let f = w.face_session.get(linear);
        let (mut edge, mut vertex) = (edge, vertex);
        let mut k = 0;
        while k < 3 {
            let side = self.flat.fe.get(3 * f + k);
            if marks >> k & 1 != 0 {
                w.edge_linear.set(side >> 1, edge);
                w.edge_session.set(edge, side >> 1);
                edge += 1;
            }
            if marks >> (3 + k) & 1 != 0 {
                w.vertex_linear.set(self.flat.ev.get(side), vertex);
                vertex += 1;
            }
            k += 1;
        }
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackNumber {
    type Tables = [Shared<u32>; 2];

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        [plan.take(CHUNK), plan.take(SCRATCH_WORDS)]
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &[places, scratch]: &Self::Tables) {
        let (w, told) = (self.work, self.told);
        let here = Here::new(&w, block);
        let (mut edges, mut vertices) = (w.patch_edge.get(block), w.patch_vertex.get(block));
        chunks(here.n, |from, m| {
            let marks = |i: u32| u32::from(w.marks.get(here.first + from + i));
            b.each(m, |i| places.set(i, packed_counts(marks(i))));
            let total = b.scan(places, m, scratch);
            let (edge, vertex) = (edges, vertices);
            b.each(m, |i| {
                let (linear, marks, place) = (here.first + from + i, marks(i), places.get(i));
                if marks & 0x3f != 0 {
                    self.number(
                        linear,
                        marks,
                        edge + (place & 0xffff),
                        vertex + (place >> 16),
                    );
                }
                if marks & BORDER != 0 {
                    tell_border(&self.flat, &w, here, linear, |patch, face| {
                        w.tell(told, patch, face);
                    });
                }
            });
            edges += total & 0xffff;
            vertices += total >> 16;
        });
    }
}
