//! Beginning and end of a step of implicit Euler, shared by the solvers that find the positions in between.

use crate::contact::Contacts;
use rxmesh_kernels::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat sim_predict: Predict;
    flat sim_press: Press;
    flat sim_add: Add;
    flat sim_follow: Follow;
}

kernel! {
    /// Moves vertices to their positions without forces between them. Pinned ones follow their velocity.
    pub struct Predict: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: Global<Vec3>,
        /// Receives the old positions.
        pub before: GlobalMut<Vec3>,
        /// Receives a copy of the new positions; empty if not needed.
        pub target: GlobalMut<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// Velocity changes by contact of edges; empty for none.
        pub kicks: Global<Vec3>,
        /// Acceleration of vertices that are not pinned, in m/s^2.
        pub gravity: Vec3,
        /// Time step, in s.
        pub dt: f32,
    }
}

// SAFETY: indices of one launch write disjoint elements; the host launches no more of them than the views can hold
// (contracts U3, U4).
unsafe impl FlatKernel for Predict {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (x, mut v) = (self.x.get(i), self.v.get(i));
        if self.inverse_mass.get(i) > 0.0 {
            if !self.kicks.is_empty() {
                v += self.kicks.get(i);
            }
            v += self.gravity * self.dt;
        }
        let to = x + v * self.dt;
        self.before.set(i, x);
        self.x.set(i, to);
        if !self.target.is_empty() {
            self.target.set(i, to);
        }
    }
}

kernel! {
    /// Projects vertices out of solids, once per iteration: one solid after the other, each from its own displacement
    /// of the vertex in this step so far, so that iterations converge to the step of implicit Euler.
    pub struct Press: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Target positions, which are displaced with the vertices; empty for none.
        pub target: GlobalMut<Vec3>,
        /// Positions before the step.
        pub before: Global<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Displacement of each vertex by each solid: all vertices of the first, then of the next.
        pub moved: GlobalMut<Vec3>,
        /// Time step, in s.
        pub dt: f32,
    }
}

// SAFETY: as `Predict`; `moved` has an element for each solid and vertex.
unsafe impl FlatKernel for Press {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.inverse_mass.get(i) <= 0.0 {
            return;
        }
        let (from, start, n) = (self.x.get(i), self.before.get(i), self.before.len());
        let (mut x, mut solid) = (from, 0);
        while solid < self.contacts.solids.len() {
            let (of, at) = (self.contacts.solids.get(solid), solid * n + i);
            let old = self.moved.get(at);
            let new = self.contacts.press(&of, x, start, old, self.dt);
            self.moved.set(at, new);
            x += new - old;
            solid += 1;
        }
        self.x.set(i, x);
        if !self.target.is_empty() {
            self.target.set(i, self.target.get(i) + (x - from));
        }
    }
}

kernel! {
    /// Computes `x += change`, word by word.
    pub struct Add: Flat {
        /// Positions.
        pub x: GlobalMut<f32>,
        /// The change.
        pub change: Global<f32>,
    }
}

// SAFETY: as `Predict`.
unsafe impl FlatKernel for Add {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.x.set(i, self.x.get(i) + self.change.get(i));
    }
}

kernel! {
    /// Computes velocities from the displacements of the vertices. Pinned ones keep theirs.
    pub struct Follow: Flat {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions before the step.
        pub before: Global<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// One over the time step, times the damping factor of the velocity.
        pub rate: f32,
    }
}

// SAFETY: as `Predict`.
unsafe impl FlatKernel for Follow {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.inverse_mass.get(i) > 0.0 {
            self.v
                .set(i, (self.x.get(i) - self.before.get(i)) * self.rate);
        }
    }
}
