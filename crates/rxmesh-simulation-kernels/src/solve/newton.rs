//! Implicit Euler as minimisation of the incremental potential, the sum of inertia, elasticity and contact, over the
//! displacement `u` of a step (Martin et al. 2011). Newton's method with conjugate gradients (Shewchuk 1994, appendix
//! B3), preconditioned by the inverse 3 by 3 diagonal blocks, and a line search that halves the step until the energy
//! falls.
//!
//! All scalars stay on the engine: the host launches a fixed number of iterations without waiting, and launches after
//! convergence do nothing.

use crate::assemble::SplitSums;
use crate::body::{finish, share};
use crate::contact::Contacts;
use crate::energy::{Model, energy_kernels};
use crate::force::{NEEDS, energy};
use crate::material::Materials;
use crate::small::{Symmetric, inverse, times};
use crate::solve::linearise::SUMS;
use crate::staged::{BodyPositions, Staged};
use core::marker::PhantomData;
use glam::Vec3;
use rxmesh_kernels::algebra::cg::{self, CgSums};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel, PatchKernel};
use rxmesh_kernels::mem::{Bind, Global, GlobalMut, Piece, Plan, Shared};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader, Vertex};

energy_kernels!(trials {
    flat sim_newton_start: Start;
    flat sim_newton_stay: Stay;
    block sim_newton_begin: Begin;
    block sim_newton_step: Step;
    block sim_newton_move: Move;
    flat sim_newton_end: End;
});

/// Indices of the solver's scalars, which are `f64`: those of conjugate gradients ([`cg::Scalar`]), then these.
#[derive(Clone, Copy, Debug)]
#[repr(u32)]
pub enum NewtonScalar {
    /// Weight of the old direction.
    Beta = cg::Scalar::Beta as u32,
    /// Step length of conjugate gradients.
    Alpha = cg::Scalar::Alpha as u32,
    /// Squared relative tolerance of conjugate gradients.
    LinearTolerance2 = cg::Scalar::Tolerance2 as u32,
    /// Nonzero when Newton's method has finished.
    Stopped = 9,
    /// Energy, in joules.
    Energy = 10,
    /// Energy before the first iteration.
    Energy0 = 11,
    /// Step length along the direction.
    Length = 12,
    /// Nonzero when a step length is found.
    Accepted = 13,
    /// Number of Newton iterations.
    Iterations = 14,
    /// Squared gradient before the first iteration.
    Norm0 = 15,
    /// Squared gradient.
    Norm = 16,
    /// Nonzero when a value is not finite.
    Failed = 17,
    /// Squared relative tolerance of the gradient.
    Tolerance2 = 18,
    /// Total number of iterations of conjugate gradients.
    Linear = 19,
}

/// Number of scalars.
pub const SCALARS: usize = 20;

/// Solver's scalars in global memory.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Newton(pub GlobalMut<f64>);

// SAFETY: one view.
unsafe impl Bind for Newton {
    #[inline(always)]
    fn bind(&self) {
        self.0.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller upholds the contract.
        unsafe { self.0.visit(resolve) }
    }
}

impl Newton {
    /// Returns the value of a scalar.
    #[inline(always)]
    pub fn get(self, s: NewtonScalar) -> f64 {
        self.0.get(s as u32)
    }

    /// Sets a scalar.
    #[inline(always)]
    pub fn set(self, s: NewtonScalar, v: f64) {
        self.0.set(s as u32, v);
    }

    /// Returns `true` if a scalar is not zero.
    #[inline(always)]
    pub fn is(self, s: NewtonScalar) -> bool {
        self.get(s) != 0.0
    }
}

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
    fn force(&self, v: u32, u: Vec3) -> (Vec3, Symmetric) {
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
    fn energy(&self, v: u32, u: Vec3) -> f64 {
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

/// Number of vertices per block of [`Begin`], [`Step`] and [`Move`].
pub const VERTICES: u32 = 256;

/// Returns the first vertex and the number of vertices of a block.
#[inline(always)]
fn range(block: u32, all: u32) -> (u32, u32) {
    share::<VERTICES>(block, all)
}

#[inline(always)]
fn dot(a: Vec3, b: Vec3) -> f64 {
    f64::from(a.x) * f64::from(b.x)
        + f64::from(a.y) * f64::from(b.y)
        + f64::from(a.z) * f64::from(b.z)
}

kernel! {
    /// Computes the residual and the preconditioner from the cells' sums and the other forces; then tests the
    /// convergence of Newton's method.
    pub struct Begin: Block {
        /// Forces and blocks of the cells.
        pub cells: SplitSums,
        /// Forces other than those of cells.
        pub inertia: Inertia,
        /// The displacement.
        pub u: Global<Vec3>,
        /// The residual: the force.
        pub r: GlobalMut<Vec3>,
        /// The preconditioned residual.
        pub z: GlobalMut<Vec3>,
        /// Change of the displacement; set to zero.
        pub change: GlobalMut<Vec3>,
        /// Old direction; set to zero.
        pub direction: GlobalMut<Vec3>,
        /// Inverse diagonal blocks; zero for pinned vertices.
        pub inverse: GlobalMut<Symmetric>,
        /// Contributions of mass and contact to the diagonal.
        pub diagonal: GlobalMut<Symmetric>,
        /// One part per block of the dot products.
        pub dots: CgSums,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Begin {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = Newton(self.dots.scalars.0);
        if state.is(NewtonScalar::Stopped) {
            return;
        }
        let (first, n) = range(block, self.u.len());
        // Separate from the sums, whose body the device compiler would otherwise call from two places.
        b.each(n, |i| self.vertex(first + i));
        let load = |i: u32| (self.r.get(first + i), self.z.get(first + i));
        let parts = b.sum2(n, scratch, load, |_, (r, z)| (dot(r, z), dot(r, r)));
        self.dots
            .finish(b, block, scratch, true, parts, |s, rz, rr| {
                s.set(cg::Scalar::Delta, rz);
                s.set(cg::Scalar::Norm, rr);
                s.set(cg::Scalar::Norm0, rr);
                s.set(cg::Scalar::Beta, 0.0);
                s.set(cg::Scalar::Iterations, 0.0);
                if state.get(NewtonScalar::Iterations) == 0.0 {
                    state.set(NewtonScalar::Norm0, rr);
                }
                state.set(NewtonScalar::Norm, rr);
                let target = state.get(NewtonScalar::Tolerance2) * state.get(NewtonScalar::Norm0);
                let solvable = rr > 0.0 && rr < f64::INFINITY;
                let solved = rr < target;
                if !solvable || solved {
                    state.set(NewtonScalar::Stopped, 1.0);
                }
                // Zero is solved; NaN cannot be.
                if rr.is_nan() || rr == f64::INFINITY {
                    state.set(NewtonScalar::Failed, 1.0);
                }
                s.set(cg::Scalar::Done, if solvable { 0.0 } else { 1.0 });
            });
    }
}

impl Begin {
    /// Sets all values of a vertex.
    #[inline(always)]
    fn vertex(&self, v: u32) {
        let free = self.inertia.inverse_mass.get(v) > 0.0;
        let [fx, fy, fz, k @ ..]: [f32; SUMS] = self.cells.total(v);
        let (force, on) = self.inertia.force(v, self.u.get(v));
        let sum = [
            k[0] + on[0],
            k[1] + on[1],
            k[2] + on[2],
            k[3] + on[3],
            k[4] + on[4],
            k[5] + on[5],
        ];
        let (r, inverse) = if free {
            (force + Vec3::new(fx, fy, fz), inverse(sum))
        } else {
            (Vec3::ZERO, [0.0; 6])
        };
        let z = times(inverse, r);
        self.r.set(v, r);
        self.z.set(v, z);
        self.change.set(v, Vec3::ZERO);
        self.direction.set(v, Vec3::ZERO);
        self.inverse.set(v, inverse);
        self.diagonal.set(v, on);
    }
}

kernel! {
    /// Computes `change += alpha d`, `r -= alpha q`, `z` from `r`; then `beta`, and tests the convergence of conjugate
    /// gradients.
    pub struct Step: Block {
        /// The change of the displacement.
        pub change: GlobalMut<Vec3>,
        /// The residual.
        pub r: GlobalMut<Vec3>,
        /// The preconditioned residual.
        pub z: GlobalMut<Vec3>,
        /// The direction.
        pub d: Global<Vec3>,
        /// The product.
        pub q: SplitSums,
        /// Inverse diagonal blocks.
        pub inverse: Global<Symmetric>,
        /// One part per block of the dot products.
        pub dots: CgSums,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Step {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = Newton(self.dots.scalars.0);
        if self.dots.scalars.done() || state.is(NewtonScalar::Stopped) {
            return;
        }
        let alpha = state.get(NewtonScalar::Alpha) as f32;
        let (first, n) = range(block, self.d.len());
        let parts = b.sum2(
            n,
            scratch,
            |i| self.inverse.get(first + i),
            |i, inverse| {
                let v = first + i;
                // Only pinned vertices have a zero block.
                if inverse[0] == 0.0 {
                    return (0.0, 0.0);
                }
                let q = Vec3::from_array(self.q.total(v));
                self.change
                    .set(v, self.change.get(v) + self.d.get(v) * alpha);
                let r = self.r.get(v) - q * alpha;
                let z = times(inverse, r);
                self.r.set(v, r);
                self.z.set(v, z);
                (dot(r, z), dot(r, r))
            },
        );
        self.dots.beta(b, block, scratch, parts);
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

rxmesh_kernels::args! {
    /// Computes the energy at `u + length * change` and accepts the length if it has fallen; or, to begin, the energy
    /// at `u`.
    pub struct Trial<E> {
        /// Positions of the body; `add` is the displacement.
        pub places: BodyPositions,
        /// The change of the displacement.
        pub change: Global<Vec3>,
        /// Step length; 0 to begin.
        pub length: f32,
        /// Materials of its cells.
        pub materials: Materials,
        /// Forces other than those of cells.
        pub inertia: Inertia,
        /// One part per patch.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The solver's state.
        pub state: Newton,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

// SAFETY: a patch writes its part of the sum; ids are the mesh's (contracts U1 to U4).
unsafe impl<E: Model> PatchKernel for Trial<E> {
    const THREADS: u32 = crate::assemble::THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = (Staged, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (self.places.carve(h, plan), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (staged, scratch): &Self::Tables) {
        let state = self.state;
        if state.is(NewtonScalar::Stopped) || state.is(NewtonScalar::Accepted) {
            return;
        }
        let (base, first) = (patch.base::<Cell>(), patch.base::<Vertex>());
        b.phase(|p| {
            self.places
                .load_moved(p, patch, staged, self.change, self.length)
        });
        let cells = b.sum(patch.owned::<Cell>(), *scratch, |c| {
            let at = self.places.edges64(staged, patch.cell_vertices(c));
            energy::<E>(&self.materials, base + c, at)
        });
        let vertices = b.sum(patch.owned::<Vertex>(), *scratch, |v| {
            if self.inertia.inverse_mass.get(first + v) > 0.0 {
                self.inertia.energy(first + v, self.places.added(staged, v))
            } else {
                0.0
            }
        });
        let part = cells / f64::from(self.places.scale) + vertices;
        let (partials, arrived) = (self.partials, self.arrived);
        finish(b, patch.id(), *scratch, partials, arrived, part, |sum| {
            self.judge(sum)
        });
    }
}

impl<E: Model> Trial<E> {
    /// Accepts the length if the energy has fallen. That of contact is rounded to 32 bits.
    #[inline(always)]
    fn judge(&self, sum: f64) {
        let state = self.state;
        let finite = sum > f64::NEG_INFINITY && sum < f64::INFINITY;
        if self.length == 0.0 {
            state.set(NewtonScalar::Energy, sum);
            state.set(NewtonScalar::Energy0, sum);
            if !finite {
                state.set(NewtonScalar::Failed, 1.0);
                state.set(NewtonScalar::Stopped, 1.0);
            }
            return;
        }
        let rounding = if self.inertia.contacts.solids.is_empty() {
            1e-12
        } else {
            1e-7
        };
        let most = state.get(NewtonScalar::Energy);
        let size = if most < 0.0 { -most } else { most };
        if finite && sum <= most + rounding * size {
            state.set(NewtonScalar::Energy, sum);
            state.set(NewtonScalar::Length, self.length.into());
            state.set(NewtonScalar::Accepted, 1.0);
        }
    }
}

kernel! {
    /// Adds the change to the displacement, times the length that was found; without one Newton's method has finished,
    /// except before the first iteration.
    pub struct Move: Block {
        /// The displacement.
        pub u: GlobalMut<Vec3>,
        /// Change of the displacement.
        pub change: Global<Vec3>,
        /// One element per block.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The solver's state.
        pub state: Newton,
        /// 1 before the first iteration, else 0.
        pub begin: u32,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Move {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let state = self.state;
        if state.is(NewtonScalar::Stopped) {
            return;
        }
        let (first, n) = range(block, self.u.len());
        let (found, length) = (
            state.is(NewtonScalar::Accepted),
            state.get(NewtonScalar::Length) as f32,
        );
        if found {
            b.each(n, |i| {
                let v = first + i;
                self.u.set(v, self.u.get(v) + self.change.get(v) * length);
            });
        }
        finish(b, block, scratch, self.partials, self.arrived, 0.0, |_| {
            state.set(NewtonScalar::Accepted, 0.0);
            if self.begin != 0 {
                state.set(NewtonScalar::Energy0, state.get(NewtonScalar::Energy));
                return;
            }
            state.set(
                NewtonScalar::Iterations,
                state.get(NewtonScalar::Iterations) + 1.0,
            );
            let linear = self.state.0.get(cg::Scalar::Iterations as u32);
            state.set(
                NewtonScalar::Linear,
                state.get(NewtonScalar::Linear) + linear,
            );
            if !found {
                state.set(NewtonScalar::Stopped, 1.0);
            }
        });
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

rxmesh_kernels::hashed! { [] Newton }
