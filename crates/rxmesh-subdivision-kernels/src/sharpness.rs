//! Sharpness of edges and vertices (DeRose, Kass and Truong 1998; rules and names as in OpenSubdiv's `Sdc::Crease`).
//!
//! Sharpness is the number of levels for which an edge stays a crease and a vertex a corner; a fraction below 1 blends
//! the sharp rule with the smooth one. [`INFINITE`] and above never decreases.

use crate::build::Neighbourhood;
use crate::topology::{NONE, Topology};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat sharpness_find: FindEdges;
    flat sharpness_edges: EdgeSharpness;
    flat sharpness_vertices: VertexSharpness;
}

/// Sharpness that never decreases.
pub const INFINITE: f32 = 10.0;

/// Sharpness of a boundary edge that is given as infinitely sharp, in addition to being a boundary.
pub const BY_ITSELF: f32 = f32::MAX;

/// Returns the sharpness after some levels of the uniform rule.
#[inline(always)]
pub fn after(sharpness: f32, levels: u32) -> f32 {
    if sharpness >= INFINITE {
        sharpness
    } else {
        let rest = sharpness - levels as f32;
        if rest > 0.0 { rest } else { 0.0 }
    }
}

args! {
    /// Sharpness of a mesh's edges and vertices at the level of the mesh.
    pub struct Sharpness {
        /// Sharpness of each edge, including boundary edges ([`INFINITE`] or [`BY_ITSELF`]); empty when none is listed.
        pub edges: Global<f32>,
        /// Sharpness of each vertex; empty when all are smooth.
        pub vertices: Global<f32>,
    }
}

impl Sharpness {
    /// Returns the sharpness of the edge of a half-edge: infinite at a boundary.
    #[inline(always)]
    pub fn edge(&self, mesh: &Topology, h: u32) -> f32 {
        if mesh.twin(h) == NONE {
            INFINITE
        } else if self.edges.is_empty() {
            0.0
        } else {
            self.edges.get(mesh.edges.get(h))
        }
    }

    /// Returns the sharpness of a vertex.
    #[inline(always)]
    pub fn vertex(&self, v: u32) -> f32 {
        if self.vertices.is_empty() {
            0.0
        } else {
            self.vertices.get(v)
        }
    }
}

kernel! {
    /// Finds edges by their ends; `last` is initially zero.
    pub struct FindEdges: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Two vertices per item.
        pub ends: Global<u32>,
        /// 1 + the last item that names each edge, 0 if none does.
        pub last: GlobalMut<u32>,
        /// First item whose vertices have no common edge, [`NONE`] if there is none.
        pub missing: GlobalMut<u32>,
    }
}

// SAFETY: results are written atomically; the host has checked the ids (contracts U3, U4).
unsafe impl FlatKernel for FindEdges {
    #[inline(always)]
    fn run(&self, i: u32) {
        let m = self.mesh;
        let (u, v) = (self.ends.get(2 * i), self.ends.get(2 * i + 1));
        let (first, end) = m.row(u);
        for at in first..end {
            let h = m.entries.get(at);
            let before = m.prev(h);
            let half = if m.target(h) == v {
                h
            } else if m.origin(before) == v {
                before
            } else {
                continue;
            };
            self.last.raise(m.edges.get(half), i + 1);
            return;
        }
        self.missing.fetch_min(0, i);
    }
}

kernel! {
    /// Computes the sharpness of each edge.
    pub struct EdgeSharpness: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Last item of each edge, as [`FindEdges::last`].
        pub last: Global<u32>,
        /// Sharpness of each item.
        pub values: Global<f32>,
        /// Sharpness of each edge.
        pub edges: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for EdgeSharpness {
    #[inline(always)]
    fn run(&self, e: u32) {
        let last = self.last.get(e);
        let given = if last == 0 {
            0.0
        } else {
            self.values.get(last - 1)
        };
        let boundary = self.mesh.twin(self.mesh.halves.get(e)) == NONE;
        let s = match (boundary, given >= INFINITE) {
            (false, _) => given,
            (true, false) => INFINITE,
            (true, true) => BY_ITSELF,
        };
        self.edges.set(e, s);
    }
}

kernel! {
    /// Makes vertices sharp whose neighbourhood requires it: those of several fans, and those of one face.
    pub struct VertexSharpness: Flat {
        /// An [`Neighbourhood`] per vertex.
        pub around: Global<u32>,
        /// 1 if vertices of one face are sharp, else 0.
        pub corners: u32,
        /// Sharpness of each vertex.
        pub vertices: GlobalMut<f32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for VertexSharpness {
    #[inline(always)]
    fn run(&self, v: u32) {
        let around = self.around.get(v);
        let corner = around == Neighbourhood::Corner as u32 && self.corners != 0;
        if corner || around == Neighbourhood::Fans as u32 {
            self.vertices.set(v, INFINITE);
        }
    }
}
