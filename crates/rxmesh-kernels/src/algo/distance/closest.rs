//! The closest point of a surface, by a hierarchy of boxes.

use crate::edit::{DEAD, NONE};
use crate::kernel::FlatKernel;
use crate::math::{add_rounded, dot_rounded, length, product};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    flat project: Project;
    flat closest_distances: ClosestDistances;
    flat closest_points: ClosestPoints;
}

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

/// Place of a surface that is closest to a point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Squared distance; infinity if there is no triangle.
    pub square: f32,
    /// The place; the point itself if there is no triangle.
    pub point: Vec3,
    /// Leaf of the triangle.
    pub leaf: u32,
    /// Place of the triangle in [`TreeView::corners`], [`NONE`] if there is none.
    place: u32,
}

impl TreeView {
    #[inline(always)]
    fn box_distance(&self, node: u32, p: Vec3) -> f32 {
        let (low, high) = (self.boxes.get(2 * node), self.boxes.get(2 * node + 1));
        let d = (low - p).max(p - high).max(Vec3::ZERO);
        d.dot(d)
    }

    /// Returns the number of the triangle at a place of [`TreeView::corners`].
    #[inline(always)]
    fn number(&self, t: u32) -> u32 {
        if self.numbers.is_empty() {
            t
        } else {
            self.numbers.get(t)
        }
    }

    /// Compares the triangles of a leaf with the best so far.
    #[inline(always)]
    fn look(&self, node: u32, p: Vec3, best: &mut Nearest) {
        let first = (node - self.leaves) * LEAF;
        let end = (first + LEAF).min(self.corners.len() / 3);
        let mut t = first;
        while t < end {
            let x = |k: u32| self.corners.get(3 * t + k);
            let q = closest_on_triangle(p, x(0), x(1), x(2));
            let d = (q - p).dot(q - p);
            let same = d == best.square && best.place != NONE;
            if d < best.square || same && self.number(t) < self.number(best.place) {
                *best = Nearest {
                    square: d,
                    point: q,
                    place: t,
                    leaf: node,
                };
            }
            t += 1;
        }
    }

    /// Returns the point of the surface that is closest to `p`; `p` if there is none.
    #[inline(always)]
    pub fn closest(&self, p: Vec3) -> Vec3 {
        self.closest_near(1, p).point
    }

    /// Finds the place of the surface that is closest to `p`; of triangles that are equally close the one with the
    /// smallest number. The search begins at any node: one whose triangles are near avoids most of it.
    #[inline(always)]
    pub fn closest_near(&self, node: u32, p: Vec3) -> Nearest {
        let mut best = Nearest {
            square: f32::INFINITY,
            point: p,
            place: NONE,
            leaf: 1,
        };
        let is_open =
            |distance: f32, best: &Nearest| distance <= best.square && distance < f32::INFINITY;
        let mut node = node;
        // Bits of the levels, this node's lowest: 1 if the other child of the parent was visited. They replace a stack.
        let mut visited = 0u32;
        loop {
            let mut open;
            if node < self.leaves {
                let (near, distance) = self.nearer_child(node, p);
                node = near;
                visited <<= 1;
                open = is_open(distance, &best);
            } else {
                self.look(node, p, &mut best);
                open = false;
            }
            while !open {
                if node == 1 {
                    return best;
                }
                if visited & 1 == 0 {
                    visited |= 1;
                    node ^= 1;
                    open = is_open(self.box_distance(node, p), &best);
                } else {
                    visited >>= 1;
                    node >>= 1;
                }
            }
        }
    }

    /// Returns the child of an inner node whose box is nearer or, if the point is in both, the one whose centre is
    /// nearer; and its squared distance.
    #[inline(always)]
    fn nearer_child(&self, node: u32, p: Vec3) -> (u32, f32) {
        let (left, right) = (2 * node, 2 * node + 1);
        let (l, r) = (self.box_distance(left, p), self.box_distance(right, p));
        let off_centre = |node: u32| {
            let d = self.boxes.get(2 * node) + self.boxes.get(2 * node + 1) - p * 2.0;
            d.dot(d)
        };
        if l < r || l == r && off_centre(left) <= off_centre(right) {
            (left, l)
        } else {
            (right, r)
        }
    }
}

/// Returns the point of a triangle that is closest to `p` (Ericson, "Real-time collision detection", 2005, section
/// 5.1.5).
#[inline(always)]
pub fn closest_on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    closest_with::<false>(p, a, b, c)
}

/// Works like [`closest_on_triangle`], to the same bits on every engine.
#[inline(always)]
pub fn closest_on_triangle_rounded(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    closest_with::<true>(p, a, b, c)
}

/// Returns the point of a triangle that is closest to `p`; `ROUNDED` if products are rounded before they are added.
#[inline(always)]
fn closest_with<const ROUNDED: bool>(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let times = |x: f32, y: f32| if ROUNDED { product(x, y) } else { x * y };
    let dot = |u: Vec3, v: Vec3| if ROUNDED { dot_rounded(u, v) } else { u.dot(v) };
    let along = |x: Vec3, u: Vec3, t: f32| {
        if ROUNDED {
            add_rounded(x, u, t)
        } else {
            x + u * t
        }
    };
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (dot(ab, ap), dot(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (dot(ab, bp), dot(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = times(d1, d4) - times(d3, d2);
    // If `a` and `b` are one point, there is no side between them to be nearest: the other sides decide.
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return along(a, ab, ratio(d1, d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (dot(ab, cp), dot(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = times(d5, d2) - times(d1, d6);
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return along(a, ac, ratio(d2, d2 - d6));
    }
    let va = times(d3, d6) - times(d5, d4);
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return along(b, c - b, ratio(d4 - d3, (d4 - d3) + (d5 - d6)));
    }
    // A triangle without an area has only rounding errors for an interior: then a side is nearest.
    let size = |x: f32, y: f32| times(x, y).abs();
    let products = size(d1, d4) + size(d3, d2) + size(d5, d2) + size(d1, d6);
    let products = products + size(d3, d6) + size(d5, d4);
    let whole = va + vb + vc;
    if whole <= NO_AREA * products {
        return closest_on_sides::<ROUNDED>(p, a, b, c);
    }
    along(along(a, ab, ratio(vb, whole)), ac, ratio(vc, whole))
}

/// Below this part of the products that it is the difference of, an area is nothing but rounding.
const NO_AREA: f32 = 1e-6;

/// Returns the point of the sides of a triangle that is closest to `p`.
#[inline(always)]
fn closest_on_sides<const ROUNDED: bool>(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let dot = |u: Vec3, v: Vec3| if ROUNDED { dot_rounded(u, v) } else { u.dot(v) };
    let along = |x: Vec3, u: Vec3, t: f32| {
        if ROUNDED {
            add_rounded(x, u, t)
        } else {
            x + u * t
        }
    };
    let on_side = |from: Vec3, to: Vec3| {
        let side = to - from;
        let part = ratio(dot(side, p - from), dot(side, side));
        along(from, side, part.clamp(0.0, 1.0))
    };
    let nearer = |q: Vec3, r: Vec3| {
        if dot(r - p, r - p) < dot(q - p, q - p) {
            r
        } else {
            q
        }
    };
    nearer(nearer(on_side(a, b), on_side(b, c)), on_side(c, a))
}

/// Returns a ratio, 0 if a degenerate triangle leaves none.
#[inline(always)]
fn ratio(part: f32, whole: f32) -> f32 {
    if whole > 0.0 { part / whole } else { 0.0 }
}

/// Words of [`Forest::trees`] a tree: its first box, its first triangle, its triangles, its leaves.
pub const TREE_WORDS: u32 = 4;

args! {
    /// Surfaces of several meshes, each a separate tree.
    pub struct Forest {
        /// Boxes and triangles of all trees; the tree itself for one mesh.
        pub all: TreeView,
        /// Place of each tree, [`TREE_WORDS`] words a tree; empty for one tree.
        pub trees: Global<u32>,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
    }
}

impl Forest {
    /// Returns the tree of a vertex's mesh.
    #[inline(always)]
    fn tree(&self, v: u32) -> TreeView {
        if self.trees.is_empty() {
            return self.all;
        }
        let [first, triangle, triangles, leaves] = self.trees.get4(self.labels.get(v));
        TreeView {
            boxes: self.all.boxes.part(first, 4 * leaves),
            corners: self.all.corners.part(3 * triangle, 3 * triangles),
            numbers: self.all.numbers.part(triangle, triangles),
            leaves,
        }
    }
}

kernel! {
    /// Moves live vertices to the closest points of a surface, found by a search that starts at a node of each vertex.
    /// One index per vertex slot.
    pub struct Project: Flat {
        /// Surface of each mesh.
        pub surface: Forest,
        /// An edge per vertex, or [`DEAD`].
        pub ve: Global<u32>,
        /// Positions of the vertices.
        pub from: Global<Vec3>,
        /// Destination of the new positions.
        pub to: GlobalMut<Vec3>,
        /// Node to begin with, 0 for the root; becomes the leaf of the new place.
        pub near: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Project {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.ve.get(v) != DEAD {
            let tree = self.surface.tree(v);
            let nearest = tree.closest_near(self.near.get(v).max(1), self.from.get(v));
            self.to.set(v, nearest.point);
            self.near.set(v, nearest.leaf);
        }
    }
}

kernel! {
    /// Computes the distances of points from a surface.
    pub struct ClosestDistances: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Points to measure.
        pub points: Global<Vec3>,
        /// Distances of the points.
        pub distance: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ClosestDistances {
    #[inline(always)]
    fn run(&self, i: u32) {
        let p = self.points.get(i);
        self.distance.set(i, length(self.surface.closest(p) - p));
    }
}

kernel! {
    /// Finds the places of a surface that are closest to points. One index per point.
    pub struct ClosestPoints: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Points.
        pub points: Global<Vec3>,
        /// Order in which points are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// The closest places; the points themselves if there is no triangle.
        pub places: GlobalMut<Vec3>,
        /// Triangle of each place, the one with the smallest number if there are several; [`NONE`] if there is none.
        pub triangles: GlobalMut<u32>,
        /// Parts of the corners of the triangle, which add up to 1; zeroes if there is none.
        pub parts: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for ClosestPoints {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = if self.order.is_empty() {
            i
        } else {
            self.order.get(i)
        };
        let tree = &self.surface;
        let nearest = tree.closest_near(1, self.points.get(i));
        self.places.set(i, nearest.point);
        if nearest.place == NONE {
            self.triangles.set(i, NONE);
            self.parts.set(i, Vec3::ZERO);
            return;
        }
        self.triangles.set(i, tree.number(nearest.place));
        let corner = |k: u32| tree.corners.get(3 * nearest.place + k);
        let parts = parts_at(nearest.point, corner(0), corner(1), corner(2));
        self.parts.set(i, parts);
    }
}

/// Returns the parts of the corners of a triangle at one of its points.
#[inline(always)]
fn parts_at(q: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let (u, v, d) = (b - a, c - a, q - a);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let (du, dv) = (d.dot(u), d.dot(v));
    let whole = uu * vv - uv * uv;
    let (s, t) = if whole > NO_AREA * uu * vv {
        ((du * vv - dv * uv) / whole, (dv * uu - du * uv) / whole)
    } else if uu >= vv {
        // Without an area the longer of the two sides has to do.
        (ratio(du, uu), 0.0)
    } else {
        (0.0, ratio(dv, vv))
    };
    let (s, t) = (s.clamp(0.0, 1.0), t.clamp(0.0, 1.0));
    let over = (s + t).max(1.0);
    let (s, t) = (s / over, t / over);
    Vec3::new((1.0 - s - t).max(0.0), s, t)
}
