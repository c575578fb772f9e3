//! CV, CE, CF, CC: rows of cells.

use super::csr::{CsrRow, FixedRow};
use super::{Csr, FC, Relation, Row, Stored};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Cell, Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// Four vertices of a cell, in the input's order.
#[derive(Clone, Copy, Debug)]
pub struct CV;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for CV {
    type Source = Cell;
    type Target = Vertex;
    type Tables = ();
    type Row = FixedRow<4>;
    const NAME: &'static str = "CV";
    const PREPARE: &'static str = "rx_prepare_cv";
    const NEEDS: Needs = Needs::CELLS;
    const PREPARABLE: bool = false;
    const FIXED: Option<u32> = Some(4);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), c: u32) -> FixedRow<4> {
        FixedRow::new(patch.cell_vertices(c))
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for CV {}

/// Six edges of a cell, in the order of their corners: 01, 02, 03, 12, 13, 23.
#[derive(Clone, Copy, Debug)]
pub struct CE;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for CE {
    type Source = Cell;
    type Target = Edge;
    type Tables = ();
    type Row = FixedRow<6>;
    const NAME: &'static str = "CE";
    const PREPARE: &'static str = "rx_prepare_ce";
    const NEEDS: Needs = Needs::CELLS.and(Needs::EDGES);
    const PREPARABLE: bool = false;
    const FIXED: Option<u32> = Some(6);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), c: u32) -> FixedRow<6> {
        FixedRow::new(patch.cell_edges(c))
    }
    #[inline(always)]
    fn entry(patch: &Patch, (): &(), k: u32) -> u32 {
        u32::from(patch.ce().get(k))
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for CE {}

/// Four faces of a cell; face `k` lies opposite vertex `k` of [`CV`].
#[derive(Clone, Copy, Debug)]
pub struct CF;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for CF {
    type Source = Cell;
    type Target = Face;
    type Tables = ();
    type Row = FixedRow<4>;
    const NAME: &'static str = "CF";
    const PREPARE: &'static str = "rx_prepare_cf";
    const NEEDS: Needs = Needs::CELLS.and(Needs::FACES);
    const PREPARABLE: bool = false;
    const FIXED: Option<u32> = Some(4);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), c: u32) -> FixedRow<4> {
        FixedRow::new(patch.cell_faces(c))
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for CF {}

/// Cells that share a face with a cell: at most four where no face has more than two.
#[derive(Clone, Copy, Debug)]
pub struct CC;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for CC {
    type Source = Cell;
    type Target = Cell;
    type Tables = Csr;
    type Row = CcRow;
    const NAME: &'static str = "CC";
    const PREPARE: &'static str = "rx_prepare_cc";
    const USUAL: u32 = 4;
    const NEEDS: Needs = FC::NEEDS;

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        FC::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, cells: &Csr) {
        FC::prepare(p, patch, cells);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, cells: &Csr, scratch: Shared<u32>) {
        FC::build(b, patch, cells, scratch);
    }
    #[inline(always)]
    fn row(patch: &Patch, cells: &Csr, c: u32) -> CcRow {
        let faces = patch.cell_faces(c);
        CcRow {
            patch: *patch,
            cells: *cells,
            faces,
            cell: c,
            side: 0,
            around: cells.row(faces[0]).iter(),
        }
    }
}

/// A row of [`CC`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct CcRow {
    patch: Patch,
    cells: Csr,
    faces: [u32; 4],
    cell: u32,
    side: u32,
    around: CsrRow,
}

impl CcRow {
    /// Returns `true` if cell `d` has come before: two cells that share two faces have the same vertices and share all,
    /// so it came with the first face.
    #[inline(always)]
    fn repeated(&self, d: u32) -> bool {
        if self.side == 0 {
            return false;
        }
        let faces = self.patch.cell_faces(d);
        let has = |f: u32| faces[0] == f || faces[1] == f || faces[2] == f || faces[3] == f;
        has(self.faces[0])
    }
}

impl Iterator for CcRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        loop {
            while let Some(d) = self.around.next() {
                if d != self.cell && !self.repeated(d) {
                    return Some(d);
                }
            }
            if self.side == 3 {
                return None;
            }
            self.side += 1;
            self.around = self
                .cells
                .row(FixedRow::new(self.faces).get(self.side))
                .iter();
        }
    }
}

impl Row for CcRow {
    type Iter = CcRow;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.iter().count() as u32
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        self.iter().nth(i as usize).unwrap_or(super::NONE)
    }
    #[inline(always)]
    fn iter(&self) -> CcRow {
        CcRow {
            side: 0,
            around: self.cells.row(self.faces[0]).iter(),
            ..*self
        }
    }
}
