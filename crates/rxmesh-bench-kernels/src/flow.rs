//! Mean curvature flow by conjugate gradients without a matrix, over directed edges: the system of
//! [`rxmesh_kernels::algo::mcf`], a thread a vertex. Sums, scalars and the step are those of
//! [`rxmesh_kernels::algebra::cg`].

use crate::half_edges::HalfEdges;
use rxmesh_kernels::algebra::cg::{CgSums, Scalar, Scalars};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::math::rsqrt_fast;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::{Vec3, args, kernel};

/// Number of vertices that a block of [`FlowProduct`] takes.
pub const FLOW_VERTICES: u32 = 256;

args! {
    /// Computes `q = M d` and its part of `d . q`, recomputing the cotangents; or, to start the solver, `q = b - M x0`.
    /// The direction is an array, or computed at each vertex and neighbour from residual and old direction.
    pub struct FlowProduct<M: HalfEdges> {
        /// Mesh.
        pub mesh: M,
        /// Positions that the weights come from.
        pub x0: Global<Vec3>,
        /// Two times the area of each vertex.
        pub mass: Global<f32>,
        /// Direction; the residual if `old` is not empty.
        pub d: Global<Vec3>,
        /// Old direction, or empty.
        pub old: Global<Vec3>,
        /// Destination of the new direction if `old` is not empty.
        pub new: GlobalMut<Vec3>,
        /// Product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// Time step, in squared length units.
        pub dt: f32,
        /// 1 to start the solver, 0 for a product.
        pub start: u32,
    }
}

impl<M: HalfEdges> FlowProduct<M> {
    /// Returns the direction at a vertex.
    #[inline(always)]
    fn direction(&self, v: u32, beta: f32) -> Vec3 {
        let d = self.d.get(v);
        if self.old.is_empty() {
            d
        } else {
            d + beta * self.old.get(v)
        }
    }

    /// Returns `sum_j w_ij (d_i - d_j)` at a vertex, given its direction: each cotangent is computed once, and an edge
    /// has its weight when both faces beside it are known.
    #[inline(always)]
    fn row(&self, v: u32, dv: Vec3, beta: f32) -> Vec3 {
        let x = self.x0.get(v);
        let (mut a, mut sum) = (Vec3::ZERO, Vec3::ZERO);
        let (mut first, mut first_edge, mut opening) = (Vec3::ZERO, Vec3::ZERO, 0.0);
        // Difference of the directions along the edge before, and its cotangent in the face before it.
        let (mut from, mut carry) = (Vec3::ZERO, 0.0);
        let mut count = 0;
        let closed = self.mesh.vertices(v, |w| {
            let (b, to) = (self.x0.get(w) - x, dv - self.direction(w, beta));
            if count == 0 {
                (first, first_edge) = (to, b);
            } else {
                let (at_a, at_b) = far_cotangents(a, b);
                if count == 1 {
                    opening = at_b;
                } else {
                    sum += from * (carry + at_b).max(0.0);
                }
                carry = at_a;
            }
            (a, from) = (b, to);
            count += 1;
        });
        if count == 0 {
            return Vec3::ZERO;
        }
        if closed {
            let (at_a, at_b) = far_cotangents(a, first_edge);
            return sum + from * (carry + at_b).max(0.0) + first * (opening + at_a).max(0.0);
        }
        sum + from * carry.max(0.0) + first * opening.max(0.0)
    }
}

/// Returns the cotangents of a face with the edges `a` and `b` at a vertex: at the end of `a`, which is opposite to
/// `b`, and at that of `b`.
#[inline(always)]
fn far_cotangents(a: Vec3, b: Vec3) -> (f32, f32) {
    let (ab, n) = (b - a, a.cross(b));
    let n2 = n.dot(n);
    // Zero for a degenerate face, and where a number is none.
    let scale = if n2 > 0.0 { rsqrt_fast(n2) } else { 0.0 };
    (-a.dot(ab) * scale, b.dot(ab) * scale)
}

// SAFETY: blocks write their own vertices, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl<M: HalfEdges> BlockKernel for FlowProduct<M> {
    const THREADS: u32 = FLOW_VERTICES;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let scalars = self.sums.scalars;
        if self.start == 0 && scalars.done() {
            return;
        }
        let beta = scalars.get(Scalar::Beta) as f32;
        let (first, all) = (block * FLOW_VERTICES, self.mass.len());
        let left = all - first;
        let n = if left < FLOW_VERTICES {
            left
        } else {
            FLOW_VERTICES
        };
        let product = b.sum(n, scratch, |i| {
            let v = first + i;
            let dv = self.direction(v, beta);
            let sum = self.row(v, dv, beta) * self.dt;
            let (row, other) = if self.start != 0 {
                // b - M x0 with b = 2 A x0: the area terms cancel exactly.
                (-sum, -sum)
            } else {
                (dv * self.mass.get(v) + sum, dv)
            };
            if !self.old.is_empty() {
                self.new.set(v, dv);
            }
            self.q.set(v, row);
            f64::from(row.x) * f64::from(other.x)
                + f64::from(row.y) * f64::from(other.y)
                + f64::from(row.z) * f64::from(other.z)
        });
        if self.start != 0 {
            self.sums.start(b, block, scratch, (product, product));
        } else {
            self.sums.alpha(b, block, scratch, product);
        }
    }
}

entries_by_layout! { FlowProduct }

kernel! {
    /// Computes the new direction, `d = r + beta d`, four words at a time.
    pub struct FlowDirection: Flat {
        /// Residual.
        pub r: Global<u32>,
        /// Direction.
        pub d: GlobalMut<u32>,
        /// Scalars of the solver.
        pub scalars: Scalars,
    }
}

// SAFETY: each index writes its own four words, or the rest (contracts U3, U4).
unsafe impl FlatKernel for FlowDirection {
    #[inline(always)]
    fn run(&self, i: u32) {
        let beta = self.scalars.get(Scalar::Beta) as f32;
        let new = |r: u32, d: u32| (f32::from_bits(r) + beta * f32::from_bits(d)).to_bits();
        let n = self.d.len();
        if n - 4 * i >= 4 {
            let ([r0, r1, r2, r3], [d0, d1, d2, d3]) = (self.r.get4(i), self.d.get4(i));
            let four = [new(r0, d0), new(r1, d1), new(r2, d2), new(r3, d3)];
            self.d.set4(i, four);
            return;
        }
        let mut k = 4 * i;
        while k < n {
            self.d.set(k, new(self.r.get(k), self.d.get(k)));
            k += 1;
        }
    }
}
