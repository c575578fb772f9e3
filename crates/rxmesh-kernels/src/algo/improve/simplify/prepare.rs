//! Preparation of a simplification: quadrics, freedom of vertices, costs.

use super::quadric::Quadric;
use super::{EdgeCosts, LineForm, MeshRule, QuadricSurface, RULES, STAYS, SomeLines};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, NONE};
use crate::kernel::FlatKernel;
use crate::lanes::LANES;
use crate::math::{length, normalize_or_zero};
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;
use crate::{args, kernel};
use glam::Vec3;

kernel! {
    /// Computes the quadric of each vertex: the planes of its faces, each times its area, and at the boundary and at
    /// edges that are held planes that stand on them. One index per vertex slot.
    pub struct SimplifyQuadrics: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Destination of the quadrics.
        pub surface: QuadricSurface<SomeLines>,
        /// Marks of edges that are held; empty when there are none.
        pub held: Global<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyQuadrics {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (mesh, s) = (&self.mesh, &self.surface);
        let (mut q, mut lines) = (Quadric::ZERO, Quadric::ZERO);
        let apart = s.lines.quadrics();
        if !mesh.vertex_lives(v) {
            return;
        }
        let at = s.x.get(v);
        let to = |w: u32| (s.x.get(w) - at) * s.scale;
        mesh.each_spoke(v, |h| {
            let leaves = mesh.face(h) != NO_FACE;
            if leaves {
                let normal = face_normal(mesh, s, h);
                let double = length(normal);
                if double > 0.0 {
                    q = q.plus(Quadric::plane(normal, 0.5 / double));
                }
            }
            let comes = mesh.face(h ^ 1) != NO_FACE;
            let weight = if leaves != comes {
                s.boundary(v)
            } else if !self.held.is_empty() && self.held.get(h >> 1) != 0 {
                // A plane on each of the two faces.
                0.5 * s.rule(v, MeshRule::Groups)
            } else {
                0.0
            };
            let mut side = 0;
            while side < 2 && weight > 0.0 {
                let half = h ^ side;
                side += 1;
                if mesh.face(half) != NO_FACE {
                    let up = normalize_or_zero(face_normal(mesh, s, half));
                    let plane = Quadric::plane(to(mesh.tip(h)).cross(up), weight);
                    if apart.is_some() {
                        lines = lines.plus(plane);
                    } else {
                        q = q.plus(plane);
                    }
                }
            }
            true
        });
        s.quadrics.set(v, q.store());
        if let Some(apart) = apart {
            apart.set(v, lines.store());
        }
    }
}

/// Returns the normal of the face of a half-edge, twice its area long.
#[inline(always)]
fn face_normal(mesh: &impl HalfEdgeMesh, s: &QuadricSurface<SomeLines>, h: u32) -> Vec3 {
    let a = s.x.get(mesh.origin(h));
    let to = |w: u32| (s.x.get(w) - a) * s.scale;
    to(mesh.tip(h)).cross(to(mesh.apex(h)))
}

kernel! {
    /// Makes the vertices of the boundary stay, unless they are held more firmly. One index per edge slot.
    pub struct SimplifyBorders: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// As [`QuadricSurface::rules`], whose [`MeshRule::Keep`] says of which meshes.
        pub rules: Global<f32>,
        /// Number of the mesh of each vertex; empty if all are in the first.
        pub parts: Global<u32>,
        /// See [`QuadricSurface::holds`].
        pub holds: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyBorders {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (mesh, holds) = (&self.mesh, &self.holds);
        if !mesh.edge_lives(e) || mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE {
            return;
        }
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let part = label_of(self.parts, a);
        if self.rules.get(part * RULES + MeshRule::Keep as u32) != 0.0 {
            holds.raise(a, STAYS);
            holds.raise(b, STAYS);
        }
    }
}

args! {
    /// Cost of each edge. One index for each [`SimplifyCosts::edges`] slots of edges.
    pub struct SimplifyCosts<L: LineForm> {
        /// Costs; [`NONE`] for dead and locked edges.
        pub costs: EdgeCosts<L>,
        /// Edges an index: 1, or on a CPU [`COSTS_ALONE`].
        pub edges: u32,
    }
}

/// Edges whose costs a CPU computes at a time.
pub const COSTS_ALONE: u32 = LANES as u32;

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl<L: LineForm> FlatKernel for SimplifyCosts<L> {
    #[inline(always)]
    fn run(&self, i: u32) {
        if cfg!(not(target_arch = "nvptx64")) && self.edges == COSTS_ALONE {
            return self.several(COSTS_ALONE * i);
        }
        if self.costs.mesh.edge_lives(i) {
            self.costs.renew(i);
        } else {
            self.costs.costs.set(i, NONE);
        }
    }
}

impl<L: LineForm> SimplifyCosts<L> {
    /// Computes the costs of [`COSTS_ALONE`] edges from `first` on, or of those that exist.
    #[inline(always)]
    fn several(&self, first: u32) {
        let EdgeCosts { mesh, costs, .. } = &self.costs;
        let (mut live, mut n) = ([NONE; COSTS_ALONE as usize], 0);
        let mut e = first;
        while e < costs.len().min(first + COSTS_ALONE) {
            if mesh.edge_lives(e) {
                live[n] = e;
                n += 1;
            } else {
                costs.set(e, NONE);
            }
            e += 1;
        }
        if n > 0 {
            self.costs.renew_four(&live[..n]);
        }
    }
}
