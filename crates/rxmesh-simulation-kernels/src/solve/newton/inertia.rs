//! Forces other than those of cells.

use crate::contact::Contacts;
use crate::small::Symmetric;
use glam::Vec3;
use rxmesh_kernels::mem::Global;

rxmesh_kernels::args! {
    /// Inertia, gravity, drag and contact of vertices: all forces but those of cells.
    pub struct Inertia {
        /// Positions at the start of the step.
        pub x: Global<Vec3>,
        /// Velocities at the start of the step.
        pub v: Global<Vec3>,
        /// Masses.
        pub mass: Global<f32>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Contact response of edges on each vertex, as computed by [`TouchEdges`](crate::contact::TouchEdges); empty
        /// for none.
        pub edges: Global<[f32; 10]>,
        /// Acceleration of all free vertices.
        pub gravity: Vec3,
        /// Deceleration divided by velocity, in one over seconds.
        pub drag: f32,
        /// The time step.
        pub dt: f32,
    }
}

impl Inertia {
    /// Returns the force of inertia, drag and contact on a vertex, and minus its derivative.
    #[inline(always)]
    pub(super) fn force(&self, v: u32, u: Vec3) -> (Vec3, Symmetric) {
        let (m, rate) = (self.mass.get(v), 1.0 / self.dt);
        let (on, drag) = (rate * rate, self.drag * rate);
        let touch = self.contacts.touch(self.x.get(v), u, self.dt);
        let push = self.gravity + self.v.get(v) * rate;
        let force = touch.force + push - u * (on + drag);
        let h = touch.hessian;
        let most = on + drag;
        let hessian = [h[0] + most, h[1] + most, h[2] + most, h[3], h[4], h[5]];
        let (force, hessian) = (force * m, hessian.map(|x| x * m));
        if self.edges.is_empty() {
            return (force, hessian);
        }
        let [_, x, y, z, a, b, c, d, e, f] = self.edges.get(v);
        let h = hessian;
        let hessian = [h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e, h[5] + f];
        (force + Vec3::new(x, y, z), hessian)
    }

    /// Returns the energy of inertia, drag and contact of a vertex, relative to that of no displacement: for long steps
    /// the latter is so large that no digits of the rest would be left in 64 bits.
    #[inline(always)]
    pub(super) fn energy(&self, v: u32, u: Vec3) -> f64 {
        let rate = 1.0 / f64::from(self.dt);
        let touch = self.contacts.touch(self.x.get(v), u, self.dt);
        let push = self.gravity.as_dvec3() + self.v.get(v).as_dvec3() * rate;
        let u = u.as_dvec3();
        let moved = 0.5 * rate * (rate + f64::from(self.drag)) * u.length_squared();
        let joules = f64::from(self.mass.get(v)) * (moved - u.dot(push) + f64::from(touch.energy));
        if self.edges.is_empty() {
            return joules;
        }
        let [energy, ..] = self.edges.get(v);
        joules + f64::from(energy)
    }
}
