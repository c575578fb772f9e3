//! FE, FV, FF: rows of faces.

use super::csr::{CsrRow, FixedRow};
use super::{Csr, EF, Relation, Row};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};

/// The EV section in shared memory: what reads edges in any order goes through it.
#[derive(Clone, Copy, Debug)]
pub struct LocalEv {
    words: Shared<u32>,
}

impl LocalEv {
    /// Takes room for all local edges.
    #[inline(always)]
    pub fn carve(h: &PatchHeader, plan: &mut Plan) -> LocalEv {
        LocalEv { words: plan.take(u32::from(h.total[1])) }
    }

    /// Loads it, inside a phase.
    #[inline(always)]
    pub fn load<B: Block>(self, p: Phase<B>, patch: &Patch) {
        let (words, ev) = (self.words, patch.ev().cast::<u32>());
        p.each(patch.total::<Edge>(), |e| words.set(e, ev.get(e)));
    }

    /// Where a side of a face (an FE entry) starts.
    #[inline(always)]
    pub fn start(self, side: u32) -> u32 {
        // Entry bit 0 picks source or target: the low or the high half of the word.
        self.words.get(side >> 1) >> (16 * (side & 1)) & 0xffff
    }
}

/// The three vertices of a local face, in the input's order.
#[inline(always)]
pub(super) fn face_vertices(patch: &Patch, ev: LocalEv, f: u32) -> [u32; 3] {
    patch.face_edges(f).map(|side| ev.start(side))
}

/// The three edges of a face; edge `k` joins corner `k` to the next.
#[derive(Clone, Copy, Debug)]
pub struct FE;

impl Relation for FE {
    type Source = Face;
    type Target = Edge;
    type Tables = ();
    type Row = FixedRow<3>;
    const NAME: &'static str = "FE";
    const FIXED: Option<u32> = Some(3);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), f: u32) -> FixedRow<3> {
        FixedRow::new(patch.face_edges(f).map(|side| side >> 1))
    }
}

/// The three vertices of a face, in the input's order.
#[derive(Clone, Copy, Debug)]
pub struct FV;

impl Relation for FV {
    type Source = Face;
    type Target = Vertex;
    type Tables = LocalEv;
    type Row = FixedRow<3>;
    const NAME: &'static str = "FV";
    const FIXED: Option<u32> = Some(3);

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> LocalEv {
        LocalEv::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, ev: &LocalEv) {
        ev.load(p, patch);
    }
    #[inline(always)]
    fn row(patch: &Patch, ev: &LocalEv, f: u32) -> FixedRow<3> {
        FixedRow::new(face_vertices(patch, *ev, f))
    }
}

/// The faces that share an edge with a face.
#[derive(Clone, Copy, Debug)]
pub struct FF;

impl Relation for FF {
    type Source = Face;
    type Target = Face;
    type Tables = Csr;
    type Row = FfRow;
    const NAME: &'static str = "FF";

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
    fn row(patch: &Patch, csr: &Csr, f: u32) -> FfRow {
        let sides = patch.face_edges(f).map(|side| side >> 1);
        FfRow { patch: *patch, csr: *csr, sides, face: f, side: 0, at: 0 }
    }
}

/// A row of [`FF`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct FfRow {
    patch: Patch,
    csr: Csr,
    sides: [u32; 3],
    face: u32,
    side: u32,
    at: u32,
}

impl FfRow {
    #[inline(always)]
    fn side(&self, k: u32) -> u32 {
        FixedRow::new(self.sides).get(k)
    }

    /// Whether face `g` has come before: it has one of the sides before the current one.
    #[inline(always)]
    fn repeated(&self, g: u32) -> bool {
        if self.side == 0 {
            return false;
        }
        let s = self.patch.face_edges(g).map(|side| side >> 1);
        let has = |e: u32| s[0] == e || s[1] == e || s[2] == e;
        has(self.sides[0]) || (self.side > 1 && has(self.sides[1]))
    }
}

impl Iterator for FfRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.side < 3 {
            let faces: CsrRow = self.csr.row(self.side(self.side));
            while self.at < faces.len() {
                let g = faces.get(self.at);
                let new = g != self.face && !self.repeated(g);
                self.at += 1;
                if new {
                    return Some(g);
                }
            }
            self.at = 0;
            self.side += 1;
        }
        None
    }
}

impl Row for FfRow {
    type Iter = FfRow;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.iter().count() as u32
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        self.iter().nth(i as usize).unwrap_or(super::NONE)
    }
    #[inline(always)]
    fn iter(&self) -> FfRow {
        FfRow { side: 0, at: 0, ..*self }
    }
}
