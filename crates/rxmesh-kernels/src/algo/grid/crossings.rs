//! Faces of a contour that intersect, whose vertices are to hold back ([`STEPS`]).

use super::contour::STEPS;
use crate::algo::search::{TreeView, after};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::doubles::{Double3, cross, difference, dot};
use crate::math::product_f64;
use crate::mem::{Global, GlobalMut};
use glam::Vec3;

kernel_list! {
    flat grid_crossings: FindCrossings;
    flat grid_hold_back: HoldBack;
}

kernel! {
    /// Marks the vertices of faces that intersect or are folded onto each other. One index per face. Faces that touch
    /// in a plane do not count; signs are those of 64-bit numbers.
    pub struct FindCrossings: Flat {
        /// Tree of the surface.
        pub tree: TreeView,
        /// PlacedFace of the faces, three each.
        pub faces: Global<u32>,
        /// Place of each vertex.
        pub places: Global<Vec3>,
        /// 1 for vertices that have moved since the last search; empty for the first one.
        pub moved: Global<u32>,
        /// Mark of each vertex, 0 before; becomes 1.
        pub marks: GlobalMut<u32>,
    }
}

/// PlacedFace of a face, with their places.
#[derive(Clone, Copy)]
struct PlacedFace {
    vertices: [u32; 3],
    places: [Vec3; 3],
}

impl PlacedFace {
    /// Returns `true` if a vertex is one of the corners.
    #[inline(always)]
    fn contains(&self, v: u32) -> bool {
        let [a, b, c] = self.vertices;
        v == a || v == b || v == c
    }

    /// Returns the number of corners of another face that are among these.
    #[inline(always)]
    fn shared(&self, other: &PlacedFace) -> u32 {
        let [a, b, c] = other.vertices;
        u32::from(self.contains(a)) + u32::from(self.contains(b)) + u32::from(self.contains(c))
    }

    /// Returns the least and the greatest corner of the box.
    #[inline(always)]
    fn bounds(&self) -> (Vec3, Vec3) {
        let [a, b, c] = self.places;
        (a.min(b).min(c), a.max(b).max(c))
    }

    /// Returns the normal, with the length of twice the area.
    #[inline(always)]
    fn normal(&self) -> Double3 {
        let [a, b, c] = self.places;
        cross(difference(b, a), difference(c, a))
    }

    /// Returns `true` if a side of another face that has no corner here passes through this face.
    #[inline(always)]
    fn is_crossed_by(&self, other: &PlacedFace) -> bool {
        let normal = self.normal();
        let ([u, v, w], [p, q, r]) = (other.vertices, other.places);
        let (has_u, has_v, has_w) = (self.contains(u), self.contains(v), self.contains(w));
        !has_u && !has_v && self.is_hit(normal, p, q)
            || !has_v && !has_w && self.is_hit(normal, q, r)
            || !has_w && !has_u && self.is_hit(normal, r, p)
    }

    /// Returns `true` if a segment passes through the face: its ends are not on one side of the plane, nor both in it,
    /// and the point in the plane is in the face.
    #[inline(always)]
    fn is_hit(&self, normal: Double3, p: Vec3, q: Vec3) -> bool {
        let [a, b, c] = self.places;
        let (d, e) = (dot(normal, difference(p, a)), dot(normal, difference(q, a)));
        if d > 0.0 && e > 0.0 || d < 0.0 && e < 0.0 || d == e {
            return false;
        }
        let t = d / (d - e);
        let along = difference(q, p);
        // The side of the point in the plane, as seen from a corner towards the next one.
        let side = |u: Vec3, v: Vec3| {
            let from = difference(p, u);
            let at = [
                from[0] + product_f64(along[0], t),
                from[1] + product_f64(along[1], t),
                from[2] + product_f64(along[2], t),
            ];
            dot(cross(difference(v, u), at), normal)
        };
        side(a, b) >= 0.0 && side(b, c) >= 0.0 && side(c, a) >= 0.0
    }
}

/// Cosine of the angle between the normals of two faces at an edge beyond which they are folded onto each other.
const FOLDED: f64 = -0.999_999;

impl FindCrossings {
    #[inline(always)]
    fn corners(&self, face: u32) -> PlacedFace {
        let v = |k: u32| self.faces.get(3 * face + k);
        let vertices = [v(0), v(1), v(2)];
        PlacedFace {
            vertices,
            places: [
                self.places.get(vertices[0]),
                self.places.get(vertices[1]),
                self.places.get(vertices[2]),
            ],
        }
    }

    /// Returns `true` if two faces intersect.
    #[inline(always)]
    fn intersect(a: &PlacedFace, b: &PlacedFace) -> bool {
        let shared = a.shared(b);
        if shared >= 2 {
            let (m, n) = (a.normal(), b.normal());
            let (mn, squares) = (dot(m, n), product_f64(dot(m, m), dot(n, n)));
            return mn < 0.0 && product_f64(mn, mn) >= product_f64(FOLDED * FOLDED, squares);
        }
        a.is_crossed_by(b) || b.is_crossed_by(a)
    }

    /// Returns `true` if a corner of a face has moved.
    #[inline(always)]
    fn has_moved(&self, face: &PlacedFace) -> bool {
        let [a, b, c] = face.vertices;
        let moved = &self.moved;
        moved.is_empty() || moved.get(a) | moved.get(b) | moved.get(c) != 0
    }

    #[inline(always)]
    fn mark(&self, face: &PlacedFace) {
        let [a, b, c] = face.vertices;
        self.marks.raise(a, 1);
        self.marks.raise(b, 1);
        self.marks.raise(c, 1);
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl FlatKernel for FindCrossings {
    #[inline(always)]
    fn run(&self, face: u32) {
        let here = self.corners(face);
        if !self.has_moved(&here) {
            return;
        }
        let (low, high) = here.bounds();
        // One box a step, and no search to lead: `TreeView::walk` makes `wrap` a fifth slower.
        let leaves = self.tree.leaves;
        let mut node = 1;
        loop {
            let (from, to) = (
                self.tree.boxes.get(2 * node),
                self.tree.boxes.get(2 * node + 1),
            );
            let overlaps = from.cmple(high).all() && to.cmpge(low).all();
            if overlaps && node < leaves {
                node *= 2;
                continue;
            }
            if overlaps {
                let [mut t, end] = self.tree.places(node);
                while t < end {
                    let other = self.tree.number(t);
                    let there = self.corners(other);
                    // A pair is tested from one side: that of the lower number, or of the only one that has moved.
                    if other > face || other < face && !self.has_moved(&there) {
                        let (from, to) = there.bounds();
                        let overlaps = from.cmple(high).all() && to.cmpge(low).all();
                        if overlaps && FindCrossings::intersect(&here, &there) {
                            self.mark(&here);
                            self.mark(&there);
                        }
                    }
                    t += 1;
                }
            }
            node = after(node);
            if node == 1 {
                return;
            }
        }
    }
}

kernel! {
    /// Makes marked vertices hold back one more step, and clears the marks. One index per vertex.
    pub struct HoldBack: Flat {
        /// Mark of each vertex; 0 afterwards.
        pub marks: GlobalMut<u32>,
        /// Steps that each vertex holds back.
        pub steps: GlobalMut<u32>,
        /// 1 for vertices that hold back one more step, 0 for the others.
        pub moved: GlobalMut<u32>,
        /// Word 1: number of marked vertices; word 2: number of those that hold back one more step.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for HoldBack {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.marks.get(v) == 0 {
            self.moved.set(v, 0);
            return;
        }
        self.marks.set(v, 0);
        self.counts.fetch_add(1, 1);
        let steps = self.steps.get(v);
        self.moved.set(v, u32::from(steps < STEPS));
        if steps < STEPS {
            self.steps.set(v, steps + 1);
            self.counts.fetch_add(2, 1);
        }
    }
}
