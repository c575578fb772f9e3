//! The beginning and the end of a step of implicit Euler, whatever finds the positions in between.

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
    /// Moves vertices to where they would go without forces between them. Pinned ones go on at their velocity.
    pub struct Predict: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: Global<Vec3>,
        /// What was in `x`.
        pub before: GlobalMut<Vec3>,
        /// A copy of what is in `x` afterwards; empty when it is not wanted.
        pub target: GlobalMut<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// What contact of edges adds to velocities; empty for nothing.
        pub kicks: Global<Vec3>,
        /// Acceleration of vertices that are not pinned, in m/s^2.
        pub gravity: Vec3,
        /// Time step, in s.
        pub dt: f32,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views have room for (contracts
// U3, U4).
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
    /// Presses vertices out of what they touch, once an iteration: a solid after the other, each anew from what it has
    /// moved a vertex by in this step so far, so that iterations go on to the step of implicit Euler.
    pub struct Press: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Where vertices are pulled to, which moves with them; empty for nothing.
        pub target: GlobalMut<Vec3>,
        /// Positions before the step.
        pub before: Global<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// What bodies touch.
        pub contacts: Contacts,
        /// What each solid has moved each vertex by: all vertices of the first, then of the next.
        pub moved: GlobalMut<Vec3>,
        /// Time step, in s.
        pub dt: f32,
    }
}

// SAFETY: as `Predict`; there is room for each solid's moves.
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
    /// `x += change`, word by word.
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
    /// Velocities from how far the vertices have come. Pinned ones keep theirs.
    pub struct Follow: Flat {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions before the step.
        pub before: Global<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// One over the time step, times what damping leaves of the velocity.
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
