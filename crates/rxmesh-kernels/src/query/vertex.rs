//! VE, VV, VF: rows of vertices, by transposing EV and FV.

use super::csr::CsrRow;
use super::{Csr, Relation, unless};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::query::face::{LocalEv, face_vertices};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};

/// The edges of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VE;

impl Relation for VE {
    type Source = Vertex;
    type Target = Edge;
    type Tables = Csr;
    type Row = CsrRow;
    const NAME: &'static str = "VE";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        Csr::take(plan, u32::from(h.owned[0]), 2 * u32::from(h.total[1]))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, _patch: &Patch, csr: &Csr) {
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        let patch = *patch;
        csr.transpose(b, patch.total::<Edge>(), scratch, move |e| {
            let (s, t) = patch.edge_vertices(e);
            [(s, e), (unless(t == s, t), e)]
        });
    }
    #[inline(always)]
    fn row(_patch: &Patch, csr: &Csr, v: u32) -> CsrRow {
        csr.row(v)
    }
    #[inline(always)]
    fn csr(csr: &Csr) -> Option<Csr> {
        Some(*csr)
    }
}

/// The vertices that share an edge with a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VV;

impl Relation for VV {
    type Source = Vertex;
    type Target = Vertex;
    type Tables = Csr;
    type Row = CsrRow;
    const NAME: &'static str = "VV";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        VE::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, _patch: &Patch, csr: &Csr) {
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        let patch = *patch;
        csr.transpose(b, patch.total::<Edge>(), scratch, move |e| {
            let (s, t) = patch.edge_vertices(e);
            [(unless(t == s, s), t), (unless(t == s, t), s)]
        });
    }
    #[inline(always)]
    fn row(_patch: &Patch, csr: &Csr, v: u32) -> CsrRow {
        csr.row(v)
    }
    #[inline(always)]
    fn csr(csr: &Csr) -> Option<Csr> {
        Some(*csr)
    }
}

/// The faces of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VF;

impl Relation for VF {
    type Source = Vertex;
    type Target = Face;
    type Tables = (LocalEv, Csr);
    type Row = CsrRow;
    const NAME: &'static str = "VF";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> (LocalEv, Csr) {
        let ev = LocalEv::carve(h, plan);
        (ev, Csr::take(plan, u32::from(h.owned[0]), 3 * u32::from(h.total[2])))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, (ev, csr): &(LocalEv, Csr)) {
        ev.load(p, patch);
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, (ev, csr): &(LocalEv, Csr), scratch: Shared<u32>) {
        let (patch, ev) = (*patch, *ev);
        csr.transpose(b, patch.total::<Face>(), scratch, move |f| {
            let [x, y, z] = face_vertices(&patch, ev, f);
            [(x, f), (unless(y == x, y), f), (unless(z == x || z == y, z), f)]
        });
    }
    #[inline(always)]
    fn row(_patch: &Patch, (_, csr): &(LocalEv, Csr), v: u32) -> CsrRow {
        csr.row(v)
    }
    #[inline(always)]
    fn csr((_, csr): &(LocalEv, Csr)) -> Option<Csr> {
        Some(*csr)
    }
}
