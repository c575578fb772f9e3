//! Two kernels of a cloth: how much each edge bends, and a step of smoothing.
//!
//! `no_std`: the same source becomes PTX for the GPU and ordinary functions for the CPU.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

use rxmesh_kernels::attr::{Read, Staged, Write};
use rxmesh_kernels::kernel::ForEach;
use rxmesh_kernels::math::normalize_or_zero;
use rxmesh_kernels::query::{EF, FV, Neighbours, Table, VV};
use rxmesh_kernels::topo::{Edge, Face, Local, Owned, Vertex};
use rxmesh_kernels::{Vec3, kernel, kernels};

kernel! {
    /// How much the cloth bends at each edge: `1 - cos` of the angle between the normals of its two faces, times the stiffness.
    /// Nothing on a boundary.
    ///
    /// Two relations in one kernel: the faces of the edge, then the vertices of these faces.
    pub struct Bending: ForEach<(EF, FV)> {
        /// Where the vertices are.
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
        /// Where the vertices are.
        pub x: Staged<Vertex, Vec3>,
        /// Where they go: another attribute, because neighbours read the old place.
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

kernels! {
    /// What `Engine::load_ptx` compares with the PTX.
    pub KERNELS = "cloth_fingerprint";
    patch cloth_bending: Bending;
    // Twice: as it is, and on VV computed once and kept.
    prepared cloth_smooth: Smooth;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "cloth_fingerprint";
