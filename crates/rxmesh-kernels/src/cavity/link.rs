//! Questions about the surface that operators ask before they contract an edge.

use crate::edit::{HalfEdgeMesh, NO_FACE, NONE};
use crate::math::hash;

/// Set of a few vertices with false positives, so that hardly any vertex has to be searched (a Bloom filter, Bloom
/// 1970, with two hashes of 64 bits).
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

    /// Returns `true` if a vertex may have been entered; `false` if it has not, except for one in a hundred.
    #[inline(always)]
    pub(crate) fn may_hold(&self, v: u32) -> bool {
        let [low, high] = Vicinity::bits(v);
        self.0[0] & low != 0 && self.0[1] & high != 0
    }
}

/// Result of walks around both ends of an edge at a time ([`HalfEdgeMesh::each_spoke_of_ends`]) that helps to decide if
/// it can be contracted: mostly [`link_condition`] need not be called.
#[derive(Clone, Copy)]
pub(crate) struct LinkWalk {
    /// Edges at both ends, the edge itself two times.
    pub(crate) edges: u32,
    /// Faces at each end.
    pub(crate) faces: [u32; 2],
    /// `true` for each end that lies on the boundary.
    pub(crate) border: [bool; 2],
    /// Neighbours of each end, but for the other one.
    near: [Vicinity; 2],
    /// Those that may be neighbours of both, each when the second of the two walks comes to it.
    met: u32,
}

impl LinkWalk {
    /// State before the first step.
    pub(crate) const START: LinkWalk = LinkWalk {
        edges: 0,
        faces: [0; 2],
        border: [false; 2],
        near: [Vicinity::EMPTY; 2],
        met: 0,
    };

    /// Enters a half-edge that leaves one end of edge `e`, its face and its tip.
    #[inline(always)]
    pub(crate) fn step(&mut self, e: u32, [side, h, face, tip]: [u32; 4]) {
        let side = side as usize;
        self.edges += 1;
        self.faces[side] += u32::from(face != NO_FACE);
        // One of the two ends of an open fan.
        self.border[side] |= face == NO_FACE;
        if h >> 1 != e {
            self.met += u32::from(self.near[1 - side].may_hold(tip));
            self.near[side].enter(tip);
        }
    }

    /// Returns `true` if [`link_condition`] certainly holds, for an edge between two faces or one, and no two edges
    /// near it between the same vertices: there are no more neighbours of both than the faces' corners, and no boundary
    /// would meet itself.
    #[inline(always)]
    pub(crate) fn is_plain(&self, interior: bool) -> bool {
        self.met == 1 + u32::from(interior) && !(interior && self.border[0] && self.border[1])
    }
}

/// Returns `true` if an edge can be contracted without changing the topology of the surface: its ends have no common
/// neighbours but those opposite it, and an edge between two vertices of the boundary belongs to the boundary (Dey,
/// Edelsbrunner, Guha, Nekhayev 1999).
#[inline(always)]
pub fn link_condition(mesh: &impl HalfEdgeMesh, e: u32) -> bool {
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
    // Two faces with the same corners, of which nothing would be left.
    if interior && opposite[0] == opposite[1] {
        return false;
    }
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

/// Returns `true` if a vertex lies on the boundary.
#[inline(always)]
pub fn is_border(mesh: &impl HalfEdgeMesh, v: u32) -> bool {
    !mesh.each_spoke(v, |h| {
        mesh.face(h) != NO_FACE && mesh.face(h ^ 1) != NO_FACE
    })
}
