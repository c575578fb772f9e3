//! Vertices that a round has made, with their parents, from which the attributes of new vertices are computed.

use super::round::Counter;
use crate::edit::NONE;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};

/// Words of a birth: the new vertex, three parents, three weights, one that is not used.
pub const BIRTH_WORDS: u32 = 8;

/// Bit of the traced value of a vertex: the vertex is new, and has the value of the parent of greatest weight.
pub const BORN: u32 = 1 << 31;

/// Position of a new vertex between old ones, which may be deleted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Origin {
    /// Old vertices.
    pub parents: [u32; 3],
    /// Weights of the old vertices, of sum one.
    pub weights: [f32; 3],
}

impl Origin {
    /// Returns the point between `a` (0) and `b` (1).
    #[inline(always)]
    pub fn between(a: u32, b: u32, part: f32) -> Origin {
        Origin {
            parents: [a, b, a],
            weights: [1.0 - part, part, 0.0],
        }
    }

    /// Returns the parent with the greatest weight, the first of several.
    #[inline(always)]
    pub fn heaviest(&self) -> u32 {
        let [a, b, c] = self.weights;
        if a >= b && a >= c {
            self.parents[0]
        } else if b >= c {
            self.parents[1]
        } else {
            self.parents[2]
        }
    }

    /// Returns the weighted mean of the parents' values. The value of a parent without weight may be anything, infinite
    /// too.
    #[inline(always)]
    pub fn mean(&self, value: impl Fn(u32) -> f32) -> f32 {
        let term = |v: u32, w: f32| if w == 0.0 { 0.0 } else { w * value(v) };
        term(self.parents[0], self.weights[0])
            + term(self.parents[1], self.weights[1])
            + term(self.parents[2], self.weights[2])
    }
}

args! {
    /// Births of a round, as a field of kernels that compute attributes of new vertices: one index for each birth, as
    /// the host counts them. These kernels run after the fill-in, when the parents' values are still in their slots; a
    /// new vertex may have the slot of one of its own parents, and of no other's.
    pub struct Births {
        /// [`BIRTH_WORDS`] words each.
        pub list: Global<u32>,
        /// See [`Counter`].
        pub counters: Global<u32>,
        /// Births that a winner may have.
        pub each: u32,
        /// Capacity for records: if it was exceeded nothing was done.
        pub records: u32,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl crate::attr::Field for Births {}

impl Births {
    /// Returns birth `i`: the new vertex, and its position.
    #[inline(always)]
    pub fn get(&self, i: u32) -> Option<(u32, Origin)> {
        let counter = |c: Counter| self.counters.get(c as u32);
        let stopped = counter(Counter::Records) > self.records || counter(Counter::NoSlots) != 0;
        if stopped || i >= counter(Counter::Winners) * self.each {
            return None;
        }
        let at = BIRTH_WORDS * i;
        let vertex = self.list.get(at);
        if vertex == NONE {
            return None;
        }
        let word = |k: u32| self.list.get(at + k);
        Some((
            vertex,
            Origin {
                parents: [word(1), word(2), word(3)],
                weights: [
                    f32::from_bits(word(4)),
                    f32::from_bits(word(5)),
                    f32::from_bits(word(6)),
                ],
            },
        ))
    }
}

/// Writes a birth.
#[inline(always)]
pub(super) fn enter(list: GlobalMut<u32>, i: u32, vertex: u32, origin: Origin) {
    let at = BIRTH_WORDS * i;
    let ([a, b, c], [u, v, w]) = (origin.parents, origin.weights);
    list.set(at, vertex);
    list.set(at + 1, a);
    list.set(at + 2, b);
    list.set(at + 3, c);
    list.set(at + 4, u.to_bits());
    list.set(at + 5, v.to_bits());
    list.set(at + 6, w.to_bits());
}

kernel! {
    /// Gives each new vertex the weighted mean of its parents' values. One index a possible birth.
    pub struct Interpolate: Flat {
        /// Births of the round.
        pub births: Births,
        /// Components of the values.
        pub values: GlobalMut<f32>,
        /// Components a value.
        pub components: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Interpolate {
    #[inline(always)]
    fn run(&self, i: u32) {
        let Some((vertex, o)) = self.births.get(i) else {
            return;
        };
        let mut c = 0;
        while c < self.components {
            let sum = o.mean(|v| self.values.get(v * self.components + c));
            self.values.set(vertex * self.components + c, sum);
            c += 1;
        }
    }
}

kernel! {
    /// Gives each new vertex the value of the parent with the greatest weight, with [`BORN`]. One index a possible
    /// birth.
    pub struct TraceVertices: Flat {
        /// Births of the round.
        pub births: Births,
        /// A value per vertex.
        pub origins: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for TraceVertices {
    #[inline(always)]
    fn run(&self, i: u32) {
        if let Some((vertex, o)) = self.births.get(i) {
            self.origins
                .set(vertex, self.origins.get(o.heaviest()) | BORN);
        }
    }
}
