//! Implicit steps.

use super::{Constants, VertexSprings, block, pull};
use crate::algebra::cg::{CgSums, CgVector, Scalar, Scalars};
use crate::attr::{Read, Staged};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, FlatKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{LocalMap, Prepared, VV};
use crate::topo::{Patch, PatchHeader, Vertex};
use glam::{Mat3, Vec3};

kernel! {
    /// Begins an implicit step: stops the fixed vertices, and makes the solver ready.
    pub struct SpringBegin: Flat {
        /// Velocities.
        pub v: GlobalMut<Vec3>,
        /// Changes of the velocities, set to zero.
        pub change: GlobalMut<Vec3>,
        /// Another vector that is set to zero: the solver's old direction, which is multiplied by zero and must be
        /// finite, or the part of changes beyond `f32`.
        pub zero: GlobalMut<Vec3>,
        /// Nonzero for vertices that stay.
        pub fixed: Global<u32>,
        /// Solver's scalars.
        pub scalars: Scalars,
        /// Squared relative tolerance.
        pub tolerance2: f64,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SpringBegin {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.change.set(i, Vec3::ZERO);
        self.zero.set(i, Vec3::ZERO);
        if self.fixed.get(i) != 0 {
            self.v.set(i, Vec3::ZERO);
        }
        if i == 0 {
            self.scalars.set(Scalar::Tolerance2, self.tolerance2);
        }
    }
}

kernel! {
    /// Computes `q = A d` with `A = (1 + dt c) m + dt^2 K`; or, to start the solver, `q` = the right hand side, from
    /// the velocities. Fixed vertices have zero rows.
    pub struct SpringProduct: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Vector to multiply; to start, the velocities.
        pub d: CgVector,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Lengths at rest, of [`SpringLengths`](super::SpringLengths).
        pub lengths: Global<f32>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// Product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// System's constants.
        pub constants: Constants,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SpringProduct {
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
        let (start, ring) = (
            self.d.start != 0,
            VertexSprings::new(self.vv, self.lengths, patch),
        );
        let base = patch.base::<Vertex>();
        let product = b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let row = if self.fixed.get(patch.own::<Vertex>(v)) != 0 {
                Vec3::ZERO
            } else if start {
                self.right_hand_side(ring, v)
            } else {
                self.row(ring, v)
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
    /// Returns `(A d)` at a vertex.
    #[inline(always)]
    fn row(&self, ring: VertexSprings, v: u32) -> Vec3 {
        let (c, x, d) = (self.constants, self.x.at(v), self.d.at(v));
        let mut sum = Vec3::ZERO;
        ring.each(v, |w, rest| {
            sum += block(x, self.x.at(w), rest, d - self.d.at(w));
        });
        d * (c.mass * (1.0 + c.dt * c.damping)) + sum * (c.dt * c.dt * c.stiffness)
    }

    /// Returns `dt (f + m g - m c v - dt K v)` at a vertex.
    #[inline(always)]
    fn right_hand_side(&self, ring: VertexSprings, v: u32) -> Vec3 {
        let (c, x, velocity) = (self.constants, self.x.at(v), self.d.at(v));
        let mut sum = Vec3::ZERO;
        ring.each(v, |w, rest| {
            let y = self.x.at(w);
            sum += pull(x, y, rest) - block(x, y, rest, velocity - self.d.at(w)) * c.dt;
        });
        (sum * c.stiffness + (c.gravity - velocity * c.damping) * c.mass) * c.dt
    }
}

kernel! {
    /// Computes the matrix of an implicit step as one of blocks ([`MatrixView`](crate::algebra::matrix::MatrixView)):
    /// rows in linear order, their entries where those of `vv` are. Vertices that stay have rows without entries.
    pub struct SpringMatrix: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Lengths at rest, of [`SpringLengths`](super::SpringLengths).
        pub lengths: Global<f32>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// Start of each row.
        pub starts: GlobalMut<u32>,
        /// End of each row.
        pub ends: GlobalMut<u32>,
        /// Columns of the entries.
        pub columns: GlobalMut<u32>,
        /// Weights of the entries.
        pub weights: GlobalMut<Mat3>,
        /// Sum of each row: mass and drag.
        pub excess: GlobalMut<Mat3>,
        /// System's constants.
        pub constants: Constants,
    }
}

// SAFETY: a patch writes the rows that it owns, in phases that barriers part; ids, places and sections are the mesh's
// (contracts U1 to U4).
unsafe impl PatchKernel for SpringMatrix {
    type Tables = LocalMap;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> LocalMap {
        Fields::carve(self, h, plan);
        LocalMap::carve::<Vertex>(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, map: &LocalMap) {
        b.phase(|p| {
            self.load(p, patch);
            map.load::<Vertex, B>(p, patch);
        });
        let (base, vv) = (patch.base::<Vertex>(), self.vv.table(patch));
        let (place, c) = (self.vv.place(patch), self.constants);
        let (stiffness, mass) = (c.dt * c.dt * c.stiffness, c.mass * (1.0 + c.dt * c.damping));
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let stays = self.fixed.get(patch.own::<Vertex>(v)) != 0;
                let (lo, mut hi) = vv.bounds(v);
                if stays {
                    hi = lo;
                }
                let x = self.x.at(v);
                let mut at = lo;
                while at < hi {
                    let w = vv.value(at);
                    let of = |u: Vec3| block(x, self.x.at(w), self.lengths.get(place + at), u);
                    let columns = Mat3::from_cols(of(Vec3::X), of(Vec3::Y), of(Vec3::Z));
                    self.columns.set(place + at, map.linear(w));
                    self.weights.set(place + at, columns * stiffness);
                    at += 1;
                }
                self.starts.set(base + v, place + lo);
                self.ends.set(base + v, place + hi);
                let excess = if stays { 0.0 } else { mass };
                self.excess
                    .set(base + v, Mat3::from_diagonal(Vec3::splat(excess)));
            });
        });
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

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SpringEnd {
    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.v.get(i) + self.change.get(i);
        self.v.set(i, v);
        self.x.set(i, self.x.get(i) + v * self.dt);
    }
}
