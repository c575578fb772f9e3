//! Deviation of a simplified surface from its input.

use super::quadric::Quadric;
use super::{QuadricSurface, SomeLines};
use crate::edit::{FlatMesh, HalfEdgeMesh, NONE};
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::GlobalMut;

kernel! {
    /// Computes for each of several meshes the largest mean squared distance of a vertex from the planes that it stands
    /// for, as bits, in the unit of lengths; planes of lines that are apart have a separate mean. One index per vertex
    /// slot.
    pub struct SimplifyDeviation: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Quadrics of the vertices.
        pub surface: QuadricSurface<SomeLines>,
        /// A number per mesh from word 1 on, zero before.
        pub largest: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyDeviation {
    #[inline(always)]
    fn run(&self, v: u32) {
        if !self.mesh.vertex_lives(v) {
            return;
        }
        let planes = self.surface.planes(v);
        self.enter(v, planes.quadric);
        self.enter(v, planes.lines);
    }
}

impl SimplifyDeviation {
    #[inline(always)]
    fn enter(&self, v: u32, q: Quadric) {
        let weight = q.weight();
        let square = q.constant / weight;
        // Neither without planes, nor for NaN.
        if weight <= 0.0 || square.is_nan() {
            return;
        }
        // Squares are not negative: their bits order as they do.
        let square = square.to_bits();
        let to = 1 + self.surface.part(v);
        // Few are larger than all before.
        if square > self.largest.load(to) {
            self.largest.raise(to, square);
        }
    }
}

/// Words of a mesh's bounds: for each axis the largest coordinate and the largest of the negated ones, as
/// [`ordered`].
pub const BOUND_WORDS: u32 = 6;

/// Returns a number as bits that order as numbers do; above 0 for all of them.
#[inline(always)]
pub fn ordered(x: f32) -> u32 {
    let bits = x.to_bits();
    if bits >> 31 == 0 {
        bits | 1 << 31
    } else {
        !bits
    }
}

/// Returns the number of [`ordered`] bits.
#[must_use]
pub fn from_ordered(bits: u32) -> f32 {
    f32::from_bits(if bits >> 31 == 0 {
        !bits
    } else {
        bits & !(1 << 31)
    })
}

kernel! {
    /// Computes the box around the faces of each of several meshes. One index per vertex slot.
    pub struct SimplifyBounds: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions, and which mesh each vertex is of.
        pub surface: QuadricSurface<SomeLines>,
        /// [`BOUND_WORDS`] a mesh from word 1 on, zero before.
        pub bounds: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyBounds {
    #[inline(always)]
    fn run(&self, v: u32) {
        // Vertices of no face have no part in the size.
        if !self.mesh.vertex_lives(v) || self.mesh.edge_at(v) == NONE {
            return;
        }
        let p = self.surface.x.get(v);
        let first = 1 + BOUND_WORDS * self.surface.part(v);
        let grow = |word: u32, x: f32| {
            let bits = ordered(x);
            if bits > self.bounds.load(first + word) {
                self.bounds.raise(first + word, bits);
            }
        };
        grow(0, p.x);
        grow(1, p.y);
        grow(2, p.z);
        grow(3, -p.x);
        grow(4, -p.y);
        grow(5, -p.z);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordered_bits_order_as_numbers() {
        let numbers = [-1e30, -1.5, -1e-40, -0.0, 0.0, 1e-40, 2.0, f32::INFINITY];
        for pair in numbers.windows(2) {
            assert!(ordered(pair[0]) < ordered(pair[1]), "{pair:?}");
        }
        for x in numbers {
            assert_eq!(from_ordered(ordered(x)).to_bits(), x.to_bits());
            assert!(ordered(x) > 0);
        }
    }
}
