//! Linear ids of faces: a counting sort by label.

use super::{CHUNK, NONE, RepackArrays, RepackMesh, Stat};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::mem::{GlobalMut, Plan, Shared};

kernel_list! {
    flat repack_count: RepackCount;
    block repack_labels: RepackLabels;
    flat repack_place: RepackPlace;
    block repack_sort: RepackSort;
}

/// Faces of a patch that are sorted in shared memory; longer lists are sorted in global memory.
pub const SORT_ROOM: u32 = 2048;

/// Faces that an index of [`RepackCount`] and [`RelabelFaces`](super::relabel::RelabelFaces) takes: neighbours mostly
/// have the same label, so that the count of each label is added once for all of them.
pub const FACE_RUN: u32 = 16;

/// Counts the faces of run `i` of `faces` faces in `counters`, each in the one that `counter` returns ([`NONE`] for
/// none), and gives each the number of those that were counted there before.
#[inline(always)]
pub(super) fn count_run(
    i: u32,
    faces: u32,
    counters: GlobalMut<u32>,
    counter: impl Fn(u32) -> u32,
    put: impl Fn(u32, u32),
) {
    let mut first = FACE_RUN * i;
    let end = faces.min(first + FACE_RUN);
    let (mut f, mut of) = (first, NONE);
    loop {
        let next = if f < end { counter(f) } else { NONE };
        if next != of || f == end {
            if of != NONE {
                let mut number = counters.fetch_add(of, f - first);
                while first < f {
                    put(first, number);
                    first += 1;
                    number += 1;
                }
            }
            (first, of) = (f, next);
        }
        if f == end {
            return;
        }
        f += 1;
    }
}

kernel! {
    /// Counts the faces of each label. A face's number within its label, in whatever order, stands in for its linear
    /// id. An index for each [`FACE_RUN`] faces.
    pub struct RepackCount: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackCount {
    #[inline(always)]
    fn run(&self, i: u32) {
        let w = &self.work;
        let counter = |f: u32| {
            if self.flat.is_face(f) {
                let label = self.flat.label.get(f);
                if label < w.label_faces.len() {
                    return label;
                }
                w.stats.raise(Stat::BadLabel as u32, f + 1);
            }
            w.face_linear.set(f, NONE);
            NONE
        };
        let put = |f: u32, number: u32| w.face_linear.set(f, number);
        count_run(i, self.flat.label.len(), w.label_faces, counter, put);
    }
}

kernel! {
    /// Computes the start of the faces of each label and patch, and the patch of each label: one block.
    pub struct RepackLabels: Block {
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

/// Labels that [`RepackLabels`] takes at a time.
const LABELS: u32 = 2048;

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackLabels {
    const THREADS: u32 = 512;
    type Tables = [Shared<u32>; 3];

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        [
            plan.take(LABELS),
            plan.take(LABELS),
            plan.take(SCRATCH_WORDS),
        ]
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &[starts, patches, scratch]: &Self::Tables) {
        let w = self.work;
        // There is capacity for more labels than the new ones, if there are any.
        let labels = match w.stat(Stat::Labels) {
            0 => w.label_faces.len(),
            labels => labels,
        };
        let (mut faces, mut patch) = (0, 0);
        let mut first = 0;
        while first < labels {
            let n = (labels - first).min(LABELS);
            b.each(n, |i| {
                let count = w.label_faces.get(first + i);
                starts.set(i, count);
                if count > 0 {
                    w.stats.raise(Stat::Largest as u32, count);
                }
                patches.set(i, u32::from(count > 0));
            });
            let some_faces = b.scan(starts, n, scratch);
            let some_patches = b.scan(patches, n, scratch);
            b.each(n, |i| {
                let (start, place) = (faces + starts.get(i), patch + patches.get(i));
                if w.label_faces.get(first + i) > 0 {
                    w.patch_face.set(place, start);
                }
                w.label_faces.set(first + i, start);
                w.label_patch.set(first + i, place);
            });
            faces += some_faces;
            patch += some_patches;
            first += LABELS;
        }
        b.last_phase(|p| {
            p.lead(|| {
                w.patch_face.set(patch, faces);
                w.stats.set(Stat::Patches as u32, patch);
                w.stats.set(Stat::Faces as u32, faces);
            });
        });
    }
}

kernel! {
    /// Puts every face into its label's range.
    pub struct RepackPlace: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackPlace {
    #[inline(always)]
    fn run(&self, f: u32) {
        let w = &self.work;
        let place = w.face_linear.get(f);
        if place != NONE {
            let start = w.label_faces.get(self.flat.label.get(f));
            w.face_session.set(start + place, f);
        }
    }
}

kernel! {
    /// Sorts each patch's faces by session id, which makes their linear ids; and finds the first side of every edge and
    /// the first corner of every vertex.
    pub struct RepackSort: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackSort {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SORT_ROOM)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &here: &Shared<u32>) {
        let w = self.work;
        if block >= w.stat(Stat::Patches) {
            return;
        }
        let (first, n) = w.faces_of(block);
        let there = w.face_session.part(first, n);
        if n <= SORT_ROOM {
            b.each(n, |i| here.set(i, there.get(i)));
            b.sort(here, n);
            b.last_phase(|p| {
                p.each(n, |i| {
                    let f = here.get(i);
                    there.set(i, f);
                    self.number(first + i, f);
                });
            });
        } else {
            b.sort(there, n);
            b.last_phase(|p| p.each(n, |i| self.number(first + i, there.get(i))));
        }
    }
}

impl RepackSort {
    #[inline(always)]
    fn number(&self, linear: u32, f: u32) {
        let w = &self.work;
        w.face_linear.set(f, linear);
        let s = self.flat.sides(f);
        w.first_side.raise(s.side[0] >> 1, !(3 * linear));
        w.first_side.raise(s.side[1] >> 1, !(3 * linear + 1));
        w.first_side.raise(s.side[2] >> 1, !(3 * linear + 2));
        w.first_corner.raise(s.corner[0], !(3 * linear));
        w.first_corner.raise(s.corner[1], !(3 * linear + 1));
        w.first_corner.raise(s.corner[2], !(3 * linear + 2));
    }
}

/// Calls `f(from, n)` for `0..len` in parts of at most [`CHUNK`].
#[inline(always)]
pub(super) fn chunks(len: u32, mut f: impl FnMut(u32, u32)) {
    let mut from = 0;
    while from < len {
        f(from, (len - from).min(CHUNK));
        from += CHUNK;
    }
}

/// Writes the values of `0..n` that `value` gives to `put(place, value)`, in order; returns how many there are. All
/// values of a part of [`CHUNK`] are read before the first of them is written, so a list may be compacted where it
/// lies.
#[inline(always)]
pub(super) fn compact<B: Block>(
    b: B,
    n: u32,
    [values, places, scratch]: [Shared<u32>; 3],
    value: impl Fn(u32) -> Option<u32>,
    put: impl Fn(u32, u32),
) -> u32 {
    let mut total = 0;
    chunks(n, |from, m| {
        b.each(m, |i| {
            let v = value(from + i);
            values.set(i, v.unwrap_or(NONE));
            places.set(i, u32::from(v.is_some()));
        });
        let some = b.scan(places, m, scratch);
        b.each(m, |i| {
            let v = values.get(i);
            if v != NONE {
                put(total + places.get(i), v);
            }
        });
        total += some;
    });
    total
}
