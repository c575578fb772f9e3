//! Areas, weights and one over the diagonal, computed once.

use super::McfTables;
use crate::attr::Staged;
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{Fields, PatchKernel};
use crate::mem::{GlobalMut, Plan, Shared};
use crate::query::{Fans, Prepared, VE, VV};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel! {
    /// Computes the data that do not change from product to product: areas, the diagonal, flags of regular patches and,
    /// if they are to be kept, the weights as the rows of a sparse matrix that is local to each patch.
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
        /// Corners of vertices in fan order; used when weights are not kept.
        pub fans: Prepared<Fans>,
        /// One word per patch: [`REGULAR`] if the faces of each of its vertices form one fan, closed or open.
        pub regular: GlobalMut<u32>,
        /// Time step, in squared length units.
        pub dt: f32,
    }
}

/// Flag of a patch whose vertices have one fan of faces each.
pub const REGULAR: u32 = 1;

/// Shared memory of [`McfSetup`].
#[derive(Clone, Copy)]
pub struct SetupTables {
    tables: McfTables,
    areas: Shared<f32>,
    /// `2 e + d`: number of faces that run along edge `e` in direction `d`.
    met: Shared<u32>,
    irregular: Shared<u32>,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for McfSetup {
    type Tables = SetupTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> SetupTables {
        Fields::carve(self, h, plan);
        SetupTables {
            tables: McfTables::carve(h, plan),
            areas: plan.take(u32::from(h.owned[0])),
            met: plan.take(2 * u32::from(h.total[1])),
            irregular: plan.take(1),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &SetupTables) {
        let owned = patch.owned::<Vertex>();
        b.phase(|p| {
            self.load(p, patch);
            t.tables.load(p, patch);
            p.each(owned, |v| t.areas.set(v, 0.0));
            p.each(2 * patch.total::<Edge>(), |k| t.met.set(k, 0));
            p.lead(|| t.irregular.set(0, 0));
        });
        b.each(patch.total::<Face>(), |f| {
            let (sides, v, cot, area) = t.tables.corners(self.x0, f);
            t.tables.add(sides, cot);
            let add = |v: u32, a: f32| {
                if v < owned {
                    t.areas.add(v, a);
                }
            };
            add(v[0], area.x);
            add(v[1], area.y);
            add(v[2], area.z);
            for side in sides {
                t.met.fetch_add(side, 1);
            }
        });
        b.each(owned, |v| self.vertex(patch, t, v));
        b.last_phase(|p| {
            p.lead(|| {
                let regular = if t.irregular.get(0) == 0 { REGULAR } else { 0 };
                self.regular.set(patch.id(), regular);
            });
        });
    }
}

impl McfSetup {
    /// Computes area, diagonal and kept weights of a vertex.
    #[inline(always)]
    fn vertex(&self, patch: &Patch, t: &SetupTables, v: u32) {
        let linear = patch.base::<Vertex>() + v;
        let mass = 2.0 * t.areas.get(v);
        self.mass.set(linear, mass);
        let edges = self.ve.table(patch).row(v);
        let (mut sum, mut regular) = (0.0, true);
        for e in edges {
            sum += t.tables.weight(e);
            regular &= t.met.get(2 * e) <= 1 && t.met.get(2 * e + 1) <= 1;
        }
        if !self.inverse.is_empty() {
            let diagonal = mass + self.dt * sum;
            // A vertex without area and weights has a row of zeroes, and a residual of zero.
            let inverse = if diagonal > 0.0 { 1.0 / diagonal } else { 0.0 };
            self.inverse.set(linear, inverse);
        }
        if self.weights.is_empty() {
            // With at most one face an edge and direction a row that is one chain is one fan.
            if !(regular && self.is_chain(patch, v)) {
                t.irregular.fetch_or(0, 1);
            }
        } else {
            self.keep_row(patch, t, v);
        }
    }

    /// Returns `true` if each face of a vertex begins where the preceding one ends.
    #[inline(always)]
    fn is_chain(&self, patch: &Patch, v: u32) -> bool {
        let fans = self.fans.table(patch);
        let (lo, hi) = fans.bounds(v);
        let mut at = lo + 2;
        while at < hi && fans.value(at) == fans.value(at - 1) {
            at += 2;
        }
        at >= hi
    }

    /// Keeps the weights of a vertex as a row of the matrix.
    #[inline(always)]
    fn keep_row(&self, patch: &Patch, t: &SetupTables, v: u32) {
        let (vv, edges) = (self.vv.table(patch), self.ve.table(patch).row(v));
        let place = self.vv.place(patch);
        let (lo, hi) = vv.bounds(v);
        // Neighbours come in the order of the edges, or in ascending order; an edge from a vertex to itself has none.
        let mut k = lo;
        for e in edges {
            let w = t.tables.other(e, v);
            if w == v {
                continue;
            }
            let at = if k < hi && vv.value(k) == w {
                k
            } else {
                let (mut low, mut high) = (lo, hi);
                while low < high {
                    let middle = (low + high) / 2;
                    if vv.value(middle) < w {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                low
            };
            if at < hi && vv.value(at) == w {
                self.weights.set(place + at, self.dt * t.tables.weight(e));
            }
            k += 1;
        }
    }
}
