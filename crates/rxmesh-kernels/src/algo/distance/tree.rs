//! Construction of the hierarchy of boxes: triangles along a Hilbert curve, boxes from the leaves up.

use super::curve::{CURVE_BITS, Curve};
use super::search::{LEAF, words_of};
use crate::edit::{FlatMesh, HalfEdgeMesh, NONE};
use crate::kernel::FlatKernel;
use crate::lanes::three;
use crate::math::product;
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

/// Returns the centre of a triangle, to the same bits on every engine, whatever is added to it.
#[inline(always)]
pub fn centre(a: Vec3, b: Vec3, c: Vec3) -> Vec3 {
    let (sum, third) = (a + b + c, 1.0 / 3.0);
    Vec3::new(
        product(sum.x, third),
        product(sum.y, third),
        product(sum.z, third),
    )
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
        /// Curve through the box of all triangles.
        pub curve: Curve,
        /// Place of each triangle along the curve.
        pub codes: GlobalMut<u32>,
        /// Number of each triangle.
        pub order: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for CurveCodes {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.codes.set(i, self.curve.code(self.triangles.centre(i)));
        self.order.set(i, i);
    }
}

kernel! {
    /// Computes the high bits of the places of points along the curve, and numbers them: searches of neighbouring
    /// points visit the same boxes. One index per point.
    pub struct PointCodes: Flat {
        /// Points.
        pub points: Global<Vec3>,
        /// See [`CurveCodes::curve`].
        pub curve: Curve,
        /// High bits of the place of each point, [`POINT_BITS`] bits.
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
        let code = self.curve.code(self.points.get(i));
        self.codes.set(i, code >> (CURVE_BITS - POINT_BITS));
        self.order.set(i, i);
    }
}

kernel! {
    /// Writes the triangles and the box of each leaf. One index per leaf.
    pub struct TreeLeaves: Flat {
        /// Triangles.
        pub triangles: IndexedTriangles,
        /// Triangles along the curve.
        pub order: Global<u32>,
        /// Places along the curve, in that order.
        pub codes: Global<u32>,
        /// Words of the triangles, in that order.
        pub words: GlobalMut<u32>,
        /// Least and greatest corner of each node's box.
        pub boxes: GlobalMut<Vec3>,
        /// See [`TreeView::firsts`](super::search::TreeView::firsts); empty if they stay.
        pub firsts: GlobalMut<u32>,
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
            let [of_a, of_b, of_c] = words_of([a, b, c], i);
            self.words.set4(3 * t, of_a);
            self.words.set4(3 * t + 1, of_b);
            self.words.set4(3 * t + 2, of_c);
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
        if !self.firsts.is_empty() {
            let first = leaf * LEAF;
            let code = if first < end {
                self.codes.get(first)
            } else {
                NONE
            };
            self.firsts.set(leaf, code);
        }
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
