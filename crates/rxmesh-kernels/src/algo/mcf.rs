//! The matrix of implicit mean curvature flow, matrix-free (RXMesh 2021, section 8.1 and listing 4; Desbrun et al. 1999).
//!
//! Row `i` is `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j` with `w_ij = max(0, cot a_ij + cot b_ij)` and `A_i` the mixed
//! Voronoi area (Meyer et al. 2003), all from the positions `x0`. The areas are computed once. The weights are computed anew at each
//! product ([`McfProduct`]) or once, as the rows of a sparse matrix that is local to each patch ([`McfAssembled`]). The listing walks
//! the oriented one-ring; here each face gives its three cotangents to its edges and each vertex gathers over its edges (VE, prepared),
//! which gives the same sums on manifold meshes and defines them on all others.

use crate::algo::cg::{CgSums, CgVector};
use crate::attr::Staged;
use crate::exec::{Block, Phase, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::math::rsqrt_fast;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{LocalEv, LocalFe, Prepared, VE, VV};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

/// The cotangents and mixed Voronoi areas of a triangle's corners; zero for a degenerate one.
#[inline(always)]
pub fn corner_weights(x: Vec3, y: Vec3, z: Vec3) -> (Vec3, Vec3) {
    let (xy, yz, zx) = (y - x, z - y, x - z);
    let n = xy.cross(yz);
    let n2 = n.dot(n);
    // Not a number counts as degenerate too.
    if n2.is_nan() || n2 <= 0.0 {
        return (Vec3::ZERO, Vec3::ZERO);
    }
    let over_area2 = rsqrt_fast(n2);
    let area2 = n2 * over_area2;
    let cot = Vec3::new(-xy.dot(zx), -xy.dot(yz), -yz.dot(zx)) * over_area2;
    let (lxy, lyz, lzx) = (xy.dot(xy), yz.dot(yz), zx.dot(zx));
    let voronoi = Vec3::new(
        lxy * cot.z + lzx * cot.y,
        lxy * cot.z + lyz * cot.x,
        lyz * cot.x + lzx * cot.y,
    ) * 0.125;
    let obtuse = cot.min_element() < 0.0;
    let share = |c: f32| if c < 0.0 { 0.25 * area2 } else { 0.125 * area2 };
    let area = if obtuse {
        Vec3::new(share(cot.x), share(cot.y), share(cot.z))
    } else {
        voronoi
    };
    (cot, area)
}

/// Fields and shared memory of the kernels that compute weights from positions.
#[derive(Clone, Copy)]
pub struct Tables {
    scratch: Shared<u32>,
    ev: LocalEv,
    fe: LocalFe,
    /// `2 e + d`: the cotangent opposite to edge `e` in the face that runs along it in direction `d`.
    sides: Shared<f32>,
}

impl Tables {
    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Tables {
        Tables {
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

    /// The cotangents and areas of a face's corners, and its sides.
    #[inline(always)]
    fn corners(&self, x0: Staged<Vertex, Vec3>, f: u32) -> ([u32; 3], [u32; 3], Vec3, Vec3) {
        let sides = self.fe.sides(f);
        let v = sides.map(|s| self.ev.start(s));
        let [x, y, z] = v.map(|v| x0.at(v));
        let (cot, area) = corner_weights(x, y, z);
        (sides, v, cot, area)
    }

    /// Gives a face's cotangents to its sides. In a patch where no two faces run along an edge in the same direction each side has a
    /// place of its own; otherwise they are added up atomically.
    #[inline(always)]
    fn put(&self, regular: bool, sides: [u32; 3], cot: Vec3) {
        // The angle opposite to side 0 is at corner 2.
        if regular {
            self.sides.set(sides[0], cot.z);
            self.sides.set(sides[1], cot.x);
            self.sides.set(sides[2], cot.y);
        } else {
            self.sides.add(sides[0], cot.z);
            self.sides.add(sides[1], cot.x);
            self.sides.add(sides[2], cot.y);
        }
    }

    /// The weight of an edge.
    #[inline(always)]
    fn weight(&self, e: u32) -> f32 {
        (self.sides.get(2 * e) + self.sides.get(2 * e + 1)).max(0.0)
    }

    /// The vertex at the other end of an edge.
    #[inline(always)]
    fn other(&self, e: u32, v: u32) -> u32 {
        let (s, t) = self.ev.edge(e);
        s ^ t ^ v
    }
}

kernel! {
    /// What does not change from product to product: areas, the diagonal, which patches are regular, and, when they are to be kept, the
    /// weights as the rows of a sparse matrix that is local to each patch.
    pub struct McfSetup: Patch {
        /// Positions that the weights come from.
        pub x0: Staged<Vertex, Vec3>,
        /// Edges of vertices.
        pub ve: Prepared<VE>,
        /// Neighbours of vertices; used when weights are kept.
        pub vv: Prepared<VV>,
        /// `2 A_i`.
        pub mass: GlobalMut<f32>,
        /// One over the diagonal; empty when it is not wanted.
        pub inverse: GlobalMut<f32>,
        /// `dt w_ij`, a value for each entry of the tables of `vv`; empty when weights are not kept.
        pub weights: GlobalMut<f32>,
        /// One word a patch: whether no two faces run along an edge in the same direction.
        pub regular: GlobalMut<u32>,
        /// Time step, in squared length units.
        pub dt: f32,
    }
}

/// What [`McfSetup`] keeps in shared memory.
#[derive(Clone, Copy)]
pub struct SetupTables {
    tables: Tables,
    areas: Shared<f32>,
    met: Shared<u32>,
    clash: Shared<u32>,
}

impl PatchKernel for McfSetup {
    type Tables = SetupTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> SetupTables {
        Fields::carve(self, h, plan);
        SetupTables {
            tables: Tables::carve(h, plan),
            areas: plan.take(u32::from(h.owned[0])),
            met: plan.take(2 * u32::from(h.total[1])),
            clash: plan.take(1),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &SetupTables) {
        let (owned, base) = (patch.owned::<Vertex>(), patch.base::<Vertex>());
        b.phase(|p| {
            self.load(p, patch);
            t.tables.load(p, patch);
            p.each(owned, |v| t.areas.set(v, 0.0));
            p.each(2 * patch.total::<Edge>(), |k| t.met.set(k, 0));
            p.lead(|| t.clash.set(0, 0));
        });
        b.each(patch.total::<Face>(), |f| {
            let (sides, v, cot, area) = t.tables.corners(self.x0, f);
            t.tables.put(false, sides, cot);
            let add = |v: u32, a: f32| {
                if v < owned {
                    t.areas.add(v, a);
                }
            };
            add(v[0], area.x);
            add(v[1], area.y);
            add(v[2], area.z);
            for side in sides {
                if t.met.fetch_add(side, 1) != 0 {
                    t.clash.fetch_or(0, 1);
                }
            }
        });
        b.last_phase(|p| {
            p.lead(|| self.regular.set(patch.id(), u32::from(t.clash.get(0) == 0)));
            p.each(owned, |v| {
                let mass = 2.0 * t.areas.get(v);
                self.mass.set(base + v, mass);
                let diagonal = mass + self.dt * self.keep_row(patch, t, v);
                if !self.inverse.is_empty() {
                    // A vertex without area and weights has a row of zeroes, and a residual of zero.
                    let inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
                    self.inverse.set(base + v, inverse);
                }
            });
        });
    }
}

impl McfSetup {
    /// The sum of a vertex's weights; writes them where they are kept.
    #[inline(always)]
    fn keep_row(&self, patch: &Patch, t: &SetupTables, v: u32) -> f32 {
        let edges = self.ve.table(patch).row(v);
        let mut sum = 0.0;
        for e in edges {
            sum += t.tables.weight(e);
        }
        if !self.weights.is_empty() {
            let vv = self.vv.table(patch);
            let place = self.vv.place(patch);
            let (lo, hi) = vv.bounds(v);
            let mut at = lo;
            while at < hi {
                // Rows are short: the edge to a neighbour is looked for.
                let w = vv.value(at);
                for e in edges {
                    if t.tables.other(e, v) == w {
                        self.weights.set(place + at, self.dt * t.tables.weight(e));
                    }
                }
                at += 1;
            }
        }
        sum
    }
}

/// A row of the product, its part of the dot product, or what both are at the start.
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

/// Ends a product's launch.
#[inline(always)]
fn finish<B: Block>(
    b: B,
    patch: &Patch,
    d: &CgVector,
    q: GlobalMut<Vec3>,
    sums: CgSums,
    scratch: Shared<u32>,
    product: f64,
) {
    if d.start == 0 {
        sums.alpha(b, patch.id(), scratch, product);
        return;
    }
    let base = patch.base::<Vertex>();
    let rz = if d.inverse.is_empty() {
        product
    } else {
        b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let r = q.get(base + v);
            f64::from(r.dot(d.precondition(r, base + v)))
        })
    };
    sums.start(b, patch.id(), scratch, (rz, product));
}

kernel! {
    /// `q = M d`, the weights computed anew; or, to start the solver, `q = b - M x0`.
    pub struct McfProduct: Patch {
        /// Positions that the weights come from.
        pub x0: Staged<Vertex, Vec3>,
        /// The vector to multiply.
        pub d: CgVector,
        /// Edges of vertices.
        pub ve: Prepared<VE>,
        /// `2 A_i`.
        pub mass: Global<f32>,
        /// One word a patch, of [`McfSetup`].
        pub regular: Global<u32>,
        /// The product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// The dot products.
        pub sums: CgSums,
        /// Time step, in squared length units.
        pub dt: f32,
    }
}

impl PatchKernel for McfProduct {
    const THREADS: u32 = 192;
    type Tables = Tables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Tables {
        Fields::carve(self, h, plan);
        Tables::carve(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Tables) {
        if self.d.done() {
            return;
        }
        b.phase(|p| {
            self.load(p, patch);
            t.load(p, patch);
        });
        let regular = self.regular.get(patch.id()) != 0;
        b.each(patch.total::<Face>(), |f| {
            let (sides, _, cot, _) = t.corners(self.x0, f);
            t.put(regular, sides, cot);
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
        finish(b, patch, &self.d, self.q, self.sums, t.scratch, product);
    }
}

kernel! {
    /// `q = M d` with the weights that [`McfSetup`] kept; or, to start the solver, `q = b - M x0`.
    pub struct McfAssembled: Patch {
        /// The vector to multiply.
        pub d: CgVector,
        /// Neighbours of vertices.
        pub vv: Prepared<VV>,
        /// `dt w_ij`, a value for each entry of the tables of `vv`.
        pub weights: Global<f32>,
        /// `2 A_i`.
        pub mass: Global<f32>,
        /// The product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// The dot products.
        pub sums: CgSums,
    }
}

impl PatchKernel for McfAssembled {
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
        let (base, vv) = (patch.base::<Vertex>(), self.vv.table(patch));
        let weights = self.weights.from(self.vv.place(patch));
        let product = b.sum(patch.owned::<Vertex>(), scratch, |v| {
            let (dv, mut sum) = (self.d.at(v), Vec3::ZERO);
            let (mut at, end) = vv.bounds(v);
            while at < end {
                sum += (dv - self.d.at(vv.value(at))) * weights.get(at);
                at += 1;
            }
            let mass = self.mass.get(base + v);
            finish_row(&self.d, mass, self.q, v, base + v, sum)
        });
        finish(b, patch, &self.d, self.q, self.sums, scratch, product);
    }
}
