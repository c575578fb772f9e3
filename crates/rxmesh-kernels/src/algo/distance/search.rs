//! Searches in a hierarchy of boxes.

use crate::args;
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
        /// Three corners per triangle, [`LEAF`] triangles a leaf. The last leaves have fewer.
        pub corners: Global<Vec3>,
        /// Number of each triangle; empty if they are numbered as they lie.
        pub numbers: Global<u32>,
        /// Number of leaves, a power of two.
        pub leaves: u32,
    }
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

/// A search that [`TreeView::walk`] leads through the boxes.
pub trait BoxSearch {
    /// Returns how early a node is visited, from its box: that of two children which is less comes first. Infinity if
    /// the search has nothing to find there.
    fn order(&self, bounds: Bounds) -> f32;

    /// Returns `true` if the left one of two children that are equally early comes first.
    #[inline(always)]
    fn is_left_first(&self, _left: Bounds, _right: Bounds) -> bool {
        true
    }

    /// Visits the triangle at a place of [`TreeView::corners`]. Returns `true` to end the search.
    fn visit(&mut self, tree: &TreeView, place: u32) -> bool;
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

    /// Returns the corners of the triangle at a place.
    #[inline(always)]
    pub fn triangle(&self, place: u32) -> [Vec3; 3] {
        let x = |k: u32| self.corners.get(3 * place + k);
        [x(0), x(1), x(2)]
    }

    /// Returns the number of the triangle at a place of [`TreeView::corners`].
    #[inline(always)]
    pub fn number(&self, place: u32) -> u32 {
        if self.numbers.is_empty() {
            place
        } else {
            self.numbers.get(place)
        }
    }

    /// Returns the places of the triangles of a leaf: the first one, and that after the last.
    #[inline(always)]
    pub fn places(&self, leaf: u32) -> [u32; 2] {
        let first = (leaf - self.leaves) * LEAF;
        [first, (first + LEAF).min(self.corners.len() / 3)]
    }

    /// Visits the triangles of a leaf. Returns `true` to end the search.
    #[inline(always)]
    fn visit(&self, leaf: u32, search: &mut impl BoxSearch) -> bool {
        let [mut place, end] = self.places(leaf);
        while place < end {
            if search.visit(self, place) {
                return true;
            }
            place += 1;
        }
        false
    }

    /// Leads a search through all nodes that are open to it, earlier ones first. It begins at any node: one whose
    /// triangles are likely to be found avoids most of the others.
    #[inline(always)]
    pub fn walk(&self, from: u32, search: &mut impl BoxSearch) {
        let mut node = from;
        // Bits of the levels, this node's lowest: 1 if the other child of the parent is done. They replace a stack.
        let mut done = 0u32;
        loop {
            let mut open;
            if node < self.leaves {
                let [left, right] = self.children(node);
                let (l, r) = (search.order(left), search.order(right));
                let left_first = l < r || l == r && search.is_left_first(left, right);
                let (first, second) = if left_first { (l, r) } else { (r, l) };
                node = 2 * node + u32::from(!left_first);
                done = done << 1 | u32::from(second == f32::INFINITY);
                open = first < f32::INFINITY;
            } else {
                if self.visit(node, search) {
                    return;
                }
                open = false;
            }
            while !open {
                if node == 1 {
                    return;
                }
                if done & 1 == 0 {
                    done |= 1;
                    node ^= 1;
                    let [left, right] = self.children(node >> 1);
                    let bounds = if node & 1 == 0 { left } else { right };
                    open = search.order(bounds) < f32::INFINITY;
                } else {
                    done >>= 1;
                    node >>= 1;
                }
            }
        }
    }
}
