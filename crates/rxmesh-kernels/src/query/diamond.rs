//! The edge diamond: an edge's two vertices and the two vertices opposite to it.

use super::csr::FixedRow;
use super::slots::{EdgeFaces, before, face_of};
use super::{LocalEv, LocalFe, NONE, Relation, Row};
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

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for Diamond {
    const GAPS: bool = true;
    type Source = Edge;
    type Target = Vertex;
    type Tables = (LocalEv, EdgeFaces);
    type Row = FixedRow<4>;
    const NAME: &'static str = "diamond";
    const PREPARE: &'static str = "rx_prepare_diamond";
    const FIXED: Option<u32> = Some(4);

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        (LocalEv::carve(h, plan), EdgeFaces::carve(h, plan))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, (ev, faces): &Self::Tables) {
        ev.load(p, patch);
        faces.prepare(p, patch);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, (_, faces): &Self::Tables, scratch: Shared<u32>) {
        faces.build(b, patch, scratch);
    }
    #[inline(always)]
    fn row(patch: &Patch, &(ev, faces): &Self::Tables, e: u32) -> FixedRow<4> {
        let (s, t) = ev.edge(e);
        if let Some([left, right]) = sides(faces, e) {
            let [a, b] = [left, right].map(|corner| apex(ev, faces.fe(), corner));
            return FixedRow::new([s, b, t, a]);
        }
        let (f, g) = two_lowest(patch, faces.row(e));
        let (a, forward) = opposite(ev, faces.fe(), e, f);
        let (b, _) = opposite(ev, faces.fe(), e, g);
        if forward {
            FixedRow::new([s, b, t, a])
        } else {
            FixedRow::new([s, a, t, b])
        }
    }
}

/// Returns the corners from which the faces on the left and on the right of an edge run along it; `None` if there may
/// be more of them, or one face runs both ways. The face that runs from source to target lies on the left, so walking
/// source, right, target, left is counter-clockwise.
#[inline(always)]
fn sides(faces: EdgeFaces, e: u32) -> Option<[u32; 2]> {
    if !faces.is_slotted() {
        return None;
    }
    let [left, right] = [0, 1].map(|d| faces.corner(2 * e + d));
    let one_face = left != NONE && face_of(left) == face_of(right);
    (!one_face).then_some([left, right])
}

/// Returns the vertex opposite to the side that starts at a corner.
#[inline(always)]
fn apex(ev: LocalEv, fe: LocalFe, corner: u32) -> u32 {
    if corner == NONE {
        return NONE;
    }
    ev.start(fe.side(before(corner)))
}

/// Returns the two faces of an edge with the lowest linear ids, or [`NONE`].
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

/// Returns the vertex of a face that is not on the edge, and `true` if the face runs along the edge.
#[inline(always)]
fn opposite(ev: LocalEv, fe: LocalFe, e: u32, f: u32) -> (u32, bool) {
    if f == NONE {
        return (NONE, false);
    }
    let [a, b, c] = fe.sides(f);
    // Side k joins corner k to the next; the corner opposite to it is where the side before it starts.
    let (side, before) = if a >> 1 == e {
        (a, c)
    } else if b >> 1 == e {
        (b, a)
    } else {
        (c, b)
    };
    (ev.start(before), side & 1 == 0)
}
