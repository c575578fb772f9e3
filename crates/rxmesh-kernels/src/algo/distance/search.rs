//! Searches in a hierarchy of boxes.

use super::curve::Curve;
use crate::args;
use crate::exec::{InSteps, repeat_together};
use crate::math::dot_rounded;
use crate::mem::Global;
use glam::Vec3;

/// Triangles a leaf.
pub const LEAF: u32 = 4;

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
        /// Number of leaves, a power of two.
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
    /// negative; infinity if the search has nothing to find there.
    fn order(&self, bounds: Bounds) -> f32;

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

/// Returns the place of a node in the order of its siblings, with its number among them in the lowest two bits.
#[inline(always)]
fn ranked(order: f32, sibling: u32) -> u32 {
    order.to_bits() & 0x7fff_fffc | sibling
}

/// Nodes that wait to be visited, in place of a stack in memory: on each level up to three siblings.
struct Waiting {
    /// A bit for each level, the current node's lowest: 1 if siblings wait.
    levels: u32,
    /// A byte for each such level, the last one lowest: two bits for each sibling in their order, then their count.
    siblings: [u64; 2],
}

impl Waiting {
    /// Goes down one level, from which siblings wait.
    #[inline(always)]
    fn descend(&mut self, [a, b, c]: [u32; 3], count: u32) {
        self.levels = self.levels << 1 | u32::from(count > 0);
        if count > 0 {
            let of_level = a & 3 | (b & 3) << 2 | (c & 3) << 4 | count << 6;
            let [low, high] = self.siblings;
            self.siblings = [low << 8 | u64::from(of_level), high << 8 | low >> 56];
        }
    }

    /// Returns the node that is next after one that is done with all below it; `None` after the last one.
    #[inline(always)]
    fn next(&mut self, node: u32) -> Option<u32> {
        if self.levels == 0 {
            return None;
        }
        let up = self.levels.trailing_zeros();
        let [low, high] = self.siblings;
        let of_level = low as u32 & 0xff;
        self.levels >>= up;
        if of_level >> 6 == 1 {
            self.levels ^= 1;
            self.siblings = [low >> 8 | high << 56, high >> 8];
        } else {
            let rest = ((of_level & 0x3f) >> 2) | ((of_level & 0xc0) - 0x40);
            self.siblings[0] = low & !0xff | u64::from(rest);
        }
        Some((node >> (2 * up)) & !3 | of_level & 3)
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

    /// Returns the grandchildren of a node that are open to a search, as they are [`ranked`], the others after them.
    #[inline(always)]
    fn below(&self, node: u32, search: &impl BoxSearch) -> [u32; 4] {
        let ([a, b], [c, d]) = (self.children(2 * node), self.children(2 * node + 1));
        let rank = |bounds, sibling| ranked(search.order(bounds), sibling);
        // Node 0 is none, and node 1, the root, is nobody's child.
        let (a, b) = if node == 0 {
            (CLOSED, CLOSED | 1)
        } else {
            (rank(a, 0), rank(b, 1))
        };
        let (c, d) = (rank(c, 2), rank(d, 3));
        let ((a, b), (c, d)) = ((a.min(b), a.max(b)), (c.min(d), c.max(d)));
        let ((a, c), (b, d)) = ((a.min(c), a.max(c)), (b.min(d), b.max(d)));
        [a, b.min(c), b.max(c), d]
    }

    /// Leads a search through all nodes that are open to it, four at a time, earlier ones first. Before all others it
    /// visits a leaf, 0 for none: one whose triangles are likely to be found avoids most of them. It is visited twice.
    #[inline(always)]
    pub fn walk(&self, first: u32, search: &mut impl BoxSearch) {
        let [place, end] = if first >= self.leaves {
            self.places(first)
        } else {
            [0; 2]
        };
        repeat_together(&mut Walk {
            tree: self,
            search,
            // The root. Of a tree with an odd number of levels below it the root's children have no grandparent: node
            // 0.
            node: 1 ^ (self.leaves.trailing_zeros() & 1),
            is_open: true,
            place,
            end,
            waiting: Waiting {
                levels: 0,
                siblings: [0; 2],
            },
        });
    }
}

/// A search on its way through a tree.
struct Walk<'a, S> {
    tree: &'a TreeView,
    search: &'a mut S,
    node: u32,
    /// `true` if the node is to be visited, `false` if it is done.
    is_open: bool,
    /// Triangles of a leaf that are to be visited: the first one, and that after the last.
    place: u32,
    end: u32,
    waiting: Waiting,
}

impl<S: BoxSearch> InSteps for Walk<'_, S> {
    /// Goes to a node, visits a triangle and finds the next node. Threads of a warp are seldom in the same phase of a
    /// search: a step has them all.
    #[inline(always)]
    fn step(&mut self) -> bool {
        let tree = self.tree;
        if self.place >= self.end && self.is_open && self.node < tree.leaves {
            let [a, b, c, d] = tree.below(self.node, self.search);
            let open = |x: u32| u32::from(x < CLOSED);
            self.is_open = a < CLOSED;
            if self.is_open {
                let waiting = open(b) + open(c) + open(d);
                self.waiting.descend([b, c, d], waiting);
                self.node = 4 * self.node + (a & 3);
            }
        }
        if self.place >= self.end && self.is_open && self.node >= tree.leaves {
            [self.place, self.end] = tree.places(self.node);
            self.is_open = false;
        }
        while self.place < self.end {
            let (place, corners) = (self.place, tree.triangle(self.place));
            self.place += 1;
            if self.search.is_due(corners) {
                if self.search.visit(tree, place, corners) {
                    return false;
                }
                break;
            }
        }
        while self.place >= self.end && !self.is_open {
            let Some(next) = self.waiting.next(self.node) else {
                return false;
            };
            self.node = next;
            let [left, right] = tree.children(next >> 1);
            let bounds = if next & 1 == 0 { left } else { right };
            self.is_open = self.search.order(bounds) < f32::INFINITY;
        }
        true
    }
}
