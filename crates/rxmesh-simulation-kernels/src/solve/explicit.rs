//! Symplectic Euler: a step is the forces of the cells, then this kernel.

use crate::assemble::SplitSums;
use crate::contact::Contacts;
use glam::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_explicit: Explicit;
    flat sim_collect: Collect;
}

kernel! {
    /// Computes `v += dt (f / m + g)`, drag and contact, then `x += dt v`. Pinned vertices keep their velocity.
    pub struct Explicit: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
        /// Forces of the cells.
        pub force: SplitSums,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Velocity changes by contact of edges; empty for none.
        pub kicks: Global<Vec3>,
        /// Acceleration of all free vertices.
        pub gravity: Vec3,
        /// Deceleration divided by velocity, in one over seconds; implicit.
        pub drag: f32,
        /// The time step.
        pub dt: f32,
    }
}

// SAFETY: an index accesses its own vertex; launches are as long as the arrays (contracts U3, U4).
unsafe impl FlatKernel for Explicit {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (x, mut v, w) = (self.x.get(i), self.v.get(i), self.inverse_mass.get(i));
        if w > 0.0 {
            let force = Vec3::from_array(self.force.total(i));
            v += (force * w + self.gravity) * self.dt;
            v *= 1.0 / (1.0 + self.drag * self.dt);
            if !self.kicks.is_empty() {
                v += self.kicks.get(i);
            }
            v = self.contacts.push(x, v, self.dt);
            self.v.set(i, v);
        }
        self.x.set(i, x + v * self.dt);
    }
}

kernel! {
    /// Adds up the parts of the sums of vertices, three words each.
    pub struct Collect: Flat {
        /// The sums in parts.
        pub from: SplitSums,
        /// The sums.
        pub to: GlobalMut<Vec3>,
    }
}

// SAFETY: an index writes its own vertex; launches are as long as the array (contracts U3, U4).
unsafe impl FlatKernel for Collect {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, Vec3::from_array(self.from.total(i)));
    }
}
