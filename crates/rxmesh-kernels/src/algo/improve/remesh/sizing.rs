//! Target length of edges.

use crate::args;
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;

args! {
    /// Target length of edges: one everywhere, or one a vertex times a factor.
    pub struct Sizing {
        /// Lengths by vertex; not read unless [`Sizing::varies`].
        pub lengths: GlobalMut<f32>,
        /// Nonzero if vertices have separate lengths.
        pub varies: u32,
        /// Length, or the factor if it varies.
        pub factor: f32,
        /// Number of the mesh of each vertex; empty for one mesh.
        pub labels: GlobalMut<u32>,
        /// Nonzero for each mesh that is left as it is; empty if none is.
        pub resting: Global<u32>,
    }
}

/// Returns `true` if a vertex belongs to a mesh that is left as it is, by the labels of vertices and a word per mesh;
/// there are no words if none is.
#[inline(always)]
pub(super) fn rests(labels: Global<u32>, resting: Global<u32>, v: u32) -> bool {
    !resting.is_empty() && resting.get(labels.get(v)) != 0
}

impl Sizing {
    /// Creates one length everywhere; lengths by vertex are not read.
    #[inline(always)]
    pub fn uniform(none: GlobalMut<f32>, length: f32) -> Sizing {
        Sizing {
            labels: none.cast(),
            resting: Global::empty(),
            lengths: none,
            varies: 0,
            factor: length,
        }
    }

    /// Returns the length at a vertex.
    #[inline(always)]
    pub fn at(&self, v: u32) -> f32 {
        if self.varies != 0 {
            self.lengths.get(v) * self.factor
        } else {
            self.factor
        }
    }

    /// Returns the length of an edge: that of the end with the shorter one (Dunyach et al. 2013, section 3.1).
    #[inline(always)]
    pub fn length(&self, a: u32, b: u32) -> f32 {
        if self.varies != 0 {
            self.at(a).min(self.at(b))
        } else {
            self.factor
        }
    }

    /// Returns the square of that.
    #[inline(always)]
    pub fn square(&self, a: u32, b: u32) -> f32 {
        let l = self.length(a, b);
        l * l
    }

    /// Returns the length at a point of an edge, which is a part of the way from `a` to `b`, without the factor: the
    /// value that [`Sizing::set`] takes.
    #[inline(always)]
    pub fn between(&self, a: u32, b: u32, part: f32) -> f32 {
        if self.varies != 0 {
            self.lengths.get(a) * (1.0 - part) + self.lengths.get(b) * part
        } else {
            0.0
        }
    }

    /// Returns the square of the length of an edge between a vertex and a point that [`Sizing::between`] gave the
    /// length.
    #[inline(always)]
    pub fn square_to(&self, v: u32, length: f32) -> f32 {
        let l = if self.varies != 0 {
            self.at(v).min(length * self.factor)
        } else {
            self.factor
        };
        l * l
    }

    /// Returns the square of the length at a point that [`Sizing::between`] gave the length.
    #[inline(always)]
    pub fn square_at(&self, length: f32) -> f32 {
        let l = if self.varies != 0 {
            length * self.factor
        } else {
            self.factor
        };
        l * l
    }

    /// Sets the length at a new vertex, and which mesh it is of.
    #[inline(always)]
    pub fn set(&self, v: u32, length: f32, label: u32) {
        if self.varies != 0 {
            self.lengths.set(v, length);
        }
        if !self.labels.is_empty() {
            self.labels.set(v, label);
        }
    }

    /// Returns `true` if a vertex belongs to a mesh that is left as it is.
    #[inline(always)]
    pub fn rests(&self, v: u32) -> bool {
        rests(self.labels.read(), self.resting, v)
    }

    /// Returns the number of the mesh of a vertex.
    #[inline(always)]
    pub fn label(&self, v: u32) -> u32 {
        label_of(self.labels.read(), v)
    }
}
