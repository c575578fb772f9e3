//! Labels of the right size: if labels have too many faces or too few, neighbours are united into regions of several
//! patches, and regions with more faces than a patch may have are cut again ([`super::recut`]).
//!
//! Regions grow by rounds of matching on the graph of labels: every region takes the neighbour with which it is
//! smallest, and two that take each other become one (as in multilevel graph partitioning: Karypis and Kumar 1998).
//! Among unions of about the same size every edge between two regions draws a lot: the longer their common border, the
//! better their chance.
//!
//! Regions of many labels then get a better shape by Lloyd rounds on the graph of labels: each region's centre is the
//! label deepest in it, and every label goes to the nearest centre.

mod unite;

pub use unite::{RelabelUnite, Rounds};

use super::faces::count_run;
use super::{CHUNK, NONE, RepackArrays, RepackMesh, Stat};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{BlockKernel, FlatKernel};
use crate::math::hash;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::{args, kernel};

kernel_list! {
    block relabel_pairs: RelabelPairs;
    grid relabel_unite: RelabelUnite;
    block relabel_regions: RelabelRegions;
    flat relabel_faces: RelabelFaces;
}

args! {
    /// Regions. Arrays have an entry per label unless they say otherwise; those about regions are indexed by the
    /// region's name.
    pub struct Regions {
        /// Region of each label, named by one of the labels.
        pub root: GlobalMut<u32>,
        /// Faces of each region; 0 for a name that no region has.
        pub size: GlobalMut<u32>,
        /// Nonzero if a region holds a label of the wrong size.
        pub wrong: GlobalMut<u32>,
        /// Lowest key among a region's possible unions.
        pub best: GlobalMut<u32>,
        /// Region that a region takes in this round.
        pub mate: GlobalMut<u32>,
        /// The same in the next round: [`NONE`] after this one.
        pub next_mate: GlobalMut<u32>,
        /// First new label of each region.
        pub base: GlobalMut<u32>,
        /// Place of the next face of each region among the faces of all regions that are cut.
        pub cursor: GlobalMut<u32>,
        /// Names of the regions that are cut: an entry per region.
        pub cut_root: GlobalMut<u32>,
        /// Start of the faces of these.
        pub cut_start: GlobalMut<u32>,
    }
}

args! {
    /// Sizes that relabelling uses.
    pub struct Sizes {
        /// Most faces of a patch.
        pub limit: u32,
        /// Labels with fewer faces are too small.
        pub low: u32,
        /// Faces of a full patch where a region is cut.
        pub full: u32,
        /// Number of faces from which a region seeks no partner.
        pub enough: u32,
        /// Most faces of a union.
        pub most: u32,
    }
}

/// Treatment of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    /// No such region.
    Nothing,
    /// One patch.
    Keep,
    /// As many patches as it needs.
    Cut,
    /// A patch that is shared with other regions that found no partner.
    Pack,
}

impl Regions {
    #[inline(always)]
    fn fate(&self, label: u32, sizes: &Sizes) -> Fate {
        let size = self.size.get(label);
        if size == 0 {
            Fate::Nothing
        } else if self.wrong.get(label) != 0 && size > sizes.limit {
            Fate::Cut
        } else if self.wrong.get(label) != 0 && size < sizes.limit / 2 {
            Fate::Pack
        } else {
            Fate::Keep
        }
    }

    /// Returns the key of the union of two regions: small unions first, then the lower `lot`. [`NONE`] if there is no
    /// reason to unite them.
    #[inline(always)]
    fn key(&self, a: u32, b: u32, lot: u32, sizes: &Sizes) -> u32 {
        let (x, y) = (self.size.get(a), self.size.get(b));
        let seeks = |r: u32, size: u32| self.wrong.get(r) != 0 && size < sizes.enough;
        // No sum can overflow: there are fewer than 2^31 faces.
        if x + y > sizes.most || !(seeks(a, x) || seeks(b, y)) {
            return NONE;
        }
        let step = sizes.most / 16 + 1;
        (((x + y) / step) << 24) | (lot >> 8)
    }
}

/// Returns the number of faces of a label.
#[inline(always)]
fn faces_of(w: &RepackArrays, l: u32) -> u32 {
    let end = if l + 1 < w.label_faces.len() {
        w.label_faces.get(l + 1)
    } else {
        w.stat(Stat::Faces)
    };
    end - w.label_faces.get(l)
}

kernel! {
    /// Lists the labels of any two faces with different labels that share an edge. A block takes [`CHUNK`] faces.
    pub struct RelabelPairs: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Three words a pair, pairs in any order: two labels, and a hash of the edge.
        pub pairs: GlobalMut<u32>,
    }
}

impl RelabelPairs {
    /// Calls `pair(a, b, edge)` for the sides of a face at which the label changes, once for each edge.
    #[inline(always)]
    fn at(&self, f: u32, mut pair: impl FnMut(u32, u32, u32)) {
        let flat = &self.flat;
        if !flat.is_face(f) {
            return;
        }
        let label = flat.label.get(f);
        let mut k = 0;
        while k < 3 {
            let edge = flat.fe.get(3 * f + k) >> 1;
            let other = flat.across(edge, f).unwrap_or(NONE);
            if other != NONE && other > f {
                let beyond = flat.label.get(other);
                if beyond != label {
                    pair(label, beyond, edge);
                }
            }
            k += 1;
        }
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RelabelPairs {
    type Tables = [Shared<u32>; 3];

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        [plan.take(CHUNK), plan.take(SCRATCH_WORDS), plan.take(4)]
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &[places, scratch, start]: &Self::Tables) {
        let first = block * CHUNK;
        let n = (self.flat.faces() - first).min(CHUNK);
        b.each(n, |i| {
            let mut count = 0;
            self.at(first + i, |_, _, _| count += 1);
            places.set(i, count);
        });
        let total = b.scan(places, n, scratch);
        if total == 0 {
            return;
        }
        b.lead(|| start.set(1, self.work.stats.fetch_add(Stat::Pairs as u32, total)));
        let pairs = self.pairs;
        b.last_phase(|p| {
            p.each(n, |i| {
                let mut at = 3 * (start.get(1) + places.get(i));
                self.at(first + i, |x, y, edge| {
                    pairs.set(at, x);
                    pairs.set(at + 1, y);
                    pairs.set(at + 2, hash(edge));
                    at += 3;
                });
            });
        });
    }
}

/// Most labels of a mesh whose regions are given a better shape: ids share a word with a depth.
pub const SHAPED: u32 = 1 << 26;

/// Greatest depth that is distinguished.
const DEEPEST: u32 = 63;

/// Finds the deepest label of each region, in [`Regions::mate`].
#[inline(always)]
fn centre(r: &Regions, l: u32) {
    let depth = r.best.get(l).min(DEEPEST);
    r.mate
        .fetch_min(r.root.get(l), ((DEEPEST - depth) << 26) | l);
    r.next_mate.set(l, NONE);
}

/// Assigns each centre to its region, in [`Regions::next_mate`]; all other labels are open.
#[inline(always)]
fn seed(r: &Regions, l: u32) {
    let root = r.root.get(l);
    if r.mate.get(root) & (SHAPED - 1) == l {
        r.next_mate.set(l, root);
    }
    r.best.set(l, NONE);
    r.size.set(l, 0);
}

/// Assigns an open label to the region that was offered to it.
#[inline(always)]
fn settle(r: &Regions, l: u32) {
    if r.next_mate.get(l) == NONE {
        r.next_mate.set(l, r.best.get(l));
    }
}

/// Labels that [`RelabelRegions`] takes at a time.
const LABELS: u32 = 1024;

kernel! {
    /// Numbers new labels: one for a region that stays, the required number for one that is cut, and then those that
    /// small regions share. Lists the regions that are cut. One block.
    pub struct RelabelRegions: Block {
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Regions of labels.
        pub regions: Regions,
        /// Sizes.
        pub sizes: Sizes,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RelabelRegions {
    const THREADS: u32 = 512;
    type Tables = ([Shared<u32>; 4], Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (
            [
                plan.take(LABELS),
                plan.take(LABELS),
                plan.take(LABELS),
                plan.take(LABELS),
            ],
            plan.take(SCRATCH_WORDS),
        )
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &([labels, cuts, faces, packs], scratch): &Self::Tables) {
        let (w, r, sizes) = (self.work, self.regions, self.sizes);
        let all = w.label_faces.len();
        let half = (sizes.limit / 2).max(1);
        let (mut label, mut cut, mut face, mut packed) = (0, 0, 0, 0);
        let mut from = 0;
        while from < all {
            let n = (all - from).min(LABELS);
            b.each(n, |i| {
                let (fate, size) = (r.fate(from + i, &sizes), r.size.get(from + i));
                let is_cut = fate == Fate::Cut;
                let new = match fate {
                    Fate::Keep => 1,
                    Fate::Cut => size.div_ceil(sizes.full),
                    Fate::Nothing | Fate::Pack => 0,
                };
                labels.set(i, new);
                cuts.set(i, u32::from(is_cut));
                faces.set(i, if is_cut { size } else { 0 });
                packs.set(i, if fate == Fate::Pack { size } else { 0 });
                if is_cut {
                    w.stats.raise(Stat::LargestRegion as u32, size);
                }
            });
            let more = (
                b.scan(labels, n, scratch),
                b.scan(cuts, n, scratch),
                b.scan(faces, n, scratch),
                b.scan(packs, n, scratch),
            );
            let (label_here, cut_here, face_here, packed_here) = (label, cut, face, packed);
            b.each(n, |i| {
                let l = from + i;
                match r.fate(l, &sizes) {
                    Fate::Nothing => {}
                    Fate::Keep => r.base.set(l, label_here + labels.get(i)),
                    // Each has fewer than `half` faces: those that start in one part of `half` have at most `limit`
                    // together.
                    Fate::Pack => r.base.set(l, (packed_here + packs.get(i)) / half),
                    Fate::Cut => {
                        let (at, start) = (cut_here + cuts.get(i), face_here + faces.get(i));
                        r.base.set(l, label_here + labels.get(i));
                        r.cursor.set(l, start);
                        r.cut_root.set(at, l);
                        r.cut_start.set(at, start);
                    }
                }
            });
            label += more.0;
            cut += more.1;
            face += more.2;
            packed += more.3;
            from += LABELS;
        }
        b.last_phase(|p| {
            p.each(all, |l| {
                if r.fate(l, &sizes) == Fate::Pack {
                    r.base.set(l, label + r.base.get(l));
                }
            });
            p.lead(|| {
                w.stats.set(Stat::Cuts as u32, cut);
                w.stats.set(Stat::CutFaces as u32, face);
                w.stats
                    .set(Stat::Labels as u32, label + packed.div_ceil(half));
            });
        });
    }
}

kernel! {
    /// Writes new labels of the faces of regions that stay, and lists the faces of those that are cut. An index for
    /// each [`FACE_RUN`](super::faces::FACE_RUN) faces.
    pub struct RelabelFaces: Flat {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Regions of labels.
        pub regions: Regions,
        /// Sizes.
        pub sizes: Sizes,
        /// New labels.
        pub label: GlobalMut<u32>,
        /// Faces of the regions that are cut, region by region.
        pub members: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RelabelFaces {
    #[inline(always)]
    fn run(&self, i: u32) {
        let r = &self.regions;
        let counter = |f: u32| {
            if !self.flat.is_face(f) {
                return NONE;
            }
            let root = r.root.get(self.flat.label.get(f));
            if r.fate(root, &self.sizes) == Fate::Cut {
                return root;
            }
            self.label.set(f, r.base.get(root));
            NONE
        };
        let put = |f: u32, place: u32| self.members.set(place, f);
        count_run(i, self.flat.faces(), r.cursor, counter, put);
    }
}
