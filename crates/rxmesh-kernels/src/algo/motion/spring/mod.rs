//! Mass-spring systems: every edge is a spring (MeshTaichi 2022, section 8.1). Explicit steps gather forces over VV or
//! compute them once an edge; the implicit step is Baraff and Witkin's ("Large steps in cloth simulation", 1998,
//! sections 3 and 5.2) with its 3 by 3 blocks computed at each product instead of stored.

mod implicit;

pub use implicit::{SpringBegin, SpringEnd, SpringMatrix, SpringProduct};

use crate::attr::{Field, Read, Staged, Write};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{Fields, FlatKernel, ForEach, PatchKernel};
use crate::math::{length, rsqrt_fast};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{EV, LocalEv, Neighbours, Prepared, PreparedTable, VE, VV, each_place};
use crate::topo::{Edge, Owned, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    patch spring_lengths: SpringLengths;
    patch spring_gather: SpringGather;
    patch spring_scatter: SpringScatter;
    flat spring_begin: SpringBegin;
    patch spring_product: SpringProduct;
    patch spring_matrix: SpringMatrix;
    flat spring_end: SpringEnd;
    patch spring_energies: SpringEnergies;
    flat spring_heights: SpringHeights;
}

crate::args! {
    /// System's constants.
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
}
// SAFETY: no prologue and no epilogue.
unsafe impl Field for Constants {}

/// Returns the direction of a spring, its length, and one over it; zeroes if both ends coincide. Lengths at rest come
/// from here too: a spring at rest pulls with exactly nothing, whatever the error of the root.
#[inline(always)]
fn direction(d: Vec3) -> (Vec3, f32, f32) {
    let l2 = d.dot(d);
    if l2 > 0.0 {
        let inverse = rsqrt_fast(l2);
        (d * inverse, l2 * inverse, inverse)
    } else {
        (Vec3::ZERO, 0.0, 0.0)
    }
}

/// Returns the length of a spring.
#[inline(always)]
fn spring_length(d: Vec3) -> f32 {
    direction(d).1
}

/// Returns the force on the end `a` of a spring `a b`, over its stiffness.
#[inline(always)]
fn pull(a: Vec3, b: Vec3, rest: f32) -> Vec3 {
    let (n, l, _) = direction(b - a);
    n * (l - rest)
}

/// Returns a spring's stiffness block times a vector, over its stiffness. A compressed spring resists along itself
/// only, which keeps the matrix positive definite.
#[inline(always)]
fn block(a: Vec3, b: Vec3, rest: f32, u: Vec3) -> Vec3 {
    let (n, l, inverse) = direction(b - a);
    let along = n * n.dot(u);
    let across = if l > rest { 1.0 - rest * inverse } else { 0.0 };
    along + (u - along) * across
}

impl Constants {
    /// Returns the velocity after a step under a force, with the drag taken implicitly.
    #[inline(always)]
    fn faster(&self, v: Vec3, force: Vec3) -> Vec3 {
        (v + (force * (1.0 / self.mass) + self.gravity) * self.dt)
            * (1.0 / (1.0 + self.damping * self.dt))
    }
}

kernel! {
    /// Computes the springs' lengths at rest, a value for each entry of the prepared VV.
    pub struct SpringLengths: Patch {
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Lengths.
        pub lengths: GlobalMut<f32>,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SpringLengths {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        b.phase(|p| self.load(p, patch));
        let (vv, lengths) = (
            self.vv.table(patch),
            self.lengths.from(self.vv.place(patch)),
        );
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let (rest, (mut at, hi)) = (self.rest.at(v), vv.bounds(v));
                while at < hi {
                    lengths.set(at, spring_length(self.rest.at(vv.value(at)) - rest));
                    at += 1;
                }
            });
        });
    }
}

/// Springs of a patch's vertices: their other ends and their lengths at rest.
#[derive(Clone, Copy)]
struct VertexSprings {
    vv: PreparedTable<VV>,
    lengths: Global<f32>,
}

impl VertexSprings {
    #[inline(always)]
    fn new(vv: Prepared<VV>, lengths: Global<f32>, patch: &Patch) -> VertexSprings {
        VertexSprings {
            vv: vv.table(patch),
            lengths: lengths.from(vv.place(patch)),
        }
    }

    /// Runs `f` on each spring of a vertex: the local id of its other end and its length at rest.
    #[inline(always)]
    fn each(self, v: u32, mut f: impl FnMut(u32, f32)) {
        let (lo, hi) = self.vv.bounds(v);
        let load = |at| (self.vv.value(at), self.lengths.get(at));
        each_place(lo, hi, load, |(w, rest)| f(w, rest));
    }
}

kernel! {
    /// Runs one semi-implicit Euler step, forces gathered: new velocities, then new positions with them.
    pub struct SpringGather: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Lengths at rest, of [`SpringLengths`].
        pub lengths: Global<f32>,
        /// Motion that the forces cause.
        pub motion: Motion,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SpringGather {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        let ring = VertexSprings::new(self.vv, self.lengths, patch);
        b.phase(|p| self.load(p, patch));
        let base = patch.base::<Vertex>();
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let (x, mut force) = (self.x.at(v), Vec3::ZERO);
                ring.each(v, |w, rest| force += pull(x, self.x.at(w), rest));
                self.motion.advance(base + v, x, force);
            });
        });
    }
}

crate::args! {
    /// End of an explicit step.
    pub struct Motion {
        /// Nonzero for vertices that stay.
        pub fixed: Global<u32>,
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// New positions.
        pub y: GlobalMut<Vec3>,
        /// System's constants.
        pub constants: Constants,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Motion {}
impl Motion {
    /// Computes the new velocity and position of a vertex at `x` under a force over the stiffness.
    #[inline(always)]
    fn advance(&self, linear: u32, x: Vec3, force: Vec3) {
        let c = self.constants;
        let v = if self.fixed.get(linear) != 0 {
            Vec3::ZERO
        } else {
            c.faster(self.v.get(linear), force * c.stiffness)
        };
        self.v.set(linear, v);
        self.y.set(linear, x + v * c.dt);
    }
}

kernel! {
    /// Runs the same step with each spring computed once: forces of edges go to shared memory, where the two vertices
    /// of each find them.
    pub struct SpringScatter: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Edges of vertices.
        pub ve: Prepared<VE>,
        /// Motion that the forces cause.
        pub motion: Motion,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SpringScatter {
    type Tables = (LocalEv, Shared<Vec3>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        Fields::carve(self, h, plan);
        (LocalEv::carve(h, plan), plan.take(u32::from(h.total[1])))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(ev, forces): &Self::Tables) {
        b.phase(|p| {
            self.load(p, patch);
            ev.load(p, patch);
        });
        let owned = patch.owned::<Vertex>();
        b.each(patch.total::<Edge>(), |e| {
            let (s, t) = ev.edge(e);
            // Other springs belong to other patches.
            if s < owned || t < owned {
                let rest = spring_length(self.rest.at(t) - self.rest.at(s));
                forces.set(e, pull(self.x.at(s), self.x.at(t), rest));
            }
        });
        let (ve, base) = (self.ve.table(patch), patch.base::<Vertex>());
        b.last_phase(|p| {
            p.each(owned, |v| {
                let (lo, hi) = ve.bounds(v);
                let mut force = Vec3::ZERO;
                each_place(
                    lo,
                    hi,
                    |at| ve.value(at),
                    |e| {
                        let f = forces.get(e);
                        force += if ev.edge(e).0 == v { f } else { -f };
                    },
                );
                self.motion.advance(base + v, self.x.at(v), force);
            });
        });
    }
}

kernel! {
    /// Computes half the squared elongation of each spring: its energy over its stiffness.
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
    /// Computes the distance that each vertex has moved along a direction.
    pub struct SpringHeights: Flat {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions at rest.
        pub rest: Global<Vec3>,
        /// Dot products with the direction.
        pub height: GlobalMut<f32>,
        /// Direction of the heights.
        pub direction: Vec3,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SpringHeights {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.height
            .set(i, self.direction.dot(self.x.get(i) - self.rest.get(i)));
    }
}
