//! Laplacian smoothing: each vertex moves towards, or away from, the weighted mean of its neighbours
//! (Taubin 1995, "A signal processing approach to fair surface design", sections 2 and 3).

use crate::algo::measure::corners::corner_weights;
use crate::algo::measure::fans::{REGULAR, each_weight};
use crate::attr::{Read, Staged, Write};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{Fields, ForEach, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{Fans, LocalEv, Neighbours, Prepared, VV};
use crate::topo::{Edge, Face, Owned, Patch, PatchHeader, Vertex};
use glam::Vec3;

kernel_list! {
    prepared smooth_uniform: SmoothUniform;
    patch smooth_cotangent: SmoothCotangent;
    patch smooth_fans: SmoothFans;
}

kernel! {
    /// Computes `y = x + factor * (mean of the neighbours - x)`.
    pub struct SmoothUniform: ForEach<VV> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// New positions.
        pub y: Write<Vertex, Vec3>,
        /// Part of the way to go.
        pub factor: f32,
    }
}

impl ForEach<VV> for SmoothUniform {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let x = self.x.get(v.any());
        if ring.is_empty() || self.fixed.get(v) != 0 {
            self.y.set(v, x);
            return;
        }
        // Summed as differences, which keeps the digits of a mesh far from the origin.
        let mut sum = Vec3::ZERO;
        for w in ring.iter() {
            sum += self.x.get(w) - x;
        }
        self.y.set(v, x + sum * (self.factor / ring.len() as f32));
    }
}

kernel! {
    /// Computes `y = x + factor * (weighted mean of the neighbours - x)` with weights `max(0, cot a + cot b)` of the
    /// current positions, in patches that are not regular.
    pub struct SmoothCotangent: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// One word per patch, of [`RegularPatches`](crate::algo::measure::fans::RegularPatches).
        pub regular: Global<u32>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// New positions.
        pub y: GlobalMut<Vec3>,
        /// Part of the way to go.
        pub factor: f32,
        /// Factor that brings lengths near one.
        pub scale: f32,
    }
}

/// Shared memory of the kernel.
#[derive(Clone, Copy)]
pub struct SmoothTables {
    ev: LocalEv,
    weights: Shared<f32>,
    sums: Shared<f32>,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SmoothCotangent {
    type Tables = SmoothTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> SmoothTables {
        Fields::carve(self, h, plan);
        SmoothTables {
            ev: LocalEv::carve(h, plan),
            weights: plan.take(u32::from(h.total[1])),
            sums: plan.take(4 * u32::from(h.owned[0])),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &SmoothTables) {
        if self.regular.get(patch.id()) == REGULAR {
            return;
        }
        let (owned, edges) = (patch.owned::<Vertex>(), patch.total::<Edge>());
        b.phase(|p| {
            self.load(p, patch);
            t.ev.load(p, patch);
            p.each(edges, |e| t.weights.set(e, 0.0));
            p.each(4 * owned, |k| t.sums.set(k, 0.0));
        });
        b.each(patch.total::<Face>(), |f| self.add_face(patch, t, f));
        b.each(edges, |e| self.add_edge(patch, t, owned, e));
        b.last_phase(|p| p.each(owned, |v| self.finish(patch, t, v)));
    }
}

impl SmoothCotangent {
    /// Adds a face's cotangents to its edges.
    #[inline(always)]
    fn add_face(&self, patch: &Patch, t: &SmoothTables, f: u32) {
        let sides = patch.face_edges(f);
        let [x, y, z] = sides.map(|s| self.x.at(t.ev.start(s)));
        let (cot, _) = corner_weights(Vec3::ZERO, (y - x) * self.scale, (z - x) * self.scale);
        t.weights.add(sides[0] >> 1, cot.z);
        t.weights.add(sides[1] >> 1, cot.x);
        t.weights.add(sides[2] >> 1, cot.y);
    }

    /// Adds an edge's weighted difference to its owned vertices.
    #[inline(always)]
    fn add_edge(&self, patch: &Patch, t: &SmoothTables, owned: u32, e: u32) {
        let (i, j) = patch.edge_vertices(e);
        let w = t.weights.get(e).max(0.0);
        let diff = (self.x.at(j) - self.x.at(i)) * w;
        let add = |v: u32, d: Vec3| {
            if v < owned {
                t.sums.add(4 * v, d.x);
                t.sums.add(4 * v + 1, d.y);
                t.sums.add(4 * v + 2, d.z);
                t.sums.add(4 * v + 3, w);
            }
        };
        add(i, diff);
        add(j, -diff);
    }

    /// Writes a vertex's new position.
    #[inline(always)]
    fn finish(&self, patch: &Patch, t: &SmoothTables, v: u32) {
        let sum = Vec3::new(
            t.sums.get(4 * v),
            t.sums.get(4 * v + 1),
            t.sums.get(4 * v + 2),
        );
        let stays = self.fixed.get(patch.own::<Vertex>(v)) != 0;
        let moved = moved(self.x.at(v), sum, t.sums.get(4 * v + 3), self.factor, stays);
        self.y.set(patch.base::<Vertex>() + v, moved);
    }
}

/// Returns the new position of a vertex, given its sum of weighted differences and its sum of weights.
#[inline(always)]
fn moved(x: Vec3, sum: Vec3, weight: f32, factor: f32, stays: bool) -> Vec3 {
    if weight > 0.0 && !stays {
        x + sum * (factor / weight)
    } else {
        x
    }
}

kernel! {
    /// Works like [`SmoothCotangent`], in regular patches: each vertex walks around itself.
    pub struct SmoothFans: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Corners of vertices, in fan order.
        pub fans: Prepared<Fans>,
        /// One word per patch, of [`RegularPatches`](crate::algo::measure::fans::RegularPatches).
        pub regular: Global<u32>,
        /// Nonzero for vertices that stay.
        pub fixed: Read<Vertex, u32>,
        /// New positions.
        pub y: GlobalMut<Vec3>,
        /// Part of the way to go.
        pub factor: f32,
        /// Factor that brings lengths near one.
        pub scale: f32,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for SmoothFans {
    const THREADS: u32 = 128;
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        if self.regular.get(patch.id()) != REGULAR {
            return;
        }
        b.phase(|p| self.load(p, patch));
        let (base, fans) = (patch.base::<Vertex>(), self.fans.table(patch));
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                let (mut sum, mut weight) = (Vec3::ZERO, 0.0);
                each_weight(
                    fans,
                    v,
                    self.scale,
                    |w| self.x.at(w),
                    |_, difference, w| {
                        sum += difference * w;
                        weight += w;
                    },
                );
                let stays = self.fixed.get(patch.own::<Vertex>(v)) != 0;
                // The differences are scaled.
                let factor = self.factor / self.scale;
                self.y
                    .set(base + v, moved(self.x.at(v), sum, weight, factor, stays));
            });
        });
    }
}
