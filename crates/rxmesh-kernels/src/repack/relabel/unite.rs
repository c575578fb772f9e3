//! Regions that unite, in rounds.

use super::{Regions, Sizes, centre, faces_of, seed, settle};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{GridKernel, Next, share_of};
use crate::math::hash;
use crate::mem::{GlobalMut, Plan};
use crate::repack::{NONE, RepackArrays, Stat};

/// Amount by which regions are to grow.
#[derive(Clone, Copy)]
pub struct Rounds {
    /// Rounds of matching: a round makes regions about one and a half times as large.
    pub matching: u32,
    /// Steps from a region's border to its centre; 0 if regions have too few labels to have a shape.
    pub depth: u32,
}

/// Lloyd rounds on the graph of labels.
const SHAPINGS: u32 = 2;

impl Rounds {
    /// Steps of a round of matching.
    const OF_MATCHING: u32 = 3;

    /// Returns the number of steps of a Lloyd round: some for depths and two to begin with; those that pass labels on,
    /// for which a centre may lie to one side; and one to end with.
    #[inline(always)]
    fn of_shaping(depth: u32) -> u32 {
        depth + 2 + 4 * depth + 1
    }

    /// Returns the number of steps of [`RelabelUnite`].
    pub fn steps(&self) -> u32 {
        let shaping = if self.depth == 0 {
            0
        } else {
            SHAPINGS * Self::of_shaping(self.depth)
        };
        1 + Self::OF_MATCHING * self.matching + shaping
    }
}

kernel! {
    /// Unites neighbouring regions, round by round, and gives them a better shape.
    pub struct RelabelUnite: Grid {
        /// Shared arrays, with the labels' starts.
        pub work: RepackArrays,
        /// Regions: one a label after the first step.
        pub regions: Regions,
        /// Neighbouring labels.
        pub pairs: GlobalMut<u32>,
        /// Sizes.
        pub sizes: Sizes,
        /// As [`Rounds::matching`].
        pub matching: u32,
        /// As [`Rounds::depth`].
        pub depth: u32,
        /// Number of blocks.
        pub blocks: u32,
    }
}

// SAFETY: threads write apart or atomically in each step, to words that it does not read otherwise; steps are the same
// for all blocks (contracts U1 to U4).
unsafe impl GridKernel for RelabelUnite {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &mut Plan) {}

    #[inline(always)]
    fn step<B: Block>(&self, b: B, block: u32, step: u32, _: &()) -> Next {
        let mut r = self.regions;
        let (labels, pairs) = (self.work.label_faces.len(), self.work.stat(Stat::Pairs));
        if step == 0 {
            self.each(b, block, labels, |l| self.start(l));
            return Next::Together;
        }
        let (step, matching) = (step - 1, Rounds::OF_MATCHING * self.matching);
        let round = (step / Rounds::OF_MATCHING).min(self.matching);
        if !round.is_multiple_of(2) {
            (r.mate, r.next_mate) = (r.next_mate, r.mate);
        }
        if step < matching {
            match step % Rounds::OF_MATCHING {
                0 => self.each(b, block, pairs, |i| self.pick(&r, i, round)),
                1 => self.each(b, block, pairs, |i| self.mate(&r, i, round)),
                _ => self.each(b, block, labels, |l| unite(&r, l)),
            }
            return Next::Together;
        }
        let (step, depth) = (
            (step - matching) % Rounds::of_shaping(self.depth),
            self.depth,
        );
        if step < depth {
            self.each(b, block, pairs, |i| self.deepen(&r, i, step));
        } else if step == depth {
            self.each(b, block, labels, |l| centre(&r, l));
        } else if step == depth + 1 {
            self.each(b, block, labels, |l| seed(&r, l));
        } else if step + 1 == Rounds::of_shaping(depth) {
            self.each(b, block, labels, |l| self.settle_in(&r, l));
        } else if (step - depth).is_multiple_of(2) {
            self.each(b, block, pairs, |i| self.spread(&r, i));
        } else {
            self.each(b, block, labels, |l| settle(&r, l));
        }
        Next::Together
    }
}

impl RelabelUnite {
    /// Runs `f` for the block's share of `0..n`.
    #[inline(always)]
    pub(super) fn each<B: Block>(&self, b: B, block: u32, n: u32, f: impl Fn(u32)) {
        let (first, n) = share_of(block, self.blocks, n);
        b.last_phase(|p| p.each(n, |i| f(first + i)));
    }

    /// Returns the labels of a pair.
    #[inline(always)]
    fn labels(&self, i: u32) -> (u32, u32) {
        (self.pairs.get(3 * i), self.pairs.get(3 * i + 1))
    }

    /// Returns the regions of a pair, and the key of their union; `None` if they are one, or have no reason to unite.
    #[inline(always)]
    fn union(&self, r: &Regions, i: u32, round: u32) -> Option<(u32, u32, u32)> {
        let (x, y) = self.labels(i);
        let (a, b) = (r.root.get(x), r.root.get(y));
        if a == b {
            return None;
        }
        let lot = hash(self.pairs.get(3 * i + 2) ^ round);
        let key = r.key(a, b, lot, &self.sizes);
        if key == NONE { None } else { Some((a, b, key)) }
    }

    /// Makes every label a region.
    #[inline(always)]
    fn start(&self, l: u32) {
        let r = &self.regions;
        let n = faces_of(&self.work, l);
        r.size.set(l, n);
        r.root.set(l, l);
        let wrong = n > self.sizes.limit || (n > 0 && n < self.sizes.low);
        r.wrong.set(l, u32::from(wrong));
        r.best.set(l, NONE);
        r.mate.set(l, NONE);
        r.next_mate.set(l, NONE);
    }

    /// Finds for each region the lowest key of a union with a neighbour.
    #[inline(always)]
    fn pick(&self, r: &Regions, i: u32, round: u32) {
        if let Some((a, b, key)) = self.union(r, i, round) {
            r.best.fetch_min(a, key);
            r.best.fetch_min(b, key);
        }
    }

    /// Sets the neighbour that each region takes: that of the lowest key, if the key is the lowest for both.
    #[inline(always)]
    fn mate(&self, r: &Regions, i: u32, round: u32) {
        if let Some((a, b, key)) = self.union(r, i, round)
            && key == r.best.get(a)
            && key == r.best.get(b)
        {
            // Two pairs may have the same key; the minimum decides.
            r.mate.fetch_min(a, b);
            r.mate.fetch_min(b, a);
        }
    }

    /// Computes the depth of each label in its region, in [`Regions::best`]: 0 beside another region, one more each
    /// step.
    #[inline(always)]
    fn deepen(&self, r: &Regions, i: u32, depth: u32) {
        let (a, b) = self.labels(i);
        let same = r.root.get(a) == r.root.get(b);
        if depth == 0 && !same {
            r.best.fetch_min(a, 0);
            r.best.fetch_min(b, 0);
        } else if depth > 0 && same {
            let (x, y) = (r.best.load(a), r.best.load(b));
            if x == depth - 1 && y > depth {
                r.best.fetch_min(b, depth);
            }
            if y == depth - 1 && x > depth {
                r.best.fetch_min(a, depth);
            }
        }
    }

    /// Labels beside one that belongs somewhere are offered to the same region, in [`Regions::best`]. Regions that are
    /// right as they are neither give nor take.
    #[inline(always)]
    fn spread(&self, r: &Regions, i: u32) {
        let (a, b) = self.labels(i);
        let (x, y) = (r.next_mate.get(a), r.next_mate.get(b));
        if (x == NONE) == (y == NONE) {
            return;
        }
        if r.wrong.get(r.root.get(a)) != 0 && r.wrong.get(r.root.get(b)) != 0 {
            if x == NONE {
                r.best.fetch_min(a, y);
            } else {
                r.best.fetch_min(b, x);
            }
        }
    }

    /// Moves a label to the region that it was given to, or leaves it.
    #[inline(always)]
    fn settle_in(&self, r: &Regions, l: u32) {
        let to = r.next_mate.get(l);
        let root = if to == NONE { r.root.get(l) } else { to };
        r.root.set(l, root);
        r.size.fetch_add(root, faces_of(&self.work, l));
        r.best.set(l, NONE);
        r.mate.set(l, NONE);
    }
}

/// Unites regions that take each other.
#[inline(always)]
fn unite(r: &Regions, l: u32) {
    let root = r.root.get(l);
    let mate = r.mate.get(root);
    // The lower of the two stays a root.
    if mate < root && r.mate.get(mate) == root {
        r.root.set(l, mate);
        if l == root {
            r.size.set(mate, r.size.get(mate) + r.size.get(l));
            r.size.set(l, 0);
            r.wrong.set(mate, 1);
        }
    }
    r.best.set(l, NONE);
    r.next_mate.set(l, NONE);
}
