//! Vertices of a block in shared memory.

use super::super::neighbours::VERTICES;
use super::super::{ComponentCount, next, prev};
use super::points::RingPoints;
use super::{
    CHUNK, Centre, LANES, LINKS, POINTS, ROOM, RefineRings, RingVertex, VertexTables, WORDS,
};
use crate::topology::NONE;
use rxmesh_kernels::exec::{Block, Phase};

impl<N: ComponentCount> RefineRings<N> {
    #[inline(always)]
    fn known(&self) -> RingPoints {
        RingPoints {
            base: self.base,
            depth: self.depth,
            slots: self.slots,
            corners: self.corners.read(),
            centres: self.centres.read(),
        }
    }

    /// Finds the vertices of a block.
    #[inline(always)]
    pub(super) fn find<B: Block>(&self, p: Phase<B>, block: u32, tables: &VertexTables) {
        p.each(CHUNK, |slot| {
            let at = block * CHUNK + slot;
            let (mut v, mut first, mut n, mut kept) = (NONE, 0, 0, NONE);
            if at < self.counts.get(VERTICES) {
                v = self.vertices.get(at);
                let row = self.mesh.row(v);
                (first, n) = (row.0, row.1 - row.0);
                if n > 0 {
                    kept = self.slots.get(self.mesh.entries.get(first));
                }
            }
            let to = slot * WORDS;
            tables.vertices.set(to, v);
            tables.vertices.set(to + 1, first);
            tables.vertices.set(to + 2, n);
            tables.vertices.set(to + 3, kept);
        });
    }

    #[inline(always)]
    fn vertex(&self, tables: &VertexTables, slot: u32) -> Option<Centre> {
        let word = |i: u32| tables.vertices.get(slot * WORDS + i);
        (word(0) != NONE).then(|| Centre {
            slot,
            v: word(0),
            first: word(1),
            n: word(2),
            kept: word(3),
        })
    }

    /// Calls `f(vertex, place, component)` for `places(vertex)` indices of each vertex.
    #[inline(always)]
    pub(super) fn each<B: Block>(
        &self,
        p: Phase<B>,
        tables: &VertexTables,
        places: impl Fn(&Centre) -> u32,
        f: impl Fn(Centre, u32, u32),
    ) {
        let lanes = if Phase::<B>::SOLO { 1 } else { LANES };
        p.each(CHUNK * lanes, |i| {
            let Some(centre) = self.vertex(tables, i / lanes) else {
                return;
            };
            let mut at = i % lanes;
            while at < places(&centre) * N::N {
                f(centre, at / N::N, at % N::N);
                at += lanes;
            }
        });
    }

    /// Returns the index in shared memory of a point of the corner at an index of the vertex's row.
    #[inline(always)]
    fn held(centre: &Centre, place: u32, point: u32, k: u32) -> u32 {
        ((centre.slot * ROOM + place) * POINTS + point) * N::N + k
    }

    /// Returns the identifier of a corner of a vertex.
    #[inline(always)]
    fn known_by(&self, centre: &Centre, h: u32) -> u32 {
        if !centre.small() {
            return h;
        }
        let mut place = 0;
        while place + 1 < centre.n && self.mesh.entries.get(centre.first + place) != h {
            place += 1;
        }
        place
    }

    /// Returns a component of a point of a corner.
    #[inline(always)]
    pub(super) fn at(&self, a: &RingVertex, corner: u32, point: u32, k: u32) -> f32 {
        if a.centre.small() {
            let i = Self::held(&a.centre, corner, point, k);
            if a.level & 1 == 0 {
                a.tables.corners[0].get(i)
            } else {
                a.tables.corners[1].get(i)
            }
        } else {
            self.known()
                .corner(&self.mesh, N::N, corner, a.level, point, k)
        }
    }

    /// Returns a component of the vertex.
    #[inline(always)]
    pub(super) fn here(&self, a: &RingVertex, k: u32) -> f32 {
        let i = a.centre.slot * N::N + k;
        if a.level & 1 == 0 {
            a.tables.centres[0].get(i)
        } else {
            a.tables.centres[1].get(i)
        }
    }

    /// Returns the adjacent corner at the same vertex, [`NONE`] at a boundary: across the corner's half-edge, or across
    /// the one before.
    #[inline(always)]
    pub(super) fn beside(&self, a: &RingVertex, corner: u32, link: u32) -> u32 {
        if a.centre.small() {
            let at = (a.centre.slot * ROOM + corner) * LINKS + link;
            a.tables.links.get(at)
        } else {
            self.across(corner, link)
        }
    }

    /// Returns [`RefineRings::beside`] in terms of ids.
    #[inline(always)]
    fn across(&self, h: u32, link: u32) -> u32 {
        if link == 1 {
            return self.mesh.twin(prev(h));
        }
        let twin = self.mesh.twin(h);
        if twin == NONE { NONE } else { next(twin) }
    }

    /// Stores the adjacent corner of a corner, and the sharpness of the edge between them.
    #[inline(always)]
    pub(super) fn find_link(&self, tables: &VertexTables, c: &Centre, place: u32, link: u32) {
        let m = &self.mesh;
        let h = m.entries.get(c.first + place);
        let other = match self.across(h, link) {
            NONE => NONE,
            g => self.known_by(c, g),
        };
        let to = (c.slot * ROOM + place) * LINKS + link;
        tables.links.set(to, other);
        if self.creases.smooth == 0 {
            let half = if link == 0 { h } else { prev(h) };
            tables.sharp.set(to, self.creases.base.edge(m, half));
        }
    }

    /// Stores a point of a corner in shared memory.
    #[inline(always)]
    pub(super) fn put(&self, a: &RingVertex, level: u32, place: u32, point: u32, k: u32, x: f32) {
        let i = Self::held(&a.centre, place, point, k);
        if level & 1 == 0 {
            a.tables.corners[0].set(i, x);
        } else {
            a.tables.corners[1].set(i, x);
        }
    }

    /// Stores the vertex in shared memory.
    #[inline(always)]
    pub(super) fn put_here(&self, a: &RingVertex, level: u32, k: u32, x: f32) {
        let i = a.centre.slot * N::N + k;
        if level & 1 == 0 {
            a.tables.centres[0].set(i, x);
        } else {
            a.tables.centres[1].set(i, x);
        }
    }
}
