//! Kernels: one source for the GPU and the CPU.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// Brings the panic handler into the device build.
#[cfg(target_arch = "nvptx64")]
use cuda_std as _;

use rxmesh_kernels::{
    Alone, ForEach, Neighbours, Owned, Read, VV, Vec3, Vertex, Write, kernel, kernels,
};

kernel! {
    /// Moves each vertex part of the way to the mean of its neighbours.
    pub struct Smooth: ForEach<VV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// New positions: another attribute, because neighbours read the old ones.
        pub y: Write<Vertex, Vec3>,
        /// Part of the way, from 0 to 1.
        pub step: f32,
    }
}

impl ForEach<VV> for Smooth {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, ring: Neighbours<VV>) {
        let here = self.x.get(v);
        let mut sum = Vec3::ZERO;
        for w in ring.iter() {
            sum += self.x.get(w) - here;
        }
        let n = ring.len().max(1) as f32;
        self.y.set(v, here + sum * (self.step / n));
    }
}

kernel! {
    /// Multiplies the position of each vertex.
    pub struct Scale: ForEach<Alone<Vertex>> {
        /// Positions.
        pub x: Write<Vertex, Vec3>,
        /// Factor.
        pub factor: f32,
    }
}

impl ForEach<Alone<Vertex>> for Scale {
    #[inline(always)]
    fn run(&self, v: Owned<Vertex>, (): ()) {
        self.x.set(v, self.x.get(v) * self.factor);
    }
}

kernels! {
    /// List that `Engine::load_ptx` compares with the PTX.
    pub KERNELS = "{{snake}}_fingerprint";
    patch {{snake}}_smooth: Smooth;
    patch {{snake}}_scale: Scale;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "{{snake}}_fingerprint";
