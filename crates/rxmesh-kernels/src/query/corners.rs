//! Corners: around a vertex, the two other vertices of each of its faces.

use super::csr::CsrRow;
use super::oriented::chain;
use super::vertex::VertexFaces;
use super::{Relation, Row, VF};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Patch, PatchHeader, Vertex};

/// For each face of a vertex, in ascending local id, two entries: the vertex that follows it in the face and the one
/// that comes before it. Unlike the oriented relations it is defined on every mesh, and unlike the other relations its
/// rows repeat vertices. It lets a kernel gather what faces give their corners, without atomics.
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

/// As [`Corners`], but where a vertex's faces form one consistently oriented fan, closed or open, they come in its
/// order: the previous vertex in one is the next vertex in the one after it. Where they do not, the order is any.
#[derive(Clone, Copy, Debug)]
pub struct Fans;

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl Relation for Fans {
    type Source = Vertex;
    type Target = Vertex;
    type Tables = VertexFaces;
    type Row = CornersRow;
    const NAME: &'static str = "fans";
    const PREPARE: &'static str = "rx_prepare_fans";

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
        b.each(patch.owned::<Vertex>(), |v| {
            chain(t, v);
        });
    }
    #[inline(always)]
    fn row(patch: &Patch, t: &VertexFaces, v: u32) -> CornersRow {
        Corners::row(patch, t, v)
    }
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
        let [a, b, c] = self
            .tables
            .fe
            .vertices(self.tables.ev, self.faces.get(i / 2));
        let (next, previous) = if a == self.vertex {
            (b, c)
        } else if b == self.vertex {
            (c, a)
        } else {
            (a, b)
        };
        if i.is_multiple_of(2) { next } else { previous }
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
