//! Contact of edges: the deepest point of an edge in a solid is pushed out as a vertex is.
//!
//! The energy of an edge is the penalty of its smallest distance, and its two ends share the force in proportion to the
//! position of that point: the derivative with respect to this position is zero, or the point is an end. Second
//! derivatives are taken for each end separately, which is an upper bound: `(p a + q b)^2 <= p a^2 + q b^2` for `p + q
//! = 1`.

use super::{Contacts, Solid, SolidKind, Touch, add, friction, penalty};
use glam::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::{rsqrt_fast, sqrt};
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_touch_edges: TouchEdges;
    flat sim_kick_edges: KickEdges;
}

rxmesh_kernels::args! {
    /// Edges of a body's surface, as adjacency lists of vertices.
    pub struct Edges {
        /// Offset of each vertex's list in `others`; one more than there are vertices.
        pub starts: Global<u32>,
        /// Other end of each edge.
        pub others: Global<u32>,
        /// Mass of the edge for contact, the same at both ends.
        pub mass: Global<f32>,
    }
}

/// Deepest point of an edge in a solid.
#[derive(Clone, Copy)]
struct Deepest {
    /// Position on the edge: 0 at the first end, 1 at the second.
    part: f32,
    distance: f32,
    /// Gradient of the smallest distance with respect to a translation of the edge, of length one at most.
    /// Perpendicular to the edge if the point is between its ends, even where two sides of a solid meet.
    n: Vec3,
}

impl Deepest {
    /// Returns the part of a slip that is perpendicular to the normal.
    #[inline(always)]
    fn across(&self, slip: Vec3) -> Vec3 {
        let size = self.n.dot(self.n);
        let over = if size > 0.0 { 1.0 / size } else { 0.0 };
        slip - self.n * (self.n.dot(slip) * over)
    }
}

/// Number of points of an edge that are sampled first, and of halvings of the step between them after that. Parts of a
/// non-convex solid that are narrower than an eighth of an edge may be missed.
const PLACES: u32 = 9;
const HALVINGS: u32 = 10;

/// Returns the deepest point of an edge if it may be in the layer around a solid. Only grids, and shapes that are not
/// hollow, can touch an edge between its ends.
#[inline(always)]
fn deepest(solid: &Solid, grids: Global<f32>, a: Vec3, b: Vec3) -> Option<Deepest> {
    let grid = solid.kind == SolidKind::Grid as u32;
    let convex = solid.kind != SolidKind::Plane as u32 && solid.side > 0.0;
    if solid.edges == 0 || !(grid || convex) {
        return None;
    }
    let along = b - a;
    let mut best = Deepest {
        part: 0.0,
        distance: f32::INFINITY,
        n: Vec3::Z,
    };
    let (mut centre, mut step, mut ends) = (0.0, 0.5 / (PLACES - 1) as f32, 0.0);
    let (mut below, mut above) = (Vec3::ZERO, Vec3::ZERO);
    let mut k = 0;
    while k < PLACES + 2 * HALVINGS {
        // Both ends first, then points between them, then points on either side of the best.
        let part = if k < 2 {
            k as f32
        } else if k < PLACES {
            (k - 1) as f32 / (PLACES - 1) as f32
        } else if (k - PLACES) & 1 == 0 {
            centre = best.part;
            centre - step
        } else {
            centre + step
        };
        let part = part.clamp(0.0, 1.0);
        let (distance, n) = solid.distance(a + along * part, grids);
        if distance < best.distance {
            best = Deepest { part, distance, n };
        }
        if k < 2 {
            ends += distance;
        } else if k >= PLACES && (k - PLACES) & 1 == 0 {
            below = n;
        } else if k > PLACES {
            above = n;
            step *= 0.5;
        }
        if k == 1 {
            // The distance function has a slope of at most one, that of grids along each axis.
            let slope = if grid { 1.75 } else { 1.0 };
            if ends - slope * sqrt(along.dot(along)) > 2.0 * solid.thickness {
                return None;
            }
        }
        k += 1;
    }
    // The distance grows on both sides, at a kink with two normals: between them is the one without a slope along the
    // edge.
    let (down, up) = (below.dot(along), above.dot(along));
    if down < 0.0 && up > 0.0 {
        best.n = (below * up - above * down) * (1.0 / (up - down));
    }
    Some(best)
}

/// Returns the ends of an edge by increasing number, so that both ends compute the same point.
#[inline(always)]
fn ends(v: u32, other: u32) -> (u32, u32) {
    if v < other { (v, other) } else { (other, v) }
}

#[inline(always)]
fn share(v: u32, first: u32, part: f32) -> f32 {
    if v == first { 1.0 - part } else { part }
}

impl Contacts {
    /// Adds the contact response of a solid on the end `v` of an edge per unit of the edge's mass, as
    /// [`Contacts::touch`]; the energy is half of the edge's.
    #[inline(always)]
    fn touch_edge(
        &self,
        solid: &Solid,
        (v, first): (u32, u32),
        start: [Vec3; 2],
        u: [Vec3; 2],
        dt: f32,
        mut all: Touch,
    ) -> Touch {
        let k = solid.stiffness;
        if let Some(now) = deepest(solid, self.grids, start[0] + u[0], start[1] + u[1]) {
            let (e, de, dde) = penalty(solid.thickness - now.distance, solid.thickness);
            let mine = share(v, first, now.part);
            all.energy += 0.5 * k * e;
            all.force += now.n * (mine * k * de);
            all.hessian = add(all.hessian, mine * k * dde, now.n, 0.0);
        }
        if solid.friction <= 0.0 || dt <= 0.0 {
            return all;
        }
        if let Some(was) = deepest(solid, self.grids, start[0], start[1]) {
            let (_, pressed, _) = penalty(solid.thickness - was.distance, solid.thickness);
            let most = solid.friction * k * pressed;
            if most > 0.0 {
                let at = start[0] + (start[1] - start[0]) * was.part;
                let slip = u[0] + (u[1] - u[0]) * was.part - solid.speed(at) * dt;
                let slip = was.across(slip);
                let (e, over) = friction(slip, self.slip * dt);
                let mine = share(v, first, was.part);
                all.energy += 0.5 * most * e;
                all.force -= slip * (mine * most * over);
                let unit = was.n * rsqrt_fast(was.n.dot(was.n).max(f32::MIN_POSITIVE));
                all.hessian = add(all.hessian, 0.0, unit, mine * most * over);
            }
        }
        all
    }
}

kernel! {
    /// Computes the contact response of edges on each vertex in an implicit step: energy in joules, force in newtons,
    /// second derivatives as [`Symmetric`](crate::small::Symmetric).
    pub struct TouchEdges: Flat {
        /// The edges.
        pub edges: Edges,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Positions at the start of the step.
        pub x: Global<Vec3>,
        /// Displacement; empty for none.
        pub u: Global<Vec3>,
        /// Change that is added to the displacement `length` times, if there is a displacement.
        pub change: Global<Vec3>,
        /// Factor of `change`.
        pub length: f32,
        /// The time step; 0 for energies without friction.
        pub dt: f32,
        /// Ten words per vertex.
        pub to: GlobalMut<[f32; 10]>,
    }
}

// SAFETY: an index writes its own vertex; launches are as long as the array, lists are of its vertices (contracts U3,
// U4).
unsafe impl FlatKernel for TouchEdges {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mut sum = [0.0; 10];
        let mut at = self.edges.starts.get(v);
        while at < self.edges.starts.get(v + 1) {
            let (first, second) = ends(v, self.edges.others.get(at));
            let start = [self.x.get(first), self.x.get(second)];
            let u = [self.moved(first), self.moved(second)];
            let mut touch = Touch {
                energy: 0.0,
                force: Vec3::ZERO,
                hessian: [0.0; 6],
            };
            let mut i = 0;
            while i < self.contacts.solids.len() {
                let solid = self.contacts.solids.get(i);
                touch = self
                    .contacts
                    .touch_edge(&solid, (v, first), start, u, self.dt, touch);
                i += 1;
            }
            let (m, f, h) = (self.edges.mass.get(at), touch.force, touch.hessian);
            sum = [
                sum[0] + m * touch.energy,
                sum[1] + m * f.x,
                sum[2] + m * f.y,
                sum[3] + m * f.z,
                sum[4] + m * h[0],
                sum[5] + m * h[1],
                sum[6] + m * h[2],
                sum[7] + m * h[3],
                sum[8] + m * h[4],
                sum[9] + m * h[5],
            ];
            at += 1;
        }
        self.to.set(v, sum);
    }
}

impl TouchEdges {
    #[inline(always)]
    fn moved(&self, v: u32) -> Vec3 {
        if self.u.is_empty() {
            Vec3::ZERO
        } else {
            self.u.get(v) + self.change.get(v) * self.length
        }
    }
}

kernel! {
    /// Computes the velocity change of each vertex by contact of edges in an explicit step.
    pub struct KickEdges: Flat {
        /// The edges.
        pub edges: Edges,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Positions.
        pub x: Global<Vec3>,
        /// Velocities.
        pub v: Global<Vec3>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
        /// Acceleration of all free vertices.
        pub gravity: Vec3,
        /// The time step.
        pub dt: f32,
        /// Changes of velocities.
        pub to: GlobalMut<Vec3>,
    }
}

// SAFETY: as `TouchEdges`.
unsafe impl FlatKernel for KickEdges {
    #[inline(always)]
    fn run(&self, v: u32) {
        let mut sum = Vec3::ZERO;
        let mut at = self.edges.starts.get(v);
        while at < self.edges.starts.get(v + 1) {
            let (first, second) = ends(v, self.edges.others.get(at));
            let (a, b) = (self.x.get(first), self.x.get(second));
            let (p, q) = (self.v.get(first), self.v.get(second));
            let mut i = 0;
            while i < self.contacts.solids.len() {
                let solid = self.contacts.solids.get(i);
                if let Some(d) = deepest(&solid, self.contacts.grids, a, b) {
                    let (place, speed) = (a + (b - a) * d.part, p + (q - p) * d.part);
                    let kick = self.kick(&solid, d, place, speed + self.gravity * self.dt);
                    sum += kick * (share(v, first, d.part) * self.edges.mass.get(at));
                }
                i += 1;
            }
            at += 1;
        }
        self.to.set(v, sum * self.inverse_mass.get(v));
    }
}

impl KickEdges {
    /// Returns the momentum of the deepest point per unit of the edge's mass.
    #[inline(always)]
    fn kick(&self, solid: &Solid, d: Deepest, place: Vec3, speed: Vec3) -> Vec3 {
        let (_, pressed, _) = penalty(solid.thickness - d.distance, solid.thickness);
        let push = solid.stiffness * pressed * self.dt;
        if push <= 0.0 {
            return Vec3::ZERO;
        }
        let slip = d.across(speed - solid.speed(place));
        let (size, most) = (sqrt(slip.dot(slip)), solid.friction * push);
        let left = if size > most { most / size } else { 1.0 };
        d.n * push - slip * left
    }
}
