//! EV, EF, EE: rows of edges.

use super::csr::{CsrRow, FixedRow};
use super::{Csr, Relation, Row, unless};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};

/// The two vertices of an edge, source first (the source is the one that came first in the input).
#[derive(Clone, Copy, Debug)]
pub struct EV;

impl Relation for EV {
    type Source = Edge;
    type Target = Vertex;
    type Tables = ();
    type Row = FixedRow<2>;
    const NAME: &'static str = "EV";
    const FIXED: Option<u32> = Some(2);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), e: u32) -> FixedRow<2> {
        let (s, t) = patch.edge_vertices(e);
        FixedRow::new([s, t])
    }
}

/// The faces of an edge: one on a boundary, two inside, more where the mesh is not a manifold.
#[derive(Clone, Copy, Debug)]
pub struct EF;

impl Relation for EF {
    type Source = Edge;
    type Target = Face;
    type Tables = Csr;
    type Row = CsrRow;
    const NAME: &'static str = "EF";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        Csr::take(plan, u32::from(h.total[1]), 3 * u32::from(h.total[2]))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, _patch: &Patch, csr: &Csr) {
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        let patch = *patch;
        csr.transpose(b, patch.total::<Face>(), scratch, move |f| {
            let [x, y, z] = patch.face_edges(f).map(|e| e >> 1);
            [(x, f), (unless(y == x, y), f), (unless(z == x || z == y, z), f)]
        });
    }
    #[inline(always)]
    fn row(_patch: &Patch, csr: &Csr, e: u32) -> CsrRow {
        csr.row(e)
    }
    #[inline(always)]
    fn csr(csr: &Csr) -> Option<Csr> {
        Some(*csr)
    }
}

/// The edges that share a face with an edge: four inside a manifold mesh.
#[derive(Clone, Copy, Debug)]
pub struct EE;

impl Relation for EE {
    type Source = Edge;
    type Target = Edge;
    type Tables = Csr;
    type Row = EeRow;
    const NAME: &'static str = "EE";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        EF::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, csr: &Csr) {
        EF::prepare(p, patch, csr);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        EF::build(b, patch, csr, scratch);
    }
    #[inline(always)]
    fn row(patch: &Patch, csr: &Csr, e: u32) -> EeRow {
        EeRow { patch: *patch, faces: csr.row(e), edge: e, face: 0, corner: 0 }
    }
}

/// A row of [`EE`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct EeRow {
    patch: Patch,
    faces: CsrRow,
    edge: u32,
    face: u32,
    corner: u32,
}

impl EeRow {
    /// Whether the edge at the current place has come before in this row.
    #[inline(always)]
    fn repeated(&self, sides: [u32; 3], e: u32) -> bool {
        let in_face = (self.corner > 0 && sides[0] == e) || (self.corner > 1 && sides[1] == e);
        let mut k = 0;
        let mut earlier = false;
        while k < self.face {
            let s = self.patch.face_edges(self.faces.get(k)).map(|e| e >> 1);
            earlier |= s[0] == e || s[1] == e || s[2] == e;
            k += 1;
        }
        in_face || earlier
    }
}

impl Iterator for EeRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.face < self.faces.len() {
            let sides = self.patch.face_edges(self.faces.get(self.face)).map(|e| e >> 1);
            while self.corner < 3 {
                let e = FixedRow::new(sides).get(self.corner);
                let new = e != self.edge && !self.repeated(sides, e);
                self.corner += 1;
                if new {
                    return Some(e);
                }
            }
            self.corner = 0;
            self.face += 1;
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
        EeRow { face: 0, corner: 0, ..*self }
    }
}
