//! Lengths, and moving a mesh into a comfortable frame.

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::{FlatKernel, ForEach};
use crate::math::length;
use crate::mem::GlobalMut;
use crate::query::{EV, Neighbours};
use crate::topo::{Edge, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch edge_lengths: EdgeLengths;
    flat affine: Affine;
}

kernel! {
    /// The length of each edge.
    pub struct EdgeLengths: ForEach<EV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Lengths.
        pub length: Write<Edge, f32>,
    }
}

impl ForEach<EV> for EdgeLengths {
    #[inline(always)]
    fn run(&self, e: Owned<Edge>, v: Neighbours<EV>) {
        self.length
            .set(e, length(self.x.get(v.get(0)) - self.x.get(v.get(1))));
    }
}

kernel! {
    /// `x = (x - origin) * scale + shift`, in place.
    pub struct Affine: Flat {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Subtracted first.
        pub origin: Vec3,
        /// Multiplied with the difference.
        pub scale: f32,
        /// Added last.
        pub shift: Vec3,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl FlatKernel for Affine {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.x
            .set(i, (self.x.get(i) - self.origin) * self.scale + self.shift);
    }
}
