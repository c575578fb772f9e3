//! Construction of the nodes that searches walk: eight children each, cut where the curve leaves a cell.
//!
//! Triangles lie along a curve, and a node has a stretch of them. It is cut in two where the highest bit of the place
//! along the curve changes (Lauterbach et al. 2009, "Fast BVH construction on GPUs", section 4); of the parts the
//! longest one is cut next, until there are eight. Boxes are then compact, and a search meets fewer than in a complete
//! tree, whose nodes end where a count does.

use super::search::{LEAF, LINKS, NODE_WORDS, WIDTH, link_to};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

kernel_list! {
    flat tree_split: SplitNodes;
    flat tree_link: LinkNodes;
    flat tree_fit: FitNodes;
}

/// Words of the stretch of a node: the first triangle of each child, the end, and the first child that is a node.
pub const STRETCH_WORDS: u32 = 10;

/// Place of the end among the words of a stretch.
pub const STRETCH_END: u32 = 8;

/// Place of the first child that is a node among the words of a stretch.
const CHILDREN: u32 = 9;

/// Parts of this many triangles are not cut, even if a node has fewer than eight children. Their number makes little
/// difference: with 1 rays take 1 % less time, and closest points 5 % more.
const FINEST: u32 = 2;

kernel! {
    /// Cuts the stretches of nodes into those of their children. One index per node of a level.
    pub struct SplitNodes: Flat {
        /// Places of the triangles along the curve, in order.
        pub codes: Global<u32>,
        /// Stretches of the nodes, [`STRETCH_WORDS`] words each, of which the first one and the end are given.
        pub stretches: GlobalMut<u32>,
        /// First node of the level.
        pub first: u32,
        /// Number of children that are nodes, for each node of the level.
        pub counts: GlobalMut<u32>,
    }
}

impl SplitNodes {
    /// Returns the place where a stretch of two or more triangles is cut.
    #[inline(always)]
    fn cut(&self, from: u32, to: u32) -> u32 {
        let (low, high) = (self.codes.get(from), self.codes.get(to - 1));
        let differs = low ^ high;
        if differs == 0 {
            return from + (to - from) / 2;
        }
        // The first place with the highest bit that differs.
        let bit = u32::BITS - 1 - differs.leading_zeros();
        let least = high >> bit << bit;
        let (mut before, mut at) = (from, to - 1);
        while at - before > 1 {
            let middle = before + (at - before) / 2;
            if self.codes.get(middle) < least {
                before = middle;
            } else {
                at = middle;
            }
        }
        at
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for SplitNodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let starts = self.stretches.from(STRETCH_WORDS * (self.first + i));
        let end = starts.get(STRETCH_END);
        let mut parts = 1;
        while parts < WIDTH {
            let (mut longest, mut length, mut k) = (0, 0, 0);
            let mut to = end;
            while k < parts {
                let part = parts - 1 - k;
                let from = starts.get(part);
                if to - from >= length {
                    (longest, length) = (part, to - from);
                }
                to = from;
                k += 1;
            }
            if length <= FINEST {
                break;
            }
            let from = starts.get(longest);
            let at = self.cut(from, from + length);
            let mut part = parts;
            while part > longest + 1 {
                starts.set(part, starts.get(part - 1));
                part -= 1;
            }
            starts.set(longest + 1, at);
            parts += 1;
        }
        let (mut nodes, mut k) = (0, 0);
        while k < WIDTH {
            if k >= parts {
                starts.set(k, end);
            }
            k += 1;
        }
        k = 0;
        while k < parts {
            nodes += u32::from(starts.get(k + 1) - starts.get(k) > LEAF);
            k += 1;
        }
        self.counts.set(i, nodes);
    }
}

kernel! {
    /// Gives the children that are nodes their numbers and stretches. One index per node of a level.
    pub struct LinkNodes: Flat {
        /// Stretches of the nodes.
        pub stretches: GlobalMut<u32>,
        /// First node of the level.
        pub first: u32,
        /// First node of the next level.
        pub next: u32,
        /// Number of children of the nodes before each node of the level.
        pub counts: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for LinkNodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let starts = self.stretches.from(STRETCH_WORDS * (self.first + i));
        let mut child = self.next + self.counts.get(i);
        starts.set(CHILDREN, child);
        let mut k = 0;
        while k < WIDTH {
            let (from, to) = (starts.get(k), starts.get(k + 1));
            if to - from > LEAF {
                let below = self.stretches.from(STRETCH_WORDS * child);
                below.set(0, from);
                below.set(STRETCH_END, to);
                child += 1;
            }
            k += 1;
        }
    }
}

kernel! {
    /// Writes the box and the link of each child of nodes; children that are nodes are written before. Eight indices
    /// per node of a level.
    pub struct FitNodes: Flat {
        /// Words of the triangles, in order.
        pub triangles: Global<u32>,
        /// Stretches of the nodes.
        pub stretches: Global<u32>,
        /// First node of the level.
        pub first: u32,
        /// The nodes ([`TreeView::nodes`](super::search::TreeView::nodes)).
        pub nodes: GlobalMut<u32>,
    }
}

impl FitNodes {
    /// Returns the box of triangles from one place to another.
    #[inline(always)]
    fn around(&self, from: u32, to: u32) -> [Vec3; 2] {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut corner = 3 * from;
        while corner < 3 * to {
            let [x, y, z, _] = self.triangles.get4(corner).map(f32::from_bits);
            let p = Vec3::new(x, y, z);
            (low, high) = (low.min(p), high.max(p));
            corner += 1;
        }
        [low, high]
    }

    /// Returns the box of a node.
    #[inline(always)]
    fn of_node(&self, node: u32) -> [Vec3; 2] {
        let words = self.nodes.from(NODE_WORDS * node);
        let number = |i: u32| f32::from_bits(words.get(i));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut k = 0;
        while k < WIDTH {
            let at = |axis: u32| number(WIDTH * axis + k);
            low = low.min(Vec3::new(at(0), at(1), at(2)));
            high = high.max(Vec3::new(at(3), at(4), at(5)));
            k += 1;
        }
        [low, high]
    }
}

// SAFETY: indices of one launch write nodes of one level, and read those of the next; the host launches no more of them
// than the views hold (contracts U3, U4).
unsafe impl FlatKernel for FitNodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (node, child) = (self.first + i / WIDTH, i % WIDTH);
        let starts = self.stretches.from(STRETCH_WORDS * node);
        let (from, to) = (starts.get(child), starts.get(child + 1));
        let is_node = to - from > LEAF;
        let (link, [low, high]) = if is_node {
            let (mut below, mut k) = (starts.get(CHILDREN), 0);
            while k < child {
                below += u32::from(starts.get(k + 1) - starts.get(k) > LEAF);
                k += 1;
            }
            (below, self.of_node(below))
        } else {
            (link_to(from, to), self.around(from, to))
        };
        let words = self.nodes.from(NODE_WORDS * node);
        let put = |axis: u32, x: f32| words.set(WIDTH * axis + child, x.to_bits());
        put(0, low.x);
        put(1, low.y);
        put(2, low.z);
        put(3, high.x);
        put(4, high.y);
        put(5, high.z);
        words.set(LINKS + child, link);
    }
}
