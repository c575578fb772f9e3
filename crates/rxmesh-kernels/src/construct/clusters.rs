//! Clusters of neighbouring faces: some faces are drawn as seeds, and every other one goes with the nearest of them, in
//! steps over shared edges; of several equally near ones with that of the lowest number. A face that no seed is near
//! enough to is a separate cluster.
//!
//! A face keeps in one word the distance to its seed and, in the lower bits, the seed's number. Edges lower the words
//! of their two faces as long as they can, in any order and several times between two barriers of the grid: the final
//! words are the least that the seeds allow, so the result does not depend on the order of threads.

use crate::exec::Block;
use crate::kernel::{FlatKernel, GridKernel, Next, share_of};
use crate::math::hash;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::repack::NONE;
use crate::{args, kernel};

kernel_list! {
    grid cluster_grow: ClusterGrow;
    flat cluster_label: ClusterLabel;
    flat cluster_alone: ClusterAlone;
    flat cluster_name: ClusterName;
}

args! {
    /// Choice of the seed faces, and layout of the words that name them.
    pub struct Seeds {
        /// Length of the runs of faces of which one is a seed.
        pub one_of: u32,
        /// Bits of a seed's number.
        pub bits: u32,
        /// Steps to the farthest face that goes with a seed.
        pub farthest: u32,
    }
}

impl Seeds {
    /// Creates the choice of seeds among `faces` faces.
    pub fn new(faces: u32, one_of: u32, farthest: u32) -> Seeds {
        let last = faces.div_ceil(one_of).saturating_sub(1);
        let bits = 32 - last.leading_zeros();
        Seeds {
            one_of,
            bits,
            // More would not fit above the number.
            farthest: farthest.min((NONE >> bits) - 1),
        }
    }

    /// Returns the first word of a face.
    #[inline(always)]
    fn first(&self, f: u32, faces: u32) -> u32 {
        let number = f / self.one_of;
        let from = number * self.one_of;
        let drawn = hash(number) % (faces - from).min(self.one_of);
        if f - from == drawn { number } else { NONE }
    }

    /// Returns the word of a face one step beyond one with this word; [`NONE`] if that is too far.
    #[inline(always)]
    fn beyond(&self, word: u32) -> u32 {
        if word >> self.bits >= self.farthest {
            NONE
        } else {
            word + (1 << self.bits)
        }
    }
}

/// Words of [`ClusterGrow::grown`].
pub const GROWN: u32 = 4;

/// Number of times that a block goes through its edges in a step of the grid. Changes by other blocks are visible at
/// once, so that a barrier is needed only to find out that no block has anything left to do.
const SWEEPS: u32 = 8;

/// Number of edges of a block above which it stops as soon as a sweep has changed nothing. With fewer it continues: a
/// sweep costs less than a barrier, and changes from the blocks beside it are taken up at once.
const FEW: u32 = 1024;

kernel! {
    /// Draws the seeds, and has clusters grow until nothing changes: that takes at most two steps more than
    /// [`Seeds::farthest`], and the one that draws.
    pub struct ClusterGrow: Grid {
        /// Two faces of each edge as one value, of which the second may be [`NONE`].
        pub ef: Global<u64>,
        /// A word per face.
        pub word: GlobalMut<u32>,
        /// Flags of steps that changed anything, in turns of three steps from word 1 on; zeroes at first.
        pub grown: GlobalMut<u32>,
        /// Choice of the seeds.
        pub seeds: Seeds,
        /// Number of blocks.
        pub blocks: u32,
    }
}

impl ClusterGrow {
    /// Returns the index of the word of [`ClusterGrow::grown`] that a step writes.
    #[inline(always)]
    fn turn(step: u32) -> u32 {
        1 + step % 3
    }

    /// Lowers the word of a face next to one with the word `next`. Returns `true` if that was needed.
    #[inline(always)]
    fn lower(&self, f: u32, was: u32, next: u32) -> bool {
        let word = self.seeds.beyond(next);
        word < was && self.word.fetch_min(f, word) > word
    }
}

// SAFETY: in the first step blocks write apart, and the first one also the flag that lets the next step go on; later
// words of faces are accessed atomically. Of the words of three steps a step reads one, writes one atomically, and its
// first block clears the third. The word about the next step, which all blocks read, was left by the step before
// (contracts U1 to U4).
unsafe impl GridKernel for ClusterGrow {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(4)
    }

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, &news: &Shared<u32>) -> Next {
        let (words, grown) = (self.word, self.grown);
        if step == 0 {
            let (first, n) = share_of(block, self.blocks, words.len());
            b.last_phase(|p| {
                p.lead(|| {
                    if block == 0 {
                        grown.set(Self::turn(0), 1);
                    }
                });
                p.each(n, |i| {
                    let f = first + i;
                    words.set(f, self.seeds.first(f, words.len()));
                });
            });
            return Next::Together;
        }
        let goes_on = grown.get(Self::turn(step - 1)) != 0;
        b.lead(|| {
            news.set(1, 0);
            if block == 0 {
                grown.set(Self::turn(step + 1), 0);
            }
        });
        if !goes_on {
            return Next::End;
        }
        let (first, n) = share_of(block, self.blocks, self.ef.len());
        let load = |i: u32| {
            let faces = self.ef.get(first + i);
            let (f, g) = (faces as u32, (faces >> 32) as u32);
            // An edge of one face changes nothing.
            let g = if g == NONE { f } else { g };
            (f, g, words.load(f), words.load(g))
        };
        let mut sweep = 0;
        while sweep < SWEEPS {
            sweep += 1;
            b.phase(|p| {
                p.each_loaded(n, load, |_, (f, g, x, y)| {
                    if self.lower(g, y, x) | self.lower(f, x, y) {
                        // Half of the time another thread has set it already.
                        if news.load(1) != sweep {
                            news.swap(1, sweep);
                        }
                    }
                });
            });
            let changed = news.get(1) == sweep;
            // Before the next sweep writes it.
            b.each(0, |_| {});
            if !changed && (B::SOLO || n > FEW) {
                break;
            }
        }
        b.last_phase(|p| {
            p.lead(|| {
                if news.get(1) != 0 {
                    grown.store(Self::turn(step), 1);
                }
            });
        });
        Next::Together
    }
}

kernel! {
    /// Turns words into numbers. An index per face.
    pub struct ClusterLabel: Flat {
        /// As [`ClusterGrow`] left them; then the number of each face's cluster, [`NONE`] if there is none.
        pub word: GlobalMut<u32>,
        /// Choice of the seeds.
        pub seeds: Seeds,
        /// A word that is not used, and the number of faces without a cluster; zeroes at first.
        pub left: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically (contracts U3, U4).
unsafe impl FlatKernel for ClusterLabel {
    #[inline(always)]
    fn run(&self, f: u32) {
        let word = self.word.get(f);
        if word == NONE {
            self.left.fetch_add(1, 1);
        } else {
            self.word.set(f, word & ((1 << self.seeds.bits) - 1));
        }
    }
}

kernel! {
    /// Flags the faces without a cluster, as ones and zeroes. An index per face.
    pub struct ClusterAlone: Flat {
        /// As [`ClusterLabel`] left it.
        pub label: Global<u32>,
        /// A word per face.
        pub alone: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ClusterAlone {
    #[inline(always)]
    fn run(&self, f: u32) {
        self.alone.set(f, u32::from(self.label.get(f) == NONE));
    }
}

kernel! {
    /// Labels of faces that have no cluster: one for each, after all others. An index per face.
    pub struct ClusterName: Flat {
        /// Number of faces without a cluster before each face.
        pub before: Global<u32>,
        /// First of their labels.
        pub first: u32,
        /// Label of each face.
        pub label: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart (contracts U3, U4).
unsafe impl FlatKernel for ClusterName {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.label.get(f) == NONE {
            self.label.set(f, self.first + self.before.get(f));
        }
    }
}
