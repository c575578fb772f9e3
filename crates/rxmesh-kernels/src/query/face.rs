//! FE, FV, FF: rows of faces.

use super::csr::{FewRow, FixedRow};
use super::slots::{EdgeFaces, SlottedRow, face_of};
use super::{LocalEv, NONE, Relation, Row, Stored};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Needs, Patch, PatchHeader, Vertex};

/// Three edges of a face; edge `k` joins corner `k` to the next.
#[derive(Clone, Copy, Debug)]
pub struct FE;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for FE {
    type Source = Face;
    type Target = Edge;
    type Tables = ();
    type Row = FixedRow<3>;
    const NAME: &'static str = "FE";
    const PREPARE: &'static str = "rx_prepare_fe";
    const PREPARABLE: bool = false;
    const FIXED: Option<u32> = Some(3);

    #[inline(always)]
    fn carve(_h: &PatchHeader, _plan: &mut Plan) {}
    #[inline(always)]
    fn row(patch: &Patch, (): &(), f: u32) -> FixedRow<3> {
        FixedRow::new(patch.face_edges(f).map(|side| side >> 1))
    }
    #[inline(always)]
    fn entry(patch: &Patch, (): &(), k: u32) -> u32 {
        u32::from(patch.fe().get(k)) >> 1
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for FE {}

/// Three vertices of a face, in the input's order.
#[derive(Clone, Copy, Debug)]
pub struct FV;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for FV {
    type Source = Face;
    type Target = Vertex;
    type Tables = LocalEv;
    type Row = FixedRow<3>;
    const NAME: &'static str = "FV";
    const PREPARE: &'static str = "rx_prepare_fv";
    const RIBBON_ROWS: bool = true;
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
        FixedRow::new(patch.face_edges(f).map(|side| ev.start(side)))
    }
    #[inline(always)]
    fn entry(patch: &Patch, ev: &LocalEv, k: u32) -> u32 {
        ev.start(u32::from(patch.fe().get(k)))
    }
}

// SAFETY: its rows are those of the patch, which are as many as its elements.
unsafe impl Stored for FV {}

/// Faces that share an edge with a face.
#[derive(Clone, Copy, Debug)]
pub struct FF;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for FF {
    type Source = Face;
    type Target = Face;
    type Tables = EdgeFaces;
    type Row = SlottedRow<3, AnyFf>;
    const NAME: &'static str = "FF";
    const PREPARE: &'static str = "rx_prepare_ff";
    const USUAL: u32 = 8;
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
    fn row(_patch: &Patch, faces: &EdgeFaces, f: u32) -> Self::Row {
        let sides = faces.fe().sides(f);
        let slotted = faces.is_slotted();
        let across = |side: u32| {
            if slotted {
                face_of(faces.corner(side ^ 1))
            } else {
                NONE
            }
        };
        SlottedRow {
            slotted,
            few: FewRow::new(f, sides.map(across)),
            any: AnyFf {
                faces: *faces,
                sides: sides.map(|side| side >> 1),
                face: f,
                side: 0,
                at: 0,
            },
        }
    }
}

/// A row of [`FF`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct AnyFf {
    faces: EdgeFaces,
    sides: [u32; 3],
    face: u32,
    side: u32,
    at: u32,
}

impl AnyFf {
    #[inline(always)]
    fn side(&self, k: u32) -> u32 {
        FixedRow::new(self.sides).get(k)
    }

    /// Returns `true` if face `g` has come before: it has one of the sides before the current one.
    #[inline(always)]
    fn repeated(&self, g: u32) -> bool {
        if self.side == 0 {
            return false;
        }
        let s = self.faces.fe().edges(g);
        let has = |e: u32| s[0] == e || s[1] == e || s[2] == e;
        has(self.sides[0]) || (self.side > 1 && has(self.sides[1]))
    }
}

impl Iterator for AnyFf {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        while self.side < 3 {
            let faces = self.faces.row(self.side(self.side));
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
