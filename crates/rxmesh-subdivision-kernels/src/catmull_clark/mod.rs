//! Catmull-Clark surfaces of quads without any refined topology.
//!
//! After k levels a base face is a grid of n x n cells, n = 2^k, whose points have ids in closed form: base vertices
//! first, then n - 1 points per edge, from the origin of its lower half-edge on, then (n - 1)^2 points per face, row by
//! row ([`LevelGrid`]). Only the four corners of a base face can be irregular ([`neighbours`] finds them), and the ring
//! of points around a base vertex evolves independently: [`rings`] takes it through all levels, [`tiles`] everything
//! else.
//!
//! In the grid of face f, corner 0 is at (0, 0), corner 1 at (n, 0), corner 2 at (n, n), corner 3 at (0, n).

pub mod adaptive;
pub mod creases;
pub mod faces;
pub mod limit;
pub mod neighbours;
pub mod once;
pub mod rings;
mod taps;
pub mod tiles;

use crate::topology::Topology;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Bind, Global, GlobalMut, Piece};

kernel_list! {
    of [
        adaptive::KERNELS, creases::KERNELS, faces::KERNELS, limit::KERNELS, neighbours::KERNELS, once::KERNELS,
        rings::KERNELS, tiles::KERNELS
    ];
}

/// Number of components of a value that a kernel processes at a time.
pub trait ComponentCount: Bind + Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Number of components.
    const N: u32;
}

macro_rules! components {
    ($name:ident, $n:literal, $doc:literal) => {
        #[doc = $doc]
        #[derive(Clone, Copy, Debug, Default)]
        #[repr(C)]
        pub struct $name;

        impl ComponentCount for $name {
            const N: u32 = $n;
        }

        // SAFETY: it holds nothing (contract U4).
        unsafe impl Bind for $name {
            #[inline(always)]
            fn bind(&self) {}
            unsafe fn visit(&mut self, _: &mut dyn FnMut(Piece) -> Option<usize>) {}
        }

        rxmesh_kernels::hashed! { [] $name }
    };
}
components!(One, 1, "One component.");
components!(Three, 3, "Three components.");

args! {
    /// Some components of values, one row each.
    pub struct ComponentRows {
        /// All rows.
        pub values: Global<f32>,
        /// Number of floats per row.
        pub width: u32,
        /// First component.
        pub first: u32,
    }
}

impl ComponentRows {
    /// Returns a component of a row.
    #[inline(always)]
    pub fn get(&self, row: u32, component: u32) -> f32 {
        self.values.get(row * self.width + self.first + component)
    }
}

args! {
    /// Some components of a result, one row each.
    pub struct Output {
        /// All rows.
        pub values: GlobalMut<f32>,
        /// Number of floats per row.
        pub width: u32,
        /// First component.
        pub first: u32,
    }
}

impl Output {
    /// Returns a component of a row that this launch does not write.
    #[inline(always)]
    pub fn get(&self, row: u32, component: u32) -> f32 {
        self.values.get(row * self.width + self.first + component)
    }

    /// Sets a component of a row.
    #[inline(always)]
    pub fn set(&self, row: u32, component: u32, x: f32) {
        self.values
            .set(row * self.width + self.first + component, x);
    }
}

/// Returns the next half-edge around its quad.
#[inline(always)]
pub fn next(h: u32) -> u32 {
    (h & !3) | ((h + 1) & 3)
}

/// Returns the previous half-edge around its quad.
#[inline(always)]
pub fn prev(h: u32) -> u32 {
    (h & !3) | ((h + 3) & 3)
}

args! {
    /// Points of a mesh of quads after some levels.
    pub struct LevelGrid {
        /// Base mesh.
        pub mesh: Topology,
        /// Number of levels.
        pub level: u32,
    }
}

impl LevelGrid {
    /// Returns the number of cells on the side of a base face.
    #[inline(always)]
    pub fn cells(&self) -> u32 {
        1 << self.level
    }

    /// Returns the first inner point of an edge.
    #[inline(always)]
    pub fn edge(&self, e: u32) -> u32 {
        self.mesh.vertex_count() + e * (self.cells() - 1)
    }

    /// Returns the first inner point of a face: that at (1, 1) of the grid.
    #[inline(always)]
    pub fn face(&self, f: u32) -> u32 {
        let inner = self.cells() - 1;
        self.edge(self.mesh.edge_count()) + f * inner * inner
    }

    /// Returns point `s`, 0 to n, of a half-edge, counted from its origin.
    #[inline(always)]
    pub fn along(&self, h: u32, s: u32) -> u32 {
        let n = self.cells();
        if s == 0 {
            self.mesh.corners.get(h)
        } else if s == n {
            self.mesh.corners.get(next(h))
        } else {
            let lower = h < self.mesh.twin(h);
            let at = if lower { s - 1 } else { n - 1 - s };
            self.edge(self.mesh.edges.get(h)) + at
        }
    }

    /// Returns the point at (i, j), each 0 to n, of a face.
    #[inline(always)]
    pub fn point(&self, f: u32, i: u32, j: u32) -> u32 {
        let n = self.cells();
        if i > 0 && i < n && j > 0 && j < n {
            self.face(f) + (j - 1) * (n - 1) + i - 1
        } else if j == 0 {
            self.along(4 * f, i)
        } else if i == n {
            self.along(4 * f + 1, j)
        } else if j == n {
            self.along(4 * f + 2, n - i)
        } else {
            self.along(4 * f + 3, n - j)
        }
    }

    /// Returns the point one step from point `s` of a half-edge into its face.
    #[inline(always)]
    pub fn beside(&self, h: u32, s: u32) -> u32 {
        let n = self.cells();
        let (i, j) = match h & 3 {
            0 => (s, 1),
            1 => (n - 1, s),
            2 => (n - s, n - 1),
            _ => (1, n - s),
        };
        self.point(h / 4, i, j)
    }
}
