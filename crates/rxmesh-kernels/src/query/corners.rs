//! Corners: around a vertex, the two other vertices of each of its faces.

use super::csr::CsrRow;
use super::oriented::Walks;
use super::vertex::{VertexFaces, faces_of_vertices};
use super::{Csr, LocalFe, Relation, Row, VF};
use crate::exec::{Block, Phase};
use crate::mem::{Global, Plan, Shared};
use crate::topo::{Face, Patch, PatchHeader, Vertex};

/// For each face of a vertex, in ascending local id, two entries: the vertex that follows it in the face and the one
/// that comes before it. Unlike the oriented relations it is defined on every mesh, and unlike the other relations its
/// rows repeat vertices. With it, a kernel gathers the values of faces at their corners without atomics.
///
/// A face that names the vertex twice counts once, at its first corner there.
#[derive(Clone, Copy, Debug)]
pub struct Corners;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for Corners {
    type Source = Vertex;
    type Target = Vertex;
    type Tables = VertexFaces;
    type Row = CornersRow;
    const NAME: &'static str = "corners";
    const PREPARE: &'static str = "rx_prepare_corners";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> VertexFaces {
        VF::carve(h, plan)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, t: &VertexFaces) {
        VF::prepare(p, patch, t);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, t: &VertexFaces, scratch: Shared<u32>) {
        VF::build(b, patch, t, scratch);
    }
    #[inline(always)]
    fn row(_patch: &Patch, t: &VertexFaces, v: u32) -> CornersRow {
        CornersRow {
            tables: *t,
            faces: t.csr.row(v),
            vertex: v,
            at: 0,
        }
    }
}

/// As [`Corners`], but if a vertex's faces form one consistently oriented fan, closed or open, they come in its order:
/// the previous vertex in one is the next vertex in the one after it. Otherwise the order is any.
#[derive(Clone, Copy, Debug)]
pub struct Fans;

/// Shared memory of [`Fans`]: the faces of vertices, and the tables for walks around a vertex.
#[derive(Clone, Copy, Debug)]
pub struct FanTables {
    walks: Walks,
    faces: Csr,
}

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for Fans {
    type Source = Vertex;
    type Target = Vertex;
    type Tables = FanTables;
    type Row = FansRow;
    const NAME: &'static str = "fans";
    const PREPARE: &'static str = "rx_prepare_fans";

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> FanTables {
        let fe = LocalFe::carve(h, plan);
        FanTables {
            walks: Walks::carve(h, plan, fe),
            faces: Csr::take(plan, u32::from(h.owned[0]), 3 * u32::from(h.total[2])),
        }
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, patch: &Patch, t: &FanTables) {
        t.walks.fe.load(p, patch);
        t.walks.prepare(p, patch);
        t.faces.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, t: &FanTables, scratch: Shared<u32>) {
        let (fe, csr) = (t.walks.fe, t.faces);
        csr.transpose(
            b,
            patch.total::<Face>(),
            scratch,
            |f| fe.sides(f).map(|side| u32::from(patch.ev().get(side))),
            faces_of_vertices,
        );
        t.walks.build(b, patch);
        b.each(patch.owned::<Vertex>(), |v| {
            // Only fans are written down.
            if t.walks.each(v, |_, _| {}) {
                let (lo, _) = csr.bounds(v);
                t.walks
                    .each(v, |i, corner| csr.set_value(lo + i, corner / 3));
            }
        });
    }
    #[inline(always)]
    fn row(patch: &Patch, t: &FanTables, v: u32) -> FansRow {
        FansRow {
            ev: patch.ev(),
            fe: t.walks.fe,
            faces: t.faces.row(v),
            vertex: v,
            at: 0,
        }
    }
}

/// A row of [`Fans`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct FansRow {
    ev: Global<u16>,
    fe: LocalFe,
    faces: CsrRow,
    vertex: u32,
    at: u32,
}

impl Row for FansRow {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        2 * self.faces.len()
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        let sides = self.fe.sides(self.faces.get(i / 2));
        let corners = sides.map(|side| u32::from(self.ev.get(side)));
        beside(corners, self.vertex, i)
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl Iterator for FansRow {
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

/// Returns the corner of a face that follows a vertex, for an even `i`, or the one that comes before it.
#[inline(always)]
fn beside([a, b, c]: [u32; 3], vertex: u32, i: u32) -> u32 {
    let (next, previous) = if a == vertex {
        (b, c)
    } else if b == vertex {
        (c, a)
    } else {
        (a, b)
    };
    if i.is_multiple_of(2) { next } else { previous }
}

/// A row of [`Corners`], computed as it is read.
#[derive(Clone, Copy, Debug)]
pub struct CornersRow {
    tables: VertexFaces,
    faces: CsrRow,
    vertex: u32,
    at: u32,
}

impl Row for CornersRow {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        2 * self.faces.len()
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        let corners = self
            .tables
            .fe
            .vertices(self.tables.ev, self.faces.get(i / 2));
        beside(corners, self.vertex, i)
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl Iterator for CornersRow {
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
