//! Searches in a hierarchy of boxes.

use super::curve::Curve;
use super::wide::{STRETCH_END, STRETCH_WORDS};
use crate::args;
use crate::exec::{InSteps, repeat_together};
use crate::math::{dot_rounded, product_lanes};
use crate::mem::Global;
use core::mem::MaybeUninit;
use glam::{Vec3, Vec4};

/// Triangles a leaf.
pub const LEAF: u32 = 4;

/// Fewest leaves of a tree: eight nodes are read at a time.
pub const LEAST_LEAVES: u32 = 8;

/// Children of a node that searches walk.
pub const WIDTH: u32 = 8;

/// Words of a node that searches walk: the least corners of its children along each axis, the greatest ones, and the
/// links of the children.
pub const NODE_WORDS: u32 = 56;

/// Place of the links among the words of a node.
pub const LINKS: u32 = 48;

/// Bit of a link to triangles.
const TRIANGLES: u32 = 1 << 31;

/// Bits of a link to triangles that hold the place of the first one; two above them hold the number of further ones.
const PLACE_BITS: u32 = 29;

/// Place of a link to no triangles, beyond all.
const NO_PLACE: u32 = (1 << PLACE_BITS) - 1;

/// Returns the link to the triangles from one place to another, at most [`LEAF`] of them.
#[inline(always)]
pub fn link_to(from: u32, to: u32) -> u32 {
    if from == to {
        return TRIANGLES | NO_PLACE;
    }
    TRIANGLES | (to - from - 1) << PLACE_BITS | from
}

args! {
    /// A surface, for look-ups: triangles along a curve, in two hierarchies. One is complete: its node `i` has the
    /// children `2 i` and `2 i + 1`, node 1 is the root, the last `leaves` nodes are the leaves. The other one has
    /// nodes of [`WIDTH`] children, which name their children; searches walk it.
    pub struct TreeView {
        /// Least and greatest corner of the box of each node of the complete hierarchy; the box of a node without
        /// triangles has its corners at infinity.
        pub boxes: Global<Vec3>,
        /// Triangles, [`TRIANGLE_WORDS`] words each ([`words_of`]), [`LEAF`] of them a leaf; the last leaves have
        /// fewer.
        pub triangles: Global<u32>,
        /// Number of leaves of the complete hierarchy, a power of two, [`LEAST_LEAVES`] or more.
        pub leaves: u32,
        /// Nodes that searches walk, [`NODE_WORDS`] words each.
        pub nodes: Global<u32>,
        /// Stretches of these nodes ([`SplitNodes`](super::wide::SplitNodes)).
        pub stretches: Global<u32>,
        /// Node at which searches begin.
        pub root: u32,
        /// Place of the first triangle.
        pub first: u32,
        /// Place after the last triangle.
        pub end: u32,
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

/// Four boxes, each a lane of vectors: a CPU looks at all of them at once.
#[derive(Clone, Copy, Debug)]
pub struct BoxLanes {
    /// Least corners along each axis.
    pub low: [Vec4; 3],
    /// Greatest corners along each axis.
    pub high: [Vec4; 3],
}

impl BoxLanes {
    /// Returns the squared distances of a point, as [`Bounds::square_within`].
    #[inline(always)]
    pub fn squares_within(&self, p: Vec3, most: f32) -> Vec4 {
        let square = |axis: usize| {
            let p = Vec4::splat(p[axis]);
            let d = (self.low[axis] - p).max(p - self.high[axis]);
            let d = d.max(Vec4::ZERO);
            product_lanes(d, d)
        };
        let squares = square(0) + square(1) + square(2);
        let is_within = squares.cmple(Vec4::splat(most));
        Vec4::select(is_within, squares, Vec4::INFINITY)
    }

    /// Returns `true` if no place in any of the boxes is farther from a point than the root of a square. Boxes of
    /// nothing are no matter.
    #[inline(always)]
    pub fn are_within(&self, p: Vec3, most: f32) -> bool {
        let square = |axis: usize| {
            let p = Vec4::splat(p[axis]);
            let d = (p - self.low[axis]).max(self.high[axis] - p);
            d * d
        };
        let squares = square(0) + square(1) + square(2);
        let is_nothing = self.low[0].cmpgt(self.high[0]);
        (squares.cmple(Vec4::splat(most)) | is_nothing).all()
    }
}

/// A search that [`TreeView::walk`] leads through the boxes.
pub trait BoxSearch {
    /// Returns how early each of four nodes is visited, from its box: of siblings that with the least number comes
    /// first. Not negative; infinity if the search has nothing to find there, which holds for all boxes inside it, too.
    fn orders(&self, boxes: &BoxLanes) -> Vec4;

    /// Returns `true` if all triangles in four boxes are to be visited: boxes inside them are not looked at.
    #[inline(always)]
    fn takes(&self, _boxes: &BoxLanes) -> bool {
        false
    }

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

/// Most nodes that wait: those of nine steps down, of seven siblings each. A node with more before it is searched
/// triangle by triangle. Debug builds have fewer, so that tests meet the limit.
const MOST_WAITING: usize = if cfg!(debug_assertions) { 24 } else { 64 };

/// Nodes that wait to be visited, with their ranks; of siblings the first one last.
struct Waiting<'a> {
    /// Rank in the upper half, link in the lower one. Apart from the count, which a GPU has in a register.
    nodes: &'a mut [MaybeUninit<u64>; MOST_WAITING],
    /// Number of nodes.
    count: u32,
}

impl Waiting<'_> {
    /// Adds a child of a node, unless it is closed.
    #[inline(always)]
    fn push(&mut self, links: Global<u32>, rank: u32) {
        if rank < CLOSED
            && let Some(place) = self.nodes.get_mut(self.count as usize)
        {
            let link = links.get(rank & SIBLING);
            *place = MaybeUninit::new(u64::from(rank) << 32 | u64::from(link));
            self.count += 1;
        }
    }

    /// Adds the open children of a node, whose links are given, but the first one, to which it returns the link.
    #[inline(always)]
    fn descend(&mut self, links: Global<u32>, [a, b, c, d, e, f, g, h]: [u32; 8]) -> u32 {
        self.push(links, h);
        self.push(links, g);
        self.push(links, f);
        self.push(links, e);
        self.push(links, d);
        self.push(links, c);
        self.push(links, b);
        links.get(a & SIBLING)
    }

    /// Returns the link to the next node in which the search still has something to find; `None` after the last one.
    #[inline(always)]
    fn next(&mut self, search: &impl BoxSearch) -> Option<u32> {
        while self.count > 0 {
            self.count -= 1;
            let place = self.nodes.get(self.count as usize)?;
            // SAFETY: as many nodes were written as are counted.
            let node = unsafe { place.assume_init() };
            if search.keeps(f32::from_bits((node >> 32) as u32 & !SIBLING)) {
                return Some(node as u32);
            }
        }
        None
    }
}

impl TreeView {
    /// Returns the number of triangles.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.end - self.first
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
        let first = self.first + (leaf - self.leaves) * LEAF;
        [first, (first + LEAF).min(self.end)]
    }

    /// Returns the places of the triangles of a link: the first one, and that after the last.
    #[inline(always)]
    fn places_of_link(&self, link: u32) -> [u32; 2] {
        let from = link & NO_PLACE;
        let to = from + (link >> PLACE_BITS & 3) + 1;
        [from.min(self.end), to.min(self.end)]
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

    /// Returns the children of a node that are open to a search, as they are [`ranked`], the others after them; `None`
    /// if it takes all triangles of the node.
    #[inline(always)]
    fn ranks(&self, words: Global<u32>, search: &impl BoxSearch) -> Option<[u32; 8]> {
        let four = |half: u32| {
            let along = |axis: u32| {
                let numbers = words.get4(2 * axis + half).map(f32::from_bits);
                Vec4::from_array(numbers)
            };
            let boxes = BoxLanes {
                low: [along(0), along(1), along(2)],
                high: [along(3), along(4), along(5)],
            };
            let orders = search.orders(&boxes);
            let rank = |k: usize| ranked(orders[k], 4 * half + k as u32);
            let (a, b, c, d) = (rank(0), rank(1), rank(2), rank(3));
            let pairs = ([a.min(b), a.max(b)], [c.min(d), c.max(d)]);
            (pairs, search.takes(&boxes))
        };
        let (((a, b), takes_first), ((c, d), takes_others)) = (four(0), four(1));
        (!(takes_first && takes_others)).then(|| sorted(a, b, c, d))
    }

    /// Leads a search through all nodes that are open to it, eight at a time, earlier ones first. Before all others it
    /// visits a leaf of the complete hierarchy, 0 for none: one whose triangles are likely to be found avoids most of
    /// the others. It is visited twice.
    #[inline(always)]
    pub fn walk(&self, first: u32, search: &mut impl BoxSearch) {
        let [place, end] = if first >= self.leaves {
            self.places(first)
        } else {
            [0; 2]
        };
        let mut nodes = [const { MaybeUninit::uninit() }; MOST_WAITING];
        repeat_together(&mut Walk {
            tree: self,
            search,
            link: self.root,
            place,
            end,
            waiting: Waiting {
                nodes: &mut nodes,
                count: 0,
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
    /// Link to the node or the triangles that are to be visited.
    link: u32,
    /// Triangles that are to be visited before: the first one, and that after the last.
    place: u32,
    end: u32,
    waiting: Waiting<'a>,
}

impl<S: BoxSearch> InSteps for Walk<'_, S> {
    /// Goes to a node, visits triangles and finds the next node. Threads of a warp are seldom in the same phase of a
    /// search: a step has them all.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let tree = self.tree;
        let mut is_done = false;
        if self.place >= self.end && self.link < TRIANGLES {
            let words = tree.nodes.from(NODE_WORDS * self.link);
            let is_full = self.waiting.count as usize > MOST_WAITING - WIDTH as usize;
            let ranks = match is_full {
                true => None,
                false => tree.ranks(words, self.search),
            };
            match ranks {
                None => {
                    let stretch = tree.stretches.from(STRETCH_WORDS * self.link);
                    (self.place, self.end) = (stretch.get(0), stretch.get(STRETCH_END));
                    is_done = true;
                }
                Some([first, ..]) if first >= CLOSED => is_done = true,
                Some(ranks) => self.link = self.waiting.descend(words.from(LINKS), ranks),
            }
        }
        if self.place >= self.end && !is_done && self.link >= TRIANGLES {
            [self.place, self.end] = tree.places_of_link(self.link);
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
            let Some(next) = self.waiting.next(self.search) else {
                return false;
            };
            self.link = next;
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
