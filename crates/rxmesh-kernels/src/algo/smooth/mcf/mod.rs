//! The matrix of implicit mean curvature flow, matrix-free (RXMesh 2021, section 8.1 and listing 4; Desbrun et al.
//! 1999).
//!
//! Row `i` is `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j` with `w_ij = max(0, cot a_ij + cot b_ij)` and `A_i` the
//! mixed Voronoi area (Meyer et al. 2003), all from the positions `x0`. The areas are computed once. The weights are
//! computed at each product ([`McfFans`], [`McfProduct`]), or once and kept as the rows of a sparse matrix that is
//! local to each patch ([`McfAssembled`]). The listing walks the oriented one-ring; here each face gives its three
//! cotangents to its edges and each vertex gathers over its edges (VE, prepared), which gives the same sums on manifold
//! meshes and defines them on all others.

mod setup;

pub use setup::{McfSetup, REGULAR, SetupTables};

use crate::algebra::cg::{CgSums, CgVector};
use crate::algo::measure::corners::corner_weights;
use crate::attr::Staged;
use crate::exec::{Block, Phase, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::math::rsqrt_fast;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{Fans, LocalEv, LocalFe, LocalMap, Prepared, PreparedTable, VE, VV, each_place};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    patch mcf_product: McfProduct;
    patch mcf_setup: McfSetup;
    patch mcf_assembled: McfAssembled;
    patch mcf_fans: McfFans;
    patch mcf_matrix: McfMatrix;
}

/// Fields and shared memory of the kernels that compute weights from positions.
#[derive(Clone, Copy)]
pub struct McfTables {
    scratch: Shared<u32>,
    ev: LocalEv,
    fe: LocalFe,
    /// `2 e + d`: the cotangent opposite to edge `e` in the face that runs along it in direction `d`.
    sides: Shared<f32>,
}

impl McfTables {
    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> McfTables {
        McfTables {
            scratch: plan.take(SCRATCH_WORDS),
            ev: LocalEv::carve(h, plan),
            fe: LocalFe::carve(h, plan),
            sides: plan.take(2 * u32::from(h.total[1])),
        }
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        self.ev.load(p, patch);
        self.fe.load(p, patch);
        p.each(2 * patch.total::<Edge>(), |k| self.sides.set(k, 0.0));
    }

    /// Returns the cotangents and areas of a face's corners, and its sides.
    #[inline(always)]
    fn corners(&self, x0: Staged<Vertex, Vec3>, f: u32) -> ([u32; 3], [u32; 3], Vec3, Vec3) {
        let sides = self.fe.sides(f);
        let v = sides.map(|s| self.ev.start(s));
        let [x, y, z] = v.map(|v| x0.at(v));
        let (cot, area) = corner_weights(x, y, z);
        (sides, v, cot, area)
    }

    /// Adds a face's cotangents to its sides.
    #[inline(always)]
    fn add(&self, sides: [u32; 3], cot: Vec3) {
        // The angle opposite to side 0 is at corner 2.
        self.sides.add(sides[0], cot.z);
        self.sides.add(sides[1], cot.x);
        self.sides.add(sides[2], cot.y);
    }

    /// Returns the weight of an edge.
    #[inline(always)]
    fn weight(&self, e: u32) -> f32 {
        (self.sides.get(2 * e) + self.sides.get(2 * e + 1)).max(0.0)
    }

    /// Returns the vertex at the other end of an edge.
    #[inline(always)]
    fn other(&self, e: u32, v: u32) -> u32 {
        let (s, t) = self.ev.edge(e);
        s ^ t ^ v
    }
}

/// Stores a row of the product and returns its part of the dot product; at the start both are those of the residual.
#[inline(always)]
fn finish_row(d: &CgVector, mass: f32, q: GlobalMut<Vec3>, v: u32, linear: u32, sum: Vec3) -> f64 {
    let dv = d.at(v);
    let (row, other) = if d.start != 0 {
        // b - M x0 with b = 2 A x0: the area terms cancel exactly.
        (-sum, -sum)
    } else {
        (dv * mass + sum, dv)
    };
    q.set(linear, row);
    f64::from(row.x) * f64::from(other.x)
        + f64::from(row.y) * f64::from(other.y)
        + f64::from(row.z) * f64::from(other.z)
}

kernel! {
    /// Computes `q = M d`, recomputing the weights, in patches that are not regular; or, to start the solver, `q = b -
    /// M x0`.
    pub struct McfProduct: Patch {
        /// Positions that the weights come from.
        pub x0: Staged<Vertex, Vec3>,
        /// Vector to multiply.
        pub d: CgVector,
        /// Edges of vertices.
        pub ve: Prepared<VE>,
        /// `2 A_i`.
        pub mass: Global<f32>,
        /// One word per patch, of [`McfSetup`].
        pub regular: Global<u32>,
        /// Product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// Time step, in squared length units.
        pub dt: f32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for McfProduct {
    const THREADS: u32 = 192;
    type Tables = McfTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> McfTables {
        Fields::carve(self, h, plan);
        McfTables::carve(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &McfTables) {
        if self.d.done() || self.regular.get(patch.id()) == REGULAR {
            return;
        }
        b.phase(|p| {
            self.load(p, patch);
            t.load(p, patch);
        });
        b.each(patch.total::<Face>(), |f| {
            let (sides, _, cot, _) = t.corners(self.x0, f);
            t.add(sides, cot);
        });
        let (base, ve) = (patch.base::<Vertex>(), self.ve.table(patch));
        let product = b.sum(patch.owned::<Vertex>(), t.scratch, |v| {
            let (dv, mut sum) = (self.d.at(v), Vec3::ZERO);
            for e in ve.row(v) {
                sum += (dv - self.d.at(t.other(e, v))) * t.weight(e);
            }
            let mass = self.mass.get(base + v);
            finish_row(&self.d, mass, self.q, v, base + v, sum * self.dt)
        });
        self.d
            .finish(b, patch, self.q, self.sums, t.scratch, product);
    }
}

kernel! {
    /// Works like [`McfProduct`], in regular patches: each vertex computes the cotangents of its corners, walking
    /// around them, without atomics and in one phase. Each cotangent is computed twice.
    pub struct McfFans: Patch {
        /// Positions that the weights come from.
        pub x0: Staged<Vertex, Vec3>,
        /// Vector to multiply.
        pub d: CgVector,
        /// Corners of vertices, in fan order.
        pub fans: Prepared<Fans>,
        /// `2 A_i`.
        pub mass: Global<f32>,
        /// One word per patch, of [`McfSetup`].
        pub regular: Global<u32>,
        /// Product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
        /// Time step, in squared length units.
        pub dt: f32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for McfFans {
    const THREADS: u32 = 96;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Shared<u32> {
        Fields::carve(self, h, plan);
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &scratch: &Shared<u32>) {
        if self.d.done() || self.regular.get(patch.id()) != REGULAR {
            return;
        }
        b.phase(|p| self.load(p, patch));
        let (base, fans) = (patch.base::<Vertex>(), self.fans.table(patch));
        let product = b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let sum = self.row(fans, v) * self.dt;
            let mass = self.mass.get(base + v);
            finish_row(&self.d, mass, self.q, v, base + v, sum)
        });
        self.d.finish(b, patch, self.q, self.sums, scratch, product);
    }
}

impl McfFans {
    /// Returns `sum_j w_ij (d_i - d_j)` at a vertex.
    #[inline(always)]
    fn row(&self, fans: PreparedTable<Fans>, v: u32) -> Vec3 {
        let (lo, hi) = fans.bounds(v);
        if lo == hi {
            return Vec3::ZERO;
        }
        let (x, dv) = (self.x0.at(v), self.d.at(v));
        let first = fans.value(lo);
        let (mut a, mut sum) = (self.x0.at(first) - x, Vec3::ZERO);
        // The edge to `from` has the weight `max(0, carry + cotangent at the far end)`.
        let (mut from, mut carry, mut opening) = (first, 0.0, 0.0);
        let mut begun = false;
        each_place(
            lo / 2,
            hi / 2,
            |k| fans.value(2 * k + 1),
            |to| {
                let b = self.x0.at(to) - x;
                let (ab, n) = (b - a, a.cross(b));
                let n2 = n.dot(n);
                // Zero for a degenerate face, and where a number is none.
                let scale = if n2 > 0.0 { rsqrt_fast(n2) } else { 0.0 };
                let (at_a, at_b) = (-a.dot(ab) * scale, b.dot(ab) * scale);
                if begun {
                    sum += (dv - self.d.at(from)) * (carry + at_b).max(0.0);
                } else {
                    opening = at_b;
                    begun = true;
                }
                (a, from, carry) = (b, to, at_a);
            },
        );
        if from == first {
            sum + (dv - self.d.at(first)) * (carry + opening).max(0.0)
        } else {
            sum + (dv - self.d.at(first)) * opening.max(0.0)
                + (dv - self.d.at(from)) * carry.max(0.0)
        }
    }
}

kernel! {
    /// Computes `q = M d` with the weights that [`McfSetup`] kept; or, to start the solver, `q = b - M x0`.
    pub struct McfAssembled: Patch {
        /// Vector to multiply.
        pub d: CgVector,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// `dt w_ij`, a value for each entry of the tables of `vv`.
        pub weights: Global<f32>,
        /// `2 A_i`.
        pub mass: Global<f32>,
        /// Product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// Destination of the dot products.
        pub sums: CgSums,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for McfAssembled {
    const THREADS: u32 = 96;
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
        let (base, vv) = (patch.base::<Vertex>(), self.vv.table(patch));
        let weights = self.weights.from(self.vv.place(patch));
        let product = b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let (dv, mut sum) = (self.d.at(v), Vec3::ZERO);
            let (lo, hi) = vv.bounds(v);
            let load = |at| (vv.value(at), weights.get(at));
            each_place(lo, hi, load, |(j, w)| sum += (dv - self.d.at(j)) * w);
            let mass = self.mass.get(base + v);
            finish_row(&self.d, mass, self.q, v, base + v, sum)
        });
        self.d.finish(b, patch, self.q, self.sums, scratch, product);
    }
}

kernel! {
    /// Completes the weights that [`McfSetup`] kept to a matrix over all vertices
    /// ([`MatrixView`](crate::algebra::matrix::MatrixView)), whose excess is the mass. Rows are in linear order, their
    /// entries at the places of those of `vv`.
    pub struct McfMatrix: Patch {
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// Start of each row.
        pub starts: GlobalMut<u32>,
        /// End of each row.
        pub ends: GlobalMut<u32>,
        /// Columns of the entries.
        pub columns: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes the rows that it owns; ids, places and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for McfMatrix {
    type Tables = LocalMap;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> LocalMap {
        Fields::carve(self, h, plan);
        LocalMap::carve::<Vertex>(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, map: &LocalMap) {
        b.phase(|p| map.load::<Vertex, B>(p, patch));
        let (base, vv) = (patch.base::<Vertex>(), self.vv.table(patch));
        let place = self.vv.place(patch);
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let (lo, hi) = vv.bounds(v);
                let mut at = lo;
                while at < hi {
                    self.columns.set(place + at, map.linear(vv.value(at)));
                    at += 1;
                }
                self.starts.set(base + v, place + lo);
                self.ends.set(base + v, place + hi);
            });
        });
    }
}
