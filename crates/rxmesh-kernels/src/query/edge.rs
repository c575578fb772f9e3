//! EV, EF, EE through faces: rows of edges.

use super::csr::FixedRow;
use super::slots::{EdgeFaces, EdgeFacesRow};
use super::{LocalFe, Relation, Row};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// The two vertices of an edge, source first (the source is the one that came first in the input).
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

/// The faces of an edge: one on a boundary, two inside, more where the mesh is not a manifold.
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

/// The edges that share a face with an edge: four inside a manifold surface. [`super::EE`] is another relation.
#[derive(Clone, Copy, Debug)]
pub struct EEThroughFaces;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for EEThroughFaces {
    type Source = Edge;
    type Target = Edge;
    type Tables = EdgeFaces;
    type Row = EeRow;
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
    fn row(_patch: &Patch, faces: &EdgeFaces, e: u32) -> EeRow {
        EeRow {
            fe: faces.fe(),
            faces: faces.row(e),
            edge: e,
            at: 0,
        }
    }
}

/// A row of [`EEThroughFaces`], computed as it is read: the sides of the edge's faces, one after the other, without
/// itself and without what has come before.
#[derive(Clone, Copy, Debug)]
pub struct EeRow {
    fe: LocalFe,
    faces: EdgeFacesRow,
    edge: u32,
    at: u32,
}

impl EeRow {
    /// Side `k % 3` of the edge's face `k / 3`.
    #[inline(always)]
    fn side(&self, k: u32) -> u32 {
        self.fe.side(3 * self.faces.get(k / 3) + k % 3) >> 1
    }

    /// Whether side `k` has come before.
    #[inline(always)]
    fn repeated(&self, k: u32, e: u32) -> bool {
        let mut i = 0;
        while i < k && self.side(i) != e {
            i += 1;
        }
        i < k
    }
}

impl Iterator for EeRow {
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

impl Row for EeRow {
    type Iter = EeRow;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.iter().count() as u32
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        self.iter().nth(i as usize).unwrap_or(super::NONE)
    }
    #[inline(always)]
    fn iter(&self) -> EeRow {
        EeRow { at: 0, ..*self }
    }
}
