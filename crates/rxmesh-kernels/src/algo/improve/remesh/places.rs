//! Positions of vertices, with hints for searches.

use crate::args;
use crate::mem::GlobalMut;
use glam::Vec3;

args! {
    /// Positions, and near which part of a surface they are.
    pub struct HintedPoints {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// A leaf of the surface's tree a vertex ([`TreeView`](crate::algo::distance::search::TreeView)), 0 for any;
        /// not read unless [`HintedPoints::hinted`].
        pub hints: GlobalMut<u32>,
        /// Nonzero if there are hints.
        pub hinted: u32,
    }
}

impl HintedPoints {
    /// Returns the place of a vertex.
    #[inline(always)]
    pub fn get(&self, v: u32) -> Vec3 {
        self.x.get(v)
    }

    /// Returns the hint of a vertex.
    #[inline(always)]
    pub fn hint(&self, v: u32) -> u32 {
        if self.hinted != 0 {
            self.hints.get(v)
        } else {
            0
        }
    }

    /// Sets the place of a new vertex, and its hint.
    #[inline(always)]
    pub fn set(&self, v: u32, x: Vec3, hint: u32) {
        self.x.set(v, x);
        if self.hinted != 0 {
            self.hints.set(v, hint);
        }
    }
}
