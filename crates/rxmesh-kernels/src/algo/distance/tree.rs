//! Construction of the hierarchy of boxes: triangles along a Hilbert curve, boxes from the leaves up.

use super::search::LEAF;
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::kernel::FlatKernel;
use crate::lanes::three;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    flat write_live: WriteLive;
    flat curve_codes: CurveCodes;
    flat point_codes: PointCodes;
    flat tree_leaves: TreeLeaves;
    flat tree_level: TreeLevel;
}

/// Bits of the number of a cell along one axis.
const AXIS_BITS: u32 = 10;

/// Bits of the number of a cell along the curve ([`hilbert`]).
pub const CURVE_BITS: u32 = 3 * AXIS_BITS;

/// Last cell of the curve's grid along its longest side.
pub const CURVE_CELLS: f32 = 1023.0;

args! {
    /// Triangles by the numbers of their corners.
    pub struct IndexedTriangles {
        /// Positions of the vertices.
        pub x: Global<Vec3>,
        /// Three vertices a triangle.
        pub faces: Global<u32>,
    }
}

impl IndexedTriangles {
    /// Returns the number of triangles.
    #[inline(always)]
    pub fn count(&self) -> u32 {
        self.faces.len() / 3
    }

    /// Returns the corners of a triangle.
    #[inline(always)]
    pub fn corners(&self, i: u32) -> [Vec3; 3] {
        three(|k| self.x.get(self.faces.get(3 * i + k as u32)))
    }

    #[inline(always)]
    fn centre(&self, i: u32) -> Vec3 {
        let [a, b, c] = self.corners(i);
        centre(a, b, c)
    }
}

/// Returns the centre of a triangle, to the same bits on every engine: no product is added to anything.
#[inline(always)]
pub fn centre(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    (a + b + c) * (1.0 / 3.0)
}

/// Returns the number of a point's cell along a Hilbert curve through a grid of [`CURVE_CELLS`] cells a side: cells
/// that follow each other are neighbours, so that any stretch of the curve is compact (Skilling 2004, "Programming the
/// Hilbert curve").
#[inline(always)]
pub fn hilbert(p: Vec3) -> u32 {
    let (mut x, mut y, mut z) = (p.x as u32, p.y as u32, p.z as u32);
    let mut bit = 1 << (AXIS_BITS - 1);
    while bit > 1 {
        let lower = bit - 1;
        // Turns and mirrors the cells of the next level, so that the curve through them begins where it has come to.
        if x & bit != 0 {
            x ^= lower;
        }
        if y & bit != 0 {
            x ^= lower;
        } else {
            let t = (x ^ y) & lower;
            x ^= t;
            y ^= t;
        }
        if z & bit != 0 {
            x ^= lower;
        } else {
            let t = (x ^ z) & lower;
            x ^= t;
            z ^= t;
        }
        bit >>= 1;
    }
    // Gray code to number.
    y ^= x;
    z ^= y;
    let mut t = 0;
    bit = 1 << (AXIS_BITS - 1);
    while bit > 1 {
        if z & bit != 0 {
            t ^= bit - 1;
        }
        bit >>= 1;
    }
    let spread = |x: u32| {
        let mut x = x;
        x = (x | x << 16) & 0x0300_00ff;
        x = (x | x << 8) & 0x0300_f00f;
        x = (x | x << 4) & 0x030c_30c3;
        (x | x << 2) & 0x0924_9249
    };
    spread(x ^ t) << 2 | spread(y ^ t) << 1 | spread(z ^ t)
}

kernel! {
    /// Writes the vertices of the live faces of a session one after the other. One index per face slot.
    pub struct WriteLive: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Number of each live face.
        pub starts: Global<u32>,
        /// Three vertices a live face.
        pub faces: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for WriteLive {
    #[inline(always)]
    fn run(&self, f: u32) {
        if self.mesh.face_lives(f) {
            let to = 3 * self.starts.get(f);
            let [a, b, c] = self.mesh.sides(f).map(|h| self.mesh.origin(h));
            self.faces.set(to, a);
            self.faces.set(to + 1, b);
            self.faces.set(to + 2, c);
        }
    }
}

kernel! {
    /// Computes the places along the curve of the centres of triangles, and numbers them. One index per triangle.
    pub struct CurveCodes: Flat {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// Least corner of the box of all triangles.
        pub low: Vec3,
        /// [`CURVE_CELLS`] over its longest side; 0 if it has none.
        pub scale: f32,
        /// Code of each triangle.
        pub codes: GlobalMut<u32>,
        /// Number of each triangle.
        pub order: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for CurveCodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let place = (self.triangles.centre(i) - self.low) * self.scale;
        self.codes.set(i, hilbert(place));
        self.order.set(i, i);
    }
}

kernel! {
    /// Computes the high bits of the places of points along the curve, and numbers them: searches of neighbouring
    /// points visit the same boxes. One index per point.
    pub struct PointCodes: Flat {
        /// Points.
        pub points: Global<Vec3>,
        /// See [`CurveCodes::low`].
        pub low: Vec3,
        /// See [`CurveCodes::scale`].
        pub scale: f32,
        /// Code of each point, of [`POINT_BITS`] bits.
        pub codes: GlobalMut<u32>,
        /// Number of each point.
        pub order: GlobalMut<u32>,
    }
}

/// Bits of the place of a point: about a hundred cells along each axis.
pub const POINT_BITS: u32 = 20;

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for PointCodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        let place = (self.points.get(i) - self.low) * self.scale;
        let inside = place.max(Vec3::ZERO).min(Vec3::splat(CURVE_CELLS));
        self.codes
            .set(i, hilbert(inside) >> (CURVE_BITS - POINT_BITS));
        self.order.set(i, i);
    }
}

kernel! {
    /// Writes the corners and the box of each leaf. One index per leaf.
    pub struct TreeLeaves: Flat {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// Triangles in the order of their codes.
        pub order: Global<u32>,
        /// Three corners a triangle, in that order.
        pub corners: GlobalMut<Vec3>,
        /// Least and greatest corner of each node's box.
        pub boxes: GlobalMut<Vec3>,
        /// The last leaf with a triangle of each vertex, 0 before; empty if it is not wanted.
        pub near: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for TreeLeaves {
    #[inline(always)]
    fn run(&self, leaf: u32) {
        let leaves = self.boxes.len() / 4;
        let (node, end) = (leaves + leaf, ((leaf + 1) * LEAF).min(self.order.len()));
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        let mut t = leaf * LEAF;
        while t < end {
            let i = self.order.get(t);
            let [a, b, c] = self.triangles.corners(i);
            self.corners.set(3 * t, a);
            self.corners.set(3 * t + 1, b);
            self.corners.set(3 * t + 2, c);
            low = low.min(a).min(b).min(c);
            high = high.max(a).max(b).max(c);
            if !self.near.is_empty() {
                let v = |k: u32| self.triangles.faces.get(3 * i + k);
                self.near.raise(v(0), node);
                self.near.raise(v(1), node);
                self.near.raise(v(2), node);
            }
            t += 1;
        }
        self.boxes.set(2 * node, low);
        self.boxes.set(2 * node + 1, high);
    }
}

kernel! {
    /// Joins the boxes of two children each. One index per node of a level.
    pub struct TreeLevel: Flat {
        /// Least and greatest corner of each node's box.
        pub boxes: GlobalMut<Vec3>,
        /// First node of the level.
        pub first: u32,
    }
}

// SAFETY: indices of one launch write nodes of one level, and read those of the next; the host launches no more of them
// than the views hold (contracts U3, U4).
unsafe impl FlatKernel for TreeLevel {
    #[inline(always)]
    fn run(&self, i: u32) {
        let node = self.first + i;
        let at = |k: u32| self.boxes.get(4 * node + k);
        self.boxes.set(2 * node, at(0).min(at(2)));
        self.boxes.set(2 * node + 1, at(1).max(at(3)));
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::hilbert;
    use glam::Vec3;
    use std::vec::Vec;

    /// The curve visits every cell of a cube before it leaves it, and goes to a neighbour in every step.
    #[test]
    fn hilbert_goes_from_neighbour_to_neighbour() {
        let n = 16;
        let mut cells: Vec<(u32, [i32; 3])> = Vec::new();
        for x in 0..n {
            for y in 0..n {
                for z in 0..n {
                    let p = Vec3::new(x as f32, y as f32, z as f32);
                    cells.push((hilbert(p), [x, y, z]));
                }
            }
        }
        cells.sort_unstable();
        for (i, pair) in cells.windows(2).enumerate() {
            let [(code, a), (next, b)] = [pair[0], pair[1]];
            assert_eq!([code as usize, next as usize], [i, i + 1]);
            let steps: i32 = (0..3).map(|k| (a[k] - b[k]).abs()).sum();
            assert_eq!(steps, 1, "from {a:?} to {b:?}");
        }
    }
}
