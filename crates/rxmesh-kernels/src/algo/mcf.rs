//! The matrix of implicit mean curvature flow, matrix-free (RXMesh 2021, section 8.1 and listing 4; Desbrun et al. 1999).
//!
//! Row `i` is `(2 A_i + dt sum_j w_ij) x_i - dt sum_j w_ij x_j` with `w_ij = max(0, cot a_ij + cot b_ij)` and `A_i` the mixed
//! Voronoi area (Meyer et al. 2003), all from the positions `x0`, computed anew at each product. The listing walks
//! the oriented one-ring; here each face adds its three cotangents to its edges and its areas to its corners, which gives the same
//! sums on manifold meshes and defines them on all others.

use crate::algo::cg::Scalars;
use crate::attr::Staged;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::math::rsqrt_fast;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::query::{LocalEv, LocalFe};
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

/// What the kernel keeps in shared memory.
#[derive(Clone, Copy)]
pub struct Tables {
    scratch: Shared<u32>,
    ev: LocalEv,
    fe: LocalFe,
    weights: Shared<f32>,
    areas: Shared<f32>,
    sums: Shared<f32>,
}

kernel! {
    /// `q = M d` and one `d . q` a patch; or, to start the solver, `r = d = b - M x0` and one `r . r` a patch.
    pub struct McfProduct: Patch {
        /// Positions that the weights come from.
        pub x0: Staged<Vertex, Vec3>,
        /// The vector to multiply.
        pub d: Staged<Vertex, Vec3>,
        /// The product, or the residual.
        pub q: GlobalMut<Vec3>,
        /// The first direction; written at the start only.
        pub first: GlobalMut<Vec3>,
        /// One dot product a patch.
        pub partials: GlobalMut<f64>,
        /// The solver's scalars.
        pub scalars: Scalars,
        /// Time step, in squared length units.
        pub dt: f32,
        /// 1 to start the solver, 0 for a product.
        pub start: u32,
    }
}

impl PatchKernel for McfProduct {
    const THREADS: u32 = 192;
    type Tables = Tables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Tables {
        Fields::carve(self, h, plan);
        Tables {
            scratch: plan.take(SCRATCH_WORDS),
            ev: LocalEv::carve(h, plan),
            fe: LocalFe::carve(h, plan),
            weights: plan.take(u32::from(h.total[1])),
            areas: plan.take(u32::from(h.owned[0])),
            sums: plan.take(3 * u32::from(h.owned[0])),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Tables) {
        if self.start == 0 && self.scalars.done() {
            return;
        }
        let (owned, edges) = (patch.owned::<Vertex>(), patch.total::<Edge>());
        b.phase(|p| {
            self.load(p, patch);
            t.ev.load(p, patch);
            t.fe.load(p, patch);
            p.each(edges, |e| t.weights.set(e, 0.0));
            p.each(owned, |v| t.areas.set(v, 0.0));
            p.each(3 * owned, |k| t.sums.set(k, 0.0));
        });
        b.each(patch.total::<Face>(), |f| self.add_face(t, owned, f));
        b.each(edges, |e| self.add_edge(t, owned, e));
        self.finish(b, patch, t, owned);
    }
}

impl McfProduct {
    /// Adds a face's cotangents to its edges and its areas to its owned corners.
    #[inline(always)]
    fn add_face(&self, t: &Tables, owned: u32, f: u32) {
        let sides = t.fe.sides(f);
        let v = sides.map(|s| t.ev.start(s));
        let [x, y, z] = v.map(|v| self.x0.at(v));
        let (cot, area) = corner_weights(x, y, z);
        t.weights.add(sides[0] >> 1, cot.z);
        t.weights.add(sides[1] >> 1, cot.x);
        t.weights.add(sides[2] >> 1, cot.y);
        let add = |v: u32, a: f32| {
            if v < owned {
                t.areas.add(v, a);
            }
        };
        add(v[0], area.x);
        add(v[1], area.y);
        add(v[2], area.z);
    }

    /// Adds an edge's weighted difference to its owned vertices.
    #[inline(always)]
    fn add_edge(&self, t: &Tables, owned: u32, e: u32) {
        let (i, j) = t.ev.edge(e);
        let w = self.dt * t.weights.get(e).max(0.0);
        let diff = (self.d.at(i) - self.d.at(j)) * w;
        let add = |v: u32, d: Vec3| {
            if v < owned {
                t.sums.add(3 * v, d.x);
                t.sums.add(3 * v + 1, d.y);
                t.sums.add(3 * v + 2, d.z);
            }
        };
        add(i, diff);
        add(j, -diff);
    }

    /// Writes the rows and the patch's dot product.
    #[inline(always)]
    fn finish<B: Block>(&self, b: B, patch: &Patch, t: &Tables, owned: u32) {
        let base = patch.base::<Vertex>();
        let start = self.start != 0;
        let product = b.sum(owned, t.scratch, |v| {
            let sum = Vec3::new(
                t.sums.get(3 * v),
                t.sums.get(3 * v + 1),
                t.sums.get(3 * v + 2),
            );
            let d = self.d.at(v);
            if start {
                // b - M x0 with b = 2 A x0: the area terms cancel exactly.
                self.q.set(base + v, -sum);
                self.first.set(base + v, -sum);
                f64::from(sum.x) * f64::from(sum.x)
                    + f64::from(sum.y) * f64::from(sum.y)
                    + f64::from(sum.z) * f64::from(sum.z)
            } else {
                let q = d * (2.0 * t.areas.get(v)) + sum;
                self.q.set(base + v, q);
                f64::from(q.x) * f64::from(d.x)
                    + f64::from(q.y) * f64::from(d.y)
                    + f64::from(q.z) * f64::from(d.z)
            }
        });
        let (partials, id) = (self.partials, patch.id());
        b.last_phase(|p| p.lead(|| partials.set(id, product)));
    }
}
