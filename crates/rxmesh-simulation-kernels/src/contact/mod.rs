//! Contact of vertices, and of edges, with solids: a smooth penalty, and Coulomb friction.
//!
//! With the depth `d` of a vertex in a layer of thickness `h` around the solid, the penalty is `m k s(d)`, where `s`
//! grows as `d^3 / (6 h)` in the layer and as `d^2 / 2` beyond, with two continuous derivatives. Friction in implicit
//! steps is lagged: normal and normal force are those at the start of the step, and its potential is smooth where the
//! slip is slower than a given speed (Li et al. 2020, sections 5.2 and 5.4).

mod edges;
mod solid;
#[cfg(test)]
mod tests;

pub use edges::{Edges, KERNELS, KickEdges, TouchEdges};
pub use solid::{Solid, SolidKind};

use crate::small::Symmetric;
use glam::Vec3;
use rxmesh_kernels::math::sqrt;
use rxmesh_kernels::mem::Global;

rxmesh_kernels::args! {
    /// Solids that bodies touch.
    pub struct Contacts {
        /// Solids at the end of the step.
        pub solids: Global<Solid>,
        /// Distances of all grids.
        pub grids: Global<f32>,
        /// Slip below which friction is smooth, in metres per second.
        pub slip: f32,
    }
}

/// Contact response of a vertex per unit of mass: derivatives with respect to its displacement over the step.
#[derive(Clone, Copy, Debug)]
pub struct Touch {
    /// Energy in joules per kilogram.
    pub energy: f32,
    /// Minus the gradient: an acceleration.
    pub force: Vec3,
    /// Second derivatives, positive semi-definite.
    pub hessian: Symmetric,
}

/// Returns the penalty of a depth, and its first and second derivative.
#[inline(always)]
fn penalty(depth: f32, h: f32) -> (f32, f32, f32) {
    if depth <= 0.0 {
        (0.0, 0.0, 0.0)
    } else if depth < h {
        let r = depth / h;
        (depth * depth * r / 6.0, 0.5 * depth * r, r)
    } else {
        let rest = depth - 0.5 * h;
        (0.5 * depth * (depth - h) + h * h / 6.0, rest, 1.0)
    }
}

/// Returns `m + a n n^T + b (I - n n^T)`.
#[inline(always)]
fn add(m: Symmetric, a: f32, n: Vec3, b: f32) -> Symmetric {
    let c = a - b;
    [
        m[0] + c * n.x * n.x + b,
        m[1] + c * n.y * n.y + b,
        m[2] + c * n.z * n.z + b,
        m[3] + c * n.x * n.y,
        m[4] + c * n.x * n.z,
        m[5] + c * n.y * n.z,
    ]
}

impl Contacts {
    /// Computes the response of all solids to a vertex that was at `start` and is displaced by `u`, in an implicit step
    /// of `dt`.
    #[inline(always)]
    pub fn touch(&self, start: Vec3, u: Vec3, dt: f32) -> Touch {
        let mut all = Touch {
            energy: 0.0,
            force: Vec3::ZERO,
            hessian: [0.0; 6],
        };
        let mut i = 0;
        while i < self.solids.len() {
            let solid = self.solids.get(i);
            let (distance, n) = solid.distance(start + u, self.grids);
            let (e, de, dde) = penalty(solid.thickness - distance, solid.thickness);
            let k = solid.stiffness;
            all.energy += k * e;
            all.force += n * (k * de);
            all.hessian = add(all.hessian, k * dde, n, 0.0);
            let (distance, n) = solid.distance(start, self.grids);
            let (_, pressed, _) = penalty(solid.thickness - distance, solid.thickness);
            let most = solid.friction * k * pressed;
            if most > 0.0 {
                let slip = u - solid.speed(start) * dt;
                let slip = slip - n * n.dot(slip);
                let (e, over) = friction(slip, self.slip * dt);
                all.energy += most * e;
                all.force -= slip * (most * over);
                all.hessian = add(all.hessian, 0.0, n, most * over);
            }
            i += 1;
        }
        all
    }

    /// Returns the velocity of a vertex at `x` after an explicit step of `dt` that would give it velocity `v` without
    /// contact.
    #[inline(always)]
    pub fn push(&self, x: Vec3, mut v: Vec3, dt: f32) -> Vec3 {
        let mut i = 0;
        while i < self.solids.len() {
            let solid = self.solids.get(i);
            let (distance, n) = solid.distance(x, self.grids);
            let (_, de, _) = penalty(solid.thickness - distance, solid.thickness);
            let kick = solid.stiffness * de * dt;
            if kick > 0.0 {
                v += n * kick;
                let slip = v - solid.speed(x);
                let slip = slip - n * n.dot(slip);
                let size = sqrt(slip.dot(slip));
                let most = solid.friction * kick;
                v -= if size > most {
                    slip * (most / size)
                } else {
                    slip
                };
            }
            i += 1;
        }
        v
    }

    /// Returns the displacement of a vertex by a solid in an implicit step of `dt`: the solution of `move = dt^2 k
    /// s'(depth) n`, with friction. The vertex is at `x` now, `old` of which is the displacement by the same solid so
    /// far; it was at `start`.
    #[inline(always)]
    pub fn press(&self, solid: &Solid, x: Vec3, start: Vec3, old: Vec3, dt: f32) -> Vec3 {
        let (distance, n) = solid.distance(x, self.grids);
        let (h, k) = (solid.thickness, solid.stiffness * dt * dt);
        // Depth without the solid's displacement.
        let deep = h - distance + n.dot(old);
        if deep <= 0.0 {
            return Vec3::ZERO;
        }
        let left = 2.0 * deep / (1.0 + sqrt(1.0 + 2.0 * k * deep / h));
        let push = if left < h {
            deep - left
        } else {
            k / (1.0 + k) * (deep - 0.5 * h)
        };
        let slip = x - old - start - solid.speed(start) * dt;
        let slip = slip - n * n.dot(slip);
        let (size, most) = (sqrt(slip.dot(slip)), solid.friction * push);
        let held = if size > most { most / size } else { 1.0 };
        n * push - slip * held
    }

    /// Returns the contact energy of a vertex at `x` without friction, in joules per kilogram.
    #[inline(always)]
    pub fn energy(&self, x: Vec3) -> f32 {
        let mut sum = 0.0;
        let mut i = 0;
        while i < self.solids.len() {
            let solid = self.solids.get(i);
            let (distance, _) = solid.distance(x, self.grids);
            sum += solid.stiffness * penalty(solid.thickness - distance, solid.thickness).0;
            i += 1;
        }
        sum
    }
}

/// Returns the smoothed length of a slip, and its derivative divided by the length.
#[inline(always)]
fn friction(slip: Vec3, smooth: f32) -> (f32, f32) {
    let y = sqrt(slip.dot(slip));
    if y < smooth {
        let r = y / smooth;
        (y * r * (1.0 - r / 3.0) + smooth / 3.0, (2.0 - r) / smooth)
    } else {
        (y, 1.0 / y)
    }
}
