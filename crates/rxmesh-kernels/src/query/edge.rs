//! EV, EF, EE through faces: rows of edges.

use super::csr::{FewRow, FixedRow};
use super::slots::{EdgeFaces, EdgeFacesRow, SlottedRow};
use super::{NONE, Relation, Row, Stored};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// Two vertices of an edge, source first (the source is the one that came first in the input).
#[derive(Clone, Copy, Debug)]
pub struct EV;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for EV {
    type Source = Edge;
    type Target = Vertex;
    type Tables = ();
    type Row = FixedRow<2>;
    const NAME: &'static str = "EV";
    const PREPARE: &'static str = "rx_prepare_ev";
    const NEEDS: Needs = Needs::EDGES;
    const PREPARABLE: bool = false;
    const FIXED: Option<u32> = Some(2);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), e: u32) -> FixedRow<2> {
        let (s, t) = patch.edge_vertices(e);
        FixedRow::new([s, t])
    }
    #[inline(always)]
    fn entry(patch: &Patch, (): &(), k: u32) -> u32 {
        u32::from(patch.ev().get(k))
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for EV {}

/// Faces of an edge: one on a boundary, two inside, more where the mesh is not a manifold.
#[derive(Clone, Copy, Debug)]
pub struct EF;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for EF {
    type Source = Edge;
    type Target = Face;
    type Tables = EdgeFaces;
    type Row = EdgeFacesRow;
    const NAME: &'static str = "EF";
    const PREPARE: &'static str = "rx_prepare_ef";
    const RIBBON_ROWS: bool = true;

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> EdgeFaces {
        EdgeFaces::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, faces: &EdgeFaces) {
        faces.prepare(p, patch);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, faces: &EdgeFaces, scratch: Shared<u32>) {
        faces.build(b, patch, scratch);
    }
    #[inline(always)]
    fn row(_patch: &Patch, faces: &EdgeFaces, e: u32) -> EdgeFacesRow {
        faces.row(e)
    }
}

/// Edges that share a face with an edge: four inside a manifold surface. [`super::EE`] is another relation.
#[derive(Clone, Copy, Debug)]
pub struct EEThroughFaces;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for EEThroughFaces {
    type Source = Edge;
    type Target = Edge;
    type Tables = EdgeFaces;
    type Row = SlottedRow<4, AnyEe>;
    const NAME: &'static str = "EE through faces";
    const PREPARE: &'static str = "rx_prepare_ee";
    const NEEDS: Needs = Needs::SURFACE;

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> EdgeFaces {
        EdgeFaces::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, faces: &EdgeFaces) {
        faces.prepare(p, patch);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, faces: &EdgeFaces, scratch: Shared<u32>) {
        faces.build(b, patch, scratch);
    }
    #[inline(always)]
    fn row(_patch: &Patch, faces: &EdgeFaces, e: u32) -> Self::Row {
        let (fe, around) = (faces.fe(), faces.row(e));
        let slotted = faces.is_slotted();
        // The other sides of a face, in its order.
        let others = |k: u32| {
            if !slotted || k >= around.len() {
                return [NONE; 2];
            }
            let [a, b, c] = fe.edges(around.get(k));
            [if a == e { b } else { a }, if c == e { b } else { c }]
        };
        let ([a, b], [c, d]) = (others(0), others(1));
        SlottedRow {
            slotted,
            few: FewRow::new(e, [a, b, c, d]),
            any: AnyEe {
                all: *faces,
                faces: around,
                edge: e,
                at: 0,
            },
        }
    }
}

/// A row of [`EEThroughFaces`], computed as it is read: the sides of the edge's faces, one after the other, without
/// itself and without repetitions.
#[derive(Clone, Copy, Debug)]
pub struct AnyEe {
    all: EdgeFaces,
    faces: EdgeFacesRow,
    edge: u32,
    at: u32,
}

impl AnyEe {
    /// Returns side `k % 3` of the edge's face `k / 3`.
    #[inline(always)]
    fn side(&self, k: u32) -> u32 {
        self.all.fe().side(3 * self.faces.get(k / 3) + k % 3) >> 1
    }

    /// Returns `true` if side `k`, which is edge `e`, has come before: as another side of its face, or of a face of
    /// both edges that comes before its own. Faces that share two edges are few, so the search is for them.
    #[inline(always)]
    fn repeated(&self, k: u32, e: u32) -> bool {
        let mut i = k - k % 3;
        while i < k {
            if self.side(i) == e {
                return true;
            }
            i += 1;
        }
        let face = self.faces.get(k / 3);
        for f in self.all.row(e) {
            if f >= face {
                break;
            }
            if self.all.fe().edges(f).contains(&self.edge) {
                return true;
            }
        }
        false
    }
}

impl Iterator for AnyEe {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.at < 3 * self.faces.len() {
            let k = self.at;
            self.at += 1;
            let e = self.side(k);
            if e != self.edge && !self.repeated(k, e) {
                return Some(e);
            }
        }
        None
    }
}
