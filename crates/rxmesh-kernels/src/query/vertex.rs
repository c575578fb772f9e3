//! VE, VV, VF: rows of vertices, by transposing EV and FV.

use super::csr::CsrRow;
use super::transposed::Transposed;
use super::{Csr, LocalEv, LocalFe, Relation, unless};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// Transposes EV: `emit(e, s, t)` gives the two entries of an edge. Each thread takes four edges with one 16-byte
/// access.
#[inline(always)]
pub(super) fn transpose_ev<B: Block>(
    b: B,
    patch: &Patch,
    csr: Csr,
    scratch: Shared<u32>,
    emit: impl Fn(u32, u32, u32) -> [(u32, u32); 2],
) {
    let (edges, ev) = (patch.total::<Edge>(), patch.ev().cast::<u32>());
    if B::SOLO {
        csr.transpose(
            b,
            edges,
            scratch,
            |e| ev.get(e),
            |e, w| emit(e, w & 0xffff, w >> 16),
        );
        return;
    }
    csr.transpose4(
        b,
        edges,
        scratch,
        |g| ev.get4(g),
        |e, w| emit(e, w & 0xffff, w >> 16),
    );
}

/// Edges of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VE;

// SAFETY: entries are of the patch's own local ids, and as many as they say (contracts U1 to U4).
unsafe impl Transposed for VE {
    type Source = Vertex;
    type Target = Edge;
    const NAME: &'static str = "VE";
    const PREPARE: &'static str = "rx_prepare_ve";
    const USUAL: u32 = 8;
    const NEEDS: Needs = Needs::EDGES;

    #[inline(always)]
    fn size(h: &PatchHeader) -> [u32; 2] {
        [u32::from(h.owned[0]), 2 * u32::from(h.total[1])]
    }
    #[inline(always)]
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>) {
        transpose_ev(b, patch, csr, scratch, |e, s, t| {
            [(s, e), (unless(t == s, t), e)]
        });
    }
}

/// Vertices that share an edge with a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VV;

// SAFETY: entries are of the patch's own local ids, and as many as they say (contracts U1 to U4).
unsafe impl Transposed for VV {
    type Source = Vertex;
    type Target = Vertex;
    const NAME: &'static str = "VV";
    const PREPARE: &'static str = "rx_prepare_vv";
    const USUAL: u32 = 8;
    const NEEDS: Needs = Needs::EDGES;

    #[inline(always)]
    fn size(h: &PatchHeader) -> [u32; 2] {
        VE::size(h)
    }
    #[inline(always)]
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>) {
        transpose_ev(b, patch, csr, scratch, |_, s, t| {
            [(unless(t == s, s), t), (unless(t == s, t), s)]
        });
    }
}

/// Returns the entries of a face with these corners in the rows of its vertices.
#[inline(always)]
pub(super) fn faces_of_vertices(f: u32, [x, y, z]: [u32; 3]) -> [(u32, u32); 3] {
    [
        (x, f),
        (unless(y == x, y), f),
        (unless(z == x || z == y, z), f),
    ]
}

/// Shared memory of [`VF`]: the stored sections and the rows.
#[derive(Clone, Copy, Debug)]
pub struct VertexFaces {
    pub(super) ev: LocalEv,
    pub(super) fe: LocalFe,
    pub(super) csr: Csr,
}

/// Faces of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VF;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for VF {
    type Source = Vertex;
    type Target = Face;
    type Tables = VertexFaces;
    type Row = CsrRow;
    const NAME: &'static str = "VF";
    const PREPARE: &'static str = "rx_prepare_vf";
    const USUAL: u32 = 8;

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> VertexFaces {
        VertexFaces {
            ev: LocalEv::carve(h, plan),
            fe: LocalFe::carve(h, plan),
            csr: Csr::take(plan, u32::from(h.owned[0]), 3 * u32::from(h.total[2])),
        }
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, t: &VertexFaces) {
        t.ev.load(p, patch);
        t.fe.load(p, patch);
        t.csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, t: &VertexFaces, scratch: Shared<u32>) {
        t.csr.transpose(
            b,
            patch.total::<Face>(),
            scratch,
            |f| t.fe.vertices(t.ev, f),
            faces_of_vertices,
        );
    }
    #[inline(always)]
    fn row(_patch: &Patch, t: &VertexFaces, v: u32) -> CsrRow {
        t.csr.row(v)
    }
    #[inline(always)]
    fn csr(t: &VertexFaces) -> Option<Csr> {
        Some(t.csr)
    }
}
