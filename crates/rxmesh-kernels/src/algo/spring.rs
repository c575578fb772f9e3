//! Mass-spring systems: every edge is a spring (MeshTaichi 2022, section 8.1). Explicit steps gather forces over VV or
//! scatter them over EV; the implicit step is Baraff and Witkin's ("Large steps in cloth simulation", 1998, sections 3 and
//! 5.2) with its 3 by 3 blocks computed at each product instead of stored.

use crate::algo::cg::{CgSums, CgVector, Scalar, Scalars};
use crate::attr::{Field, Read, Staged, StagedSum, Write};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, FlatKernel, ForEach, PatchKernel, Scatter};
use crate::math::length;
use crate::mem::{Bind, Global, GlobalMut, Plan, Shared};
use crate::query::{EV, Neighbours, Prepared, PreparedTable, VV};
use crate::topo::{Edge, Local, Owned, Patch, PatchHeader, Vertex};
use glam::Vec3;

/// The system's constants.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Constants {
    /// Acceleration of free vertices, in length over squared time.
    pub gravity: Vec3,
    /// Force of a spring over its elongation.
    pub stiffness: f32,
    /// Mass of a vertex.
    pub mass: f32,
    /// Drag: deceleration over velocity, in one over time.
    pub damping: f32,
    /// Time step.
    pub dt: f32,
}
impl Bind for Constants {}
impl Field for Constants {}

/// The direction of a spring and its length; zero when both ends coincide.
#[inline(always)]
fn direction(d: Vec3) -> (Vec3, f32) {
    let l = length(d);
    if l > 0.0 {
        (d * (1.0 / l), l)
    } else {
        (Vec3::ZERO, 0.0)
    }
}

/// The force on the end `a` of a spring `a b`, over its stiffness.
#[inline(always)]
fn pull(a: Vec3, b: Vec3, rest: f32) -> Vec3 {
    let (n, l) = direction(b - a);
    n * (l - rest)
}

/// A spring's stiffness block times a vector, over its stiffness. A compressed spring resists along itself only, which
/// keeps the matrix positive definite.
#[inline(always)]
fn block(a: Vec3, b: Vec3, rest: f32, u: Vec3) -> Vec3 {
    let (n, l) = direction(b - a);
    let along = n * n.dot(u);
    let across = if l > rest { 1.0 - rest / l } else { 0.0 };
    along + (u - along) * across
}

impl Constants {
    /// Velocity after a step under a force, with the drag taken implicitly.
    #[inline(always)]
    fn faster(&self, v: Vec3, force: Vec3) -> Vec3 {
        (v + (force * (1.0 / self.mass) + self.gravity) * self.dt)
            * (1.0 / (1.0 + self.damping * self.dt))
    }
}

kernel! {
    /// One semi-implicit Euler step, forces gathered: new velocities, then new positions with them.
    pub struct SpringGather: ForEach<VV> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Not zero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// Velocities.
        pub v: Write<Vertex, Vec3>,
        /// New positions.
        pub y: Write<Vertex, Vec3>,
        /// The system's constants.
        pub constants: Constants,
    }
}

impl ForEach<VV> for SpringGather {
    #[inline(always)]
    fn run(&self, e: Owned<Vertex>, ring: Neighbours<VV>) {
        let (x, rest) = (self.x.get(e.any()), self.rest.get(e.any()));
        if self.fixed.get(e) != 0 {
            self.v.set(e, Vec3::ZERO);
            self.y.set(e, x);
            return;
        }
        let mut force = Vec3::ZERO;
        for w in ring.iter() {
            force += pull(x, self.x.get(w), length(self.rest.get(w) - rest));
        }
        let v = self
            .constants
            .faster(self.v.get(e), force * self.constants.stiffness);
        self.v.set(e, v);
        self.y.set(e, x + v * self.constants.dt);
    }
}

kernel! {
    /// The springs' forces over their stiffness, each spring computed once and scattered to its two ends.
    pub struct SpringScatter: Scatter<EV> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Forces.
        pub force: StagedSum<Vertex, Vec3>,
    }
}

impl Scatter<EV> for SpringScatter {
    #[inline(always)]
    fn run(&self, _e: Local<Edge>, ends: Neighbours<EV>) {
        let (a, b) = (ends.get(0), ends.get(1));
        let f = pull(
            self.x.get(a),
            self.x.get(b),
            length(self.rest.get(b) - self.rest.get(a)),
        );
        self.force.add(a, f);
        self.force.add(b, -f);
    }
}

kernel! {
    /// One semi-implicit Euler step from forces.
    pub struct SpringIntegrate: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Forces over the stiffness.
        pub force: Global<Vec3>,
        /// Not zero for vertices that stay.
        pub fixed: Global<u32>,
        /// The system's constants.
        pub constants: Constants,
    }
}

impl FlatKernel for SpringIntegrate {
    #[inline(always)]
    fn run(&self, i: u32) {
        if self.fixed.get(i) != 0 {
            self.v.set(i, Vec3::ZERO);
            return;
        }
        let v = self
            .constants
            .faster(self.v.get(i), self.force.get(i) * self.constants.stiffness);
        self.v.set(i, v);
        self.x.set(i, self.x.get(i) + v * self.constants.dt);
    }
}

kernel! {
    /// Begins an implicit step: stops the fixed vertices, and makes the solver ready.
    pub struct SpringBegin: Flat {
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Changes of the velocities, set to zero.
        pub change: GlobalMut<Vec3>,
        /// The solver's old direction, set to zero: what it holds is multiplied by zero, so it must be finite.
        pub direction: GlobalMut<Vec3>,
        /// Not zero for vertices that stay.
        pub fixed: Global<u32>,
        /// The solver's scalars.
        pub scalars: Scalars,
        /// Squared relative tolerance.
        pub tolerance2: f64,
    }
}

impl FlatKernel for SpringBegin {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.change.set(i, Vec3::ZERO);
        self.direction.set(i, Vec3::ZERO);
        if self.fixed.get(i) != 0 {
            self.v.set(i, Vec3::ZERO);
        }
        if i == 0 {
            self.scalars.set(Scalar::Tolerance2, self.tolerance2);
        }
    }
}

kernel! {
    /// `q = A d` with `A = (1 + dt c) m + dt^2 K`; or, to start the solver, `q` = the right hand side, from the velocities.
    /// Fixed vertices have zero rows.
    pub struct SpringProduct: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// The vector to multiply; to start, the velocities.
        pub d: CgVector,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Not zero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// The product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// The dot products.
        pub sums: CgSums,
        /// The system's constants.
        pub constants: Constants,
    }
}

impl PatchKernel for SpringProduct {
    const THREADS: u32 = 128;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        Fields::carve(self, h, plan);
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        if self.d.done() {
            return;
        }
        b.phase(|p| self.load(p, patch));
        let (start, vv) = (self.d.start != 0, self.vv.table(patch));
        let base = patch.base::<Vertex>();
        let product = b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let row = if self.fixed.get(patch.own::<Vertex>(v)) != 0 {
                Vec3::ZERO
            } else if start {
                self.right_hand_side(vv, v)
            } else {
                self.row(vv, v)
            };
            self.q.set(base + v, row);
            let other = if start { row } else { self.d.at(v) };
            f64::from(row.x) * f64::from(other.x)
                + f64::from(row.y) * f64::from(other.y)
                + f64::from(row.z) * f64::from(other.z)
        });
        if start {
            self.sums.start(b, patch.id(), scratch, (product, product));
        } else {
            self.sums.alpha(b, patch.id(), scratch, product);
        }
    }
}

impl SpringProduct {
    /// `(A d)` at a vertex.
    #[inline(always)]
    fn row(&self, vv: PreparedTable<VV>, v: u32) -> Vec3 {
        let c = self.constants;
        let (x, rest, d) = (self.x.at(v), self.rest.at(v), self.d.at(v));
        let mut sum = Vec3::ZERO;
        for w in vv.row(v) {
            sum += block(
                x,
                self.x.at(w),
                length(self.rest.at(w) - rest),
                d - self.d.at(w),
            );
        }
        d * (c.mass * (1.0 + c.dt * c.damping)) + sum * (c.dt * c.dt * c.stiffness)
    }

    /// `dt (f + m g - m c v - dt K v)` at a vertex.
    #[inline(always)]
    fn right_hand_side(&self, vv: PreparedTable<VV>, v: u32) -> Vec3 {
        let c = self.constants;
        let (x, rest, velocity) = (self.x.at(v), self.rest.at(v), self.d.at(v));
        let mut sum = Vec3::ZERO;
        for w in vv.row(v) {
            let (y, l) = (self.x.at(w), length(self.rest.at(w) - rest));
            sum += pull(x, y, l) - block(x, y, l, velocity - self.d.at(w)) * c.dt;
        }
        (sum * c.stiffness + (c.gravity - velocity * c.damping) * c.mass) * c.dt
    }
}

kernel! {
    /// Ends an implicit step: `v += change`, `x += dt v`.
    pub struct SpringEnd: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Changes of the velocities.
        pub change: Global<Vec3>,
        /// Time step.
        pub dt: f32,
    }
}

impl FlatKernel for SpringEnd {
    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.v.get(i) + self.change.get(i);
        self.v.set(i, v);
        self.x.set(i, self.x.get(i) + v * self.dt);
    }
}

kernel! {
    /// Half the squared elongation of each spring: its energy over its stiffness.
    pub struct SpringEnergies: ForEach<EV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Read<Vertex, Vec3>,
        /// Energies.
        pub energy: Write<Edge, f32>,
    }
}

impl ForEach<EV> for SpringEnergies {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, ends: Neighbours<EV>) {
        let (a, b) = (ends.get(0), ends.get(1));
        let stretch =
            length(self.x.get(b) - self.x.get(a)) - length(self.rest.get(b) - self.rest.get(a));
        self.energy.set(e, 0.5 * stretch * stretch);
    }
}

kernel! {
    /// How far each vertex has come along a direction.
    pub struct SpringHeights: Flat {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions at rest.
        pub rest: Global<Vec3>,
        /// The products.
        pub height: GlobalMut<f32>,
        /// The direction.
        pub direction: Vec3,
    }
}

impl FlatKernel for SpringHeights {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.height
            .set(i, self.direction.dot(self.x.get(i) - self.rest.get(i)));
    }
}
