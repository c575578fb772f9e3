//! Projective dynamics (Bouaziz et al., "Projective Dynamics: Fusing Constraint Projections for Fast Simulation", 2014;
//! MeshTaichi 2022, section 8.4).
//!
//! A frame minimises `sum_i m_i / (2 dt^2) |x_i - s_i|^2 + sum_c mu_c V_c |F_c - R_c|^2` over positions `x` and
//! rotations `R`, alternately: [`PdLocal`] finds the rotations, a linear solver the positions. The matrix is the same
//! for the three coordinates and for all frames: `m / dt^2` on vertices, and a value for each entry of the prepared VV
//! ([`PdMatrix`]); its product is [`McfAssembled`](rxmesh_kernels::algo::mcf::McfAssembled).
//!
//! Each global step solves for the change of the positions. Its right-hand side is the residual force, which the local
//! step computes: this saves a product, and the numbers are small.

use super::rotation::Rotation;
use super::shape::RestShape;
use crate::material::Materials;
use glam::{Vec2, Vec3};
use rxmesh_kernels::algebra::cg::CgSums;
use rxmesh_kernels::attr::{Staged, Write};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{Fields, PatchKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::query::{CV, Neighbours, Prepared, PreparedTable, VC, VV, each_place};
use rxmesh_kernels::topo::{Cell, Needs, Owned, Patch, PatchHeader, Vertex};
use rxmesh_kernels::volume::distribute::Distribute;

kernel_list! {
    patch pd_matrix: PdMatrix;
    distribute pd_local: PdLocal;
    patch pd_residual: PdResidual;
    patch pd_chebyshev: PdChebyshev;
}

kernel! {
    /// Computes the matrix: one row per vertex, in the order of its neighbours in the prepared VV.
    pub struct PdMatrix: Patch {
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Cells of vertices.
        pub vc: Prepared<VC>,
        /// `m / dt^2` of each vertex, in N/m; negative for those that are fixed.
        pub inertia: Global<f32>,
        /// Weight `l_ij` of each entry of `vv`: row `i` is `inertia_i x_i + sum_j l_ij (x_i - x_j)`. Rows of fixed
        /// vertices are zero.
        pub weights: GlobalMut<f32>,
        /// `inertia` for products: zero for fixed vertices.
        pub mass: GlobalMut<f32>,
        /// One over the diagonal; zero for fixed vertices.
        pub inverse: GlobalMut<f32>,
        /// Sum of a row's absolute values divided by its diagonal, and `inertia` divided by it: all eigenvalues of the
        /// matrix preconditioned by its diagonal lie between the least of the second and the largest of the first
        /// (Gershgorin).
        pub bounds: GlobalMut<Vec2>,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for PdMatrix {
    const NEEDS: Needs = Needs::CELLS.and(Needs::EDGES);
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        b.phase(|p| self.load(p, patch));
        b.last_phase(|p| p.each(patch.owned::<Vertex>(), |v| self.row(patch, v)));
    }
}

impl PdMatrix {
    #[inline(always)]
    fn row(&self, patch: &Patch, v: u32) {
        let linear = patch.base::<Vertex>() + v;
        let (vv, weights) = (
            self.vv.table(patch),
            self.weights.from(self.vv.place(patch)),
        );
        let (lo, hi) = vv.bounds(v);
        let mut at = lo;
        while at < hi {
            weights.set(at, 0.0);
            at += 1;
        }
        let row = MatrixRow {
            vv,
            weights,
            lo,
            hi,
        };
        let inertia = self.inertia.get(linear);
        if inertia < 0.0 {
            self.mass.set(linear, 0.0);
            self.inverse.set(linear, 0.0);
            self.bounds.set(linear, Vec2::ONE);
            return;
        }
        for c in self.vc.table(patch).row(v) {
            let corners = patch.cell_vertices(c);
            let shape = RestShape::new(corners.map(|k| self.rest.at(k)));
            let g = [shape.g0(), shape.g[0], shape.g[1], shape.g[2]];
            let mu = self.materials.of(patch.map::<Cell>().linear(c)).mu;
            // Selects: an array indexed at run time would be in local memory on the device.
            let pick = |k: usize, or: Vec3| if corners[k] == v { g[k] } else { or };
            let mine = pick(0, pick(1, pick(2, g[3]))) * (-2.0 * mu * shape.volume);
            row.add(corners[0], mine.dot(g[0]));
            row.add(corners[1], mine.dot(g[1]));
            row.add(corners[2], mine.dot(g[2]));
            row.add(corners[3], mine.dot(g[3]));
        }
        let (mut diagonal, mut all) = (inertia, 0.0);
        at = lo;
        while at < hi {
            let w = weights.get(at);
            diagonal += w;
            all += if w < 0.0 { -w } else { w };
            at += 1;
        }
        let inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
        self.mass.set(linear, inertia);
        self.inverse.set(linear, inverse);
        self.bounds
            .set(linear, Vec2::new(diagonal + all, inertia) * inverse);
    }
}

/// Row of the matrix.
#[derive(Clone, Copy)]
struct MatrixRow {
    vv: PreparedTable<VV>,
    weights: GlobalMut<f32>,
    lo: u32,
    hi: u32,
}

impl MatrixRow {
    /// Adds to the weight of a neighbour; does nothing for other vertices.
    #[inline(always)]
    fn add(self, neighbour: u32, weight: f32) {
        let mut at = self.lo;
        while at < self.hi {
            if self.vv.value(at) == neighbour {
                self.weights.set(at, self.weights.get(at) + weight);
            }
            at += 1;
        }
    }
}

kernel! {
    /// Runs the local step: the rotation of each cell, and the forces that pull its corners toward its rotated rest
    /// shape, in N.
    pub struct PdLocal: Distribute<CV, 4> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Rotations as quaternions, which each step updates; zeroes for the identity.
        pub rotation: Write<Cell, [f32; 4]>,
    }
}

impl Distribute<CV, 4> for PdLocal {
    type Value = Vec3;
    #[inline(always)]
    fn run(&self, c: Owned<Cell>, corners: Neighbours<CV>) -> [Vec3; 4] {
        let ids = [
            corners.get(0),
            corners.get(1),
            corners.get(2),
            corners.get(3),
        ];
        let shape = RestShape::new(ids.map(|v| self.rest.get(v)));
        let f = shape.deformation(ids.map(|v| self.x.get(v)));
        let rotation = Rotation::new(self.rotation.get(c)).toward(f);
        self.rotation.set(c, rotation.words());
        let pull = rotation.matrix().minus(f);
        shape.apply(pull.scaled(2.0 * self.materials.of_cell(c).mu * shape.volume))
    }
}

kernel! {
    /// Computes the residual at the start of a global step: the sum of `m / dt^2 (s - x)` and the force of the cells.
    pub struct PdResidual: Patch {
        /// Positions.
        pub x: Global<Vec3>,
        /// Target positions of vertices.
        pub target: Global<Vec3>,
        /// Forces of [`PdLocal`].
        pub force: Global<Vec3>,
        /// `inertia` for products, as [`PdMatrix::mass`].
        pub mass: Global<f32>,
        /// Inverse diagonal, as [`PdMatrix::inverse`].
        pub inverse: Global<f32>,
        /// Residual; zero for fixed vertices.
        pub r: GlobalMut<Vec3>,
        /// First change of Chebyshev's iteration: the residual divided by the diagonal, times `step`. Empty for
        /// conjugate gradients.
        pub change: GlobalMut<Vec3>,
        /// The change before it, set to zero. Empty for conjugate gradients.
        pub previous: GlobalMut<Vec3>,
        /// Length of the first step.
        pub step: f32,
        /// The dot products; used by conjugate gradients.
        pub sums: CgSums,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for PdResidual {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        Fields::carve(self, h, plan);
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        let (base, n) = (patch.base::<Vertex>(), patch.owned::<Vertex>());
        if !self.change.is_empty() {
            b.last_phase(|p| {
                p.each(n, |i| {
                    let (r, inverse) = self.residual(base + i);
                    self.r.set(base + i, r);
                    self.change.set(base + i, r * (inverse * self.step));
                    self.previous.set(base + i, Vec3::ZERO);
                });
            });
            return;
        }
        let (rz, rr) = b.sum2(
            n,
            scratch,
            |i| self.residual(base + i),
            |i, (r, inverse)| {
                self.r.set(base + i, r);
                let rr = f64::from(r.x) * f64::from(r.x)
                    + f64::from(r.y) * f64::from(r.y)
                    + f64::from(r.z) * f64::from(r.z);
                (rr * f64::from(inverse), rr)
            },
        );
        self.sums.start(b, patch.id(), scratch, (rz, rr));
    }
}

impl PdResidual {
    /// Returns the residual at a vertex, and one over the diagonal.
    #[inline(always)]
    fn residual(&self, v: u32) -> (Vec3, f32) {
        let inverse = self.inverse.get(v);
        let r = (self.target.get(v) - self.x.get(v)) * self.mass.get(v) + self.force.get(v);
        (if inverse > 0.0 { r } else { Vec3::ZERO }, inverse)
    }
}

kernel! {
    /// Runs an iteration of Chebyshev's semi-iterative method: no dot product, one launch.
    ///
    /// See Golub and Van Loan, "Matrix Computations", section 11.2.8; Wang, "A Chebyshev Semi-Iterative Approach for
    /// Accelerating Projective and Position-Based Dynamics", 2015.
    pub struct PdChebyshev: Patch {
        /// The change of the positions so far.
        pub change: Staged<Vertex, Vec3>,
        /// Change before it; receives the next one.
        pub other: GlobalMut<Vec3>,
        /// The residual at the start.
        pub r: Global<Vec3>,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Weights of the matrix, as [`PdMatrix::weights`].
        pub weights: Global<f32>,
        /// `inertia` for products, as [`PdMatrix::mass`].
        pub mass: Global<f32>,
        /// Inverse diagonal, as [`PdMatrix::inverse`].
        pub inverse: Global<f32>,
        /// Length of the step along the preconditioned residual.
        pub step: f32,
        /// Weight of the step relative to the change before it.
        pub omega: f32,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for PdChebyshev {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        b.phase(|p| self.load(p, patch));
        let (base, vv) = (patch.base::<Vertex>(), self.vv.table(patch));
        let weights = self.weights.from(self.vv.place(patch));
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let (x, mut sum) = (self.change.at(v), Vec3::ZERO);
                let (lo, hi) = vv.bounds(v);
                let load = |at| (vv.value(at), weights.get(at));
                each_place(lo, hi, load, |(j, w)| sum += (x - self.change.at(j)) * w);
                let i = base + v;
                let left = self.r.get(i) - (x * self.mass.get(i) + sum);
                let (other, step) = (self.other.get(i), self.step * self.inverse.get(i));
                self.other
                    .set(i, (x - other + left * step) * self.omega + other);
            });
        });
    }
}
