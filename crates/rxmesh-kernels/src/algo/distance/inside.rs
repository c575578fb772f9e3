//! Winding numbers: how often a surface goes around a point.
//!
//! Jacobson, Kavan, Sorkine-Hornung 2013, "Robust inside-outside segmentation using generalized winding numbers",
//! define them. For surfaces with little or no boundary they are the triangles in front of a ray, each counted with its
//! orientation, less the part of the boundary (Martens, Trettner, Bessmeltsev 2026). For others far triangles count
//! together (Barill, Dickson, Schmidt, Levin, Jacobson 2018, "Fast winding numbers for soups and clouds").

use super::rays::Seen;
use super::search::{BoxLanes, BoxSearch, TreeView, after, ordered};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::doubles::{Double3, cross, difference, dot, unit};
use crate::math::{atan2, dot_rounded, length, product, product_lanes, sqrt};
use crate::mem::{Global, GlobalMut};
use glam::{Vec3, Vec4};

kernel_list! {
    flat winding_by_rays: WindingByRays;
    flat winding_by_moments: WindingByMoments;
    flat leaf_moments: LeafMoments;
    flat level_moments: LevelMoments;
    flat sign_distances: SignDistances;
    flat flag_inside: FlagInside;
}

/// One over the solid angle of a sphere.
const SPHERE: f32 = 1.0 / (4.0 * core::f32::consts::PI);

/// Components along x and y of the rays' direction, whose component along z is 1. Points and edges are seldom placed so
/// that one lies in front of the other in this direction, as they are along an axis.
const TILT: [f32; 2] = [0.031_415_93, 0.017_320_51];

/// Moves a point along the rays, to that where `z` is the origin's. Rounding keeps the order of coordinates: what is
/// inside a box stays inside its moved sides.
#[inline(always)]
fn level(x: f32, y: f32, z: f32) -> [f32; 2] {
    [x - product(TILT[0], z), y - product(TILT[1], z)]
}

/// Search for the turns of the surface in front of a point.
struct TurnSearch {
    p: Vec3,
    turns: i32,
}

impl BoxSearch for TurnSearch {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        let from = |corner: [Vec4; 3], axis: usize| corner[axis] - Vec4::splat(self.p[axis]);
        let (low, high) = (boxes.low, boxes.high);
        // As `level` moves them.
        let least =
            |axis: usize| from(low, axis) - product_lanes(Vec4::splat(TILT[axis]), from(high, 2));
        let greatest =
            |axis: usize| from(high, axis) - product_lanes(Vec4::splat(TILT[axis]), from(low, 2));
        let is_beside =
            |axis: usize| least(axis).cmpgt(Vec4::ZERO) | greatest(axis).cmplt(Vec4::ZERO);
        let is_missed = is_beside(0) | is_beside(1) | from(high, 2).cmplt(Vec4::ZERO);
        Vec4::select(is_missed, Vec4::INFINITY, Vec4::ZERO)
    }

    #[inline(always)]
    fn visit(&mut self, _: &TreeView, _: u32, [a, b, c]: [Vec3; 3]) -> bool {
        let seen = |x: Vec3| {
            let x = x - self.p;
            let [along_x, along_y] = level(x.x, x.y, x.z);
            Vec3::new(along_x, along_y, x.z)
        };
        let (turns, is_in_front) = Seen::new([seen(a), seen(b), seen(c)]).turns();
        if is_in_front {
            self.turns += turns;
        }
        false
    }
}

/// Returns the solid angle of a triangle from the origin, positive if it turns counter-clockwise (van Oosterom,
/// Strackee 1983, "The solid angle of a plane triangle").
#[inline(always)]
fn solid_angle(a: Vec3, b: Vec3, c: Vec3) -> f32 {
    let (la, lb, lc) = (length(a), length(b), length(c));
    let whole = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    2.0 * atan2(a.dot(b.cross(c)), whole)
}

/// Works like [`solid_angle`], for unit vectors: for strips that are seen from their end, whose terms nearly cancel.
#[inline(always)]
fn strip(a: Double3, b: Double3, c: Double3) -> f32 {
    let whole = 1.0 + dot(a, b) + dot(b, c) + dot(c, a);
    2.0 * atan2(dot(a, cross(b, c)) as f32, whole as f32)
}

kernel! {
    /// Computes winding numbers by rays and the edges of the boundary. One index per point.
    pub struct WindingByRays: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Two ends of each edge of the boundary, in its direction.
        pub ends: Global<Vec3>,
        /// Count of each edge.
        pub counts: Global<f32>,
        /// Points.
        pub points: Global<Vec3>,
        /// Order in which points are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// Winding number of each point.
        pub numbers: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for WindingByRays {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let p = self.points.get(i);
        let mut search = TurnSearch { p, turns: 0 };
        self.surface.walk(0, &mut search);
        // Strips from the boundary away from the ray close the surface; the ray does not meet them.
        let away = unit([-f64::from(TILT[0]), -f64::from(TILT[1]), -1.0]);
        let (mut strips, mut k) = (0.0, 0);
        while k < self.counts.len() {
            let end = |k: u32| unit(difference(self.ends.get(k), p));
            strips += self.counts.get(k) * strip(end(2 * k + 1), end(2 * k), away);
            k += 1;
        }
        self.numbers.set(i, search.turns as f32 - strips * SPHERE);
    }
}

/// Words of a node's moments: centre and radius; area vector and area; six products of distances and area vectors, and
/// two that are free.
pub const MOMENT_WORDS: u32 = 16;

/// Moments of triangles.
#[derive(Clone, Copy)]
struct Moments {
    /// Centre of the area.
    centre: Vec3,
    /// Distance of the farthest corner from the centre, or more; minus infinity without triangles.
    radius: f32,
    /// Sum of the area vectors.
    normal: Vec3,
    area: f32,
    /// Products of the distance from the centre and the area vector along the same axis.
    same: Vec3,
    /// Sums of the products along two axes, both ways: y and z, z and x, x and y.
    mixed: Vec3,
}

impl Moments {
    const NONE: Moments = Moments {
        centre: Vec3::ZERO,
        radius: f32::NEG_INFINITY,
        normal: Vec3::ZERO,
        area: 0.0,
        same: Vec3::ZERO,
        mixed: Vec3::ZERO,
    };

    /// Adds the products of other moments at a distance from this centre.
    #[inline(always)]
    fn add(&mut self, d: Vec3, normal: Vec3) {
        self.same += d * normal;
        self.mixed += Vec3::new(
            d.y * normal.z + d.z * normal.y,
            d.z * normal.x + d.x * normal.z,
            d.x * normal.y + d.y * normal.x,
        );
    }

    #[inline(always)]
    fn read(words: Global<u32>, node: u32) -> Moments {
        let part = |k: u32| words.get4(4 * node + k).map(f32::from_bits);
        let (a, b, c, d) = (part(0), part(1), part(2), part(3));
        Moments {
            centre: Vec3::new(a[0], a[1], a[2]),
            radius: a[3],
            normal: Vec3::new(b[0], b[1], b[2]),
            area: b[3],
            same: Vec3::new(c[0], c[1], c[2]),
            mixed: Vec3::new(c[3], d[0], d[1]),
        }
    }

    #[inline(always)]
    fn write(&self, words: GlobalMut<u32>, node: u32) {
        let put = |k: u32, v: Vec3, w: f32| {
            words.set4(4 * node + k, [v.x, v.y, v.z, w].map(f32::to_bits));
        };
        put(0, self.centre, self.radius);
        put(1, self.normal, self.area);
        put(2, self.same, self.mixed.x);
        put(3, Vec3::new(self.mixed.y, self.mixed.z, 0.0), 0.0);
    }

    /// Returns the solid angle from a far point, up to the second term of its series.
    #[inline(always)]
    fn solid_angle(&self, r: Vec3, square: f32) -> f32 {
        let over = 1.0 / square;
        let cube = over / sqrt(square);
        let trace = self.same.x + self.same.y + self.same.z;
        let mixed = self.mixed.x * r.y * r.z + self.mixed.y * r.z * r.x + self.mixed.z * r.x * r.y;
        let along = self.same.dot(r * r) + mixed;
        cube * (self.normal.dot(r) + trace - 3.0 * along * over)
    }
}

kernel! {
    /// Computes the moments of leaves. One index per leaf.
    pub struct LeafMoments: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Moments of the nodes, [`MOMENT_WORDS`] words each.
        pub moments: GlobalMut<u32>,
    }
}

/// Returns the area vector of a triangle, and its centre.
#[inline(always)]
fn area_vector([a, b, c]: [Vec3; 3]) -> (Vec3, Vec3) {
    ((b - a).cross(c - a) * 0.5, (a + b + c) * (1.0 / 3.0))
}

// SAFETY: as for [`WindingByRays`].
unsafe impl FlatKernel for LeafMoments {
    #[inline(always)]
    fn run(&self, leaf: u32) {
        let node = self.surface.leaves + leaf;
        let [first, end] = self.surface.places(node);
        let mut all = Moments::NONE;
        let mut centres = Vec3::ZERO;
        let mut t = first;
        while t < end {
            let (normal, centre) = area_vector(self.surface.triangle(t));
            let area = length(normal);
            all.area += area;
            all.normal += normal;
            centres += centre * area;
            t += 1;
        }
        if first < end {
            all.centre = if all.area > 0.0 {
                centres * (1.0 / all.area)
            } else {
                self.surface.triangle(first)[0]
            };
        }
        let mut t = first;
        while t < end {
            let corners = self.surface.triangle(t);
            let (normal, centre) = area_vector(corners);
            all.add(centre - all.centre, normal);
            let [a, b, c] = corners.map(|x| length(x - all.centre));
            all.radius = all.radius.max(a).max(b).max(c);
            t += 1;
        }
        all.write(self.moments, node);
    }
}

kernel! {
    /// Joins the moments of two children each. One index per node of a level.
    pub struct LevelMoments: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Moments of the nodes, [`MOMENT_WORDS`] words each.
        pub moments: GlobalMut<u32>,
        /// First node of the level.
        pub first: u32,
    }
}

// SAFETY: indices of one launch write nodes of one level, and read those of the next; the host launches no more of them
// than the views hold (contracts U3, U4).
unsafe impl FlatKernel for LevelMoments {
    #[inline(always)]
    fn run(&self, i: u32) {
        let node = self.first + i;
        let words = self.moments.read();
        let (l, r) = (
            Moments::read(words, 2 * node),
            Moments::read(words, 2 * node + 1),
        );
        let area = l.area + r.area;
        let centre = if area > 0.0 {
            (l.centre * l.area + r.centre * r.area) * (1.0 / area)
        } else {
            l.centre
        };
        let (to_l, to_r) = (l.centre - centre, r.centre - centre);
        let corner = |k: u32| (self.surface.boxes.get(2 * node + k) - centre).abs();
        let of_children = (length(to_l) + l.radius).max(length(to_r) + r.radius);
        let mut all = Moments {
            centre,
            radius: of_children.min(length(corner(0).max(corner(1)))),
            normal: l.normal + r.normal,
            area,
            same: l.same + r.same,
            mixed: l.mixed + r.mixed,
        };
        all.add(to_l, l.normal);
        all.add(to_r, r.normal);
        all.write(self.moments, node);
    }
}

kernel! {
    /// Computes winding numbers by the moments of far triangles. One index per point.
    pub struct WindingByMoments: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Moments of its nodes, [`MOMENT_WORDS`] words each.
        pub moments: Global<u32>,
        /// Nodes count as a whole from this multiple of their radius on.
        pub far: f32,
        /// Points.
        pub points: Global<Vec3>,
        /// See [`WindingByRays::order`].
        pub order: Global<u32>,
        /// Winding number of each point.
        pub numbers: GlobalMut<f32>,
    }
}

// SAFETY: as for [`WindingByRays`].
unsafe impl FlatKernel for WindingByMoments {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let (p, far) = (self.points.get(i), self.far);
        let mut sum = 0.0;
        let mut node = 1u32;
        loop {
            let moments = Moments::read(self.moments, node);
            let r = moments.centre - p;
            let square = r.dot(r);
            let reach = far * moments.radius;
            let is_empty = moments.radius < 0.0;
            if is_empty || square > reach * reach {
                // From beyond all numbers nothing is seen.
                if !is_empty && square < f32::INFINITY {
                    sum += moments.solid_angle(r, square);
                }
            } else if node < self.surface.leaves {
                node *= 2;
                continue;
            } else {
                let [mut t, end] = self.surface.places(node);
                while t < end {
                    let [a, b, c] = self.surface.triangle(t).map(|x| x - p);
                    sum += solid_angle(a, b, c);
                    t += 1;
                }
            }
            node = after(node);
            if node == 1 {
                break;
            }
        }
        self.numbers.set(i, sum * SPHERE);
    }
}

/// Returns `true` if a point with a winding number counts as inside.
#[inline(always)]
fn is_inside(number: f32) -> bool {
    number >= 0.5
}

kernel! {
    /// Flags the points that are inside. One index per point.
    pub struct FlagInside: Flat {
        /// Winding number of each point.
        pub numbers: Global<f32>,
        /// 1 for each point inside, 0 for the others.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: as for [`WindingByRays`].
unsafe impl FlatKernel for FlagInside {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.flags.set(i, u32::from(is_inside(self.numbers.get(i))));
    }
}

kernel! {
    /// Computes the distances of points from the places that are closest to them, negative inside. One index per point.
    pub struct SignDistances: Flat {
        /// Points.
        pub points: Global<Vec3>,
        /// The closest places.
        pub places: Global<Vec3>,
        /// Winding number of each point; empty for distances without a sign.
        pub numbers: Global<f32>,
        /// Distance of each point.
        pub distances: GlobalMut<f32>,
    }
}

// SAFETY: as for [`WindingByRays`].
unsafe impl FlatKernel for SignDistances {
    #[inline(always)]
    fn run(&self, i: u32) {
        let d = self.places.get(i) - self.points.get(i);
        let distance = sqrt(dot_rounded(d, d));
        let is_inside = !self.numbers.is_empty() && is_inside(self.numbers.get(i));
        self.distances
            .set(i, if is_inside { -distance } else { distance });
    }
}
