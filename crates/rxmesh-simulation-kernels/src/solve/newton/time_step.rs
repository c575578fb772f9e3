//! Beginning and end of a time step.

use super::inertia::Inertia;
use super::state::{Newton, NewtonScalar, SCALARS};
use glam::Vec3;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel! {
    /// Sets the first displacement to that without forces; pinned vertices move to their targets. Sets the first change
    /// to that by gravity, for a trial of it as a better start.
    pub struct Start: Flat {
        /// Forces other than those of cells.
        pub inertia: Inertia,
        /// The displacement.
        pub u: GlobalMut<Vec3>,
        /// Change of the displacement.
        pub change: GlobalMut<Vec3>,
        /// Solver's state, which is set.
        pub state: Newton,
        /// Squared relative tolerance of the gradient.
        pub tolerance2: f64,
        /// Squared relative tolerance of conjugate gradients.
        pub linear_tolerance2: f64,
    }
}

// SAFETY: an index accesses its own vertex, the first one the scalars; launches are as long as the arrays (contracts
// U3, U4).
unsafe impl FlatKernel for Start {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (free, dt) = (self.inertia.inverse_mass.get(i) > 0.0, self.inertia.dt);
        let fall = self.inertia.gravity * dt * dt;
        self.u.set(i, self.inertia.v.get(i) * dt);
        self.change.set(i, if free { fall } else { Vec3::ZERO });
        if i == 0 {
            let mut k = 1;
            while k < SCALARS as u32 {
                self.state.0.set(k, 0.0);
                k += 1;
            }
            self.state.set(NewtonScalar::Tolerance2, self.tolerance2);
            self.state
                .set(NewtonScalar::LinearTolerance2, self.linear_tolerance2);
        }
    }
}

kernel! {
    /// Sets the change that brings free vertices back to the start of the step, for a trial of it as a better start:
    /// the free displacement can give stiff cells far more energy than the body has.
    pub struct Stay: Flat {
        /// The displacement.
        pub u: Global<Vec3>,
        /// Change of the displacement.
        pub change: GlobalMut<Vec3>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
    }
}

// SAFETY: an index writes its own vertex; launches are as long as the arrays (contracts U3, U4).
unsafe impl FlatKernel for Stay {
    #[inline(always)]
    fn run(&self, i: u32) {
        let free = self.inverse_mass.get(i) > 0.0;
        self.change
            .set(i, if free { -self.u.get(i) } else { Vec3::ZERO });
    }
}

kernel! {
    /// Sets positions and velocities at the end of the step, unless a value is not finite.
    pub struct End: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// One over the mass; 0 for pinned vertices.
        pub inverse_mass: Global<f32>,
        /// The displacement.
        pub u: Global<Vec3>,
        /// The solver's state.
        pub state: Newton,
        /// The time step.
        pub dt: f32,
    }
}

// SAFETY: an index accesses its own vertex; launches are as long as the arrays (contracts U3, U4).
unsafe impl FlatKernel for End {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.state.is(NewtonScalar::Failed) {
            return;
        }
        let u = self.u.get(i);
        self.x.set(i, self.x.get(i) + u);
        if self.inverse_mass.get(i) > 0.0 {
            self.v.set(i, u * (1.0 / self.dt));
        }
    }
}
