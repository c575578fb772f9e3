//! The closest point of a surface.

use super::search::{Bounds, BoxLanes, BoxSearch, LEAF, TreeView, ordered};
use crate::edit::{DEAD, NONE};
use crate::kernel::FlatKernel;
use crate::math::{add_rounded, dot_rounded, product};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::{Vec3, Vec4};

kernel_list! {
    flat project: Project;
    flat closest_points: ClosestPoints;
}

/// Place of a surface that is closest to a point.
#[derive(Clone, Copy, Debug)]
pub struct Nearest {
    /// Squared distance; infinity if there is no triangle.
    pub square: f32,
    /// The place; the point itself if there is no triangle.
    pub point: Vec3,
    /// Place of the triangle in the tree, [`NONE`] if there is none.
    place: u32,
}

impl TreeView {
    /// Returns the point of the surface that is closest to `p`; `p` if there is none.
    #[inline(always)]
    pub fn closest(&self, p: Vec3) -> Vec3 {
        self.closest_near(self.leaf_near(p), p).point
    }

    /// Finds the place of the surface that is closest to `p`; of triangles that are equally close the one with the
    /// smallest number. The search looks first at a leaf ([`TreeView::walk`]).
    #[inline(always)]
    pub fn closest_near(&self, leaf: u32, p: Vec3) -> Nearest {
        let mut search = ClosestSearch {
            p,
            best: Nearest {
                square: f32::INFINITY,
                point: p,
                place: NONE,
            },
        };
        self.walk(leaf, &mut search);
        search.best
    }
}

/// Search for the place that is closest to a point.
struct ClosestSearch {
    p: Vec3,
    best: Nearest,
}

impl BoxSearch for ClosestSearch {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        boxes.squares_within(self.p, self.best.square)
    }

    #[inline(always)]
    fn keeps(&self, order: f32) -> bool {
        order <= self.best.square
    }

    #[inline(always)]
    fn is_due(&self, corners: [Vec3; 3]) -> bool {
        Bounds::of(corners).square_within(self.p, self.best.square) < f32::INFINITY
    }

    #[inline(always)]
    fn visit(&mut self, tree: &TreeView, place: u32, corners: [Vec3; 3]) -> bool {
        let (q, square) = closest_within(self.p, corners);
        let best = &self.best;
        let same = square == best.square && best.place != NONE;
        if square < best.square || same && tree.number(place) < tree.number(best.place) {
            self.best = Nearest {
                square,
                point: q,
                place,
            };
        }
        false
    }
}

/// Returns the point of a triangle that is closest to `p`, and its squared distance. It is in the triangle's box:
/// rounding must not bring it nearer than that is, or what is found would depend on the boxes.
#[inline(always)]
pub fn closest_within(p: Vec3, corners: [Vec3; 3]) -> (Vec3, f32) {
    let ([a, b, c], Bounds { low, high }) = (corners, Bounds::of(corners));
    let q = closest_on_triangle(p, a, b, c).max(low).min(high);
    (q, dot_rounded(q - p, q - p))
}

/// Returns the point of a triangle that is closest to `p` (Ericson, "Real-time collision detection", 2005, section
/// 5.1.5), to the same bits on every engine.
#[inline(always)]
pub fn closest_on_triangle(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (dot_rounded(ab, ap), dot_rounded(ac, ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let bp = p - b;
    let (d3, d4) = (dot_rounded(ab, bp), dot_rounded(ac, bp));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = product(d1, d4) - product(d3, d2);
    // If `a` and `b` are one point, there is no side between them to be nearest: the other sides decide.
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 && d1 > d3 {
        return add_rounded(a, ab, ratio(d1, d1 - d3));
    }
    let cp = p - c;
    let (d5, d6) = (dot_rounded(ab, cp), dot_rounded(ac, cp));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = product(d5, d2) - product(d1, d6);
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return add_rounded(a, ac, ratio(d2, d2 - d6));
    }
    let va = product(d3, d6) - product(d5, d4);
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return add_rounded(b, c - b, ratio(d4 - d3, (d4 - d3) + (d5 - d6)));
    }
    // A triangle without an area has only rounding errors for an interior: then a side is nearest.
    let size = |x: f32, y: f32| product(x, y).abs();
    let products = size(d1, d4) + size(d3, d2) + size(d5, d2) + size(d1, d6);
    let products = products + size(d3, d6) + size(d5, d4);
    let whole = va + vb + vc;
    if whole <= NO_AREA * products {
        return closest_on_sides(p, a, b, c);
    }
    add_rounded(add_rounded(a, ab, ratio(vb, whole)), ac, ratio(vc, whole))
}

/// Below this part of the products that it is the difference of, an area is nothing but rounding.
const NO_AREA: f32 = 1e-6;

/// Returns the point of the sides of a triangle that is closest to `p`.
#[inline(always)]
fn closest_on_sides(p: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let on_side = |from: Vec3, to: Vec3| {
        let side = to - from;
        let part = ratio(dot_rounded(side, p - from), dot_rounded(side, side));
        add_rounded(from, side, part.clamp(0.0, 1.0))
    };
    let nearer = |q: Vec3, r: Vec3| {
        if dot_rounded(r - p, r - p) < dot_rounded(q - p, q - p) {
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
        let label = self.labels.get(v);
        let [boxes, first, triangles, leaves] = self.trees.get4(label);
        TreeView {
            boxes: self.all.boxes.part(boxes, 4 * leaves),
            leaves,
            root: label,
            first,
            end: first + triangles,
            ..self.all
        }
    }
}

kernel! {
    /// Moves live vertices to the closest points of a surface. One index per vertex slot.
    pub struct Project: Flat {
        /// Surface of each mesh.
        pub surface: Forest,
        /// An edge per vertex, or [`DEAD`].
        pub ve: Global<u32>,
        /// Positions of the vertices.
        pub from: Global<Vec3>,
        /// Destination of the new positions.
        pub to: GlobalMut<Vec3>,
        /// Leaf to look at first, 0 if none is known; becomes the leaf of the new place.
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
            let nearest = tree.closest_near(self.near.get(v), self.from.get(v));
            self.to.set(v, nearest.point);
            let leaf = nearest.place.wrapping_sub(tree.first) / LEAF + tree.leaves;
            self.near
                .set(v, if nearest.place == NONE { 0 } else { leaf });
        }
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
        let i = ordered(self.order, i);
        let tree = &self.surface;
        let p = self.points.get(i);
        let nearest = tree.closest_near(tree.leaf_near(p), p);
        self.places.set(i, nearest.point);
        if nearest.place == NONE {
            self.triangles.set(i, NONE);
            self.parts.set(i, Vec3::ZERO);
            return;
        }
        self.triangles.set(i, tree.number(nearest.place));
        let [a, b, c] = tree.triangle(nearest.place);
        self.parts.set(i, parts_at(nearest.point, a, b, c));
    }
}

/// Returns the parts of the corners of a triangle at one of its points.
#[inline(always)]
fn parts_at(q: Vec3, a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let (u, v, d) = (b - a, c - a, q - a);
    let (uu, uv, vv) = (dot_rounded(u, u), dot_rounded(u, v), dot_rounded(v, v));
    let (du, dv) = (dot_rounded(d, u), dot_rounded(d, v));
    let whole = product(uu, vv) - product(uv, uv);
    let (s, t) = if whole > NO_AREA * uu * vv {
        (
            (product(du, vv) - product(dv, uv)) / whole,
            (product(dv, uu) - product(du, uv)) / whole,
        )
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
