//! Hits of rays on a surface.

use super::search::{BoxLanes, BoxSearch, TreeView, ordered};
use crate::edit::NONE;
use crate::kernel::FlatKernel;
use crate::math::{product, product_f64};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::{Vec3, Vec4};

kernel_list! {
    flat first_hits: FirstHits;
    flat count_hits: CountHits;
}

args! {
    /// Rays: places `origin + t * direction` with `t` from 0 to a limit.
    pub struct RayList {
        /// Start of each ray.
        pub origins: Global<Vec3>,
        /// Direction of each ray, of any length but 0.
        pub directions: Global<Vec3>,
        /// Greatest `t`; infinity for none.
        pub limit: f32,
    }
}

/// Part by which the exit from a box is later than computed: what its computation rounds (Ize 2013, "Robust BVH ray
/// traversal").
const EXIT: f32 = 1.000_000_5;

/// Least size of a component of a direction in tests of boxes: its inverse is a number.
const LEAST: f32 = 1e-30;

/// Ray that is ready for tests.
#[derive(Clone, Copy)]
pub(super) struct Ray {
    origin: Vec3,
    /// One over each component of the direction.
    inverse: Vec3,
    /// Axis of the largest component of the direction.
    axis: u32,
    /// Direction over that component; its last component is one over it (Woop, Benthin, Wald 2013, "Watertight
    /// ray/triangle intersection").
    shear: Vec3,
    pub(super) limit: f32,
}

/// Triangle as seen along a ray: the ray is the z axis, and starts at the origin.
pub(super) struct Seen {
    /// Corners.
    corners: [Vec3; 3],
    /// Twice the area of the origin and the side opposite to each corner.
    areas: [f64; 3],
}

/// A hit of a triangle.
#[derive(Clone, Copy)]
struct TriangleHit {
    /// Place on the ray, in multiples of its direction.
    t: f32,
    /// Parts of the second and the third corner.
    parts: [f32; 2],
}

/// Turns the axes so that one becomes the last.
#[inline(always)]
fn turned(v: Vec3, axis: u32) -> Vec3 {
    if axis == 0 {
        Vec3::new(v.y, v.z, v.x)
    } else if axis == 1 {
        Vec3::new(v.z, v.x, v.y)
    } else {
        v
    }
}

impl RayList {
    /// Returns a ray; `None` if it has no direction, or numbers that are not finite.
    #[inline(always)]
    pub(super) fn ray(&self, i: u32) -> Option<Ray> {
        let (origin, direction) = (self.origins.get(i), self.directions.get(i));
        let size = direction.abs();
        let axis = if size.x >= size.y && size.x >= size.z {
            0
        } else if size.y >= size.z {
            1
        } else {
            2
        };
        let d = turned(direction, axis);
        let is_finite = origin.is_finite() && direction.is_finite();
        if d.z == 0.0 || !is_finite {
            return None;
        }
        let inverse = |x: f32| {
            let size = if x.abs() < LEAST { LEAST } else { x.abs() };
            if x.is_sign_negative() {
                -1.0 / size
            } else {
                1.0 / size
            }
        };
        Some(Ray {
            origin,
            inverse: Vec3::new(
                inverse(direction.x),
                inverse(direction.y),
                inverse(direction.z),
            ),
            axis,
            shear: Vec3::new(d.x / d.z, d.y / d.z, 1.0 / d.z),
            limit: self.limit,
        })
    }
}

impl Ray {
    /// Returns the places on the ray at which it enters boxes, 0 if it starts in one; infinity if it misses the box up
    /// to a place.
    #[inline(always)]
    pub(super) fn entries(&self, boxes: &BoxLanes, most: f32) -> Vec4 {
        let (mut near, mut far) = (Vec4::ZERO, Vec4::INFINITY);
        let mut axis = 0;
        while axis < 3 {
            let (from, inverse) = (self.origin[axis], self.inverse[axis]);
            let (to_near, to_far) = if inverse < 0.0 {
                (boxes.high[axis], boxes.low[axis])
            } else {
                (boxes.low[axis], boxes.high[axis])
            };
            let (from, inverse) = (Vec4::splat(from), Vec4::splat(inverse));
            // A product that is not a number, along an axis to which the ray is perpendicular, does not count: it is
            // the first argument.
            near = ((to_near - from) * inverse).max(near);
            far = ((to_far - from) * inverse * EXIT).min(far);
            axis += 1;
        }
        let is_met = near.cmple(far) & near.cmple(Vec4::splat(most * EXIT));
        Vec4::select(is_met, near, Vec4::INFINITY)
    }

    /// Returns the place of a hit of a triangle up to the limit. A ray through an edge or a vertex hits one triangle of
    /// those that share it on each side of the surface.
    #[inline(always)]
    pub(super) fn hit_once(&self, corners: [Vec3; 3]) -> Option<f32> {
        let seen = self.seen(corners);
        let t = seen.hit()?.t;
        (t >= 0.0 && t <= self.limit && seen.turns().0 != 0).then_some(t)
    }

    /// Returns the corners of a triangle as seen along the ray: the same for a vertex in each of its triangles.
    #[inline(always)]
    fn seen(&self, [a, b, c]: [Vec3; 3]) -> Seen {
        let of = |p: Vec3| {
            let p = turned(p - self.origin, self.axis);
            Vec3::new(
                p.x - product(self.shear.x, p.z),
                p.y - product(self.shear.y, p.z),
                product(self.shear.z, p.z),
            )
        };
        Seen::new([of(a), of(b), of(c)])
    }
}

/// Returns twice the area of the triangle of the origin and two points, with the sign of its orientation. With the
/// points exchanged it has exactly the other sign.
#[inline(always)]
fn area(p: Vec3, q: Vec3) -> f64 {
    product_f64(f64::from(p.x), f64::from(q.y)) - product_f64(f64::from(p.y), f64::from(q.x))
}

impl Seen {
    /// Takes the corners: the same numbers for a vertex in each of its triangles.
    #[inline(always)]
    pub(super) fn new(corners: [Vec3; 3]) -> Seen {
        let [a, b, c] = corners;
        Seen {
            corners,
            areas: [area(b, c), area(c, a), area(a, b)],
        }
    }

    /// Returns the place at which the ray passes the triangle's plane, times the sum of the areas.
    #[inline(always)]
    fn depth(&self) -> f64 {
        let ([u, v, w], [a, b, c]) = (self.areas, self.corners);
        let part = |area: f64, corner: Vec3| product_f64(area, f64::from(corner.z));
        part(u, a) + part(v, b) + part(w, c)
    }

    /// Returns the hit; triangles that share an edge leave no gap between them.
    #[inline(always)]
    fn hit(&self) -> Option<TriangleHit> {
        let [u, v, w] = self.areas;
        let whole = u + v + w;
        let is_outside = (u < 0.0 || v < 0.0 || w < 0.0) && (u > 0.0 || v > 0.0 || w > 0.0);
        if is_outside || whole == 0.0 {
            return None;
        }
        Some(TriangleHit {
            t: (self.depth() / whole) as f32,
            parts: [(v / whole) as f32, (w / whole) as f32],
        })
    }

    /// Returns how often the triangle goes around the ray, 1, 0 or -1; and `true` if it is hit in front of the start. A
    /// ray through an edge or a vertex counts for one of the triangles there: sums over a closed surface are exact.
    #[inline(always)]
    pub(super) fn turns(&self) -> (i32, bool) {
        let ([a, b, c], [u, v, w]) = (self.corners, self.areas);
        // Each side counts where it crosses the half of the x axis that is not negative.
        let side = |p: Vec3, q: Vec3, area: f64| {
            let up = p.y <= 0.0;
            if up == (q.y <= 0.0) {
                return 0;
            }
            i32::from(up && area > 0.0) - i32::from(!up && area < 0.0)
        };
        let turns = side(a, b, w) + side(b, c, u) + side(c, a, v);
        (turns, self.depth() * f64::from(turns) >= 0.0)
    }
}

/// Search for the first hit.
struct FirstSearch {
    ray: Ray,
    best: TriangleHit,
    /// Place of the triangle, [`NONE`] for none.
    place: u32,
}

impl BoxSearch for FirstSearch {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        self.ray.entries(boxes, self.best.t)
    }

    #[inline(always)]
    fn keeps(&self, order: f32) -> bool {
        order <= self.best.t * EXIT
    }

    #[inline(always)]
    fn visit(&mut self, tree: &TreeView, place: u32, corners: [Vec3; 3]) -> bool {
        if let Some(hit) = self.ray.seen(corners).hit() {
            let same = hit.t == self.best.t
                && (self.place == NONE || tree.number(place) < tree.number(self.place));
            if hit.t >= 0.0 && (hit.t < self.best.t || same) {
                (self.best, self.place) = (hit, place);
            }
        }
        false
    }
}

kernel! {
    /// Finds the first hit of rays: of triangles that are hit at the same place the one with the smallest number. One
    /// index per ray.
    pub struct FirstHits: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Rays.
        pub rays: RayList,
        /// Order in which rays are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// Place on the ray, in multiples of its direction; infinity if it hits nothing.
        pub distances: GlobalMut<f32>,
        /// Triangle that is hit; [`NONE`] for none.
        pub triangles: GlobalMut<u32>,
        /// Parts of the corners of the triangle, which add up to 1; zeroes for none.
        pub parts: GlobalMut<Vec3>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for FirstHits {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let tree = &self.surface;
        let (mut t, mut triangle, mut parts) = (f32::INFINITY, NONE, Vec3::ZERO);
        if let Some(ray) = self.rays.ray(i) {
            let mut search = FirstSearch {
                ray,
                best: TriangleHit {
                    t: ray.limit,
                    parts: [0.0; 2],
                },
                place: NONE,
            };
            tree.walk(0, &mut search);
            if search.place != NONE {
                let [v, w] = search.best.parts;
                t = search.best.t;
                triangle = tree.number(search.place);
                parts = Vec3::new((1.0 - v - w).max(0.0), v, w);
            }
        }
        self.distances.set(i, t);
        self.triangles.set(i, triangle);
        self.parts.set(i, parts);
    }
}

/// Search for all hits up to the ray's limit.
struct CountSearch {
    ray: Ray,
    count: u32,
    /// `true` to end at any hit.
    any: bool,
}

impl BoxSearch for CountSearch {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        self.ray.entries(boxes, self.ray.limit)
    }

    #[inline(always)]
    fn visit(&mut self, _: &TreeView, _: u32, corners: [Vec3; 3]) -> bool {
        let is_hit = if self.any {
            let hit = self.ray.seen(corners).hit();
            hit.is_some_and(|hit| hit.t >= 0.0 && hit.t <= self.ray.limit)
        } else {
            self.ray.hit_once(corners).is_some()
        };
        self.count += u32::from(is_hit);
        self.any && is_hit
    }
}

kernel! {
    /// Counts the triangles that rays hit. Where a ray passes through an edge or a vertex, one triangle of those that
    /// share it counts for each side of the surface. One index per ray.
    pub struct CountHits: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Rays.
        pub rays: RayList,
        /// See [`FirstHits::order`].
        pub order: Global<u32>,
        /// 1 to end at any hit, 0 to count all.
        pub any: u32,
        /// Number of hits of each ray; 1 or 0 if any will do.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: as for [`FirstHits`].
unsafe impl FlatKernel for CountHits {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let mut count = 0;
        if let Some(ray) = self.rays.ray(i) {
            let mut search = CountSearch {
                ray,
                count,
                any: self.any == 1,
            };
            self.surface.walk(0, &mut search);
            count = search.count;
        }
        self.counts.set(i, count);
    }
}
