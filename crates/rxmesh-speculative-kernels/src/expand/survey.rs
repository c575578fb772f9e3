//! First pass of an expansion over its donors: the elements that come in, and the patches that take part.

use super::{Expansion, GIVEN, Host, table_limit};
use crate::store::{PatchArrays, each_kind};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::{GlobalMut, Shared};
use rxmesh_kernels::topo::Kind;

impl Expansion {
    /// Marks the elements of a donor at the vertices that it will lose.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn look<B: Block>(&self, b: B, host: &Host<'_>, n: u32, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            p.each(self.taken.len(), |i| self.taken.set(i, 0));
            p.each(self.near.len(), |i| {
                self.near.set(i, 0);
                self.stays.set(i, 0);
            });
        });
        b.each(n, |i| {
            let v = self.wanted.get(i);
            if v / s.vertices == donor {
                let v = v % s.vertices;
                self.taken.fetch_or(v / 32, 1 << (v % 32));
                // Even if it has no face.
                self.near.fetch_or(v / 32, 1 << (v % 32));
            }
        });
        b.each(s.faces, |f| {
            if !from.is_active(Kind::Face, f) {
                return;
            }
            let [u, v, w] = from.corners(f);
            let keeps = |v: u32| from.is_owned(Kind::Vertex, v) && !self.is_taken(v);
            if self.is_taken(u) || self.is_taken(v) || self.is_taken(w) {
                self.mark(self.near, f, &from);
            }
            if keeps(u) || keeps(v) || keeps(w) {
                self.mark(self.stays, f, &from);
            }
        });
    }

    #[inline(always)]
    pub(super) fn is_taken(&self, v: u32) -> bool {
        self.taken.load(v / 32) >> (v % 32) & 1 != 0
    }

    /// Marks a face of a donor with its edges and corners.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn mark(&self, set: Shared<u32>, f: u32, from: &PatchArrays<GlobalMut<u16>, GlobalMut<u32>>) {
        let s = self.shape;
        let enter = |kind: Kind, i: u32| {
            set.fetch_or(s.owned(kind) + i / 32, 1 << (i % 32));
        };
        enter(Kind::Face, f);
        let mut k = 0;
        while k < 3 {
            let h = from.side(f, k);
            enter(Kind::Edge, h >> 1);
            enter(Kind::Vertex, from.origin(h));
            k += 1;
        }
    }

    #[inline(always)]
    pub(super) fn is_marked(&self, set: Shared<u32>, kind: Kind, i: u32) -> bool {
        set.load(self.shape.owned(kind) + i / 32) >> (i % 32) & 1 != 0
    }

    /// Records the incoming elements of a donor, and the other parties.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn survey<B: Block>(&self, b: B, host: &Host<'_>, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(s.room(kind), |i| {
                    if !self.is_marked(self.near, kind, i) {
                        return;
                    }
                    let handle = from.handle(donor, kind, i);
                    let owner = handle / s.room(kind);
                    if owner == host.id {
                        return;
                    }
                    match inverse.insert(handle) {
                        Some(true) if owner == donor && self.is_given(&from, kind, i) => {
                            self.counts.fetch_add(GIVEN + kind as u32, 1);
                        }
                        Some(_) => {}
                        None => self.overflow(),
                    }
                    if kind as u32 == Kind::Vertex as u32 && self.parties.insert(owner).is_none() {
                        self.overflow();
                    }
                });
            });
        });
        // The elements that the donor keeps in its ribbon must fit its tables. Unneeded ones are removed before these
        // are inserted, so they are not counted: otherwise a patch whose tables are nearly full could not be cut.
        let vertices = b.count(s.vertices, self.scratch, |v| {
            self.is_marked(self.stays, Kind::Vertex, v)
                && (!from.is_owned(Kind::Vertex, v) || self.is_taken(v))
        });
        let edges = b.count(s.edges, self.scratch, |e| {
            self.is_marked(self.stays, Kind::Edge, e)
                && (!from.is_owned(Kind::Edge, e) || self.is_given_edge(&from, e))
        });
        if vertices > table_limit(s.vertex_table) || edges > table_limit(s.edge_table) {
            b.lead(|| self.overflow());
        }
    }

    /// Returns `true` if an element of a donor near the vertices that it loses is not the donor's afterwards.
    #[inline(always)]
    pub(super) fn is_given(
        &self,
        from: &PatchArrays<GlobalMut<u16>, GlobalMut<u32>>,
        kind: Kind,
        i: u32,
    ) -> bool {
        match kind {
            Kind::Vertex => self.is_taken(i),
            Kind::Edge => self.is_given_edge(from, i),
            Kind::Face | Kind::Cell => !self.is_marked(self.stays, Kind::Face, i),
        }
    }

    /// Returns `true` if a donor keeps neither end of an edge.
    #[inline(always)]
    pub(super) fn is_given_edge(
        &self,
        from: &PatchArrays<GlobalMut<u16>, GlobalMut<u32>>,
        e: u32,
    ) -> bool {
        let loses = |v: u32| self.is_taken(v) || !from.is_owned(Kind::Vertex, v);
        loses(from.origin(2 * e)) && loses(from.origin(2 * e + 1))
    }
}
