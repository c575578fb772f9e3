//! Oriented rows of a vertex: its faces, edges and neighbours counter-clockwise.
//!
//! For vertices whose faces form one consistently oriented fan: closed, or open at a boundary. Any other vertex
//! raises [`FaultCode::NotOrientable`]. The row starts at the boundary, or at the face with the lowest local id.
//!
//! A vertex walks around itself from corner to corner: the side by which a face comes back to it, turned around, is
//! the side by which the next face leaves it, and each side knows its corner. So a row takes as many steps as it is
//! long.

use super::csr::CsrRow;
use super::slots::before;
use super::{Csr, LocalFe, NONE, Relation};
use crate::exec::{Block, Phase};
use crate::mem::{FaultCode, Plan, Shared};
use crate::topo::{Edge, Face, Id, Patch, PatchHeader, Vertex};

/// Bit of a vertex's first corner: no face lies before any corner that was seen.
const CLOSED: u32 = 1 << 31;

/// Value in place of a first corner: a face of the vertex names a vertex twice, or an edge of it has two faces that run
/// along it in one direction.
const REFUSED: u32 = 0;

/// An empty half of a word with two corners.
const EMPTY: u32 = 0xffff;

/// Tables for walks around the vertices of a patch. Corner `3 f + k` is where side `k` of face `f` starts.
///
/// Patches with a vertex of very many edges are large: they keep FE and a word an edge in shared memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Walks {
    pub(super) fe: LocalFe,
    /// Corners from which faces run along edge `e`: two halves of a word, [`EMPTY`] if there is none, or two words
    /// ([`NONE`]) in a patch with more corners than 16 bits count.
    slots: Shared<u32>,
    wide: bool,
    /// An owned vertex's first corner plus one: the lowest at a boundary, or else the lowest, with [`CLOSED`].
    firsts: Shared<u32>,
    /// Number of corners of each owned vertex.
    corners: Shared<u32>,
}

impl Walks {
    /// Carves the tables; `fe` is loaded by the caller.
    pub(super) fn carve(h: &PatchHeader, plan: &mut Plan, fe: LocalFe) -> Walks {
        let [owned, edges, faces] = [h.owned[0], h.total[1], h.total[2]].map(u32::from);
        let wide = 3 * faces > EMPTY;
        Walks {
            fe,
            slots: plan.take(if wide { 2 * edges } else { edges }),
            wide,
            firsts: plan.take(owned),
            corners: plan.take(owned),
        }
    }

    /// Constructs the first part, inside a phase.
    #[inline(always)]
    pub(super) fn prepare<B: Block>(self, p: Phase<B>, patch: &Patch) {
        p.each(self.slots.len(), |k| self.slots.set(k, NONE));
        p.each(patch.owned::<Vertex>(), |v| {
            self.firsts.set(v, NONE);
            self.corners.set(v, 0);
        });
    }

    /// Constructs the rest.
    #[inline(always)]
    pub(super) fn build<B: Block>(self, b: B, patch: &Patch) {
        let sides = 3 * patch.total::<Face>();
        b.each(sides, |c| self.enter(self.fe.side(c), c));
        b.each(patch.total::<Face>(), |f| {
            let [a, b, c] = self.fe.sides(f);
            let [x, y, z] = [a, b, c].map(|side| start(patch, side));
            let refused = x == y || y == z || z == x;
            self.meet(patch, 3 * f, a, x, y, refused);
            self.meet(patch, 3 * f + 1, b, y, z, refused);
            self.meet(patch, 3 * f + 2, c, z, x, refused);
        });
    }

    /// Stores a corner in the slot of its side. Two corners in one slot combine to a corner of neither, or of one.
    #[inline(always)]
    fn enter(self, side: u32, corner: u32) {
        if self.wide {
            self.slots.fetch_and(side, corner);
        } else {
            let shift = 16 * (side & 1);
            let others = !(EMPTY << shift);
            self.slots.fetch_and(side >> 1, corner << shift | others);
        }
    }

    /// Returns the corner from which a face runs along a side, or [`NONE`].
    #[inline(always)]
    fn slot(self, side: u32) -> u32 {
        if self.wide {
            return self.slots.get(side);
        }
        let corner = self.slots.get(side >> 1) >> (16 * (side & 1)) & EMPTY;
        if corner == EMPTY { NONE } else { corner }
    }

    /// Counts a corner at its vertex, of a side from `from` to `to`.
    #[inline(always)]
    fn meet(self, patch: &Patch, corner: u32, side: u32, from: u32, to: u32, refused: bool) {
        let owned = patch.owned::<Vertex>();
        let clash = self.slot(side) != corner;
        if clash && to < owned {
            self.firsts.fetch_min(to, REFUSED);
        }
        if from < owned {
            let boundary = self.slot(side ^ 1) == NONE;
            let first = match (refused || clash, boundary) {
                (true, _) => REFUSED,
                (_, true) => corner + 1,
                _ => (corner + 1) | CLOSED,
            };
            self.firsts.fetch_min(from, first);
            self.corners.fetch_add(from, 1);
        }
    }

    /// Returns the number of corners of an owned vertex.
    #[inline(always)]
    fn corners(self, v: u32) -> u32 {
        self.corners.get(v)
    }

    /// Returns `true` if a row of edges is longer by one than that of faces: the faces of the vertex begin at a
    /// boundary.
    #[inline(always)]
    fn is_open(self, v: u32) -> bool {
        let first = self.firsts.get(v);
        first != NONE && first != REFUSED && first & CLOSED == 0
    }

    /// Visits the corners of an owned vertex, as far as they lead: `visit(i, corner)`, counter-clockwise. Returns
    /// `true` if they are one fan. No corner comes twice if they are, and at most [`Walks::corners`] come in any case.
    #[inline(always)]
    pub(super) fn each(self, v: u32, mut visit: impl FnMut(u32, u32)) -> bool {
        let (first, n) = (self.firsts.get(v), self.corners(v));
        if first == NONE || first == REFUSED {
            return first == NONE;
        }
        let mut corner = (first & !CLOSED) - 1;
        let end = if first & CLOSED == 0 { NONE } else { corner };
        let mut i = 0;
        loop {
            visit(i, corner);
            i += 1;
            let next = self.slot(self.side_back(corner) ^ 1);
            if next == end {
                return i == n;
            }
            if next == NONE || i == n {
                return false;
            }
            corner = next;
        }
    }

    /// Returns the side by which the face of a corner comes back to its vertex.
    #[inline(always)]
    fn side_back(self, corner: u32) -> u32 {
        self.fe.side(before(corner))
    }
}

/// Returns the vertex at which a side starts.
#[inline(always)]
fn start(patch: &Patch, side: u32) -> u32 {
    u32::from(patch.ev().get(side))
}

/// Tables for walks around the vertices of a patch, with the sections that they take: for custom kernels.
#[derive(Clone, Copy, Debug)]
pub struct FanWalks(Walks);

impl FanWalks {
    /// Carves the space.
    pub fn carve(h: &PatchHeader, plan: &mut Plan) -> FanWalks {
        let fe = LocalFe::carve(h, plan);
        FanWalks(Walks::carve(h, plan, fe))
    }

    /// Constructs the first part, inside a phase.
    #[inline(always)]
    pub fn prepare<B: Block>(self, p: Phase<B>, patch: &Patch) {
        self.0.fe.load(p, patch);
        self.0.prepare(p, patch);
    }

    /// Constructs the rest.
    #[inline(always)]
    pub fn build<B: Block>(self, b: B, patch: &Patch) {
        self.0.build(b, patch);
    }

    /// Returns `true` if the faces of an owned vertex are one consistently oriented fan, closed or open, or if it has
    /// none.
    #[inline(always)]
    pub fn is_fan(self, v: u32) -> bool {
        self.0.each(v, |_, _| {})
    }
}

/// Shared memory of the oriented relations.
#[derive(Clone, Copy, Debug)]
pub struct OrientedTables {
    walks: Walks,
    csr: Csr,
}

/// Elements in the rows of an oriented relation.
trait OrientedRow {
    /// `true` if the end of the last face counts too when the faces are an open fan.
    const ENDS: bool;
    /// Returns the element that lies along the side that starts at a corner.
    fn along(patch: &Patch, side: u32, corner: u32) -> u32;
}

impl OrientedRow for Face {
    const ENDS: bool = false;
    #[inline(always)]
    fn along(_: &Patch, _: u32, corner: u32) -> u32 {
        corner / 3
    }
}

impl OrientedRow for Edge {
    const ENDS: bool = true;
    #[inline(always)]
    fn along(_: &Patch, side: u32, _: u32) -> u32 {
        side >> 1
    }
}

impl OrientedRow for Vertex {
    const ENDS: bool = true;
    #[inline(always)]
    fn along(patch: &Patch, side: u32, _: u32) -> u32 {
        start(patch, side ^ 1)
    }
}

impl OrientedTables {
    fn carve(h: &PatchHeader, plan: &mut Plan) -> OrientedTables {
        let owned = u32::from(h.owned[0]);
        OrientedTables {
            walks: FanWalks::carve(h, plan).0,
            csr: Csr::take(plan, owned, 3 * u32::from(h.total[2]) + owned),
        }
    }

    #[inline(always)]
    fn prepare<B: Block>(self, p: Phase<B>, patch: &Patch) {
        FanWalks(self.walks).prepare(p, patch);
    }

    #[inline(always)]
    fn build<K: OrientedRow, B: Block>(self, b: B, patch: &Patch, scratch: Shared<u32>) {
        let (walks, csr, ends) = (self.walks, self.csr, self.csr.ends());
        let owned = patch.owned::<Vertex>();
        let len = |v: u32| walks.corners(v) + u32::from(K::ENDS && walks.is_open(v));
        walks.build(b, patch);
        b.each(owned, |v| ends.set(v, len(v)));
        b.scan(ends, owned, scratch);
        b.each(owned, |v| {
            let (start, n) = (ends.get(v), len(v));
            let mut at = 0;
            let mut back = 0;
            let fan = walks.each(v, |i, corner| {
                csr.set_value(start + i, K::along(patch, walks.fe.side(corner), corner));
                (at, back) = (i + 1, walks.side_back(corner));
            });
            if !fan {
                let linear = patch.own::<Vertex>(v).linear();
                patch
                    .fault()
                    .raise(FaultCode::NotOrientable, linear, patch.id());
            } else if at < n {
                csr.set_value(start + at, K::along(patch, back ^ 1, NONE));
                at += 1;
            }
            // After a fault a row still has entries that are there.
            while at < n {
                csr.set_value(start + at, 0);
                at += 1;
            }
            ends.set(v, start + n);
        });
    }
}

macro_rules! fan_relation {
    ($(#[$doc:meta])* $name:ident, $target:ty, $label:literal, $prepare:literal) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug)]
        pub struct $name;

        // SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
        unsafe impl Relation for $name {
            type Source = Vertex;
            type Target = $target;
            type Tables = OrientedTables;
            type Row = CsrRow;
            const NAME: &'static str = $label;
            const PREPARE: &'static str = $prepare;

            #[inline(always)]
            fn carve(h: &PatchHeader, plan: &mut Plan) -> OrientedTables {
                OrientedTables::carve(h, plan)
            }
            #[inline(always)]
            fn prepare<B: Block>(p: Phase<B>, patch: &Patch, fan: &OrientedTables) {
                fan.prepare(p, patch);
            }
            #[inline(always)]
            fn build<B: Block>(b: B, patch: &Patch, fan: &OrientedTables, scratch: Shared<u32>) {
                fan.build::<$target, B>(b, patch, scratch);
            }
            #[inline(always)]
            fn row(_patch: &Patch, fan: &OrientedTables, v: u32) -> CsrRow {
                fan.csr.row(v)
            }
            #[inline(always)]
            fn csr(fan: &OrientedTables) -> Option<Csr> {
                Some(fan.csr)
            }
        }
    };
}

fan_relation!(
    /// Faces of a vertex, counter-clockwise.
    OrientedVF, Face, "oriented VF", "rx_prepare_oriented_vf"
);
fan_relation!(
    /// Edges of a vertex, counter-clockwise.
    OrientedVE, Edge, "oriented VE", "rx_prepare_oriented_ve"
);
fan_relation!(
    /// Vertices around a vertex, counter-clockwise.
    OrientedVV, Vertex, "oriented VV", "rx_prepare_oriented_vv"
);
