//! Faces of edges: two slots per edge if the mesh is an oriented manifold, compressed rows if it is not.
//!
//! In a consistently oriented manifold an edge has at most one face that runs along it and one that runs against it, so
//! that each side of a face has a separate slot, and no scan and no sort is needed. Every side puts itself into its
//! slot, the lowest stays; if a side meets one of another face the whole patch falls back to the transpose.
//!
//! A slot keeps the corner at which the side starts: corner `3 f + k` is where side `k` of face `f` starts.

use super::csr::{CsrRow, FewRow};
use super::local::LocalFe;
use super::{Csr, NONE, Row, unless};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Edge, Face, Patch, PatchHeader};

/// Faces of all local edges.
#[derive(Clone, Copy, Debug)]
pub struct EdgeFaces {
    fe: LocalFe,
    /// `2 e + d`: the corner from which a face runs along edge `e` in direction `d`.
    slots: Shared<u32>,
    /// Nonzero when two sides met in a slot.
    clash: Shared<u32>,
    /// Lies over the slots: one or the other is in use.
    csr: Csr,
}

impl EdgeFaces {
    /// Carves space for both forms.
    #[inline(always)]
    pub fn carve(h: &PatchHeader, plan: &mut Plan) -> EdgeFaces {
        let (edges, faces) = (u32::from(h.total[1]), u32::from(h.total[2]));
        let fe = LocalFe::carve(h, plan);
        let clash = plan.take(1);
        let here = plan.mark();
        let slots = plan.take(2 * edges);
        let end = plan.mark();
        plan.rewind(here);
        let csr = Csr::take(plan, edges, 3 * faces);
        // Another relation of the same kernel follows both.
        plan.skip_to(end);
        EdgeFaces {
            fe,
            slots,
            clash,
            csr,
        }
    }

    /// Constructs the first part, inside a phase.
    #[inline(always)]
    pub fn prepare<B: Block>(self, p: Phase<B>, patch: &Patch) {
        self.fe.load(p, patch);
        p.each(2 * patch.total::<Edge>(), |k| self.slots.set(k, NONE));
        p.lead(|| self.clash.set(0, 0));
    }

    /// Constructs the rest.
    #[inline(always)]
    pub fn build<B: Block>(self, b: B, patch: &Patch, scratch: Shared<u32>) {
        let (fe, slots, clash) = (self.fe, self.slots, self.clash);
        let sides = 3 * patch.total::<Face>();
        b.each(sides, |k| {
            let met = slots.fetch_min(fe.side(k), k);
            if met != NONE && met / 3 != k / 3 {
                clash.fetch_or(0, 1);
            }
        });
        if clash.get(0) != 0 {
            let csr = self.csr;
            b.phase(|p| csr.clear(p));
            csr.transpose(
                b,
                patch.total::<Face>(),
                scratch,
                |f| fe.edges(f),
                |f, [x, y, z]| {
                    [
                        (x, f),
                        (unless(y == x, y), f),
                        (unless(z == x || z == y, z), f),
                    ]
                },
            );
        }
    }

    /// Returns the FE section that this keeps in shared memory.
    #[inline(always)]
    pub fn fe(self) -> LocalFe {
        self.fe
    }

    /// Returns the faces of a local edge, in ascending local id.
    #[inline(always)]
    pub fn row(self, e: u32) -> EdgeFacesRow {
        if self.clash.get(0) != 0 {
            return EdgeFacesRow {
                first: 0,
                second: 0,
                n: 0,
                at: 0,
                csr: Some(self.csr.row(e)),
            };
        }
        let (f, g) = (
            face_of(self.slots.get(2 * e)),
            face_of(self.slots.get(2 * e + 1)),
        );
        // An edge that one face has twice (a, b, a) fills both slots with that face.
        let n = u32::from(f != NONE) + u32::from(g != NONE && g != f);
        let (first, second) = if f < g { (f, g) } else { (g, f) };
        EdgeFacesRow {
            first,
            second,
            n,
            at: 0,
            csr: None,
        }
    }

    /// Returns `true` if every side of the patch has a separate slot: the patch is an oriented manifold, or nearly so.
    #[inline(always)]
    pub fn is_slotted(self) -> bool {
        self.clash.get(0) == 0
    }

    /// Returns the corner at which the side lies that runs along edge `e` in direction `d`, for `2 e + d`; [`NONE`] if
    /// no face has it. For a patch that is [slotted](EdgeFaces::is_slotted).
    #[inline(always)]
    pub fn corner(self, side: u32) -> u32 {
        self.slots.get(side)
    }
}

/// Returns the face of a corner.
#[inline(always)]
pub(super) fn face_of(corner: u32) -> u32 {
    if corner == NONE { NONE } else { corner / 3 }
}

/// Returns the corner that comes before a corner in its face; opposite to its side.
#[inline(always)]
pub(super) fn before(corner: u32) -> u32 {
    if corner.is_multiple_of(3) {
        corner + 2
    } else {
        corner - 1
    }
}

/// A row of [`EdgeFaces`].
#[derive(Clone, Copy, Debug)]
pub struct EdgeFacesRow {
    first: u32,
    second: u32,
    n: u32,
    at: u32,
    csr: Option<CsrRow>,
}

impl Row for EdgeFacesRow {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        match &self.csr {
            Some(row) => row.len(),
            None => self.n,
        }
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        match &self.csr {
            Some(row) => row.get(i),
            None if i == 0 => self.first,
            None => self.second,
        }
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl Iterator for EdgeFacesRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.at == self.len() {
            return None;
        }
        self.at += 1;
        Some(self.get(self.at - 1))
    }
}

/// A row with at most `N` entries where the patch is [slotted](EdgeFaces::is_slotted), or else one that is computed as
/// it is read.
#[derive(Clone, Copy, Debug)]
pub struct SlottedRow<const N: usize, A> {
    pub(super) slotted: bool,
    pub(super) few: FewRow<N>,
    pub(super) any: A,
}

impl<const N: usize, A: Iterator<Item = u32>> Iterator for SlottedRow<N, A> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.slotted {
            self.few.next()
        } else {
            self.any.next()
        }
    }
}

impl<const N: usize, A: Iterator<Item = u32> + Copy> Row for SlottedRow<N, A> {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        if self.slotted {
            self.few.len()
        } else {
            self.any.count() as u32
        }
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        if self.slotted {
            self.few.get(i)
        } else {
            { self.any }.nth(i as usize).unwrap_or(NONE)
        }
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}
