//! The edge diamond: an edge's two vertices and the two vertices opposite to it.

use super::csr::FixedRow;
use super::face::{LocalEv, face_vertices};
use super::{Csr, EF, NONE, Relation, Row};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Id, Patch, PatchHeader, Vertex};

/// Source, the opposite vertex of the first face, target, the opposite vertex of the second face:
/// around the diamond. A missing opposite vertex (boundary) is [`NONE`]. On an edge with more than two
/// faces the two with the lowest linear ids count.
///
/// When the two faces run along the edge in opposite directions, the first is the one that runs from
/// source to target, so that the four are counter-clockwise seen from ahead of the face normals.
#[derive(Clone, Copy, Debug)]
pub struct Diamond;

impl Relation for Diamond {
    type Source = Edge;
    type Target = Vertex;
    type Tables = (LocalEv, Csr);
    type Row = FixedRow<4>;
    const NAME: &'static str = "diamond";
    const FIXED: Option<u32> = Some(4);

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> (LocalEv, Csr) {
        (LocalEv::carve(h, plan), EF::carve(h, plan))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, (ev, csr): &(LocalEv, Csr)) {
        ev.load(p, patch);
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, (_, csr): &(LocalEv, Csr), scratch: Shared<u32>) {
        EF::build(b, patch, csr, scratch);
    }
    #[inline(always)]
    fn row(patch: &Patch, (ev, csr): &(LocalEv, Csr), e: u32) -> FixedRow<4> {
        let (s, t) = patch.edge_vertices(e);
        let (f, g) = two_lowest(patch, csr.row(e));
        let (mut a, forward) = opposite(patch, *ev, e, f);
        let (mut b, _) = opposite(patch, *ev, e, g);
        if !forward {
            (a, b) = (b, a);
        }
        // Around the diamond: the face that runs from source to target lies on the left, so walking
        // source, right, target, left is counter-clockwise.
        FixedRow::new([s, b, t, a])
    }
}

/// The two faces of an edge with the lowest linear ids, or [`NONE`].
#[inline(always)]
fn two_lowest(patch: &Patch, faces: impl Row) -> (u32, u32) {
    let n = faces.len();
    if n <= 2 {
        let f = if n > 0 { faces.get(0) } else { NONE };
        let g = if n > 1 { faces.get(1) } else { NONE };
        return (f, g);
    }
    let (mut f, mut g) = ((NONE, NONE), (NONE, NONE));
    for x in faces.iter() {
        let x = (patch.local::<crate::topo::Face>(x).linear(), x);
        if x.0 < f.0 {
            (f, g) = (x, f);
        } else if x.0 < g.0 {
            g = x;
        }
    }
    (f.1, g.1)
}

/// The vertex of a face that is not on the edge, and whether the face runs along the edge.
#[inline(always)]
fn opposite(patch: &Patch, ev: LocalEv, e: u32, f: u32) -> (u32, bool) {
    if f == NONE {
        return (NONE, false);
    }
    let sides = patch.face_edges(f);
    let [x, y, z] = face_vertices(patch, ev, f);
    if sides[0] >> 1 == e {
        (z, sides[0] & 1 == 0)
    } else if sides[1] >> 1 == e {
        (x, sides[1] & 1 == 0)
    } else {
        (y, sides[2] & 1 == 0)
    }
}
