//! Questions about the surface that operators ask before they contract an edge.

use crate::edit::{Mesh, NO_FACE, NONE};
use crate::math::hash;

/// A set of a few vertices that may seem to hold more: hardly any vertex must be looked for (Bloom 1970, with two
/// hashes of 64 bits).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Vicinity([u64; 2]);

impl Vicinity {
    /// No vertex.
    pub(crate) const EMPTY: Vicinity = Vicinity([0; 2]);

    #[inline(always)]
    fn bits(v: u32) -> [u64; 2] {
        let hash = hash(v);
        [1 << (hash % 64), 1 << (hash / 64 % 64)]
    }

    /// Enters a vertex.
    #[inline(always)]
    pub(crate) fn enter(&mut self, v: u32) {
        let [low, high] = Vicinity::bits(v);
        self.0[0] |= low;
        self.0[1] |= high;
    }

    /// Whether a vertex may have been entered; false if it has not, but for one in a hundred.
    #[inline(always)]
    pub(crate) fn may_hold(&self, v: u32) -> bool {
        let [low, high] = Vicinity::bits(v);
        self.0[0] & low != 0 && self.0[1] & high != 0
    }
}

/// Whether an edge can be contracted without changing what the surface is: its ends have no common neighbours but those
/// opposite it, and an edge between two vertices of the boundary is of the boundary (Dey, Edelsbrunner, Guha, Nekhayev
/// 1999).
#[inline(always)]
pub fn link_condition(mesh: &impl Mesh, e: u32) -> bool {
    let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
    let opposite = |h: u32| {
        if mesh.face(h) == NO_FACE {
            NONE
        } else {
            mesh.apex(h)
        }
    };
    let opposite = [opposite(2 * e), opposite(2 * e + 1)];
    let interior = opposite[0] != NONE && opposite[1] != NONE;
    let (mut near_b, mut border_b) = (Vicinity::EMPTY, false);
    let mut turn = mesh.turn(b);
    while let Some(g) = turn.step(mesh) {
        near_b.enter(mesh.tip(g));
        border_b |= mesh.face(g) == NO_FACE;
    }
    let (mut common, mut border_a) = (0, false);
    let mut turn = mesh.turn(a);
    while let Some(h) = turn.step(mesh) {
        let v = mesh.tip(h);
        border_a |= mesh.face(h) == NO_FACE;
        // Those opposite are neighbours of both.
        let known = v == opposite[0] || v == opposite[1];
        common += u32::from(known || near_b.may_hold(v) && mesh.joined(b, v));
    }
    common == 1 + u32::from(interior) && !(interior && border_a && border_b)
}

/// Whether a vertex lies on the boundary.
#[inline(always)]
pub fn is_border(mesh: &impl Mesh, v: u32) -> bool {
    !mesh.each_spoke(v, |h| {
        mesh.face(h) != NO_FACE && mesh.face(h ^ 1) != NO_FACE
    })
}
