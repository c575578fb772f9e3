//! Questions about the surface that operators ask before they contract an edge.

use crate::edit::{Mesh, NO_FACE};
use crate::math::hash;

/// Whether an edge can be contracted without changing what the surface is: its ends have no common neighbours but those
/// opposite it, and an edge between two vertices of the boundary is of the boundary (Dey, Edelsbrunner, Guha, Nekhayev
/// 1999).
#[inline(always)]
pub fn link_condition(mesh: &impl Mesh, e: u32) -> bool {
    let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
    let interior = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
    // The neighbours of `b` as a set that may hold more: hardly any of `a` must be looked for among them.
    let (mut set, mut border_b) = (0u64, false);
    let bit = |v: u32| 1u64 << (hash(v) % 64);
    let mut turn = mesh.turn(b);
    while let Some(g) = turn.step(mesh) {
        set |= bit(mesh.tip(g));
        border_b |= mesh.face(g) == NO_FACE;
    }
    let (mut common, mut border_a) = (0, false);
    let mut turn = mesh.turn(a);
    while let Some(h) = turn.step(mesh) {
        let v = mesh.tip(h);
        border_a |= mesh.face(h) == NO_FACE;
        if set & bit(v) != 0 {
            common += u32::from(mesh.joined(b, v));
        }
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
