//! VC, EC, FC: the cells around an element, by transposing what cells store; EE: edges around the ends of an edge.

use super::csr::CsrRow;
use super::transposed::Transposed;
use super::{Csr, Relation, Row, VE};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Cell, Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// Cells of a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VC;

// SAFETY: entries are of the patch's own local ids, and as many as they say (contracts U1 to U4).
unsafe impl Transposed for VC {
    type Source = Vertex;
    type Target = Cell;
    const NAME: &'static str = "VC";
    const PREPARE: &'static str = "rx_prepare_vc";
    const USUAL: u32 = 8;
    const NEEDS: Needs = Needs::CELLS;

    #[inline(always)]
    fn size(h: &PatchHeader) -> [u32; 2] {
        [u32::from(h.owned[0]), 4 * u32::from(h.cells)]
    }
    #[inline(always)]
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>) {
        csr.transpose(
            b,
            patch.total::<Cell>(),
            scratch,
            |c| patch.cell_vertices(c),
            |c, [v, w, x, y]| [(v, c), (w, c), (x, c), (y, c)],
        );
    }
}

/// Cells of an edge.
#[derive(Clone, Copy, Debug)]
pub struct EC;

// SAFETY: entries are of the patch's own local ids, and as many as they say (contracts U1 to U4).
unsafe impl Transposed for EC {
    type Source = Edge;
    type Target = Cell;
    const NAME: &'static str = "EC";
    const PREPARE: &'static str = "rx_prepare_ec";
    const USUAL: u32 = 6;
    const NEEDS: Needs = Needs::CELLS.and(Needs::EDGES);

    #[inline(always)]
    fn size(h: &PatchHeader) -> [u32; 2] {
        [u32::from(h.owned[1]), 6 * u32::from(h.cells)]
    }
    #[inline(always)]
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>) {
        csr.transpose(
            b,
            patch.total::<Cell>(),
            scratch,
            |c| patch.cell_edges(c),
            |c, [d, e, f, g, h, i]| [(d, c), (e, c), (f, c), (g, c), (h, c), (i, c)],
        );
    }
}

/// Cells of a face: one on the boundary, two inside, more where the mesh is not a manifold.
#[derive(Clone, Copy, Debug)]
pub struct FC;

// SAFETY: entries are of the patch's own local ids, and as many as they say (contracts U1 to U4).
unsafe impl Transposed for FC {
    type Source = Face;
    type Target = Cell;
    const NAME: &'static str = "FC";
    const PREPARE: &'static str = "rx_prepare_fc";
    const USUAL: u32 = 2;
    const RIBBON_ROWS: bool = true;
    const NEEDS: Needs = Needs::CELLS.and(Needs::FACES);

    // Rows of all local faces, because CC looks up those of the faces of owned cells.
    #[inline(always)]
    fn size(h: &PatchHeader) -> [u32; 2] {
        [u32::from(h.total[2]), 4 * u32::from(h.cells)]
    }
    #[inline(always)]
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>) {
        csr.transpose(
            b,
            patch.total::<Cell>(),
            scratch,
            |c| patch.cell_faces(c),
            |c, [f, g, h, i]| [(f, c), (g, c), (h, c), (i, c)],
        );
    }
}

/// Edges that share a vertex with an edge (MeshTaichi 2022, section 3.1), of volumes that keep the ring: those at its
/// source, then those at its target. [`super::EEThroughFaces`] is another relation.
#[derive(Clone, Copy, Debug)]
pub struct EE;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for EE {
    type Source = Edge;
    type Target = Edge;
    type Tables = Csr;
    type Row = EndsRow;
    const NAME: &'static str = "EE";
    const PREPARE: &'static str = "rx_prepare_ee_at_ends";
    const USUAL: u32 = 8;
    // A patch of a surface does not hold the faces around all ends of its edges.
    const NEEDS: Needs = Needs::CELLS.and(Needs::EDGES).and(Needs::RING);

    // VE of all local vertices: an owned edge may end at one that is not owned.
    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        Csr::take(plan, u32::from(h.total[0]), 2 * u32::from(h.total[1]))
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, _patch: &Patch, csr: &Csr) {
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        VE::transpose(b, patch, *csr, scratch);
    }
    #[inline(always)]
    fn row(patch: &Patch, csr: &Csr, e: u32) -> EndsRow {
        let (s, t) = patch.edge_vertices(e);
        EndsRow {
            edges: *csr,
            ends: [s, t],
            edge: e,
            second: false,
            around: csr.row(s),
        }
    }
}

/// A row of [`EE`], computed as it is read. No two edges of a volume have the same ends, so none comes twice.
#[derive(Clone, Copy, Debug)]
pub struct EndsRow {
    edges: Csr,
    ends: [u32; 2],
    edge: u32,
    second: bool,
    around: CsrRow,
}

impl Iterator for EndsRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        loop {
            for e in self.around.by_ref() {
                if e != self.edge {
                    return Some(e);
                }
            }
            if self.second {
                return None;
            }
            self.second = true;
            self.around = self.edges.row(self.ends[1]);
        }
    }
}

impl Row for EndsRow {
    type Iter = EndsRow;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.edges.row(self.ends[0]).len() + self.edges.row(self.ends[1]).len() - 2
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        self.iter().nth(i as usize).unwrap_or(super::NONE)
    }
    #[inline(always)]
    fn iter(&self) -> EndsRow {
        EndsRow {
            second: false,
            around: self.edges.row(self.ends[0]),
            ..*self
        }
    }
}
