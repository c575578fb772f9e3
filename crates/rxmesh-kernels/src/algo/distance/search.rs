//! Searches in a hierarchy of boxes.

use super::curve::Curve;
use crate::args;
use crate::exec::{InSteps, repeat_together};
use crate::math::dot_rounded;
use crate::mem::Global;
use core::mem::MaybeUninit;
use glam::Vec3;

/// Triangles a leaf.
pub const LEAF: u32 = 4;

/// Fewest leaves of a tree: eight nodes are read at a time.
pub const LEAST_LEAVES: u32 = 8;

args! {
    /// A surface, for look-ups. The tree is complete: node `i` has the children `2 i` and `2 i + 1`, node 1 is the
    /// root, the last `leaves` nodes are the leaves.
    pub struct TreeView {
        /// Least and greatest corner of each node's box; the box of a node without triangles has its corners at
        /// infinity.
        pub boxes: Global<Vec3>,
        /// Triangles, [`TRIANGLE_WORDS`] words each ([`words_of`]), [`LEAF`] of them a leaf; the last leaves have
        /// fewer.
        pub triangles: Global<u32>,
        /// Number of leaves, a power of two, [`LEAST_LEAVES`] or more.
        pub leaves: u32,
        /// The curve along which the triangles lie.
        pub curve: Curve,
        /// Place along the curve of the first triangle of each leaf, where searches begin; `u32::MAX` for leaves
        /// without triangles. Empty to begin anywhere.
        pub firsts: Global<u32>,
    }
}

/// Words of a triangle of a tree.
pub const TRIANGLE_WORDS: u32 = 12;

/// Returns the words of a triangle of a tree, four for each corner: they are read as one each.
#[inline(always)]
pub fn words_of(corners: [Vec3; 3], number: u32) -> [[u32; 4]; 3] {
    let [a, b, c] = corners.map(|v| [v.x.to_bits(), v.y.to_bits(), v.z.to_bits()]);
    [
        [a[0], a[1], a[2], number],
        [b[0], b[1], b[2], 0],
        [c[0], c[1], c[2], 0],
    ]
}

/// Returns the number at a place of an order; the place itself if the order is empty.
#[inline(always)]
pub fn ordered(order: Global<u32>, i: u32) -> u32 {
    if order.is_empty() { i } else { order.get(i) }
}

/// Returns the node after one that is done with all below it; the root after the last one.
#[inline(always)]
pub fn after(node: u32) -> u32 {
    // The sibling, or that of the nearest parent which is a left child.
    (node + 1) >> (node + 1).trailing_zeros()
}

/// A box: its least and its greatest corner.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Least corner.
    pub low: Vec3,
    /// Greatest corner.
    pub high: Vec3,
}

impl Bounds {
    /// Returns the box of a triangle.
    #[inline(always)]
    pub fn of([a, b, c]: [Vec3; 3]) -> Bounds {
        Bounds {
            low: a.min(b).min(c),
            high: a.max(b).max(c),
        }
    }

    /// Returns the squared distance of a point, to the same bits on every engine; infinity if it is more than `most`.
    #[inline(always)]
    pub fn square_within(&self, p: Vec3, most: f32) -> f32 {
        let d = (self.low - p).max(p - self.high).max(Vec3::ZERO);
        let square = dot_rounded(d, d);
        if square <= most {
            square
        } else {
            f32::INFINITY
        }
    }
}

/// A search that [`TreeView::walk`] leads through the boxes.
pub trait BoxSearch {
    /// Returns how early a node is visited, from its box: of siblings that with the least number comes first. Not
    /// negative; infinity if the search has nothing to find there, which holds for all boxes inside it, too.
    fn order(&self, bounds: Bounds) -> f32;

    /// Returns `false` if there is nothing to find any more in a node that had this order, or a little more; then nor
    /// is there in nodes of greater ones, now and later. A search that finds less and less overrides it.
    #[inline(always)]
    fn keeps(&self, _order: f32) -> bool {
        true
    }

    /// Returns `false` for a triangle that need not be visited.
    #[inline(always)]
    fn is_due(&self, _corners: [Vec3; 3]) -> bool {
        true
    }

    /// Visits a triangle, which lies at a place of the tree. Returns `true` to end the search.
    fn visit(&mut self, tree: &TreeView, place: u32, corners: [Vec3; 3]) -> bool;
}

/// Bits of infinity.
const CLOSED: u32 = 0x7f80_0000;

/// Bits of a rank that hold the number among siblings.
const SIBLING: u32 = 7;

/// Returns the place of a node in the order of its siblings, with its number among them in the lowest bits.
#[inline(always)]
fn ranked(order: f32, sibling: u32) -> u32 {
    order.to_bits() & !SIBLING & 0x7fff_ffff | sibling
}

/// Most nodes that wait: seven for each of the eleven steps down a tree of 2^32 nodes.
const MOST_WAITING: usize = 77;

/// Nodes that wait to be visited: for each step down, of three levels, up to seven siblings.
struct Waiting<'a> {
    /// Ranks of the nodes; of siblings the first one last. Apart from the rest, which a GPU has in registers.
    ranks: &'a mut [MaybeUninit<u32>; MOST_WAITING],
    /// Number of ranks.
    count: u32,
    /// Four bits for each step down, the last one's lowest: the number of siblings that wait.
    levels: u64,
}

impl Waiting<'_> {
    /// Adds a rank, unless it is that of a closed node.
    #[inline(always)]
    fn push(&mut self, rank: u32) {
        if rank < CLOSED
            && let Some(place) = self.ranks.get_mut(self.count as usize)
        {
            *place = MaybeUninit::new(rank);
            self.count += 1;
        }
    }

    /// Goes three levels down, to the first of eight nodes in their order; the others that are open wait.
    #[inline(always)]
    fn descend(&mut self, [_, b, c, d, e, f, g, h]: [u32; 8]) {
        let before = self.count;
        self.push(h);
        self.push(g);
        self.push(f);
        self.push(e);
        self.push(d);
        self.push(c);
        self.push(b);
        self.levels = self.levels << 4 | u64::from(self.count - before);
    }

    /// Returns the node that is next after one that is done with all below it, if the search still has something to
    /// find there; `None` after the last one.
    #[inline(always)]
    fn next(&mut self, mut node: u32, search: &impl BoxSearch) -> Option<u32> {
        while self.levels != 0 {
            let up = self.levels.trailing_zeros() / 4;
            self.levels >>= 4 * up;
            node >>= 3 * up;
            let place = self.ranks.get(self.count as usize - 1)?;
            // SAFETY: as many ranks were written as are counted.
            let rank = unsafe { place.assume_init() };
            if search.keeps(f32::from_bits(rank & !SIBLING)) {
                self.count -= 1;
                self.levels -= 1;
                return Some(node & !SIBLING | rank & SIBLING);
            }
            // Nor are its siblings, which come after it.
            self.count -= self.levels as u32 & 15;
            self.levels &= !15;
        }
        None
    }
}

impl TreeView {
    /// Returns the boxes of the two children of an inner node.
    #[inline(always)]
    pub fn children(&self, node: u32) -> [Bounds; 2] {
        let words = self.boxes.cast::<u32>();
        let (a, b, c) = (
            words.get4(3 * node),
            words.get4(3 * node + 1),
            words.get4(3 * node + 2),
        );
        let at = |x: u32, y: u32, z: u32| {
            Vec3::new(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z))
        };
        let (left, right) = (
            Bounds {
                low: at(a[0], a[1], a[2]),
                high: at(a[3], b[0], b[1]),
            },
            Bounds {
                low: at(b[2], b[3], c[0]),
                high: at(c[1], c[2], c[3]),
            },
        );
        [left, right]
    }

    /// Returns the number of triangles.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.triangles.len() / TRIANGLE_WORDS
    }

    /// Returns the corners of the triangle at a place.
    #[inline(always)]
    pub fn triangle(&self, place: u32) -> [Vec3; 3] {
        let corner = |k: u32| {
            let [x, y, z, _] = self.triangles.get4(3 * place + k);
            Vec3::new(f32::from_bits(x), f32::from_bits(y), f32::from_bits(z))
        };
        [corner(0), corner(1), corner(2)]
    }

    /// Returns the number of the triangle at a place.
    #[inline(always)]
    pub fn number(&self, place: u32) -> u32 {
        self.triangles.get(TRIANGLE_WORDS * place + 3)
    }

    /// Returns the places of the triangles of a leaf: the first one, and that after the last.
    #[inline(always)]
    pub fn places(&self, leaf: u32) -> [u32; 2] {
        let first = (leaf - self.leaves) * LEAF;
        [first, (first + LEAF).min(self.count())]
    }

    /// Returns the leaf that is nearest to a point along the curve; 0 if the tree does not say.
    #[inline(always)]
    pub fn leaf_near(&self, p: Vec3) -> u32 {
        if self.firsts.is_empty() {
            return 0;
        }
        let code = self.curve.code(p);
        let (mut leaf, mut half) = (0, self.leaves / 2);
        while half > 0 {
            if self.firsts.get(leaf + half) <= code {
                leaf += half;
            }
            half /= 2;
        }
        self.leaves + leaf
    }

    /// Returns the nodes three levels below a node that are open to a search, as they are [`ranked`], the others after
    /// them. Node 0 is none; nodes of the first levels count as below it.
    #[inline(always)]
    fn below(&self, node: u32, search: &impl BoxSearch) -> [u32; 8] {
        // Of nodes below node 0 those of one level.
        let (first, end) = match node {
            0 => (self.top(), 2 * self.top()),
            _ => (0, 8),
        };
        let rank = |bounds, sibling| match sibling >= first && sibling < end {
            true => ranked(search.order(bounds), sibling),
            false => CLOSED | sibling,
        };
        // A CPU tests one box after the other: first the four boxes two levels below, and nothing in those that are
        // closed. A GPU reads all eight at once.
        let in_steps = cfg!(not(target_arch = "nvptx64")) && node != 0;
        let is_closed = |bounds| search.order(bounds) == f32::INFINITY;
        let closed = match in_steps {
            true => {
                let ([a, b], [c, d]) = (self.children(2 * node), self.children(2 * node + 1));
                [is_closed(a), is_closed(b), is_closed(c), is_closed(d)]
            }
            false => [false; 4],
        };
        let pair = |k: u32| {
            if closed[k as usize] {
                return [CLOSED, CLOSED];
            }
            let [left, right] = self.children(4 * node + k);
            let (a, b) = (rank(left, 2 * k), rank(right, 2 * k + 1));
            [a.min(b), a.max(b)]
        };
        sorted(pair(0), pair(1), pair(2), pair(3))
    }

    /// Returns the number of nodes at which searches begin, a power of two below 8: the levels below them are a
    /// multiple of three.
    #[inline(always)]
    fn top(&self) -> u32 {
        1 << (self.leaves.trailing_zeros() % 3)
    }

    /// Leads a search through all nodes that are open to it, eight at a time, earlier ones first. Before all others it
    /// visits a leaf, 0 for none: one whose triangles are likely to be found avoids most of them. It is visited twice.
    #[inline(always)]
    pub fn walk(&self, first: u32, search: &mut impl BoxSearch) {
        let [place, end] = if first >= self.leaves {
            self.places(first)
        } else {
            [0; 2]
        };
        let mut ranks = [const { MaybeUninit::uninit() }; MOST_WAITING];
        repeat_together(&mut Walk {
            tree: self,
            search,
            node: u32::from(self.top() == 1),
            place,
            end,
            waiting: Waiting {
                ranks: &mut ranks,
                count: 0,
                levels: 0,
            },
        });
    }
}

/// Returns four pairs, each in order, in one order (Batcher's odd-even merging).
#[inline(always)]
fn sorted([a, b]: [u32; 2], [c, d]: [u32; 2], [e, f]: [u32; 2], [g, h]: [u32; 2]) -> [u32; 8] {
    let ([a, b, c, d], [e, f, g, h]) = (merged([a, b], [c, d]), merged([e, f], [g, h]));
    let ((a, e), (b, f)) = ((a.min(e), a.max(e)), (b.min(f), b.max(f)));
    let ((c, g), (d, h)) = ((c.min(g), c.max(g)), (d.min(h), d.max(h)));
    let ((c, e), (d, f)) = ((c.min(e), c.max(e)), (d.min(f), d.max(f)));
    [
        a,
        b.min(c),
        b.max(c),
        d.min(e),
        d.max(e),
        f.min(g),
        f.max(g),
        h,
    ]
}

/// Returns two pairs, each in order, in one order.
#[inline(always)]
fn merged([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 4] {
    let ((a, c), (b, d)) = ((a.min(c), a.max(c)), (b.min(d), b.max(d)));
    [a, b.min(c), b.max(c), d]
}

/// A search on its way through a tree.
struct Walk<'a, S> {
    tree: &'a TreeView,
    search: &'a mut S,
    /// Node that is to be visited.
    node: u32,
    /// Triangles of a leaf that are to be visited before it: the first one, and that after the last.
    place: u32,
    end: u32,
    waiting: Waiting<'a>,
}

impl<S: BoxSearch> InSteps for Walk<'_, S> {
    /// Goes to a node, visits the triangles of a leaf and finds the next node. Threads of a warp are seldom in the same
    /// phase of a search: a step has them all.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let tree = self.tree;
        let mut is_done = false;
        if self.place >= self.end && self.node < tree.leaves {
            let below = tree.below(self.node, self.search);
            is_done = below[0] >= CLOSED;
            if !is_done {
                self.waiting.descend(below);
                self.node = 8 * self.node + (below[0] & SIBLING);
            }
        }
        if self.place >= self.end && !is_done && self.node >= tree.leaves {
            [self.place, self.end] = tree.places(self.node);
            is_done = true;
        }
        while self.place < self.end {
            let (place, corners) = (self.place, tree.triangle(self.place));
            self.place += 1;
            if self.search.is_due(corners) && self.search.visit(tree, place, corners) {
                return false;
            }
        }
        if is_done {
            let Some(next) = self.waiting.next(self.node, self.search) else {
                return false;
            };
            self.node = next;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::sorted;

    /// A network that sorts zeroes and ones sorts everything (Knuth, "The art of computer programming", volume 3,
    /// section 5.3.4).
    #[test]
    fn zeroes_and_ones_are_sorted() {
        for bits in 0..256u32 {
            let pair = |k: u32| {
                let (a, b) = (bits >> (2 * k) & 1, bits >> (2 * k + 1) & 1);
                [a.min(b), a.max(b)]
            };
            let ones = bits.count_ones();
            let right = core::array::from_fn(|k| u32::from(k as u32 + ones >= 8));
            assert_eq!(
                sorted(pair(0), pair(1), pair(2), pair(3)),
                right,
                "{bits:b}"
            );
        }
    }
}
