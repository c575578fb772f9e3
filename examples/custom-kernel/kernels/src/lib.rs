//! Two kernels of a cloth, how much each edge bends and a step of smoothing, and an operator that changes its
//! connectivity where it bends; and an elastic solid ([`solid`]).
//!
//! `no_std`: the same source becomes PTX for the GPU and ordinary functions for the CPU.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

pub mod solid;

use rxmesh_kernels::attr::{Read, Staged, Write};
use rxmesh_kernels::cavity::{
    Cavity, Growth, Hole, Operator, Origin, Priority, Seed, Site, template,
};
use rxmesh_kernels::edit::{HalfEdgeMesh, NO_FACE};
use rxmesh_kernels::kernel::ForEach;
use rxmesh_kernels::math::normalize_or_zero;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::query::{EF, FV, Neighbours, Table, VV};
use rxmesh_kernels::topo::{Edge, Face, Local, Owned, Vertex};
use rxmesh_kernels::{Vec3, kernel, kernels};

kernel! {
    /// Computes the bending energy of each edge: `1 - cos` of the angle between the normals of its two faces, times the
    /// stiffness. Zero on a boundary.
    ///
    /// Two relations in one kernel: the faces of the edge, then the vertices of these faces.
    pub struct Bending: ForEach<(EF, FV)> {
        /// Positions of the vertices.
        pub x: Read<Vertex, Vec3>,
        /// The energy of each edge.
        pub energy: Write<Edge, f32>,
        /// Energy of a right angle.
        pub stiffness: f32,
    }
}

impl ForEach<(EF, FV)> for Bending {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, (faces, fv): (Neighbours<EF>, Table<FV>)) {
        let energy = if faces.len() == 2 {
            let (n, m) = (self.normal(faces.get(0), fv), self.normal(faces.get(1), fv));
            self.stiffness * (1.0 - n.dot(m))
        } else {
            0.0
        };
        self.energy.set(e, energy);
    }
}

impl Bending {
    #[inline(always)]
    fn normal(&self, f: Local<Face>, fv: Table<FV>) -> Vec3 {
        let v = fv.of(f);
        let (a, b, c) = (
            self.x.get(v.get(0)),
            self.x.get(v.get(1)),
            self.x.get(v.get(2)),
        );
        normalize_or_zero((b - a).cross(c - a))
    }
}

kernel! {
    /// Moves each vertex part of the way to the mean of its neighbours: the uniform Laplacian.
    ///
    /// Positions are staged: each block loads those of its vertices and of their neighbours into shared memory, once.
    pub struct Smooth: ForEach<VV> {
        /// Positions of the vertices.
        pub x: Staged<Vertex, Vec3>,
        /// New positions: another attribute, because neighbours read the old ones.
        pub y: Write<Vertex, Vec3>,
        /// Part of the way, from 0 to 1.
        pub step: f32,
    }
}

impl ForEach<VV> for Smooth {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let here = self.x.get(v.any());
        let mut sum = Vec3::ZERO;
        for w in ring.iter() {
            sum += self.x.get(w) - here;
        }
        let n = ring.len().max(1) as f32;
        self.y.set(v, here + sum * (self.step / n));
    }
}

kernel! {
    /// Splits edges in their middle that are longer than some length and at which the cloth bends.
    pub struct Refine: Flat {
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// The square of the length.
        pub longest: f32,
        /// The cosine of the angle between the normals of an edge's faces above which it counts as flat.
        pub flat: f32,
    }
}

impl Refine {
    /// The squared length of an edge.
    #[inline(always)]
    fn square(&self, mesh: &impl HalfEdgeMesh, e: u32) -> f32 {
        let d = self.x.get(mesh.tip(2 * e)) - self.x.get(mesh.origin(2 * e));
        d.dot(d)
    }

    /// Returns `true` if the cloth bends at an inner edge.
    #[inline(always)]
    fn bends(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        let inside = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
        inside && self.normal(mesh, 2 * e).dot(self.normal(mesh, 2 * e + 1)) < self.flat
    }

    /// The normal of a half-edge's face.
    #[inline(always)]
    fn normal(&self, mesh: &impl HalfEdgeMesh, half: u32) -> Vec3 {
        let (a, b) = (self.x.get(mesh.origin(half)), self.x.get(mesh.tip(half)));
        let c = self.x.get(mesh.tip(mesh.next(half)));
        normalize_or_zero((b - a).cross(c - a))
    }
}

// SAFETY: `candidate` and `plan` only read, and `fill` writes where the vertex is that it has added: no other cavity
// has it. Ids are the mesh's (contracts U3 and U4 of rxmesh's docs/inside/unsafe.md).
unsafe impl Operator for Refine {
    /// Around an edge its faces are deleted, and with them the edge.
    type Template = template::E;
    /// The ends of the edge, and its middle.
    type Plan = ([u32; 2], Vec3);
    /// A vertex more in a hole takes three edges and two faces more.
    const GROWTH: Growth = Growth::VERTEX;

    #[inline(always)]
    fn template(&self) -> template::E {
        template::E
    }

    /// Asked of every edge. Of two that share a face the longer one wins the round.
    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let square = self.square(mesh, seed.0);
        (square > self.longest && self.bends(mesh, seed.0)).then(|| Priority::descending(square))
    }

    /// Reads the elements that are about to be deleted.
    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> Self::Plan {
        let e = cavity.seed();
        let ends = [cavity.mesh().origin(2 * e), cavity.mesh().tip(2 * e)];
        (ends, (self.x.get(ends[0]) + self.x.get(ends[1])) * 0.5)
    }

    /// Fills the hole with a star around the midpoint. Its edges are candidates of the next round: halves may still be
    /// too long.
    #[inline(always)]
    fn fill(&self, ([a, b], middle): Self::Plan, hole: &mut Hole<'_, impl Site>) {
        let v = hole.add_vertex_at(Origin::between(a, b, 0.5));
        self.x.set(v.id(), middle);
        let queue = hole.queue();
        hole.add_star_with(v, |edge, _| queue.again(edge.edge()));
    }
}

kernels! {
    /// Kernels of the PTX; `Engine::load_ptx` compares their fingerprint.
    pub KERNELS = "cloth_fingerprint";
    patch cloth_bending: Bending;
    // As `patch`, and again with VV prepared.
    prepared cloth_smooth: Smooth;
    // The operator: three PTX entries, `rx_cloth_refine_claim`, `_resolve` and `_fill`.
    operator cloth_refine: Refine;
    patch cloth_solid_forces: solid::Forces;
    patch cloth_solid_step: solid::SolidStep;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "cloth_fingerprint";
